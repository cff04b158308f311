import { describe, expect, test } from 'vitest'
import {
  askedToWaitMs,
  blamesEndpoint,
  errorDetail,
  isProvisional,
  succeeded,
  withoutDetails,
} from '../../src/core/delivery/attempt.ts'
import type { FailureKind, Outcome } from '../../src/core/delivery/attempt.ts'
import { day } from '../../src/core/time.ts'

const kinds: readonly FailureKind[] = [
  'timeout',
  'dns',
  'connect',
  'tls',
  'reset',
  'protocol',
  'forbidden',
  'authentication',
]

function answered(statusCode: number, responseBody = '', retryAfterMs: number | null = null): Outcome {
  return { kind: 'answered', statusCode, responseBody, retryAfterMs }
}

test.each([
  [100, false, false],
  [199, false, false],
  [200, true, false],
  [204, true, false],
  [299, true, false],
  [300, false, false],
  [302, false, false],
  [400, false, false],
  [404, false, false],
  [408, false, true],
  [410, false, false],
  [429, false, true],
  [499, false, false],
  [500, false, true],
  [503, false, true],
  [599, false, true],
])('an answer of %d: succeeded is %s, blames the endpoint is %s', (statusCode, success, blame) => {
  expect(succeeded(answered(statusCode))).toBe(success)
  expect(blamesEndpoint(answered(statusCode))).toBe(blame)
})

test.each(kinds)('no answer (%s) is a failure of the endpoint, with its reason as the detail', (kind) => {
  const outcome: Outcome = { kind, reason: `it was ${kind}` }
  expect(succeeded(outcome)).toBe(false)
  expect(blamesEndpoint(outcome)).toBe(true)
  expect(errorDetail(outcome)).toBe(`it was ${kind}`)
  expect(askedToWaitMs(outcome)).toBeNull()
})

describe('errorDetail', () => {
  test.each([
    ['a body', answered(500, 'database is down'), 'HTTP 500: database is down'],
    ['no body', answered(404), 'HTTP 404'],
    ['a long body', answered(500, 'x'.repeat(5000)), `HTTP 500: ${'x'.repeat(1024)}`],
    ['a long reason', { kind: 'dns' as const, reason: 'y'.repeat(5000) }, 'y'.repeat(1024)],
  ])('of %s is short enough to keep', (_, outcome, detail) => {
    expect(errorDetail(outcome)).toBe(detail)
  })
})

test.each([
  ['429 asks', answered(429, '', 5000), 5000],
  ['503 asks', answered(503, '', 5000), 5000],
  ['429 without the header', answered(429), null],
  ['other answers do not count', answered(500, '', 5000), null],
  ['a success does not count', answered(200, '', 5000), null],
  ['a day is the most', answered(429, '', 2 * day), day],
  ['exactly a day', answered(429, '', day), day],
  ['a time that has passed', answered(429, '', -5), 0],
])('Retry-After: %s', (_, outcome, waitMs) => {
  expect(askedToWaitMs(outcome)).toBe(waitMs)
})

test.each(['interrupted', 'started', 'crashed'] as const)(
  'a record that says %s gives way to what came of its attempt',
  (outcome) => {
    expect(isProvisional(outcome)).toBe(true)
  },
)

test.each(['answered', ...kinds] as const)('a record that says %s is what came of its attempt', (outcome) => {
  expect(isProvisional(outcome)).toBe(false)
})

test.each([
  ['The name has no public address (10.0.0.5 is not allowed)', 'The name has no public address'],
  [
    'the token endpoint cannot be reached: The name has no public address (name not found, ENOTFOUND)',
    'the token endpoint cannot be reached: The name has no public address',
  ],
  ['our forward proxy failed (connection refused (ECONNREFUSED))', 'our forward proxy failed'],
  ['connection refused (ECONNREFUSED)', 'connection refused (ECONNREFUSED)'],
  ['HTTP 500: down', 'HTTP 500: down'],
])('a tenant reads of "%s" only "%s"', (detail, shown) => {
  expect(withoutDetails(detail)).toBe(shown)
})

test('our own proxy is not the endpoint', () => {
  const away: Outcome = { kind: 'proxy', reason: 'our forward proxy failed (connection refused)' }
  expect([succeeded(away), blamesEndpoint(away)]).toEqual([false, false])
})
