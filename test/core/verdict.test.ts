import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Lane } from '../../src/core/delivery/delivery.ts'
import { verdictOf } from '../../src/core/endpoint/verdict.ts'
import type { VerdictInput } from '../../src/core/endpoint/verdict.ts'

const now = 1_700_000_000_000
const nextTickAt = now + 5_000
const unlimited = Number.POSITIVE_INFINITY
const heedful = { breaker: true, heedsEndpoint: true }
const heedless = { breaker: false, heedsEndpoint: false }

function input(over: Partial<VerdictInput> = {}): VerdictInput {
  return {
    status: 'active',
    health: { heldUntil: null, holds: 0 },
    limits: heedful,
    now,
    due: due('fresh'),
    free: { window: 40, budget: 1_000, suspects: 1 },
    allowance: { retries: 100, ramp: unlimited },
    nextTickAt,
    ...over,
  }
}

function due(...lanes: Lane[]): VerdictInput['due'] {
  return { fresh: lanes.includes('fresh'), retries: lanes.includes('retries'), suspects: lanes.includes('suspects') }
}

const held = { heldUntil: now + 60_000, holds: 1 }
const ended = { heldUntil: now, holds: 1 }
const noPlace = { window: 0, budget: 0, suspects: 0 }

test.each<[string, Partial<VerdictInput>, string, number | null]>([
  ['is paused', { status: 'paused' }, 'paused', null],
  ['is disabled', { status: 'disabled' }, 'disabled', null],
  ['is deleted', { status: 'deleted' }, 'deleted', null],
  ['is paused and held', { status: 'paused', health: held }, 'paused', null],
  ['is held', { health: held, free: noPlace }, 'held', now + 60_000],
  ['asked for a wait', { health: { heldUntil: now + 1, holds: 0 } }, 'held', now + 1],
  ['has used up its budget', { free: noPlace }, 'budget', null],
  ['has used up its budget before a probe', { health: ended, free: noPlace }, 'budget', null],
  ['has its window full', { free: { ...noPlace, budget: 5 } }, 'window', null],
  [
    'leases fewer than before, because its window shrank',
    { free: { ...noPlace, window: -3, budget: 5 } },
    'window',
    null,
  ],
  [
    'has had its retries of this tick',
    { due: due('retries'), allowance: { retries: 0, ramp: unlimited } },
    'allowance',
    nextTickAt,
  ],
  [
    'has had more than its retries of this tick',
    { due: due('retries'), allowance: { retries: -3, ramp: unlimited } },
    'allowance',
    nextTickAt,
  ],
  [
    'has had the step of its ramp',
    { due: due('fresh', 'retries'), allowance: { retries: 100, ramp: 0 } },
    'ramp',
    nextTickAt,
  ],
  [
    'has only suspects, and they may not go',
    { due: due('suspects'), free: { window: 40, budget: 40, suspects: 0 } },
    'allowance',
    nextTickAt,
  ],
  [
    'has only a suspect to probe with, and it may not go',
    { health: ended, due: due('suspects'), free: { window: 40, budget: 40, suspects: 0 } },
    'allowance',
    nextTickAt,
  ],
])('an endpoint waits that %s', (_, over, reason, until) => {
  expect(verdictOf(input(over))).toEqual({ kind: 'wait', reason, until })
})

test.each<[string, Partial<VerdictInput>, [fresh: number, retries: number, suspects: number]]>([
  ['fresh ones as far as the window goes', {}, [40, 0, 0]],
  ['fresh ones as far as the budget goes', { free: { window: 40, budget: 7, suspects: 1 } }, [7, 0, 0]],
  ['fresh ones whatever the retries have had', { allowance: { retries: 0, ramp: unlimited } }, [40, 0, 0]],
  [
    'no more fresh ones than the window, although the retries have had too many',
    { due: due('fresh', 'retries'), allowance: { retries: -3, ramp: unlimited } },
    [40, 0, 0],
  ],
  [
    'no more fresh ones than the window, although the suspects have had too many',
    { due: due('fresh', 'suspects'), allowance: { retries: -3, ramp: unlimited } },
    [40, 0, 0],
  ],
  ['retries within the tick', { due: due('retries'), allowance: { retries: 30, ramp: unlimited } }, [0, 30, 0]],
  ['half of each', { due: due('fresh', 'retries') }, [20, 20, 0]],
  [
    'few retries and the rest fresh',
    { due: due('fresh', 'retries'), allowance: { retries: 3, ramp: unlimited } },
    [37, 3, 0],
  ],
  [
    'both lanes within the step of the ramp',
    { due: due('fresh', 'retries'), allowance: { retries: 100, ramp: 9 } },
    [4, 5, 0],
  ],
  ['fresh ones within the step of the ramp', { allowance: { retries: 100, ramp: 9 } }, [9, 0, 0]],
  ['one suspect beside the others', { due: due('fresh', 'retries', 'suspects') }, [19, 20, 1]],
  [
    'a suspect as one of the retries',
    { due: due('retries', 'suspects'), allowance: { retries: 10, ramp: unlimited } },
    [0, 9, 1],
  ],
  [
    'nothing of suspects that may not go',
    { due: due('fresh', 'suspects'), free: { window: 40, budget: 40, suspects: 0 } },
    [40, 0, 0],
  ],
  ['all, where no answer of the endpoint is heeded', { limits: heedless, health: held }, [40, 0, 0]],
  ['all, once a wait that it asked for is over', { health: { heldUntil: now, holds: 0 } }, [40, 0, 0]],
])('an endpoint takes %s', (_, over, [fresh, retries, suspects]) => {
  expect(verdictOf(input(over))).toEqual({ kind: 'take', lanes: { fresh, retries, suspects }, probe: false })
})

describe('after a hold of the breaker', () => {
  test.each<[string, Lane[], Lane]>([
    ['a retry', ['fresh', 'retries', 'suspects'], 'retries'],
    ['a fresh one', ['fresh', 'suspects'], 'fresh'],
    ['a suspect, if there is nothing else', ['suspects'], 'suspects'],
  ])('one delivery goes and sees: %s', (_, lanes, lane) => {
    const verdict = verdictOf(input({ health: ended, due: due(...lanes), allowance: { retries: 0, ramp: 0 } }))
    expect(verdict).toEqual({ kind: 'take', lanes: { fresh: 0, retries: 0, suspects: 0, [lane]: 1 }, probe: true })
  })

  test('nothing is probed without a breaker', () => {
    expect(verdictOf(input({ health: ended, limits: heedless }))).toMatchObject({ kind: 'take', probe: false })
  })
})

test('whatever is asked, nobody takes more than is free, a lane never less than nothing, and who takes nothing waits', () => {
  const count = fc.integer({ min: -5, max: 50 })
  const free = fc.record({ window: count, budget: count, suspects: fc.nat({ max: 5 }) })
  const allowance = fc.record({ retries: count, ramp: fc.oneof(count, fc.constant(unlimited)) })
  const lanesDue = fc.record({ fresh: fc.boolean(), retries: fc.boolean(), suspects: fc.boolean() })
  fc.assert(
    fc.property(free, allowance, lanesDue, (within, allowed, lanes) => {
      const verdict = verdictOf(input({ free: within, allowance: allowed, due: lanes }))
      if (verdict.kind === 'wait') return
      const { fresh, retries, suspects } = verdict.lanes
      expect(Math.min(fresh, retries, suspects)).toBeGreaterThanOrEqual(0)
      expect(fresh + retries + suspects).toBeGreaterThan(0)
      expect(fresh + retries + suspects).toBeLessThanOrEqual(Math.min(within.window, within.budget, allowed.ramp))
      expect(retries + suspects).toBeLessThanOrEqual(Math.max(allowed.retries, 0))
      expect(suspects).toBeLessThanOrEqual(within.suspects)
      for (const lane of ['fresh', 'retries', 'suspects'] as const)
        if (!lanes[lane]) expect(verdict.lanes[lane]).toBe(0)
    }),
    { numRuns: 2_000 },
  )
})
