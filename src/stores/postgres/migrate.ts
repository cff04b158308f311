import { PosthornError } from '../../core/errors.ts'
import type { Executor, Row } from '../shared/sql/database.ts'
import { newerDatabase, newest, recordOf, scriptOf } from '../shared/schema/migrate.ts'
import type { Migrated } from '../shared/schema/migrate.ts'
import { migrations } from '../shared/schema/migrations.ts'
import type { Migration } from '../shared/schema/migration.ts'
import { toId } from '../shared/rows/rows.ts'
import { sql, table, raw } from '../shared/sql/sql.ts'
import type { Sql } from '../shared/sql/sql.ts'
import { commandDatabase } from './command-database.ts'
import type { CommandDatabaseOptions } from './command-database.ts'
import { checkSchema, postgresDialect, quoteIdentifier } from './database.ts'
import type { PostgresDatabase } from './database.ts'

const createMigrations = sql`create table ${table('migrations')} (version integer primary key not null)`
const oldestServer = 140_000
// An index on a large table takes a while, and so may waiting for another process that is migrating.
const stepTimeoutMs = 600_000

/** Statements that only PostgreSQL needs, by the version of their step. */
const ownStatements: Readonly<Record<number, readonly Sql[]>> = {
  1: [
    // A delivery is written three times in its life: with free space on its page, taking a lease updates no index.
    sql`alter table ${table('webhook_deliveries')} set (fillfactor = 80, autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.02)`,
  ],
  3: [
    // docs/growth.md: at 80, one claim in four found free space; at 50, every claim did.
    sql`alter table ${table('webhook_deliveries')} set (fillfactor = 50)`,
  ],
}

/**
 * Creates the schema if it does not exist. An existing one is left unchanged: other workers use it, and a person decides when to migrate.
 */
export async function openSchema(database: PostgresDatabase, schema: string): Promise<void> {
  await checkServer(database)
  // If the schema exists, neither the lock nor the permission to change it is needed.
  const found = await versionOf(database, schema)
  const version = found === 0 ? await takeSteps(database, schema) : found
  if (version > newest) throw newerDatabase(version)
  if (version < newest) throw olderDatabase(version, schema)
}

/** Migrates the schema to this release: one transaction per step, one process at a time. Refuses schemas that it must not touch. */
export async function migrate(database: PostgresDatabase, schema: string): Promise<Migrated> {
  await checkServer(database)
  const from = await versionOf(database, schema)
  let version = from
  while (version < newest) version = await takeSteps(database, schema)
  if (version > newest) throw newerDatabase(version)
  return { from, to: version }
}

/** The same on its own connection, for the command `migrate`. */
export async function migrateDatabase(url: string, options: CommandDatabaseOptions): Promise<Migrated> {
  const database = commandDatabase(url, options)
  try {
    return await migrate(database, options.schema)
  } finally {
    await database.close()
  }
}

/** The same as a script, for people who apply it themselves: all steps after a version, in one transaction. */
export function migrationScript(schema: string, after: number): string {
  checkSchema(schema)
  const steps = migrations
    .filter(({ version }) => version > after)
    .map((step) => [...statementsOf(step), recordOf(step.version)])
  const first = after === 0 ? [raw(`create schema if not exists ${quoteIdentifier(schema)}`), createMigrations] : []
  return scriptOf(postgresDialect(schema), steps.length === 0 ? [] : [...first, ...steps.flat()])
}

async function checkServer(database: PostgresDatabase): Promise<void> {
  const [row] =
    await database.query(sql`select current_setting('server_version_num')::integer as number, current_setting('server_version') as version,
  pg_is_in_recovery() or current_setting('transaction_read_only') = 'on' as frozen`)
  if (Number(row?.['number']) < oldestServer) {
    throw new PosthornError(
      'store_too_old',
      `Expected PostgreSQL 14 or later, got ${String(row?.['version'])}. Upgrade it.`,
    )
  }
  if (row?.['frozen'] === true) {
    throw new PosthornError(
      'store_failed',
      'Expected a database that can be written, got a read-only one. Is it a replica? Give the url of the primary.',
    )
  }
}

/** The version of a schema; 0 if it does not exist. */
export async function versionOf(from: Pick<Executor, 'query'>, schema: string): Promise<number> {
  const found = (
    await from.query(sql`select relname as id
from pg_catalog.pg_class c
join pg_catalog.pg_namespace n on n.oid = c.relnamespace
where n.nspname = ${schema}
  and relkind in ('r', 'p', 'v', 'm', 'f')
  and relname in ('migrations', 'webhook_deliveries', 'messages', 'endpoints', 'applications', 'attempts', 'workers', 'audit')
order by relname`)
  ).map(toId)
  if (found.length === 0) return 0
  if (!found.includes('migrations') || !found.includes('webhook_deliveries')) throw notOurs(schema, found)
  const [row] = await from.query(sql`select coalesce(max(version), 0) as version from ${table('migrations')}`)
  return numberOf(row)
}

/** Applies the next missing step, or all of them to an empty schema, so that no process finds it half created. Returns the new version. */
function takeSteps(database: PostgresDatabase, schema: string): Promise<number> {
  return database.transaction(async (tx) => {
    // Only for this transaction: a pooler may give the connection to others afterwards.
    await tx.run(raw(`set local statement_timeout = ${stepTimeoutMs}`))
    await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${`posthorn migrations of ${schema}`}, 0))`)
    const from = await versionOf(tx, schema)
    if (from === 0) await createSchema(tx, schema)
    const missing = migrations.filter(({ version }) => version > from)
    const steps = from === 0 ? missing : missing.slice(0, 1)
    for (const step of steps) {
      for (const statement of statementsOf(step)) await tx.run(statement)
      await tx.run(recordOf(step.version))
    }
    return steps.at(-1)?.version ?? from
  }, stepTimeoutMs)
}

async function createSchema(tx: Executor, schema: string): Promise<void> {
  // `if not exists` would require the permission to create a schema even if it exists.
  const there = await tx.query(sql`select 1 from pg_catalog.pg_namespace where nspname = ${schema}`)
  if (there.length === 0) await tx.run(raw(`create schema ${quoteIdentifier(schema)}`))
  await tx.run(createMigrations)
}

function statementsOf({ version, statements }: Migration): readonly Sql[] {
  return [...statements, ...(ownStatements[version] ?? [])]
}

function numberOf(row: Row | undefined): number {
  return Number(row?.['version'] ?? 0)
}

function notOurs(schema: string, found: readonly string[]): PosthornError {
  return new PosthornError(
    'store_failed',
    `Expected the schema "${schema}" to be free or Posthorn's, got one with tables of another program (${found.join(', ')}). Give another \`schema\`.`,
  )
}

function olderDatabase(version: number, schema: string): PosthornError {
  return new PosthornError(
    'older_database',
    `Expected the schema "${schema}" to be of version ${newest}, got version ${version}. Run \`posthorn migrate\`: workers of earlier releases then stop by themselves.`,
  )
}
