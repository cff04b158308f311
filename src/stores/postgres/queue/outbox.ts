import { expected, PosthornError } from '../../../core/errors.ts'
import type { StoreTransaction } from '../../../core/ports/ports.ts'
import type { EnqueueRequest } from '../../../core/ports/queue.ts'
import { record } from '../../shared/audit.ts'
import { applicationCreated, applicationNamed } from '../../shared/directory/applications.ts'
import type { Executor, Row } from '../../shared/sql/database.ts'
import { fromApplication, toApplication, toEnqueued, toTime } from '../../shared/rows/rows.ts'
import { hasWritten, isExpired, toMatchedApplication } from '../../shared/rows/transaction-rows.ts'
import { insertInto, render, sql } from '../../shared/sql/sql.ts'
import type { Dialect } from '../../shared/sql/sql.ts'
import { storable } from '../connections.ts'
import type { Bound } from '../connections.ts'
import { enqueueText, valuesOf } from './enqueue.ts'
import { codeOf, isAnswer, storeError } from '../errors.ts'

/**
 * The application's transaction: a client of `pg`, or a one-line wrapper around another library's. Values are strings, numbers and null.
 */
export interface Transaction {
  query(text: string, values: (string | number | null)[]): Promise<unknown>
}

type Ask = (text: string, values: readonly Bound[]) => Promise<Row[]>

const mostCauses = 5

/** Sends within the application's own transaction: nothing here uses one of our connections. A send usually takes two statements. */
export async function transactionWithin(
  tx: unknown,
  dialect: Dialect,
  channel: string | null,
): Promise<StoreTransaction> {
  checkTransaction(tx)
  const ask: Ask = (text, values) => askWithin(tx, text, values)
  return {
    queue: { enqueue: enqueuerWithin(ask, dialect, channel) },
    look: lookerWithin(ask, dialect),
    createApplication: creatorWithin(ask, dialect),
  }
}

function lookerWithin(ask: Ask, dialect: Dialect): StoreTransaction['look'] {
  const statement = lookText(dialect)
  let isOpen = false
  return async (names) => {
    const rows = await ask(statement, [names])
    const [first] = rows
    if (first === undefined) return { time: null, applications: new Map() }
    if (!isOpen && !hasWritten(first)) await refuseUnlessOpen(ask)
    isOpen = true
    return { time: toTime(first), applications: new Map(rows.flatMap(toMatchedApplication)) }
  }
}

/** Lists are returned as text, because libraries parse JSON differently. No secret is read: matching needs none. */
function lookText({ table }: Dialect): string {
  return `select n.name, a.id as application_id, a.endpoints_version,
  floor(extract(epoch from clock_timestamp()) * 1000) as time,
  pg_current_xact_id_if_assigned() is not null as has_written,
  (
    select coalesce(json_agg(s), '[]')::text
    from (
      select id, url, status, types, channels, filter, policy
      from ${table('endpoints')}
      where application_id = a.id and status <> 'deleted'
      order by id
    ) s
  ) as endpoints
from unnest($1::text[]) as n (name)
left join lateral (
  select id, endpoints_version
  from ${table('applications')}
  where id = n.name or uid = n.name
  order by case when id = n.name then 0 else 1 end
  limit 1
) a on true`
}

function creatorWithin(ask: Ask, dialect: Dialect): StoreTransaction['createApplication'] {
  const query: Executor['query'] = (statement) => {
    const { text, values } = render(statement, dialect)
    return ask(text, values)
  }
  const executor: Executor = { query, run: async (statement) => (await query(statement)).length }
  return async (given, by) => {
    const insert = insertInto('applications', fromApplication(given))
    const made = await query(sql`${insert}\non conflict do nothing\nreturning id`)
    if (made.length > 0 && by !== undefined) await record(executor, applicationCreated(given, by))
    const [stored] = await query(applicationNamed(given.uid ?? given.id))
    if (stored !== undefined) return toApplication(stored)
    const name = given.uid ?? given.id
    throw new PosthornError('store_failed', `Application ${name} was deleted while it was being created. Send again.`)
  }
}

function checkTransaction(tx: unknown): asserts tx is Transaction {
  const wanted = 'a client of pg in a transaction, or an object with `query(text, values)` around one'
  const isExecutor =
    (typeof tx === 'object' || typeof tx === 'function') &&
    tx !== null &&
    'query' in tx &&
    typeof tx.query === 'function'
  if (!isExecutor) {
    throw expected(
      'invalid_argument',
      'tx',
      wanted,
      tx,
      'README, "The outbox", has the line for Drizzle, Kysely, Knex, postgres.js and TypeORM.',
    )
  }
  if (!('totalCount' in tx && 'idleCount' in tx)) return
  throw expected(
    'invalid_argument',
    'tx',
    wanted,
    'a pool',
    'A pool runs each statement on any connection: take one with `pool.connect()` and begin there.',
  )
}

/**
 * A savepoint is refused outside a transaction. Without one, each statement would be committed by itself, whatever happens to the business
 * write. A transaction that has already written something needs no such proof.
 */
async function refuseUnlessOpen(ask: Ask): Promise<void> {
  await ask('savepoint posthorn', [])
  await ask('release savepoint posthorn', [])
}

async function askWithin(tx: Transaction, text: string, values: readonly Bound[]): Promise<Row[]> {
  try {
    return rowsOf(await tx.query(text, values.map(plain))).map(withOurNames)
  } catch (thrown) {
    throw transactionError(thrown)
  }
}

/** Lists are passed as text, because libraries handle arrays differently. */
function plain(value: Bound): string | number | null {
  if (value instanceof Uint8Array) return hexOf(value)
  if (typeof value === 'object' && value !== null) return `{${value.map(element).join(',')}}`
  return storable(value) as string | number | null
}

function element(value: string | number | boolean | null | Uint8Array): string {
  if (value === null) return 'null'
  const text = value instanceof Uint8Array ? hexOf(value) : String(storable(value))
  return `"${text.replaceAll(/["\\]/g, (sign) => `\\${sign}`)}"`
}

function hexOf(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')}`
}

function rowsOf(answer: unknown): Row[] {
  const rows = typeof answer === 'object' && answer !== null && 'rows' in answer ? answer.rows : answer
  if (Array.isArray(rows)) return rows
  throw expected('invalid_argument', 'tx.query', 'a function that answers with rows, or with { rows }', answer)
}

/** Some libraries convert `message_id` to `messageId`. */
function withOurNames(row: Row): Row {
  return Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )
}

function transactionError(thrown: unknown): PosthornError {
  const answer = answerIn(thrown)
  const refused = refusals[codeOf(answer)]
  return refused === undefined
    ? storeError(answer)
    : new PosthornError('invalid_argument', `Expected \`tx\` to be ${refused}`, { cause: thrown })
}

const refusals: Readonly<Record<string, string>> = {
  '25P01': 'in a transaction, got a connection that is in none. Begin one first, and hand in the same connection.',
  '25P02':
    'a transaction that can still commit, got one that an earlier error has aborted. Roll it back and do all of it again.',
}

/** The server's error, which some libraries wrap in their own. */
function answerIn(thrown: unknown): unknown {
  let error = thrown
  for (let depth = 0; depth < mostCauses && error instanceof Error; depth += 1) {
    if (isAnswer(error)) return error
    error = error.cause
  }
  return thrown
}

function enqueuerWithin(ask: Ask, dialect: Dialect, channel: string | null): StoreTransaction['queue']['enqueue'] {
  const statement = enqueueText(dialect, 'left', channel)
  // A separate statement: one part of a statement does not see what another part deleted.
  const forgetExpired = `delete from ${dialect.table('idempotency_keys')} k
using unnest($1::text[], $2::text[]) as used (application_id, key)
where k.application_id = used.application_id and k.key = used.key and k.expires_at <= $3::bigint`

  async function store(request: EnqueueRequest): Promise<Row[]> {
    const rows = await ask(statement, valuesOf(request))
    const expired = request.envelopes.filter((_, index) => isExpired(rows[index]))
    if (expired.length === 0) return rows
    // None of these were stored: old messages still hold their expired keys.
    await ask(forgetExpired, [
      expired.map(({ message }) => message.applicationId),
      expired.map(({ idempotencyKey }) => idempotencyKey),
      request.now,
    ])
    const again = await ask(statement, valuesOf({ ...request, envelopes: expired }))
    return rows.map((row) => (isExpired(row) ? (again.shift() ?? row) : row))
  }

  return async (request) => {
    const { envelopes } = request
    if (request.begins?.() === false) return envelopes.map(() => ({ kind: 'withdrawn' }))
    if (envelopes.length === 0) return []
    return (await store(request)).map((row, index) => toEnqueued(row, envelopes[index]))
  }
}
