import type { Pool, PoolClient, QueryResult } from 'pg'
import { expected } from '../../core/errors.ts'
import type { Value } from '../shared/sql/sql.ts'
import { isAnswer, isTimeout } from './errors.ts'
import { loadPg } from './load-driver.ts'

/** The types of a parameter: a value, or a column of values. */
export type Bound = Value | readonly (Value | boolean)[]

/** A statement written by hand for PostgreSQL. The name lets a connection reuse its plan. */
export interface Statement {
  readonly name: string | undefined
  readonly text: string
}

/** One connection for the duration of a call. */
export interface Session {
  /** Every query has a timeout; a query that exceeds it closes the connection. */
  ask(statement: Statement, values: readonly Bound[], timeoutMs?: number): Promise<QueryResult<Record<string, unknown>>>
  /** True once the state of the connection is unknown: the server may or may not have run the last statement. */
  isLost(): boolean
}

/** Connections that never crash the process, and never wait forever. */
export interface Connections {
  use<Result>(work: (session: Session) => Promise<Result>): Promise<Result>
  close(): Promise<void>
}

export interface ConnectionOptions {
  readonly timeoutMs: number
  /** False behind pgbouncer, which may use a different connection for each transaction. */
  readonly prepare: boolean
}

/** On our own pool, or on one that the application shares with us. */
export function connections(urlOrPool: string | Pool, { timeoutMs, prepare }: ConnectionOptions): Connections {
  const ours = typeof urlOrPool === 'string' ? urlOrPool : null
  let pool = typeof urlOrPool === 'string' ? makePool(urlOrPool, timeoutMs, prepare) : watched(urlOrPool)
  const underWay = new Set<Promise<unknown>>()

  /** If one connection stops responding, its idle neighbours have probably died too, and each would cost a timeout to find out. */
  function replace(silent: Pool): void {
    if (ours === null || silent !== pool) return
    pool = makePool(ours, timeoutMs, prepare)
    silent.end().catch(ignore)
  }

  async function run<Result>(work: (session: Session) => Promise<Result>): Promise<Result> {
    const from = pool
    const client = await from.connect()
    // A pool does not listen for errors on clients in use: an error in between would crash the process.
    client.on('error', ignore)
    let lost = false
    try {
      return await work({ ask, isLost: () => lost })
    } finally {
      client.off('error', ignore)
      client.release(lost)
    }

    async function ask(statement: Statement, values: readonly Bound[], askTimeoutMs = timeoutMs) {
      try {
        return await query(client, { ...statement, values: values.map(storable), query_timeout: askTimeoutMs })
      } catch (thrown) {
        lost ||= !isAnswer(thrown)
        if (lost && isTimeout(thrown)) replace(from)
        throw thrown
      }
    }
  }

  return {
    use(work) {
      const running = run(work)
      underWay.add(running)
      const end = () => underWay.delete(running)
      running.then(end, end)
      return running
    },
    async close() {
      await Promise.allSettled(underWay)
      if (ours === null) pool.off('error', ignore)
      else await pool.end()
    },
  }
}

/** Refuses anything but a URL or a pool, and a pool without a timeout. The URL is not shown, because it may contain a password. */
export function checkTarget(target: unknown): void {
  if (typeof target === 'string') {
    if (/^postgres(ql)?:\/\//.test(target)) return
    throw expected('invalid_argument', 'url', 'postgres://user:password@host:port/database', 'another text')
  }
  if (!isPool(target)) throw expected('invalid_argument', 'url', 'a url, or a `Pool` of pg', target)
  const waitMs = target.options.connectionTimeoutMillis ?? 0
  if (waitMs > 0) return
  throw expected(
    'invalid_argument',
    'connectionTimeoutMillis',
    'set on the pool',
    waitMs,
    'A pool without it waits for ever when the database is away: new Pool({ …, connectionTimeoutMillis: 10_000 }).',
  )
}

function isPool(target: unknown): target is Pool {
  return typeof target === 'object' && target !== null && 'connect' in target && 'options' in target
}

function makePool(url: string, timeoutMs: number, prepare: boolean): Pool {
  // The server times out first, so that it is certain that nothing was stored. pgbouncer refuses such settings.
  const serverSide = prepare
    ? { statement_timeout: Math.ceil(timeoutMs * 0.9), idle_in_transaction_session_timeout: timeoutMs }
    : {}
  const { Pool } = loadPg()
  return watched(
    new Pool({
      connectionString: url,
      connectionTimeoutMillis: timeoutMs,
      keepAlive: true,
      fallback_application_name: 'posthorn',
      ...serverSide,
    }),
  )
}

/** Without a listener, a broken idle connection would crash the process. The pool replaces the connection by itself. */
function watched(pool: Pool): Pool {
  pool.on('error', ignore)
  return pool
}

function ignore(): void {}

/** The types of `pg` do not include the `query_timeout` of a single query. */
function query(
  client: PoolClient,
  config: Statement & { values: unknown[]; query_timeout: number },
): Promise<QueryResult<Record<string, unknown>>> {
  const { name, ...rest } = config
  return client.query<Record<string, unknown>>(name === undefined ? rest : { name, ...rest })
}

/** PostgreSQL cannot store NUL in text, so it is replaced by the replacement character. */
export function storable(value: Bound | boolean): unknown {
  if (typeof value === 'string') return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
  return Array.isArray(value) ? value.map(storable) : value
}
