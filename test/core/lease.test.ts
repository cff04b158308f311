import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkLeaseMs, heartbeatMs, renewalGivesUpAt } from '../../src/core/delivery/lease.ts'
import { thrownBy } from './thrown.ts'

const leaseMs = fc.integer({ min: 101, max: 3_600_000 })

test.each([
  [30_000, 10_000],
  [1000, 333],
  [300, 100],
  [299, 100],
  [120, 100],
  [101, 100],
])('a lease of %d ms is renewed every %d ms', (lease, heartbeat) => {
  expect(heartbeatMs(lease)).toBe(heartbeat)
})

test('every lease that is allowed has a heartbeat of at least 100 ms that is shorter than itself', () => {
  fc.assert(
    fc.property(leaseMs, (lease) => {
      expect(() => checkLeaseMs(lease)).not.toThrow()
      expect(heartbeatMs(lease)).toBeGreaterThanOrEqual(100)
      expect(heartbeatMs(lease)).toBeLessThan(lease)
    }),
  )
})

test.each([100, 99, 1, 0, -1, 150.5, Number.NaN, Number.POSITIVE_INFINITY, 3_600_001])(
  'a lease of %d ms is refused',
  (lease) => {
    const error = thrownBy(() => checkLeaseMs(lease))
    expect(error.code).toBe('invalid_argument')
    expect(error.message).toBe(
      `Expected \`leaseMs\` to be whole milliseconds over 100 and up to an hour, got ${lease}.`,
    )
  },
)

test('a renewal that errs is given up while a third of the lease is left', () => {
  expect(renewalGivesUpAt(1000, 30_000)).toBe(21_000)
  fc.assert(
    fc.property(leaseMs, (lease) => {
      const left = lease - renewalGivesUpAt(0, lease)
      expect(left).toBe(Math.floor(lease / 3))
    }),
  )
})
