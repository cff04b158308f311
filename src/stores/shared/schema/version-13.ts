import { sql, table } from '../sql/sql.ts'
import type { Migration } from './migration.ts'

/** What is kept of a failed attempt for whoever looks for the cause: times of its steps, address, headers. As JSON; null of all others. */
export const version13: Migration = {
  version: 13,
  statements: [sql`alter table ${table('attempts')} add column diagnostics text`],
}
