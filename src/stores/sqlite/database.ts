import { closedError } from '../shared/lifetime.ts'
import type { Database, Executor, Row } from '../shared/sql/database.ts'
import type { Sql } from '../shared/sql/sql.ts'
import { sqliteDialect } from './connection.ts'
import type { Connection } from './connection.ts'
import { storeError } from './errors.ts'

/** One connection, shared so that nothing interleaves: calls of a turn under one commit, transactions one at a time. */
export interface SqliteDatabase extends Database {
  /** Runs synchronous work together with all other calls of this turn of the loop, under one commit and one fsync. */
  write<Result>(work: (connection: Connection) => Result): Promise<Result>
  /** Ends what was begun, then the connection; whatever comes later is refused. */
  close(): Promise<void>
}

/** A call that waits for its turn. */
interface Member {
  readonly writes: boolean
  /** Does the work and keeps what came of it; an error is kept, too. */
  run(connection: Connection): void
  /** The error of its own work. */
  error(): unknown
  /** Tells the caller: its own result, or an error that ended the whole turn. */
  settle(turnError: unknown): void
}

interface Options {
  /**
   * A transaction begins in a turn of the loop of its own. Its statements wait for nothing but each other, so it is over before
   * any other code of this thread goes on, and never holds the lock while the application, on another connection, wants it:
   * one of the two would wait for the other with the whole loop.
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
        // Under a transaction they go on waiting; its end will run them.
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
    // What was called before the transaction also happens before it.
    this.#flush()
    // Those who got their answer go on in this turn.
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

/** Runs the members under one commit; answers with the error that undid all of them, if one did. */
function runTogether(connection: Connection, members: readonly Member[]): unknown {
  // Reading needs no lock that others would have to wait for.
  if (!members.some(({ writes }) => writes)) {
    for (const member of members) member.run(connection)
    return undefined
  }
  try {
    connection.prepare('begin immediate').run()
    for (const member of members) runMember(connection, member, members.length > 1)
    connection.prepare('commit').run()
    return undefined
  } catch (thrown) {
    rollBack(connection)
    return thrown
  }
}

/** A member that throws is undone alone if it shares the turn. */
function runMember(connection: Connection, member: Member, hasOthers: boolean): void {
  const apart = hasOthers && member.writes
  if (apart) connection.prepare('savepoint member').run()
  member.run(connection)
  const error = member.error()
  // Some errors, a full disk for one, end the whole transaction.
  if (error !== undefined && (!connection.inTransaction() || (member.writes && !apart))) throw error
  if (error !== undefined && apart) connection.prepare('rollback to member').run()
  if (apart) connection.prepare('release member').run()
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
    // The first error tells more, and the next `begin` will fail if this transaction is still open.
  }
}
