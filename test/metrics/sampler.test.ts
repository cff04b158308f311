import { createMetrics } from 'posthorn/metrics'
import type { Metrics } from 'posthorn/metrics'
import { memoryStore, testPosthorn } from 'posthorn/testing'
import type { TestPosthorn } from 'posthorn/testing'
import type { Store } from 'posthorn'
import { expect, onTestFinished, test } from 'vitest'
import { read } from './scrape.ts'

interface World extends TestPosthorn {
  readonly metrics: Metrics
  /** How often the store was looked at. */
  readonly looks: () => number
  /** How much of the past each look was about. */
  readonly windowsMs: readonly number[]
}

/** A Posthorn that is counted, on a store whose overview can be made to wait or fail. */
async function world(before: () => Promise<void> = async () => undefined): Promise<World> {
  const store = memoryStore()
  const windowsMs: number[] = []
  const overview: Store['directory']['overview'] = async (request) => {
    windowsMs.push(request.windowMs)
    await before()
    return store.directory.overview(request)
  }
  const metrics = createMetrics()
  const watched = { ...store, directory: { ...store.directory, overview } }
  const tested = await testPosthorn({ store: watched, meter: metrics.meter })
  onTestFinished(() => tested.posthorn.stop())
  return { ...tested, metrics, windowsMs, looks: () => windowsMs.length }
}

const quarter = 15_000

test('the store is looked at when it is opened and then every 15 s, and a scrape asks it nothing', async () => {
  const { metrics, looks, clock, posthorn } = await world()
  expect(looks()).toBe(1)
  for (let count = 0; count < 5; count += 1) await metrics.registry.metrics()
  expect(looks()).toBe(1)
  await clock.advance(quarter)
  expect(looks()).toBe(2)
  await clock.advance(4 * quarter)
  expect(looks()).toBe(6)
  await posthorn.stop()
  await clock.advance(4 * quarter)
  expect(looks()).toBe(6)
})

test('depth by state, endpoints by health, oldest due, dead-letter rate and workers are what was sampled last', async () => {
  const { metrics, clock, transport, posthorn } = await world()
  const create = (type: string): Promise<{ id: string }> =>
    posthorn.endpoints.create({ application: 'acme', url: `https://example.com/${type}`, types: [type] })
  const send = (type: string): Promise<unknown> => posthorn.send({ application: 'acme', type, data: {} })
  await create('well')
  await create('fails')
  const { id: paused } = await create('paused')
  const { id: ended } = await create('ended')
  for (const id of [paused, ended]) await posthorn.endpoints.pause(id)
  transport.answer('https://example.com/fails', 400)
  for (const type of ['well', 'fails', 'fails', 'paused', 'paused', 'paused', 'ended']) await send(type)
  await posthorn.cancel({ endpointId: ended })
  await posthorn.send({ application: 'acme', type: 'well', data: {}, deliverAt: new Date(clock.now() + 20_000) })
  expect(await read(metrics, 'posthorn_queue_depth', { state: 'held' })).toBe(0)
  await clock.advance(quarter)
  const depth = (state: string): Promise<number | null> => read(metrics, 'posthorn_queue_depth', { state })
  expect(await depth('pending')).toBe(1)
  expect(await depth('failed')).toBe(2)
  expect(await depth('held')).toBe(3)
  expect(await depth('dead')).toBe(1)
  expect(await read(metrics, 'posthorn_endpoints', { health: 'active' })).toBe(1)
  expect(await read(metrics, 'posthorn_endpoints', { health: 'failing' })).toBe(1)
  expect(await read(metrics, 'posthorn_endpoints', { health: 'paused' })).toBe(2)
  expect(await read(metrics, 'posthorn_oldest_due_age_seconds')).toBe(0)
  expect(await read(metrics, 'posthorn_dead_letter_rate')).toBe(0)
  expect(await read(metrics, 'posthorn_workers')).toBe(1)
  expect(await read(metrics, 'posthorn_disk_free_bytes')).toBeNull()
  const hold = transport.hold('https://example.com/fails')
  await clock.advance(120_000)
  // The request that is held is the oldest that is due.
  expect(await read(metrics, 'posthorn_oldest_due_age_seconds')).toBeGreaterThan(30)
  hold.release()
})

test('dead letters are a rate of all that ended', async () => {
  const { metrics, clock, transport, posthorn, settled } = await world()
  await posthorn.endpoints.create({ application: 'acme', url: 'https://example.com/well', types: ['well'] })
  await posthorn.endpoints.create({ application: 'acme', url: 'https://example.com/fails', types: ['fails'] })
  transport.answer('https://example.com/fails', 400)
  await posthorn.send({ application: 'acme', type: 'fails', data: {} })
  await settled()
  for (let count = 0; count < 3; count += 1) await posthorn.send({ application: 'acme', type: 'well', data: {} })
  await clock.advance(quarter)
  expect(await read(metrics, 'posthorn_dead_letter_rate')).toBe(0.25)
})

test('of the past each look reads only what the one before has not, and what is over 15 minutes old is forgotten', async () => {
  let fails = false
  const { metrics, clock, transport, posthorn, settled, windowsMs } = await world(async () => {
    if (fails) throw new Error('gone')
  })
  await posthorn.endpoints.create({ application: 'acme', url: 'https://example.com/hook' })
  transport.answer('https://example.com/hook', 400)
  await posthorn.send({ application: 'acme', type: 'dies', data: {} })
  await settled()
  await clock.advance(quarter)
  const rate = (): Promise<number | null> => read(metrics, 'posthorn_dead_letter_rate')
  expect(await rate()).toBe(1)
  transport.answer('https://example.com/hook', 200)
  await posthorn.send({ application: 'acme', type: 'lives', data: {} })
  await clock.advance(10 * 60_000)
  expect(await rate()).toBe(0.5)
  expect(windowsMs[0]).toBe(900_000)
  expect(new Set(windowsMs.slice(1))).toEqual(new Set([60_000 + quarter]))
  // The look after an outage makes up for what was missed.
  fails = true
  await clock.advance(4 * quarter)
  fails = false
  await clock.advance(quarter)
  expect(windowsMs.at(-1)).toBe(60_000 + 5 * quarter)
  await clock.advance(5 * 60_000)
  expect(await rate()).toBe(0)
})

test('while the store fails the last sample stays, and its age says so', async () => {
  let fails = false
  const { metrics, clock } = await world(async () => {
    if (fails) throw new Error('gone')
  })
  await clock.advance(5_000)
  expect(await read(metrics, 'posthorn_sample_age_seconds')).toBe(5)
  fails = true
  await clock.advance(40_000)
  expect(await read(metrics, 'posthorn_sample_age_seconds')).toBe(45)
  expect(await read(metrics, 'posthorn_workers')).toBe(1)
  fails = false
  await clock.advance(quarter)
  expect(await read(metrics, 'posthorn_sample_age_seconds')).toBeLessThanOrEqual(15)
})

test('a look that takes long is taken less often: it may have a fiftieth of the time', async () => {
  let waits = false
  const { looks, clock } = await world(async () => {
    if (waits) await new Promise<void>((resolve) => clock.after(2_000, resolve))
  })
  waits = true
  await clock.advance(quarter + 2_000)
  expect(looks()).toBe(2)
  waits = false
  await clock.advance(99_000)
  expect(looks()).toBe(2)
  await clock.advance(1_000)
  expect(looks()).toBe(3)
})
