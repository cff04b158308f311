import type { Mark } from '../../core/delivery/delivery.ts'
import { latencyBoundsMs, latencyBucket } from '../../core/ports/overview.ts'
import type { MinuteCounts, Rollup } from '../../core/ports/overview.ts'
import type { HourCounts } from '../../core/ports/figures.ts'
import { hour, minute } from '../../core/time.ts'
import type { Instant } from '../../core/time.ts'

/** Counts of marks per minute. */
export interface Rollups {
  count(endpointId: string, mark: Mark, tookMs: number | null, now: Instant): void
  /** The sum over a span, and its minutes in order of time. */
  between(since: Instant, until: Instant, endpointIds?: ReadonlySet<string>): { sum: Rollup; minutes: MinuteCounts[] }
  /** One endpoint's ended deliveries, by whole minutes. */
  ended(endpointId: string, since: Instant, until: Instant): { delivered: number; dead: number }
  /** Deletes up to `limit` minutes before a time; returns how many. */
  forget(before: Instant, limit: number): number
  /** Deletes all minutes of one endpoint. */
  erase(endpointId: string): void
  /** One endpoint's counts in intervals that begin at `minute`, oldest first. */
  buckets(endpointId: string, since: Instant, bucketMs: number): MinuteCounts[]
  /** One endpoint's hours with activity, and the minute of its last success. */
  history(endpointId: string, since: Instant): { hours: HourCounts[]; lastSuccessAt: Instant | null }
}

interface Counts extends MinuteCounts {
  delivered: number
  failed: number
  dead: number
  readonly latencies: number[]
}

export class MemoryRollups implements Rollups {
  readonly #byEndpoint = new Map<string, Map<Instant, Counts>>()

  count(endpointId: string, mark: Mark, tookMs: number | null, now: Instant): void {
    const own = this.#byEndpoint.get(endpointId) ?? new Map<Instant, Counts>()
    this.#byEndpoint.set(endpointId, own)
    countIn(own, mark, tookMs, minuteOf(now))
  }

  between(since: Instant, until: Instant, endpointIds?: ReadonlySet<string>): ReturnType<Rollups['between']> {
    const wanted = [...(endpointIds ?? this.#byEndpoint.keys())].flatMap((id) => this.#minutesOf(id))
    const kept = stretchesOf(
      wanted.filter(({ minute: start }) => start >= minuteOf(since) && start <= until),
      minute,
    )
    const busy = kept.filter(({ delivered, failed, dead }) => delivered + failed + dead > 0)
    return { sum: sumOf(kept), minutes: busy.map(copyOf) }
  }

  ended(endpointId: string, since: Instant, until: Instant): ReturnType<Rollups['ended']> {
    const { delivered, dead } = sumOf(
      this.#minutesOf(endpointId).filter(({ minute: start }) => start >= minuteOf(since) && start < until),
    )
    return { delivered, dead }
  }

  erase(endpointId: string): void {
    this.#byEndpoint.delete(endpointId)
  }

  forget(before: Instant, limit: number): number {
    const old = [...this.#byEndpoint.values()]
      .flatMap((minutes) => [...minutes.keys()].filter((start) => start < before).map((start) => ({ minutes, start })))
      .slice(0, limit)
    for (const { minutes, start } of old) minutes.delete(start)
    return old.length
  }

  buckets(endpointId: string, since: Instant, bucketMs: number): MinuteCounts[] {
    return stretchesOf(
      this.#minutesOf(endpointId).filter(({ minute: start }) => start >= since),
      bucketMs,
    )
  }

  history(endpointId: string, since: Instant): ReturnType<Rollups['history']> {
    const kept = this.#minutesOf(endpointId)
    const successes = kept.filter(({ delivered }) => delivered > 0).map(({ minute: start }) => start)
    return {
      hours: hoursOf(kept.filter(({ minute: start }) => start >= since)),
      lastSuccessAt: successes.length === 0 ? null : Math.max(...successes),
    }
  }

  #minutesOf(endpointId: string): Counts[] {
    return [...(this.#byEndpoint.get(endpointId)?.values() ?? [])]
  }
}

function countIn(minutes: Map<Instant, Counts>, mark: Mark, tookMs: number | null, start: Instant): void {
  const counts = minutes.get(start) ?? noCounts(start)
  minutes.set(start, counts)
  if (mark.status !== 'dead') counts[mark.status] += 1
  // A cancelled or expired delivery does not count as a failure.
  else if (mark.reason === 'exhausted' || mark.reason === 'crashed') counts.dead += 1
  if (tookMs !== null) addLatency(counts, tookMs)
}

function minuteOf(at: Instant): Instant {
  return at - (at % minute)
}

function sumOf(all: readonly Counts[]): Counts {
  const sum = noCounts(0)
  for (const counts of all) add(sum, counts)
  return sum
}

function copyOf(counts: Counts): MinuteCounts {
  return { ...counts, latencies: [...counts.latencies] }
}

function hoursOf(all: readonly Counts[]): HourCounts[] {
  return stretchesOf(all, hour).map(({ minute: at, delivered, failed, dead }) => ({ at, delivered, failed, dead }))
}

function stretchesOf(all: readonly Counts[], lengthMs: number): Counts[] {
  const sums = new Map<Instant, Counts>()
  for (const counts of all) {
    const start = counts.minute - (counts.minute % lengthMs)
    const sum = sums.get(start) ?? noCounts(start)
    sums.set(start, sum)
    add(sum, counts)
  }
  return [...sums.values()].toSorted((one, other) => one.minute - other.minute)
}

function noCounts(start: Instant): Counts {
  return {
    minute: start,
    delivered: 0,
    failed: 0,
    dead: 0,
    latencies: Array.from({ length: latencyBoundsMs.length + 1 }, () => 0),
  }
}

function add(sum: Counts, counts: Counts): void {
  sum.delivered += counts.delivered
  sum.failed += counts.failed
  sum.dead += counts.dead
  counts.latencies.forEach((count, bucket) => (sum.latencies[bucket] = (sum.latencies[bucket] ?? 0) + count))
}

function addLatency(counts: Counts, tookMs: number): void {
  const bucket = latencyBucket(tookMs)
  counts.latencies[bucket] = (counts.latencies[bucket] ?? 0) + 1
}
