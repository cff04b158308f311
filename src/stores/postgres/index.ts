import type { Pool } from 'pg'
import { expected } from '../../core/errors.ts'
import type { PosthornError } from '../../core/errors.ts'
import type { Store } from '../../core/ports/ports.ts'
import { batched } from '../shared/batching/batcher.ts'
import { directory } from '../shared/directory/directory.ts'
import { fromWorker } from '../shared/rows/rows.ts'
import type { Vault } from '../shared/secrets.ts'
import { insertInto, sql, table } from '../shared/sql/sql.ts'
import { beat } from '../shared/directory/workers.ts'
import { checkTarget, connections } from './connections.ts'
import { checkSchema, closedError, postgresDatabase, postgresDialect } from './database.ts'
import type { PostgresDatabase } from './database.ts'
import { channelOf, listener } from './listen.ts'
import { openSchema } from './migrate.ts'
import { transactionWithin } from './queue/outbox.ts'
import { postgresQueue } from './queue/queue.ts'
import { timeOf } from './time.ts'
import { keyOf, openVaultWith } from './vault.ts'

export type { Transaction } from './queue/outbox.ts'

export interface PostgresOptions {
  /** Where Posthorn's tables live: a schema of its own. Default `posthorn`. */
  readonly schema?: string | undefined
  /** The key that seals the secrets of endpoints: 32 bytes, or their base64; the same for all workers. */
  readonly secretsKey?: string | Uint8Array | undefined
  /** Stores secrets as they are. */
  readonly plaintextSecrets?: boolean | undefined
  /** False for a pooler that changes connections between transactions: no statement is kept on a connection. */
  readonly prepare?: boolean | undefined
  /** Tells workers at each commit that there is something to send (LISTEN and NOTIFY, one more connection each); else they find it within 250 ms. */
  readonly notify?: boolean | undefined
  /** How long one question to the database may take before its connection is given up. Default 10 s. */
  readonly timeoutMs?: number | undefined
}

interface Opened {
  readonly database: PostgresDatabase
  readonly vault: Vault
  readonly notes: readonly string[]
}

const longestTimeoutMs = 600_000
// What another process commits is on its way within this time.
const lookMs = 250

/** A store in PostgreSQL, for any number of workers; over a url, or a pool that the application already has. */
export function postgres(urlOrPool: string | Pool, options: PostgresOptions = {}): Store {
  const { schema = 'posthorn', prepare = true, notify = false, timeoutMs = 10_000 } = options
  checkTarget(urlOrPool)
  checkSchema(schema)
  checkTimeout(timeoutMs)
  if (notify && !prepare) throw deafPooler()
  const dialect = postgresDialect(schema)
  const channel = notify ? channelOf(schema) : null
  let opening: Promise<Opened> | null = null
  let opened: Opened | null = null

  function current(): Opened {
    if (opened === null) throw closedError()
    return opened
  }

  // Queue and directory outlive a close: they ask anew for what is open.
  const database: PostgresDatabase = {
    dialect,
    query: async (statement) => current().database.query(statement),
    ask: async (...call) => current().database.ask(...call),
    add: async (...call) => current().database.add(...call),
    transaction: async (...call) => current().database.transaction(...call),
    close: async () => current().database.close(),
  }
  const vault: Vault = {
    seal: (...secret) => current().vault.seal(...secret),
    open: (...secret) => current().vault.open(...secret),
  }

  async function openStore(): Promise<Opened> {
    const key = keyOf(options)
    const made = postgresDatabase(connections(urlOrPool, { timeoutMs, prepare }), dialect)
    try {
      await openSchema(made, schema)
      return { database: made, ...(await openVaultWith(key, made, options)) }
    } catch (thrown) {
      await made.close()
      throw thrown
    }
  }

  return {
    kind: 'postgres',
    queue: batched(postgresQueue(database, prepare, channel)),
    directory: directory(database, vault),
    async open() {
      if (opened !== null) return []
      // Whoever asks while it is being opened waits, too; told is only the first.
      const isFirst = opening === null
      opening ??= openStore()
      try {
        opened = await opening
        return isFirst ? opened.notes : []
      } finally {
        opening = null
      }
    },
    async attach(worker) {
      await database.transaction(async (tx) => {
        await tx.run(sql`delete from ${table('workers')} where id = ${worker.id}`)
        await tx.run(insertInto('workers', fromWorker(worker)))
      })
    },
    async detach(workerId) {
      await database.transaction((tx) => tx.run(sql`delete from ${table('workers')} where id = ${workerId}`))
    },
    beat: (worker, sighting) => database.transaction((tx) => beat(tx, worker, sighting)),
    time: () => timeOf(database),
    async close() {
      await opening?.catch(() => undefined)
      const closing = opened
      opened = null
      await closing?.database.close()
    },
    within: (tx) => transactionWithin(tx, dialect, channel),
    lookMs,
    ...(channel === null ? {} : { listen: listener(urlOrPool, channel, timeoutMs) }),
  }
}

function deafPooler(): PosthornError {
  const advice =
    'A pooler that changes connections between transactions lets nobody listen. Leave `notify` out, or give a url that leads past the pooler.'
  return expected('invalid_argument', 'notify', 'left out together with `prepare: false`', true, advice)
}

function checkTimeout(timeoutMs: unknown): void {
  if (typeof timeoutMs === 'number' && Number.isInteger(timeoutMs) && timeoutMs > 0 && timeoutMs <= longestTimeoutMs)
    return
  throw expected('invalid_argument', 'timeoutMs', `whole milliseconds up to ${longestTimeoutMs}`, timeoutMs)
}
