import { expect, test } from 'vitest'
import { Lru } from '../../src/core/lru.ts'

test('a newcomer takes the place of the one that was used least recently, and of no other', () => {
  const lru = new Lru<string, number>(3)
  for (const [index, key] of ['a', 'b', 'c'].entries()) lru.set(key, index)
  expect(lru.get('a')).toBe(0)
  lru.set('d', 3)
  expect(['a', 'b', 'c', 'd'].map((key) => lru.get(key))).toEqual([0, undefined, 2, 3])
  expect(lru.size).toBe(3)
})

test('a value that is set again is used, and takes no second place', () => {
  const lru = new Lru<string, number>(2)
  lru.set('a', 1)
  lru.set('b', 2)
  lru.set('a', 3)
  lru.set('c', 4)
  expect(['a', 'b', 'c'].map((key) => lru.get(key))).toEqual([3, undefined, 4])
})

test('what is deleted makes room, and what is not there is no harm', () => {
  const lru = new Lru<string, number>(2)
  lru.set('a', 1)
  lru.set('b', 2)
  lru.delete('a')
  lru.delete('never')
  lru.set('c', 3)
  expect([lru.size, lru.get('a'), lru.get('b'), lru.get('c')]).toEqual([2, undefined, 2, 3])
})
