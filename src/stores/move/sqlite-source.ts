import type { Instant } from '../../core/time.ts'
import { keyOf, toCount } from '../shared/rows/move-rows.ts'
import type { Cursor, Move } from '../shared/rows/move-rows.ts'
import { migrate } from '../shared/schema/migrate.ts'
import type { GivenKeys, Vault } from '../shared/secrets.ts'
import type { Row } from '../shared/sql/database.ts'
import { joined, render, sql, table, raw } from '../shared/sql/sql.ts'
import type { Sql, TableName } from '../shared/sql/sql.ts'
import { refuseSecondEngine } from '../sqlite/attached-workers.ts'
import { openConnection, sqliteDialect } from '../sqlite/connection.ts'
import type { Connection } from '../sqlite/connection.ts'
import { sqliteDatabase } from '../sqlite/database.ts'
import { storeError } from '../sqlite/errors.ts'
import { takeLock } from '../sqlite/lock.ts'
import { openVaultToRead } from '../sqlite/vault.ts'
import { createMovedTo, finishMove, insertMove, moveOf } from './marks.ts'
import type { CopiedTable } from './tables.ts'

export interface SourceOptions {
  readonly path: string
  readonly secretsKey?: GivenKeys | undefined
}

/** A SQLite file that is read from start to end while nothing writes to it. */
export interface CopySource {
  readonly path: string
  readonly vault: Vault
  move(): Promise<Move | null>
  /** From here on, no other process opens the file, and none can write to it until `close`. */
  hold(move: Pick<Move, 'id' | 'target'>, now: Instant): Promise<void>
  /** Removes the mark of the copy, so that the file can be used again. */
  letGo(): Promise<void>
  count(name: TableName): number
  /** The next rows after a key, in key order: one batch, which is smaller if the rows are large. */
  rowsAfter(table: CopiedTable, cursor: Cursor | null): { rows: Row[]; cursor: Cursor } | null
  /** About this many rows of a table, spread over all of it. */
  sample(name: TableName, about: number): Iterable<Row>
  /** Records permanently that all of it is in the target. */
  finish(id: string, now: Instant): void
  close(): Promise<void>
}

const rowsPerBatch = 1_000
const bytesPerBatch = 4 * 1024 * 1024

/** Opens a file that no engine uses: the lock proves that leased deliveries are not being sent. */
export async function openSource({ path, secretsKey }: SourceOptions): Promise<CopySource> {
  let connection: Connection | undefined
  try {
    connection = openConnection(path)
    const database = sqliteDatabase(connection)
    const lock = takeLock(path) ?? (await refuseSecondEngine(path, database))
    try {
      await migrate(database)
      const vault = await openVaultToRead(path, database, secretsKey)
      return sourceOn({ connection, path, vault, release: () => lock.release() })
    } catch (thrown) {
      lock.release()
      throw thrown
    }
  } catch (thrown) {
    connection?.close()
    throw storeError(thrown)
  }
}

interface SourceParts {
  readonly connection: Connection
  readonly path: string
  readonly vault: Vault
  release(): void
}

function sourceOn({ connection, path, vault, release }: SourceParts): CopySource {
  const database = sqliteDatabase(connection)
  return {
    path,
    vault,
    move: () => moveOf(database),
    async hold(move, now) {
      await database.transaction(async (tx) => {
        await tx.run(createMovedTo)
        if ((await moveOf(tx)) === null) await tx.run(insertMove(move, now))
      })
      // A process that opened the file earlier may still send: it waits and is refused, instead of storing rows that would not be copied.
      connection.prepare('begin immediate').run()
    },
    letGo: () =>
      database.transaction(async (tx) => void (await tx.run(sql`drop table if exists ${table('moved_to')}`))),
    count: (name) => toCount(connection.query(sql`select count(*) as count from ${table(name)}`)[0]),
    rowsAfter: (wanted, cursor) => batchAfter(connection, wanted, cursor),
    sample(name, about) {
      const count = toCount(connection.query(sql`select count(*) as count from ${table(name)}`)[0])
      const step = Math.max(1, Math.floor(count / about))
      return iterate(connection, sql`select * from ${table(name)} where rowid % ${step} = 0`)
    },
    finish(id, now) {
      connection.run(finishMove(id, now))
      connection.prepare('commit').run()
    },
    async close() {
      if (connection.inTransaction()) connection.prepare('rollback').run()
      await database.close()
      release()
    },
  }
}

function batchAfter(
  connection: Connection,
  { name, key }: CopiedTable,
  cursor: Cursor | null,
): { rows: Row[]; cursor: Cursor } | null {
  const columns = raw(key.join(', '))
  const after = cursor === null ? raw('1 = 1') : sql`(${columns}) > (${listed(cursor)})`
  const statement = sql`select * from ${table(name)} where ${after} order by ${columns} limit ${rowsPerBatch}`
  const rows: Row[] = []
  let bytes = 0
  for (const row of iterate(connection, statement)) {
    rows.push(row)
    bytes += bytesOf(row)
    if (bytes >= bytesPerBatch) break
  }
  const last = rows.at(-1)
  return last === undefined ? null : { rows, cursor: keyOf(last, key) }
}

/** Row by row, so that large rows are not all in memory at once. */
function iterate(connection: Connection, statement: Sql): Iterable<Row> {
  const { text, values } = render(statement, sqliteDialect)
  return connection.prepare(text).iterate(...values)
}

function listed(values: Cursor): Sql {
  return joined(
    values.map((value) => sql`${value}`),
    ', ',
  )
}

function bytesOf(row: Row): number {
  return Object.values(row).reduce<number>(
    (sum, value) => sum + (typeof value === 'string' || value instanceof Uint8Array ? value.length : 8),
    0,
  )
}
