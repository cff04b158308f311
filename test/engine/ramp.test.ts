import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/core/delivery/attempt.ts'
import { engineWorld, inStatus, urlOf } from './world.ts'
import type { EngineWorld } from './world.ts'

const tickMs = 5_000
const aMinute: Outcome = { kind: 'answered', statusCode: 503, responseBody: '', retryAfterMs: 60_000 }

describe('after a hold', () => {
  test('E3 what was kept back leaves in steps: 100 in a tick, then twice as many, until nothing waits', async () => {
    const { world, endpointId } = await heldWith(3_000)
    const perTick = await countTicks(world, 8)
    // A tick of the engine and one of the ramp need not begin together: two steps may meet in one.
    expect(perTick[0]).toBeLessThanOrEqual(100)
    for (const [tick, count] of perTick.entries()) expect(count).toBeLessThanOrEqual(100 * 2 ** tick)
    expect(inStatus(await world.rows(), 'delivered')).toBe(3_001)
    await world.poll(2 * tickMs)
    expect((await world.store.queue.health([endpointId])).get(endpointId)).toMatchObject({
      rampFrom: null,
      heldUntil: null,
    })
  })

  test('fresh deliveries and retries share a step', async () => {
    const once = { delays: { kind: 'list', delaysMs: [] }, jitterShare: 0, maxAttempts: 1 } as const
    const world = engineWorld({ slowStart: false, policies: { once } })
    await world.endpoint('hook', { policy: 'once' })
    world.transport.answer(urlOf('hook'), 400)
    await world.posthorn.start()
    await world.send('hook', 300)
    await world.posthorn.idle()
    await hold(world)
    await world.posthorn.requeue({ status: 'dead' })
    await world.send('hook', 300)
    await world.poll(60_000 - 1)
    const before = world.store.claims().length
    await world.poll(tickMs)
    const lanes = world.store
      .claims()
      .slice(before)
      .map(({ claim }) => claim.lane)
    expect(lanes.length).toBeLessThanOrEqual(100)
    expect(lanes.filter((lane) => lane === 'fresh').length).toBeGreaterThanOrEqual(40)
    expect(lanes.filter((lane) => lane === 'retries').length).toBeGreaterThanOrEqual(40)
  })

  test('a tick of which over a tenth fails is not followed by a larger one', async () => {
    const { world } = await heldWith(3_000)
    let requests = 0
    world.transport.answer(urlOf('hook'), () => {
      requests += 1
      return requests % 5 === 0 ? 500 : 200
    })
    const perTick = await countTicks(world, 6)
    for (const count of perTick) expect(count).toBeLessThanOrEqual(100)
    expect(perTick.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(400)
  })

  test('a tick of which a twentieth fails is', async () => {
    const { world } = await heldWith(3_000)
    let requests = 0
    world.transport.answer(urlOf('hook'), () => {
      requests += 1
      return requests % 20 === 0 ? 500 : 200
    })
    const perTick = await countTicks(world, 6)
    expect(Math.max(...perTick)).toBeGreaterThan(400)
  })

  test('an endpoint that goes on getting 40 a second, of which one in a hundred fails, has caught up within 90 s', async () => {
    const { world, endpointId } = await heldWith(2_400)
    let requests = 0
    world.transport.answer(urlOf('hook'), () => {
      requests += 1
      return requests % 100 === 0 ? 500 : 200
    })
    for (let seconds = 0; seconds < 90; seconds += 1) {
      await world.send('hook', 40)
      await world.poll(1_000)
    }
    const waiting = (await world.rows('hook')).filter(
      ({ status, lastAttemptedAt }) => status === 'pending' && lastAttemptedAt === null,
    )
    expect(waiting).toEqual([])
    expect((await world.store.queue.health([endpointId])).get(endpointId)).toMatchObject({ rampFrom: null })
  })
})

test('after a pause, too, what was kept back leaves in steps', async () => {
  const world = engineWorld({ slowStart: false })
  const { id } = await world.endpoint('hook')
  await world.posthorn.start()
  await world.posthorn.endpoints.pause(id)
  await world.send('hook', 1_000)
  await world.poll(60_000)
  await world.posthorn.endpoints.resume(id)
  await world.posthorn.idle()
  expect(world.sentTo('hook')).toBe(100)
  await world.poll(tickMs)
  expect(world.sentTo('hook')).toBeLessThanOrEqual(300)
  await world.poll(4 * tickMs)
  expect(world.sentTo('hook')).toBe(1_000)
})

/** An endpoint that has asked for a minute, with so many deliveries that were never attempted; the minute is almost over. */
async function heldWith(count: number): Promise<{ world: EngineWorld; endpointId: string }> {
  const world = engineWorld({ slowStart: false })
  const { id: endpointId } = await world.endpoint('hook')
  await world.posthorn.start()
  await hold(world)
  await world.send('hook', count)
  await world.poll(60_000 - 1)
  expect(world.sentTo('hook')).toBe(1)
  return { world, endpointId }
}

/** Lets the endpoint ask for a minute; from then on it answers 200. */
async function hold(world: EngineWorld): Promise<void> {
  world.transport.answer(urlOf('hook'), aMinute)
  await world.send('hook')
  await world.posthorn.idle()
  world.transport.answer(urlOf('hook'), 200)
}

/** How many requests leave in each of the next ticks. */
async function countTicks(world: EngineWorld, ticks: number): Promise<number[]> {
  const counts: number[] = []
  for (let tick = 0; tick < ticks; tick += 1) {
    const before = world.transport.requests.length
    await world.poll(tickMs)
    counts.push(world.transport.requests.length - before)
  }
  return counts
}
