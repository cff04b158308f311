import { sql, table } from '../sql/sql.ts'
import type { Migration } from './migration.ts'

/** The trace in which a message was sent, so that its attempts can link to it, whichever worker makes them. */
export const version9: Migration = {
  version: 9,
  statements: [sql`alter table ${table('messages')} add column trace_context text`],
}
