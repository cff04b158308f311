import type { Lane } from '../../core/delivery.ts'
import type { Lease } from '../../core/lease.ts'
import type { Claim, ClaimRequest, Queue, Want } from '../../core/queue.ts'
import { freshText, retriesText } from '../lanes.ts'
import { heldAmong } from '../operations.ts'
import { toClaimIn, toLease } from '../rows.ts'
import type { Dialect } from '../sql.ts'
import { named } from './database.ts'
import type { PostgresDatabase } from './database.ts'

/** Leases what is due: one statement, one round trip, for all endpoints and both lanes. */
export function claimer(database: PostgresDatabase, prepare: boolean): (request: ClaimRequest) => Promise<Claim[]> {
  const statement = named(claimText(database.dialect), prepare)
  return async ({ owner, leaseMs, now, most, mostBytes, wants }) => {
    if (wants.length === 0 || most <= 0 || mostBytes <= 0) return []
    const placed = wants.map((want, place) => ({ ...want, place, most: Math.max(0, Math.min(want.most, most)) }))
    const rows = await database.ask(statement, [
      owner, now, now + leaseMs, most, mostBytes, ...wantColumns(placed, 'fresh'), ...wantColumns(placed, 'retries'),
    ])
    return rows.map(toClaimIn)
  }
}

type PlacedWant = Want & { readonly place: number }

function wantColumns(wants: readonly PlacedWant[], lane: Lane): [string[], number[], number[], number[]] {
  const inLane = wants.filter((want) => want.lane === lane)
  return [
    inLane.map(({ endpointId }) => endpointId),
    inLane.map(({ most }) => most),
    inLane.map(({ place }) => place),
    inLane.map(({ dueFrom = 0 }) => dueFrom),
  ]
}

/**
 * Rows that another worker has just locked are passed over. Only then is counted what fits into the bounds: the rest stays as it
 * was. An array instead of a join leads the update over the primary key, whatever the planner believes about the table.
 */
export function claimText({ table }: Dialect): string {
  const deliveries = table('webhook_deliveries')
  return `with fresh as materialized (
  ${dueRows(deliveries, table('messages'), 'fresh', '$6::text[], $7::integer[], $8::integer[], $9::bigint[]')}
), retries as materialized (
  ${dueRows(deliveries, table('messages'), 'retries', '$10::text[], $11::integer[], $12::integer[], $13::bigint[]')}
), due as (
  select * from fresh
  union all
  select * from retries
), counted as (
  select id, lane, row_number() over earlier as number, sum(bytes) over earlier - bytes as bytes_before
  from due
  window earlier as (order by place, due_at, id rows unbounded preceding)
), taken as materialized (
  select id, lane, number
  from counted
  where number <= $4::integer and bytes_before < $5::bigint
), leased as (
  update ${deliveries} d
  set lease_owner = $1, lease_until = $3::bigint, lease_epoch = d.lease_epoch + 1,
    crash_count = case when d.lease_owner is null then d.crash_count else d.crash_count + 1 end
  where d.id = any (array(select id from taken))
  returning d.id, d.webhook_id, d.message_id, d.event_type, d.session_id, d.attempt_count, d.policy, d.created_at, d.lease_epoch, d.crash_count
)
select l.*, t.lane, m.content_type, m.body
from leased l
join taken t on t.id = l.id
join ${table('messages')} m on m.id = l.message_id
order by t.number`
}

/**
 * Due rows of the wanted endpoints, locked. The size of the body is asked row by row, because a join could begin with the
 * messages; a row whose message is gone stays where it is: there is nothing to send. It begins at `due_from`: what was finished
 * before leaves entries in the index that nobody can clear away as long as some transaction keeps an older snapshot.
 */
function dueRows(deliveries: string, messages: string, lane: Lane, wants: string): string {
  const bytes = `(select octet_length(m.body) from ${messages} m where m.id = d.message_id)`
  return `select wanted.place, d.*, '${lane}' as lane
  from unnest(${wants}) as wanted (webhook_id, most, place, due_from)
  cross join lateral (
    select d.id, coalesce(d.next_retry_at, 0) as due_at, ${bytes} as bytes
    from ${deliveries} d
    where ${lane === 'fresh' ? freshText : retriesText}
      and d.webhook_id = wanted.webhook_id
      and coalesce(d.next_retry_at, 0) between wanted.due_from and $2::bigint
      and (d.lease_until is null or d.lease_until <= $2::bigint)
      and ${bytes} is not null
    order by coalesce(d.next_retry_at, 0), d.id
    limit wanted.most
    for update of d skip locked
  ) d`
}

// Statistics of a quiet hour say that nobody has a lease. A planner that believes them looks for the owner first, in the whole table, and
// compares each row it finds with each that was asked for. Of an expression it has no statistics, and goes by the primary key.

/** Prolongs leases that are still the owner's, even if they have run out, as long as nobody took them over. */
export function renewer(database: PostgresDatabase, prepare: boolean): Queue['renew'] {
  const statement = named(renewText(database.dialect), prepare)
  return async ({ owner, now, leaseMs, leases }) => {
    if (leases.length === 0) return []
    const rows = await database.ask(statement, [owner, now + leaseMs, ...leaseColumns(leases)])
    return heldAmong(leases, rows.map(toLease))
  }
}

export function renewText({ table }: Dialect): string {
  return `update ${table('webhook_deliveries')} d
set lease_until = $2::bigint
from unnest($3::text[], $4::integer[]) as held (id, epoch)
where d.id = held.id and d.lease_owner || '' = $1 and d.lease_epoch = held.epoch
returning d.id, d.lease_epoch`
}

export function releaser(database: PostgresDatabase, prepare: boolean): Queue['release'] {
  const statement = named(
    `update ${database.dialect.table('webhook_deliveries')} d
set lease_owner = null, lease_until = null, crash_count = 0
from unnest($2::text[], $3::integer[]) as held (id, epoch)
where d.id = held.id and d.lease_owner || '' = $1 and d.lease_epoch = held.epoch
returning d.id, d.lease_epoch`,
    prepare,
  )
  return async ({ owner, leases }) => {
    if (leases.length === 0) return []
    const rows = await database.ask(statement, [owner, ...leaseColumns(leases)])
    return heldAmong(leases, rows.map(toLease))
  }
}

/** In id order, as every batch: two that lock the same rows in another order would wait for each other. */
function leaseColumns(leases: readonly Lease[]): [string[], number[]] {
  const sorted = leases.toSorted((left, right) => (left.deliveryId < right.deliveryId ? -1 : 1))
  return [sorted.map(({ deliveryId }) => deliveryId), sorted.map(({ epoch }) => epoch)]
}
