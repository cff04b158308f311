import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { presets } from '../../src/core/delivery/presets.ts'
import { checkPolicy, delayAfter, plannedDelays } from '../../src/core/delivery/retry-policy.ts'
import type { RetryDelays, RetryPolicy } from '../../src/core/delivery/retry-policy.ts'
import { day, second } from '../../src/core/time.ts'
import { thrownBy } from './thrown.ts'

const midpoint = (): number => 0.5
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const delayMs = fc.integer({ min: 30 * second, max: 30 * day })

function policy(delays: RetryDelays, more: Partial<RetryPolicy> = {}): RetryPolicy {
  return { name: 'ours', delays, jitterShare: 0.2, maxAttempts: 3, ...more }
}

const list = (...seconds: number[]): RetryDelays => ({ kind: 'list', delaysMs: seconds.map((each) => each * second) })
const exponential = (baseMs: number, capMs: number | null = null): RetryDelays => ({
  kind: 'exponential',
  baseMs,
  capMs,
})

describe('delayAfter', () => {
  test.each([
    [1, 0, 48_000],
    [1, 0.5, 60_000],
    [1, 1 - 2 ** -53, 72_000],
    [2, 0, 96_000],
    [2, 1 - 2 ** -53, 144_000],
    [5, 0.5, 960_000],
  ])('after %d failures and a draw of %d, standard waits %d ms', (failures, random, expectedMs) => {
    expect(delayAfter(presets.standard.policy, failures, () => random)).toBe(expectedMs)
  })

  test('stays within its share of the planned delay, in whole milliseconds', () => {
    fc.assert(
      fc.property(delayMs, fc.double({ min: 0, max: 0.5, noNaN: true }), chance, (planned, share, random) => {
        const wait = delayAfter(policy({ kind: 'list', delaysMs: [planned] }, { jitterShare: share }), 1, () => random)
        expect(Number.isInteger(wait)).toBe(true)
        expect(wait).toBeGreaterThanOrEqual(Math.floor(planned * (1 - share)))
        expect(wait).toBeLessThanOrEqual(Math.ceil(planned * (1 + share)))
      }),
    )
  })

  test('is never under one second when jitter spreads it, even with delays that only the override allows', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 2000 }), chance, (planned, random) => {
        expect(delayAfter(policy(exponential(planned)), 1, () => random)).toBeGreaterThanOrEqual(second)
      }),
    )
  })

  test('asks for no chance without jitter', () => {
    expect(delayAfter(presets.gateway.policy, 3, () => expect.unreachable('no dice without jitter'))).toBe(600 * second)
  })

  test('doubles up to the cap and stays there', () => {
    const capped = policy(exponential(60 * second, 150 * second))
    expect([1, 2, 3, 4].map((failures) => delayAfter(capped, failures, midpoint) / second)).toEqual([60, 120, 150, 150])
  })

  test.each([1, 16, 40, 100, 1000])('has a date even after %d failures without a cap', (failures) => {
    expect(delayAfter(policy(exponential(60 * second)), failures, midpoint)).toBeLessThanOrEqual(30 * day)
  })

  test('keeps the longest wait of a list that was shortened while rows were in flight', () => {
    expect(delayAfter(policy(list(30, 60)), 9, midpoint)).toBe(60 * second)
  })

  test('waits for a safe time if the list became empty', () => {
    expect(delayAfter(policy(list()), 1, midpoint)).toBe(30 * second)
  })
})

test.each([
  ['standard', [60, 120, 240, 480, 960]],
  ['patient', [60, 300, 1800, 7200, 18_000, 36_000, 50_400, 72_000, 86_400]],
  ['gateway', [30, 120, 600, 3600]],
  ['gateway-6', [30, 120, 600, 3600, 21_600]],
] as const)('the planned delays of %s are what its table says', (name, seconds) => {
  expect(plannedDelays(presets[name].policy)).toEqual(seconds.map((each) => each * second))
})

test('a single send has no delays', () => {
  expect(plannedDelays(policy(list(), { maxAttempts: 1 }))).toEqual([])
})

describe('checkPolicy', () => {
  test.each([
    ['a base of exactly 30 s', policy(exponential(30 * second))],
    ['a list of exactly 30 s', policy(list(30, 30))],
    ['a longer list than it needs', policy(list(30, 60, 90, 120))],
    ['one send without delays', policy(list(), { maxAttempts: 1 })],
    ['a hundred sends', policy(exponential(60 * second), { maxAttempts: 100 })],
    ['a delay of 30 days', policy({ kind: 'list', delaysMs: [30 * day, 30 * day] })],
    ['a jitter of half', policy(list(30, 30), { jitterShare: 0.5 })],
  ])('takes %s', (_, good) => {
    expect(() => checkPolicy(good, false)).not.toThrow()
  })

  test.each([
    ['a base under 30 s', policy(exponential(29 * second)), '29s'],
    ['a base just under 30 s', policy(exponential(30 * second - 1)), '29.999s'],
    ['one listed delay under 30 s', policy(list(60, 5)), '5s'],
    ['a cap under 30 s', policy(exponential(60 * second, 10 * second)), '10s'],
  ])('guards against %s, says the value and the reason, and yields to the override', (_, unsafe, shown) => {
    const error = thrownBy(() => checkPolicy(unsafe, false))
    expect(error.code).toBe('unsafe_retry_delay')
    expect(error.message).toContain(`Retry policy "ours" has a delay of ${shown}`)
    expect(error.message).toContain('under 30s risk overwhelming customer endpoints')
    expect(error.message).toContain('POSTHORN_ALLOW_UNSAFE_RETRY_DELAYS=1')
    expect(() => checkPolicy(unsafe, true)).not.toThrow()
  })

  test.each([
    ['no send', policy(list(30), { maxAttempts: 0 }), '`policies.ours.maxAttempts`', 'got 0'],
    ['half a send', policy(list(30), { maxAttempts: 1.5 }), '`policies.ours.maxAttempts`', 'got 1.5'],
    ['101 sends', policy(exponential(60 * second), { maxAttempts: 101 }), '`policies.ours.maxAttempts`', 'got 101'],
    [
      'sends that are no number',
      policy(list(30), { maxAttempts: Number.NaN }),
      '`policies.ours.maxAttempts`',
      'got NaN',
    ],
    ['negative jitter', policy(list(30, 30), { jitterShare: -0.1 }), '`policies.ours.jitterShare`', 'got -0.1'],
    ['jitter over half', policy(list(30, 30), { jitterShare: 0.51 }), '`policies.ours.jitterShare`', 'got 0.51'],
    [
      'jitter that is no number',
      policy(list(30, 30), { jitterShare: Number.NaN }),
      '`policies.ours.jitterShare`',
      'got NaN',
    ],
    [
      'a list that is too short',
      policy(list(30)),
      '`policies.ours.delaysMs`',
      'at least 2 delays for 3 sends, got an array of 1',
    ],
    ['a delay of zero', policy(list(30, 0)), '`policies.ours`', 'got 0'],
    ['a negative delay', policy(list(30, -60)), '`policies.ours`', 'got -60000'],
    ['a fraction of a millisecond', policy(exponential(30_000.5)), '`policies.ours`', 'got 30000.5'],
    ['an endless delay', policy(exponential(Number.POSITIVE_INFINITY)), '`policies.ours`', 'got Infinity'],
    ['more than 30 days', policy(exponential(30 * day + 1)), '`policies.ours`', `got ${30 * day + 1}`],
  ])('refuses %s whatever is overridden', (_, bad, name, got) => {
    const error = thrownBy(() => checkPolicy(bad, true))
    expect(error.code).toBe('invalid_argument')
    expect(error.message).toContain(`Expected ${name} to be `)
    expect(error.message).toContain(got)
  })
})
