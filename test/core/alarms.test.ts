import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { evaluate, noticeKey } from '../../src/core/alarms/alarm.ts'
import type { Alarm, Evaluation } from '../../src/core/alarms/alarm.ts'
import { findingsOf } from '../../src/core/alarms/findings.ts'
import type { AlarmReadings, Finding } from '../../src/core/alarms/findings.ts'
import { sentenceOf } from '../../src/core/alarms/sentence.ts'
import { signals, windowMs } from '../../src/core/alarms/signals.ts'
import type { Level, Signal } from '../../src/core/alarms/signals.ts'
import { checkThresholds, usualThresholds } from '../../src/core/alarms/thresholds.ts'
import { day, hour, minute } from '../../src/core/time.ts'

const now = 1_700_000_000_000
const cooldownMs = hour
const calmReadings: AlarmReadings = {
  delivered: 0,
  dead: 0,
  oldestDueAt: null,
  dueRows: 0,
  failing: [],
  disabled: [],
}

describe('the signals', () => {
  test.each<[string, Partial<AlarmReadings>, Signal, Level]>([
    ['a rate of exactly 2 %', { delivered: 98, dead: 2 }, 'dead-letter-rate', 0],
    ['a rate over 2 %', { delivered: 970, dead: 21 }, 'dead-letter-rate', 1],
    ['a rate of exactly 5 %', { delivered: 95, dead: 5 }, 'dead-letter-rate', 1],
    ['a rate over 5 %', { delivered: 94, dead: 6 }, 'dead-letter-rate', 2],
    ['a rate of fewer than twenty', { delivered: 0, dead: 19 }, 'dead-letter-rate', 0],
    ['a dead letter', { dead: 1 }, 'dead-letter', 1],
    ['no dead letter', {}, 'dead-letter', 0],
    ['what is due for five minutes', { oldestDueAt: now - 5 * minute }, 'oldest-due', 0],
    ['what is due for longer', { oldestDueAt: now - 5 * minute - 1 }, 'oldest-due', 1],
    ['what is due later', { oldestDueAt: now + hour }, 'oldest-due', 0],
    ['ten thousand due', { dueRows: 10_000 }, 'backlog', 0],
    ['more than that due', { dueRows: 10_001 }, 'backlog', 1],
    ['an endpoint that fails for a day', { failing: failingFor(day) }, 'endpoint-failing', 1],
    ['an endpoint that fails for four days', { failing: failingFor(4 * day) }, 'endpoint-failing', 2],
    ['an endpoint disabled today', { disabled: disabledFor(day - 1) }, 'endpoint-disabled', 1],
    ['an endpoint disabled before anybody looked', { disabled: disabledFor(day) }, 'endpoint-disabled', 0],
  ])('%s', (_, readings, signal, level) => {
    const { changed } = round({ readings })
    expect(changed.find((one) => one.signal === signal)?.level ?? 0).toBe(level)
  })

  test.each([
    [90, 0],
    [90.1, 1],
    [95, 1],
    [95.1, 2],
  ])('a disk of which %d %% is used is at level %d', (diskUsedPercent, level) => {
    expect(round({ diskUsedPercent }).changed[0]?.level ?? 0).toBe(level)
  })

  test.each([
    [0, 1],
    [windowMs - 1, 1],
    [windowMs, 0],
  ])('what was noted %d ms ago is at level %d', (agoMs, level) => {
    const noted = alarm('lease-lost', { level: 0, raisedAt: null, noted: 3, notedAt: now - agoMs })
    const [changed] = round({ alarms: [noted] }).changed
    expect(changed?.level ?? 0).toBe(level)
    if (level === 1) expect(changed).toMatchObject({ value: 3, owed: 'raised' })
  })
})

describe('an alarm', () => {
  test.each<[string, Partial<Alarm>, number, Partial<Alarm> | null]>([
    ['that is not raised stays calm', { level: 0 }, 2, null],
    ['is raised over its threshold', { level: 0 }, 2.1, { level: 1, value: 2.1, threshold: 2, owed: 'raised' }],
    ['is raised at once at its second level', { level: 0 }, 6, { level: 2, threshold: 5, owed: 'raised' }],
    ['is told again when it becomes worse', { level: 1 }, 6, { level: 2, threshold: 5, owed: 'raised' }],
    ['is not told again within the cooldown', { level: 1, notifiedAt: now - cooldownMs + 1 }, 3, null],
    ['is repeated after the cooldown', { level: 1, notifiedAt: now - cooldownMs }, 3, { level: 1, owed: 'repeated' }],
    ['just below its threshold is not resolved', { level: 1 }, 1.7, null],
    ['well below it is', { level: 1 }, 1.6, { level: 0, owed: 'resolved', resolvedAt: now }],
    ['just below its second threshold stays there', { level: 2 }, 4.1, null],
    ['well below that is at its first, without a word', { level: 2 }, 4, { level: 1, owed: null }],
    ['that owes a notice is left alone', { level: 1, owed: 'raised', owedAt: now - 1 }, 0, null],
  ])('%s', (_, before, value, after) => {
    const kept = alarm('dead-letter-rate', { notifiedAt: now - 1, ...before })
    const { changed } = evaluate({ ...calm, alarms: [kept], findings: [rate(value)] })
    expect(changed).toEqual(after === null ? [] : [expect.objectContaining(after)])
  })

  test('whose signal could not be read is neither resolved nor forgotten', () => {
    const kept = [
      alarm('disk-nearly-full', { notifiedAt: now }),
      alarm('disk-nearly-full', { level: 0, resolvedAt: now - 9 * day }),
    ]
    for (const one of kept)
      expect(evaluate({ ...calm, alarms: [one], unread: new Set<Signal>(['disk-nearly-full']) })).toEqual({
        changed: [],
        forgotten: [],
      })
  })

  test('about an endpoint that is no longer among the findings is resolved', () => {
    const kept = alarm('endpoint-failing', { id: 'endpoint-failing:ep_1', subject: 'ep_1', notifiedAt: now })
    expect(evaluate({ ...calm, alarms: [kept] }).changed).toMatchObject([{ level: 0, owed: 'resolved' }])
  })

  test('of a disabled endpoint is never repeated, and forgotten after a week without a word', () => {
    const subject = { id: 'endpoint-disabled:ep_1', subject: 'ep_1' }
    const young = alarm('endpoint-disabled', { ...subject, raisedAt: now - 7 * day + 1, notifiedAt: now - 7 * day })
    const findings = findingsOf(input({ readings: { disabled: disabledFor(6 * day) } }))
    expect(evaluate({ ...calm, alarms: [young], findings })).toEqual({ changed: [], forgotten: [] })
    const old = { ...young, raisedAt: now - 7 * day }
    expect(evaluate({ ...calm, alarms: [old] })).toEqual({ changed: [], forgotten: [old] })
  })

  test('that was resolved is forgotten a day later', () => {
    const kept = alarm('backlog', { level: 0, resolvedAt: now - day + 1 })
    expect(evaluate({ ...calm, alarms: [kept] }).forgotten).toEqual([])
    const over = { ...kept, resolvedAt: now - day }
    expect(evaluate({ ...calm, alarms: [over] }).forgotten).toEqual([over])
  })

  test('has a key for each of its notices', () => {
    const keys = (['raised', 'repeated', 'resolved'] as const).flatMap((owed) =>
      [1, 2].map((owedAt) => noticeKey(alarm('backlog', { owed, owedAt }))),
    )
    expect(new Set(keys).size).toBe(6)
  })

  test('is raised and resolved in turn, whatever the values are', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { maxLength: 50 }), (values) => {
        let alarms: readonly Alarm[] = []
        const told: string[] = []
        for (const [index, value] of values.entries()) {
          const at = now + index * minute
          const { changed } = evaluate({ ...calm, now: at, alarms, findings: [rate(value)] })
          for (const { owed, level } of changed) if (owed !== null) told.push(`${owed} ${level}`)
          alarms = changed.length === 0 ? alarms : changed.map(sent)
        }
        const kinds = told.map((one) => one.split(' ')[0])
        for (const [index, kind] of kinds.entries()) {
          if (kind === 'resolved') expect(kinds[index - 1]).not.toBe('resolved')
          if (kind === 'repeated') expect(kinds[index - 1]).not.toBe('resolved')
        }
        expect(kinds[0] ?? 'raised').toBe('raised')
      }),
    )
  })
})

test.each(signals)('%s is said in whole sentences, raised and resolved', (signal) => {
  for (const level of [0, 1, 2] as const)
    expect(sentenceOf(alarm(signal, { level, subject: 'ep_1', value: 3.25, threshold: 2 }))).toMatch(/^\S.*\.$/)
})

test.each([
  [61_000, '61 seconds'],
  [5 * minute, '5 minutes'],
  [3 * hour, '3 hours'],
  [4 * day + hour, '4 days'],
])('a wait of %d ms is %s', (value, text) => {
  expect(sentenceOf(alarm('oldest-due', { value }))).toContain(text)
})

test('the usual thresholds agree with each other', () => {
  expect(checkThresholds(usualThresholds)).toEqual(usualThresholds)
})

const calm: Evaluation = { alarms: [], findings: [], unread: new Set<Signal>(), now, cooldownMs }

function round({
  alarms = [],
  ...given
}: Parameters<typeof input>[0] & { readonly alarms?: readonly Alarm[] }): ReturnType<typeof evaluate> {
  return evaluate({ ...calm, alarms, findings: findingsOf({ ...input(given), noted: alarms }) })
}

function input({
  readings = {},
  diskUsedPercent = null,
}: {
  readonly readings?: Partial<AlarmReadings>
  readonly diskUsedPercent?: number | null
}): Parameters<typeof findingsOf>[0] {
  return {
    readings: { ...calmReadings, ...readings },
    diskUsedPercent,
    noted: [],
    thresholds: usualThresholds,
    now,
  }
}

function rate(value: number): Finding {
  return { signal: 'dead-letter-rate', subject: '', value, thresholds: [2, 5], isNews: true }
}

/** As it is once its notice has gone out. */
function sent(changed: Alarm): Alarm {
  return { ...changed, owed: null, notifiedAt: changed.owedAt ?? changed.notifiedAt, version: changed.version + 1 }
}

function failingFor(ms: number): AlarmReadings['failing'] {
  return [{ endpointId: 'ep_1', failingSince: now - ms }]
}

function disabledFor(ms: number): AlarmReadings['disabled'] {
  return [{ endpointId: 'ep_1', disabledAt: now - ms }]
}

function alarm(signal: Signal, change: Partial<Alarm> = {}): Alarm {
  return {
    id: signal,
    signal,
    subject: '',
    level: 1,
    value: 3,
    threshold: 2,
    raisedAt: now - hour,
    resolvedAt: null,
    notifiedAt: null,
    owed: null,
    owedAt: null,
    noted: 0,
    notedAt: null,
    version: 1,
    ...change,
  }
}
