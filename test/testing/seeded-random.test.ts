import { describe, expect, test } from 'vitest'
import type { Random } from '../../src/core/time.ts'
import { midpoint, seededRandom } from '../../src/testing/seeded-random.ts'

const take = (random: Random, count: number): number[] => Array.from({ length: count }, random)

describe('seeded chance', () => {
  test('repeats itself for one seed', () => {
    expect(take(seededRandom(42), 100)).toEqual(take(seededRandom(42), 100))
  })

  test('is the same on every machine', () => {
    expect(take(seededRandom(1), 3)).toMatchInlineSnapshot(`
      [
        0.623297922929989,
        0.24538725098943226,
        0.6656314348400406,
      ]
    `)
  })

  test('differs from seed to seed, neighbours and large ones included', () => {
    const firsts = [...Array(1000).keys(), 2 ** 32, 2 ** 32 + 1, 2 ** 40, 2 ** 52, -1].map((seed) =>
      seededRandom(seed)(),
    )
    expect(new Set(firsts).size).toBe(firsts.length)
  })

  test('lies in [0, 1), evenly, for the first numbers of many seeds as for the many of one', () => {
    const many = take(seededRandom(9), 20_000)
    const firsts = Array.from({ length: 20_000 }, (_, seed) => seededRandom(seed)())
    for (const numbers of [many, firsts]) {
      expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true)
      const tenths = Array.from(
        { length: 10 },
        (_, tenth) => numbers.filter((number) => Math.floor(number * 10) === tenth).length,
      )
      for (const count of tenths) expect(Math.abs(count - 2000)).toBeLessThan(200)
    }
  })

  test('has 53 bits, each of them moving', () => {
    const numbers = take(seededRandom(5), 2000).map((number) => BigInt(number * 2 ** 53))
    for (let bit = 0n; bit < 53n; bit += 1n) {
      const ones = numbers.filter((number) => ((number >> bit) & 1n) === 1n).length
      expect(Math.abs(ones - 1000), `bit ${bit}`).toBeLessThan(150)
    }
  })

  test('the midpoint is always in the middle', () => {
    expect(take(midpoint, 3)).toEqual([0.5, 0.5, 0.5])
  })
})
