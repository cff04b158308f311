import { describe, expect, test } from 'vitest'
import type { Delivery, Overview, PosthornEvent } from 'posthorn'
import { nearest } from '../../src/core/nearest.ts'
import { endLine, lost, openLine } from '../../src/cli/dev/totals.ts'
import { lineOf } from '../../src/cli/view/lines.ts'
import { mostInteresting, tableLines } from '../../src/cli/view/table.ts'
import { cell, wrapped } from '../../src/cli/view/text.ts'

const now = 1_700_000_000_000
const overview = {
  delivered: 17,
  dead: 3,
  queue: { fresh: 1, retries: 2, atLeast: false, oldestDueAt: null },
} as unknown as Overview

function delivery(change: Partial<Delivery> = {}): Delivery {
  return {
    id: 'dlv_1m7gst4wd5npyh74xn1',
    endpointId: 'ep_1',
    applicationId: 'app_1',
    messageId: 'msg_1',
    eventType: 'invoice.paid',
    sessionId: null,
    targetUrl: 'https://acme.example',
    status: 'pending',
    reason: null,
    attemptCount: 0,
    nextRetryAt: now,
    lastAttemptedAt: null,
    errorDetail: null,
    policy: 'standard',
    leaseOwner: null,
    leaseUntil: null,
    leaseEpoch: 0,
    interruptions: 0,
    crashCount: 0,
    requeuedAt: null,
    createdAt: now - 1_500,
    updatedAt: now,
    ...change,
  }
}

function table(
  deliveries: readonly Delivery[],
  size: { columns: number; rows: number } = { columns: 80, rows: 24 },
): string[] {
  const frame = { title: 'Posthorn dev', hint: 'q quit', overview, now, ...size }
  return tableLines({ ...frame, deliveries, label: () => 'acme', paint: (_, text) => text })
}

describe('the table', () => {
  test.each<[string, Partial<Delivery>, RegExp]>([
    ['waiting', {}, /acme +pending +0 {2}waits for its turn/],
    ['on its way', { leaseUntil: now + 1 }, /acme +sending +0/],
    [
      'to be retried',
      { status: 'failed', attemptCount: 2, nextRetryAt: now + 3_100, errorDetail: 'HTTP 500' },
      /failed +2 {2}retry in 4 s · HTTP 500/,
    ],
    [
      'due again',
      { status: 'failed', attemptCount: 2, nextRetryAt: now, errorDetail: 'HTTP 500' },
      /failed +2 {2}retry is due · HTTP 500/,
    ],
    [
      'sent again',
      { status: 'failed', attemptCount: 2, leaseUntil: now + 1, errorDetail: 'HTTP 500' },
      /sending +2 {2}once more · HTTP 500/,
    ],
    ['delivered', { status: 'delivered', attemptCount: 1 }, /delivered +1 {2}after 1\.5 s/],
    [
      'dead',
      { status: 'dead', reason: 'exhausted', attemptCount: 4, errorDetail: 'HTTP 500: no' },
      /dead +4 {2}exhausted: HTTP 500: no/,
    ],
    ['cancelled', { status: 'dead', reason: 'cancelled', attemptCount: 1 }, /dead +1 {2}cancelled/],
  ])('says why a delivery is %s', (_, change, wanted) => {
    expect(table([delivery(change)])[3]).toMatch(wanted)
  })

  test('fits the terminal, whatever an endpoint has answered', () => {
    const nasty = 'HTTP 500: \x1b[2J\r\n漢字😀 ' + 'long '.repeat(100)
    const many = Array.from({ length: 50 }, () => delivery({ status: 'failed', errorDetail: nasty }))
    for (const size of [
      { columns: 80, rows: 24 },
      { columns: 60, rows: 12 },
      { columns: 200, rows: 80 },
    ]) {
      const lines = table(many, size)
      expect(lines.length).toBeLessThan(size.rows)
      for (const line of lines) {
        expect(line.length).toBeLessThan(size.columns)
        expect(line).toMatch(/^[\x20-\x7e…·]*$/)
      }
    }
  })

  test('drops what was delivered first when there are too many, the oldest before the rest', () => {
    const rows = ['delivered', 'dead', 'delivered', 'failed', 'delivered'] as const
    const newestFirst = rows.map((status, index) => delivery({ id: `dlv_${5 - index}`, status }))
    const ids = (most: number): string[] => mostInteresting(newestFirst, most).map(({ id }) => id)
    expect(ids(5)).toEqual(['dlv_5', 'dlv_4', 'dlv_3', 'dlv_2', 'dlv_1'])
    expect(ids(4)).toEqual(['dlv_5', 'dlv_4', 'dlv_3', 'dlv_2'])
    expect(ids(3)).toEqual(['dlv_5', 'dlv_4', 'dlv_2'])
    expect(ids(1)).toEqual(['dlv_4'])
  })
})

test.each([
  ['short', 8, 'short   '],
  ['just fits', 9, 'just fits'],
  ['is cut off here', 8, 'is cut …'],
  ['\x1b[31mred\x07', 12, ' [31mred    '],
  ['日本', 4, '??  '],
])('%j in %i columns is %j', (text, columns, wanted) => {
  expect(cell(text, columns)).toBe(wanted)
})

test('a note is wrapped to the width, and keeps its empty lines', () => {
  expect(wrapped('abcdef\n\nxyz', 4)).toEqual(['abcd', 'ef', '', 'xyz'])
})

describe('the lines', () => {
  const about = {
    topic: 'gateway:webhooks',
    at: now,
    webhook_delivery_id: 'dlv_1',
    webhook_id: 'ep_1',
    message_id: 'msg_1',
    session_id: null,
  } as const
  const sent = { event_type: 'invoice.paid', status_code: 500, took_ms: 5 }
  test.each<[PosthornEvent, string]>([
    [
      {
        ...about,
        ...sent,
        type: 'delivery.failed',
        attempt_count: 2,
        outcome: 'answered',
        error_detail: 'HTTP 500: \x1b[2J\nno',
        next_retry_at: now + 4_000,
      },
      'acme      failed     attempt 2: HTTP 500:  [2J no; again in 4 s',
    ],
    [
      { ...about, ...sent, type: 'delivery.delivered', attempt_count: 1, took_ms: 12 },
      'acme      delivered  attempt 1 took 12 ms',
    ],
    [
      { ...about, ...sent, type: 'delivery.dead', reason: 'cancelled', error_detail: null },
      'acme      dead       cancelled',
    ],
    [
      { ...about, type: 'breaker.opened', held_until: now + 60_000 },
      'acme      held       too many failures; nothing is sent for 60 s',
    ],
  ])('an event is one harmless line: %#', (event, wanted) => {
    const line = lineOf(event, { of: () => 'acme' })
    expect(line).toMatch(/^2023-11-14T22:13:20\.000Z {2}(dlv|ep)_1 /)
    expect(line?.endsWith(wanted), line ?? '').toBe(true)
  })

  test('warnings are messages, and no data', () => {
    expect(
      lineOf(
        { topic: 'gateway:webhooks', at: now, type: 'warning', code: 'store_error', message: 'x' },
        { of: String },
      ),
    ).toBe(null)
  })
})

test('what was accepted and is neither delivered nor dead is lost', () => {
  const totals = { sent: 20, delivered: 16, dead: 3, open: 0 }
  expect(lost(totals)).toBe(1)
  expect(endLine(totals)).toBe('sent 20 delivered 16 dead 3 lost 1')
  expect(openLine({ ...totals, open: 1 })).toBe('sent 20 delivered 16 dead 3 open 1')
})

test.each([
  ['dve', 'dev'],
  ['de', 'dev'],
  ['devv', 'dev'],
  ['serv', 'serve'],
  ['zzz', null],
  ['deliveries', null],
])('%s was probably meant as %s', (word, meant) => {
  expect(nearest(word, ['serve', 'dev'])).toBe(meant)
})
