import { Counter, Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { Buckets } from '../../src/metrics/buckets.ts'
import { Tally } from '../../src/metrics/tally.ts'

const buckets = [0.005, 0.1, 1, 10]

test('a histogram of ours reads as that of prom-client does', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const plain = { name: 'plain_seconds', help: 'Without a label.' }
  const called = { name: 'called_rows', help: 'With one.' }
  const mine = [
    new Buckets(ours, { kind: 'histogram', ...plain, labels: [], buckets }),
    new Buckets(ours, { kind: 'histogram', ...called, labels: ['call'], buckets }),
  ]
  const their = [
    new Histogram({ ...plain, buckets, registers: [theirs] }),
    new Histogram({ ...called, labelNames: ['call'], buckets, registers: [theirs] }),
  ]
  expect(await ours.metrics()).toBe(await theirs.metrics())
  for (const value of [0, 0.005, 0.0051, 0.1, 0.5, 1, 2, 10, 11, 1e6]) {
    mine[0]?.observe(value)
    their[0]?.observe(value)
    const call = value < 1 ? 'mark' : 'claim'
    mine[1]?.observe(value, call)
    their[1]?.observe({ call }, value)
  }
  expect(await ours.metrics()).toBe(await theirs.metrics())
  ours.resetMetrics()
  expect(await ours.metrics()).toContain('plain_seconds_count 0')
})

test('a counter of ours reads as that of prom-client does', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const about = { name: 'lost_total', help: 'By code and call.' }
  const mine = new Tally(ours, { kind: 'counter', ...about, labels: ['code', 'call'] }, ['a b'])
  const their = new Counter({ ...about, labelNames: ['code', 'call'], registers: [theirs] })
  their.inc({ code: 'a', call: 'b' }, 0)
  expect(await ours.metrics()).toBe(await theirs.metrics())
  for (const [code, call, count] of [
    ['a', 'b', 2],
    ['c', 'd', 1],
    ['a', 'b', 3],
  ] as const) {
    mine.add(`${code} ${call}`, count)
    their.inc({ code, call }, count)
  }
  expect(await ours.metrics()).toBe(await theirs.metrics())
  // With others in one registry, as a program with metrics of its own wants it.
  expect(await Registry.merge([ours, new Registry()]).metrics()).toBe(await theirs.metrics())
  ours.resetMetrics()
  expect(await ours.metrics()).toContain('lost_total{code="a",call="b"} 0')
})
