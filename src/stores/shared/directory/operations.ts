import type { DeadReason, Lane } from '../../../core/delivery/delivery.ts'
import type { Lease } from '../../../core/delivery/lease.ts'
import type { Cancelled, DeliveryFilter, OperatorRequest } from '../../../core/ports/queue.ts'
import type { Instant } from '../../../core/time.ts'
import { record } from '../audit.ts'
import type { Executor } from '../sql/database.ts'
import { whereDelivery } from '../sql/filter.ts'
import { laneText } from '../sql/lanes.ts'
import { toCancelled } from '../rows/delivery-rows.ts'
import { toApplicationId, toEndpointId } from '../rows/rows.ts'
import { forUpdate, listOf, sql, table } from '../sql/sql.ts'
import type { Sql } from '../sql/sql.ts'

// The queue's statements that are the same for both databases; each adapter has its own version of the four hot ones. Rows to change are
// selected in a materialised CTE: PostgreSQL may run a bare `in (select … limit … for update)` again for each row, and each run finds the
// next rows, past the limit.

const deliveries = table('webhook_deliveries')

/** Walks from endpoint to endpoint through the lane's index: the cost depends on the number of endpoints, not of rows. */
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

/** The requested leases that were found, in the order requested. A delivery found under another epoch does not count. */
export function heldAmong(leases: readonly Lease[], found: readonly Lease[]): string[] {
  const epochs = new Map(found.map(({ deliveryId, epoch }) => [deliveryId, epoch]))
  return leases.flatMap(({ deliveryId, epoch }) => (epochs.get(deliveryId) === epoch ? [deliveryId] : []))
}

export async function requeue(tx: Executor, request: OperatorRequest): Promise<number> {
  const rows = await requeueRows(tx, request)
  await record(tx, { action: 'requeue', ...auditedRows(request, rows) })
  return rows.length
}

/** The same without an audit entry; returns the endpoint and the application of each row. */
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
  and not exists (select 1 from ${table('endpoints')} e where e.id = webhook_id and e.status = 'deleted')
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

/** The same without an audit entry. */
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

/** Dead letters that will never be sent again count as cancelled. Returns how many there were. */
export function discardRows(tx: Executor, ids: readonly string[], now: Instant): Promise<number> {
  return tx.run(sql`update ${deliveries}
set reason = 'cancelled', lease_epoch = lease_epoch + 1, updated_at = ${now}
where id in ${listOf(ids)} and status = 'dead'`)
}

/** Through the lanes' own indexes: cancelled rows leave them, so the next batch does not read them again. */
function openRows(lane: Lane, filter: DeliveryFilter, limit: number): Sql {
  return sql`select id from ${deliveries} where ${laneText(lane)} and ${whereDelivery(filter)} limit ${limit} ${forUpdate}`
}

/** The part of a changed delivery that listeners need. */
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
