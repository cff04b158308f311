import { expect, test } from 'vitest'
import { lastLine, report } from '../../scripts/crash/report.js'
import type { CrashRun } from '../../scripts/crash/report.js'

const kill = { kind: 'kill', name: 'kill', at: 5_000, endedAt: 5_020 } as const
const restart = { kind: 'restart', name: 'restart', at: 5_000, endedAt: 6_000 } as const
const orderly = { kind: 'orderly', name: 'stop', at: 5_000, endedAt: 5_500 } as const

function lineOf(run: Partial<CrashRun>): { line: string; isFine: boolean } {
  const result = report({ accepted: new Set(['a']), receipts: [], faults: [], rows: [], leaseMs: 2_000, startedAt: 0, ...run })
  return { line: lastLine(result), isFine: result.isFine }
}

function twice(firstAt: number, closedAt: number | null, secondAt: number): CrashRun['receipts'] {
  return [
    { id: 'a', at: firstAt, connection: { closedAt } },
    { id: 'a', at: secondAt, connection: { closedAt: null } },
  ]
}

test('everything once is fine', () => {
  expect(lineOf({ receipts: twice(1, null, 2).slice(0, 1) })).toEqual({ line: 'accepted 1 delivered 1 lost 0 repeats 0 explained 0', isFine: true })
})

test.each([
  ['what was accepted and never came', { receipts: [] }, 'accepted 1 delivered 0 lost 1 repeats 0 explained 0'],
  ['nothing accepted', { accepted: new Set<string>() }, 'accepted 0 delivered 0 lost 0 repeats 0 explained 0'],
  [
    'a delivery that ended dead',
    { receipts: twice(1, null, 2).slice(0, 1), rows: [{ id: 'dlv', status: 'dead' }] },
    'accepted 1 delivered 1 lost 0 repeats 0 explained 0',
  ],
])('%s is not fine', (_, run, line) => {
  expect(lineOf(run)).toEqual({ line, isFine: false })
})

test.each([
  ['on a connection that ended with the killed process', kill, twice(4_990, 5_010, 7_000), 1],
  ['on a connection that lived on', kill, twice(4_990, null, 7_000), 0],
  ['on a connection that ended before the kill', kill, twice(4_990, 4_995, 7_000), 0],
  ['more than a lease before the kill', kill, twice(2_900, 5_010, 7_000), 0],
  ['and repeated before the kill', kill, twice(4_900, 5_010, 4_990), 0],
  ['while the database was away', restart, twice(5_500, null, 8_000), 1],
  ['long before the database went', restart, twice(2_000, null, 8_000), 0],
  ['long after the database came back', restart, twice(8_500, null, 9_000), 0],
  ['during an orderly stop', orderly, twice(4_990, 5_010, 7_000), 0],
])('a repeat of what came %s, explained or not', (_, fault, receipts, explained) => {
  expect(lineOf({ faults: [fault], receipts })).toEqual({
    line: `accepted 1 delivered 1 lost 0 repeats 1 explained ${explained}`,
    isFine: explained === 1,
  })
})

test('what its sender never heard of may come, and counts for nothing', () => {
  const receipts = [...twice(1, null, 2).slice(0, 1), { id: 'unheard', at: 3, connection: { closedAt: null } }]
  expect(lineOf({ receipts })).toEqual({ line: 'accepted 1 delivered 1 lost 0 repeats 0 explained 0', isFine: true })
})
