import { lanes } from '../../../core/delivery/delivery.ts'
import type { Lane } from '../../../core/delivery/delivery.ts'
import type { Claim, ClaimRequest, Want } from '../../../core/ports/queue.ts'
import { laneTexts } from '../../shared/sql/lanes.ts'
import { toClaimIn } from '../../shared/rows/delivery-rows.ts'
import type { Dialect } from '../../shared/sql/sql.ts'
import type { Bound } from '../connections.ts'
import { Prepared } from '../database.ts'
import type { PostgresDatabase } from '../database.ts'
import { columns } from './columns.ts'

/** Leases due deliveries: one statement, one round trip, for all endpoints and lanes. */
export function claimer(database: PostgresDatabase, prepare: boolean): (request: ClaimRequest) => Promise<Claim[]> {
  const statement = new Prepared(claimText(database.dialect), prepare)
  return async ({ owner, leaseMs, now, most, wants }) => {
    const placed = wants
      .map((want, place) => ({ ...want, place, most: Math.min(want.most, most) }))
      .filter((want) => want.most > 0 && want.mostBytes > 0)
    if (placed.length === 0) return []
    const rows = await database.ask(statement, [
      owner,
      now,
      now + leaseMs,
      most,
      ...lanes.flatMap((lane) => wantColumns(placed, lane)),
    ])
    return rows.map(toClaimIn)
  }
}

type PlacedWant = Want & { readonly place: number }

function wantColumns(wants: readonly PlacedWant[], lane: Lane): Bound[] {
  const inLane = wants.filter((want) => want.lane === lane)
  return [
    inLane.map(({ endpointId }) => endpointId),
    inLane.map(({ most }) => most),
    inLane.map(({ mostBytes }) => Math.min(Math.ceil(mostBytes), Number.MAX_SAFE_INTEGER)),
    inLane.map(({ place }) => place),
    inLane.map(({ dueFrom = 0 }) => dueFrom),
  ]
}

/**
 * Skips rows that another worker has just locked, and only then applies the bounds: the remaining rows stay unchanged. An array instead of
 * a join makes the update use the primary key, whatever the planner estimates. A row that still has an owner was abandoned by it: the fate
 * of its attempt is recorded under its own epoch. That is an insert rather than an update, for which a planner may scan all attempts.
 * Without abandoned rows it costs nothing.
 */
export function claimText({ table }: Dialect): string {
  const deliveries = table('webhook_deliveries')
  const crashed = `array(select delivery_id from ended where outcome = 'crashed')`
  return `with ${lanes
    .map(
      (lane, index) => `${lane} as materialized (
  ${dueRows(deliveries, table('messages'), lane, 5 + 5 * index)}
)`,
    )
    .join(', ')}, due as (
  ${lanes.map((lane) => `select * from ${lane}`).join('\n  union all\n  ')}
), sized as (
  select *, sum(bytes) over (partition by place order by due_at, id rows unbounded preceding) - bytes as bytes_before
  from due
), fitting as (
  select *, row_number() over (order by place, due_at, id) as number
  from sized
  where bytes_before < most_bytes
), taken as materialized (
  select *
  from fitting
  where number <= $4::integer
), ended as (
  insert into ${table('attempts')} as a (delivery_id, epoch, started_at, took_ms, outcome, url)
  select id, lease_epoch, least(lease_until - ($3::bigint - $2::bigint), $2::bigint), 0, 'interrupted', target_url
  from taken
  where lease_owner is not null
  on conflict (delivery_id, epoch) do update
  set outcome = case when a.outcome = 'started' then 'crashed' else a.outcome end
  returning a.delivery_id, a.outcome
), leased as (
  update ${deliveries} d
  set lease_owner = $1, lease_until = $3::bigint, lease_epoch = d.lease_epoch + 1,
    interruptions = case when d.lease_owner is null then d.interruptions else d.interruptions + 1 end,
    crash_count = case when d.id = any (${crashed}) then d.crash_count + 1 else d.crash_count end
  where d.id = any (array(select id from taken))
  returning d.id, d.webhook_id, d.message_id, d.event_type, d.session_id, d.attempt_count, d.policy, d.created_at, d.lease_epoch,
    d.interruptions, d.crash_count
)
select l.*, t.lane, m.content_type, m.trace_context, m.body,
  case
    when t.lease_owner is null then null
    when l.id = any (${crashed}) then 'crashed'
    else 'interrupted'
  end as took_over
from leased l
join taken t on t.id = l.id
join ${table('messages')} m on m.id = l.message_id
order by t.number`
}

/**
 * Due rows of the wanted endpoints, locked. The body size is a scalar subquery, because a join could start with the messages. A row whose
 * message is gone is left alone: there is nothing to send. The scan starts at `due_from`: deliveries that finished before leave index
 * entries that cannot be cleaned up while some transaction holds an older snapshot.
 */
function dueRows(deliveries: string, messages: string, lane: Lane, first: number): string {
  const bytes = `(select octet_length(m.body) from ${messages} m where m.id = d.message_id)`
  const wants = ['text', 'integer', 'bigint', 'integer', 'bigint'].map((type, index) => `$${first + index}::${type}[]`)
  return `select wanted.place, wanted.most_bytes, d.*, '${lane}' as lane
  from unnest(${columns(...wants)}) as wanted (webhook_id, most, most_bytes, place, due_from)
  cross join lateral (
    select d.id, coalesce(d.next_retry_at, 0) as due_at, d.lease_owner, d.lease_until, d.lease_epoch, d.target_url, ${bytes} as bytes
    from ${deliveries} d
    where ${laneTexts[lane]}
      and d.webhook_id = wanted.webhook_id
      and coalesce(d.next_retry_at, 0) between wanted.due_from and $2::bigint
      and (d.lease_until is null or d.lease_until <= $2::bigint)
      and ${bytes} is not null
    order by coalesce(d.next_retry_at, 0), d.id
    limit wanted.most
    for update of d skip locked
  ) d`
}
