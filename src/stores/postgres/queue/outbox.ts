import { expected, PosthornError } from '../../../core/errors.ts'
import type { StoreTransaction } from '../../../core/ports/ports.ts'
import { record } from '../../shared/audit.ts'
import { applicationCreated, applicationDirectory } from '../../shared/directory/applications.ts'
import type { Executor, Row } from '../../shared/sql/database.ts'
import { endpointDirectory } from '../../shared/directory/endpoints.ts'
import { fromApplication, toEnqueued } from '../../shared/rows/rows.ts'
import type { Vault } from '../../shared/secrets.ts'
import { insertInto, render, sql } from '../../shared/sql/sql.ts'
import type { Dialect } from '../../shared/sql/sql.ts'
import { storable } from '../connections.ts'
import type { Bound } from '../connections.ts'
import { enqueueText, valuesOf } from './enqueue.ts'
import { codeOf, isAnswer, storeError } from '../errors.ts'
import { timeOf } from '../time.ts'

/** A transaction of the application's: a client of `pg`, or one line around that of another library. Values are texts, numbers and null. */
export interface Transaction {
  query(text: string, values: (string | number | null)[]): Promise<unknown>
}

type Ask = (text: string, values: readonly Bound[]) => Promise<Row[]>

const mostCauses = 5

/** The way in through a transaction of the application's own: nothing here uses a connection of ours. */
export async function transactionWithin(
  tx: unknown,
  dialect: Dialect,
  channel: string | null,
): Promise<StoreTransaction> {
  checkTransaction(tx)
  const ask: Ask = (text, values) => askWithin(tx, text, values)
  await refuseUnlessOpen(ask)

  const query: Executor['query'] = (statement) => {
    const { text, values } = render(statement, dialect)
    return ask(text, values)
  }
  const executor: Executor = { query, run: async (statement) => (await query(statement)).length }
  const database = {
    dialect,
    query,
    transaction: <Result>(work: (within: Executor) => Promise<Result>) => work(executor),
  }
  const { application } = applicationDirectory(database)
  const { matching } = endpointDirectory(database, sealed)
  return {
    queue: { enqueue: enqueuerWithin(ask, dialect, channel) },
    time: () => timeOf({ query }),
    directory: {
      application,
      matching,
      async createApplication(given, by) {
        const insert = insertInto('applications', fromApplication(given))
        const made = await query(sql`${insert}\non conflict do nothing\nreturning id`)
        if (made.length > 0 && by !== undefined) await record(executor, applicationCreated(given, by))
        const stored = await application(given.uid ?? given.id)
        if (stored === null)
          throw new PosthornError(
            'store_failed',
            `Application ${given.uid ?? given.id} was deleted while it was being created. Send again.`,
          )
        return stored
      },
    },
  }
}

/** Matching needs no secret: they stay as they are stored. */
const sealed: Vault = {
  keyId: null,
  seal: (_endpointId, _secretId, value) => value,
  open: (_endpointId, _secretId, value) => value,
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

/** A savepoint is refused outside a transaction: else each statement would be committed by itself, whatever comes of the business write. */
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

/** Lists go as text, because libraries differ in what they make of an array. */
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

/** Some libraries turn `message_id` into `messageId` on the way. */
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

/** The error of the server, which some libraries wrap in one of their own. */
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
  // Before the statement that may use them again: a statement does not see what another part of itself has deleted.
  const forgetExpired = `delete from ${dialect.table('idempotency_keys')} k
using unnest($1::text[], $2::text[]) as used (application_id, key)
where k.application_id = used.application_id and k.key = used.key and k.expires_at <= $3::bigint`
  return async (request) => {
    const { envelopes, now } = request
    if (request.begins?.() === false) return envelopes.map(() => ({ kind: 'withdrawn' }))
    const keyed = envelopes.filter(({ idempotencyKey }) => idempotencyKey !== null)
    if (keyed.length > 0) {
      await ask(forgetExpired, [
        keyed.map(({ message }) => message.applicationId),
        keyed.map(({ idempotencyKey }) => idempotencyKey),
        now,
      ])
    }
    if (envelopes.length === 0) return []
    const rows = await ask(statement, valuesOf(request))
    return rows.map((row, index) => toEnqueued(row, envelopes[index]))
  }
}
