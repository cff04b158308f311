import { latencyBucket } from '../../../core/ports/overview.ts'
import type { Rollup } from '../../../core/ports/overview.ts'
import type { Marked, MarkRequest, SettledAttempt } from '../../../core/ports/queue.ts'
import { minute } from '../../../core/time.ts'
import { provisionalText } from '../../shared/directory/attempts.ts'
import { fromDiagnostics } from '../../shared/rows/delivery-rows.ts'
import { latencyColumns } from '../../shared/schema/latency-columns.ts'
import type { Connection } from '../connection.ts'

// The fence is owner and epoch, without the status: a closed row has no owner.
const updateDelivery = `update webhook_deliveries
set status = ?4, reason = ?5, attempt_count = ?6, next_retry_at = ?7, error_detail = ?8,
  last_attempted_at = coalesce(?9, last_attempted_at), target_url = coalesce(?10, target_url),
  lease_owner = null, lease_until = null, interruptions = 0, crash_count = case when ?5 = 'crashed' then crash_count else 0 end, updated_at = ?11
where id = ?1 and lease_owner = ?2 and lease_epoch = ?3`

const selectAttempt = `select 1
from posthorn_attempts
where delivery_id = ?1 and epoch = ?2 and late = 0 and outcome not in ${provisionalText}`

// A record that only says that the attempt began is replaced by its outcome. An outcome is written only once, except that a late one
// becomes in time if its worker could mark it under a newer lease.
const overProvisional = `on conflict (delivery_id, epoch) do update
set started_at = excluded.started_at, took_ms = excluded.took_ms, outcome = excluded.outcome, status_code = excluded.status_code,
  excerpt = excluded.excerpt, url = excluded.url, late = excluded.late, diagnostics = excluded.diagnostics
where outcome in ${provisionalText} or excluded.late < late`

const insertAttempt = `insert into posthorn_attempts (delivery_id, epoch, started_at, took_ms, outcome, status_code, excerpt, url, diagnostics)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)
${overProvisional}`

// Not for a delivery that was pruned meanwhile: the attempt would never be deleted.
const insertLateAttempt = `insert into posthorn_attempts (delivery_id, epoch, started_at, took_ms, outcome, status_code, excerpt, url, diagnostics, late)
select id, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, 1
from webhook_deliveries
where id = ?1
${overProvisional}`

const counters = ['delivered', 'failed', 'dead', ...latencyColumns]
const upsertMinute = `insert into posthorn_endpoint_minutes (minute, endpoint_id, ${counters.join(', ')})
values (?1, ?2, ${counters.map((_, index) => `?${index + 3}`).join(', ')})
on conflict (minute, endpoint_id) do update
set ${counters.map((column) => `${column} = ${column} + excluded.${column}`).join(', ')}`

/** Writes outcomes, records attempts, counts both; runs inside the transaction of the turn. */
export function mark(connection: Connection, { owner, now, marks }: MarkRequest): Marked[] {
  const rollups = new Map<string, Counts>()
  const results = marks.map((settled) => {
    const result = markOne(connection, settled, owner, now)
    if (result === 'marked') count(rollups, settled)
    return result
  })
  const upsert = connection.prepare(upsertMinute)
  const at = now - (now % minute)
  for (const [endpointId, { delivered, failed, dead, latencies }] of rollups) {
    upsert.get(at, endpointId, delivered, failed, dead, ...latencies)
  }
  return results
}

function markOne(
  connection: Connection,
  { deliveryId, epoch, mark: change, attempt }: SettledAttempt,
  owner: string,
  now: number,
): Marked {
  const { changes } = connection
    .prepare(updateDelivery)
    .run(
      deliveryId,
      owner,
      epoch,
      change.status,
      change.reason,
      change.attemptCount,
      change.nextRetryAt,
      change.errorDetail,
      attempt === null ? null : attempt.startedAt + attempt.tookMs,
      attempt === null ? null : attempt.url,
      now,
    )
  if (changes === 0 && connection.prepare(selectAttempt).get(deliveryId, attempt?.epoch ?? epoch) !== undefined)
    return 'already'

  // A late attempt is recorded too: it was sent, whichever worker holds the lease now.
  if (attempt !== null) {
    const { startedAt, tookMs, outcome, statusCode, responseBody, url } = attempt
    const insert = connection.prepare(changes === 0 ? insertLateAttempt : insertAttempt)
    const diagnostics = fromDiagnostics(attempt)
    insert.get(deliveryId, attempt.epoch, startedAt, tookMs, outcome, statusCode, responseBody, url, diagnostics)
  }
  return changes === 0 ? 'lost' : 'marked'
}

type Counts = { -readonly [Field in keyof Rollup]: Field extends 'latencies' ? number[] : number }

function count(rollups: Map<string, Counts>, { endpointId, mark: { status, reason }, attempt }: SettledAttempt): void {
  let counts = rollups.get(endpointId)
  if (counts === undefined) {
    counts = { delivered: 0, failed: 0, dead: 0, latencies: latencyColumns.map(() => 0) }
    rollups.set(endpointId, counts)
  }
  if (status === 'delivered') counts.delivered += 1
  if (status === 'failed') counts.failed += 1
  // A delivery that a person cancelled, or whose endpoint was deleted, does not count as failed.
  if (status === 'dead' && (reason === 'exhausted' || reason === 'crashed')) counts.dead += 1
  if (attempt === null) return
  const bucket = latencyBucket(attempt.tookMs)
  counts.latencies[bucket] = (counts.latencies[bucket] ?? 0) + 1
}
