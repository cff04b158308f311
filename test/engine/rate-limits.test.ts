import { describe, expect, test } from 'vitest'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { emptyState } from '../../src/testing/memory/state.ts'
import { engineWorld, urlOf } from './world.ts'
import type { EngineWorld } from './world.ts'

describe('a rate limit', () => {
  test('is kept over ten seconds, and is used up between the ticks too', async () => {
    const world = engineWorld()
    await world.endpoint('limited', { ratePerSecond: 20 })
    await world.endpoint('other')
    await world.send('limited', 500)
    const startedAt = world.clock.now()
    await world.posthorn.start()
    for (let step = 0; step < 100; step += 1) await world.clock.advance(100)

    const times = world.transport.requests.map(({ at }) => (at ?? 0) - startedAt)
    expect(times.length).toBeLessThanOrEqual(1.1 * 20 * 10 + 20)
    expect(times.length).toBeGreaterThanOrEqual(0.9 * 20 * 10)
    const perSecond = Array.from(
      { length: 10 },
      (_, index) => times.filter((at) => at >= index * 1_000 && at < (index + 1) * 1_000).length,
    )
    for (const count of perSecond) {
      expect(count).toBeGreaterThanOrEqual(18)
      expect(count).toBeLessThanOrEqual(41)
    }
  })

  test('is shared by two workers, and goes on with the one that is left', async () => {
    const world = engineWorld()
    await world.endpoint('limited', { ratePerSecond: 10 })
    await world.send('limited', 500)
    const second = world.second()
    await Promise.all([world.posthorn.start(), second.start()])
    for (let step = 0; step < 50; step += 1) await world.clock.advance(100)
    await world.posthorn.stop()
    for (let step = 0; step < 50; step += 1) await world.clock.advance(100)
    expect(world.sentTo('limited')).toBeLessThanOrEqual(1.1 * 10 * 10 + 10)
    expect(world.sentTo('limited')).toBeGreaterThanOrEqual(0.9 * 10 * 10)
    expect(new Set(world.store.claims().map(({ owner }) => owner)).size).toBe(2)
  })

  test('is not exceeded by what had to wait for the wire', async () => {
    const world = engineWorld({ pool: 2, slowStart: false })
    await world.endpoint('limited', { ratePerSecond: 10 })
    await world.send('limited', 100)
    const hold = world.transport.hold(urlOf('limited'))
    await world.posthorn.start()
    await world.clock.advance(900)
    const before = world.sentTo('limited')
    hold.release()
    for (let step = 0; step < 10; step += 1) await world.clock.advance(100)
    // A second's worth that had gathered, and that of this second.
    expect(world.sentTo('limited') - before).toBeLessThanOrEqual(20)
    expect(world.sentTo('limited') - before).toBeGreaterThanOrEqual(18)
  })

  test('loses nothing to claims that find fewer rows than they may take', async () => {
    const world = engineWorld()
    await world.endpoint('limited', { ratePerSecond: 10 })
    await world.posthorn.start()
    for (let message = 0; message < 10; message += 1) {
      await world.send('limited')
      await world.posthorn.idle()
    }
    expect(world.sentTo('limited')).toBe(10)
  })
})

describe('the rate limit of an application', () => {
  test('is shared by its endpoints in equal parts, and by all workers', async () => {
    const world = engineWorld()
    await withEndpoints(world, 20, { left: null, right: null })
    await world.send('acme', 300)
    await Promise.all([world.posthorn.start(), world.second().start()])
    for (let step = 0; step < 100; step += 1) await world.clock.advance(100)
    const [left, right] = [world.sentTo('left'), world.sentTo('right')]
    expect(left + right).toBeLessThanOrEqual(1.1 * 20 * 10 + 20)
    expect(left + right).toBeGreaterThanOrEqual(0.9 * 20 * 10)
    expect(Math.min(left, right) / Math.max(left, right)).toBeGreaterThan(0.8)
  })

  test('is kept beside that of an endpoint, which leaves the rest to the others', async () => {
    const world = engineWorld()
    await withEndpoints(world, 20, { slow: 4, other: null })
    await world.send('acme', 300)
    await world.posthorn.start()
    for (let step = 0; step < 100; step += 1) await world.clock.advance(100)
    expect(world.sentTo('slow')).toBeLessThanOrEqual(1.1 * 4 * 10 + 4)
    expect(world.sentTo('slow')).toBeGreaterThanOrEqual(0.9 * 4 * 10)
    expect(world.sentTo('slow') + world.sentTo('other')).toBeLessThanOrEqual(1.1 * 20 * 10 + 20)
    expect(world.sentTo('slow') + world.sentTo('other')).toBeGreaterThanOrEqual(0.9 * 20 * 10)
  })

  test('gets back what found nothing to send, as that of the endpoint does', async () => {
    const world = engineWorld()
    await withEndpoints(world, 10, { left: null, right: 10 })
    await world.posthorn.start()
    for (let message = 0; message < 5; message += 1) {
      await world.send('acme')
      await world.posthorn.idle()
    }
    expect([world.sentTo('left'), world.sentTo('right')]).toEqual([5, 5])
  })

  test('takes no tokens of an endpoint that cannot leave because of it', async () => {
    const state = emptyState(false)
    const world = engineWorld({}, memoryStore({ state }))
    const {
      applicationId,
      ids: [left, right],
    } = await withEndpoints(world, 3, { left: 10, right: 10 })
    await world.send('acme', 5)
    await world.posthorn.start()
    await world.posthorn.idle()
    const sent = [world.sentTo('left'), world.sentTo('right')]
    expect(sent.toSorted((one, other) => one - other)).toEqual([1, 2])
    const tokensLeft = [applicationId, left, right].map((id) => state.rateLimits.get(id ?? '')?.tokens)
    expect(tokensLeft).toEqual([0, ...sent.map((count) => 10 - count)])
  })

  test('comes with the tokens of its endpoints in one call, and is asked for once', async () => {
    const world = engineWorld()
    const {
      applicationId,
      ids: [left],
    } = await withEndpoints(world, 100, { left: 30, right: null })
    await world.send('acme', 2)
    await world.posthorn.start()
    await world.posthorn.idle()
    const first = world.store.calls.find(({ method }) => method === 'takeTokens')
    const asks = [
      { id: left, perSecond: 30 },
      { id: applicationId, perSecond: 100 },
    ].map((ask) => ({ ...ask, most: expect.any(Number) }))
    expect(first?.request).toEqual([
      { now: world.clock.now(), asks: expect.toSatisfy((given: typeof asks) => given.length === 2) },
    ])
    expect(first?.request).toEqual([{ now: world.clock.now(), asks: expect.arrayContaining(asks) }])
    expect(world.transport.requests).toHaveLength(4)
  })

  test('is known within a second of its change, on the fast path, too', async () => {
    const world = engineWorld()
    await withEndpoints(world, null, { free: null })
    await world.posthorn.start()
    await world.send('acme', 4)
    await world.posthorn.idle()
    expect(world.sentTo('free')).toBe(4)
    await world.posthorn.applications.update('acme', { ratePerSecond: 1 })
    await world.clock.advance(1_000)
    await world.send('acme', 10)
    await world.posthorn.idle()
    expect(world.sentTo('free')).toBe(5)
    const [waiting] = await world.posthorn.deliveries.list({ status: 'pending' }, { limit: 1 })
    expect((await world.posthorn.deliveries.detail(waiting?.id ?? '')).why).toMatchObject({
      code: 'rate_limited',
      sentence: expect.stringContaining('its application, 1 per second'),
    })
    await world.posthorn.applications.update('acme', { ratePerSecond: null })
    await world.clock.advance(2_000)
    await world.posthorn.idle()
    expect(world.sentTo('free')).toBe(14)
  })
})

test('a store that grants no tokens leaves nothing set aside', async () => {
  const world = engineWorld({ slowStart: false, pool: 1 })
  await world.endpoint('limited', { ratePerSecond: 10 })
  await world.send('limited')
  let failures = 10
  world.store.bend = async ({ method }, run) => {
    if (method !== 'takeTokens' || failures === 0) return run()
    failures -= 1
    throw new Error('gone')
  }
  await world.posthorn.start()
  for (let poll = 0; poll < 12; poll += 1) await world.poll()
  expect([failures, world.sentTo('limited')]).toEqual([0, 1])
})

test('E11 the tokens of 50 limited endpoints come with one call for each claim', async () => {
  const world = engineWorld()
  for (let index = 0; index < 50; index += 1) await world.endpoint(`limited-${index}`, { ratePerSecond: 100 })
  for (let index = 0; index < 50; index += 1) await world.send(`limited-${index}`, 2)
  await world.posthorn.start()
  await world.posthorn.idle()
  expect(world.transport.requests).toHaveLength(100)
  const calls = world.store.calls.filter(({ method }) => method === 'takeTokens' || method === 'claim')
  expect(calls.map(({ method }) => method).slice(0, 2)).toEqual(['takeTokens', 'claim'])
  const { asks = [] } = (calls[0]?.request[0] ?? {}) as { readonly asks?: readonly unknown[] }
  expect(asks.length).toBeGreaterThan(1)
  expect(asks).toMatchObject(asks.map(() => ({ perSecond: 100 })))
  const count = (method: string): number => calls.filter((call) => call.method === method).length
  expect(count('takeTokens')).toBeLessThanOrEqual(count('claim'))
  expect(world.store.calls.filter(({ method }) => method === 'saveHealth')).toEqual([])
})

/** Endpoints of one application, `acme`, by name with their own limits. */
async function withEndpoints(
  world: EngineWorld,
  ratePerSecond: number | null,
  limits: Readonly<Record<string, number | null>>,
): Promise<{ applicationId: string; ids: string[] }> {
  const { id: applicationId } = await world.posthorn.applications.create({ uid: 'acme', ratePerSecond })
  const ids: string[] = []
  for (const [name, own] of Object.entries(limits))
    ids.push((await world.posthorn.endpoints.create({ application: 'acme', url: urlOf(name), ratePerSecond: own })).id)
  return { applicationId, ids }
}
