import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { presets } from '../../src/core/delivery/presets.ts'
import { narrow, startWindow, widen } from '../../src/core/limits/window.ts'
import type { Window } from '../../src/core/limits/window.ts'

const ours = presets.standard.limits
const gateway = presets.gateway.limits

describe('the window', () => {
  test.each([
    ['slow start begins at 5', ours, 5],
    ['a smaller pool is its bound', { ...ours, pool: 3 }, 3],
    ['without slow start the pool is open at once', gateway, 20],
  ])('%s', (_, limits, size) => {
    expect(startWindow(limits)).toEqual({ size, graceLeft: 0, failuresInRow: 0 })
  })

  test('grows by one per success, up to the pool', () => {
    const sizes = windows(
      startWindow(ours),
      Array.from({ length: 20 }, () => true),
    ).map(({ size }) => size)
    expect(sizes.slice(0, 3)).toEqual([6, 7, 8])
    expect(sizes.slice(-5)).toEqual([20, 20, 20, 20, 20])
  })

  test('halves at a failure, then only after as many outcomes as it is wide', () => {
    const sizes = windows(
      { size: 20, graceLeft: 0, failuresInRow: 0 },
      Array.from({ length: 18 }, () => false),
    ).map(({ size }) => size)
    // The first failure halves; ten more are the rest of the same bad second; the twelfth halves again.
    expect(sizes).toEqual([10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 5, 5, 5, 5, 5, 5, 2])
  })

  test('a success ends the row of failures and counts towards the grace', () => {
    expect(windows({ size: 8, graceLeft: 0, failuresInRow: 0 }, [false, false, true])).toEqual([
      { size: 4, graceLeft: 4, failuresInRow: 1 },
      { size: 4, graceLeft: 3, failuresInRow: 2 },
      { size: 5, graceLeft: 2, failuresInRow: 0 },
    ])
  })

  test('keeps its size without slow start, and still counts failures', () => {
    expect(narrow(startWindow(gateway), gateway)).toEqual({ size: 20, graceLeft: 0, failuresInRow: 1 })
  })

  test('is always within 1 and the pool, whatever comes', () => {
    fc.assert(
      fc.property(
        fc.array(fc.boolean(), { maxLength: 300 }),
        fc.integer({ min: 1, max: 50 }),
        fc.boolean(),
        (outcomes, pool, slowStart) => {
          const limits = { ...ours, pool, slowStart }
          for (const { size } of windows(startWindow(limits), outcomes, limits)) {
            expect(size).toBeGreaterThanOrEqual(1)
            expect(size).toBeLessThanOrEqual(pool)
            expect(Number.isInteger(size)).toBe(true)
          }
        },
      ),
    )
  })
})

/** The windows after outcomes that come one after the other: true is a success. */
function windows(start: Window, outcomes: readonly boolean[], limits = ours): Window[] {
  let window = start
  return outcomes.map((success) => (window = success ? widen(window, limits) : narrow(window, limits)))
}
