import { describe, expect, test } from 'vitest'
import { mostBodyBytes } from '../../src/core/message/message.ts'
import { presets } from '../../src/core/delivery/presets.ts'
import { day } from '../../src/core/time.ts'
import { Budget } from '../../src/engine/endpoints/budget.ts'
import { makeBus } from '../../src/engine/bus.ts'
import { Endpoints } from '../../src/engine/endpoints/endpoints.ts'
import type { EndpointRecord } from '../../src/engine/endpoints/records.ts'
import { trustIn } from '../../src/engine/endpoints/trust.ts'
import type { EngineSettings } from '../../src/engine/parts.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { seededRandom } from '../../src/testing/seeded-random.ts'
import { anEndpoint } from '../core/examples.ts'
import { makeGate } from './gate.ts'
import { engineWorld, inStatus, leased, settled, urlOf } from './world.ts'

describe('the budget', () => {
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

  test('no more requests than openRequests are open in all, and those without a success have half of them', async () => {
    const world = engineWorld({ openRequests: 8, slowStart: false })
    const names = ['one', 'two', 'three']
    for (const name of names) await world.endpoint(name)
    const holds = names.map((name) => world.transport.hold(urlOf(name)))
    const open = (): number => names.reduce((sum, name) => sum + world.transport.open(urlOf(name)), 0)
    await world.posthorn.start()
    for (const name of names) await world.send(name, 10)
    await settled()
    expect(open()).toBe(4)
    for (const hold of holds) hold.release()
    for (let tick = 0; tick < 3; tick += 1) await world.poll()
    expect(inStatus(await world.rows(), 'delivered')).toBe(30)
    for (const name of names) world.transport.hold(urlOf(name))
    for (const name of names) await world.send(name, 10)
    await settled()
    expect(open()).toBe(8)
  })

  test('one application has at most four fifths of the open requests, and leaves the rest to the others', async () => {
    const world = engineWorld({ openRequests: 10, slowStart: false })
    await world.endpoint('many')
    await world.endpoint('other')
    for (const name of ['many', 'other']) await world.send(name)
    await world.posthorn.start()
    await world.posthorn.idle()
    world.transport.hold(({ url }) => url === urlOf('many'))
    await world.send('many', 20)
    await settled()
    expect(world.transport.open(urlOf('many'))).toBe(8)
    await world.send('other')
    await settled()
    expect(world.sentTo('other')).toBe(2)
  })

  test('an endpoint that takes a second or more counts as one that may be hung', async () => {
    const world = engineWorld({ maxLeased: 40 })
    await world.endpoint('slow')
    await world.send('slow')
    await world.posthorn.start()
    await world.posthorn.idle()
    world.transport.answer(urlOf('slow'), 200, { delayMs: 1_000 })
    await world.send('slow')
    await world.clock.advance(1_000)
    await world.posthorn.idle()
    world.transport.hold(urlOf('slow'))
    await world.send('slow', 20)
    await settled()
    // Of a quarter of them, instead of the whole that one with a recent success shares.
    expect(leased(await world.rows())).toBe(6)
  })

  test('of a few rows is not used up by claims that fail', async () => {
    const world = engineWorld({ maxLeased: 4, fastPath: false })
    await world.endpoint('hook')
    let failures = 5
    world.store.bend = async ({ method }, run) => {
      if (method === 'claim' && (failures -= 1) >= 0) throw new Error('The store is away.')
      return run()
    }
    await world.posthorn.start()
    await world.send('hook', 10)
    for (let tick = 0; tick < 6; tick += 1) await world.poll()
    expect(inStatus(await world.rows(), 'delivered')).toBe(10)
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

  test.each([
    ['on', true],
    ['off', false],
  ])(
    '1,000 hung endpoints hold at most half of it, and leave the healthy ones alone (fast path %s)',
    async (_name, fastPath) => {
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
    },
  )
})

describe('an application', () => {
  test.each([
    ['on', true],
    ['off', false],
  ])(
    'E10 that holds four fifths of all rows gets no more, and a newcomer finds a place at once (fast path %s)',
    async (_name, fastPath) => {
      const world = engineWorld({ maxLeased: 100, fastPath })
      for (let index = 0; index < 10; index += 1)
        await world.posthorn.endpoints.create({ application: 'greedy', url: `https://greedy.example/${index}` })
      await world.endpoint('newcomer')
      await world.posthorn.start()
      await world.send('greedy')
      await world.posthorn.idle()
      // Each of its endpoints has just been reached: nobody could know that they will hang.
      world.transport.hold(({ url }) => url.startsWith('https://greedy.example/'))
      await world.send('greedy', 50)
      await settled()
      const held = leased(await world.rows())
      expect(held).toBeGreaterThan(60)
      expect(held).toBeLessThanOrEqual(80)
      await world.send('newcomer', 5)
      await settled()
      expect(world.sentTo('newcomer')).toBe(5)
    },
  )

  test('E10 is one of 20 whose endpoints hang with five large bodies each: together they hold half of the bytes, and others go on', async () => {
    const world = engineWorld()
    for (let index = 0; index < 20; index += 1) await world.endpoint(`hung-${index}`)
    await world.endpoint('healthy')
    await world.posthorn.start()
    await world.send('healthy')
    await world.posthorn.idle()
    world.transport.hold(({ url }) => url.includes('hung'))
    const payload = Buffer.alloc(mostBodyBytes, 'x')
    for (let index = 0; index < 20; index += 1)
      await Promise.all(
        Array.from({ length: 5 }, () =>
          world.posthorn.send({ application: `hung-${index}`, type: 'invoice.paid', payload }),
        ),
      )
    await settled()
    expect(leased(await world.rows())).toBe(32)
    await world.send('healthy', 20)
    await settled()
    expect(world.sentTo('healthy')).toBe(21)
  })

  test('E10 is one of 6,000 on a dead host: together they hold half, and one that was reached has the other', () => {
    const now = 1_700_000_000_000
    const budget = new Budget(settings)
    const [reached, ...dead] = recordsOf(6_001)
    if (reached === undefined) throw new Error('Expected a record.')
    reached.succeededAt = now - 1_000
    let held = 0
    for (let round = 0; round < 5; round += 1) {
      for (const record of dead) {
        if (budget.rowsFor(record, now) === 0) continue
        budget.take({ record, bytes: 100, trust: trustIn(record, now) })
        held += 1
      }
    }
    expect(held).toBe(settings.maxLeased / 2)
    // Alone in its half, it may hold four times what it leaves free.
    expect(budget.rowsFor(reached, now)).toBeGreaterThanOrEqual(0.6 * (settings.maxLeased / 2))
    expect(dead.every((record) => budget.rowsFor(record, now) === 0)).toBe(true)
  })

  test('E10 has failed before: together with others like it, it holds half of what one has that nothing is known of', () => {
    const now = 1_700_000_000_000
    const budget = new Budget(settings)
    const [unknown, ...failing] = recordsOf(6_001)
    if (unknown === undefined) throw new Error('Expected a record.')
    let held = 0
    for (const record of failing) {
      record.health = { ...record.health, failingSince: now - 1_000 }
      if (budget.rowsFor(record, now) === 0) continue
      budget.take({ record, bytes: 100, trust: trustIn(record, now) })
      held += 1
    }
    expect(held).toBe(settings.maxLeased / 4)
    expect(budget.rowsFor(unknown, now)).toBe(800)
  })

  test('whose endpoint fails leaves a place among the failing ones to its next endpoint, and that one to the next application', () => {
    const now = 1_700_000_000_000
    const budget = new Budget({ ...settings, maxLeased: 20 })
    const [first, second, third] = recordsOf(3)
    if (first === undefined || second === undefined || third === undefined) throw new Error('Expected three records.')
    second.endpoint = { ...second.endpoint, applicationId: first.endpoint.applicationId }
    const taken = [first, second, third].map((record) => {
      record.health = { ...record.health, failingSince: now - 1_000 }
      while (budget.rowsFor(record, now) > 0) budget.take({ record, bytes: 0, trust: trustIn(record, now) })
      return record.leased
    })
    expect(taken).toEqual([3, 1, 1])
  })

  test('E10 with one endpoint takes four fifths of four fifths of what is free, and so does the next: each leaves a place for another', () => {
    const now = 1_700_000_000_000
    const budget = new Budget(settings)
    const taken = recordsOf(5).map((record) => {
      record.succeededAt = now
      const rows = budget.rowsFor(record, now)
      for (let row = 0; row < rows; row += 1) budget.take({ record, bytes: 0, trust: 'proven' })
      return rows
    })
    expect(taken).toEqual([3_200, 1_152, 414, 149, 54])
  })
})

const { limits, policy } = presets.standard
const settings: EngineSettings = {
  owner: 'worker',
  limits,
  policies: new Map(),
  defaultPolicy: policy,
  leaseMs: 30_000,
  timeoutMs: 30_000,
  maxLeased: 5_000,
  historyMs: day,
  deadLetterMs: day,
  auditMs: day,
  userAgent: 'test',
  headerPrefix: 'webhook',
  sendTraceparent: false,
  alarms: null,
}

/** So many endpoints, each of an application of its own, as a process keeps them. */
function recordsOf(count: number): EndpointRecord[] {
  const clock = manualClock()
  const { queue, directory, beat } = memoryStore()
  const bus = makeBus(clock)
  const endpoints = new Endpoints({
    queue,
    directory,
    beat,
    transport: scriptedTransport(clock),
    clock,
    random: seededRandom(1),
    bus,
    tracer: { send: () => null, attempt: () => null },
    meter: null,
    settings,
    lookMs: null,
    listen: null,
    disk: undefined,
  })
  endpoints.know(
    Array.from({ length: count }, (_, index) => anEndpoint({ id: `ep_${index}`, applicationId: `app_${index}` })),
  )
  return [...endpoints.all()]
}
