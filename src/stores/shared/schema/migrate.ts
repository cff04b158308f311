import { PosthornError } from '../../../core/errors.ts'
import type { Database, Executor } from '../sql/database.ts'
import { migrations } from './migrations.ts'
import { render, sql, table, raw } from '../sql/sql.ts'
import type { Dialect, Sql } from '../sql/sql.ts'

const createMigrations = sql`create table if not exists ${table('migrations')} (version integer primary key not null)`
export const newest = Math.max(...migrations.map(({ version }) => version))

/** The versions of a schema before and after it was brought up to this release. */
export interface Migrated {
  readonly from: number
  readonly to: number
}

/** Brings the schema up to this release, one transaction in all; refuses a database of a later one. */
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

/** The same as a script, for people who apply it themselves: the steps after a version, all of them or none. */
export function migrationScript(dialect: Dialect, after: number): string {
  const steps = migrations
    .filter(({ version }) => version > after)
    .map(({ version, statements }) => [...statements, recordOf(version)])
  return scriptOf(dialect, steps.length === 0 ? [] : [createMigrations, ...steps.flat()])
}

/** Statements as one transaction, each ended by a semicolon; a comment if there are none. */
export function scriptOf(dialect: Dialect, statements: readonly Sql[]): string {
  if (statements.length === 0) return '-- Nothing to do.'
  return ['begin', ...statements.map((statement) => render(statement, dialect).text), 'commit']
    .map((text) => `${text};`)
    .join('\n\n')
}

/** The note that a step was taken. In words, not with a parameter: a script has none. */
export function recordOf(version: number): Sql {
  return sql`insert into ${table('migrations')} (version) values (${raw(String(version))})`
}

/** For a worker that runs on while another release migrates. */
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

/** The version of a schema that has a table of them. */
export async function versionOf(tx: Executor): Promise<number> {
  const [row] = await tx.query(sql`select coalesce(max(version), 0) as version from ${table('migrations')}`)
  return Number(row?.['version'] ?? 0)
}
