import type { Instant } from '../time.ts'

/** The overall state, from rollups and partial indexes: reading it costs the same with ten million rows of history. */
export interface Overview {
  readonly at: Instant
  readonly windowMs: number
  readonly attempts: number
  readonly delivered: number
  readonly failed: number
  /** Dead letters with the reason `exhausted` or `crashed`: those that rates and alarms count. */
  readonly dead: number
  /** The share of dead letters among all deliveries that ended in the window. */
  readonly deadLetterRate: number
  readonly alarm: 'none' | 'warning' | 'alarm'
  readonly latencyP50Ms: number | null
  readonly latencyP95Ms: number | null
  readonly queue: QueueDepth
  readonly minutes: readonly MinuteCounts[]
}

/** Counted up to a bound; `atLeast` means that there are more. */
export interface QueueDepth {
  /** Waiting at endpoints that are not on hold; the others are `held`. */
  readonly fresh: number
  readonly retries: number
  /** Open at endpoints that are paused, disabled, or held by their breaker. */
  readonly held: number
  readonly dead: number
  readonly atLeast: boolean
  readonly oldestDueAt: Instant | null
}

export interface MinuteCounts {
  readonly minute: Instant
  readonly delivered: number
  readonly failed: number
  readonly dead: number
  /** `latencies[i]` counts attempts up to `latencyBoundsMs[i]`. */
  readonly latencies: readonly number[]
}

/** One interval in the overview's chart. */
export interface Bucket {
  readonly at: Instant
  readonly delivered: number
  readonly failed: number
  readonly dead: number
  readonly latencyP50Ms: number | null
  readonly latencyP95Ms: number | null
}

/** Counts of one endpoint and minute, or a sum of several. `latencies[i]` counts attempts up to `latencyBoundsMs[i]`. */
export interface Rollup {
  readonly delivered: number
  readonly failed: number
  readonly dead: number
  readonly latencies: readonly number[]
}

/** What a store reads for an overview; `sum` is the sum over the minutes. */
interface OverviewReadings extends Pick<Overview, 'at' | 'windowMs' | 'queue' | 'minutes'> {
  readonly sum: Rollup
}

/** Upper bounds of the latency buckets; slower attempts go into one more. */
export const latencyBoundsMs = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 20_000, 30_000] as const

/** A warning over 2 % of dead letters, an alarm over 5 % (RR-4-metrics). */
const warningRate = 0.02
const alarmRate = 0.05

/** Calculates the overview of a window from the store's sums. */
export function makeOverview({ at, windowMs, sum, queue, minutes }: OverviewReadings): Overview {
  const ended = sum.delivered + sum.dead
  const deadLetterRate = ended === 0 ? 0 : sum.dead / ended
  return {
    at,
    windowMs,
    attempts: sum.latencies.reduce((total, count) => total + count, 0),
    delivered: sum.delivered,
    failed: sum.failed,
    dead: sum.dead,
    deadLetterRate,
    alarm: deadLetterRate > alarmRate ? 'alarm' : deadLetterRate > warningRate ? 'warning' : 'none',
    latencyP50Ms: percentile(sum.latencies, 0.5),
    latencyP95Ms: percentile(sum.latencies, 0.95),
    queue,
    minutes,
  }
}

/** The window in intervals of equal length, including empty ones, oldest first. */
export function bucketsOf(
  { at, windowMs, minutes }: Pick<Overview, 'at' | 'windowMs' | 'minutes'>,
  bucketMs: number,
): Bucket[] {
  const starts = Array.from(
    { length: Math.ceil(windowMs / bucketMs) },
    (_, index) => at - (at % bucketMs) - index * bucketMs,
  ).toReversed()
  const byStart = new Map<Instant, MinuteCounts[]>(starts.map((start) => [start, []]))
  for (const counts of minutes) byStart.get(counts.minute - (counts.minute % bucketMs))?.push(counts)
  return starts.map((start) => bucketOf(start, byStart.get(start) ?? []))
}

/** The sum of minutes as one interval. */
export function bucketOf(at: Instant, minutes: readonly MinuteCounts[]): Bucket {
  const latencies = Array.from({ length: latencyBoundsMs.length + 1 }, (_, index) =>
    minutes.reduce((sum, counts) => sum + (counts.latencies[index] ?? 0), 0),
  )
  return {
    at,
    delivered: minutes.reduce((sum, { delivered }) => sum + delivered, 0),
    failed: minutes.reduce((sum, { failed }) => sum + failed, 0),
    dead: minutes.reduce((sum, { dead }) => sum + dead, 0),
    latencyP50Ms: percentile(latencies, 0.5),
    latencyP95Ms: percentile(latencies, 0.95),
  }
}

export function latencyBucket(tookMs: number): number {
  const index = latencyBoundsMs.findIndex((bound) => tookMs <= bound)
  return index === -1 ? latencyBoundsMs.length : index
}

/** The upper bound of the bucket that contains the percentile. */
function percentile(latencies: readonly number[], share: number): number | null {
  const total = latencies.reduce((sum, count) => sum + count, 0)
  if (total === 0) return null
  let seen = 0
  for (const [index, count] of latencies.entries()) {
    seen += count
    if (seen >= total * share) return latencyBoundsMs[index] ?? latencyBoundsMs[latencyBoundsMs.length - 1] ?? null
  }
  return null
}
