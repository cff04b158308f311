import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nextSharers, notYetSharing, shareOf, sharesAmong } from '../../src/core/limits/shares.ts'

describe('the share of one worker', () => {
  test.each([
    [20, 1, 20],
    [20, 2, 10],
    [20, 3, 7],
    [20, 40, 1],
    [1, 3, 1],
    [20, 0, 20],
  ])('of a pool of %i each of %i workers has %i', (pool, workers, share) => {
    expect(shareOf(pool, workers)).toBe(share)
    expect(share * Math.max(workers, 1)).toBeLessThan(pool + Math.max(workers, 1))
  })

  test.each([
    ['alone', notYetSharing, 1, [], 20],
    ['a newcomer, of whom nobody knows', notYetSharing, 1, [1], 1],
    ['a newcomer, for whom one of two has made room', notYetSharing, 1, [3, 2], 1],
    ['a newcomer, for whom all have made room', notYetSharing, 1, [3, 3], 7],
    ['a newcomer beside one that has not counted yet', notYetSharing, 1, [0], 1],
    ['one that a newcomer joins gives up its part at once', 1, 1, [0], 10],
    ['one that is left by another keeps its part while it has told that it shares', 2, 2, [], 10],
    ['one that is left by another has it all once it has told so', 2, 1, [], 20],
    ['one whose other still shares among more', 2, 2, [3], 10],
  ])('%s', (_, current, announced, announcedByOthers, share) => {
    expect(shareOf(20, nextSharers(current, announced, announcedByOthers))).toBe(share)
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
        const workers = new Map<number, { sharers: number; workers: number; open: number; told: number }>()
        for (const { worker, action, ends } of steps) {
          const me = workers.get(worker) ?? { sharers: notYetSharing, workers: 1, open: 0, told: 0 }
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
          me.sharers = nextSharers(
            me.sharers,
            me.told,
            others.map(({ told }) => told),
          )
          me.open = Math.max(me.open, shareOf(pool, me.sharers))
          const open = [...workers.values()].reduce((sum, each) => sum + each.open, 0)
          expect(open).toBeLessThan(pool + 5)
        }
      }),
      { numRuns: 500 },
    )
    expect(joined).toBeGreaterThan(500)
  })
})
