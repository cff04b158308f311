import type { Lane } from '../../../core/delivery/delivery.ts'
import type { Claim, ClaimRequest } from '../../../core/ports/queue.ts'
import type { Row } from '../../shared/sql/database.ts'
import { laneTexts } from '../../shared/sql/lanes.ts'
import { toBodyBytes, toClaim, toTakenOver } from '../../shared/rows/delivery-rows.ts'
import type { TakenOver } from '../../shared/rows/delivery-rows.ts'
import type { Connection } from '../connection.ts'

/**
 * Due rows of one endpoint, oldest first. A row whose message is gone is left alone: there is nothing to send. A lease is over when it
 * expires or, if the workers of this process are given, when it belongs to none of them.
 */
export function selectDue(lane: Lane): string {
  // A cross join keeps SQLite from starting with the messages.
  return `select d.id, d.webhook_id, d.message_id, d.event_type, d.session_id, d.attempt_count, d.policy, d.created_at, d.target_url,
  d.lease_owner, d.lease_until, d.lease_epoch + 1 as lease_epoch, d.interruptions, d.crash_count, m.content_type, m.trace_context, m.body
from webhook_deliveries d
cross join posthorn_messages m on m.id = d.message_id
where ${laneTexts[lane]}
  and d.webhook_id = ?1
  and coalesce(d.next_retry_at, 0) <= ?2
  and (d.lease_until is null or d.lease_until <= ?2 or (?4 is not null and d.lease_owner not in (select value from json_each(?4))))
order by coalesce(d.next_retry_at, 0), d.id
limit ?3`
}

const selects: Readonly<Record<Lane, string>> = {
  fresh: selectDue('fresh'),
  retries: selectDue('retries'),
  suspects: selectDue('suspects'),
}

const lease = `update webhook_deliveries
set lease_owner = ?2, lease_until = ?3, lease_epoch = lease_epoch + 1
where id = ?1`

const leaseAfterAnother = `update webhook_deliveries
set lease_owner = ?2, lease_until = ?3, lease_epoch = lease_epoch + 1, interruptions = ?4, crash_count = ?5
where id = ?1`

const recordCrash = `update posthorn_attempts
set outcome = 'crashed'
where delivery_id = ?1 and epoch = ?2 and outcome = 'started'`

const recordInterruption = `insert into posthorn_attempts (delivery_id, epoch, started_at, took_ms, outcome, url)
values (?1, ?2, ?3, 0, 'interrupted', ?4)
on conflict (delivery_id, epoch) do nothing`

/**
 * Leases due deliveries; runs inside the transaction of the turn, so nothing can happen between selecting and leasing. `workers` is a JSON
 * list of the workers of the only process that may deliver; null if they are unknown.
 */
export function claim(connection: Connection, request: ClaimRequest, workers: string | null): Claim[] {
  const picked: { lane: Lane; row: Row }[] = []
  for (const want of request.wants) {
    const limit = Math.min(want.most, request.most - picked.length)
    if (limit <= 0 || want.mostBytes <= 0) continue
    const rows = connection.prepare(selects[want.lane]).iterate(want.endpointId, request.now, limit, workers)
    for (const row of upTo(want.mostBytes, rows)) picked.push({ lane: want.lane, row })
  }
  // Leased only now: a statement must not change the rows that it is iterating over.
  const update = connection.prepare(lease)
  return picked.map(({ lane, row }) => {
    const taken = toClaim(row, lane, null)
    const before = toTakenOver(row)
    if (before !== null) return takeOver(connection, taken, before, request)
    update.run(taken.delivery.id, request.owner, request.now + request.leaseMs)
    return taken
  })
}

/** Reads row by row, so that bodies beyond the bound are never in memory. */
function* upTo(mostBytes: number, rows: Iterable<Row>): Iterable<Row> {
  let bytes = 0
  for (const row of rows) {
    yield row
    bytes += toBodyBytes(row)
    if (bytes >= mostBytes) return
  }
}

/** A row that still has an owner was abandoned by it: the fate of its attempt is recorded under its own epoch. */
function takeOver(
  connection: Connection,
  { delivery, ...rest }: Claim,
  before: TakenOver,
  { owner, now, leaseMs }: ClaimRequest,
): Claim {
  const { deliveryId, epoch, leaseUntil, url } = before
  const hasCrashed = connection.prepare(recordCrash).run(deliveryId, epoch).changes > 0
  if (!hasCrashed)
    connection.prepare(recordInterruption).run(deliveryId, epoch, Math.min(leaseUntil - leaseMs, now), url)
  const interruptions = delivery.interruptions + 1
  const crashCount = delivery.crashCount + (hasCrashed ? 1 : 0)
  connection.prepare(leaseAfterAnother).run(deliveryId, owner, now + leaseMs, interruptions, crashCount)
  return {
    ...rest,
    delivery: { ...delivery, interruptions, crashCount },
    tookOver: hasCrashed ? 'crashed' : 'interrupted',
  }
}
