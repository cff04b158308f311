import { latencyBucket } from '../../../core/ports/overview.ts'
import type { Marked, MarkRequest, SettledAttempt } from '../../../core/ports/queue.ts'
import { minute } from '../../../core/time.ts'
import { provisionalText } from '../../shared/directory/attempts.ts'
import { latencyColumns } from '../../shared/schema/latency-columns.ts'
import { fromDiagnostics, toLateMark } from '../../shared/rows/delivery-rows.ts'
import { toId } from '../../shared/rows/rows.ts'
import type { Dialect } from '../../shared/sql/sql.ts'
import type { Bound } from '../connections.ts'
import { Prepared } from '../database.ts'
import type { PostgresDatabase } from '../database.ts'
import { columns } from './columns.ts'

/** Writes outcomes, records attempts, counts both: one statement, one round trip, for the whole batch; another one for late marks. */
export function marker(database: PostgresDatabase, prepare: boolean): (request: MarkRequest) => Promise<Marked[]> {
  const marking = new Prepared(markText(database.dialect), prepare)
  const recording = new Prepared(lateText(database.dialect), prepare)
  return async (request) => {
    const answers: Marked[] = []
    // Two marks of one delivery in a batch are applied one after the other: a second round, which is rare, sees the result of the first.
    for (
      let left = [...request.marks.entries()];
      left.length > 0;
      left = left.filter(([index]) => answers[index] === undefined)
    ) {
      const round = firstOfEach(left)
      const marked = new Set((await database.ask(marking, valuesOf(request, round))).map(toId))
      const late = round.filter(([, { deliveryId }]) => !marked.has(deliveryId))
      for (const [index] of round) answers[index] = 'marked'
      if (late.length === 0) continue
      const rows = await database.ask(recording, lateValuesOf(late))
      for (const [place, [index]] of late.entries()) answers[index] = toLateMark(rows[place])
    }
    return answers
  }
}

type Numbered = readonly [index: number, settled: SettledAttempt]

/** In id order, like every batch: two batches that lock the same rows in different orders would deadlock. */
function firstOfEach(marks: readonly Numbered[]): Numbered[] {
  const first = new Map<string, Numbered>()
  for (const numbered of marks) {
    const { deliveryId } = numbered[1]
    if (!first.has(deliveryId)) first.set(deliveryId, numbered)
  }
  return [...first.values()].toSorted(([, left], [, right]) => (left.deliveryId < right.deliveryId ? -1 : 1))
}

const outcomeColumns = ['started_at', 'took_ms', 'outcome', 'status_code', 'excerpt', 'url', 'late', 'diagnostics']
const counters = ['delivered', 'failed', 'dead', ...latencyColumns]

/**
 * The fence is owner and epoch, without the status: a closed row has no owner. The owner is compared in an expression, as in a renewal. The
 * update returns everything that is to be recorded and counted, so that no join is needed.
 */
export function markText({ table }: Dialect): string {
  return `with m as materialized (
  select *
  from unnest(${columns(...markColumns)})
    as m (id, epoch, endpoint_id, status, reason, attempt_count, next_retry_at, error_detail,
      started_at, took_ms, outcome, status_code, excerpt, url, counted_as, bucket, attempt_epoch, diagnostics)
), marked as (
  update ${table('webhook_deliveries')} d
  set status = m.status, reason = m.reason, attempt_count = m.attempt_count, next_retry_at = m.next_retry_at, error_detail = m.error_detail,
    last_attempted_at = coalesce(m.started_at + m.took_ms, d.last_attempted_at), target_url = coalesce(m.url, d.target_url),
    lease_owner = null, lease_until = null, interruptions = 0,
    crash_count = case when m.reason = 'crashed' then d.crash_count else 0 end, updated_at = $2::bigint
  from m
  where d.id = m.id and d.lease_owner || '' = $1 and d.lease_epoch = m.epoch
  returning m.*
), recorded as (
  ${recordText(table, 'select id, attempt_epoch, started_at, took_ms, outcome, status_code, excerpt, url, diagnostics, 0 from marked where outcome is not null')}
), counted as (
  insert into ${table('endpoint_minutes')} as c (minute, endpoint_id, ${counters.join(', ')})
  select $3::bigint, endpoint_id,
    ${['delivered', 'failed', 'dead'].map((word) => `count(*) filter (where counted_as = '${word}')`).join(', ')},
    ${latencyColumns.map((_, bucket) => `count(*) filter (where bucket = ${bucket})`).join(', ')}
  from marked
  group by endpoint_id
  order by endpoint_id
  on conflict (minute, endpoint_id) do update
  set ${counters.map((column) => `${column} = c.${column} + excluded.${column}`).join(', ')}
)
select id
from marked`
}

const markTypes =
  'text integer text text text integer bigint text bigint integer text integer text text text integer integer text'
const markColumns = markTypes.split(' ').map((type, index) => `$${4 + index}::${type}[]`)

/**
 * For outcomes that could not be marked. If one is on record as in time, an earlier try succeeded. Otherwise it is recorded as late, but
 * not for a pruned delivery: that record would never be deleted. Whether the delivery exists is checked row by row, by its key, not with a
 * scan.
 */
export function lateText({ table }: Dialect): string {
  return `with m as materialized (
  select *
  from unnest(${columns('$1::text[]', '$2::integer[]', '$3::integer[]', '$4::bigint[]', '$5::integer[]', '$6::text[]', '$7::integer[]', '$8::text[]', '$9::text[]', '$10::text[]')}) with ordinality
    as m (id, epoch, attempt_epoch, started_at, took_ms, outcome, status_code, excerpt, url, diagnostics, place)
), recorded as (
  ${recordText(
    table,
    `select id, attempt_epoch, started_at, took_ms, outcome, status_code, excerpt, url, diagnostics, 1 from m
  where outcome is not null and (select d.id from ${table('webhook_deliveries')} d where d.id = m.id) is not null`,
  )}
  returning delivery_id, late
)
select coalesce(recorded.late, (select a.late from ${table('attempts')} a where a.delivery_id = m.id and a.epoch = m.epoch and a.outcome not in ${provisionalText}), 1) as late
from m
left join recorded on recorded.delivery_id = m.id
order by m.place`
}

/**
 * An outcome already on record is rewritten unchanged: that is the only way to get it back, even if another transaction committed it a
 * moment ago. A record that only says that the attempt began is replaced, and so is a late record of an attempt that its worker could mark
 * under a newer lease.
 */
function recordText(table: Dialect['table'], attempts: string): string {
  return `insert into ${table('attempts')} as a (delivery_id, epoch, started_at, took_ms, outcome, status_code, excerpt, url, diagnostics, late)
  ${attempts}
  on conflict (delivery_id, epoch) do update
  set ${outcomeColumns.map((column) => `${column} = case when a.outcome in ${provisionalText} or excluded.late < a.late then excluded.${column} else a.${column} end`).join(',\n    ')}`
}

function valuesOf({ owner, now }: MarkRequest, round: readonly Numbered[]): Bound[] {
  const marks = round.map(([, settled]) => settled)
  const attempts = marks.map(({ attempt }) => attempt)
  return [
    owner,
    now,
    now - (now % minute),
    marks.map(({ deliveryId }) => deliveryId),
    marks.map(({ epoch }) => epoch),
    marks.map(({ endpointId }) => endpointId),
    marks.map(({ mark }) => mark.status),
    marks.map(({ mark }) => mark.reason),
    marks.map(({ mark }) => mark.attemptCount),
    marks.map(({ mark }) => mark.nextRetryAt),
    marks.map(({ mark }) => mark.errorDetail),
    attempts.map((attempt) => attempt?.startedAt ?? null),
    attempts.map((attempt) => attempt?.tookMs ?? null),
    attempts.map((attempt) => attempt?.outcome ?? null),
    attempts.map((attempt) => attempt?.statusCode ?? null),
    attempts.map((attempt) => attempt?.responseBody ?? null),
    attempts.map((attempt) => attempt?.url ?? null),
    marks.map(countedAs),
    attempts.map((attempt) => (attempt === null ? null : latencyBucket(attempt.tookMs))),
    attempts.map((attempt) => attempt?.epoch ?? null),
    attempts.map(fromDiagnostics),
  ]
}

function lateValuesOf(late: readonly Numbered[]): Bound[] {
  const attempts = late.map(([, { attempt }]) => attempt)
  return [
    late.map(([, { deliveryId }]) => deliveryId),
    late.map(([, { epoch }]) => epoch),
    attempts.map((attempt) => attempt?.epoch ?? null),
    attempts.map((attempt) => attempt?.startedAt ?? null),
    attempts.map((attempt) => attempt?.tookMs ?? null),
    attempts.map((attempt) => attempt?.outcome ?? null),
    attempts.map((attempt) => attempt?.statusCode ?? null),
    attempts.map((attempt) => attempt?.responseBody ?? null),
    attempts.map((attempt) => attempt?.url ?? null),
    attempts.map(fromDiagnostics),
  ]
}

function countedAs({ mark: { status, reason } }: SettledAttempt): string | null {
  // A delivery that a person cancelled, or whose endpoint was deleted, does not count as failed.
  if (status === 'dead') return reason === 'exhausted' || reason === 'crashed' ? 'dead' : null
  return status
}
