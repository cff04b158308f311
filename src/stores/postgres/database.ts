import { createHash } from 'node:crypto'
import { expected } from '../../core/errors.ts'
import type { Database, Executor, Row } from '../shared/sql/database.ts'
import { render } from '../shared/sql/sql.ts'
import type { Dialect, Sql } from '../shared/sql/sql.ts'
import type { Bound, Connections, Session, Statement } from './connections.ts'
import { isRaceLost, storeError, unknownOutcome } from './errors.ts'

/** What the adapter's own statements ask of the database, beside what all of them ask. */
export interface PostgresDatabase extends Database {
  /** One statement that is a transaction by itself: one round trip. */
  ask(statement: Prepared, values: readonly Bound[]): Promise<Row[]>
  /** The same, for one that adds something: a lost answer is `outcome_unknown`, with this advice. */
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
    // Ids are ASCII and sort by time: only in the collation of their bytes.
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

// After so many rows a statement is planned anew; what was planned for more than the last of them goes by the indexes.
const outgrownAt = [64, 256, 1_024, 4_096, 16_384]

/**
 * A statement under a name made of its text: two stores may share a pool, and two releases a connection.
 * PostgreSQL plans it for the tables as they are, and keeps that plan until somebody has analysed them, which takes a minute or more.
 * One that was made for a few pages reads the whole table, however much it has grown since. So the name changes as rows go through it.
 */
export class Prepared {
  readonly #name: string | undefined
  readonly #text: string
  #rows = 0

  constructor(text: string, prepare: boolean) {
    this.#name = prepare ? `posthorn_${createHash('sha256').update(text).digest('hex').slice(0, 16)}` : undefined
    this.#text = text
  }

  /** As it is to be asked now. */
  statement(): Statement {
    const plan = outgrownAt.filter((rows) => rows <= this.#rows).length
    return { name: this.#name === undefined ? undefined : `${this.#name}_${plan}`, text: this.#text }
  }

  /** Notes how many rows it has answered with, and passes them on. */
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

/** Repeats what lost a race against another transaction; whatever else goes wrong becomes an error of ours. */
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
    // A connection that is lost is closed, and the server rolls back by itself.
    if (!session.isLost()) await session.ask(rollback, []).catch(() => undefined)
    throw thrown
  }
}

/** Until the answer of a commit is there, it may or may not have happened. */
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
