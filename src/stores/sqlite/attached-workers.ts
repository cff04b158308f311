import { PosthornError } from '../../core/errors.ts'
import type { Worker } from '../../core/ports/worker.ts'
import { noted } from '../shared/alarms.ts'
import { fromWorker, toWorker } from '../shared/rows/rows.ts'
import { insertInto, sql, table } from '../shared/sql/sql.ts'
import type { SqliteDatabase } from './database.ts'
import { takeLock } from './lock.ts'
import type { ProcessLock } from './lock.ts'

const inMemory = ':memory:'

/** The workers of this process. The first one takes the file's lock; the last one to leave releases it for other processes. */
export class AttachedWorkers {
  readonly #database: SqliteDatabase
  readonly #ids = new Set<string>()
  #lock: ProcessLock | null = null

  constructor(database: SqliteDatabase) {
    this.#database = database
  }

  /** Null if there are none: the lock proves that other processes are gone, but only the process that holds it knows that. */
  ids(): readonly string[] | null {
    return this.#ids.size === 0 ? null : [...this.#ids]
  }

  async attach(worker: Worker, path: string): Promise<void> {
    const isFirst = this.#ids.size === 0
    if (isFirst && path !== inMemory) this.#lock = takeLock(path) ?? (await refuseSecondEngine(path, this.#database))
    this.#ids.add(worker.id)
    try {
      await announce(this.#database, worker, isFirst)
    } catch (thrown) {
      this.#leave(worker.id)
      throw thrown
    }
  }

  async detach(workerId: string): Promise<void> {
    if (!this.#ids.has(workerId)) return
    try {
      await this.#database.transaction((tx) => tx.run(sql`delete from ${table('workers')} where id = ${workerId}`))
    } finally {
      this.#leave(workerId)
    }
  }

  /** Does not touch the database, which is already closed. */
  leaveAll(): void {
    for (const workerId of this.#ids) this.#leave(workerId)
  }

  #leave(workerId: string): void {
    this.#ids.delete(workerId)
    if (this.#ids.size > 0) return
    this.#lock?.release()
    this.#lock = null
  }
}

/** Throws an error that says which process uses the file. */
export async function refuseSecondEngine(path: string, database: SqliteDatabase): Promise<never> {
  const [row] = await database.query(
    sql`select id, pid, host, started_at from ${table('workers')} order by started_at desc limit 1`,
  )
  const holder = row === undefined ? null : toWorker(row)
  const who = holder === null ? 'another process' : `process ${holder.pid} on ${holder.host}`
  throw new PosthornError(
    'store_in_use',
    `Expected ${path} to have no engine, got one in ${who}. Stop that one, or use PostgreSQL: only one process may deliver from a SQLite file.`,
  )
}

/** The lock proves to the first worker of a process that all other workers in the table are dead. */
async function announce(database: SqliteDatabase, worker: Worker, isFirst: boolean): Promise<void> {
  await database.transaction(async (tx) => {
    const gone = isFirst ? sql`` : sql`where id = ${worker.id}`
    const lost = await tx.run(sql`delete from ${table('workers')} ${gone}`)
    if (isFirst && lost > 0) await tx.run(noted({ signal: 'worker-lost', count: lost, now: worker.startedAt }))
    await tx.run(insertInto('workers', fromWorker(worker)))
  })
}
