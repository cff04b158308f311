import { sql, table } from '../sql/sql.ts'
import type { Migration } from './migration.ts'

const ofDeleted = sql`(select id from ${table('endpoints')} where status = 'deleted')`

/**
 * Endpoint headers are sealed from now on. SQL cannot seal the existing ones, so both forms are read. Secrets and headers of deleted
 * endpoints are removed. A key stores where it was created from, for the list of sessions.
 */
export const version11: Migration = {
  version: 11,
  statements: [
    sql`delete from ${table('endpoint_secrets')} where endpoint_id in ${ofDeleted}`,
    sql`update ${table('endpoints')} set headers = '{}' where status = 'deleted' and headers <> '{}'`,
    sql`alter table ${table('keys')} add column created_from text`,
    sql`create index posthorn_keys_sessions on ${table('keys')} (session_of, id) where session_of is not null`,
  ],
}
