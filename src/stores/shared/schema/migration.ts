import type { Sql } from '../sql/sql.ts'

/** One step of the schema; once released it never changes. */
export interface Migration {
  readonly version: number
  readonly statements: readonly Sql[]
}
