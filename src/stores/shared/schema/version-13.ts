import { sql, table } from '../sql/sql.ts'
import type { Migration } from './migration.ts'

/** Diagnostics of a failed attempt, to find the cause: durations of its steps, address, headers. JSON; null for all other attempts. */
export const version13: Migration = {
  version: 13,
  statements: [sql`alter table ${table('attempts')} add column diagnostics text`],
}
