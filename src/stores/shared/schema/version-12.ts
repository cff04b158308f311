import { sql, table } from '../sql/sql.ts'
import type { Migration } from './migration.ts'

/** The credentials we present to an endpoint, sealed like its secrets. */
export const version12: Migration = {
  version: 12,
  statements: [sql`alter table ${table('endpoints')} add column authentication text`],
}
