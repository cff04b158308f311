import type { Pool } from 'pg'
import { expected } from '../../core/errors.ts'
import type { PosthornError } from '../../core/errors.ts'
import type { Store } from '../../core/ports/ports.ts'
import type { Worker } from '../../core/ports/worker.ts'
import { batched } from '../shared/batching/batcher.ts'
import { directory } from '../shared/directory/directory.ts'
import { fromWorker } from '../shared/rows/rows.ts'
import { Lifetime, vaultOf } from '../shared/lifetime.ts'
import type { GivenKeys } from '../shared/secrets.ts'
import { countStale, reseal } from '../shared/upkeep/reseal.ts'
import { meteredDirectory, meteredQueue } from '../shared/metered.ts'
import type { Opened } from '../shared/lifetime.ts'
import { refuseHalfCopied } from '../move/marks.ts'
import type { Executor } from '../shared/sql/database.ts'
import { insertInto, sql, table } from '../shared/sql/sql.ts'
import type { Dialect } from '../shared/sql/sql.ts'
import { beat } from '../shared/directory/workers.ts'
import { checkTarget, connections } from './connections.ts'
import { checkSchema, postgresDatabase, postgresDialect } from './database.ts'
import type { PostgresDatabase } from './database.ts'
import { canBeCopied, channelOf, listener, notifyOf } from './listen.ts'
import { Notifier } from './notifier.ts'
import { openSchema } from './migrate.ts'
import { transactionWithin } from './queue/outbox.ts'
import { postgresQueue } from './queue/queue.ts'
import { timeOf } from './time.ts'
import { openVaultWith, ringOf } from './vault.ts'

export type { Transaction } from './queue/outbox.ts'

export interface PostgresOptions {
  /** The schema for Posthorn's tables, used by nothing else. Default `posthorn`. */
  readonly schema?: string | undefined
  /**
   * The key that seals the secrets of endpoints: 32 bytes, or their base64; or several, newest first. It must be the same for all workers.
   */
  readonly secretsKey?: GivenKeys | undefined
  /** Stores secrets in plaintext. */
  readonly plaintextSecrets?: boolean | undefined
  /** False behind a pooler that switches connections between transactions: no prepared statements are kept. */
  readonly prepare?: boolean | undefined
  /**
   * By default, processes notify listening workers after each commit that stores deliveries (LISTEN and NOTIFY, one more connection per
   * worker). True also notifies within `send({ tx })`; false turns both off, and workers find new deliveries within 250 ms. Workers behind
   * a pooler never listen.
   */
  readonly notify?: boolean | undefined
  /** How long one query may take before its connection is closed. Default 10 s. */
  readonly timeoutMs?: number | undefined
}

/** The part of a `pg` `Pool` that is used, so that a caller with a URL does not need the types of `pg`. */
export interface PostgresPool {
  connect(): Promise<unknown>
  on(event: 'error', listener: (error: Error) => void): unknown
  readonly options: object
}

interface OpenedSchema extends Opened {
  readonly database: PostgresDatabase
}

/** Where the tables are, and how to reach them. */
interface Place {
  readonly urlOrPool: string | Pool
  readonly schema: string
  readonly dialect: Dialect
  readonly prepare: boolean
  readonly timeoutMs: number
}

const longestTimeoutMs = 600_000
// Deliveries that another process commits are picked up within this time.
const lookMs = 250

/** A store in PostgreSQL, for any number of workers; takes a URL, or a pool that the application already has. */
export function postgres(given: string | PostgresPool, options: PostgresOptions = {}): Store {
  const { schema = 'posthorn', prepare = true, notify, timeoutMs = 10_000 } = options
  checkTarget(given)
  const urlOrPool = given as string | Pool
  checkSchema(schema)
  checkTimeout(timeoutMs)
  const dialect = postgresDialect(schema)
  const place = { urlOrPool, schema, dialect, prepare, timeoutMs }
  const channel = channelFor(place, notify)
  const lifetime = new Lifetime(() => openStore(place, options))
  const database = databaseOf(lifetime, dialect)

  const notifier = new Notifier(channel === null ? null : (payload) => notifyOf(database, channel, payload))
  const queue = postgresQueue(database, prepare, (endpointIds) => notifier.notify(endpointIds))
  const vault = vaultOf(lifetime)
  const people = directory(database, vault)

  const store: Store = {
    kind: 'postgres',
    queue: batched(queue),
    directory: people,
    open: () => lifetime.open(),
    async attach(worker) {
      await database.transaction((tx) => attach(tx, worker, schema))
      notifier.delivers = true
    },
    async detach(workerId) {
      notifier.delivers = false
      await database.transaction((tx) => tx.run(sql`delete from ${table('workers')} where id = ${workerId}`))
    },
    beat: (worker, sighting) => database.transaction((tx) => beat(tx, worker, sighting)),
    time: () => timeOf(database),
    reseal: (batch) => reseal(database, vault, batch),
    countStaleSecrets: () => countStale(database, vault),
    close: () => lifetime.close(),
    within: (tx) => transactionWithin(tx, dialect, notify === true ? channel : null),
    lookMs,
    metered: (meter) => ({
      ...store,
      queue: batched(meteredQueue(queue, meter)),
      directory: meteredDirectory(people, meter),
    }),
    ...recipeOf(given, options),
    ...(channel === null ? {} : { listen: listener(urlOrPool, channel, timeoutMs) }),
  }
  return store
}

/** Not for an application's pool, which cannot leave its thread. */
function recipeOf(given: string | PostgresPool, options: PostgresOptions): Pick<Store, 'recipe'> {
  if (typeof given !== 'string') return {}
  return { recipe: { module: import.meta.url, name: 'postgres', given: [given, options] } }
}

async function attach(tx: Executor, worker: Worker, schema: string): Promise<void> {
  await tx.run(sql`delete from ${table('workers')} where id = ${worker.id}`)
  await tx.run(insertInto('workers', fromWorker(worker)))
  // Checked after the insert, which waits while a copy begins: so either the worker sees the copy, or the copy sees the worker.
  await refuseHalfCopied(tx, schema)
}

/** The channel workers listen on; null if they do not listen. */
function channelFor({ urlOrPool, schema, prepare }: Place, notify: boolean | undefined): string | null {
  if (notify === true && !prepare) throw deafPooler()
  return (notify ?? (prepare && canBeCopied(urlOrPool))) ? channelOf(schema) : null
}

function checkTimeout(timeoutMs: unknown): void {
  if (typeof timeoutMs === 'number' && Number.isInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= longestTimeoutMs)
    return
  throw expected('invalid_argument', 'timeoutMs', `whole milliseconds up to ${longestTimeoutMs}`, timeoutMs)
}

function deafPooler(): PosthornError {
  const advice =
    'A pooler that changes connections between transactions lets nobody listen. Leave `notify` out, or give a url that leads past the pooler.'
  return expected('invalid_argument', 'notify', 'left out together with `prepare: false`', true, advice)
}

async function openStore(place: Place, options: PostgresOptions): Promise<OpenedSchema> {
  const { urlOrPool, schema, dialect, prepare, timeoutMs } = place
  const ring = ringOf(options)
  const database = postgresDatabase(connections(urlOrPool, { timeoutMs, prepare }), dialect)
  try {
    await openSchema(database, schema)
    await refuseHalfCopied(database, schema)
    return { database, ...(await openVaultWith(ring, database, options)) }
  } catch (thrown) {
    await database.close()
    throw thrown
  }
}

function databaseOf(lifetime: Lifetime<OpenedSchema>, dialect: Dialect): PostgresDatabase {
  return {
    dialect,
    query: async (statement) => lifetime.current().database.query(statement),
    ask: async (...call) => lifetime.current().database.ask(...call),
    add: async (...call) => lifetime.current().database.add(...call),
    transaction: async (...call) => lifetime.current().database.transaction(...call),
    close: async () => lifetime.current().database.close(),
  }
}
