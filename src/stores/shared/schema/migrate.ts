import { PosthornError } from '../../../core/errors.ts'
import type { Database, Executor } from '../sql/database.ts'
import { migrations } from './migrations.ts'
import { render, sql, table, raw } from '../sql/sql.ts'
import type { Dialect, Sql } from '../sql/sql.ts'

const createMigrations = sql`create table if not exists ${table('migrations')} (version integer primary key not null)`
export const newest = Math.max(...migrations.map(({ version }) => version))

/** The schema versions before and after a migration to this release. */
export interface Migrated {
  readonly from: number
  readonly to: number
}

/** Migrates the schema to this release in a single transaction; refuses a database of a later release. */
export async function migrate(database: Database): Promise<Migrated> {
  return database.transaction(async (tx) => {
    await tx.run(createMigrations)
    const found = await versionOf(tx)
    if (found > newest) throw newerDatabase(found)
    for (const { version, statements } of migrations.filter((step) => step.version > found)) {
      for (const statement of statements) await tx.run(statement)
      await tx.run(recordOf(version))
    }
    return { from: found, to: newest }
  })
}

/** The same as a script, for people who apply it themselves: all steps after a version, in one transaction. */
export function migrationScript(dialect: Dialect, after: number): string {
  const steps = migrations
    .filter(({ version }) => version > after)
    .map(({ version, statements }) => [...statements, recordOf(version)])
  return scriptOf(dialect, steps.length === 0 ? [] : [createMigrations, ...steps.flat()])
}

/** The statements as one transaction, each terminated by a semicolon; a comment if there are none. */
export function scriptOf(dialect: Dialect, statements: readonly Sql[]): string {
  if (statements.length === 0) return '-- Nothing to do.'
  return ['begin', ...statements.map((statement) => render(statement, dialect).text), 'commit']
    .map((text) => `${text};`)
    .join('\n\n')
}

/** Records that a step was applied. A literal instead of a parameter, because scripts have no parameters. */
export function recordOf(version: number): Sql {
  return sql`insert into ${table('migrations')} (version) values (${raw(String(version))})`
}

/** For a worker that keeps running while another release migrates. */
export async function refuseNewer(tx: Executor): Promise<void> {
  const version = await versionOf(tx)
  if (version > newest) throw newerDatabase(version)
}

export function newerDatabase(version: number): PosthornError {
  return new PosthornError(
    'newer_database',
    `Expected a database of version ${newest} or older, got version ${version}. It was created by a later release of Posthorn: upgrade this one.`,
  )
}

/** The version of a schema that has a version table. */
export async function versionOf(tx: Executor): Promise<number> {
  const [row] = await tx.query(sql`select coalesce(max(version), 0) as version from ${table('migrations')}`)
  return Number(row?.['version'] ?? 0)
}
