import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { presets } from '../../src/core/delivery/presets.ts'
import { narrow, nextShare, shareOfPool, sharesAmong, startWindow, widen } from '../../src/core/limits/window.ts'
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

describe('the share of one worker', () => {
  test.each([
    [20, 1, 20],
    [20, 2, 10],
    [20, 3, 7],
    [20, 40, 1],
    [1, 3, 1],
    [20, 0, 20],
  ])('of a pool of %i each of %i workers has %i', (pool, workers, share) => {
    expect(shareOfPool(pool, workers)).toBe(share)
    expect(share * Math.max(workers, 1)).toBeLessThan(pool + Math.max(workers, 1))
  })

  test.each([
    ['alone', 1, 1, [], 20],
    ['a newcomer, of whom nobody knows', 1, 1, [1], 1],
    ['a newcomer, for whom one of two has made room', 1, 1, [3, 2], 1],
    ['a newcomer, for whom all have made room', 1, 1, [3, 3], 7],
    ['a newcomer beside one that has not counted yet', 1, 1, [0], 1],
    ['one that a newcomer joins gives up its part at once', 20, 1, [0], 10],
    ['one that is left by another keeps its part while it has told that it shares', 10, 2, [], 10],
    ['one that is left by another has it all once it has told so', 10, 1, [], 20],
    ['one whose other still shares among more', 10, 2, [3], 10],
  ])('%s', (_, current, ownSharesAmong, othersShareAmong, share) => {
    expect(nextShare(20, current, ownSharesAmong, othersShareAmong)).toBe(share)
  })

  test.each([
    ['with nothing open, among all who live', 3, 0, 3],
    ['with its share open, among all who live', 3, 7, 3],
    ['with one more open than a third, among two', 3, 8, 2],
    ['with more open than a half, among nobody', 3, 11, 1],
    ['with the whole pool open, among nobody', 5, 20, 1],
  ])('it says among how many it shares: %s', (_, workers, mostOpen, among) => {
    expect(sharesAmong(20, workers, mostOpen)).toBe(among)
  })

  test('however workers come and go, and however long their requests stay open, they never open more than the pool and one each', () => {
    // Each step is a beat: one worker comes, goes, or looks around; it opens all it may, and ends some of what is open.
    const step = fc.record({
      worker: fc.nat({ max: 4 }),
      action: fc.constantFrom('beat', 'beat', 'beat', 'leave'),
      ends: fc.nat({ max: 20 }),
    })
    let joined = 0
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 20 }), fc.array(step, { maxLength: 60 }), (pool, steps) => {
        const workers = new Map<number, { share: number; workers: number; open: number; told: number }>()
        for (const { worker, action, ends } of steps) {
          const me = workers.get(worker) ?? { share: 1, workers: 1, open: 0, told: 0 }
          if (workers.has(worker) && action === 'leave') {
            workers.delete(worker)
            continue
          }
          if (!workers.has(worker)) joined += 1
          me.open = Math.max(me.open - ends, 0)
          me.told = sharesAmong(pool, me.workers, me.open)
          workers.set(worker, me)
          const others = [...workers.values()].filter((other) => other !== me)
          me.workers = others.length + 1
          me.share = nextShare(
            pool,
            me.share,
            me.told,
            others.map(({ told }) => told),
          )
          me.open = Math.max(me.open, me.share)
          const open = [...workers.values()].reduce((sum, each) => sum + each.open, 0)
          expect(open).toBeLessThan(pool + 5)
        }
      }),
      { numRuns: 500 },
    )
    expect(joined).toBeGreaterThan(500)
  })
})

/** The windows after outcomes that come one after the other: true is a success. */
function windows(start: Window, outcomes: readonly boolean[], limits = ours): Window[] {
  let window = start
  return outcomes.map((success) => (window = success ? widen(window, limits) : narrow(window, limits)))
}
