import { describe, expect, test } from 'vitest'
import { healthy } from '../../src/core/endpoint/health.ts'
import { why } from '../../src/core/delivery/why.ts'
import type { WhyInput } from '../../src/core/delivery/why.ts'
import type { EndpointWait, WaitReason } from '../../src/core/endpoint/verdict.ts'
import type { EndpointWithLimits } from '../../src/core/endpoint/endpoint.ts'
import { aDelivery, anEndpoint as anEndpointAlone } from './examples.ts'

const now = Date.UTC(2026, 0, 2, 12, 0, 0)
const later = now + 60_000

function input(over: Partial<WhyInput> = {}): WhyInput {
  return {
    delivery: aDelivery(),
    endpoint: anEndpoint(),
    health: healthy,
    policy: { maxAttempts: 6 },
    ahead: 0,
    perTick: 100,
    waits: [],
    now,
    ...over,
  }
}

function anEndpoint(over: Partial<EndpointWithLimits> = {}): EndpointWithLimits {
  return { ...anEndpointAlone(), applicationRatePerSecond: null, ...over }
}

function wait(reason: WaitReason): EndpointWait {
  return { endpointId: 'ep_1', reason, since: now - 60_000 }
}

const paused = anEndpoint({ status: 'paused', statusReason: 'by ada', statusSince: now })
const leased = aDelivery({ leaseOwner: 'worker-1', leaseUntil: later })
const held = { ...healthy, holds: 1, heldUntil: later }
const waiting = aDelivery({
  status: 'failed',
  attemptCount: 2,
  nextRetryAt: later,
  lastAttemptedAt: now,
  errorDetail: 'HTTP 500: down\nstack',
})

test.each<[string, Partial<WhyInput>, string, string]>([
  [
    'delivered',
    { delivery: aDelivery({ status: 'delivered', attemptCount: 2, lastAttemptedAt: now }) },
    'delivered',
    'Delivered on attempt 2, 2026-01-02 12:00:00 UTC.',
  ],
  [
    'delivered, by plain SQL',
    { delivery: aDelivery({ status: 'delivered', attemptCount: 1 }) },
    'delivered',
    'Delivered on attempt 1, at an unknown time.',
  ],
  [
    'being sent',
    { delivery: leased },
    'in_flight',
    'Being sent by worker worker-1 under a lease until 2026-01-02 12:01:00 UTC.',
  ],
  [
    'at a paused endpoint',
    { endpoint: paused },
    'endpoint_paused',
    'On hold because its endpoint is paused by ada since 2026-01-02 12:00:00 UTC.',
  ],
  [
    'at a disabled endpoint',
    { endpoint: anEndpoint({ status: 'disabled', statusSince: now }) },
    'endpoint_disabled',
    'On hold because its endpoint is disabled since 2026-01-02 12:00:00 UTC.',
  ],
  [
    'at a deleted endpoint',
    { endpoint: anEndpoint({ status: 'deleted' }) },
    'endpoint_deleted',
    'Its endpoint was deleted; it will end dead.',
  ],
  [
    'at an open breaker',
    { health: held },
    'breaker_open',
    'On hold because the breaker of its endpoint is open until 2026-01-02 12:01:00 UTC; this uses up no attempts.',
  ],
  [
    'waiting for a retry',
    { delivery: waiting },
    'waiting_for_retry',
    'Waiting for retry 2 of 5 at 2026-01-02 12:01:00 UTC. The last error was: HTTP 500: down',
  ],
  [
    'waiting without a detail',
    { delivery: { ...waiting, errorDetail: null } },
    'waiting_for_retry',
    'Waiting for retry 2 of 5 at 2026-01-02 12:01:00 UTC.',
  ],
  ['scheduled', { delivery: aDelivery({ nextRetryAt: later }) }, 'scheduled', 'Scheduled for 2026-01-02 12:01:00 UTC.'],
  [
    'at an endpoint with a limit',
    { endpoint: anEndpoint({ ratePerSecond: 5 }) },
    'rate_limited',
    'Due, and waits for its turn within the rate limit of 5 per second.',
  ],
  [
    'at an endpoint of an application with a limit',
    { endpoint: anEndpoint({ applicationRatePerSecond: 20 }) },
    'rate_limited',
    'Due, and waits for its turn within the rate limit of its application, 20 per second.',
  ],
  [
    'at an endpoint with a limit, of an application with one',
    { endpoint: anEndpoint({ ratePerSecond: 5, applicationRatePerSecond: 20 }) },
    'rate_limited',
    'Due, and waits for its turn within the rate limit of 5 per second and the rate limit of its application, 20 per second.',
  ],
  [
    'a retry that is due',
    { delivery: { ...waiting, nextRetryAt: now } },
    'next_tick',
    'Due, and leaves with the next tick, which takes up to 100 retries of its endpoint.',
  ],
  [
    'a retry behind just as many as a tick takes',
    { delivery: { ...waiting, nextRetryAt: now }, ahead: 100 },
    'behind_cap',
    'Due, but 100 retries of its endpoint go first, and a tick takes at most 100 of them.',
  ],
  [
    'fresh, whatever waits among the retries',
    { ahead: 500 },
    'next_in_line',
    'Due, and leaves as soon as a worker is free to send it.',
  ],
  [
    'at an endpoint that was disabled by itself',
    { endpoint: anEndpoint({ status: 'disabled', statusReason: 'HTTP 410', statusSince: now }) },
    'endpoint_disabled',
    'On hold because its endpoint is disabled (HTTP 410) since 2026-01-02 12:00:00 UTC.',
  ],
  ['fresh', {}, 'next_in_line', 'Due, and leaves as soon as a worker is free to send it.'],
  [
    'at an endpoint that asked for a wait',
    { health: { ...healthy, heldUntil: later } },
    'breaker_open',
    'On hold because its endpoint asked for a wait until 2026-01-02 12:01:00 UTC; this uses up no attempts.',
  ],
  [
    'waiting after a crash',
    { delivery: aDelivery({ nextRetryAt: later, interruptions: 3, crashCount: 1 }) },
    'waiting_after_crash',
    'Waiting until 2026-01-02 12:01:00 UTC because a worker ended while it was sending it.',
  ],
  [
    'kept by a full window',
    { waits: [wait('window')] },
    'window_full',
    'Due, and waits for one of the requests that are open to its endpoint to end.',
  ],
  [
    'kept by a budget',
    { waits: [wait('budget')] },
    'over_budget',
    'Due, and waits because its endpoint or application holds as many deliveries as it may for now.',
  ],
  [
    'kept by a ramp, says a worker',
    { waits: [wait('ramp')] },
    'ramping_up',
    'Due, and leaves soon: after a hold or pause, deliveries leave in growing steps.',
  ],
  [
    'kept by a ramp, says the store',
    { health: { ...healthy, rampFrom: now } },
    'ramping_up',
    'Due, and leaves soon: after a hold or pause, deliveries leave in growing steps.',
  ],
  [
    'kept by an allowance',
    { delivery: { ...waiting, nextRetryAt: now }, ahead: 100, waits: [wait('allowance')] },
    'behind_cap',
    'Due, but 100 retries of its endpoint go first, and a tick takes at most 100 of them.',
  ],
  [
    'fresh, its endpoint unknown',
    { endpoint: null },
    'next_in_line',
    'Due, and leaves as soon as a worker is free to send it.',
  ],
])('a delivery that is %s', (_, over, code, sentence) => {
  expect(why(input(over))).toEqual({ code, sentence })
})

test.each([
  [
    'exhausted',
    { errorDetail: 'HTTP 500: down\nmore' },
    'Dead after 6 failed attempts. The last error was: HTTP 500: down',
  ],
  ['exhausted', { errorDetail: null }, 'Dead after 6 failed attempts.'],
  ['exhausted', { errorDetail: null, attemptCount: 1 }, 'Dead after 1 failed attempt.'],
  ['cancelled', {}, 'Cancelled by a person 2026-01-02 12:00:00 UTC.'],
  ['expired', {}, 'Held for so long that it expired 2026-01-02 12:00:00 UTC.'],
  ['crashed', { crashCount: 5 }, 'Dead because 5 workers ended while they were sending it.'],
  ['gone', {}, 'Dead because its endpoint was deleted 2026-01-02 12:00:00 UTC.'],
] as const)('a dead delivery, %s', (reason, over, sentence) => {
  const delivery = aDelivery({ status: 'dead', reason, attemptCount: 6, nextRetryAt: null, updatedAt: now, ...over })
  expect(why(input({ delivery, endpoint: paused }))).toEqual({ code: reason, sentence })
})

test('a dead row written by plain SQL, without a reason, counts as exhausted', () => {
  expect(why(input({ delivery: aDelivery({ status: 'dead', attemptCount: 5 }) })).code).toBe('exhausted')
})

describe('the order of the questions is that of the engine', () => {
  const everything: WhyInput = input({
    delivery: { ...waiting, leaseOwner: 'w', leaseUntil: later },
    endpoint: { ...paused, ratePerSecond: 5 },
    health: held,
  })

  test.each<[string, Partial<WhyInput>, string]>([
    ['a lease comes first', {}, 'in_flight'],
    ['then the endpoint', { delivery: waiting }, 'endpoint_paused'],
    ['then the breaker', { delivery: waiting, endpoint: anEndpoint({ ratePerSecond: 5 }) }, 'breaker_open'],
    [
      'then its time',
      { delivery: waiting, endpoint: anEndpoint({ ratePerSecond: 5 }), health: healthy },
      'waiting_for_retry',
    ],
    [
      'then the limit',
      { delivery: { ...waiting, nextRetryAt: now }, endpoint: anEndpoint({ ratePerSecond: 5 }), health: healthy },
      'rate_limited',
    ],
  ])('%s', (_, over, code) => {
    expect(why({ ...everything, ...over }).code).toBe(code)
  })
})

test('a long first line is cut', () => {
  const { sentence } = why(input({ delivery: { ...waiting, errorDetail: 'x'.repeat(1000) } }))
  expect(sentence.endsWith(`The last error was: ${'x'.repeat(200)}`)).toBe(true)
})
