import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FailureKind, Outcome } from '../../src/core/attempt.ts'
import { checkCount, checkPace, healthy, isHeld, isProbing, learn, probeHold, shareOfPool, startWindow, takeTokens, verdictOn } from '../../src/core/pace.ts'
import type { Health, Lesson, LessonInput, Pace, Window } from '../../src/core/pace.ts'
import { presets } from '../../src/core/presets.ts'
import { day, hour, minute, second } from '../../src/core/time.ts'
import { thrownBy } from './thrown.ts'

const now = 1_700_000_000_000
const midpoint = (): number => 0.5
const ours = presets.standard.pace
const gateway = presets.gateway.pace
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const anyOutcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.constantFrom(200, 404, 429, 500, 503).chain((statusCode) => fc.option(fc.nat({ max: day })).map((waitMs) => answer(statusCode, waitMs))),
  fc.constantFrom<FailureKind>('timeout', 'reset', 'dns').map((kind) => ({ kind, reason: kind })),
)

describe('the window', () => {
  test.each([
    ['slow start begins at 5', ours, 5],
    ['a smaller pool is its bound', { ...ours, pool: 3 }, 3],
    ['without slow start the pool is open at once', gateway, 20],
  ])('%s', (_, pace, size) => {
    expect(startWindow(pace)).toEqual({ size, graceLeft: 0, failuresInRow: 0 })
  })

  test.each([
    [20, 1, 20],
    [20, 2, 10],
    [20, 3, 7],
    [20, 40, 1],
    [1, 3, 1],
  ])('of a pool of %i each of %i workers has %i', (pool, workers, share) => {
    expect(shareOfPool(pool, workers)).toBe(share)
    expect(share * workers).toBeLessThan(pool + workers)
  })

  test('grows by one per success, up to the pool', () => {
    const sizes = history(Array.from({ length: 20 }, () => answer(200))).map(({ window }) => window.size)
    expect(sizes.slice(0, 3)).toEqual([6, 7, 8])
    expect(sizes.slice(-5)).toEqual([20, 20, 20, 20, 20])
  })

  test('halves at a failure, then only after as many outcomes as it is wide', () => {
    const window: Window = { size: 20, graceLeft: 0, failuresInRow: 0 }
    const sizes = history(Array.from({ length: 18 }, () => answer(500)), { window, pace: { ...ours, breaker: false } }).map((each) => each.window.size)
    // The first failure halves; ten more are the rest of the same bad second; the twelfth halves again.
    expect(sizes).toEqual([10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 10, 5, 5, 5, 5, 5, 5, 2])
  })

  test('a success ends the row of failures and counts towards the grace', () => {
    const window: Window = { size: 8, graceLeft: 0, failuresInRow: 0 }
    const windows = history([answer(500), answer(500), answer(200)], { window }).map((each) => each.window)
    expect(windows).toEqual([
      { size: 4, graceLeft: 4, failuresInRow: 1 },
      { size: 4, graceLeft: 3, failuresInRow: 2 },
      { size: 5, graceLeft: 2, failuresInRow: 0 },
    ])
  })

  test('an answer that blames only its message ends the row, and neither widens nor narrows', () => {
    expect(history([answer(500), answer(404)]).map((each) => each.window)).toEqual([
      { size: 2, graceLeft: 2, failuresInRow: 1 },
      { size: 2, graceLeft: 2, failuresInRow: 0 },
    ])
  })

  test('keeps its size without slow start, and still counts failures', () => {
    expect(lesson({ pace: { ...ours, slowStart: false }, window: startWindow(gateway), outcome: answer(500) }).window).toEqual({
      size: 20,
      graceLeft: 0,
      failuresInRow: 1,
    })
  })

  test('learns nothing from failures under the gateway preset', () => {
    const [last] = history(Array.from({ length: 30 }, () => answer(503, minute)), { pace: gateway, window: startWindow(gateway) }).slice(-1)
    expect(last).toEqual({ window: startWindow(gateway), health: healthy, opened: false, closed: false })
  })

  test('is always within 1 and the pool, whatever comes', () => {
    fc.assert(
      fc.property(fc.array(anyOutcome, { maxLength: 300 }), fc.integer({ min: 1, max: 50 }), fc.boolean(), fc.boolean(), (outcomes, pool, slowStart, breaker) => {
        const pace: Pace = { ...ours, pool, slowStart, breaker }
        for (const { window } of history(outcomes, { pace, window: startWindow(pace) })) {
          expect(window.size).toBeGreaterThanOrEqual(1)
          expect(window.size).toBeLessThanOrEqual(pool)
          expect(Number.isInteger(window.size)).toBe(true)
        }
      }),
    )
  })
})

describe('the breaker', () => {
  test.each([
    ['the ninth failure', 8, 0, ours, false],
    ['the tenth failure', 9, 0, ours, true],
    ['the failure of a probe', 0, 1, ours, true],
    ['the tenth failure, without a breaker', 9, 0, { ...ours, breaker: false }, false],
    ['the failure of a probe, without a breaker', 0, 1, { ...ours, breaker: false }, false],
  ])('opens or not at %s', (_, failuresInRow, holds, pace, opens) => {
    const { opened, health } = lesson({ window: { size: 5, graceLeft: 0, failuresInRow }, health: { ...healthy, holds }, pace, outcome: answer(500) })
    expect(opened).toBe(opens)
    expect(isHeld(health, now)).toBe(opens)
    expect(health.holds).toBe(holds + (opens ? 1 : 0))
  })

  test.each([
    ['no answer', { kind: 'timeout' as const, reason: 'no answer' }, true],
    ['408', answer(408), true],
    ['429', answer(429), true],
    ['503', answer(503), true],
    ['404', answer(404), false],
    ['302', answer(302), false],
  ])('ten times %s in a row', (_, outcome, opens) => {
    expect(history(Array.from({ length: 10 }, () => outcome)).map((each) => each.opened)).toEqual([...Array.from({ length: 9 }, () => false), opens])
  })

  test('holds for a minute, then doubles up to a quarter of an hour', () => {
    let [health, at] = [{ ...healthy, holds: 0 } as Health, now]
    const minutes = Array.from({ length: 7 }, () => {
      const window: Window = { size: 5, graceLeft: 0, failuresInRow: 9 }
      health = lesson({ window, health, outcome: answer(500), now: at, probe: true }).health
      const heldMs = (health.heldUntil ?? 0) - at
      at += heldMs
      return heldMs / minute
    })
    expect(minutes).toEqual([1, 2, 4, 8, 15, 15, 15])
    expect(health.holds).toBe(7)
  })

  test.each([
    [0, 48 * second],
    [1 - 2 ** -53, 72 * second],
  ])('spreads a hold: a draw of %d makes %d ms', (random, heldMs) => {
    const window: Window = { size: 5, graceLeft: 0, failuresInRow: 9 }
    expect(lesson({ window, outcome: answer(500), random: () => random }).health.heldUntil).toBe(now + heldMs)
  })

  test('what was under way when the hold began does not double it', () => {
    const held: Health = { ...healthy, holds: 1, heldUntil: now + minute }
    const straggler = lesson({ window: { size: 5, graceLeft: 0, failuresInRow: 9 }, health: held, outcome: answer(500) })
    expect(straggler).toMatchObject({ opened: false, health: { holds: 1, heldUntil: now + minute } })
    const probed = lesson({ window: { size: 5, graceLeft: 0, failuresInRow: 0 }, health: held, outcome: answer(500), probe: true })
    expect(probed).toMatchObject({ opened: true, health: { holds: 2, heldUntil: now + 2 * minute } })
  })

  test.each([
    ['a success', answer(200)],
    ['an answer that proves life', answer(404)],
  ])('closes at %s, into a slow start', (_, outcome) => {
    const health: Health = { ...healthy, holds: 3, heldUntil: now + minute, failures: 10, failingSince: now - hour, failedAttempts: 40 }
    const closing = lesson({ window: { size: 18, graceLeft: 0, failuresInRow: 0 }, health, outcome, probe: true })
    expect(closing).toMatchObject({ opened: false, closed: true, window: startWindow(ours), health: { holds: 0, heldUntil: null, failures: 0 } })
  })

  test.each([
    ['by 5 s', answer(429, 5 * second), healthy, 5 * second],
    ['by a day', answer(503, day), healthy, 15 * minute],
    ['by less than it is held already', answer(429, 5 * second), { ...healthy, heldUntil: now + hour }, hour],
    ['with a code that has no such right', answer(500, hour), healthy, null],
  ])('a hold that the endpoint asks for %s is no hold of the breaker', (_, outcome, health, heldMs) => {
    const asked = lesson({ health, outcome })
    expect(asked.health.heldUntil).toBe(heldMs === null ? null : now + heldMs)
    expect(asked).toMatchObject({ opened: false, health: { holds: 0 } })
  })

  test('every hold ends within 18 minutes, however often it was doubled', () => {
    fc.assert(
      fc.property(fc.nat({ max: 5000 }), chance, (holds, random) => {
        const { health } = lesson({ health: { ...healthy, holds }, window: { size: 1, graceLeft: 0, failuresInRow: 9 }, outcome: answer(500), random: () => random })
        expect(isHeld(health, now)).toBe(true)
        expect(isHeld(health, now + 18 * minute)).toBe(false)
        expect(isProbing(health, now + 18 * minute)).toBe(true)
      }),
    )
  })

  test('no order of outcomes, probes and crashes can wedge an endpoint', () => {
    // Without an outcome, the worker crashed with the delivery.
    const step = fc.record({ outcome: fc.option(anyOutcome), times: fc.constantFrom(1, 2, 10, 30), laterMs: fc.nat({ max: hour }) })
    let probes = 0
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), chance, (steps, random) => {
        let [window, health, at] = [startWindow(ours), healthy, now]
        for (const { outcome, times, laterMs } of steps) {
          at += laterMs
          const probing = isProbing(health, at)
          if (probing) health = probeHold(health, at, 30 * second)
          if (probing) probes += 1
          for (let time = 0; outcome !== null && time < times; time += 1) {
            ;({ window, health } = learn({ window, health, outcome, probe: probing && time === 0, pace: ours, now: at, random: () => random }))
          }
        }
        expect(isHeld(health, at + 18 * minute)).toBe(false)
      }),
    )
    expect(probes).toBeGreaterThan(0)
  })

  test('lets one delivery go and see, by moving its hold by one lease', () => {
    const ended: Health = { ...healthy, holds: 2, heldUntil: now }
    expect(isHeld(ended, now)).toBe(false)
    expect(isProbing(ended, now)).toBe(true)
    const probing = probeHold(ended, now, 30 * second)
    expect(isProbing(probing, now)).toBe(false)
    expect(isHeld(probing, now + 30 * second - 1)).toBe(true)
    expect(isProbing(probing, now + 30 * second)).toBe(true)
  })

  test.each([
    ['healthy', healthy, false, false],
    ['held', { ...healthy, holds: 1, heldUntil: now + 1 }, true, false],
    ['held until now', { ...healthy, holds: 1, heldUntil: now }, false, true],
    ['back from a wait it asked for', { ...healthy, heldUntil: now - 1 }, false, false],
  ])('an endpoint that is %s', (_, health, held, probing) => {
    expect(isHeld(health, now)).toBe(held)
    expect(isProbing(health, now)).toBe(probing)
  })
})

describe('health', () => {
  test('counts failures from the first of the streak', () => {
    const first = lesson({ outcome: answer(500) })
    const next = lesson({ ...first, outcome: answer(500), now: now + 500 })
    expect(first.health).toEqual({ ...healthy, failures: 1, failingSince: now, failedAttempts: 1 })
    expect(next.health).toEqual({ ...healthy, failures: 2, failingSince: now, failedAttempts: 2 })
  })

  test('an answer that blames only its message goes on with the streak, but not with the row', () => {
    const failing: Health = { ...healthy, failures: 3, failingSince: now - hour, failedAttempts: 3 }
    expect(lesson({ health: failing, outcome: answer(404) }).health).toEqual({ ...failing, failures: 0, failedAttempts: 4 })
  })

  test.each([
    ['failing', { failingSince: now, failedAttempts: 3, warned: true }],
    ['held', { heldUntil: now }],
    ['held before', { holds: 1 }],
  ])('a success clears an endpoint that is %s, but for the rate bucket and the version', (_, trouble) => {
    const kept = { rateTokens: 3, rateAt: 7, version: 9 }
    expect(lesson({ health: { ...healthy, ...kept, ...trouble }, outcome: answer(200) }).health).toEqual({ ...healthy, ...kept })
  })

  test('a success without trouble before it hands back the same health, so that nothing is written', () => {
    const health: Health = { ...healthy, rateTokens: 3, rateAt: 7, version: 9 }
    expect(lesson({ health, outcome: answer(200) }).health).toBe(health)
  })

  test.each([
    ['not failing', null, 50, false, 'none'],
    ['failing for less than a day', now - day + 1, 50, false, 'none'],
    ['failing for a day', now - day, 10, false, 'warn'],
    ['failing for a day, with few attempts', now - day, 9, false, 'none'],
    ['failing for a day, and warned of', now - day, 10, true, 'none'],
    ['failing for almost five days, and warned of', now - 5 * day + 1, 50, true, 'none'],
    ['failing for five days', now - 5 * day, 10, true, 'disable'],
    ['failing for five days, never warned of', now - 5 * day, 10, false, 'disable'],
    ['failing for five days, with few attempts', now - 5 * day, 9, true, 'none'],
  ] as const)('the verdict on an endpoint %s', (_, failingSince, failedAttempts, warned, verdict) => {
    expect(verdictOn({ ...healthy, failingSince, failedAttempts, warned }, now)).toBe(verdict)
  })
})

describe('takeTokens', () => {
  test('a bucket that was never used holds one second of tokens', () => {
    const { taken, health } = takeTokens(healthy, 10, 100, now)
    expect(taken).toBe(10)
    expect(health).toMatchObject({ rateTokens: 0, rateAt: now })
  })

  test('refills steadily and keeps fractions', () => {
    const empty: Health = { ...healthy, rateAt: now }
    const after150 = takeTokens(empty, 10, 100, now + 150)
    expect(after150.taken).toBe(1)
    expect(after150.health.rateTokens).toBeCloseTo(0.5)
    expect(takeTokens(after150.health, 10, 100, now + 200).taken).toBe(1)
  })

  test('takes no more than is wanted, and leaves the rest', () => {
    const { taken, health } = takeTokens({ ...healthy, rateTokens: 8, rateAt: now }, 10, 3, now)
    expect([taken, health.rateTokens]).toEqual([3, 5])
  })

  test('never takes more in any ten seconds than 1.1 times the rate: ten seconds and one second of burst', () => {
    const step = fc.record({ laterMs: fc.nat({ max: 3000 }), most: fc.nat({ max: 200 }) })
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 100 }), fc.array(step, { maxLength: 100 }), (rate, steps) => {
        let [health, at] = [healthy, now]
        const takes: { at: number; taken: number }[] = []
        for (const { laterMs, most } of steps) {
          at += laterMs
          const result = takeTokens(health, rate, most, at)
          takes.push({ at, taken: result.taken })
          health = result.health
          expect(result.taken).toBeLessThanOrEqual(most)
          expect(health.rateTokens).toBeGreaterThanOrEqual(0)
        }
        for (const from of takes) {
          const inTenSeconds = takes.filter((take) => take.at >= from.at && take.at < from.at + 10 * second)
          expect(inTenSeconds.reduce((sum, { taken }) => sum + taken, 0)).toBeLessThanOrEqual(11 * rate)
        }
      }),
    )
  })

  test('two workers whose clocks differ a little do not earn the same moment twice', () => {
    let health: Health = { ...healthy, rateAt: now }
    let total = 0
    for (let turn = 0; turn < 100; turn += 1) {
      const result = takeTokens(health, 10, 100, turn % 2 === 0 ? now : now - 400)
      total += result.taken
      health = result.health
    }
    expect(total).toBe(0)
  })

  test('a clock that was set far back starts the bucket anew instead of closing it', () => {
    const { taken, health } = takeTokens({ ...healthy, rateAt: now }, 10, 100, now - hour)
    expect(taken).toBe(0)
    expect(takeTokens(health, 10, 100, now - hour + second).taken).toBe(10)
  })
})

describe('checkPace', () => {
  test.each(Object.values(presets))('takes the pace of $name', ({ pace }) => {
    expect(() => checkPace(pace)).not.toThrow()
  })

  test.each([
    ['pollMs', 9, 'from 10 to 600000'],
    ['pollMs', 600_001, 'from 10 to 600000'],
    ['retriesPerEndpoint', 0, 'from 1 to 100000'],
    ['retriesPerEndpoint', 100_001, 'from 1 to 100000'],
    ['pool', 0, 'from 1 to 1000'],
    ['pool', 1001, 'from 1 to 1000'],
    ['perCycle', 0, 'from 1 to 100000'],
    ['perCycle', 2.5, 'from 1 to 100000'],
    ['pool', Number.NaN, 'from 1 to 1000'],
  ])('refuses %s of %d', (name, value, wanted) => {
    const error = thrownBy(() => checkPace({ ...ours, [name]: value }))
    expect(error.code).toBe('invalid_argument')
    expect(error.message).toBe(`Expected \`${name}\` to be a whole number ${wanted}, got ${value}.`)
  })

  test.each(['5', null, undefined, 5n])('a count of %s is none', (value) => {
    expect(thrownBy(() => checkCount('most', value, 1, 10)).message).toContain('Expected `most` to be a whole number from 1 to 10, got ')
  })
})

function answer(statusCode: number, retryAfterMs: number | null = null): Outcome {
  return { kind: 'answered', statusCode, excerpt: '', retryAfterMs }
}

function lesson(over: Partial<LessonInput> & Pick<LessonInput, 'outcome'>): Lesson {
  return learn({ window: startWindow(ours), health: healthy, probe: false, pace: ours, now, random: midpoint, ...over })
}

/** The lessons of outcomes that come one after the other, each building on the one before. */
function history(outcomes: readonly Outcome[], over: Partial<LessonInput> = {}): Lesson[] {
  const lessons: Lesson[] = []
  for (const outcome of outcomes) {
    const last = lessons.at(-1)
    lessons.push(lesson({ ...over, ...(last === undefined ? {} : { window: last.window, health: last.health }), outcome }))
  }
  return lessons
}
