import type { Lane } from '../../core/delivery.ts'
import type { Claim, ClaimRequest, LeaseRequest } from '../../core/queue.ts'
import { freshText, retriesText } from '../lanes.ts'
import { toClaim } from '../rows.ts'
import type { Connection } from './connection.ts'

/** Due rows of one endpoint, oldest first. A row whose message is gone stays where it is: there is nothing to send. */
export function selectDue(lane: Lane): string {
  // A cross join keeps SQLite from starting with the messages.
  return `select d.id, d.webhook_id, d.message_id, d.event_type, d.session_id, d.attempt_count, d.policy, d.created_at,
  d.lease_epoch + 1 as lease_epoch, d.crash_count + (d.lease_owner is not null) as crash_count, m.content_type, m.body
from webhook_deliveries d
cross join posthorn_messages m on m.id = d.message_id
where ${lane === 'fresh' ? freshText : retriesText}
  and d.webhook_id = ?1
  and coalesce(d.next_retry_at, 0) <= ?2
  and (d.lease_until is null or d.lease_until <= ?2)
order by coalesce(d.next_retry_at, 0), d.id
limit ?3`
}

const selectFresh = selectDue('fresh')
const selectRetries = selectDue('retries')

const lease = `update webhook_deliveries
set lease_owner = ?2, lease_until = ?3, lease_epoch = lease_epoch + 1, crash_count = ?4
where id = ?1`

const prolong = `update webhook_deliveries
set lease_until = ?4
where id = ?1 and lease_owner = ?2 and lease_epoch = ?3`

/** Leases what is due; runs inside the transaction of the turn, so nobody comes between the look and the lease. */
export function claim(connection: Connection, { owner, leaseMs, now, most, mostBytes, wants }: ClaimRequest): Claim[] {
  const claims: Claim[] = []
  let bytes = 0
  for (const want of wants) {
    const limit = Math.min(want.most, most - claims.length)
    if (limit <= 0 || bytes >= mostBytes) break
    const select = connection.prepare(want.lane === 'fresh' ? selectFresh : selectRetries)
    // Read row by row, so that bodies beyond the bound are never in memory.
    for (const row of select.iterate(want.endpointId, now, limit)) {
      const taken = toClaim(row, want.lane)
      claims.push(taken)
      bytes += taken.message.body.length
      if (bytes >= mostBytes) break
    }
  }
  // Leased only now: a statement must not change the rows that it is walking over.
  const update = connection.prepare(lease)
  for (const { delivery } of claims) update.run(delivery.id, owner, now + leaseMs, delivery.crashCount)
  return claims
}

/** Prolongs leases that are still the owner's, even if they have run out, as long as nobody took them over. */
export function renew(connection: Connection, { owner, leaseMs, now, leases }: LeaseRequest & { leaseMs: number }): string[] {
  const update = connection.prepare(prolong)
  const ours = leases.filter(({ deliveryId, epoch }) => update.run(deliveryId, owner, epoch, now + leaseMs).changes > 0)
  return ours.map(({ deliveryId }) => deliveryId)
}
