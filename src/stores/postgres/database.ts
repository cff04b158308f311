import { createHash } from 'node:crypto'
import { expected } from '../../core/errors.ts'
import type { Database, Executor, Row } from '../shared/sql/database.ts'
import { render } from '../shared/sql/sql.ts'
import type { Dialect, Sql } from '../shared/sql/sql.ts'
import type { Bound, Connections, Session, Statement } from './connections.ts'
import { isRaceLost, storeError, unknownOutcome } from './errors.ts'

/** The interface for the adapter's own statements, in addition to the shared one. */
export interface PostgresDatabase extends Database {
  /** One statement that is its own transaction: one round trip. */
  ask(statement: Prepared, values: readonly Bound[]): Promise<Row[]>
  /** The same for a statement that adds rows: a lost answer becomes `outcome_unknown`, with this advice. */
  add(statement: Prepared, values: readonly Bound[], advice: string): Promise<Row[]>
  transaction<Result>(work: (tx: Executor) => Promise<Result>, timeoutMs?: number): Promise<Result>
  close(): Promise<void>
}

const mostTries = 10
const mostIdentifierBytes = 63
const begin: Statement = { name: undefined, text: 'begin isolation level read committed' }
const commit: Statement = { name: undefined, text: 'commit' }
const rollback: Statement = { name: undefined, text: 'rollback' }

export function postgresDialect(schema: string): Dialect {
  const quoted = quoteIdentifier(schema)
  return {
    placeholder: (position) => `$${position}`,
    table: (name) => `${quoted}.${name}`,
    // Ids are ASCII and sort by time, but only in a bytewise collation.
    keywords: { binary: 'bytea', id: 'text collate "C"', forUpdate: 'for update' },
  }
}

export function checkSchema(schema: unknown): void {
  const isName =
    typeof schema === 'string' &&
    schema !== '' &&
    !schema.includes('\0') &&
    Buffer.byteLength(schema) <= mostIdentifierBytes
  if (isName && !schema.startsWith('pg_')) return
  throw expected(
    'invalid_argument',
    'schema',
    `a name of up to ${mostIdentifierBytes} bytes that does not begin with "pg_"`,
    schema,
  )
}

export function quoteIdentifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`
}

// A statement is planned again after this many rows; plans made after the last threshold use the indexes.
const outgrownAt = [64, 256, 1_024, 4_096, 16_384]

/**
 * A prepared statement named after a hash of its text, because two stores may share a pool, and two releases a connection. PostgreSQL plans
 * it for the current table sizes, and keeps that plan until the tables are analysed, which takes a minute or more. A plan made for a few
 * pages reads the whole table, however much it has grown since. So the name changes as the number of returned rows grows.
 */
export class Prepared {
  readonly #name: string | undefined
  readonly #text: string
  #rows = 0

  constructor(text: string, prepare: boolean) {
    this.#name = prepare ? `posthorn_${createHash('sha256').update(text).digest('hex').slice(0, 16)}` : undefined
    this.#text = text
  }

  /** The statement under its current name. */
  statement(): Statement {
    const plan = outgrownAt.filter((rows) => rows <= this.#rows).length
    return { name: this.#name === undefined ? undefined : `${this.#name}_${plan}`, text: this.#text }
  }

  /** Counts the returned rows, and passes them on. */
  answered(rows: Row[]): Row[] {
    this.#rows += rows.length
    return rows
  }
}

export function postgresDatabase(from: Connections, dialect: Dialect): PostgresDatabase {
  return {
    dialect,
    query: async (statement) =>
      rowsOf(await withOwnErrors(() => from.use((session) => execute(session, statement, dialect)))),
    ask: async (prepared, values) =>
      prepared.answered(
        rowsOf(await withOwnErrors(() => from.use((session) => session.ask(prepared.statement(), values)))),
      ),
    add: async (prepared, values, advice) =>
      prepared.answered(
        rowsOf(
          await withOwnErrors(() =>
            from.use((session) => certain(session, advice, () => session.ask(prepared.statement(), values))),
          ),
        ),
      ),
    transaction: (work, timeoutMs) =>
      withOwnErrors(() => from.use((session) => inTransaction(session, dialect, work, timeoutMs))),
    close: () => from.close(),
  }
}

/** Retries work that lost a race against another transaction; turns any other failure into one of our errors. */
async function withOwnErrors<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (thrown) {
      if (!isRaceLost(thrown) || tries === mostTries) throw storeError(thrown)
    }
  }
}

async function inTransaction<Result>(
  session: Session,
  dialect: Dialect,
  work: (tx: Executor) => Promise<Result>,
  timeoutMs: number | undefined,
): Promise<Result> {
  try {
    await session.ask(begin, [])
    const result = await work({
      query: async (statement) => rowsOf(await execute(session, statement, dialect, timeoutMs)),
      run: async (statement) => (await execute(session, statement, dialect, timeoutMs)).rowCount ?? 0,
    })
    await certain(session, 'See whether it is there before you do it again.', () => session.ask(commit, []))
    return result
  } catch (thrown) {
    // If the connection was lost, it is closed, and the server rolls back by itself.
    if (!session.isLost()) await session.ask(rollback, []).catch(() => undefined)
    throw thrown
  }
}

/** Until a commit is confirmed, it is unknown whether it happened. */
async function certain<Result>(session: Session, advice: string, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    throw session.isLost() ? unknownOutcome(thrown, advice) : thrown
  }
}

function execute(session: Session, statement: Sql, dialect: Dialect, timeoutMs?: number): ReturnType<Session['ask']> {
  const { text, values } = render(statement, dialect)
  return session.ask({ name: undefined, text }, values, timeoutMs)
}

function rowsOf({ rows }: Awaited<ReturnType<Session['ask']>>): Row[] {
  return rows
}
