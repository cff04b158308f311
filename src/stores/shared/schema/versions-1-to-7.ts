import { fresh, retries, suspects } from '../sql/lanes.ts'
import { binaryType, idType, sql, table, raw } from '../sql/sql.ts'
import { latencyColumns } from './latency-columns.ts'
import type { Migration } from './migration.ts'

/** From the first table to the portal links. */
export const versions1to7: readonly Migration[] = [
  {
    version: 1,
    statements: [
      sql`create table ${table('applications')} (
  id ${idType} primary key not null,
  uid text unique,
  name text not null default '',
  endpoints_version bigint not null default 1,
  created_at bigint not null default 0,
  updated_at bigint not null default 0
)`,
      sql`create table ${table('endpoints')} (
  id ${idType} primary key not null,
  application_id ${idType} not null,
  uid text,
  url text not null,
  description text not null default '',
  status text not null default 'active' check (status in ('active', 'paused', 'disabled', 'deleted')),
  status_reason text,
  status_since bigint not null default 0,
  types text not null default '[]',
  channels text not null default '[]',
  headers text not null default '{}',
  policy text not null default 'standard',
  signature text not null default 'standard',
  body_header text not null default 'x-webhook-signature',
  rate_per_second integer,
  created_at bigint not null default 0,
  updated_at bigint not null default 0
)`,
      sql`create index posthorn_endpoints_of_application on ${table('endpoints')} (application_id, id)`,
      sql`create unique index posthorn_endpoints_uid on ${table('endpoints')} (application_id, uid)
where status <> 'deleted'`,
      sql`create table ${table('endpoint_secrets')} (
  id ${idType} primary key not null,
  endpoint_id ${idType} not null,
  sealed text not null,
  created_at bigint not null default 0,
  expires_at bigint
)`,
      sql`create index posthorn_endpoint_secrets_of_endpoint on ${table('endpoint_secrets')} (endpoint_id)`,
      sql`create table ${table('endpoint_health')} (
  endpoint_id ${idType} primary key not null,
  failures integer not null default 0,
  held_until bigint,
  holds integer not null default 0,
  failing_since bigint,
  failed_attempts integer not null default 0,
  warned integer not null default 0,
  rate_tokens double precision not null default 0,
  rate_at bigint not null default 0,
  version bigint not null default 1
)`,
      // The body is the last column, so that reading the other columns does not read past it.
      sql`create table ${table('messages')} (
  id ${idType} primary key not null,
  application_id ${idType} not null default '',
  type text not null default '',
  content_type text not null default 'application/json',
  session_id text,
  channels text not null default '[]',
  created_at bigint not null default 0,
  body ${binaryType} not null
)`,
      sql`create table ${table('idempotency_keys')} (
  application_id ${idType} not null,
  key text not null,
  message_id ${idType} not null,
  body_hash text not null,
  deliveries integer not null,
  expires_at bigint not null,
  primary key (application_id, key)
)`,
      sql`create index posthorn_idempotency_keys_expired on ${table('idempotency_keys')} (expires_at)`,
      // No check constraint on the status, though it would be correct: it costs four microseconds per delivery, a tenth of its total.
      sql`create table ${table('webhook_deliveries')} (
  id ${idType} primary key not null,
  webhook_id ${idType} not null,
  application_id ${idType} not null default '',
  message_id ${idType} not null,
  event_type text not null default '',
  session_id text,
  target_url text not null default '',
  status text not null default 'pending',
  reason text,
  attempt_count integer not null default 0,
  next_retry_at bigint,
  last_attempted_at bigint,
  error_detail text,
  policy text not null default 'standard',
  lease_owner text,
  lease_until bigint,
  lease_epoch integer not null default 0,
  crash_count integer not null default 0,
  requeued_at bigint,
  created_at bigint not null default 0,
  updated_at bigint not null default 0
)`,
      sql`create index webhook_deliveries_fresh on ${table('webhook_deliveries')} (webhook_id, coalesce(next_retry_at, 0), id)
where status = 'pending' and last_attempted_at is null and requeued_at is null`,
      sql`create index webhook_deliveries_retries on ${table('webhook_deliveries')} (webhook_id, coalesce(next_retry_at, 0), id)
where (status = 'failed' or (status = 'pending' and (last_attempted_at is not null or requeued_at is not null)))`,
      // UC-0270; also used for the age of the queue.
      sql`create index webhook_deliveries_status_next_retry_at on ${table('webhook_deliveries')} (status, next_retry_at)
where status in ('pending', 'failed')`,
      sql`create index webhook_deliveries_of_endpoint on ${table('webhook_deliveries')} (webhook_id, id)`,
      sql`create index webhook_deliveries_of_message on ${table('webhook_deliveries')} (message_id)`,
      // For lists; a delivery that succeeds at once never enters these indexes.
      sql`create index webhook_deliveries_failed on ${table('webhook_deliveries')} (webhook_id, id) where status = 'failed'`,
      sql`create index webhook_deliveries_dead on ${table('webhook_deliveries')} (id) where status = 'dead'`,
      sql`create index webhook_deliveries_dead_of_endpoint on ${table('webhook_deliveries')} (webhook_id, id) where status = 'dead'`,
      sql`create table ${table('attempts')} (
  delivery_id ${idType} not null,
  epoch integer not null,
  started_at bigint not null,
  took_ms integer not null,
  outcome text not null,
  status_code integer,
  excerpt text,
  url text not null,
  late integer not null default 0,
  primary key (delivery_id, epoch)
)`,
      sql`create table ${table('endpoint_minutes')} (
  minute bigint not null,
  endpoint_id ${idType} not null,
  delivered integer not null default 0,
  failed integer not null default 0,
  dead integer not null default 0,
  ${raw(latencyColumns.map((column) => `${column} integer not null default 0`).join(',\n  '))},
  primary key (minute, endpoint_id)
)`,
      sql`create table ${table('workers')} (
  id ${idType} primary key not null,
  pid integer not null,
  host text not null,
  started_at bigint not null
)`,
      sql`create table ${table('audit')} (
  id ${idType} primary key not null,
  at bigint not null,
  actor text not null,
  action text not null,
  target text not null,
  count integer not null,
  reason text
)`,
    ],
  },
  {
    version: 2,
    statements: [
      sql`alter table ${table('workers')} add column seen_at bigint not null default 0`,
      sql`create table ${table('leases')} (
  name text primary key not null,
  owner ${idType} not null,
  until bigint not null
)`,
    ],
  },
  // Only changes the fill factor of PostgreSQL pages, which SQLite does not have.
  { version: 3, statements: [] },
  {
    version: 4,
    statements: [
      sql`alter table ${table('applications')} add column metadata text not null default '{}'`,
      sql`alter table ${table('applications')} add column rate_per_second integer`,
      sql`alter table ${table('endpoints')} add column metadata text not null default '{}'`,
      sql`alter table ${table('endpoints')} add column filter text`,
      sql`alter table ${table('messages')} add column event_id text`,
      sql`alter table ${table('messages')} add column erased_at bigint`,
      sql`create unique index posthorn_messages_event_id on ${table('messages')} (application_id, event_id)
where event_id is not null`,
      sql`create index posthorn_messages_of_application on ${table('messages')} (application_id, id)`,
      // Only one new row per minute: the marks in between only raise its counts, which are not indexed.
      sql`create index posthorn_endpoint_minutes_of_endpoint on ${table('endpoint_minutes')} (endpoint_id, minute)`,
      sql`create table ${table('event_types')} (
  name ${idType} primary key not null,
  description text not null default '',
  schemas text,
  archived integer not null default 0,
  deprecated integer not null default 0,
  feature_flag text,
  created_at bigint not null default 0,
  updated_at bigint not null default 0
)`,
      sql`create table ${table('keys')} (
  id ${idType} primary key not null,
  name text not null default '',
  application_id ${idType},
  access text not null check (access in ('read', 'write')),
  hash text not null unique,
  hint text not null default '',
  created_at bigint not null default 0,
  expires_at bigint,
  revoked_at bigint
)`,
      sql`create index posthorn_keys_of_application on ${table('keys')} (application_id, id)`,
      // The status is null while the request is in progress; the row is deleted if there is no response to store.
      sql`create table ${table('replies')} (
  key text primary key not null,
  request_hash text not null,
  status integer,
  body text,
  expires_at bigint not null
)`,
      sql`create index posthorn_replies_expired on ${table('replies')} (expires_at)`,
      sql`create table ${table('jobs')} (
  id ${idType} primary key not null,
  application_id ${idType},
  action text not null,
  filter text not null,
  state text not null default 'running',
  matching integer not null default 0,
  done integer not null default 0,
  cursor ${idType},
  actor text not null,
  reason text,
  created_at bigint not null,
  updated_at bigint not null
)`,
      sql`create index posthorn_jobs_running on ${table('jobs')} (id) where state = 'running'`,
      sql`create index posthorn_jobs_of_application on ${table('jobs')} (application_id, id)`,
    ],
  },
  {
    version: 5,
    statements: [
      sql`alter table ${table('keys')} add column session_of ${idType}`,
      sql`create index posthorn_endpoint_health_failing on ${table('endpoint_health')} (failed_attempts) where failing_since is not null`,
      // Events that processes share while someone is watching; read once and deleted soon.
      sql`create table ${table('events')} (
  id ${idType} primary key not null,
  origin ${idType} not null,
  data text not null
)`,
    ],
  },
  {
    version: 6,
    statements: [
      sql`alter table ${table('webhook_deliveries')} add column interruptions integer not null default 0`,
      // Until now, every expired lease counted as a crash, sent or not.
      sql`update ${table('webhook_deliveries')} set crash_count = 0 where status in ('pending', 'failed') and crash_count <> 0`,
      // Qualified like their table, because PostgreSQL would not look in that schema otherwise.
      ...['fresh', 'retries'].map((lane) => sql`drop index ${table('webhook_deliveries')}_${raw(lane)}`),
      ...Object.entries({ fresh, retries, suspects }).map(
        ([
          lane,
          rows,
        ]) => sql`create index ${raw(`webhook_deliveries_${lane}`)} on ${table('webhook_deliveries')} (webhook_id, coalesce(next_retry_at, 0), id)
where ${rows}`,
      ),
      // `rate_tokens` and `rate_at` are no longer read: tokens have their own table, so that taking some does not write to the health row.
      sql`alter table ${table('endpoint_health')} add column generation integer not null default 0`,
      sql`alter table ${table('endpoint_health')} add column ramp_from bigint`,
      // `granted` is the result of the last request: PostgreSQL returns only the new row.
      sql`create table ${table('rate_limits')} (
  id ${idType} primary key not null,
  tokens double precision not null,
  at bigint not null,
  granted integer not null default 0
)`,
      sql`alter table ${table('workers')} add column shares_among integer not null default 0`,
      sql`alter table ${table('workers')} add column waits text not null default '[]'`,
    ],
  },
  {
    version: 7,
    statements: [
      // A list of flags for a customer's portal link; null for all other keys.
      sql`alter table ${table('keys')} add column portal_flags text`,
      // Separate from the messages: few have their own expiry, and a send without one writes nothing here.
      sql`create table ${table('payload_expiries')} (
  message_id ${idType} primary key not null,
  erase_at bigint not null
)`,
      sql`create index posthorn_payload_expiries_due on ${table('payload_expiries')} (erase_at)`,
    ],
  },
]
