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
import { outletOn } from './queue/outbox.ts'
import { sqliteQueue } from './queue/queue.ts'
import { openVaultFor } from './vault.ts'

export interface SqliteOptions {
  /** The key that seals the secrets of endpoints: 32 bytes, or their base64; or several, newest first. Without it a file `<path>.key` is made. */
  readonly secretsKey?: GivenKeys | undefined
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

interface OpenedFile extends Opened {
  readonly path: string
  /** The connection that `open` made, where it was given. */
  readonly driver: SqliteDriver | null
  readonly database: SqliteDatabase
}

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
    // What the application opens, and what is in memory, no other thread can open.
    ...(isShared || target === ':memory:'
      ? {}
      : { recipe: { module: import.meta.url, name: 'sqlite', given: [target, more] } }),
    ...(isShared ? { withinSync: (tx: unknown) => withinSync(tx, lifetime) } : {}),
  }
  return store
}

/** Overwrites what it replaces, so that nothing in clear stays behind on a page that is free now, or in the log. */
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
    // A file that the application opens is the application's own.
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
  if (opened !== null && opened.driver !== null) return outletOn(tx, opened.driver)
  throw new PosthornError(
    'stopped',
    'Expected an open store, got one that is closed. A send within your transaction cannot wait for it: await `start()` first.',
  )
}
