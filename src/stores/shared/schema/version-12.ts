import { sql, table } from '../sql/sql.ts'
import type { Migration } from './migration.ts'

/** How we prove to an endpoint who we are: sealed, as its secrets are. */
export const version12: Migration = {
  version: 12,
  statements: [sql`alter table ${table('endpoints')} add column authentication text`],
}
