import { expect, test } from 'vitest'
import { healthy, isFailing } from '../../src/core/endpoint/health.ts'

const since = Date.UTC(2026, 0, 1)

test.each([
  ['nothing failed', {}, false],
  ['one failed attempt', { failingSince: since, failedAttempts: 1 }, false],
  ['nine in a row', { failingSince: since, failedAttempts: 9 }, false],
  ['ten in a row', { failingSince: since, failedAttempts: 10 }, true],
  ['an open breaker', { failingSince: since, failedAttempts: 1, holds: 1 }, true],
  ['a pause that it asked for', { heldUntil: since, failedAttempts: 0 }, false],
])('%s', (_, health, expected) => {
  expect(isFailing({ ...healthy, ...health })).toBe(expected)
})
