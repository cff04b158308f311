import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { succeeded } from '../../src/core/delivery/attempt.ts'
import type { FailureKind, Outcome } from '../../src/core/delivery/attempt.ts'
import {
  isDue,
  isLeased,
  isOpen,
  laneOf,
  settle,
  settleCrash,
  statuses,
  suspectAfterInterruptions,
} from '../../src/core/delivery/delivery.ts'
import { presets } from '../../src/core/delivery/presets.ts'
import type { PresetName } from '../../src/core/delivery/presets.ts'
import { day, hour, minute, second } from '../../src/core/time.ts'
import { aDelivery } from './examples.ts'

const now = 1_700_000_000_000
const midpoint = (): number => 0.5
const failure: Outcome = { kind: 'answered', statusCode: 500, responseBody: 'down', retryAfterMs: null }
const success: Outcome = { kind: 'answered', statusCode: 204, responseBody: '', retryAfterMs: null }

const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const presetName = fc.constantFrom<PresetName>('standard', 'patient', 'svix', 'gateway', 'gateway-6')
const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.record({
    kind: fc.constant('answered' as const),
    statusCode: fc.integer({ min: 100, max: 599 }),
    responseBody: fc.string(),
    retryAfterMs: fc.option(fc.integer({ min: -day, max: 10 * day })),
  }),
  fc.record({ kind: fc.constantFrom<FailureKind>('timeout', 'dns', 'connect', 'tls', 'reset'), reason: fc.string() }),
)

describe('settle', () => {
  test.each([
    ['gateway', 0, 'failed', 1, 30 * second],
    ['gateway', 1, 'failed', 2, 120 * second],
    ['gateway', 2, 'failed', 3, 600 * second],
    ['gateway', 3, 'failed', 4, 3600 * second],
    ['gateway', 4, 'dead', 5, null],
    ['gateway-6', 4, 'failed', 5, 21_600 * second],
    ['gateway-6', 5, 'dead', 6, null],
    ['standard', 0, 'failed', 1, 60 * second],
    ['standard', 4, 'failed', 5, 960 * second],
    ['standard', 5, 'dead', 6, null],
    ['patient', 8, 'failed', 9, 24 * hour],
    ['patient', 9, 'dead', 10, null],
    ['gateway', 9, 'dead', 10, null],
  ] as const)('%s: a failure at count %d is %s at count %d', (preset, attemptCount, status, count, waitMs) => {
    expect(
      settle({
        delivery: { attemptCount },
        outcome: failure,
        policy: presets[preset].policy,
        honoursRetryAfter: true,
        now,
        random: midpoint,
      }),
    ).toEqual({
      status,
      reason: status === 'dead' ? 'exhausted' : null,
      attemptCount: count,
      nextRetryAt: waitMs === null ? null : now + waitMs,
      errorDetail: 'HTTP 500: down',
    })
  })

  test.each([0, 4, 5, 50])('a success at count %d delivers, also as the last attempt of all', (attemptCount) => {
    expect(
      settle({
        delivery: { attemptCount },
        outcome: success,
        policy: presets.gateway.policy,
        honoursRetryAfter: true,
        now,
        random: midpoint,
      }),
    ).toEqual({
      status: 'delivered',
      reason: null,
      attemptCount: attemptCount + 1,
      nextRetryAt: null,
      errorDetail: null,
    })
  })

  test.each([
    ['longer than the policy', 429, 120 * second, true, 120 * second],
    ['shorter than the policy', 429, 10 * second, true, 60 * second],
    ['longer than a day', 503, 3 * day, true, day],
    ['in the past', 503, -5000, true, 60 * second],
    ['with a code that has no such right', 500, 120 * second, true, 60 * second],
    ['where it is not heeded', 429, 120 * second, false, 60 * second],
  ])('Retry-After %s', (_, statusCode, retryAfterMs, honoured, waitMs) => {
    const asked: Outcome = { kind: 'answered', statusCode, responseBody: '', retryAfterMs }
    const mark = settle({
      delivery: { attemptCount: 0 },
      outcome: asked,
      policy: presets.standard.policy,
      honoursRetryAfter: honoured,
      now,
      random: midpoint,
    })
    expect(mark.nextRetryAt).toBe(now + waitMs)
  })

  test.each([0, 3, 5, 50])('our own proxy being away uses up no attempt, at count %d', (attemptCount) => {
    const mark = settle({
      delivery: { attemptCount },
      outcome: { kind: 'proxy', reason: 'our forward proxy failed (connection refused)' },
      policy: presets.standard.policy,
      honoursRetryAfter: true,
      now,
      random: midpoint,
    })
    expect(mark).toEqual({
      status: 'failed',
      reason: null,
      attemptCount,
      nextRetryAt: now + 60 * second,
      errorDetail: 'our forward proxy failed (connection refused)',
    })
  })

  test('never schedules in the past, never allows more sends than the policy, and always gives an end', () => {
    fc.assert(
      fc.property(
        presetName,
        fc.nat({ max: 20 }),
        outcome,
        fc.boolean(),
        chance,
        (preset, attemptCount, given, honoured, random) => {
          const { policy } = presets[preset]
          const mark = settle({
            delivery: { attemptCount },
            outcome: given,
            policy,
            honoursRetryAfter: honoured,
            now,
            random: () => random,
          })
          expect(mark.attemptCount).toBe(attemptCount + 1)
          expect(mark.status === 'delivered').toBe(succeeded(given))
          expect(mark.nextRetryAt === null).toBe(mark.status !== 'failed')
          expect(mark.reason === null).toBe(mark.status !== 'dead')
          expect(mark.errorDetail === null).toBe(mark.status === 'delivered')
          if (mark.status !== 'failed') return
          expect(mark.attemptCount).toBeLessThan(policy.maxAttempts)
          expect(mark.nextRetryAt).toBeGreaterThanOrEqual(now + second)
          expect(Number.isSafeInteger(mark.nextRetryAt)).toBe(true)
        },
      ),
    )
  })

  test.each(Object.values(presets))(
    'a delivery that always fails under $name is sent exactly $policy.maxAttempts times',
    ({ policy }) => {
      let sends = 0
      let attemptCount = 0
      for (let status = 'pending'; status !== 'dead'; sends += 1) {
        const mark = settle({
          delivery: { attemptCount },
          outcome: failure,
          policy,
          honoursRetryAfter: true,
          now,
          random: midpoint,
        })
        attemptCount = mark.attemptCount
        status = mark.status
      }
      expect(sends).toBe(policy.maxAttempts)
    },
  )
})

describe('settleCrash', () => {
  test.each([
    [1, 1],
    [2, 5],
    [3, 15],
    [4, 60],
  ])('after crash %i it is due again in about %i minutes, half of that to half more', (crashCount, minutes) => {
    const dueAt = (random: number): unknown => settleCrash({ attemptCount: 2, crashCount }, now, () => random)
    expect(dueAt(0)).toEqual({ nextRetryAt: now + 0.5 * minutes * minute })
    expect(dueAt(0.5)).toEqual({ nextRetryAt: now + minutes * minute })
    expect(dueAt(1 - 2 ** -53)).toEqual({ nextRetryAt: now + 1.5 * minutes * minute })
  })

  test.each([5, 6])('after crash %i it is dead, crashed, with its count of attempts as it was', (crashCount) => {
    expect(settleCrash({ attemptCount: 2, crashCount }, now, midpoint)).toEqual({
      status: 'dead',
      reason: 'crashed',
      attemptCount: 2,
      nextRetryAt: null,
      errorDetail: `Stopped: ${crashCount} workers ended while they were sending it.`,
    })
  })
})

test.each([
  ['never attempted', aDelivery(), 'fresh'],
  ['attempted before', aDelivery({ lastAttemptedAt: 5 }), 'retries'],
  ['failed', aDelivery({ status: 'failed', lastAttemptedAt: 5 }), 'retries'],
  ['failed without a date, as plain SQL may leave it', aDelivery({ status: 'failed' }), 'retries'],
  ['requeued before its first attempt', aDelivery({ requeuedAt: 5 }), 'retries'],
  ['interrupted once', aDelivery({ interruptions: 1 }), 'fresh'],
  ['interrupted once, after an attempt', aDelivery({ interruptions: 1, lastAttemptedAt: 5 }), 'retries'],
  ['interrupted twice', aDelivery({ interruptions: suspectAfterInterruptions }), 'suspects'],
  [
    'interrupted twice, after a failure',
    aDelivery({ status: 'failed', lastAttemptedAt: 5, interruptions: 2 }),
    'suspects',
  ],
  ['interrupted five times', aDelivery({ interruptions: 5, crashCount: 3 }), 'suspects'],
])('the lane of a delivery that was %s', (_, delivery, lane) => {
  expect(laneOf(delivery)).toBe(lane)
})

test('only pending and failed are open', () => {
  expect(statuses.filter((status) => isOpen({ status }))).toEqual(['pending', 'failed'])
})

test.each([
  ['its time is null', aDelivery({ nextRetryAt: null }), true],
  ['its time has passed', aDelivery({ nextRetryAt: now - 1 }), true],
  ['its time is now', aDelivery({ nextRetryAt: now }), true],
  ['its time is to come', aDelivery({ nextRetryAt: now + 1 }), false],
  ['it failed and its time is now', aDelivery({ status: 'failed', nextRetryAt: now }), true],
  ['it is dead', aDelivery({ status: 'dead', nextRetryAt: null }), false],
  ['it is delivered', aDelivery({ status: 'delivered', nextRetryAt: null }), false],
  ['its lease is alive', aDelivery({ leaseOwner: 'a', leaseUntil: now + 1 }), false],
  ['its lease ends now', aDelivery({ leaseOwner: 'a', leaseUntil: now }), true],
  ['its lease has run out', aDelivery({ leaseOwner: 'a', leaseUntil: now - 1 }), true],
])('due if %s: see the table', (_, delivery, due) => {
  expect(isDue(delivery, now)).toBe(due)
})

test.each([
  [null, false],
  [now - 1, false],
  [now, false],
  [now + 1, true],
])('a lease until %s', (leaseUntil, leased) => {
  expect(isLeased({ leaseUntil }, now)).toBe(leased)
})
