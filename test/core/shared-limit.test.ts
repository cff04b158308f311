import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { SharedLimit, shareOfFree } from '../../src/core/limits/shared-limit.ts'
import { TimedLimit } from '../../src/core/limits/timed-limit.ts'

describe('a shared limit', () => {
  test.each([
    [100, 0, 1, 50],
    [100, 0, 4, 80],
    [50, 50, 1, 0],
    [1, 0, 1, 1],
    [2, 3, 4, 1],
    [1, 3, 4, 0],
    [0, 0, 1, 0],
  ])(
    'of which %d are free lets one who holds %d, at most %d times what is free, take %d more',
    (free, held, times, more) => {
      expect(shareOfFree(free, held, times)).toBe(more)
    },
  )

  test('gives one alone half, two a third each, and is never used up by few', () => {
    const limit = new SharedLimit(999)
    const takeAll = (holder: string): number => {
      while (limit.take(holder));
      return limit.heldBy(holder)
    }
    expect([takeAll('a'), takeAll('b')]).toEqual([499, 250])
    for (let index = 0; index < 5; index += 1) takeAll(`more ${index}`)
    expect(limit.free).toBeGreaterThan(0)
    expect(limit.take('newcomer')).toBe(true)
  })

  test('adds up, whatever is taken and given back, and nobody holds more than was then free', () => {
    const steps = fc.array(fc.tuple(fc.constantFrom('a', 'b', null), fc.integer({ min: 1, max: 40 }), fc.boolean()))
    fc.assert(
      fc.property(steps, (all) => {
        const limit = new SharedLimit(100)
        const taken: [string | null, number][] = []
        for (const [holder, amount, isTaken] of all) {
          if (isTaken && limit.take(holder, amount)) {
            taken.push([holder, amount])
            if (holder !== null && limit.heldBy(holder) > 1)
              expect(limit.heldBy(holder)).toBeLessThanOrEqual(limit.free)
          } else if (!isTaken) {
            const last = taken.pop()
            if (last !== undefined) limit.release(...last)
          }
          expect(limit.free).toBe(100 - taken.reduce((sum, [, each]) => sum + each, 0))
          expect(limit.free).toBeGreaterThanOrEqual(0)
        }
        for (const each of taken) limit.release(...each)
        expect([limit.free, limit.heldBy('a'), limit.heldBy('b')]).toEqual([100, 0, 0])
      }),
    )
  })
})

test('a limit in time gives back what has ended, and what is given back twice only once', () => {
  const shared = new SharedLimit(4)
  const limit = new TimedLimit(shared)
  expect([limit.take('a', 'one', 10, 0), limit.take('a', 'two', 20, 0), limit.take('a', 'three', 20, 0)]).toEqual([
    true,
    true,
    false,
  ])
  expect([limit.take('a', 'three', 20, 9), limit.take('a', 'three', 20, 10)]).toEqual([false, true])
  limit.release('one')
  limit.release('two')
  limit.release('two')
  expect([limit.heldBy('a'), shared.free]).toEqual([1, 3])
})
