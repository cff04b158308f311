import type { LeaseRequest, ReleaseRequest, StartRequest } from '../../../core/ports/queue.ts'
import type { Connection } from '../connection.ts'

// Everything written under a lease, except its mark. Each function runs inside the transaction of the turn.

const prolong = `update webhook_deliveries
set lease_until = ?4
where id = ?1 and lease_owner = ?2 and lease_epoch = ?3`

const giveBack = `update webhook_deliveries
set lease_owner = null, lease_until = null, next_retry_at = coalesce(?4, next_retry_at)
where id = ?1 and lease_owner = ?2 and lease_epoch = ?3`

const selectHeld = `select 1
from webhook_deliveries
where id = ?1 and lease_owner = ?2 and lease_epoch = ?3`

const recordStart = `insert into posthorn_attempts (delivery_id, epoch, started_at, took_ms, outcome, url)
values (?1, ?2, ?3, 0, 'started', ?4)
on conflict (delivery_id, epoch) do nothing`

// A suspect's attempt was recorded in advance: its worker is alive, so it has not crashed.
const recordInterruption = `insert into posthorn_attempts (delivery_id, epoch, started_at, took_ms, outcome, url)
values (?1, ?2, ?3, 0, 'interrupted', ?4)
on conflict (delivery_id, epoch) do update
set outcome = excluded.outcome
where outcome = 'started'`

/** Extends leases that the owner still has, even expired ones, as long as no other worker took them over. */
export function renew(
  connection: Connection,
  { owner, leaseMs, now, leases }: LeaseRequest & { leaseMs: number },
): string[] {
  const update = connection.prepare(prolong)
  const ours = leases.filter(({ deliveryId, epoch }) => update.run(deliveryId, owner, epoch, now + leaseMs).changes > 0)
  return ours.map(({ deliveryId }) => deliveryId)
}

export function release(connection: Connection, { owner, leases }: ReleaseRequest): string[] {
  const update = connection.prepare(giveBack)
  const ours = leases.filter(
    ({ deliveryId, epoch, nextRetryAt }) => update.run(deliveryId, owner, epoch, nextRetryAt ?? null).changes > 0,
  )
  const record = connection.prepare(recordInterruption)
  for (const { deliveryId, interrupted } of ours) {
    if (interrupted !== undefined) record.run(deliveryId, interrupted.epoch, interrupted.startedAt, interrupted.url)
  }
  return ours.map(({ deliveryId }) => deliveryId)
}

/** Records attempts in advance, if the owner still has the lease. */
export function start(connection: Connection, { owner, now, starts }: StartRequest): string[] {
  const [held, insert] = [connection.prepare(selectHeld), connection.prepare(recordStart)]
  const ours = starts.filter(({ deliveryId, epoch }) => held.get(deliveryId, owner, epoch) !== undefined)
  for (const { deliveryId, epoch, url } of ours) insert.run(deliveryId, epoch, now, url)
  return ours.map(({ deliveryId }) => deliveryId)
}
