import { describe, expect, test } from 'vitest'
import { healthy } from '../../src/core/endpoint/health.ts'
import { presets } from '../../src/core/delivery/presets.ts'
import { isRough, rampStep, repeatStep } from '../../src/core/limits/ramp.ts'

const now = 1_700_000_000_000
const alone = { sharers: 1, startedAt: now }
const limits = presets.standard.limits // A tick of 5 s, 100 retries of an endpoint in each.

describe('a step of the ramp', () => {
  test.each([
    ['begins with the retries of one tick', 0, 1, { tick: 0, allowance: 100 }],
    ['lasts a tick', 4_999, 1, { tick: 0, allowance: 100 }],
    ['is twice as large a tick later', 5_000, 1, { tick: 1, allowance: 200 }],
    ['doubles with every tick', 27_000, 1, { tick: 5, allowance: 3_200 }],
    ['is divided among the workers', 10_000, 3, { tick: 2, allowance: 134 }],
    ['leaves one to each of very many workers', 0, 1_000, { tick: 0, allowance: 1 }],
    ["is one worker's while nobody is counted", 0, 0, { tick: 0, allowance: 100 }],
    ['stays a number, however long it lasts', 86_400_000, 1, { tick: 17_280, allowance: 104_857_600 }],
  ])('%s', (_, afterMs, workers, step) => {
    expect(rampStep({ rampFrom: now }, limits, { sharers: workers, startedAt: now }, now + afterMs)).toEqual(step)
  })

  test('that is older than the worker is one, and the next is whole', () => {
    const late = { sharers: 1, startedAt: now + 1 }
    expect(rampStep({ rampFrom: now }, limits, late, now + 2)).toEqual({ tick: 0, allowance: 1 })
    expect(rampStep({ rampFrom: now }, limits, late, now + 5_000)).toEqual({ tick: 1, allowance: 200 })
  })

  test('is none if nothing was held', () => {
    expect(rampStep({ rampFrom: null }, limits, alone, now)).toBeNull()
  })

  test('is the first one for a clock that is a little behind', () => {
    expect(rampStep({ rampFrom: now + 1 }, limits, alone, now)).toEqual(rampStep({ rampFrom: now }, limits, alone, now))
  })
})

test.each([
  [100, 0, false],
  [100, 10, false],
  [100, 11, true],
  [5, 1, true],
  [0, 0, false],
])('a tick in which %i began and %i blamed the endpoint is rough: %s', (begun, blamed, rough) => {
  expect(isRough(begun, blamed)).toBe(rough)
})

test('a step is repeated by moving the beginning of the ramp, unless another worker has moved it', () => {
  const health = { ...healthy, rampFrom: now, generation: 4, version: 9 }
  expect(repeatStep(health, now, 2, 5_000)).toEqual({ ...health, rampFrom: now + 10_000 })
  expect(repeatStep({ ...health, rampFrom: now + 5_000 }, now, 2, 5_000)).toBeNull()
  expect(repeatStep({ ...health, rampFrom: null }, now, 2, 5_000)).toBeNull()
})
