import { DatabaseSync } from '@photostructure/sqlite'
import type { SqliteDriver } from '../../src/stores/sqlite/index.ts'

/** A driver with the manners of `better-sqlite3`, which cannot be a dependency: it compiles for minutes, or not at all. */
export class StrictDriver implements SqliteDriver {
  readonly #database: InstanceType<typeof DatabaseSync>

  constructor(path: string) {
    this.#database = new DatabaseSync(path)
  }

  get inTransaction(): boolean {
    return this.#database.isTransaction
  }

  exec(sql: string): this {
    named(() => this.#database.exec(sql))
    return this
  }

  prepare(sql: string): ReturnType<SqliteDriver['prepare']> {
    const statement = this.#database.prepare(sql)
    const reader = statement.columns().length > 0
    const refuse = (method: string): never => {
      throw new TypeError(`This statement ${reader ? 'returns' : 'does not return'} data. Use ${method}`)
    }
    return {
      reader,
      run: (...values) => (reader ? refuse('get()') : named(() => statement.run(...inOrder(values)))),
      get: (...values) => (reader ? named(() => statement.get(...inOrder(values))) : refuse('run()')),
      all: (...values) => (reader ? named(() => statement.all(...inOrder(values))) : refuse('run()')),
      iterate: (...values) => (reader ? named(() => statement.iterate(...inOrder(values))) : refuse('run()')),
    }
  }

  close(): this {
    this.#database.close()
    return this
  }
}

/** Numbered values are taken from one object only. */
function inOrder(values: readonly unknown[]): unknown[] {
  if (values.length === 0) return []
  const [given] = values
  if (values.length > 1 || typeof given !== 'object' || given === null)
    throw new RangeError('Too many parameter values were provided')
  return Object.values(given)
}

/** Errors have the name of their code instead of its number. */
function named<Result>(work: () => Result): Result {
  try {
    return work()
  } catch (thrown) {
    if (!(thrown instanceof Error && 'errcode' in thrown)) throw thrown
    throw Object.assign(new Error(thrown.message), { code: nameOf(Number(thrown.errcode)) })
  }
}

function nameOf(code: number): string {
  if (code === 2067) return 'SQLITE_CONSTRAINT_UNIQUE'
  if (code === 1555) return 'SQLITE_CONSTRAINT_PRIMARYKEY'
  return (code & 0xff) === 5 ? 'SQLITE_BUSY' : 'SQLITE_ERROR'
}
