import { PosthornError } from '../../core/errors.ts'
import type { Database, Executor } from '../shared/sql/database.ts'
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

/**
 * With `ownTurns` a transaction begins in a turn of the loop of its own. Its statements wait for nothing but each other, so it is
 * over before any other code of this thread goes on, and never holds the lock while the application, on another connection, wants it:
 * one of the two would wait for the other with the whole loop.
 */
export function sqliteDatabase(
  connection: Connection,
  { ownTurns = false }: { readonly ownTurns?: boolean } = {},
): SqliteDatabase {
  let waiting: Member[] = []
  let scheduled = false
  let locked = false
  let closed = false
  const lockQueue: (() => void)[] = []

  function join<Result>(writes: boolean, work: (connection: Connection) => Result): Promise<Result> {
    return new Promise((resolve, reject) => {
      waiting.push(memberOf(writes, work, resolve, reject))
      if (scheduled) return
      scheduled = true
      setImmediate(() => {
        scheduled = false
        // Under a transaction they go on waiting; its end will run them.
        if (!locked) flush()
      })
    })
  }

  function flush(): void {
    const members = waiting
    waiting = []
    if (members.length === 0) return
    const turnError = closed ? closedError() : runTogether(connection, members)
    for (const member of members) member.settle(turnError)
  }

  async function acquire(): Promise<void> {
    if (locked) await new Promise<void>((resolve) => lockQueue.push(resolve))
    locked = true
    if (ownTurns) await nextTurn()
    // What was called before the transaction also happens before it.
    flush()
    // Those who got their answer go on in this turn.
    if (ownTurns) await nextTurn()
  }

  function release(): void {
    flush()
    const next = lockQueue.shift()
    if (next === undefined) locked = false
    else next()
  }

  async function transaction<Result>(work: (tx: Executor) => Promise<Result>): Promise<Result> {
    await acquire()
    try {
      if (closed) throw closedError()
      return await runAlone(connection, work)
    } finally {
      release()
    }
  }

  async function close(): Promise<void> {
    await acquire()
    if (!closed) connection.close()
    closed = true
    release()
  }

  return {
    dialect: sqliteDialect,
    query: (statement) => join(false, () => connection.query(statement)),
    write: (work) => join(true, work),
    transaction,
    close,
  }
}

function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve))
}

export function closedError(): PosthornError {
  return new PosthornError('stopped', 'Expected an open store, got one that is closed. Call `open()` first.')
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
