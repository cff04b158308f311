import { createHash } from 'node:crypto'
import { Socket } from 'node:net'
import type { Client, ClientConfig, Pool } from 'pg'
import { isId } from '../../core/ids.ts'
import type { Hint, Store } from '../../core/ports/ports.ts'
import { storeError } from './errors.ts'
import { sql } from '../shared/sql/sql.ts'
import type { PostgresDatabase } from './database.ts'
import { loadPg } from './load-driver.ts'

// No query ever runs on this connection, so only TCP keep-alive can detect that it is dead.
const keepAliveAfterMs = 10_000
// PostgreSQL refuses payloads of 8,000 bytes or more.
const mostNamed = 200

/** The channel for the workers of a schema: a hash, so that any schema name gives a short enough channel name. */
export function channelOf(schema: string): string {
  return `posthorn_${createHash('sha256').update(schema).digest('hex').slice(0, 16)}`
}

/** Runs in its own transaction, which does not wait for the disk: it contains nothing that could be lost. */
export function notifyOf(database: PostgresDatabase, channel: string, payload: string): Promise<unknown> {
  return database.query(sql`select set_config('synchronous_commit', 'off', true), pg_notify(${channel}, ${payload})`)
}

/** The endpoints in a notification, so that workers need not search for them; empty if there are too many to name. */
export function payloadOf(endpointIds: ReadonlySet<string>): string {
  return endpointIds.size > mostNamed ? '' : [...endpointIds].join(' ')
}

/** Whatever is not a list of endpoints, perhaps from another release, only says that there is something. */
export function hintIn(payload: string | undefined): Hint {
  const names = (payload ?? '').split(' ')
  return names.every((name) => isId('ep', name)) ? names : null
}

/** False for a pool with a custom way to reach its server, which a separate connection cannot reproduce. */
export function canBeCopied(urlOrPool: string | Pool): boolean {
  return typeof urlOrPool === 'string' || urlOrPool.options.stream === undefined
}

/** Listens on a separate connection: one from the pool would be missing there, and may be the only one. */
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
    client.on('notification', ({ payload }) => onHint(hintIn(payload)))
    const ended = endOf(client, signal)
    try {
      const isPooled = await Promise.race([ended, begin(client, channel)])
      if (!signal.aborted && !isPooled) onHint(null)
      if (!isPooled) await ended
    } catch (thrown) {
      throw storeError(thrown)
    } finally {
      // Not with a message to the server, which may never answer.
      socket.destroy()
    }
  }
}

/** A pool's password is not enumerable, so copying its options would lose it. */
function targetOf(urlOrPool: string | Pool): ClientConfig {
  if (typeof urlOrPool === 'string') return { connectionString: urlOrPool }
  const { options } = urlOrPool
  return options.password === undefined ? options : { ...options, password: options.password }
}

/**
 * True behind a pooler, which gives the connection to others after each transaction. It reports its own number instead of the server's
 * process id.
 */
async function begin(client: Client & { readonly processID?: number | null }, channel: string): Promise<boolean> {
  await client.connect()
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  if (rows[0]?.pid !== client.processID) return true
  await client.query(`listen "${channel}"`)
  return false
}

/** Resolves when the signal aborts, rejects when the connection fails. */
function endOf(client: Client, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => resolve()
    signal.addEventListener('abort', stop, { once: true })
    // Never removed: an error without a listener would crash the process.
    client.on('error', reject)
    client.on('end', () => {
      signal.removeEventListener('abort', stop)
      reject(new Error('Connection terminated'))
    })
  })
}
