import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { attemptId, attemptOf, checkId, firstIdAt, isAnyId, isId, makeId, timeOfId } from '../../src/core/ids.ts'
import type { IdKind } from '../../src/core/ids.ts'
import { thrownBy } from './thrown.ts'

const kinds: readonly IdKind[] = ['app', 'ep', 'msg', 'dlv', 'sec', 'aud', 'key', 'job']
const instant = fc.integer({ min: 0, max: 2 ** 45 - 1 })
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })

describe('makeId', () => {
  test('is kind, nine digits of time and ten of chance', () => {
    expect(makeId('msg', 0, () => 0)).toBe('msg_0000000000000000000')
    expect(makeId('msg', 33, () => 0)).toBe('msg_0000000110000000000')
    expect(makeId('dlv', 2 ** 45 - 1, () => 1 - 2 ** -53)).toBe('dlv_zzzzzzzzzzzzzzzzzzz')
  })

  test('sorts by time as plain text, whatever chance says', () => {
    fc.assert(
      fc.property(instant, instant, chance, chance, (one, other, first, second) => {
        fc.pre(one < other)
        expect(makeId('dlv', one, () => first) < makeId('dlv', other, () => second)).toBe(true)
      }),
    )
  })

  test('always makes what isId and checkId accept, of its own kind only', () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), instant, chance, (kind, now, random) => {
        const id = makeId(kind, now, () => random)
        expect(kinds.filter((other) => isId(other, id))).toEqual([kind])
        expect(isAnyId(id)).toBe(true)
        expect(checkId(kind, id)).toBe(id)
      }),
    )
  })

  test('can be asked when it was made', () => {
    fc.assert(
      fc.property(fc.constantFrom(...kinds), instant, chance, (kind, now, random) => {
        expect(timeOfId(makeId(kind, now, () => random))).toBe(now)
      }),
    )
  })

  test('uses all fifty bits of chance: neighbouring draws give different ids', () => {
    const ids = [0, 2 ** -50, 2 * 2 ** -50].map((random) => makeId('msg', 5, () => random))
    expect(new Set(ids).size).toBe(3)
  })
})

describe('firstIdAt', () => {
  test('lies between the ids made before an instant and those made at or after it', () => {
    fc.assert(
      fc.property(instant, instant, chance, (at, now, random) => {
        expect(makeId('dlv', now, () => random) >= firstIdAt('dlv', at)).toBe(now >= at)
      }),
    )
  })

  test.each([
    [-5, 'dlv_0000000000000000000'],
    [1.5, 'dlv_0000000020000000000'],
  ])('takes %d as a filter too', (at, id) => {
    expect(firstIdAt('dlv', at)).toBe(id)
  })
})

test.each([
  ['another kind', 'msg_0000000000000000000'],
  ['one digit too few', 'dlv_000000000000000000'],
  ['one digit too many', 'dlv_00000000000000000000'],
  ['a letter that is no digit', 'dlv_000000000000000000u'],
  ['upper case', 'dlv_000000000000000000A'],
  ['a line break at the end', 'dlv_0000000000000000000\n'],
  ['no kind', '0000000000000000000'],
  ['nothing', ''],
  ['a number', 7],
  ['undefined', undefined],
])('checkId refuses %s by name', (_, text) => {
  const error = thrownBy(() => checkId('dlv', text, 'deliveryId'))
  expect(error.code).toBe('invalid_id')
  expect(error.message).toContain('Expected `deliveryId` to be an id of the form dlv_…, got ')
})

describe('attemptId', () => {
  test('names delivery and epoch, so that no two attempts share it', () => {
    expect(attemptId('dlv_0000000110000000000', 1)).toBe('atmpt_0000000110000000000000001')
    expect(attemptId('dlv_0000000110000000000', 33)).toBe('atmpt_0000000110000000000000011')
  })

  test('sorts by epoch within its delivery', () => {
    const epoch = fc.integer({ min: 1, max: 2 ** 30 - 1 })
    fc.assert(
      fc.property(epoch, epoch, (one, other) => {
        fc.pre(one < other)
        expect(attemptId('dlv_0000000110000000000', one) < attemptId('dlv_0000000110000000000', other)).toBe(true)
      }),
    )
  })
  test('is read back as the delivery and epoch that it was made of', () => {
    fc.assert(
      fc.property(instant, chance, fc.integer({ min: 1, max: 2 ** 30 - 1 }), (at, random, epoch) => {
        const deliveryId = makeId('dlv', at, () => random)
        expect(attemptOf(attemptId(deliveryId, epoch))).toEqual({ deliveryId, epoch })
      }),
    )
  })

  test.each([
    '',
    'atmpt_',
    'dlv_0000000110000000000',
    'atmpt_000000011000000000000000',
    'atmpt_000000011000000000000000u',
  ])('%j is none', (text) => {
    expect(attemptOf(text)).toBeNull()
  })
})
