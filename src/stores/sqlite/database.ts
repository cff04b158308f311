import { closedError } from '../shared/lifetime.ts'
import type { Database, Executor, Row } from '../shared/sql/database.ts'
import type { Sql } from '../shared/sql/sql.ts'
import { sqliteDialect } from './connection.ts'
import type { Connection } from './connection.ts'
import { storeError } from './errors.ts'

/** One connection, shared without interleaving: the calls of a turn share one commit, transactions run one at a time. */
export interface SqliteDatabase extends Database {
  /**
   * Runs synchronous work together with all other calls of this turn of the event loop, under one commit and one fsync. It runs a second
   * time if another call of the turn fails: only the connection may remember the first.
   */
  write<Result>(work: (connection: Connection) => Result): Promise<Result>
  /** Finishes pending work, then closes the connection; later calls are refused. */
  close(): Promise<void>
}

/** A call waiting for its turn. */
interface Member {
  readonly writes: boolean
  /** Does the work and stores its result or error. */
  run(connection: Connection): void
  /** The error of the call's own work. */
  error(): unknown
  /** Settles the caller's promise: with its own result, or with the error that ended the whole turn. */
  settle(turnError: unknown): void
}

interface Options {
  /**
   * Begins each transaction in its own turn of the event loop. Its statements wait for nothing but each other, so it ends before any other
   * code of this thread continues. It never holds the lock while the application wants it on another connection: one of the two would block
   * the whole event loop waiting for the other.
   */
  readonly ownTurns?: boolean
}

export function sqliteDatabase(connection: Connection, { ownTurns = false }: Options = {}): SqliteDatabase {
  return new TurnDatabase(connection, ownTurns)
}

class TurnDatabase implements SqliteDatabase {
  readonly dialect = sqliteDialect
  readonly #connection: Connection
  readonly #ownTurns: boolean
  #waiting: Member[] = []
  #isScheduled = false
  #isLocked = false
  #isClosed = false
  readonly #lockQueue: (() => void)[] = []

  constructor(connection: Connection, ownTurns: boolean) {
    this.#connection = connection
    this.#ownTurns = ownTurns
  }

  query(statement: Sql): Promise<Row[]> {
    return this.#join(false, (connection) => connection.query(statement))
  }

  write<Result>(work: (connection: Connection) => Result): Promise<Result> {
    return this.#join(true, work)
  }

  async transaction<Result>(work: (tx: Executor) => Promise<Result>): Promise<Result> {
    await this.#acquire()
    try {
      if (this.#isClosed) throw closedError()
      return await runAlone(this.#connection, work)
    } finally {
      this.#release()
    }
  }

  async close(): Promise<void> {
    await this.#acquire()
    if (!this.#isClosed) this.#connection.close()
    this.#isClosed = true
    this.#release()
  }

  #join<Result>(writes: boolean, work: (connection: Connection) => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push(memberOf(writes, work, resolve, reject))
      if (this.#isScheduled) return
      this.#isScheduled = true
      setImmediate(() => {
        this.#isScheduled = false
        // During a transaction they keep waiting; they run when it ends.
        if (!this.#isLocked) this.#flush()
      })
    })
  }

  #flush(): void {
    const members = this.#waiting
    this.#waiting = []
    if (members.length === 0) return
    const turnError = this.#isClosed ? closedError() : runTogether(this.#connection, members)
    for (const member of members) member.settle(turnError)
  }

  async #acquire(): Promise<void> {
    if (this.#isLocked) await new Promise<void>((resolve) => this.#lockQueue.push(resolve))
    this.#isLocked = true
    if (this.#ownTurns) await nextTurn()
    // Calls made before the transaction also run before it.
    this.#flush()
    // Callers that were just answered continue in this turn.
    if (this.#ownTurns) await nextTurn()
  }

  #release(): void {
    this.#flush()
    const next = this.#lockQueue.shift()
    if (next === undefined) this.#isLocked = false
    else next()
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

function memberOf<Result>(
  writes: boolean,
  work: (connection: Connection) => Result,
  resolve: (result: Result) => void,
  reject: (error: unknown) => void,
): Member {
  let outcome: { readonly result: Result } | { readonly error: unknown } | undefined
  return {
    writes,
    run(connection) {
      try {
        outcome = { result: work(connection) }
      } catch (error) {
        outcome = { error }
      }
    },
    error: () => (outcome !== undefined && 'error' in outcome ? outcome.error : undefined),
    settle(turnError) {
      if (turnError !== undefined) reject(storeError(turnError))
      else if (outcome === undefined) reject(closedError())
      else if ('error' in outcome) reject(storeError(outcome.error))
      else resolve(outcome.result)
    },
  }
}

/** Runs the members under one commit; returns the error that rolled all of them back, if there was one. */
function runTogether(connection: Connection, members: readonly Member[]): unknown {
  // Reads need no lock that others would have to wait for.
  if (!members.some(({ writes }) => writes)) {
    for (const member of members) member.run(connection)
    return undefined
  }
  try {
    if (!commitAll(connection, members)) commitApart(connection, members)
    return undefined
  } catch (thrown) {
    rollBack(connection)
    return thrown
  }
}

/**
 * Without savepoints, which copy every page that they may have to restore. False if the work of a member failed: then nothing is
 * committed, and all must run again.
 */
function commitAll(connection: Connection, members: readonly Member[]): boolean {
  connection.prepare('begin immediate').run()
  for (const member of members) {
    member.run(connection)
    if (hasFailed(connection, member)) {
      // Alone, it has only itself to undo.
      if (members.length === 1) throw member.error()
      rollBack(connection)
      return false
    }
  }
  connection.prepare('commit').run()
  return true
}

/** A member that fails is rolled back alone. */
function commitApart(connection: Connection, members: readonly Member[]): void {
  connection.prepare('begin immediate').run()
  for (const member of members) {
    connection.prepare('savepoint member').run()
    member.run(connection)
    if (hasFailed(connection, member)) connection.prepare('rollback to member').run()
    connection.prepare('release member').run()
  }
  connection.prepare('commit').run()
}

/** True if a member has something to undo. Some errors, such as a full disk, end the whole transaction: they are thrown. */
function hasFailed(connection: Connection, member: Member): boolean {
  const error = member.error()
  if (error === undefined) return false
  if (!connection.inTransaction()) throw error
  return member.writes
}

async function runAlone<Result>(connection: Connection, work: (tx: Executor) => Promise<Result>): Promise<Result> {
  try {
    connection.prepare('begin immediate').run()
    const result = await work({
      query: async (statement) => connection.query(statement),
      run: async (statement) => connection.run(statement),
    })
    connection.prepare('commit').run()
    return result
  } catch (thrown) {
    rollBack(connection)
    throw storeError(thrown)
  }
}

function rollBack(connection: Connection): void {
  try {
    if (connection.inTransaction()) connection.prepare('rollback').run()
  } catch {
    // The first error says more, and the next `begin` fails if this transaction is still open.
  }
}
