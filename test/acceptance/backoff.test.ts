import { expect, test } from 'vitest'
import { presets } from '../../src/core/delivery/presets.ts'
import { delayAfter } from '../../src/core/delivery/retry-policy.ts'
import { midpoint, seededRandom } from '../../src/testing/seeded-random.ts'

const { policy } = presets.standard
const seed = 20260409

/** The waits in seconds before retry n, counted from 0 as the redesign does. */
function waits(n: number, draws: number): number[] {
  const random = seededRandom(seed + n)
  return Array.from({ length: draws }, () => delayAfter(policy, n + 1, random) / 1000)
}

test('RR-3.1-first the first retry comes after 48 to 72 seconds', () => {
  const seconds = waits(0, 1000)
  expect(Math.min(...seconds)).toBeGreaterThanOrEqual(48)
  expect(Math.max(...seconds)).toBeLessThanOrEqual(72)
  // The whole range is used, and evenly: a jitter that has shrunk would pass the bounds.
  expect(Math.min(...seconds)).toBeLessThan(49)
  expect(Math.max(...seconds)).toBeGreaterThan(71)
  expect(mean(seconds)).toBeCloseTo(60, -1)
})

test('RR-3.1-second the second retry comes after 96 to 144 seconds', () => {
  const seconds = waits(1, 1000)
  expect(Math.min(...seconds)).toBeGreaterThanOrEqual(96)
  expect(Math.max(...seconds)).toBeLessThanOrEqual(144)
  expect(Math.min(...seconds)).toBeLessThan(98)
  expect(Math.max(...seconds)).toBeGreaterThan(142)
  expect(mean(seconds)).toBeCloseTo(120, -1)
})

test('RR-3.1-exponential each wait is twice the one before: 60, 120, 240, 480, 960 seconds', () => {
  expect([0, 1, 2, 3, 4].map((n) => delayAfter(policy, n + 1, midpoint) / 1000)).toEqual([60, 120, 240, 480, 960])
})

test('RR-3.1-floor no draw makes a wait under one second or a negative one', () => {
  const extremes = [0, Number.MIN_VALUE, 0.5, 1 - 2 ** -53]
  const random = seededRandom(seed)
  const draws = [...extremes, ...Array.from({ length: 1000 }, random)]
  // Tiny bases, which only the override lets in, are what the floor is for.
  for (const baseMs of [1, 500, 1000, 1200, 60_000]) {
    const tiny = { ...policy, delays: { kind: 'exponential', baseMs, capMs: null } } as const
    for (const draw of draws) expect(delayAfter(tiny, 1, () => draw)).toBeGreaterThanOrEqual(1000)
  }
  for (let failures = 1; failures < policy.maxAttempts; failures += 1) {
    for (const draw of draws) expect(delayAfter(policy, failures, () => draw)).toBeGreaterThanOrEqual(1000)
  }
})

test('RR-3.3-variance a hundred first retries do not come back together', () => {
  const seconds = waits(0, 100)
  expect(new Set(seconds).size).toBeGreaterThan(1)
  for (const wait of seconds) {
    expect(wait).toBeGreaterThanOrEqual(48)
    expect(wait).toBeLessThanOrEqual(72)
  }
})

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}
