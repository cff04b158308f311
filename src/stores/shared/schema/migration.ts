import type { Sql } from '../sql/sql.ts'

/** One step of the schema; it never changes once released. */
export interface Migration {
  readonly version: number
  readonly statements: readonly Sql[]
}
