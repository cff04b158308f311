import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import type { Attempt } from '../../src/ui/api/answers.ts'
import { attemptSentence } from '../../src/ui/operator/delivery/attempt/sentence.ts'
import { exampleOf } from '../../src/ui/text/schema-example.ts'
import { bytes, counted, duration, latency, percent, prettyJson, until } from '../../src/ui/text/format.ts'
import { inProse } from '../../src/ui/text/prose.ts'
import { absoluteTime } from '../../src/ui/state/relative-time.ts'
import { verdict } from '../../src/ui/operator/overview/verdict.ts'
import { filterLabel, targetLabel } from '../../src/ui/text/labels.ts'

type Failing = Parameters<typeof verdict>[0]['failing']

const queue = { fresh: 0, retries: 0, held: 0, dead: 0, atLeast: false, oldestDueAt: null }
const workers = [
  { id: 'hooks-1', pid: 4121, host: 'hooks', startedAt: '2026-01-01T00:00:00Z', seenAt: '2026-01-01T00:00:01Z' },
]
const calm = { attempts: 0, failing: [] as Failing, queue, alarm: 'none', workers } as const
// Only how many there are is told.
const failing = [{}, {}] as unknown as Failing

describe('the verdict', () => {
  test.each([
    ['quiet', { ...calm }, 'good', 'All is quiet: nothing was sent, and nothing waits.'],
    ['all delivered', { ...calm, attempts: 5 }, 'good', 'Everything was delivered.'],
    ['under way', { ...calm, queue: { ...queue, fresh: 1 } }, 'good', 'Everything is on its way: 1 delivery queued.'],
    ['one failing', { ...calm, failing: failing.slice(0, 1) }, 'warning', '1 endpoint is failing; nothing is lost.'],
    [
      'retries and dead',
      { ...calm, queue: { ...queue, retries: 1, dead: 2 } },
      'warning',
      '1 delivery waits for a retry; 2 dead letters wait for your decision; nothing is lost.',
    ],
    [
      'more than was counted',
      { ...calm, queue: { ...queue, retries: 10_000, atLeast: true } },
      'warning',
      '10,000+ deliveries wait for a retry; nothing is lost.',
    ],
    [
      'an alarm',
      { ...calm, alarm: 'alarm', failing: failing.slice(0, 2) } as const,
      'bad',
      '2 endpoints are failing; nothing is lost.',
    ],
    [
      'no worker',
      { ...calm, workers: [], queue: { ...queue, fresh: 7 } },
      'bad',
      'No worker is alive, so 7 deliveries cannot leave; nothing is lost.',
    ],
  ])('of %s', (_, overview, tone, sentence) => {
    expect(verdict(overview)).toEqual({ tone, sentence })
  })
})

test.each([
  [0, '0 ms'],
  [999, '999 ms'],
  [40_000, '40 s'],
  [3_600_000, '1 h'],
  [7_500_000, '2 h 5 min'],
  [270_000_000, '3 d 3 h'],
])('%i ms lasts %s', (ms, text) => expect(duration(ms)).toBe(text))

test.each([
  [0, '0 %'],
  [1, '100 %'],
  [0.99999, '99.9 %'],
  [0.00001, '0.1 %'],
  [0.1234, '12.3 %'],
])('a share of %f is %s', (share, text) => expect(percent(share)).toBe(text))

test('numbers take the noun that fits them', () => {
  expect([
    counted(1, 'delivery'),
    counted(2, 'delivery'),
    counted(1, 'delivery', true),
    counted(1_000, 'endpoint'),
  ]).toEqual(['1 delivery', '2 deliveries', '1+ deliveries', '1,000 endpoints'])
})

test('sizes, latencies and countdowns are short', () => {
  expect([bytes(1023), bytes(1536), bytes(1_572_864)]).toEqual(['1023 B', '1.5 KiB', '1.5 MiB'])
  expect([latency(null), latency(84.2), latency(1_234)]).toEqual(['–', '84 ms', '1.2 s'])
  const at = new Date(100_000).toISOString()
  expect([until(at, 100_000), until(at, 99_900), until(at, 40_000)]).toEqual(['due now', 'in 1 s', 'in 1 min'])
})

test('text that is no JSON stays as it is', () => {
  expect(prettyJson('{"a":1}')).toBe('{\n  "a": 1\n}')
  expect(prettyJson('{"a":')).toBeNull()
})

test.each([
  [{}, null],
  [
    { type: 'object', properties: { id: { type: 'integer' }, at: { type: 'string', format: 'date-time' } } },
    { id: 1, at: '2030-01-01T00:00:00Z' },
  ],
  [{ properties: { on: { type: ['boolean', 'null'] } } }, { on: true }],
  [{ type: 'array', items: { enum: ['a', 'b'] } }, ['a']],
  [{ type: 'string', examples: ['own'] }, 'own'],
])('the schema %j has an example', (schema, example) => expect(exampleOf(schema)).toEqual(example))

test('a schema that never ends has an example that does', () => {
  const schema: { type: string; items?: unknown } = { type: 'array' }
  schema.items = schema
  expect(JSON.stringify(exampleOf(schema))).toBe('[[[[[[[[[null]]]]]]]]]')
})

test('the filter of a job is said in words', () => {
  expect(filterLabel({ status: ['dead', 'failed'], eventType: 'invoice.paid', reason: null })).toBe(
    'status dead or retrying, event type invoice.paid',
  )
  expect(filterLabel({ ids: ['a', 'b'] })).toBe('2 selected')
  expect(filterLabel({})).toBe('everything')
  expect(filterLabel({ status: 'dead', until: '2026-01-05T12:00:00Z' })).toBe(
    'status dead, created before 2026-01-05T12:00:00.000Z',
  )
})

test('what was done is done to an id as it is, or to what a filter says', () => {
  expect(targetLabel('dlv_1')).toBe('dlv_1')
  expect(targetLabel('7')).toBe('7')
  expect(targetLabel('{"status":["dead"],"until":1767614400000,"unchangedSince":1767614400000}')).toBe(
    'status dead, created before 2026-01-05T12:00:00.000Z',
  )
})

test.each([
  ['Delivered on attempt 1, 2026-01-01 11:58:00 UTC.', 'Delivered on attempt 1, 2 min ago.'],
  [
    'Waiting for retry 1 of 5 at 2026-01-01 12:00:14 UTC. The last error was: HTTP 500',
    'Waiting for retry 1 of 5 in 14 s. The last error was: HTTP 500',
  ],
  ['Paused by kim since 2026-01-01 10:00:00 UTC: it collects.', 'Paused by kim for 2 h: it collects.'],
  ['Held until 2026-01-01 12:05:00 UTC: only failures.', 'Held for another 5 min: only failures.'],
  ['It asked us to wait until 2026-01-01 11:58:00 UTC.', 'It asked us to wait until 2 min ago.'],
  ['Erased at 2026-01-01T11:59:59.900Z.', 'Erased 1 s ago.'],
  [
    'created after 2026-01-01T10:00:00.000Z, created before 2026-01-01T11:55:00.000Z',
    'created in the last 2 h, created more than 5 min ago',
  ],
  ['Expected a time after 2026-01-01T12:00:30Z.', 'Expected a time more than 30 s from now.'],
  ['No time in it.', 'No time in it.'],
])('%s reads: %s', (sentence, read) => {
  const pieces = inProse(sentence, Date.UTC(2026, 0, 1, 12))
  expect(pieces.map((piece) => (typeof piece === 'string' ? piece : piece.text)).join('')).toBe(read)
})

const slower = 'The endpoint asks us to send more slowly.'
test.each([
  ['150', `${slower} It asked us to wait 2 min 30 s.`],
  ['Thu, 01 Jan 2026 12:00:00 GMT', `${slower} It asked us to wait until 2026-01-01T12:00:00.000Z.`],
  ['soon', slower],
])('an endpoint that answers with retry-after %s: %s', (retryAfter, sentence) => {
  // Only what the sentence is made of.
  const responseHeaders = { headers: { 'retry-after': retryAfter }, truncated: false }
  const attempt = { outcome: 'answered', statusCode: 429, responseHeaders } as unknown as Attempt
  expect(attemptSentence(attempt)).toBe(sentence)
})

// Sentences that may have come from the API: only `Prose` takes their times from now.
const bare = />\s*\{(?:\w+ !== null && )?(?:\w+\.)*(?:problem|sentence|refusal|why)\}/

test('no page shows a sentence of the API with the times that are in it as they are', () => {
  const folder = fileURLToPath(new URL('../../src/ui', import.meta.url))
  const parts = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.tsx'))
  expect(parts.length).toBeGreaterThan(80)
  expect(parts.filter((name) => bare.test(readFileSync(join(folder, name), 'utf8')))).toEqual([])
  expect(bare.test('<p>{detail.why.sentence}</p>')).toBe(true)
  expect(bare.test('<p role="alert">\n  {problem}\n</p>')).toBe(true)
  expect(bare.test('<p>\n  <Prose text={problem} />')).toBe(false)
})

test.each([
  ['15min', '2026-01-01T11:45:00.000Z'],
  ['7d', '2025-12-25T12:00:00.000Z'],
  ['2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'],
  ['soon', 'soon'],
])('the time %s in an address is %s', (text, at) => {
  expect(absoluteTime(text, Date.UTC(2026, 0, 1, 12, 0, 30))).toBe(at)
})
