import { describe, expect, test } from 'vitest'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { makeGate } from './gate.ts'
import { engineWorld, inStatus, leased, settled, urlOf, wantsOf } from './world.ts'
import type { EngineWorld } from './world.ts'

/** One send, and then dead: so that rows can be requeued, which puts them into the lane of the retries. */
const once = { delays: { kind: 'list', delaysMs: [] }, jitterShare: 0, maxAttempts: 1 } as const

describe('fairness', () => {
  test('endpoints take turns: a long backlog does not delay a short one', async () => {
    const world = engineWorld({ maxLeased: 20 })
    for (const [name, count] of [['long', 1_000], ['short', 10], ['other', 10]] as const) {
      await world.endpoint(name)
      await world.send(name, count)
    }
    await world.posthorn.start()
    await world.posthorn.idle()
    expect(world.transport.requests).toHaveLength(1_020)
    for (const name of ['short', 'other']) expect(world.transport.requests.findLastIndex(({ url }) => url === urlOf(name))).toBeLessThan(150)
  })

  test('an endpoint that found no shared room gets it as soon as it is free, and not at the tick', async () => {
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

  test('a claim begins where the walk of the last tick found the first open row', async () => {
    const world = engineWorld()
    const { id } = await world.endpoint('late')
    const sentAt = world.clock.now()
    await world.send('late')
    await world.clock.advance(60_000)
    await world.posthorn.start()
    await world.posthorn.idle()
    expect(wantsOf(world.store, id)).toMatchObject([{ lane: 'fresh', dueFrom: sentAt }])
  })

  test('a look between ticks is for what the last walk could not see, a tick is for all', async () => {
    const world = engineWorld({}, { ...memoryStore(), probeMs: 2_000 })
    const startedAt = world.clock.now()
    await world.posthorn.start()
    await world.posthorn.idle()
    for (const ms of [2_000, 2_000, 1_000]) await world.poll(ms)
    const asked = world.store.calls.filter(({ method }) => method === 'dueEndpoints').map(({ request }) => request[0])
    const tick = [{ lane: 'fresh', dueFrom: 0 }, { lane: 'retries', dueFrom: 0 }]
    const look = { lane: 'fresh', dueFrom: startedAt - 10_000 }
    expect(asked).toMatchObject([...tick, look, look, ...tick])
  })

  test('fresh rows and retries of one endpoint share its room', async () => {
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
    const lanes = world.store.claims().slice(before).map(({ claim }) => claim.lane)
    expect(lanes).toHaveLength(200)
    // The tick finds both at the same time; the fresh rows that went before it had the room for themselves.
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

describe('room', () => {
  test('at most 8 windows of an endpoint are leased, and what has not started after a second is given back unharmed', async () => {
    const world = engineWorld()
    await world.endpoint('hung')
    world.transport.hold(urlOf('hung'))
    await world.send('hung', 200)
    await world.posthorn.start()
    await settled()
    expect(leased(await world.rows())).toBe(40)
    expect(world.transport.open(urlOf('hung'))).toBe(5)

    await world.clock.advance(750)
    expect(leased(await world.rows())).toBe(40)
    await world.clock.advance(750)
    const rows = await world.rows()
    expect(leased(rows)).toBe(5)
    expect(rows.filter(({ leaseOwner }) => leaseOwner === null)).toMatchObject(
      Array.from({ length: 195 }, () => ({ status: 'pending', attemptCount: 0, crashCount: 0, leaseUntil: null })),
    )
    // Once bitten: no more is leased ahead than can start.
    await world.clock.advance(20_000)
    expect(leased(await world.rows())).toBe(5)
  })

  test('what was given back is sent once the endpoint answers again, each row once', async () => {
    const world = engineWorld()
    await world.endpoint('slow')
    const hold = world.transport.hold(urlOf('slow'))
    await world.send('slow', 60)
    await world.posthorn.start()
    await world.clock.advance(2_000)
    hold.release()
    await world.posthorn.idle()
    expect(inStatus(await world.rows(), 'delivered')).toBe(60)
    expect(world.sentTo('slow')).toBe(60)
  })

  test('no more than maxLeased rows are held in all, and a store that is slow to mark stops the sending', async () => {
    const world = engineWorld({ maxLeased: 10, fastPath: false })
    await world.endpoint('hook')
    const marks = makeGate()
    world.store.bend = async ({ method }, run) => {
      if (method === 'mark') await marks.opened
      return run()
    }
    await world.send('hook', 100)
    await world.posthorn.start()
    await settled()
    expect(world.sentTo('hook')).toBeLessThanOrEqual(10)
    expect(leased(await world.rows())).toBeLessThanOrEqual(10)
    marks.open()
    await world.posthorn.idle()
    expect(inStatus(await world.rows(), 'delivered')).toBe(100)
  })

  test('of one row is enough to deliver everything', async () => {
    const world = engineWorld({ maxLeased: 1 })
    for (const name of ['one', 'two']) {
      await world.endpoint(name)
      await world.send(name, 5)
    }
    await world.posthorn.start()
    await world.posthorn.idle()
    expect(inStatus(await world.rows(), 'delivered')).toBe(10)
  })

  test.each([['on', true], ['off', false]])('1,000 hung endpoints hold at most half of it, and leave the healthy ones alone (fast path %s)', async (_name, fastPath) => {
    const maxLeased = 200
    const world = engineWorld({ maxLeased, fastPath })
    await world.endpoint('healthy')
    await world.send('healthy')
    await world.posthorn.start()
    await world.posthorn.idle()
    const hung = Array.from({ length: 1_000 }, (_, index) => `hung-${index}`)
    for (const name of hung) await world.endpoint(name)
    world.transport.hold(({ url }) => url.includes('hung'))
    await Promise.all(hung.map((name) => world.send(name, 2)))
    await settled()
    const held = world.transport.requests.length - world.sentTo('healthy')
    expect(held).toBeGreaterThan(maxLeased / 4)
    expect(held).toBeLessThanOrEqual(maxLeased / 2)

    for (let round = 1; round <= 5; round += 1) {
      await world.clock.advance(5_000)
      await world.send('healthy', 50)
      await settled()
      expect(world.sentTo('healthy')).toBe(1 + round * 50)
    }
    expect(leased(await world.rows())).toBeLessThanOrEqual(maxLeased / 2)
  })
})

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
    const perSecond = Array.from({ length: 10 }, (_, index) => times.filter((at) => at >= index * 1_000 && at < (index + 1) * 1_000).length)
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

describe('a store that errs', () => {
  test.each(['dueEndpoints', 'claim', 'health'] as const)('in %s costs a warning and a tick, and no delivery', async (method) => {
    const world = engineWorld({ fastPath: false })
    await world.endpoint('hook')
    await world.send('hook', 3)
    let failures = 1
    world.store.bend = async (call, run) => {
      if (call.method === method && failures > 0) {
        failures -= 1
        throw new Error('The store is away.')
      }
      return run()
    }
    const second = world.second()
    const warnings: string[] = []
    second.on('warning', ({ message }) => warnings.push(message))
    await second.start()
    await second.idle()
    expect(warnings.join()).toContain('The store is away.')
    expect(world.sentTo('hook')).toBe(0)
    await world.clock.advance(5_000)
    await second.idle()
    expect(inStatus(await world.rows(), 'delivered')).toBe(3)
    expect(world.sentTo('hook')).toBe(3)
  })
})

test('the rows of a deleted endpoint end dead, gone, in bites, and nothing is sent', async () => {
  const world = engineWorld()
  const { id } = await world.endpoint('gone')
  await world.send('gone', 1_500)
  await world.posthorn.endpoints.delete(id)
  await world.clock.advance(1_001)
  await world.posthorn.start()
  await world.posthorn.idle()
  expect(inStatus(await world.rows('gone'), 'dead')).toBe(1_000)
  await world.poll()
  const rows = await world.rows('gone')
  expect(rows.every(({ status, reason }) => status === 'dead' && reason === 'gone')).toBe(true)
  expect(world.heard('delivery.dead').filter(({ reason }) => reason === 'gone')).toHaveLength(1_500)
  expect(world.transport.requests).toEqual([])
})

async function holdEndpoint(world: EngineWorld, endpointId: string): Promise<void> {
  const heldUntil = world.clock.now() + 900_000
  const trouble = { failures: 10, holds: 1, failingSince: world.clock.now(), failedAttempts: 10, warned: false, rateTokens: 0, rateAt: 0 }
  await world.store.queue.saveHealth(endpointId, { ...trouble, heldUntil, version: 0 })
}
