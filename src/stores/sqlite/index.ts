import { expected, PosthornError } from '../../core/errors.ts'
import type { Resealed, Store, SyncStoreTransaction } from '../../core/ports/ports.ts'
import { batched } from '../shared/batching/batcher.ts'
import { directory } from '../shared/directory/directory.ts'
import { beat } from '../shared/directory/workers.ts'
import { Lifetime, vaultOf } from '../shared/lifetime.ts'
import type { GivenKeys, Vault } from '../shared/secrets.ts'
import { sql } from '../shared/sql/sql.ts'
import { countStale, reseal } from '../shared/upkeep/reseal.ts'
import type { ResealOptions } from '../shared/upkeep/reseal.ts'
import { meteredDirectory, meteredQueue } from '../shared/metered.ts'
import type { Opened } from '../shared/lifetime.ts'
import { migrate } from '../shared/schema/migrate.ts'
import { refuseMoved } from '../move/marks.ts'
import { AttachedWorkers } from './attached-workers.ts'
import { openConnection, openWith, sqliteDialect } from './connection.ts'
import { sqliteDatabase } from './database.ts'
import type { SqliteDatabase } from './database.ts'
import { diskOf } from './disk.ts'
import type { SqliteDriver } from './driver.ts'
import { storeError } from './errors.ts'
import { makePrivate } from './private-files.ts'
import { syncTransactionOn } from './queue/outbox.ts'
import { sqliteQueue } from './queue/queue.ts'
import { openVaultFor } from './vault.ts'

export interface SqliteOptions {
  /**
   * The key that seals the secrets of endpoints: 32 bytes, or their base64; or several, newest first. By default a file `<path>.key` is
   * created.
   */
  readonly secretsKey?: GivenKeys | undefined
  /** Stores secrets in plaintext. */
  readonly plaintextSecrets?: boolean | undefined
  /** `off` may lose acknowledged messages when the machine fails: for tests and simulations only. */
  readonly synchronous?: 'full' | 'off' | undefined
}

export type { SqliteDriver } from './driver.ts'

/** A file that the application writes to as well, with its own driver. */
export interface SharedSqliteOptions extends SqliteOptions {
  /**
   * Opens a new connection to the file, with the driver that the application uses for it: two copies of SQLite would lose each other's
   * commits.
   */
  readonly open: () => SqliteDriver
}

interface OpenedFile extends Opened {
  readonly path: string
  /** The connection that `open` returned; null without `open`. */
  readonly driver: SqliteDriver | null
  readonly database: SqliteDatabase
}

// The application runs in this thread: while we wait for it to finish writing, it cannot.
const sharedTimeoutMs = 250

/**
 * A store in one SQLite file, for one engine process at a time; `:memory:` lasts as long as it is open. With `open` instead of a path,
 * `send(message, { tx })` joins a transaction on the application's own connection.
 */
export function sqlite(path: string, options?: SqliteOptions): Store
export function sqlite(options: SharedSqliteOptions): Store
export function sqlite(target: string | SharedSqliteOptions, more: SqliteOptions = {}): Store {
  const isShared = typeof target === 'object' && target !== null
  if (!isShared) checkPath(target)
  const options = isShared ? target : more
  const lifetime = new Lifetime(() => openStore(target, options))
  const database = databaseOf(lifetime)
  const workers = new AttachedWorkers(database)

  const queue = sqliteQueue(database, () => workers.ids())
  const vault = vaultOf(lifetime)
  const people = directory(database, vault)

  const store: Store = {
    kind: 'sqlite',
    queue: batched(queue),
    directory: people,
    open: () => lifetime.open(),
    attach: async (worker) => workers.attach(worker, lifetime.current().path),
    detach: (workerId) => workers.detach(workerId),
    beat: (worker, sighting) => database.transaction((tx) => beat(tx, worker, sighting)),
    async close() {
      await lifetime.close()
      workers.leaveAll()
    },
    reseal: (given) => resealFile(database, vault, given),
    countStaleSecrets: () => countStale(database, vault),
    disk: () => diskOf(lifetime.current().path),
    metered: (meter) => ({
      ...store,
      queue: batched(meteredQueue(queue, meter)),
      directory: meteredDirectory(people, meter),
    }),
    // Another thread cannot open the application's connection, or a database in memory.
    ...(isShared || target === ':memory:'
      ? {}
      : { recipe: { module: import.meta.url, name: 'sqlite', given: [target, more] } }),
    ...(isShared ? { withinSync: (tx: unknown) => withinSync(tx, lifetime) } : {}),
  }
  return store
}

/** Overwrites replaced values, so that no plaintext stays behind on a free page or in the log. */
async function resealFile(database: SqliteDatabase, vault: Vault, options?: ResealOptions): Promise<Resealed> {
  await database.query(sql`pragma secure_delete = on`)
  const resealed = await reseal(database, vault, options)
  await database.query(sql`pragma wal_checkpoint(truncate)`)
  return resealed
}

function checkPath(path: unknown): void {
  if (typeof path === 'string' && path !== '' && !path.startsWith('file:')) return
  throw expected('invalid_argument', 'path', 'the path of a file, or ":memory:"', path)
}

async function openStore(target: string | SharedSqliteOptions, options: SqliteOptions): Promise<OpenedFile> {
  const { synchronous } = options
  let database: SqliteDatabase | undefined
  try {
    const { connection, driver, path } =
      typeof target === 'string'
        ? { connection: openConnection(target, { synchronous }), driver: null, path: target }
        : openWith(target.open, { synchronous, busyTimeoutMs: sharedTimeoutMs })
    database = sqliteDatabase(connection, { ownTurns: driver !== null })
    await migrate(database)
    await refuseMoved(database, path)
    const { vault, notes } = await openVaultFor(path, database, options)
    // A file that the application opens belongs to the application: leave its mode alone.
    const isOwn = driver === null && path !== ':memory:'
    return { path, driver, database, vault, notes: [...notes, ...(isOwn ? await makePrivate(path) : [])] }
  } catch (thrown) {
    await database?.close()
    throw storeError(thrown)
  }
}

function databaseOf(lifetime: Lifetime<OpenedFile>): SqliteDatabase {
  return {
    dialect: sqliteDialect,
    query: async (statement) => lifetime.current().database.query(statement),
    write: async (work) => lifetime.current().database.write(work),
    transaction: async (work) => lifetime.current().database.transaction(work),
    close: async () => lifetime.current().database.close(),
  }
}

function withinSync(tx: unknown, { opened }: Lifetime<OpenedFile>): SyncStoreTransaction {
  if (opened !== null && opened.driver !== null) return syncTransactionOn(tx, opened.driver)
  throw new PosthornError(
    'stopped',
    'Expected an open store, got one that is closed. A send within your transaction cannot wait for it: await `start()` first.',
  )
}
