import { idType, sql, table } from '../sql/sql.ts'
import type { Migration } from './migration.ts'

/** Alarms, which survive restarts. */
export const version10: Migration = {
  version: 10,
  statements: [
    // `owed` is a notice that was decided: it is sent after this row is stored, and again if it is unknown whether it was sent.
    sql`create table ${table('alarms')} (
  id ${idType} primary key not null,
  signal text not null,
  subject ${idType} not null default '',
  level integer not null default 0,
  value double precision not null default 0,
  threshold double precision not null default 0,
  raised_at bigint,
  resolved_at bigint,
  notified_at bigint,
  owed text,
  owed_at bigint,
  noted integer not null default 0,
  noted_at bigint,
  version integer not null default 1
)`,
    sql`create index posthorn_endpoints_disabled on ${table('endpoints')} (status_since) where status = 'disabled'`,
  ],
}
