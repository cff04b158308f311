import { expected, PosthornError } from '../../core/errors.ts'
import type { Store, SyncStoreTransaction } from '../../core/ports/ports.ts'
import type { Worker } from '../../core/ports/worker.ts'
import { batched } from '../shared/batching/batcher.ts'
import { directory } from '../shared/directory/directory.ts'
import { migrate } from '../shared/schema/migrate.ts'
import { fromWorker, toWorker } from '../shared/rows/rows.ts'
import type { Vault } from '../shared/secrets.ts'
import { insertInto, sql, table } from '../shared/sql/sql.ts'
import { beat } from '../shared/directory/workers.ts'
import { openConnection, openWith, sqliteDialect } from './connection.ts'
import { closedError, sqliteDatabase } from './database.ts'
import type { SqliteDatabase } from './database.ts'
import type { SqliteDriver } from './driver.ts'
import { storeError } from './errors.ts'
import { takeLock } from './lock.ts'
import type { ProcessLock } from './lock.ts'
import { outletOn } from './queue/outbox.ts'
import { sqliteQueue } from './queue/queue.ts'
import { openVaultFor } from './vault.ts'

export interface SqliteOptions {
  /** The key that seals the secrets of endpoints: 32 bytes, or their base64. Without it a file `<path>.key` is made. */
  readonly secretsKey?: string | Uint8Array | undefined
  /** Stores secrets as they are. */
  readonly plaintextSecrets?: boolean | undefined
  /** `off` may lose acknowledged messages when the machine fails: for tests and simulations only. */
  readonly synchronous?: 'full' | 'off' | undefined
}

export type { SqliteDriver } from './driver.ts'

/** A file that the application writes to as well, with a driver of its own. */
export interface SharedSqliteOptions extends SqliteOptions {
  /** Opens a new connection to the file, with the driver that the application uses for it: two copies of SQLite would lose each other's commits. */
  readonly open: () => SqliteDriver
}

interface Opened {
  readonly path: string
  /** The connection that `open` made, where it was given. */
  readonly driver: SqliteDriver | null
  readonly database: SqliteDatabase
  readonly vault: Vault
  readonly notes: readonly string[]
}

const inMemory = ':memory:'

// The application is in this thread: while we wait for it to write, it cannot.
const sharedTimeoutMs = 250

/**
 * A store in one SQLite file, for one engine process at a time; `:memory:` lives as long as it is open. With `open` instead of a
 * path, `send(message, { tx })` joins a transaction on a connection of the application's own.
 */
export function sqlite(path: string, options?: SqliteOptions): Store
export function sqlite(options: SharedSqliteOptions): Store
export function sqlite(target: string | SharedSqliteOptions, more: SqliteOptions = {}): Store {
  const isShared = typeof target === 'object' && target !== null
  if (!isShared) checkPath(target)
  const options = isShared ? target : more
  let opening: Promise<Opened> | null = null
  let opened: Opened | null = null
  let lock: ProcessLock | null = null
  const workers = new Set<string>()

  function current(): Opened {
    if (opened === null) throw closedError()
    return opened
  }

  // Queue and directory outlive a close: they ask anew for what is open.
  const database: SqliteDatabase = {
    dialect: sqliteDialect,
    query: async (statement) => current().database.query(statement),
    write: async (work) => current().database.write(work),
    transaction: async (work) => current().database.transaction(work),
    close: async () => current().database.close(),
  }
  const vault: Vault = {
    seal: (...secret) => current().vault.seal(...secret),
    open: (...secret) => current().vault.open(...secret),
  }

  return {
    kind: 'sqlite',
    // The lock proves that other processes are gone: but only whoever has taken it knows.
    queue: batched(sqliteQueue(database, () => (workers.size === 0 ? null : [...workers]))),
    directory: directory(database, vault),
    async open() {
      if (opened !== null) return []
      // Whoever asks while it is being opened waits, too; told is only the first.
      const isFirst = opening === null
      opening ??= openStore(target, options)
      try {
        opened = await opening
        return isFirst ? opened.notes : []
      } finally {
        opening = null
      }
    },
    async attach(worker) {
      const isFirst = workers.size === 0
      const { path } = current()
      if (isFirst && path !== inMemory) lock = takeLock(path) ?? (await refuse(path, database))
      workers.add(worker.id)
      try {
        await announce(database, worker, isFirst)
      } catch (thrown) {
        leave(worker.id)
        throw thrown
      }
    },
    async detach(workerId) {
      if (!workers.has(workerId)) return
      try {
        await database.transaction((tx) => tx.run(sql`delete from ${table('workers')} where id = ${workerId}`))
      } finally {
        leave(workerId)
      }
    },
    beat: (worker, sighting) => database.transaction((tx) => beat(tx, worker, sighting)),
    async close() {
      await opening?.catch(() => undefined)
      const closing = opened
      opened = null
      await closing?.database.close()
      for (const workerId of workers) leave(workerId)
    },
    ...(isShared ? { withinSync } : {}),
  }

  function withinSync(tx: unknown): SyncStoreTransaction {
    if (opened?.driver !== undefined && opened.driver !== null) return outletOn(tx, opened.driver)
    throw new PosthornError(
      'stopped',
      'Expected an open store, got one that is closed. A send within your transaction cannot wait for it: await `start()` first.',
    )
  }

  /** Whoever leaves last gives the file back to other processes. */
  function leave(workerId: string): void {
    workers.delete(workerId)
    if (workers.size > 0) return
    lock?.release()
    lock = null
  }
}

function checkPath(path: unknown): void {
  if (typeof path === 'string' && path !== '' && !path.startsWith('file:')) return
  throw expected('invalid_argument', 'path', 'the path of a file, or ":memory:"', path)
}

async function openStore(target: string | SharedSqliteOptions, options: SqliteOptions): Promise<Opened> {
  const { synchronous } = options
  let database: SqliteDatabase | undefined
  try {
    const { connection, driver, path } =
      typeof target === 'string'
        ? { connection: openConnection(target, { synchronous }), driver: null, path: target }
        : openWith(target.open, { synchronous, busyTimeoutMs: sharedTimeoutMs })
    database = sqliteDatabase(connection, { ownTurns: driver !== null })
    await migrate(database)
    return { path, driver, database, ...(await openVaultFor(path, database, options)) }
  } catch (thrown) {
    await database?.close()
    throw storeError(thrown)
  }
}

/** Under the lock, the first worker of a process knows that all others in the table are dead. */
async function announce(database: SqliteDatabase, worker: Worker, isFirst: boolean): Promise<void> {
  await database.transaction(async (tx) => {
    const gone = isFirst ? sql`` : sql`where id = ${worker.id}`
    await tx.run(sql`delete from ${table('workers')} ${gone}`)
    await tx.run(insertInto('workers', fromWorker(worker)))
  })
}

async function refuse(path: string, database: SqliteDatabase): Promise<never> {
  const [row] = await database.query(
    sql`select id, pid, host, started_at from ${table('workers')} order by started_at desc limit 1`,
  )
  const holder = row === undefined ? null : toWorker(row)
  const who = holder === null ? 'another process' : `process ${holder.pid} on ${holder.host}`
  throw new PosthornError(
    'store_in_use',
    `Expected ${path} to have no engine, got one in ${who}. Stop that one, or use PostgreSQL: only one process may deliver from a SQLite file.`,
  )
}
