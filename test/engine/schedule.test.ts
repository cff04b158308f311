import { describe, expect, test } from 'vitest'
import { healthy } from '../../src/core/endpoint/health.ts'
import type { ClaimRequest } from '../../src/core/ports/queue.ts'
import { makeGate } from './gate.ts'
import { engineWorld, settled, urlOf, wantsOf } from './world.ts'
import type { EngineWorld } from './world.ts'

/** One send, and then dead: so that rows can be requeued, which puts them into the lane of the retries. */
const once = { delays: { kind: 'list', delaysMs: [] }, jitterShare: 0, maxAttempts: 1 } as const

describe('fairness', () => {
  test('endpoints take turns: a long backlog does not delay a short one', async () => {
    const world = engineWorld({ maxLeased: 20 })
    for (const [name, count] of [
      ['long', 1_000],
      ['short', 10],
      ['other', 10],
    ] as const) {
      await world.endpoint(name)
      await world.send(name, count)
    }
    await world.posthorn.start()
    await world.posthorn.idle()
    expect(world.transport.requests).toHaveLength(1_020)
    for (const name of ['short', 'other'])
      expect(world.transport.requests.findLastIndex(({ url }) => url === urlOf(name))).toBeLessThan(150)
  })

  test('an endpoint that found no place gets one as soon as one is free, and not at the tick', async () => {
    // Without a success yet, all of them together may hold two rows.
    const world = engineWorld({ maxLeased: 4 })
    for (const name of ['hung', 'slow', 'late', 'later']) await world.endpoint(name)
    world.transport.hold(urlOf('hung'))
    const slow = world.transport.hold(urlOf('slow'))
    for (const name of ['hung', 'slow']) await world.send(name)
    await world.posthorn.start()
    await settled()
    for (const name of ['late', 'later']) await world.send(name)
    await settled()
    expect(world.transport.requests.map(({ url }) => url)).toEqual([urlOf('hung'), urlOf('slow')])
    slow.release()
    await settled()
    expect(['late', 'later'].map((name) => world.sentTo(name))).toEqual([1, 1])
  })

  test('a row that is stored while a claim finds nothing does not wait for the tick', async () => {
    const world = engineWorld()
    const { id } = await world.endpoint('acme')
    await world.posthorn.start()
    await world.posthorn.idle()
    const answer = makeGate()
    const found = makeGate()
    world.store.bend = async ({ method }, run) => {
      const result = await run()
      if (method !== 'claim') return result
      found.open()
      await answer.opened
      return result
    }
    // A change makes the worker look for rows; this look finds none, and its answer is on its way while one is stored.
    await world.posthorn.endpoints.update(id, { description: 'changed' })
    await found.opened
    await world.send('acme')
    answer.open()
    await world.posthorn.idle()
    expect(world.sentTo('acme')).toBe(1)
  })

  test('a row that is claimed while its endpoint is paused is given back unsent', async () => {
    const world = engineWorld()
    const { id } = await world.endpoint('acme')
    await world.second().send({ application: 'acme', type: 'a', data: {} })
    const [claimed, answer] = [makeGate(), makeGate()]
    world.store.bend = async ({ method }, run) => {
      const result = await run()
      if (method !== 'claim') return result
      claimed.open()
      await answer.opened
      return result
    }
    await world.posthorn.start()
    await claimed.opened
    await world.posthorn.endpoints.pause(id)
    answer.open()
    await world.posthorn.idle()
    expect(world.sentTo('acme')).toBe(0)
    expect(await world.rows('acme')).toMatchObject([{ status: 'pending', attemptCount: 0, leaseOwner: null }])
  })

  test('an endpoint that something reached lately does not wait for claims of those that nothing has reached', async () => {
    const world = engineWorld()
    const { id: provenId } = await world.endpoint('proven')
    for (let index = 0; index < 100; index += 1) await world.endpoint(`new-${index}`)
    await world.send('proven')
    await world.posthorn.start()
    await world.posthorn.idle()
    // From now on the store answers no claim for any other endpoint.
    const answers = makeGate()
    world.store.bend = async ({ method, request }, run) => {
      const wants = method === 'claim' ? (request[0] as ClaimRequest).wants : []
      if (wants.some(({ endpointId }) => endpointId !== provenId)) await answers.opened
      return run()
    }
    // A process that only sends: all of it must be claimed.
    const sender = world.second()
    for (let index = 0; index < 100; index += 1) await sender.send({ application: `new-${index}`, type: 'a', data: {} })
    for (let index = 0; index < 50; index += 1) await sender.send({ application: 'proven', type: 'a', data: {} })
    await world.clock.advance(5_000)
    await settled()
    expect(world.sentTo('proven')).toBe(51)
    answers.open()
    await world.posthorn.idle()
    expect(world.transport.requests).toHaveLength(151)
  })

  test('after a start, one that has failed before keeps none waiting that nothing is known of, however many they are', async () => {
    const world = engineWorld({ maxLeased: 40, fastPath: false })
    for (let index = 0; index < 60; index += 1) {
      const { id } = await world.endpoint(`failing-${index}`)
      await world.store.queue.saveHealth(id, { ...healthy, failingSince: world.clock.now(), failedAttempts: 1 })
      world.transport.hold(urlOf(`failing-${index}`))
      await world.send(`failing-${index}`, 5)
    }
    await world.endpoint('unknown')
    await world.send('unknown', 5)
    await world.posthorn.start()
    await settled()
    expect(world.sentTo('unknown')).toBe(5)
    // They have not gone without: a quarter of what the process may hold.
    expect(world.transport.requests).toHaveLength(5 + 10)
  })

  test.each([
    ['paused', async (world: EngineWorld, id: string) => world.posthorn.endpoints.pause(id)],
    ['held', async (world: EngineWorld, id: string) => holdEndpoint(world, id)],
  ])('the backlog of 10,000 rows of an endpoint that is %s is not read, and delays nobody', async (_, block) => {
    const world = engineWorld()
    const { id } = await world.endpoint('blocked')
    await world.endpoint('healthy')
    await block(world, id)
    await world.send('blocked', 10_000)
    await world.send('healthy', 300)
    await world.posthorn.start()
    await world.posthorn.idle()
    expect(world.sentTo('healthy')).toBe(300)
    await world.poll()
    expect(wantsOf(world.store, id)).toEqual([])
    const before = world.store.calls.length
    await world.poll()
    expect(world.store.calls.length - before).toBeLessThan(10)
    expect(world.sentTo('blocked')).toBe(0)
  })

  test('fresh rows and retries of one endpoint share what it may take', async () => {
    const world = engineWorld({ policies: { once }, fastPath: false, maxLeased: 20 })
    await world.endpoint('shared', { policy: 'once' })
    world.transport.answer(urlOf('shared'), 400)
    await world.send('shared', 100)
    await world.posthorn.start()
    await world.posthorn.idle()
    await world.posthorn.requeue({ status: 'dead' })
    const before = world.store.claims().length
    await world.send('shared', 100)
    await world.poll()
    const lanes = world.store
      .claims()
      .slice(before)
      .map(({ claim }) => claim.lane)
    expect(lanes).toHaveLength(200)
    // The tick finds both at the same time; the fresh rows that went before it had it for themselves.
    expect(lanes.filter((lane) => lane === 'retries')).toHaveLength(100)
  })
})

describe('the window', () => {
  test('starts at 5, grows by one with each success up to the pool, and shrinks when the endpoint fails', async () => {
    const world = engineWorld({ breaker: false, pool: 20 })
    await world.endpoint('hook')
    world.transport.answer(urlOf('hook'), 200, { delayMs: 100 })
    await world.send('hook', 300)
    await world.posthorn.start()
    const open: number[] = []
    const step = async (): Promise<void> => {
      await settled()
      open.push(world.transport.open(urlOf('hook')))
      await world.clock.advance(100)
    }
    for (let turn = 0; turn < 4; turn += 1) await step()
    expect(open).toEqual([5, 10, 20, 20])

    world.transport.answer(urlOf('hook'), 503, { delayMs: 100 })
    for (let turn = 0; turn < 4; turn += 1) await step()
    expect(open[4]).toBe(20)
    expect(open[5]).toBe(20) // Those that were under way were still answered by 200.
    expect(open[6]).toBeLessThanOrEqual(10)
    expect(open[7]).toBe(1)
    expect(world.transport.mostOpen(urlOf('hook'))).toBe(20)
  })

  test('without slow start is the pool from the beginning', async () => {
    const world = engineWorld({ slowStart: false, pool: 7 })
    await world.endpoint('hook')
    world.transport.hold(urlOf('hook'))
    await world.send('hook', 50)
    await world.posthorn.start()
    await settled()
    expect(world.transport.open(urlOf('hook'))).toBe(7)
  })
})

describe('the lane of the retries', () => {
  test('leaves on the tick, within its cap per endpoint', async () => {
    const world = engineWorld({ policies: { once }, retriesPerEndpoint: 10 })
    for (const name of ['one', 'two']) {
      await world.endpoint(name, { policy: 'once' })
      world.transport.answer(urlOf(name), 400)
    }
    await world.posthorn.start()
    await Promise.all(['one', 'two'].map((name) => world.send(name, 25)))
    await world.posthorn.idle()
    expect(await world.posthorn.requeue({ status: 'dead' })).toBe(50)
    await settled()
    expect(world.transport.requests).toHaveLength(50)
    for (const [tick, most] of [10, 20, 25, 25].entries()) {
      await world.poll()
      for (const name of ['one', 'two']) expect([tick, world.sentTo(name)]).toEqual([tick, 25 + most])
    }
  })

  test('has a cap of all endpoints together, too', async () => {
    const world = engineWorld({ policies: { once }, retriesPerEndpoint: 10, retriesPerTick: 6 })
    await world.endpoint('hook', { policy: 'once' })
    world.transport.answer(urlOf('hook'), 400)
    await world.posthorn.start()
    await world.send('hook', 20)
    await world.posthorn.idle()
    expect(await world.posthorn.requeue({ status: 'dead' })).toBe(20)
    for (const most of [6, 12, 18, 20]) {
      await world.poll()
      expect(world.sentTo('hook')).toBe(20 + most)
    }
  })

  test('has a cap that endpoints asked together share', async () => {
    const world = engineWorld({ policies: { once }, retriesPerEndpoint: 10, retriesPerTick: 15 })
    const names = Array.from({ length: 20 }, (_, index) => `hook-${index}`)
    for (const name of names) {
      await world.endpoint(name, { policy: 'once' })
      world.transport.answer(urlOf(name), 400)
    }
    await world.posthorn.start()
    for (const name of names) await world.send(name, 4)
    await world.posthorn.idle()
    expect(await world.posthorn.requeue({ status: 'dead' })).toBe(80)
    for (const most of [15, 30, 45, 60, 75, 80]) {
      await world.poll()
      expect(world.transport.requests).toHaveLength(80 + most)
    }
  })

  test('does not wait for the tick if one row is requeued', async () => {
    const world = engineWorld({ policies: { once } })
    await world.endpoint('hook', { policy: 'once' })
    world.transport.answer(urlOf('hook'), 400)
    await world.posthorn.start()
    await world.send('hook')
    await world.posthorn.idle()
    world.transport.answer(urlOf('hook'), 200)
    const [row] = await world.rows()
    await world.posthorn.requeue(row?.id ?? '')
    await world.posthorn.idle()
    expect(await world.rows()).toMatchObject([{ status: 'delivered', attemptCount: 1 }])
  })
})

async function holdEndpoint(world: EngineWorld, endpointId: string): Promise<void> {
  await world.store.queue.saveHealth(endpointId, {
    ...healthy,
    holds: 1,
    heldUntil: world.clock.now() + 900_000,
    generation: 1,
  })
}
