import { PosthornError } from '../../../core/errors.ts'
import type { Enqueued, EnqueueRequest, Envelope } from '../../../core/ports/queue.ts'
import { day } from '../../../core/time.ts'
import { toEnqueued } from '../../shared/rows/rows.ts'
import type { Dialect } from '../../shared/sql/sql.ts'
import type { Bound } from '../connections.ts'
import { Prepared } from '../database.ts'
import type { PostgresDatabase } from '../database.ts'
import { endpointsForOthers } from '../notifier.ts'

const keyKeptMs = day
const advice = 'Send it again under the same idempotency key: it is stored once.'

/**
 * Stores messages with their deliveries: one statement, one round trip, for the whole batch. Calls back with the endpoints of deliveries
 * that another process should send now.
 */
export function enqueuer(
  database: PostgresDatabase,
  prepare: boolean,
  onStored: (endpointIds: readonly string[]) => void,
): (request: EnqueueRequest) => Promise<Enqueued[]> {
  const statement = new Prepared(enqueueText(database.dialect, 'rewritten', null), prepare)
  return async (request) => {
    const { envelopes } = request
    if (envelopes.length === 0) return []
    const rows = await repeatedOnce(envelopes, () => database.add(statement, valuesOf(request), advice))
    const answers = rows.map((row, index) => toEnqueued(row, envelopes[index]))
    onStored(endpointsForOthers(request, answers))
    return answers
  }
}

/**
 * If another transaction takes the same event id concurrently, the unique index refuses it; the next statement sees which message has it.
 */
async function repeatedOnce<Result>(envelopes: readonly Envelope[], work: () => Promise<Result>): Promise<Result> {
  try {
    return await work()
  } catch (thrown) {
    const mayBeRace =
      thrown instanceof PosthornError &&
      thrown.code === 'already_exists' &&
      envelopes.some(({ message }) => message.eventId !== null)
    if (!mayBeRace) throw thrown
    return work()
  }
}

const rewrite = `do update
  set message_id = case when k.expires_at <= $2::bigint then excluded.message_id else k.message_id end,
    body_hash = case when k.expires_at <= $2::bigint then excluded.body_hash else k.body_hash end,
    deliveries = case when k.expires_at <= $2::bigint then excluded.deliveries else k.deliveries end,
    expires_at = case when k.expires_at <= $2::bigint then excluded.expires_at else k.expires_at end`

/**
 * `current` leaves out messages that were matched against an old endpoint list, or rely on a health that has `changed`. Of several messages
 * with one key, the first may take it; `kept` says which message has it. A key in use is either `rewritten` with its old values, because only
 * a written row is returned in its newest version, even if another transaction committed it a moment ago; this happens in key order, so that
 * two batches cannot deadlock. Or it is `left` alone, without a lock that would last as long as the application's transaction; a key that came
 * into use after the statement began is then invisible and reported as not found, and the next statement sees it. With a channel, its
 * listeners are notified at the commit, unless all deliveries are sent later, or by the process that stores them. All bodies are one binary
 * parameter, from which each message takes its part: an array would encode each body as hexadecimal text. `holder` is another message with the
 * same event id, `rival` one of this batch: if the rival is not stored in the end, neither is this message, and it counts as stale. The
 * health, the holder and the rival are scalar subqueries, which the planner can only evaluate row by row, from the index.
 */
export function enqueueText({ table }: Dialect, usedKey: 'rewritten' | 'left', channel: string | null): string {
  const isLeft = usedKey === 'left'
  return `with given as materialized (
  select g.*, substring($12::bytea from g.body_from for g.body_bytes) as body
  from unnest($5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::bigint[], $26::integer[], $27::integer[],
      $13::text[], $14::text[], $15::integer[], $16::bigint[], $23::text[], $24::text[], $25::text[]) with ordinality
    as g (id, application_id, type, content_type, session_id, channels, created_at, body_from, body_bytes,
      key, body_hash, deliveries, endpoints_version, event_id, rival, trace_context, place)
), changed as materialized (
  select r.message_id
  from unnest($28::text[], $29::text[], $30::bigint[]) as r (message_id, endpoint_id, version)
  where r.version <> coalesce((select h.version from ${table('endpoint_health')} h where h.endpoint_id = r.endpoint_id), 0)
), current as materialized (
  select g.*, case when g.event_id is not null then (${eventHolderText(table)}) end as holder
  from given g
  join ${table('applications')} a on a.id = g.application_id and a.endpoints_version = g.endpoints_version
  where g.id not in (select message_id from changed)
), kept as (
  insert into ${table('idempotency_keys')} as k (application_id, key, message_id, body_hash, deliveries, expires_at)
  select distinct on (application_id, key) application_id, key, id, body_hash, deliveries, $2::bigint + ${keyKeptMs}
  from current
  where key is not null and holder is null and rival is null
  order by application_id, key, place
  on conflict (application_id, key) ${isLeft ? 'do nothing' : rewrite}
  returning application_id, key, message_id, body_hash, deliveries
), fresh as materialized (
  select *
  from current
  where holder is null and rival is null and (key is null or id in (select message_id from kept))
), stored as (
  insert into ${table('messages')} (id, application_id, type, content_type, session_id, channels, created_at, body, event_id, trace_context)
  select id, application_id, type, content_type, session_id, channels, created_at, body, event_id, trace_context
  from fresh
), fanned as (
  insert into ${table('webhook_deliveries')} (
    id, webhook_id, application_id, message_id, event_type, session_id, target_url, next_retry_at, policy,
    created_at, updated_at, lease_owner, lease_until, lease_epoch)
  select d.id, d.webhook_id, f.application_id, f.id, f.type, f.session_id, d.target_url, d.next_retry_at, d.policy,
    $2::bigint, $2::bigint, case when d.leased then $1::text end, case when d.leased then $3::bigint end, case when d.leased then 1 else 0 end
  from unnest($4::text[], $17::text[], $18::text[], $19::text[], $20::bigint[], $21::text[], $22::boolean[])
    as d (message_id, id, webhook_id, target_url, next_retry_at, policy, leased)
  join fresh f on f.id = d.message_id
  ${channel === null ? '' : 'returning lease_owner, next_retry_at'}
)${channel === null ? '' : notifyText(channel)}
${answersText(table, isLeft, channel)}`
}

/** The message that already has the event id of a given one, unless the given one only repeats it under its idempotency key. */
function eventHolderText(table: Dialect['table']): string {
  return `select m.id
    from ${table('messages')} m
    where m.application_id = g.application_id and m.event_id = g.event_id
      and not exists (
        select from ${table('idempotency_keys')} o
        where o.application_id = g.application_id and o.key = g.key and o.message_id = m.id and o.expires_at > $2::bigint)
    limit 1`
}

/** Part of the same statement: a separate one would cost another round trip, and could get lost. */
function notifyText(channel: string): string {
  return `, notified as materialized (
  select pg_notify('${channel}', '')
  from fanned
  where lease_owner is null and next_retry_at <= $2::bigint
  limit 1
)`
}

/** The result for each given message, in the given order. */
function answersText(table: Dialect['table'], isLeft: boolean, channel: string | null): string {
  const holder = (column: string): string => (isLeft ? `k.${column}, u.${column}` : `k.${column}`)
  const inUse = `left join ${table('idempotency_keys')} u on u.application_id = g.application_id and u.key = g.key`
  return `select c.id is not null and c.holder is null and c.rival is null and (g.key is null or coalesce(${holder('key')}) is not null) as found,
  coalesce(${holder('message_id')}, g.id) as message_id, coalesce(${holder('body_hash')}, g.body_hash) as body_hash,
  coalesce(${holder('deliveries')}, g.deliveries) as deliveries,
  case when c.rival is not null then coalesce(c.holder, (select f.id from fresh f where f.id = c.rival)) else c.holder end as taken_by
  ${isLeft ? ', k.key is null and u.expires_at <= $2::bigint as is_expired' : ''}
  ${channel === null ? '' : ', (select count(*) from notified) as notified'}
from given g
left join current c on c.place = g.place
left join kept k on k.application_id = g.application_id and k.key = g.key
${isLeft ? inUse : ''}
order by g.place`
}

export function valuesOf({ owner, leaseMs, now, envelopes }: EnqueueRequest): Bound[] {
  const messages = envelopes.map(({ message }) => message)
  const deliveries = envelopes.flatMap((envelope) => envelope.deliveries)
  const relied = envelopes.flatMap(({ reliesOn }) => reliesOn)
  return [
    owner,
    now,
    now + leaseMs,
    envelopes.flatMap(({ message, deliveries: fanned }) => fanned.map(() => message.id)),
    messages.map(({ id }) => id),
    messages.map(({ applicationId }) => applicationId),
    messages.map(({ type }) => type),
    messages.map(({ contentType }) => contentType),
    messages.map(({ sessionId }) => sessionId),
    messages.map(({ channels }) => JSON.stringify(channels)),
    messages.map(({ createdAt }) => createdAt),
    Buffer.concat(messages.map(({ body }) => body)),
    envelopes.map(({ idempotencyKey }) => idempotencyKey),
    envelopes.map(({ bodyHash }) => bodyHash),
    envelopes.map((envelope) => envelope.deliveries.length),
    envelopes.map(({ endpointsVersion }) => endpointsVersion),
    deliveries.map(({ id }) => id),
    deliveries.map(({ endpointId }) => endpointId),
    deliveries.map(({ targetUrl }) => targetUrl),
    deliveries.map(({ nextRetryAt }) => nextRetryAt),
    deliveries.map(({ policy }) => policy),
    deliveries.map(({ leased }) => leased),
    messages.map(({ eventId }) => eventId),
    rivalsOf(envelopes),
    messages.map(({ traceContext }) => traceContext),
    startsOf(messages.map(({ body }) => body.length)),
    messages.map(({ body }) => body.length),
    envelopes.flatMap(({ message, reliesOn }) => reliesOn.map(() => message.id)),
    relied.map(({ endpointId }) => endpointId),
    relied.map(({ version }) => version),
  ]
}

/** Where each part of the concatenation starts, counted from one as in SQL. */
function startsOf(lengths: readonly number[]): number[] {
  let next = 1
  return lengths.map((length) => (next += length) - length)
}

/** For each message, the first one of the batch with the same event id; null for the first itself, and for repeats of it under its key. */
function rivalsOf(envelopes: readonly Envelope[]): (string | null)[] {
  const firsts = new Map<string, Envelope>()
  return envelopes.map((envelope) => {
    const { message, idempotencyKey } = envelope
    if (message.eventId === null) return null
    const name = `${message.applicationId} ${message.eventId}`
    const first = firsts.get(name)
    if (first === undefined) firsts.set(name, envelope)
    return first === undefined || (idempotencyKey !== null && idempotencyKey === first.idempotencyKey)
      ? null
      : first.message.id
  })
}
