import type { Dialect, Sql } from './sql.ts'

/** One row of an answer, by column name. */
export type Row = Readonly<Record<string, unknown>>

/** Something that statements can be given to. */
export interface Executor {
  query(statement: Sql): Promise<Row[]>
  /** Runs a statement for its effect; answers with how many rows it changed. */
  run(statement: Sql): Promise<number>
}

/** What the shared half of the stores asks of a database. */
export interface Database {
  readonly dialect: Dialect
  /** A statement that only reads. */
  query(statement: Sql): Promise<Row[]>
  /** All of the work or nothing. Inside, use only the executor given: the database itself waits for the end. */
  transaction<Result>(work: (tx: Executor) => Promise<Result>): Promise<Result>
}
