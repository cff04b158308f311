import { expect, test } from 'vitest'
import { lastLines, report } from '../../scripts/crash/report.js'
import type { CrashFault, CrashReport, CrashRun } from '../../scripts/crash/report.js'

const victim = 7
const other = 8
const kill = { kind: 'kill', name: 'kill', at: 5_000, endedAt: 5_020, pid: victim } as const
const stop = { kind: 'stop', name: 'stop', at: 5_000, endedAt: 9_000, pid: victim } as const
const partition = { kind: 'partition', name: 'partition', at: 5_000, endedAt: 9_000, pid: victim } as const
const outage = { kind: 'outage', name: 'outage', at: 5_000, endedAt: 6_000 } as const
const orderly = { kind: 'orderly', name: 'orderly', at: 5_000, endedAt: 5_500 } as const
const once: CrashRun['receipts'] = [{ id: 'a', at: 1, pid: other }]

function reportOf(run: Partial<CrashRun>): CrashReport {
  return report({
    accepted: new Map([['a', 0]]),
    receipts: [],
    faults: [],
    rows: [],
    reachMs: 2_000,
    startedAt: 0,
    ...run,
  })
}

function lineOf(run: Partial<CrashRun>): { line: string | undefined; isFine: boolean } {
  const result = reportOf(run)
  return { line: lastLines(result).at(-1), isFine: result.isFine }
}

function twice(firstAt: number, firstPid: number, secondAt: number, secondPid = other): CrashRun['receipts'] {
  return [
    { id: 'a', at: firstAt, pid: firstPid },
    { id: 'a', at: secondAt, pid: secondPid },
  ]
}

test('everything once is fine', () => {
  expect(lineOf({ receipts: once })).toEqual({
    line: 'accepted 1 delivered 1 dead 0 lost 0 repeats 0 explained 0',
    isFine: true,
  })
})

test.each<[string, Partial<CrashRun>, string]>([
  ['what was accepted and never came', { receipts: [] }, 'accepted 1 delivered 0 dead 0 lost 1 repeats 0 explained 0'],
  ['nothing accepted', { accepted: new Map() }, 'accepted 0 delivered 0 dead 0 lost 0 repeats 0 explained 0'],
  [
    'a delivery that ended dead although it came',
    { receipts: once, rows: [{ id: 'dlv', messageId: 'a', status: 'dead' }] },
    'accepted 1 delivered 0 dead 1 lost 0 repeats 0 explained 0',
  ],
  [
    'a dead delivery whose sender never heard that it was stored',
    { receipts: once, rows: [{ id: 'dlv', messageId: 'unheard', status: 'dead' }] },
    'accepted 1 delivered 1 dead 1 lost 0 repeats 0 explained 0',
  ],
  [
    'a delivery that is still open',
    { rows: [{ id: 'dlv', messageId: 'a', status: 'pending' }] },
    'accepted 1 delivered 0 dead 0 lost 0 repeats 0 explained 0',
  ],
  [
    'a problem of the mode',
    { receipts: once, problems: ['sent too early'] },
    'accepted 1 delivered 1 dead 0 lost 0 repeats 0 explained 0',
  ],
])('%s is not fine', (_, run, line) => {
  expect(lineOf(run)).toEqual({ line, isFine: false })
})

test.each<[string, CrashFault, CrashRun['receipts'], number]>([
  ['from the killed process', kill, twice(4_990, victim, 7_000), 1],
  ['from a process that lived on', kill, twice(4_990, other, 7_000), 0],
  ['more than a lease before the kill', kill, twice(2_900, victim, 7_000), 0],
  ['and was repeated before the kill', kill, twice(4_900, victim, 4_990), 0],
  ['from the stopped process', stop, twice(4_990, victim, 7_000), 1],
  ['from another while one was stopped', stop, twice(6_000, other, 7_000), 0],
  ['from another, and again from the process as it woke up', stop, twice(6_000, other, 9_010, victim), 1],
  ['from another, and again from the process long after it woke up', stop, twice(6_000, other, 11_000, victim), 0],
  ['from the process that was cut off', partition, twice(8_000, victim, 8_500), 1],
  ['from another, and again from the process that was cut off', partition, twice(8_000, other, 8_500, victim), 0],
  ['long after it was connected again', partition, twice(11_500, victim, 12_000), 0],
  ['while the database was away', outage, twice(5_500, other, 8_000), 1],
  ['long before the database went', outage, twice(2_000, other, 8_000), 0],
  ['long after the database came back', outage, twice(8_500, other, 9_000), 0],
  ['during an orderly stop', orderly, twice(4_990, other, 7_000), 0],
])('a repeat of what came %s, explained or not', (_, fault, receipts, explained) => {
  expect(lineOf({ faults: [fault], receipts })).toEqual({
    line: `accepted 1 delivered 1 dead 0 lost 0 repeats 1 explained ${explained}`,
    isFine: explained === 1,
  })
})

test('a machine that leaves a process without a turn explains a repeat, and is only mentioned if it does', () => {
  const stall = { ...stop, name: 'no turn', isOurs: false }
  const repeated = reportOf({ faults: [stall], receipts: twice(4_990, victim, 7_000) })
  expect(repeated).toMatchObject({ isFine: true, repeats: 1, explained: 1, longestRecoveryMs: 0 })
  expect(repeated.lines[0]).toContain('no turn: explains 1 repeats')
  expect(reportOf({ faults: [stall], receipts: once }).lines).toEqual([])
})

test('what its sender never heard of may come, and counts for nothing', () => {
  const receipts = [...once, { id: 'unheard', at: 3, pid: other }]
  expect(lineOf({ receipts })).toEqual({
    line: 'accepted 1 delivered 1 dead 0 lost 0 repeats 0 explained 0',
    isFine: true,
  })
})

test.each(['dead', 'pending'])('the poison may end %s, and nothing else may', (status) => {
  const rows = [{ id: 'dlv', messageId: 'a', status }]
  expect(reportOf({ receipts: once, rows, poisonId: 'a' })).toMatchObject({
    isFine: true,
    dead: status === 'dead' ? 1 : 0,
    open: status === 'dead' ? 0 : 1,
  })
  expect(reportOf({ receipts: once, rows, poisonId: 'b' }).isFine).toBe(false)
})

test.each<[string, CrashFault, Partial<CrashRun>, number]>([
  ['from a kill to what it interrupted', kill, { receipts: twice(4_990, victim, 7_200) }, 2_200],
  ['from a kill to what had not come yet', kill, { receipts: [{ id: 'a', at: 6_100, pid: other }] }, 1_100],
  ['from the end of an outage', outage, { receipts: [{ id: 'a', at: 6_100, pid: other }] }, 100],
  [
    'not of what was accepted later',
    kill,
    { accepted: new Map([['a', 5_500]]), receipts: [{ id: 'a', at: 6_100, pid: other }] },
    0,
  ],
  ['not of the poison', kill, { receipts: twice(4_990, victim, 7_200), poisonId: 'a' }, 0],
])('the longest recovery counts %s', (_, fault, run, ms) => {
  expect(lastLines(reportOf({ faults: [fault], ...run }))[0]).toBe(`longest recovery ${ms} ms`)
})
