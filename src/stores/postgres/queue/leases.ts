import type { Lease } from '../../../core/delivery/lease.ts'
import type { Queue } from '../../../core/ports/queue.ts'
import { heldAmong } from '../../shared/directory/operations.ts'
import { toLease } from '../../shared/rows/delivery-rows.ts'
import type { Dialect } from '../../shared/sql/sql.ts'
import { Prepared } from '../database.ts'
import type { PostgresDatabase } from '../database.ts'
import { columns } from './columns.ts'

// Everything written under a lease, except its mark. Statistics from a quiet hour say that there are no leases. A planner that trusts them
// searches the whole table for the owner first, and compares each row it finds with each requested one. For an expression it has no
// statistics, so it uses the primary key.

/** Extends leases that the owner still has, even expired ones, as long as no other worker took them over. */
export function renewer(database: PostgresDatabase, prepare: boolean): Queue['renew'] {
  const statement = new Prepared(renewText(database.dialect), prepare)
  return async ({ owner, now, leaseMs, leases }) => {
    if (leases.length === 0) return []
    const sorted = inIdOrder(leases)
    const rows = await database.ask(statement, [owner, now + leaseMs, idsOf(sorted), epochsOf(sorted)])
    return heldAmong(leases, rows.map(toLease))
  }
}

export function renewText({ table }: Dialect): string {
  return `update ${table('webhook_deliveries')} d
set lease_until = $2::bigint
from unnest(${columns('$3::text[]', '$4::integer[]')}) as held (id, epoch)
where d.id = held.id and d.lease_owner || '' = $1 and d.lease_epoch = held.epoch
returning d.id, d.lease_epoch`
}

export function releaser(database: PostgresDatabase, prepare: boolean): Queue['release'] {
  const statement = new Prepared(releaseText(database.dialect), prepare)
  return async ({ owner, leases }) => {
    if (leases.length === 0) return []
    const sorted = inIdOrder(leases)
    const rows = await database.ask(statement, [
      owner,
      idsOf(sorted),
      epochsOf(sorted),
      sorted.map(({ nextRetryAt = null }) => nextRetryAt),
      sorted.map(({ interrupted }) => interrupted?.epoch ?? null),
      sorted.map(({ interrupted }) => interrupted?.startedAt ?? null),
      sorted.map(({ interrupted }) => interrupted?.url ?? null),
    ])
    return heldAmong(leases, rows.map(toLease))
  }
}

/** Records attempts that were in flight. A suspect's attempt was recorded in advance: its worker is alive, so it has not crashed. */
export function releaseText({ table }: Dialect): string {
  return `with given as materialized (
  select *
  from unnest(${columns('$2::text[]', '$3::integer[]', '$4::bigint[]', '$5::integer[]', '$6::bigint[]', '$7::text[]')})
    as g (id, epoch, next_retry_at, attempt_epoch, started_at, url)
), released as (
  update ${table('webhook_deliveries')} d
  set lease_owner = null, lease_until = null, next_retry_at = coalesce(given.next_retry_at, d.next_retry_at)
  from given
  where d.id = given.id and d.lease_owner || '' = $1 and d.lease_epoch = given.epoch
  returning d.id, d.lease_epoch
), recorded as (
  insert into ${table('attempts')} as a (delivery_id, epoch, started_at, took_ms, outcome, url)
  select given.id, given.attempt_epoch, given.started_at, 0, 'interrupted', given.url
  from given
  join released on released.id = given.id and released.lease_epoch = given.epoch
  where given.attempt_epoch is not null
  on conflict (delivery_id, epoch) do update
  set outcome = excluded.outcome
  where a.outcome = 'started'
)
select id, lease_epoch
from released`
}

/** Records attempts in advance. The rows are locked, so that no other worker takes them over between check and record. */
export function starter(database: PostgresDatabase, prepare: boolean): Queue['start'] {
  const statement = new Prepared(startText(database.dialect), prepare)
  return async ({ owner, now, starts }) => {
    if (starts.length === 0) return []
    const sorted = inIdOrder(starts)
    const rows = await database.ask(statement, [
      owner,
      now,
      idsOf(sorted),
      epochsOf(sorted),
      sorted.map(({ url }) => url),
    ])
    return heldAmong(starts, rows.map(toLease))
  }
}

export function startText({ table }: Dialect): string {
  return `with held as materialized (
  select d.id, d.lease_epoch, begun.url
  from unnest(${columns('$3::text[]', '$4::integer[]', '$5::text[]')}) as begun (id, epoch, url)
  join ${table('webhook_deliveries')} d on d.id = begun.id and d.lease_owner || '' = $1 and d.lease_epoch = begun.epoch
  order by d.id
  for update of d
), recorded as (
  insert into ${table('attempts')} (delivery_id, epoch, started_at, took_ms, outcome, url)
  select id, lease_epoch, $2::bigint, 0, 'started', url
  from held
  on conflict (delivery_id, epoch) do nothing
)
select id, lease_epoch
from held`
}

/** Every batch uses this order: two batches that lock the same rows in different orders would deadlock. */
function inIdOrder<Held extends Lease>(leases: readonly Held[]): Held[] {
  return leases.toSorted((left, right) => (left.deliveryId < right.deliveryId ? -1 : 1))
}

function idsOf(leases: readonly Lease[]): string[] {
  return leases.map(({ deliveryId }) => deliveryId)
}

function epochsOf(leases: readonly Lease[]): number[] {
  return leases.map(({ epoch }) => epoch)
}
