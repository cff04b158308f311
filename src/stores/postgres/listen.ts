import { createHash } from 'node:crypto'
import { Socket } from 'node:net'
import type { Client, ClientConfig, Pool } from 'pg'
import type { Store } from '../../core/ports/ports.ts'
import { storeError } from './errors.ts'
import { sql } from '../shared/sql/sql.ts'
import type { PostgresDatabase } from './database.ts'
import { loadPg } from './load-driver.ts'

// Nothing is ever asked on this connection: that it fell silent is for the system to find out.
const keepAliveAfterMs = 10_000

/** What the workers of a schema listen to: a name of any length becomes one that is short enough for a channel. */
export function channelOf(schema: string): string {
  return `posthorn_${createHash('sha256').update(schema).digest('hex').slice(0, 16)}`
}

/** One transaction of its own, which waits for no disk: there is nothing in it that could be lost. */
export function notifyOf(database: PostgresDatabase, channel: string): Promise<unknown> {
  return database.query(sql`select set_config('synchronous_commit', 'off', true), pg_notify(${channel}, '')`)
}

/** False for a pool that reaches its server in a way of its own, which another connection cannot repeat. */
export function canBeCopied(urlOrPool: string | Pool): boolean {
  return typeof urlOrPool === 'string' || urlOrPool.options.stream === undefined
}

/** Listens on a connection of its own: one that a pool lends would be missing there, and may be the only one. */
export function listener(urlOrPool: string | Pool, channel: string, timeoutMs: number): NonNullable<Store['listen']> {
  return async (onHint, signal) => {
    if (signal.aborted) return
    const socket = new Socket()
    const { Client: ListeningClient } = loadPg()
    const client = new ListeningClient({
      ...targetOf(urlOrPool),
      stream: () => socket,
      connectionTimeoutMillis: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
      keepAliveInitialDelayMillis: keepAliveAfterMs,
      application_name: 'posthorn listener',
    })
    client.on('notification', onHint)
    const ended = endOf(client, signal)
    try {
      const isPooled = await Promise.race([ended, begin(client, channel)])
      if (!signal.aborted && !isPooled) onHint()
      if (!isPooled) await ended
    } catch (thrown) {
      throw storeError(thrown)
    } finally {
      // Not by a word to the server, which may never answer.
      socket.destroy()
    }
  }
}

/** A pool hides its password from whoever copies its options. */
function targetOf(urlOrPool: string | Pool): ClientConfig {
  if (typeof urlOrPool === 'string') return { connectionString: urlOrPool }
  const { options } = urlOrPool
  return options.password === undefined ? options : { ...options, password: options.password }
}

/** True if a pooler is in between, which gives the connection to others after each transaction: a number of its own stands for the server's process. */
async function begin(client: Client & { readonly processID?: number | null }, channel: string): Promise<boolean> {
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  if (rows[0]?.pid !== client.processID) return true
  await client.query(`listen "${channel}"`)
  return false
}

/** Resolves when the signal says so, fails when the connection does. */
function endOf(client: Client, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve()
    signal.addEventListener('abort', stop, { once: true })
    // It stays there to the end: an error that nobody hears would end the process.
    client.on('error', reject)
    client.on('end', () => {
      signal.removeEventListener('abort', stop)
      reject(new Error('Connection terminated'))
    })
  })
}
