import type { Row } from '../shared/sql/database.ts'
import type { Value } from '../shared/sql/sql.ts'

/**
 * The interface Posthorn needs from a SQLite driver: `DatabaseSync` of `@photostructure/sqlite` or `node:sqlite`, or `Database` of
 * `better-sqlite3`, which names one property differently and expects numbered values in an object.
 */
export interface SqliteDriver {
  exec(sql: string): unknown
  prepare(sql: string): DriverStatement
  close(): unknown
  readonly isTransaction?: boolean
  readonly inTransaction?: boolean
}

interface DriverStatement {
  run(...values: never[]): unknown
  get(...values: never[]): unknown
  all(...values: never[]): unknown
  iterate(...values: never[]): unknown
  /** Only in `better-sqlite3`, which refuses `get` for statements that return no rows. */
  readonly reader?: boolean
}

/** A prepared statement, with values bound on every call. For an insert, `get` is a microsecond faster than `run`. */
export interface Statement {
  run(...values: readonly Value[]): { readonly changes: number }
  get(...values: readonly Value[]): Row | undefined
  all(...values: readonly Value[]): Row[]
  iterate(...values: readonly Value[]): Iterable<Row>
}

export function isDriver(given: unknown): given is SqliteDriver {
  return (
    typeof given === 'object' &&
    given !== null &&
    isTransactionOf(given as SqliteDriver) !== undefined &&
    'prepare' in given &&
    'exec' in given
  )
}

/** Whether a transaction is open on the connection; undefined if the driver does not say. */
export function isTransactionOf({ isTransaction, inTransaction }: SqliteDriver): boolean | undefined {
  return isTransaction ?? inTransaction
}

/** A statement that takes its values in the order of their numbers, with any driver. */
export function prepareWith(driver: SqliteDriver, text: string): Statement {
  const statement = driver.prepare(text) as Statement & Pick<DriverStatement, 'reader'>
  const { reader } = statement
  if (reader === undefined) return statement
  return {
    run: (...values) => statement.run(...byNumber(values)),
    get: (...values) => (reader ? statement.get(...byNumber(values)) : void statement.run(...byNumber(values))),
    all: (...values) => statement.all(...byNumber(values)),
    iterate: (...values) => statement.iterate(...byNumber(values)),
  }
}

function byNumber(values: readonly Value[]): Value[] {
  return values.length === 0 ? [] : [Object.fromEntries(values.map((value, index) => [index + 1, value])) as never]
}
