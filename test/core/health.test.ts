import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { FailureKind, Outcome } from '../../src/core/delivery/attempt.ts'
import {
  afterWarning,
  awaitsProbe,
  healthy,
  isHeld,
  isWorthSaving,
  judge,
  learn,
  nextGeneration,
  probeHold,
  willBeDisabledAt,
} from '../../src/core/endpoint/health.ts'
import type { Evidence, Health, Lesson, LessonInput } from '../../src/core/endpoint/health.ts'
import { presets } from '../../src/core/delivery/presets.ts'
import { day, hour, minute, second } from '../../src/core/time.ts'
import { startWindow } from '../../src/core/limits/window.ts'
import type { Window } from '../../src/core/limits/window.ts'

const now = 1_700_000_000_000
const midpoint = (): number => 0.5
const ours = presets.standard.limits
const gateway = presets.gateway.limits
const ninthInRow: Window = { size: 5, graceLeft: 0, failuresInRow: 9 }
const chance = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true })
const anyOutcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc
    .constantFrom(200, 404, 410, 429, 500, 503)
    .chain((statusCode) => fc.option(fc.nat({ max: day })).map((waitMs) => answer(statusCode, waitMs))),
  fc.constantFrom<FailureKind>('timeout', 'reset', 'dns').map((kind) => ({ kind, reason: kind })),
)

describe('the window follows the outcomes', () => {
  test('an answer that blames only its message ends the row, and neither widens nor narrows', () => {
    expect(history([answer(500), answer(404)]).map((each) => each.window)).toEqual([
      { size: 2, graceLeft: 2, failuresInRow: 1 },
      { size: 2, graceLeft: 2, failuresInRow: 0 },
    ])
  })

  test('a success widens it', () => {
    expect(lesson(answer(200)).window.size).toBe(6)
  })

  test('nothing is learnt from failures under the gateway preset', () => {
    const [last] = history(
      Array.from({ length: 30 }, () => answer(503, minute)),
      { limits: gateway, window: startWindow(gateway) },
    ).slice(-1)
    expect(last).toEqual({ window: startWindow(gateway), health: healthy, opened: false, closed: false, gone: false })
  })
})

describe('the breaker', () => {
  test.each([
    ['the ninth failure', 8, 0, ours, false],
    ['the tenth failure', 9, 0, ours, true],
    ['the failure of a probe', 0, 1, ours, true],
    ['the tenth failure, without a breaker', 9, 0, { ...ours, breaker: false }, false],
    ['the failure of a probe, without a breaker', 0, 1, { ...ours, breaker: false }, false],
  ])('opens or not at %s', (_, failuresInRow, holds, limits, opens) => {
    const { opened, health } = lesson(answer(500), {
      window: { ...ninthInRow, failuresInRow },
      health: { ...healthy, holds },
      limits,
    })
    expect(opened).toBe(opens)
    expect(isHeld(health, now)).toBe(opens)
    expect(health.holds).toBe(holds + (opens ? 1 : 0))
    expect(health.generation).toBe(opens ? 1 : 0)
  })

  test.each([
    ['no answer', { kind: 'timeout' as const, reason: 'no answer' }, true],
    ['408', answer(408), true],
    ['429', answer(429), true],
    ['503', answer(503), true],
    ['404', answer(404), false],
    ['302', answer(302), false],
  ])('ten times %s in a row', (_, outcome, opens) => {
    expect(history(Array.from({ length: 10 }, () => outcome)).map((each) => each.opened)).toEqual([
      ...Array.from({ length: 9 }, () => false),
      opens,
    ])
  })

  test('holds for a minute, then doubles up to a quarter of an hour', () => {
    let [health, at] = [healthy, now]
    const minutes = Array.from({ length: 7 }, () => {
      health = lesson(answer(500), { window: ninthInRow, health, now: at }, { probe: true }).health
      const heldMs = (health.heldUntil ?? 0) - at
      at += heldMs
      return heldMs / minute
    })
    expect(minutes).toEqual([1, 2, 4, 8, 15, 15, 15])
    expect(health).toMatchObject({ holds: 7, generation: 7 })
  })

  test.each([
    [0, 48 * second],
    [1 - 2 ** -53, 72 * second],
  ])('spreads a hold: a draw of %d gives %d ms', (random, heldMs) => {
    expect(lesson(answer(500), { window: ninthInRow, random: () => random }).health.heldUntil).toBe(now + heldMs)
  })

  test('lets what it has kept back leave in steps from the end of the hold on', () => {
    const { health } = lesson(answer(500), { window: ninthInRow })
    expect(health).toMatchObject({ heldUntil: now + minute, rampFrom: now + minute })
  })

  test('holds from the failure of a probe on, although the hold of the probe itself was longer', () => {
    const probing = probeHold({ ...healthy, holds: 1, heldUntil: now, generation: 1 }, now, 10 * minute)
    const failed = lesson(answer(500), { health: probing }, { probe: true })
    expect(failed).toMatchObject({ opened: true, health: { holds: 2, heldUntil: now + 2 * minute, generation: 2 } })
  })

  test.each([
    ['a success', answer(200), null],
    ['an answer that proves life', answer(404), now - hour],
  ])('closes at %s, into a slow start and a ramp', (_, outcome, failingSince) => {
    const health: Health = {
      ...healthy,
      holds: 3,
      heldUntil: now + minute,
      failures: 10,
      failingSince: now - hour,
      failedAttempts: 40,
      generation: 4,
    }
    const closing = lesson(outcome, { window: { size: 18, graceLeft: 0, failuresInRow: 0 }, health }, { probe: true })
    expect(closing).toMatchObject({ opened: false, closed: true, window: startWindow(ours) })
    expect(closing.health).toMatchObject({
      holds: 0,
      heldUntil: null,
      failures: 0,
      failingSince,
      rampFrom: now,
      generation: 5,
    })
  })

  test('lets one delivery go and see, by a hold that outlasts it by a second', () => {
    const ended: Health = { ...healthy, holds: 2, heldUntil: now, generation: 7, rampFrom: now, version: 3 }
    expect([isHeld(ended, now), awaitsProbe(ended, now)]).toEqual([false, true])
    const probing = probeHold(ended, now, 30 * second)
    expect(probing).toEqual({ ...ended, heldUntil: now + 31 * second })
    expect(awaitsProbe(probing, now)).toBe(false)
    expect(isHeld(probing, now + 31 * second - 1)).toBe(true)
    expect(awaitsProbe(probing, now + 31 * second)).toBe(true)
  })

  test.each([
    ['healthy', healthy, false, false],
    ['held', { ...healthy, holds: 1, heldUntil: now + 1 }, true, false],
    ['held until now', { ...healthy, holds: 1, heldUntil: now }, false, true],
    ['back from a wait it asked for', { ...healthy, heldUntil: now - 1 }, false, false],
  ])('an endpoint that is %s', (_, health, held, probing) => {
    expect(isHeld(health, now)).toBe(held)
    expect(awaitsProbe(health, now)).toBe(probing)
  })

  test('is not ended by the success of a request that was about to leave when the hold began, but by that of its probe', () => {
    const held = { ...healthy, generation: 3, holds: 1, heldUntil: now + minute, rampFrom: now + minute }
    const straggler = lesson(answer(200), { health: held })
    expect([straggler.closed, straggler.health]).toEqual([false, held])
    const probe = lesson(answer(200), { health: held }, { probe: true })
    expect([probe.closed, isHeld(probe.health, now)]).toEqual([true, false])
  })

  test('every hold ends within 18 minutes, however often it was doubled', () => {
    fc.assert(
      fc.property(fc.nat({ max: 5000 }), chance, (holds, random) => {
        const { health } = lesson(answer(500), {
          health: { ...healthy, holds },
          window: ninthInRow,
          random: () => random,
        })
        expect(isHeld(health, now)).toBe(true)
        expect(isHeld(health, now + 18 * minute)).toBe(false)
        expect(awaitsProbe(health, now + 18 * minute)).toBe(true)
      }),
    )
  })

  test('an endpoint cannot get stuck, whatever the order of outcomes, probes, stragglers and crashes', () => {
    // Without an outcome, the worker crashed with the delivery. A straggler began some generations ago.
    const step = fc.record({
      outcome: fc.option(anyOutcome),
      times: fc.constantFrom(1, 2, 10, 30),
      laterMs: fc.nat({ max: hour }),
      age: fc.constantFrom(0, 0, 0, 1, 2),
    })
    let probes = 0
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), chance, (steps, random) => {
        let [window, health, at] = [startWindow(ours), healthy, now]
        for (const { outcome, times, laterMs, age } of steps) {
          at += laterMs
          const probing = awaitsProbe(health, at)
          if (probing) health = probeHold(health, at, 30 * second)
          if (probing) probes += 1
          for (let time = 0; outcome !== null && time < times; time += 1) {
            const before = health
            const evidence: Evidence = {
              outcome,
              generation: health.generation - age,
              sameUrl: true,
              probe: probing && time === 0 && age === 0,
            }
            ;({ window, health } = learn({ window, health, evidence, limits: ours, now: at, random: () => random }))
            expect(health.generation).toBeGreaterThanOrEqual(before.generation)
          }
        }
        expect(isHeld(health, at + 18 * minute)).toBe(false)
      }),
    )
    expect(probes).toBeGreaterThan(0)
  })
})

describe('Retry-After', () => {
  test.each([
    ['by 5 s', answer(429, 5 * second), healthy, 5 * second],
    ['by a day', answer(503, day), healthy, 15 * minute],
    ['by less than it is held already', answer(429, 5 * second), { ...healthy, heldUntil: now + hour }, hour],
    ['by no time', answer(429, 0), healthy, null],
    ['with a code that has no such right', answer(500, hour), healthy, null],
  ])('a hold that the endpoint asks for %s is no hold of the breaker', (_, outcome, health, heldMs) => {
    const asked = lesson(outcome, { health })
    expect(asked.health.heldUntil).toBe(heldMs === null ? null : now + heldMs)
    expect(asked).toMatchObject({ opened: false, health: { holds: 0 } })
  })

  test('begins a generation and a ramp if it moves the end of the hold, and none if it does not', () => {
    const first = lesson(answer(429, minute)).health
    expect(first).toMatchObject({ heldUntil: now + minute, rampFrom: now + minute, generation: 1 })
    const shorter = lesson(answer(429, second), { health: first }).health
    expect(shorter).toMatchObject({ heldUntil: now + minute, rampFrom: now + minute, generation: 1 })
  })

  test('is not heeded under the gateway preset', () => {
    expect(lesson(answer(429, minute), { limits: gateway }).health).toBe(healthy)
  })
})

describe('a failure of our own proxy', () => {
  const away: Outcome = { kind: 'proxy', reason: 'our forward proxy failed (connection refused)' }

  test('teaches nothing about an endpoint: it opens no breaker, and closes none', () => {
    const { window, health, opened, closed } = lesson(away, { window: ninthInRow })
    expect({ window, health, opened, closed }).toEqual({
      window: ninthInRow,
      health: healthy,
      opened: false,
      closed: false,
    })
    const held: Health = { ...healthy, holds: 2, heldUntil: now - 1, failingSince: now - day, failedAttempts: 20 }
    expect(lesson(away, { health: held }, { probe: true })).toMatchObject({
      health: held,
      opened: false,
      closed: false,
    })
  })
})

describe('evidence from another URL', () => {
  test.each([
    ['a success', answer(200)],
    ['a failure', answer(500)],
    ['a wait', answer(429, hour)],
    ['410', answer(410)],
  ])('counts for nothing: %s', (_, outcome) => {
    const input = { window: ninthInRow, health: { ...healthy, holds: 2, heldUntil: now + minute, generation: 3 } }
    expect(lesson(outcome, input, { sameUrl: false, probe: true })).toEqual({
      ...input,
      opened: false,
      closed: false,
      gone: false,
    })
  })
})

describe('evidence from a past generation of the same URL', () => {
  const held: Health = {
    ...healthy,
    holds: 1,
    heldUntil: now + 10 * minute,
    rampFrom: now + 10 * minute,
    failingSince: now,
    failedAttempts: 10,
    generation: 5,
  }
  const past = { generation: 4 }

  test.each([
    ['a success does not end the hold', answer(200)],
    ['an answer that proves life does not end the hold', answer(404)],
    ['a failure does not double it', answer(500)],
    ['a shorter wait does not move it', answer(503, minute)],
  ])('%s', (_, outcome) => {
    expect(lesson(outcome, { window: ninthInRow, health: held }, past)).toEqual({
      window: ninthInRow,
      health: held,
      opened: false,
      closed: false,
      gone: false,
    })
  })

  test('a longer wait moves the hold, and begins the next generation', () => {
    const { health } = lesson(answer(503, 12 * minute), { health: held }, past)
    expect(health).toEqual({ ...held, heldUntil: now + 12 * minute, rampFrom: now + 12 * minute, generation: 6 })
  })

  test('410 counts, and is heeded only where answers are', () => {
    expect(lesson(answer(410), { health: held }, past)).toMatchObject({ gone: true, health: held })
    expect(lesson(answer(410), { health: held, limits: gateway }, past)).toMatchObject({ gone: false, health: held })
  })

  test('a wait is not heeded under the gateway preset', () => {
    expect(lesson(answer(503, 12 * minute), { health: held, limits: gateway }, past).health).toBe(held)
  })
})

describe('health', () => {
  test('counts failures from the first of the streak', () => {
    const first = lesson(answer(500))
    const next = lesson(answer(500), { window: first.window, health: first.health, now: now + 500 })
    expect(first.health).toEqual({ ...healthy, failures: 1, failingSince: now, failedAttempts: 1 })
    expect(next.health).toEqual({ ...healthy, failures: 2, failingSince: now, failedAttempts: 2 })
  })

  test('an answer that blames only its message goes on with the streak, but not with the row', () => {
    const failing: Health = { ...healthy, failures: 3, failingSince: now - hour, failedAttempts: 3 }
    expect(lesson(answer(404), { health: failing }).health).toEqual({ ...failing, failures: 0, failedAttempts: 4 })
  })

  test.each([
    ['failing', { failingSince: now, failedAttempts: 3, warnings: 1 }, { generation: 3, rampFrom: 7 }],
    ['back from a wait it asked for', { heldUntil: now }, { generation: 3, rampFrom: 7 }],
    ['held before, which begins a generation and a ramp', { holds: 1 }, { generation: 4, rampFrom: now }],
  ])('a success clears an endpoint that is %s', (_, trouble, left) => {
    const kept = { generation: 3, rampFrom: 7, version: 9 }
    expect(lesson(answer(200), { health: { ...healthy, ...kept, ...trouble } }).health).toEqual({
      ...healthy,
      ...kept,
      ...left,
    })
  })

  test('a success without trouble before it hands back the same health, so that nothing is written', () => {
    const health: Health = { ...healthy, generation: 3, rampFrom: 7, version: 9 }
    expect(lesson(answer(200), { health }).health).toBe(health)
  })

  test.each([
    ['410 says that it is gone', answer(410), ours, true],
    ['404 does not', answer(404), ours, false],
    ['410 does not under the gateway preset', answer(410), gateway, false],
  ])('%s', (_, outcome, limits, gone) => {
    expect(lesson(outcome, { limits }).gone).toBe(gone)
  })
})

test.each([
  ['not failing', null, 50, 0, 'nothing'],
  ['failing for less than a day', now - day + 1, 50, 0, 'nothing'],
  ['failing for a day', now - day, 10, 0, 'warn'],
  ['failing for a day, with few attempts', now - day, 9, 0, 'nothing'],
  ['failing for a day, and warned of', now - day, 10, 1, 'nothing'],
  ['failing for almost four days, and warned of', now - 4 * day + 1, 50, 1, 'nothing'],
  ['failing for four days, and warned of', now - 4 * day, 50, 1, 'warn again'],
  ['failing for four days, never warned of', now - 4 * day, 10, 0, 'warn again'],
  ['failing for four days, with few attempts', now - 4 * day, 9, 1, 'nothing'],
  ['failing for almost five days, and warned of twice', now - 5 * day + 1, 50, 2, 'nothing'],
  ['failing for five days', now - 5 * day, 10, 2, 'disable'],
  ['failing for five days, never warned of', now - 5 * day, 10, 0, 'disable'],
  ['failing for five days, with few attempts', now - 5 * day, 9, 1, 'nothing'],
] as const)('what follows for an endpoint %s', (_, failingSince, failedAttempts, warnings, judgement) => {
  expect(judge({ ...healthy, failingSince, failedAttempts, warnings }, now)).toBe(judgement)
})

test('each of the two warnings is given once, and an endpoint that fails is disabled five days after it began', () => {
  const failing = { ...healthy, failingSince: now - 4 * day, failedAttempts: 10 }
  expect(judge(afterWarning(failing, 'warn'), now)).toBe('warn again')
  expect(judge(afterWarning(failing, 'warn again'), now)).toBe('nothing')
  expect(willBeDisabledAt(failing)).toBe(now + day)
  expect(willBeDisabledAt({ ...failing, failedAttempts: 9 })).toBe(null)
  expect(willBeDisabledAt(healthy)).toBe(null)
})

describe('the next generation', () => {
  const troubled: Health = {
    failures: 4,
    heldUntil: now + minute,
    holds: 3,
    failingSince: now - 5 * day,
    failedAttempts: 90,
    warnings: 2,
    generation: 6,
    rampFrom: now + minute,
    version: 12,
  }

  test('has nothing against it, and what was held leaves in steps from now on', () => {
    expect(nextGeneration(troubled, false, now)).toEqual({ ...healthy, generation: 7, rampFrom: now, version: 12 })
  })

  test.each([
    ['was paused or disabled', true, null, now],
    ['was active and never held', false, null, null],
    ['was active and still ramps', false, now - minute, now - minute],
  ])('of an endpoint that %s', (_, keptBack, rampFrom, next) => {
    expect(nextGeneration({ ...healthy, generation: 1, rampFrom }, keptBack, now)).toEqual({
      ...healthy,
      generation: 2,
      rampFrom: next,
    })
  })

  test('a failure after it is the first of a streak, not of one that disables', () => {
    const { health } = lesson(answer(500), { health: nextGeneration(troubled, false, now) })
    expect(judge(health, now)).toBe('nothing')
    expect(isHeld(health, now)).toBe(false)
  })
})

test.each<[string, Partial<Health>, Partial<Health>, boolean]>([
  ['nothing has changed', {}, {}, false],
  ['only the row of failures has', {}, { failures: 3 }, false],
  ['a streak begins', {}, { failingSince: now, failedAttempts: 1 }, true],
  ['a streak goes on', { failedAttempts: 3 }, { failedAttempts: 4 }, false],
  ['a streak has ten attempts more', { failedAttempts: 19 }, { failedAttempts: 20 }, true],
  ['a streak has ended', { failingSince: now, failedAttempts: 4 }, {}, true],
  ['a generation begins', {}, { generation: 1 }, true],
  ['a hold begins or ends', {}, { heldUntil: now }, true],
  ['the breaker opens or closes', {}, { holds: 1 }, true],
  ['the ramp moves', { rampFrom: now }, { rampFrom: now + 5 }, true],
  ['a warning was emitted', {}, { warnings: 1 }, true],
])('is it worth a write that %s', (_, before, after, worth) => {
  expect(isWorthSaving({ ...healthy, ...before }, { ...healthy, ...after })).toBe(worth)
})

function answer(statusCode: number, retryAfterMs: number | null = null): Outcome {
  return { kind: 'answered', statusCode, responseBody: '', retryAfterMs }
}

/** What an outcome teaches that was gathered in the present state of its endpoint, unless said otherwise. */
function lesson(outcome: Outcome, over: Partial<LessonInput> = {}, about: Partial<Evidence> = {}): Lesson {
  const input = { window: startWindow(ours), health: healthy, limits: ours, now, random: midpoint, ...over }
  return learn({
    ...input,
    evidence: { outcome, generation: input.health.generation, sameUrl: true, probe: false, ...about },
  })
}

/** The lessons of outcomes that come one after the other, each building on the one before. */
function history(outcomes: readonly Outcome[], over: Partial<LessonInput> = {}): Lesson[] {
  const lessons: Lesson[] = []
  for (const outcome of outcomes) {
    const last = lessons.at(-1)
    lessons.push(
      lesson(outcome, { ...over, ...(last === undefined ? {} : { window: last.window, health: last.health }) }),
    )
  }
  return lessons
}
