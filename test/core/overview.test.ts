import { describe, expect, test } from 'vitest'
import { latencyBoundsMs, latencyBucket, makeOverview } from '../../src/core/ports/overview.ts'
import type { Rollup } from '../../src/core/ports/overview.ts'

const queue = { fresh: 1, retries: 2, held: 0, dead: 0, atLeast: false, oldestDueAt: 5 }

function rollup(over: Partial<Rollup> = {}): Rollup {
  return { delivered: 0, failed: 0, dead: 0, latencies: latencies({}), ...over }
}

/** Attempts by how long they took. */
function latencies(counts: Record<number, number>): number[] {
  const buckets = Array.from({ length: latencyBoundsMs.length + 1 }, () => 0)
  for (const [tookMs, count] of Object.entries(counts)) buckets[latencyBucket(Number(tookMs))]! += count
  return buckets
}

test.each([
  [0, 0],
  [5, 0],
  [6, 1],
  [250, 5],
  [30_000, 12],
  [30_001, 13],
  [99_999_999, 13],
])('an attempt of %d ms falls into bucket %d', (tookMs, bucket) => {
  expect(latencyBucket(tookMs)).toBe(bucket)
})

test('an idle window has no rate, no latency and no alarm', () => {
  expect(makeOverview({ at: 100, windowMs: 60_000, sum: rollup(), queue, minutes: [] })).toEqual({
    at: 100,
    windowMs: 60_000,
    attempts: 0,
    delivered: 0,
    failed: 0,
    dead: 0,
    deadLetterRate: 0,
    alarm: 'none',
    latencyP50Ms: null,
    latencyP95Ms: null,
    queue,
    minutes: [],
  })
})

test.each([
  [100, 0, 0, 'none'],
  [98, 2, 0.02, 'none'],
  [979, 21, 0.021, 'warning'],
  [95, 5, 0.05, 'warning'],
  [949, 51, 0.051, 'alarm'],
  [0, 1, 1, 'alarm'],
])('%d delivered and %d dead make a rate of %d: %s', (delivered, dead, rate, alarm) => {
  const overview = makeOverview({
    at: 0,
    windowMs: 60_000,
    sum: rollup({ delivered, dead, failed: 999 }),
    queue,
    minutes: [],
  })
  expect(overview.deadLetterRate).toBeCloseTo(rate)
  expect(overview.alarm).toBe(alarm)
})

describe('latency', () => {
  test.each([
    ['one attempt', { 7: 1 }, 10, 10],
    ['nineteen fast, one slow', { 5: 19, 400: 1 }, 5, 5],
    ['eighteen fast, two slow', { 5: 18, 400: 2 }, 5, 500],
    ['half and half', { 5: 10, 400: 10 }, 5, 500],
    ['slower than every bound', { 60_000: 3 }, 30_000, 30_000],
  ])('of %s is the bound of the bucket it falls into', (_, counts, p50, p95) => {
    const overview = makeOverview({
      at: 0,
      windowMs: 60_000,
      sum: rollup({ latencies: latencies(counts) }),
      queue,
      minutes: [],
    })
    expect([overview.latencyP50Ms, overview.latencyP95Ms]).toEqual([p50, p95])
  })

  test('counts every attempt', () => {
    expect(
      makeOverview({
        at: 0,
        windowMs: 60_000,
        sum: rollup({ latencies: latencies({ 1: 3, 70_000: 4 }) }),
        queue,
        minutes: [],
      }).attempts,
    ).toBe(7)
  })
})
