import { expected, PosthornError } from '../../core/errors.ts'
import type { Store, Worker } from '../../core/ports.ts'
import { directory } from '../directory.ts'
import { migrate } from '../migrate.ts'
import { fromWorker, toWorker } from '../rows.ts'
import type { Vault } from '../secrets.ts'
import { insertInto, sql, table } from '../sql.ts'
import { beat } from '../workers.ts'
import { openConnection, sqliteDialect } from './connection.ts'
import { closedError, sqliteDatabase } from './database.ts'
import type { SqliteDatabase } from './database.ts'
import { storeError } from './errors.ts'
import { takeLock } from './lock.ts'
import type { ProcessLock } from './lock.ts'
import { sqliteQueue } from './queue.ts'
import { openVaultFor } from './vault.ts'

export interface SqliteOptions {
  /** The key that seals the secrets of endpoints: 32 bytes, or their base64. Without it a file `<path>.key` is made. */
  readonly secretsKey?: string | Uint8Array | undefined
  /** Stores secrets as they are. */
  readonly plaintextSecrets?: boolean | undefined
  /** `off` may lose acknowledged messages when the machine fails: for tests and simulations only. */
  readonly synchronous?: 'full' | 'off' | undefined
}

interface Opened {
  readonly database: SqliteDatabase
  readonly vault: Vault
  readonly notes: readonly string[]
}

const inMemory = ':memory:'

/** A store in one SQLite file, for one engine process at a time; `:memory:` lives as long as it is open. */
export function sqlite(path: string, options: SqliteOptions = {}): Store {
  checkPath(path)
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
    queue: sqliteQueue(database),
    directory: directory(database, vault),
    async open() {
      if (opened !== null) return []
      // Whoever asks while it is being opened waits, too; told is only the first.
      const isFirst = opening === null
      opening ??= openStore(path, options)
      try {
        opened = await opening
        return isFirst ? opened.notes : []
      } finally {
        opening = null
      }
    },
    async attach(worker) {
      const isFirst = workers.size === 0
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

async function openStore(path: string, options: SqliteOptions): Promise<Opened> {
  let database: SqliteDatabase | undefined
  try {
    database = sqliteDatabase(openConnection(path, { synchronous: options.synchronous }))
    await migrate(database)
    return { database, ...(await openVaultFor(path, database, options)) }
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
  const [row] = await database.query(sql`select id, pid, host, started_at from ${table('workers')} order by started_at desc limit 1`)
  const holder = row === undefined ? null : toWorker(row)
  const who = holder === null ? 'another process' : `process ${holder.pid} on ${holder.host}`
  throw new PosthornError(
    'store_in_use',
    `Expected ${path} to have no engine, got one in ${who}. Stop that one, or use PostgreSQL: only one process may deliver from a SQLite file.`,
  )
}
