import { idType, sql, table } from '../sql/sql.ts'
import type { Migration } from './migration.ts'

const audit = table('audit')

/** The audit log (who did what, from where, and what changed), and the applications that are being erased. */
export const version8: Migration = {
  version: 8,
  statements: [
    sql`alter table ${audit} add column actor_id text`,
    sql`alter table ${audit} add column origin text`,
    sql`alter table ${audit} add column application_id ${idType}`,
    sql`alter table ${audit} add column before_change text`,
    sql`alter table ${audit} add column after_change text`,
    sql`create index posthorn_audit_of_actor on ${audit} (actor, id)`,
    sql`create index posthorn_audit_of_key on ${audit} (actor_id, id) where actor_id is not null`,
    sql`create index posthorn_audit_of_action on ${audit} (action, id)`,
    // A target may be a filter of any length, and PostgreSQL refuses index entries longer than a third of a page.
    sql`create index posthorn_audit_of_target on ${audit} (substr(target, 1, 64), id)`,
    sql`create index posthorn_audit_of_application on ${audit} (application_id, id) where application_id is not null`,
    // The application that replies belong to, so that they can be erased with it.
    sql`alter table ${table('replies')} add column application_id ${idType}`,
    sql`create index posthorn_replies_of_application on ${table('replies')} (application_id) where application_id is not null`,
    sql`alter table ${table('jobs')} add column skipped integer not null default 0`,
    // Deleted applications, kept until a day after the last of their data is gone: until then, their data is hidden.
    sql`create table ${table('erasures')} (
  application_id ${idType} primary key not null,
  job_id ${idType} not null,
  erased_at bigint
)`,
  ],
}
