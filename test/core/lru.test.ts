import { expect, test } from 'vitest'
import { Lru } from '../../src/core/lru.ts'

type Step =
  | readonly ['set', string, number]
  | readonly ['get', string, number | undefined]
  | readonly ['delete', string, boolean]

test.each<[what: string, most: number, steps: Step[], left: string]>([
  [
    'keeps what fits',
    3,
    [
      ['set', 'a', 1],
      ['set', 'b', 2],
      ['set', 'c', 3],
    ],
    'abc',
  ],
  [
    'forgets one entry when it is full, and no more',
    3,
    [
      ['set', 'a', 1],
      ['set', 'b', 2],
      ['set', 'c', 3],
      ['set', 'd', 4],
    ],
    'bcd',
  ],
  [
    'forgets what was read longest ago',
    2,
    [
      ['set', 'a', 1],
      ['set', 'b', 2],
      ['get', 'a', 1],
      ['set', 'c', 3],
    ],
    'ac',
  ],
  [
    'forgets what was written longest ago',
    2,
    [
      ['set', 'a', 1],
      ['set', 'b', 2],
      ['set', 'a', 3],
      ['set', 'c', 4],
    ],
    'ac',
  ],
  [
    'keeps one value for a key',
    2,
    [
      ['set', 'a', 1],
      ['set', 'a', 2],
      ['get', 'a', 2],
    ],
    'a',
  ],
  [
    'does not count what is not there as used',
    2,
    [
      ['set', 'a', 1],
      ['set', 'b', 2],
      ['get', 'x', undefined],
      ['set', 'c', 3],
    ],
    'bc',
  ],
  [
    'has room again after a delete',
    2,
    [
      ['set', 'a', 1],
      ['set', 'b', 2],
      ['delete', 'b', true],
      ['delete', 'b', false],
      ['set', 'c', 3],
    ],
    'ac',
  ],
  [
    'keeps falsy values',
    2,
    [
      ['set', 'a', 0],
      ['set', 'b', 1],
      ['get', 'a', 0],
      ['set', 'c', 2],
    ],
    'ac',
  ],
  [
    'of one',
    1,
    [
      ['set', 'a', 1],
      ['set', 'b', 2],
      ['get', 'a', undefined],
      ['get', 'b', 2],
    ],
    'b',
  ],
])('it %s', (_what, most, steps, left) => {
  const lru = new Lru<string, number>(most)
  for (const [verb, key, value] of steps) {
    if (verb === 'set') lru.set(key, value)
    else expect([key, lru[verb](key)]).toEqual([key, value])
  }
  expect([lru.size, lru.most]).toEqual([left.length, most])
  expect(['a', 'b', 'c', 'd'].filter((key) => lru.get(key) !== undefined).join('')).toBe(left)
})

test.each([0, -1, 1.5, Number.NaN, Infinity])('a bound of %s is refused', (most) => {
  expect(() => new Lru(most)).toThrow(`Expected \`most\` to be a whole number from 1 on, got ${most}.`)
})
