import { describe, expect, test } from 'vitest'
import { compareText, SortedList } from '../../src/testing/memory/sorted-list.ts'
import { seededRandom } from '../../src/testing/seeded-random.ts'

describe('a sorted list', () => {
  test.each([1, 2, 3])('agrees with a sorted array over thousands of steps (seed %i)', (seed) => {
    const random = seededRandom(seed)
    const list = new SortedList<number>((left, right) => left - right)
    const model = new Set<number>()
    for (let step = 0; step < 20_000; step += 1) {
      const item = Math.floor(random() * 5000)
      // It grows in the first half and shrinks in the second, so that chunks are split and dropped.
      if (random() < (step < 10_000 ? 0.7 : 0.2)) {
        if (!model.has(item)) list.add(item)
        model.add(item)
      } else {
        expect(list.remove(item)).toBe(model.delete(item))
      }
      if (step % 1000 !== 0) continue
      const wanted = [...model].toSorted((left, right) => left - right)
      expect([...list]).toEqual(wanted)
      expect([list.size, list.first()]).toEqual([wanted.length, wanted[0]])
      expect([...list.after(item)]).toEqual(wanted.filter((other) => other > item))
    }
    for (const item of model) list.remove(item)
    expect([list.size, list.first(), [...list]]).toEqual([0, undefined, []])
  })

  test('orders text as databases that compare bytes do', () => {
    expect(['b', 'a', 'B', 'ab', '1'].toSorted(compareText)).toEqual(['1', 'B', 'a', 'ab', 'b'])
    expect(compareText('a', 'a')).toBe(0)
  })
})
