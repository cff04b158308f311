import type { DeadReason, Lane } from '../../../core/delivery/delivery.ts'
import { firstIdAt } from '../../../core/ids.ts'
import type { Lease } from '../../../core/delivery/lease.ts'
import type { Cancelled, DeliveryFilter, OperatorRequest, PruneRequest } from '../../../core/ports/queue.ts'
import { day } from '../../../core/time.ts'
import type { Instant } from '../../../core/time.ts'
import { record } from '../audit.ts'
import type { Executor } from '../sql/database.ts'
import { whereDelivery } from '../sql/filter.ts'
import { laneText } from '../sql/lanes.ts'
import { toCancelled } from '../rows/delivery-rows.ts'
import { toApplicationId, toEndpointId, toId } from '../rows/rows.ts'
import { forUpdate, listOf, sql, table } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'

// The queue's statements that are the same in both databases; the four hot ones are each adapter's own.
// Rows to change are picked in a materialised CTE: PostgreSQL may run a bare `in (select … limit … for update)` once more
// for each row, and each run finds the next rows, past the limit.

const deliveries = table('webhook_deliveries')
const minutesKeptMs = 35 * day
/** Keys and jobs that are over can be looked up for so long. */
const endedKeptMs = 30 * day

/** Walks from endpoint to endpoint through the lane's index: the cost is that of the endpoints, not of their rows. */
export function dueEndpoints({ lane, after, limit }: { lane: Lane; after: string; limit: number }): Sql {
  const inLane = laneText(lane)
  return sql`with recursive walk (webhook_id, place) as (
  select (select min(webhook_id) from ${deliveries} where ${inLane} and webhook_id > ${after}), 1
  union all
  select (select min(d.webhook_id) from ${deliveries} d where ${inLane} and d.webhook_id > walk.webhook_id), place + 1
  from walk
  where walk.webhook_id is not null and place < ${limit}
)
select webhook_id,
  (select coalesce(d.next_retry_at, 0)
   from ${deliveries} d
   where ${inLane} and d.webhook_id = walk.webhook_id
   order by coalesce(d.next_retry_at, 0), d.id
   limit 1) as due_at
from walk
where webhook_id is not null
order by webhook_id`
}

/** Of the leases asked about, those that were found, in the order asked: the same delivery under an old epoch was not. */
export function heldAmong(leases: readonly Lease[], found: readonly Lease[]): string[] {
  const epochs = new Map(found.map(({ deliveryId, epoch }) => [deliveryId, epoch]))
  return leases.flatMap(({ deliveryId, epoch }) => (epochs.get(deliveryId) === epoch ? [deliveryId] : []))
}

export async function requeue(tx: Executor, request: OperatorRequest): Promise<number> {
  const rows = await requeueRows(tx, request)
  await record(tx, { action: 'requeue', ...auditedRows(request, rows) })
  return rows.length
}

/** The same without a note of who did it; answers with the endpoint and the application of each row. */
export async function requeueRows(
  tx: Executor,
  { filter, now, limit }: Omit<OperatorRequest, 'by'>,
): Promise<ChangedRow[]> {
  const rows = await tx.query(sql`with picked as materialized (
  select id from ${deliveries}
  where ${whereDelivery(filter)}
  and status in ('pending', 'failed', 'dead')
  and (lease_until is null or lease_until <= ${now})
  and not exists (select 1 from ${table('messages')} m where m.id = message_id and m.erased_at is not null)
  order by id
  limit ${limit}
  ${forUpdate}
)
update ${deliveries}
set status = 'pending', reason = null, attempt_count = 0, next_retry_at = ${now}, requeued_at = ${now},
  lease_owner = null, lease_until = null, lease_epoch = lease_epoch + 1, interruptions = 0, crash_count = 0, updated_at = ${now}
where id in (select id from picked)
returning webhook_id, application_id`)
  return rows.map((row) => ({ endpointId: toEndpointId(row), applicationId: toApplicationId(row) }))
}

export async function cancel(tx: Executor, request: OperatorRequest & { as: DeadReason }): Promise<Cancelled[]> {
  const cancelled = await cancelRows(tx, request)
  await record(tx, { action: 'cancel', ...auditedRows(request, cancelled) })
  return cancelled
}

/** The same without a note of who did it. */
export async function cancelRows(
  tx: Executor,
  request: Omit<OperatorRequest, 'by'> & { as: DeadReason },
): Promise<Cancelled[]> {
  const { filter, now, limit, as } = request
  const rows = await tx.query(sql`with fresh as materialized (
  ${openRows('fresh', filter, limit)}
), retries as materialized (
  ${openRows('retries', filter, limit)}
), suspects as materialized (
  ${openRows('suspects', filter, limit)}
), picked as materialized (
  select id from fresh
  union all
  select id from retries
  union all
  select id from suspects
  limit ${limit}
)
update ${deliveries}
set status = 'dead', reason = ${as}, next_retry_at = null,
  lease_owner = null, lease_until = null, lease_epoch = lease_epoch + 1, updated_at = ${now}
where id in (select id from picked)
returning id, webhook_id, application_id, message_id, session_id`)
  return rows.map(toCancelled)
}

/** Dead letters that nobody will send again count as cancelled. Answers with how many. */
export function discardRows(tx: Executor, ids: readonly string[], now: Instant): Promise<number> {
  return tx.run(sql`update ${deliveries}
set reason = 'cancelled', lease_epoch = lease_epoch + 1, updated_at = ${now}
where id in ${listOf(ids)} and status = 'dead'`)
}

/** Through the lanes' own indexes: those that are ended leave them, so the next batch does not read over them. */
function openRows(lane: Lane, filter: DeliveryFilter, limit: number): Sql {
  return sql`select id from ${deliveries} where ${laneText(lane)} and ${whereDelivery(filter)} limit ${limit} ${forUpdate}`
}

/** A delivery that was changed, as far as others must hear of it. */
interface ChangedRow {
  readonly endpointId: string
  readonly applicationId: string
}

function auditedRows({ filter, now, by }: OperatorRequest, rows: readonly ChangedRow[]) {
  const [only = null, ...others] = new Set(rows.map(({ applicationId }) => applicationId))
  const applicationId = others.length === 0 ? only : null
  return { target: targetOf(filter), count: rows.length, applicationId, at: now, by }
}

function targetOf(filter: DeliveryFilter): string {
  const [only, ...others] = filter.ids ?? []
  return only !== undefined && others.length === 0 ? only : JSON.stringify(filter)
}

/**
 * Up to `limit` of each kind that there may be many of, all of them counted, so that a caller who repeats it until 0 is done with all.
 * An id begins with its time of creation: nothing younger is read.
 */
export async function prune(tx: Executor, { before, now, limit }: PruneRequest): Promise<number> {
  const forgottenDeliveries = await forgetDeliveries(tx, before, limit)
  const forgottenMessages = await tx.run(sql`delete from ${table('messages')}
where id in (
  select m.id from ${table('messages')} m
  where m.id < ${firstIdAt('msg', before)} and m.created_at < ${before}
    and not exists (select 1 from ${deliveries} d where d.message_id = m.id)
  order by m.id
  limit ${limit})`)
  const forgottenKeys = await tx.run(sql`with picked as materialized (
  select application_id, key from ${table('idempotency_keys')}
  where expires_at <= ${now}
  limit ${limit}
  ${forUpdate}
)
delete from ${table('idempotency_keys')}
where (application_id, key) in (select application_id, key from picked)`)
  const forgottenMinutes = await tx.run(sql`delete from ${table('endpoint_minutes')}
where (minute, endpoint_id) in (
  select minute, endpoint_id from ${table('endpoint_minutes')}
  where minute < ${before - minutesKeptMs}
  limit ${limit})`)
  await tx.run(sql`delete from ${table('endpoint_secrets')} where expires_at < ${before}`)
  const longOver = now - endedKeptMs
  await tx.run(sql`delete from ${table('keys')} where expires_at < ${longOver} or revoked_at < ${longOver}`)
  await tx.run(
    sql`delete from ${table('jobs')} where id < ${firstIdAt('job', longOver)} and state in ('done', 'cancelled') and updated_at < ${longOver}`,
  )
  // A bucket that was not used for so long is full, as a new one is.
  await tx.run(sql`delete from ${table('rate_limits')} where at < ${longOver}`)
  return (
    forgottenDeliveries +
    forgottenMessages +
    forgottenKeys +
    forgottenMinutes +
    (await forgetReplies(tx, now, limit)) +
    (await erasePayloads(tx, now, limit))
  )
}

/** Bodies whose time is over; not those of which something is still on its way. */
async function erasePayloads(tx: Executor, now: Instant, limit: number): Promise<number> {
  const due = await tx.query(sql`select p.message_id as id from ${table('payload_expiries')} p
where p.erase_at <= ${now}
  and not exists (select 1 from ${deliveries} d where d.message_id = p.message_id and d.status in ('pending', 'failed'))
order by p.erase_at
limit ${limit}`)
  if (due.length === 0) return 0
  const ids = due.map(toId)
  await tx.run(sql`update ${table('messages')}
set body = ${new Uint8Array()}, erased_at = coalesce(erased_at, ${now})
where id in ${listOf(ids)}`)
  await tx.run(sql`delete from ${table('payload_expiries')} where message_id in ${listOf(ids)}`)
  return ids.length
}

function forgetReplies(tx: Executor, now: Instant, limit: number): Promise<number> {
  return tx.run(sql`with picked as materialized (
  select key from ${table('replies')}
  where expires_at <= ${now}
  limit ${limit}
  ${forUpdate}
)
delete from ${table('replies')}
where key in (select key from picked)`)
}

async function forgetDeliveries(tx: Executor, before: Instant, limit: number): Promise<number> {
  const closed = await tx.query(sql`select id from ${deliveries}
where id < ${firstIdAt('dlv', before)} and status in ('delivered', 'dead') and updated_at < ${before}
order by id
limit ${limit}
${forUpdate}`)
  if (closed.length === 0) return 0
  const ids = listOf(closed.map(toId))
  await tx.run(sql`delete from ${table('attempts')} where delivery_id in ${ids}`)
  return tx.run(sql`delete from ${deliveries} where id in ${ids}`)
}
