import { describe, expect, onTestFinished, test } from 'vitest'
import { lanes } from '../../src/core/delivery/delivery.ts'
import type { Delivery } from '../../src/core/delivery/delivery.ts'
import type { Store } from '../../src/core/ports/ports.ts'
import { minute } from '../../src/core/time.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { seededRandom } from '../../src/testing/seeded-random.ts'
import { makeGate } from './gate.ts'
import { watch } from './watched-store.ts'
import { engineWorld, inStatus, settled, urlOf } from './world.ts'
import type { EngineWorld } from './world.ts'

const leaseMs = 30_000

describe('a lease that its worker did not outlive', () => {
  test('is taken over, which leaves an interrupted attempt on record, and costs none of the attempts', async () => {
    const world = engineWorld()
    await claimed(world, 'hook', 1)
    await world.posthorn.start()
    await world.poll()
    const [row] = await world.rows()
    expect(row).toMatchObject({ status: 'delivered', attemptCount: 1, crashCount: 0 })
    expect(await outcomes(world, row)).toEqual(['interrupted', 'answered'])
    expect(calls(world, 'start')).toBe(0)
  })

  test('no longer counts once an attempt has ended', async () => {
    const world = engineWorld({ breaker: false })
    await claimed(world, 'hook', 1)
    world.transport.answer(urlOf('hook'), 500)
    await world.posthorn.start()
    await world.poll()
    expect(await world.rows()).toMatchObject([{ status: 'failed', attemptCount: 1, interruptions: 0 }])
  })

  test('makes a suspect of its delivery the second time: it is given back unsent, to wait for its turn', async () => {
    const world = engineWorld()
    await claimed(world, 'hook', 2)
    await world.posthorn.start()
    await world.poll()
    const [row] = await world.rows()
    expect(row).toMatchObject({ status: 'pending', leaseOwner: null, interruptions: 2, crashCount: 0 })
    expect(await outcomes(world, row)).toEqual(['interrupted', 'interrupted'])
    expect(world.sentTo('hook')).toBe(0)
  })

  test('the second time costs no other delivery its place in a step of a ramp', async () => {
    const world = engineWorld({ retriesPerEndpoint: 1 })
    const endpointId = await sentElsewhere(world, 'hook', 1)
    for (const time of [0, 1]) await claimAs(world, endpointId, world.clock.now() + time, time)
    await world.clock.advance(1_000)
    await world.posthorn.endpoints.pause(endpointId)
    await world.send('hook')
    await world.posthorn.endpoints.resume(endpointId)
    const gate = makeGate()
    world.store.bend = async ({ method }, run) => {
      if (method === 'release') await gate.opened
      return run()
    }
    await world.posthorn.start()
    await settled()
    expect(world.sentTo('hook')).toBe(0)
    gate.open()
    await settled()
    expect((await world.rows()).map(({ interruptions }) => interruptions)).toEqual([2, 0])
    expect(world.sentTo('hook')).toBe(1)
  })

  test('E1 five killed workers cost no innocent delivery its life: all of them arrive', async () => {
    const inner = memoryStore()
    const world = engineWorld({}, inner)
    await world.endpoint('hook')
    await world.send('hook', 40)
    for (let life = 0; life < 5; life += 1) await liveAndBeKilled(world, inner, life)
    const rows = await world.rows()
    expect(rows.every(({ interruptions }) => interruptions >= 2)).toBe(true)
    await world.posthorn.start()
    for (let minutes = 0; minutes < 30; minutes += 1) await world.poll(minute)
    const ended = await world.rows()
    expect([inStatus(ended, 'delivered'), ended.filter(({ attemptCount }) => attemptCount === 1).length]).toEqual([
      40, 40,
    ])
  })
})

describe('a suspect, interrupted twice,', () => {
  test('waits until its worker has outlived a lease', async () => {
    const world = engineWorld()
    await suspects(world, 'hook')
    await world.posthorn.start()
    await world.poll(leaseMs - 1)
    expect(world.sentTo('hook')).toBe(0)
    expect(await world.rows()).toMatchObject([{ status: 'pending', leaseOwner: null }])
    await world.poll(5_001)
    expect(world.sentTo('hook')).toBe(1)
    expect(await world.rows()).toMatchObject([
      { status: 'delivered', attemptCount: 1, interruptions: 0, crashCount: 0 },
    ])
  })

  test('has its attempt written ahead, and the outcome takes the place of that record', async () => {
    const world = await outlived(engineWorld())
    await suspects(world, 'hook')
    const hold = world.transport.hold(urlOf('hook'))
    await world.clock.advance(5_000)
    const [row] = await world.rows()
    expect(world.sentTo('hook')).toBe(1)
    expect(await outcomes(world, row)).toEqual(['interrupted', 'interrupted', 'started'])
    hold.release()
    await world.posthorn.idle()
    expect(await outcomes(world, row)).toEqual(['interrupted', 'interrupted', 'answered'])
  })

  test('is not sent if its attempt cannot be written ahead, and is tried again with the next tick', async () => {
    const world = await outlived(engineWorld({ slowStart: false }))
    await suspects(world, 'hook')
    world.store.bend = async ({ method }, run) => {
      if (method === 'start') throw new Error('The store is away.')
      return run()
    }
    await world.poll()
    expect([world.sentTo('hook'), calls(world, 'start')]).toEqual([0, 1])
    expect(world.heard('warning')).toMatchObject([
      { code: 'store_error', message: expect.stringContaining('could not be written ahead') },
    ])
    expect(await world.rows()).toMatchObject([{ status: 'pending', leaseOwner: null, crashCount: 0 }])
    world.store.bend = (_, run) => run()
    await world.poll()
    expect(inStatus(await world.rows(), 'delivered')).toBe(1)
  })

  test('goes beside at most a quarter of its window, and leases nothing that must wait', async () => {
    const world = await outlived(engineWorld({ slowStart: false, pool: 8 }))
    await suspects(world, 'hook', { rows: 10 })
    world.transport.hold(urlOf('hook'))
    await world.clock.advance(5_000)
    expect(world.transport.open(urlOf('hook'))).toBe(2)
    expect((await world.rows()).filter(({ leaseOwner }) => leaseOwner !== null)).toHaveLength(2)
  })

  test('leaves the rest of the window to the others', async () => {
    const world = await outlived(engineWorld({ slowStart: false, pool: 8 }))
    await suspects(world, 'hook', { rows: 10 })
    world.transport.hold(urlOf('hook'))
    await world.send('hook', 20)
    await world.clock.advance(5_000)
    expect(world.transport.open(urlOf('hook'))).toBe(8)
    expect(calls(world, 'start')).toBeLessThanOrEqual(2)
  })

  test('E2 of another endpoint keeps nobody waiting, however long it hangs', async () => {
    const world = await outlived(engineWorld())
    for (const name of ['hung', 'healthy']) await suspects(world, name, { rows: 3 })
    world.transport.hold(urlOf('hung'))
    await world.clock.advance(5_000)
    await world.clock.advance(5_000)
    await world.clock.advance(5_000)
    expect(inStatus(await world.rows('healthy'), 'delivered')).toBe(3)
    expect(world.transport.open(urlOf('hung'))).toBe(1)
  })
})

describe('a crash', () => {
  test('is a started attempt whose lease is over: it reads crashed, and the next is not before a minute, half of it to half more', async () => {
    const world = await worldAfterCrash(0)
    const [row] = await world.rows()
    expect(await outcomes(world, row)).toEqual(['interrupted', 'interrupted', 'crashed'])
    expect(row).toMatchObject({ status: 'pending', leaseOwner: null, crashCount: 1, attemptCount: 0 })
    expectPause(world, row, 1)
  })

  test.each([
    [1, 5],
    [2, 15],
    [3, 60],
  ])('after %i others has a pause of about %i minutes', async (before, minutes) => {
    const world = await worldAfterCrash(before)
    const [row] = await world.rows()
    expect(row).toMatchObject({ status: 'pending', crashCount: before + 1 })
    expectPause(world, row, minutes)
  })

  test('of one delivery keeps no other suspect of its endpoint waiting for another tick', async () => {
    const world = await outlived(engineWorld())
    await suspects(world, 'hook', { rows: 4, started: true })
    world.store.bend = async ({ method }, run) => {
      if (method === 'release') await new Promise<void>((resolve) => void world.clock.after(10, resolve))
      return run()
    }
    await world.clock.advance(5_100)
    expect((await world.rows()).map(({ crashCount }) => crashCount)).toEqual([1, 1, 1, 1])
  })

  test('is the last if it is the fifth: the delivery is dead, crashed, with all five on record, and that is emitted', async () => {
    const world = await worldAfterCrash(4)
    const [row] = await world.rows()
    expect(row).toMatchObject({
      status: 'dead',
      reason: 'crashed',
      attemptCount: 0,
      crashCount: 5,
      nextRetryAt: null,
      leaseOwner: null,
    })
    expect(row?.errorDetail).toContain('5 workers')
    expect((await outcomes(world, row)).filter((outcome) => outcome === 'crashed')).toHaveLength(5)
    expect(world.heard('delivery.dead')).toMatchObject([{ webhook_delivery_id: row?.id, reason: 'crashed' }])
    expect(world.transport.requests).toEqual([])
  })

  test('is forgotten by a requeue', async () => {
    const world = await worldAfterCrash(4)
    const [row] = await world.rows()
    await world.posthorn.requeue(row?.id ?? '')
    await world.posthorn.idle()
    expect(await world.rows()).toMatchObject([
      { status: 'delivered', attemptCount: 1, crashCount: 0, interruptions: 0 },
    ])
    expect(world.sentTo('hook')).toBe(1)
  })

  test('that was none, because its worker comes back late, is overwritten by the outcome', async () => {
    const inner = memoryStore()
    const world = await outlived(engineWorld({}, inner))
    await suspects(world, 'hook')
    const hold = world.transport.hold(urlOf('hook'))
    let asleep = false
    world.store.bend = async ({ method }, run) => {
      if (asleep && ['dueEndpoints', 'claim', 'renew'].includes(method)) throw new Error('Asleep.')
      return run()
    }
    await world.clock.advance(5_000)
    expect(world.sentTo('hook')).toBe(1)
    asleep = true
    const other = world.second({ store: inner, transport: scriptedTransport(world.clock) })
    await other.start()
    await world.clock.advance(2 * leaseMs)
    const [row] = await world.rows()
    expect(await outcomes(world, row)).toEqual(['interrupted', 'interrupted', 'crashed'])
    hold.release()
    await settled()
    expect(await outcomes(world, row)).toEqual(['interrupted', 'interrupted', 'answered'])
    await other.stop({ graceMs: 0 })
  })
})

test('under gateway there are no suspects: nothing is written ahead, and nothing ends by crashes', async () => {
  const world = engineWorld({ preset: 'gateway' })
  await suspects(world, 'hook', { crashes: 5 })
  await world.posthorn.start()
  await world.clock.advance(5_000)
  expect(calls(world, 'start')).toBe(0)
  expect(await world.rows()).toMatchObject([{ status: 'delivered', attemptCount: 1 }])
})

/** A world whose worker has run for longer than a lease. */
async function outlived(world: EngineWorld): Promise<EngineWorld> {
  await world.posthorn.start()
  await world.poll(leaseMs + 5_000)
  return world
}

/** Rows of a new endpoint of that name, as another process has sent them: the worker does not know of them yet. */
async function sentElsewhere(world: EngineWorld, name: string, rows: number): Promise<string> {
  const { id } = await world.endpoint(name)
  // Ids are drawn: each sender must draw its own.
  const sender = world.second({ random: seededRandom(1_000 + name.length) })
  for (let row = 0; row < rows; row += 1) await sender.send({ application: name, type: 'invoice.paid', data: row })
  return id
}

/** A row that so many workers have leased, of which the last has ended just now. */
async function claimed(world: EngineWorld, name: string, times: number): Promise<void> {
  const endpointId = await sentElsewhere(world, name, 1)
  for (let time = 0; time < times; time += 1) await claimAs(world, endpointId, world.clock.now() + time, time)
}

/** Suspects at rest: interrupted twice, and then crashed so often; with `started`, a worker has begun the next attempt and ended. */
async function suspects(
  world: EngineWorld,
  name: string,
  { rows = 1, crashes = 0, started = false } = {},
): Promise<void> {
  const endpointId = await sentElsewhere(world, name, rows)
  let now = world.clock.now()
  for (let time = 0; time < 2; time += 1) await claimAs(world, endpointId, now++, time)
  for (let crash = 0; crash <= crashes; crash += 1) {
    await release(world, await claimAs(world, endpointId, now++, crash), now, crash)
    if (crash < crashes || started) await start(world, await claimAs(world, endpointId, now++, crash), now, crash)
  }
}

/** Leases all rows of an endpoint for a millisecond, as a worker that does not live longer. */
async function claimAs(
  world: EngineWorld,
  endpointId: string,
  now: number,
  worker: number,
): Promise<{ deliveryId: string; epoch: number }[]> {
  const wants = lanes.map((lane) => ({ endpointId, lane, most: 100, mostBytes: 1_000_000 }))
  const claims = await world.store.queue.claim({ owner: `dead-${worker}`, leaseMs: 1, now, most: 100, wants })
  return claims.map(({ delivery }) => ({ deliveryId: delivery.id, epoch: delivery.leaseEpoch }))
}

async function release(
  world: EngineWorld,
  leases: { deliveryId: string; epoch: number }[],
  now: number,
  worker: number,
): Promise<void> {
  expect(await world.store.queue.release({ owner: `dead-${worker}`, now, leases })).toHaveLength(leases.length)
}

async function start(
  world: EngineWorld,
  leases: { deliveryId: string; epoch: number }[],
  now: number,
  worker: number,
): Promise<void> {
  const starts = leases.map((lease) => ({ ...lease, url: urlOf('hook') }))
  expect(await world.store.queue.start({ owner: `dead-${worker}`, now, starts })).toHaveLength(leases.length)
}

/** A worker finds a delivery whose worker has ended while it was sending it, so many times before and now again. */
async function worldAfterCrash(before: number): Promise<EngineWorld> {
  const world = await outlived(engineWorld())
  await suspects(world, 'hook', { crashes: before, started: true })
  await world.clock.advance(5_000)
  return world
}

function expectPause(world: EngineWorld, row: Delivery | undefined, minutes: number): void {
  const pauseMs = (row?.nextRetryAt ?? 0) - world.clock.now()
  expect(pauseMs).toBeGreaterThanOrEqual(0.5 * minutes * minute)
  expect(pauseMs).toBeLessThanOrEqual(1.5 * minutes * minute)
}

/** A worker that runs for longer than a lease, hears nothing from its endpoint, and is killed; its leases run out. */
async function liveAndBeKilled(world: EngineWorld, inner: Store, life: number): Promise<void> {
  const grave = makeGate()
  const watched = watch(inner)
  const store: Store = { ...watched, beat: (...call) => (isDead ? grave.opened.then(() => []) : inner.beat(...call)) }
  let isDead = false
  const transport = scriptedTransport(world.clock)
  transport.hold(urlOf('hook'))
  const worker = world.second({ store, transport, random: seededRandom(100 + life) })
  onTestFinished(grave.open)
  await worker.start()
  await settled()
  if (life > 1) await world.clock.advance(leaseMs + 5_001)
  isDead = true
  watched.bend = () => grave.opened.then(() => Promise.reject(new Error('The worker is dead.')))
  await world.clock.advance(leaseMs)
}

async function outcomes(world: EngineWorld, row: Delivery | undefined): Promise<string[]> {
  return (await world.posthorn.deliveries.attempts(row?.id ?? '')).map(({ outcome }) => outcome)
}

function calls(world: EngineWorld, method: string): number {
  return world.store.calls.filter((call) => call.method === method && call.owner === world.posthorn.workerId).length
}
