import { messageOf, PosthornError } from '../../core/errors.ts'
import { checkTarget, connections } from '../postgres/connections.ts'
import { checkSchema, postgresDatabase, postgresDialect } from '../postgres/database.ts'
import type { PostgresDatabase } from '../postgres/database.ts'
import { openSchema } from '../postgres/migrate.ts'
import { openVaultWith, ringOf } from '../postgres/vault.ts'
import { keyOf, toCount, valueOf } from '../shared/rows/move-rows.ts'
import type { Cursor, TableProgress } from '../shared/rows/move-rows.ts'
import type { GivenKeys, Vault } from '../shared/secrets.ts'
import type { Executor, Row } from '../shared/sql/database.ts'
import { joined, sql, table, raw } from '../shared/sql/sql.ts'
import type { Sql, TableName } from '../shared/sql/sql.ts'
import { advance, createProgress, insertProgress, progressOf } from './marks.ts'
import { copiedTables } from './tables.ts'
import type { CopiedTable } from './tables.ts'

export interface TargetOptions {
  readonly url: string
  readonly schema: string
  readonly prepare: boolean
  readonly secretsKey?: GivenKeys | undefined
  readonly plaintextSecrets?: boolean | undefined
}

/** A PostgreSQL schema that is being filled. */
export interface CopyTarget {
  readonly vault: Vault
  /** The progress of a copy into it; null if none has started. */
  progress(): Promise<readonly TableProgress[] | null>
  /** Refuses a schema that has rows or workers. */
  refuseUnlessFree(): Promise<void>
  /** From here on, no worker starts on it until `finish`. Refused if it is not empty, or in use. */
  begin(copyId: string, source: string): Promise<readonly TableProgress[]>
  /** Writes rows and progress in one transaction. */
  write(wanted: CopiedTable, batch: Batch, progress: TableProgress): Promise<TableProgress>
  count(name: TableName): Promise<number>
  rowsByKey(wanted: CopiedTable, keys: readonly Cursor[]): Promise<Row[]>
  /** Opens it to workers. */
  finish(): Promise<void>
  close(): Promise<void>
}

export interface Batch {
  readonly rows: readonly Row[]
  /** The key of the last row. */
  readonly cursor: Cursor
}

const questionTimeoutMs = 10_000
// Counting a large table takes a while.
const countTimeoutMs = 600_000
// PostgreSQL limits the parameters of a statement to what 16 bits can count.
const mostValues = 60_000

/** Creates the schema if it does not exist, like a first start; refuses one of another version. */
export async function openTarget(options: TargetOptions): Promise<CopyTarget> {
  const { url, schema, prepare } = options
  checkTarget(url)
  checkSchema(schema)
  const ring = ringOf(options)
  const first = databaseOf(options, questionTimeoutMs)
  let vault: Vault
  try {
    await openSchema(first, schema)
    vault = (await openVaultWith(ring, first, options)).vault
  } finally {
    await first.close()
  }
  return targetOn(databaseOf({ url, schema, prepare }, countTimeoutMs), schema, vault)
}

function databaseOf(
  { url, schema, prepare }: Pick<TargetOptions, 'url' | 'schema' | 'prepare'>,
  timeoutMs: number,
): PostgresDatabase {
  return postgresDatabase(connections(url, { timeoutMs, prepare }), postgresDialect(schema))
}

function targetOn(database: PostgresDatabase, schema: string, vault: Vault): CopyTarget {
  return {
    vault,
    progress: () => progressOf(database, schema),
    refuseUnlessFree: () => database.transaction((tx) => refuseUnlessFree(tx, schema)),
    begin: (copyId, source) => database.transaction((tx) => begin(tx, schema, copyId, source)),
    write: (wanted, batch, progress) => write(database, wanted, batch, progress),
    count: async (name) => toCount((await database.query(sql`select count(*) as count from ${table(name)}`))[0]),
    rowsByKey: ({ name, key }, keys) =>
      database.query(sql`select * from ${table(name)}
where (${raw(key.join(', '))}) in (${tuples(keys)})`),
    async finish() {
      await database.transaction(async (tx) => {
        // The first claim is planned by table statistics, which until now say that the tables are empty.
        for (const { name } of copiedTables) await tx.run(sql`analyze ${table(name)}`)
        await tx.run(sql`drop table ${table('copy_progress')}`)
      })
    },
    close: () => database.close(),
  }
}

async function begin(tx: Executor, schema: string, copyId: string, source: string): Promise<readonly TableProgress[]> {
  // A worker that is about to start waits here, and then sees the table created next.
  await tx.run(sql`lock table ${table('workers')} in share row exclusive mode`)
  await refuseUnlessFree(tx, schema)
  await tx.run(createProgress)
  for (const { name } of copiedTables) await tx.run(insertProgress({ name, copyId, source }))
  return (await progressOf(tx, schema)) ?? []
}

async function refuseUnlessFree(tx: Executor, schema: string): Promise<void> {
  const workers = toCount((await tx.query(sql`select count(*) as count from ${table('workers')}`))[0])
  if (workers > 0)
    throw new PosthornError(
      'store_in_use',
      `Expected the schema "${schema}" to have no workers yet, got ${workers}. Nothing was copied: stop them, and start them when the copy is done. If they were killed, drop the schema.`,
    )
  for (const { name } of copiedTables) {
    const found = await tx.query(sql`select 1 from ${table(name)} limit 1`)
    if (found.length === 0) continue
    throw new PosthornError(
      'wrong_state',
      `Expected the schema "${schema}" to be empty, got rows in ${name}. Nothing was copied: choose another schema by POSTHORN_SCHEMA, or drop this one.`,
    )
  }
}

async function write(
  database: PostgresDatabase,
  { name, key }: CopiedTable,
  { rows, cursor }: Batch,
  progress: TableProgress,
): Promise<TableProgress> {
  try {
    await database.transaction(async (tx) => {
      for (const part of partsOf(rows)) await tx.run(insertRows(name, part))
      const noted = await tx.run(advance(progress, cursor, rows.length))
      if (noted !== 1) throw overtaken(name)
    })
  } catch (thrown) {
    throw await withCulprit(database, { name, key }, rows, thrown)
  }
  return { ...progress, cursor, copied: progress.copied + rows.length }
}

function partsOf(rows: readonly Row[]): Row[][] {
  const most = Math.floor(mostValues / Math.max(1, Object.keys(rows[0] ?? {}).length))
  return Array.from({ length: Math.ceil(rows.length / most) }, (_, index) =>
    rows.slice(index * most, (index + 1) * most),
  )
}

function insertRows(name: TableName, rows: readonly Row[]): Sql {
  const columns = Object.keys(rows[0] ?? {})
  return sql`insert into ${table(name)} (${raw(columns.join(', '))})
values ${tuples(rows.map((row) => columns.map((column) => valueOf(row, column))))}`
}

/** `(1, 2), (3, 4)` */
function tuples(lists: readonly Cursor[]): Sql {
  return joined(lists.map(tuple), ', ')
}

function tuple(values: Cursor): Sql {
  return sql`(${joined(
    values.map((value) => sql`${value}`),
    ', ',
  )})`
}

/** Names the row that caused the error, if one did: SQLite accepts any value in any column, PostgreSQL does not. */
async function withCulprit(
  database: PostgresDatabase,
  { name, key }: CopiedTable,
  rows: readonly Row[],
  thrown: unknown,
): Promise<unknown> {
  if (!isRefused(thrown)) return thrown
  for (const row of rows) {
    try {
      await database.transaction(async (tx) => {
        await tx.run(insertRows(name, [row]))
        throw new RolledBack()
      })
    } catch (again) {
      if (again instanceof RolledBack || !isRefused(again)) continue
      const which = `row ${JSON.stringify(keyOf(row, key))} of ${name}`
      return new PosthornError(again.code, `${which}: ${messageOf(again)} Then give the same command again.`, {
        cause: again,
      })
    }
  }
  return thrown
}

class RolledBack extends PosthornError {
  constructor() {
    super('stopped', 'Only tried.')
  }
}

function isRefused(thrown: unknown): thrown is PosthornError {
  return thrown instanceof PosthornError && (thrown.code === 'data_refused' || thrown.code === 'already_exists')
}

function overtaken(name: TableName): PosthornError {
  return new PosthornError(
    'store_in_use',
    `Expected to be the only copy into the table ${name}, got another one beside it. End one of them.`,
  )
}
