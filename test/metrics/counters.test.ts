import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { createMetrics } from 'posthorn/metrics'
import type { Metrics } from 'posthorn/metrics'
import { Posthorn } from 'posthorn'
import type { Outcome } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { testPosthorn } from 'posthorn/testing'
import type { TestPosthorn } from 'posthorn/testing'
import { expect, onTestFinished, test } from 'vitest'
import type { Claim } from '../../src/core/ports/queue.ts'
import { temporaryFolder } from '../cli/folder.ts'
import { read, seriesIn } from './scrape.ts'

interface World extends TestPosthorn {
  readonly metrics: Metrics
  /** Creates an endpoint for one type, of that name. */
  endpoint(type: string): Promise<string>
  send(type: string): Promise<unknown>
}

const urlOf = (type: string): string => `https://example.com/${type}`

/** Answers one after the other; the last one for good. */
function inTurn(...answers: readonly (number | Outcome)[]): () => number | Outcome {
  let count = 0
  return () => answers[Math.min((count += 1), answers.length) - 1] ?? 200
}

async function world(metrics: Metrics = createMetrics()): Promise<World> {
  const tested = await testPosthorn({ meter: metrics.meter })
  onTestFinished(() => tested.posthorn.stop())
  const { posthorn } = tested
  return {
    ...tested,
    metrics,
    endpoint: async (type) =>
      (await posthorn.endpoints.create({ application: 'acme', url: urlOf(type), types: [type] })).id,
    send: (type) => posthorn.send({ application: 'acme', type, data: {} }),
  }
}

test('attempts are counted by outcome and class of status, and what they took is in a histogram', async () => {
  const { metrics, transport, endpoint, send, settled } = await world()
  for (const type of ['well', 'moved', 'odd', 'hung']) await endpoint(type)
  transport.answer(urlOf('moved'), inTurn(302, 404, 200))
  transport.answer(urlOf('odd'), inTurn(700, 200))
  transport.answer(urlOf('hung'), inTurn({ kind: 'timeout', reason: 'nothing came' }, 200))
  for (const type of ['well', 'moved', 'odd', 'hung']) await send(type)
  await settled()
  const attempts = (outcome: string, status_class: string): Promise<number | null> =>
    read(metrics, 'posthorn_attempts_total', { outcome, status_class })
  expect(await attempts('answered', '2xx')).toBe(4)
  expect(await attempts('answered', '3xx')).toBe(1)
  expect(await attempts('answered', '4xx')).toBe(1)
  expect(await attempts('answered', '5xx')).toBe(0)
  expect(await attempts('answered', 'other')).toBe(1)
  expect(await attempts('timeout', 'none')).toBe(1)
  expect(await read(metrics, 'posthorn_attempt_duration_seconds_count')).toBe(8)
})

test('the latency of a delivery is that from send to success, with its retries', async () => {
  const { metrics, clock, transport, endpoint, send, posthorn } = await world()
  await endpoint('late')
  transport.answer(urlOf('late'), inTurn(500, 200))
  await send('late')
  await posthorn.idle()
  const sum = (): Promise<number | null> => read(metrics, 'posthorn_delivery_latency_seconds_sum')
  expect(await sum()).toBe(0)
  await clock.advance(90_000)
  expect(await read(metrics, 'posthorn_delivery_latency_seconds_count')).toBe(1)
  expect(await sum()).toBeGreaterThan(30)
  expect(await sum()).toBeLessThan(90)
})

test('what send does not accept is counted by its code, and each message of a batch by itself', async () => {
  const { metrics, posthorn, endpoint, send } = await world()
  await endpoint('well')
  await send('well')
  const bad = { application: 'acme', type: 'no spaces', data: {} }
  await expect(posthorn.send(bad)).rejects.toThrow()
  await expect(posthorn.send([bad, { ...bad, type: 'well' }])).rejects.toThrow()
  await posthorn.send({ application: 'acme', type: 'well', data: 1, idempotencyKey: 'one' })
  await posthorn.send({ application: 'acme', type: 'well', data: 1, idempotencyKey: 'one' })
  await expect(
    posthorn.send([
      { application: 'acme', type: 'well', data: 2, idempotencyKey: 'one' },
      { application: 'acme', type: 'well', data: 2 },
    ]),
  ).rejects.toMatchObject({ code: 'idempotency_conflict' })
  expect(await read(metrics, 'posthorn_messages_refused_total', { code: 'invalid_event_type' })).toBe(3)
  expect(await read(metrics, 'posthorn_messages_refused_total', { code: 'idempotency_conflict' })).toBe(1)
  expect(await read(metrics, 'posthorn_messages_accepted_total', { way: 'send' })).toBe(3)
})

test('what is handed to a transaction of the caller is counted apart: it may be rolled back', async () => {
  const path = join(await temporaryFolder(), 'own.db')
  const metrics = createMetrics()
  const store = sqlite({ open: () => new DatabaseSync(path), plaintextSecrets: true })
  const posthorn = new Posthorn({ store, meter: metrics.meter })
  const db = new DatabaseSync(path)
  onTestFinished(async () => {
    await posthorn.stop()
    db.close()
  })
  await posthorn.endpoints.create({ application: 'acme', url: urlOf('hook') })
  for (const end of ['commit', 'rollback']) {
    db.exec('begin immediate')
    await posthorn.send({ application: 'acme', type: 'a', data: {} }, { tx: db })
    db.exec(end)
  }
  await expect(posthorn.send({ application: 'acme', type: 'a', data: {} }, { tx: null })).rejects.toThrow()
  expect(await read(metrics, 'posthorn_messages_accepted_total', { way: 'transaction' })).toBe(2)
  expect(await read(metrics, 'posthorn_messages_accepted_total', { way: 'send' })).toBe(0)
  expect(await read(metrics, 'posthorn_messages_refused_total', { code: 'invalid_argument' })).toBe(1)
})

test('a lease is counted as renewed while its attempt takes long, and as interrupted when a stop ends it', async () => {
  const { metrics, clock, transport, endpoint, send, posthorn } = await world()
  await endpoint('slow')
  transport.hold(urlOf('slow'))
  await send('slow')
  await clock.advance(25_000)
  expect(await read(metrics, 'posthorn_leases_renewed_total')).toBe(2)
  expect(await read(metrics, 'posthorn_deliveries_in_flight')).toBe(1)
  expect(await read(metrics, 'posthorn_requests_open')).toBe(1)
  await posthorn.stop({ graceMs: 0 })
  expect(await read(metrics, 'posthorn_interruptions_total', { kind: 'interrupted' })).toBe(1)
  expect(await read(metrics, 'posthorn_deliveries_in_flight')).toBe(0)
  expect(await read(metrics, 'posthorn_attempts_total')).toBe(0)
})

test('a mark that came too late is counted as refused, and so is the loss of its lease', async () => {
  const { metrics, clock, transport, endpoint, send, posthorn } = await world()
  const endpointId = await endpoint('slow')
  const hold = transport.hold(urlOf('slow'))
  await send('slow')
  await posthorn.cancel({ endpointId })
  await clock.advance(15_000)
  expect(await read(metrics, 'posthorn_leases_lost_total', { code: 'lost' })).toBe(1)
  hold.release()
  await posthorn.idle()
  expect(await read(metrics, 'posthorn_stale_marks_refused_total')).toBe(1)
  expect(await read(metrics, 'posthorn_attempts_total', { status_class: '2xx' })).toBe(1)
  expect(await read(metrics, 'posthorn_deliveries_delivered_total')).toBe(0)
  expect(await read(metrics, 'posthorn_dead_letters_total', { reason: 'cancelled' })).toBe(1)
})

test('the breaker is counted when it opens, and when a success closes it', async () => {
  const { metrics, clock, transport, endpoint, send } = await world()
  await endpoint('down')
  transport.answer(urlOf('down'), inTurn(...Array.from({ length: 10 }, () => 500), 200))
  for (let count = 0; count < 10; count += 1) await send('down')
  await clock.advance(10_000)
  expect(await read(metrics, 'posthorn_breaker_opened_total')).toBe(1)
  expect(await read(metrics, 'posthorn_breaker_closed_total')).toBe(0)
  await clock.advance(300_000)
  expect(await read(metrics, 'posthorn_breaker_closed_total')).toBe(1)
})

const found = (tookOver: Claim['tookOver']): Claim => ({ tookOver }) as Claim

test('a claim is counted with its rows, and with what it took over', async () => {
  const metrics = createMetrics()
  metrics.meter.claimed([found(null), found('interrupted'), found('crashed'), found('crashed')], 250)
  expect(await read(metrics, 'posthorn_claim_rows_sum')).toBe(4)
  expect(await read(metrics, 'posthorn_claim_duration_seconds_sum')).toBe(0.25)
  expect(await read(metrics, 'posthorn_interruptions_total', { kind: 'interrupted' })).toBe(1)
  expect(await read(metrics, 'posthorn_interruptions_total', { kind: 'crashed' })).toBe(2)
})

test('a flood of endpoints becomes no flood of series: beyond the cap they are one', async () => {
  const { metrics, endpoint, send, settled, posthorn } = await world(createMetrics({ endpointLabels: 2 }))
  const ids: string[] = []
  for (let count = 0; count < 30; count += 1) {
    ids.push(await endpoint(`type${count}`))
    await send(`type${count}`)
    await settled()
  }
  await posthorn.endpoints.pause(ids[29] ?? '')
  await send('type29')
  await posthorn.cancel({ endpointId: ids[29] ?? '' })
  const series = seriesIn(await metrics.registry.metrics())
  const attempts = series.filter(({ name }) => name === 'posthorn_endpoint_attempts_total')
  expect(attempts.map(({ labels, value }) => [labels['endpoint'], labels['status_class'], value])).toEqual([
    [ids[0], '2xx', 1],
    [ids[1], '2xx', 1],
    ['other', '2xx', 28],
  ])
  expect(await read(metrics, 'posthorn_endpoint_dead_letters_total', { endpoint: 'other' })).toBe(1)
  const { metrics: plain } = await world()
  expect(await plain.registry.metrics()).not.toContain('endpoint_attempts')
})

test('the calls of a store are timed and counted by name, with the rows that shared a statement, and errors by code', async () => {
  const metrics = createMetrics()
  const posthorn = new Posthorn({ store: sqlite(':memory:', { plaintextSecrets: true }), meter: metrics.meter })
  onTestFinished(() => posthorn.stop())
  const endpoint = { application: 'acme', uid: 'mine', url: 'https://example.com/hook' }
  await posthorn.endpoints.create(endpoint)
  await expect(posthorn.endpoints.create(endpoint)).rejects.toMatchObject({ code: 'already_exists' })
  const message = { application: 'acme', type: 'a', data: {} }
  await posthorn.send([message, message, message])
  const ofCall = (name: string, call: string): Promise<number | null> => read(metrics, name, { call })
  expect(await ofCall('posthorn_store_call_duration_seconds_count', 'createEndpoint')).toBe(2)
  expect(await read(metrics, 'posthorn_store_errors_total', { call: 'createEndpoint', code: 'already_exists' })).toBe(1)
  expect(await read(metrics, 'posthorn_store_errors_total')).toBe(1)
  expect(await ofCall('posthorn_store_call_duration_seconds_count', 'enqueue')).toBe(1)
  expect(await ofCall('posthorn_commit_group_rows_sum', 'enqueue')).toBe(3)
  expect(await ofCall('posthorn_commit_group_rows_count', 'enqueue')).toBe(1)
})

test('one meter counts for one Posthorn: a second is refused', async () => {
  const { meter } = createMetrics()
  await world({ ...createMetrics(), meter })
  expect(() => new Posthorn({ store: sqlite(':memory:'), meter })).toThrow('Create one for each with createMetrics().')
  expect(() => createMetrics({ endpointLabels: -1 })).toThrow('Expected `endpointLabels` to be')
})
