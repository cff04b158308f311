import type { Dialect, Sql } from './sql.ts'

/** One result row, by column name. */
export type Row = Readonly<Record<string, unknown>>

/** Something that runs statements. */
export interface Executor {
  query(statement: Sql): Promise<Row[]>
  /** Runs a statement for its effect; returns how many rows it changed. */
  run(statement: Sql): Promise<number>
}

/** The interface that the shared half of the stores needs from a database. */
export interface Database {
  readonly dialect: Dialect
  /** Runs a read-only statement. */
  query(statement: Sql): Promise<Row[]>
  /** All of the work or none of it. Inside, use only the given executor: calls to the database itself wait until the transaction ends. */
  transaction<Result>(work: (tx: Executor) => Promise<Result>): Promise<Result>
}
