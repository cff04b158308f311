import { describe, expect, onTestFinished, test } from 'vitest'
import { isOver } from '../../src/core/delivery/job.ts'
import type { Job } from '../../src/core/delivery/job.ts'
import { Posthorn } from '../../src/posthorn.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import type { ManualClock } from '../../src/testing/manual-clock.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { countedStore } from '../acceptance/counted-store.ts'
import { databases } from '../acceptance/databases.ts'
import { makeGate } from './gate.ts'
import { refusal } from './refusal.ts'
import { stores, worldOn } from './stores.ts'
import { engineWorld, inStatus, urlOf } from './world.ts'
import type { EngineWorld } from './world.ts'

const minute = 60_000

describe.each(stores)('a job on $name', (kind) => {
  test('requeues all that match in batches, and says exactly how far it is', async () => {
    const world = await worldOn(kind, { retriesPerEndpoint: 10_000 })
    const { id: endpointId, applicationId } = await world.endpoint('hook')
    await world.endpoint('other')
    await dead(world, 'hook', 1_100)
    await dead(world, 'other', 3)
    const work = { action: 'requeue', filter: { endpointId } } as const
    expect(await world.posthorn.jobs.preview(work)).toBe(1_100)
    const job = await world.posthorn.jobs.create(work, { by: 'kim', reason: 'the receiver is back' })
    expect(job).toMatchObject({
      state: 'running',
      matching: 1_100,
      done: 0,
      applicationId,
      actor: 'kim',
      reason: 'the receiver is back',
    })

    await world.posthorn.start()
    expect(await progress(world, job)).toEqual([500, 1_000, 1_100])
    await world.poll()
    expect(world.sentTo('hook')).toBe(1_100)
    expect(inStatus(await world.rows('hook'), 'delivered')).toBe(1_100)
    expect(inStatus(await world.rows('other'), 'dead')).toBe(3)
  })

  test('cancels all that match, and tells of each', async () => {
    const world = await worldOn(kind)
    const { applicationId } = await world.endpoint('hook')
    await world.posthorn.endpoints.pause(await idOf(world, 'hook'))
    await world.send('hook', 600)
    await world.posthorn.start()
    const job = await world.posthorn.jobs.create({ action: 'cancel', filter: { applicationId } })
    expect(await progress(world, job)).toEqual([500, 600])
    expect(inStatus(await world.rows('hook'), 'dead')).toBe(600)
    expect(world.heard('delivery.dead')).toHaveLength(600)
  })

  test('goes on where it was if a batch fails, before it was stored or after', async () => {
    const world = await worldOn(kind, { retriesPerEndpoint: 10_000 })
    await world.endpoint('hook')
    await dead(world, 'hook', 1_600)
    let batches = 0
    world.store.bend = async ({ method }, run) => {
      if (method !== 'advanceJob') return run()
      batches += 1
      if (batches === 2) throw new Error('the store is away')
      const answer = await run()
      if (batches === 4) throw new Error('the answer is lost')
      return answer
    }
    const job = await world.posthorn.jobs.create({ action: 'requeue', filter: {} })
    await world.posthorn.start()
    expect(await progress(world, job)).toEqual([500, 1_000, 1_500, 1_600])
    expect(batches).toBe(5)
    expect(world.heard('warning')).toMatchObject([{ code: 'store_error' }, { code: 'store_error' }])
    await world.poll()
    expect(world.sentTo('hook')).toBe(1_600)
  })

  test('whose batches fail lets younger ones go first, and is tried again', async () => {
    const world = await worldOn(kind, { retriesPerEndpoint: 10_000 })
    await world.endpoint('hook')
    await world.endpoint('other')
    await dead(world, 'hook', 3)
    await dead(world, 'other', 1_100)
    const stuck = await world.posthorn.jobs.create({
      action: 'requeue',
      filter: { endpointId: await idOf(world, 'hook') },
    })
    const behind = await world.posthorn.jobs.create({
      action: 'requeue',
      filter: { endpointId: await idOf(world, 'other') },
    })
    let isAway = true
    world.store.bend = async ({ method, request }, run) => {
      if (isAway && method === 'advanceJob' && request[0] === stuck.id) throw new Error('the store is away')
      return run()
    }
    await world.posthorn.start()
    expect(await progress(world, behind)).toEqual([500, 1_000, 1_100])
    expect(world.heard('warning')).toMatchObject([{ code: 'store_error' }])
    isAway = false
    expect(await progress(world, stuck)).toEqual([3])
  })

  test('replays what an endpoint never got and would want, and nothing else', async () => {
    const world = await worldOn(kind)
    const { posthorn, clock, transport } = world
    await world.endpoint('acme', { types: ['b'] })
    const since = clock.now()
    for (let id = 0; id < 130; id += 1)
      await posthorn.send({ application: 'acme', type: 'a', data: { id }, channels: ['eu'] })
    const unwanted = [
      { type: 'b' },
      { type: 'a', channels: ['us'] },
      { type: 'a', channels: ['eu'], data: { id: 1_000 } },
    ]
    for (const each of unwanted) await posthorn.send({ application: 'acme', data: { id: 0 }, ...each })
    const erased = await posthorn.send({ application: 'acme', type: 'a', data: { id: 0 }, channels: ['eu'] })
    await posthorn.messages.erase('acme', erased.id)
    const late = await posthorn.endpoints.create({
      application: 'acme',
      url: urlOf('late'),
      types: ['a'],
      channels: ['eu'],
      filter: { path: 'data.id', less: 1_000 },
    })
    const had = await posthorn.send({ application: 'acme', type: 'a', data: { id: 130 }, channels: ['eu'] })
    await clock.advance(minute)
    await posthorn.send({ application: 'acme', type: 'a', data: { id: 'too late' }, channels: ['us'] })

    await posthorn.start()
    const work = { action: 'replay', filter: { endpointId: late.id, since, until: clock.now() } } as const
    expect(await posthorn.jobs.preview(work)).toBe(130)
    const job = await posthorn.jobs.create(work)
    expect(job).toMatchObject({ matching: 130, applicationId: late.applicationId })
    // A batch looks at a hundred messages; what it makes of them is what counts.
    const made = await progress(world, job)
    expect(made).toHaveLength(2)
    expect(made.at(-1)).toBe(130)
    await world.poll(minute)
    const got = transport.requests
      .filter(({ url }) => url === urlOf('late'))
      .map(({ body }) => (JSON.parse(body) as { data: { id: number } }).data.id)
    expect(got.toSorted((one, other) => one - other)).toEqual(Array.from({ length: 131 }, (_, id) => id))

    const again = await posthorn.jobs.create(work)
    await progress(world, again)
    // It looks at what it has made before, and says that it made none.
    expect(await posthorn.jobs.get(again.id)).toMatchObject({ state: 'done', matching: 0, done: 0, skipped: 0 })
    expect(await posthorn.deliveries.count({ endpointId: late.id })).toBe(131)
    const [replayed] = await posthorn.deliveries.list({ endpointId: late.id }, { limit: 1 })
    expect(replayed).toMatchObject({ status: 'delivered', eventType: 'a' })
    expect(replayed?.messageId).not.toBe(had.id)
  })

  test('is paused, resumed and cancelled by a person, and each of these only while it means something', async () => {
    const world = await worldOn(kind)
    await world.endpoint('hook')
    await dead(world, 'hook', 1_100)
    const { jobs } = world.posthorn
    const { id } = await jobs.create({ action: 'requeue', filter: {} })
    expect(await jobs.pause(id)).toMatchObject({ state: 'paused' })
    await world.posthorn.start()
    await world.poll()
    expect(await jobs.get(id)).toMatchObject({ state: 'paused', done: 0 })
    expect(await refusal(() => jobs.pause(id))).toMatchObject({
      code: 'wrong_state',
      message: expect.stringContaining('it is paused already'),
    })

    await jobs.resume(id)
    await world.posthorn.idle()
    expect(await jobs.get(id)).toMatchObject({ state: 'running', done: 500 })
    expect(await jobs.cancel(id)).toMatchObject({ state: 'cancelled', done: 500 })
    await world.poll(minute)
    expect(await jobs.get(id)).toMatchObject({ state: 'cancelled', done: 500 })
    expect(inStatus(await world.rows('hook'), 'dead')).toBe(600)
    expect(await refusal(() => jobs.resume(id))).toMatchObject({
      code: 'wrong_state',
      message: expect.stringContaining('it is cancelled'),
    })
    expect(await jobs.list({ application: 'hook' })).toEqual([])
    expect(await jobs.list()).toMatchObject([{ id }])
  })

  test('leaves alone what died after it was asked for', async () => {
    const world = await worldOn(kind, { maxRetries: 0 })
    await world.endpoint('hook')
    world.transport.answer(urlOf('hook'), 500)
    await dead(world, 'hook', 600)
    await world.clock.advance(1)
    await world.send('hook', 5)
    const job = await world.posthorn.jobs.create({ action: 'requeue', filter: {} })
    await world.clock.advance(1)
    await world.posthorn.cancel({ status: 'pending' })
    await world.posthorn.start()
    // Each of the others is sent and dies again while the job goes on.
    expect(await progress(world, job)).toEqual([500, 600])
    const left = await world.rows('hook')
    expect(left.slice(600)).toMatchObject(Array.from({ length: 5 }, () => ({ status: 'dead', requeuedAt: null })))
  })

  test('leaves alone what came after it was asked for', async () => {
    const world = await worldOn(kind)
    const { id } = await world.endpoint('hook')
    await world.posthorn.endpoints.pause(id)
    await world.send('hook', 600)
    const job = await world.posthorn.jobs.create({ action: 'cancel', filter: {} })
    await world.clock.advance(1)
    await world.send('hook', 5)
    await world.posthorn.start()
    expect(await progress(world, job)).toEqual([500, 600])
    expect(inStatus(await world.rows('hook'), 'pending')).toBe(5)
  })

  test('stops where its endpoint gets nothing new, and says so', async () => {
    const world = await worldOn(kind)
    const { posthorn } = world
    await posthorn.send(Array.from({ length: 250 }, (_, id) => ({ application: 'hook', type: 'a', data: { id } })))
    const { id: endpointId } = await world.endpoint('hook')
    const work = { action: 'replay', filter: { endpointId, since: 0, until: world.clock.now() + minute } } as const
    await posthorn.endpoints.disable(endpointId)
    expect(await refusal(() => posthorn.jobs.create(work))).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('Enable it first.'),
    })

    await posthorn.endpoints.enable(endpointId)
    const job = await posthorn.jobs.create(work)
    await posthorn.start()
    await posthorn.idle()
    expect(await posthorn.jobs.get(job.id)).toMatchObject({ state: 'running', done: 100 })
    await posthorn.endpoints.disable(endpointId)
    await world.poll()
    expect(await posthorn.jobs.get(job.id)).toMatchObject({ state: 'paused', done: 100 })
    expect(world.heard('warning')).toMatchObject([
      { code: 'job_stopped', message: expect.stringContaining('enable the endpoint') },
    ])

    await posthorn.endpoints.enable(endpointId)
    await posthorn.jobs.resume(job.id)
    expect(await progress(world, job)).toEqual([200, 250])
    // More than a batch that it never got, so that the job is not over before it is paused.
    await posthorn.endpoints.disable(endpointId)
    for (let sent = 0; sent < 101; sent += 1) await posthorn.send({ application: 'hook', type: 'a', data: {} })
    await posthorn.endpoints.enable(endpointId)
    const other = await posthorn.jobs.create(work)
    await posthorn.jobs.pause(other.id)
    await posthorn.endpoints.delete(endpointId)
    await posthorn.jobs.resume(other.id)
    await world.poll()
    expect(await posthorn.jobs.get(other.id)).toMatchObject({ state: 'cancelled' })
  })
})

describe.each(stores.filter(({ name }) => name !== 'sqlite'))('a job on $name, which many workers share,', (kind) => {
  test('is not done twice by two who are at it at once, because a turn has run out', async () => {
    const world = await worldOn(kind)
    await world.posthorn.send(
      Array.from({ length: 250 }, (_, id) => ({ application: 'hook', type: 'a', data: { id } })),
    )
    const { id: endpointId } = await world.endpoint('hook')
    await world.posthorn.endpoints.pause(endpointId)
    const job = await world.posthorn.jobs.create({
      action: 'replay',
      filter: { endpointId, since: 0, until: world.clock.now() + minute },
    })
    // Both have read the same page before either writes.
    const both = makeGate()
    let readers = 0
    world.store.bend = async ({ method }, run) => {
      if (method === 'takeTurn') return true
      if (method !== 'advanceReplay') return run()
      readers += 1
      if (readers === 2) both.open()
      await both.opened
      return run()
    }
    await Promise.all([world.posthorn.start(), world.second().start()])
    expect((await progress(world, job)).at(-1)).toBe(250)
    expect(readers).toBeGreaterThan(3)
    expect(await world.posthorn.deliveries.count({ endpointId })).toBe(250)
  })
})

describe.each(databases)('a job on $name', ({ open }) => {
  test('is gone on with by another process if the one at it ends', async () => {
    const database = await open()
    const clock = manualClock()
    const first = worker(clock)
    await first.posthorn.endpoints.create({ application: 'acme', url: urlOf('hook') })
    await first.posthorn.send(
      Array.from({ length: 1_100 }, (_, id) => ({ application: 'acme', type: 'a', data: { id } })),
    )
    await first.posthorn.cancel({})
    const { id } = await first.posthorn.jobs.create({ action: 'requeue', filter: {} })
    await first.posthorn.start()
    await first.posthorn.idle()
    expect(await first.posthorn.jobs.get(id)).toMatchObject({ state: 'running', done: 500 })
    await first.posthorn.stop({ graceMs: 0 })

    const second = worker(clock)
    await second.posthorn.start()
    for (let batch = 0; batch < 3; batch += 1) {
      await second.posthorn.idle()
      await clock.advance(100)
    }
    expect(await second.posthorn.jobs.get(id)).toMatchObject({ state: 'done', matching: 1_100, done: 1_100 })
    expect(await second.posthorn.deliveries.count({ status: 'dead' })).toBe(0)

    function worker(on: ManualClock): { posthorn: Posthorn } {
      const counted = countedStore(database.store())
      on.attend(counted.underWay)
      const posthorn = new Posthorn({ store: counted.store, clock: on, transport: scriptedTransport(on) })
      onTestFinished(() => posthorn.stop({ graceMs: 0 }))
      return { posthorn }
    }
  })
})

describe('bad work', () => {
  test.each<[string, unknown, string]>([
    ['another action', { action: 'delete', filter: {} }, '`action`'],
    ['requeueing what was delivered', { action: 'requeue', filter: { status: 'delivered' } }, '`status`'],
    ['cancelling what is delivered', { action: 'cancel', filter: { status: 'delivered' } }, '`status`'],
    ['no filter', { action: 'requeue' }, '`filter`'],
    ['a replay to no endpoint', { action: 'replay', filter: { since: 0, until: 1 } }, '`endpointId`'],
    [
      'a replay to an endpoint that is not there',
      { action: 'replay', filter: { endpointId: 'ep_0000000000000000001', since: 0, until: 1 } },
      '`endpoint`',
    ],
    [
      'a replay that ends before it begins',
      { action: 'replay', filter: { endpointId: 'ep_0000000000000000001', since: 2, until: 1 } },
      '`since`',
    ],
    [
      'a replay without an end',
      { action: 'replay', filter: { endpointId: 'ep_0000000000000000001', since: 2 } },
      '`since`',
    ],
  ])('%s is refused', async (_, work, place) => {
    const { posthorn } = engineWorld()
    expect((await refusal(() => posthorn.jobs.create(work as never))).message).toContain(`Expected ${place}`)
    expect((await refusal(() => posthorn.jobs.preview(work as never))).message).toContain(`Expected ${place}`)
    expect(await posthorn.jobs.list()).toEqual([])
  })

  test('a job that is not there is not found, and a name that is none is refused', async () => {
    const { posthorn } = engineWorld()
    expect(await refusal(() => posthorn.jobs.get('job_0000000000000000001'))).toMatchObject({ code: 'not_found' })
    expect(await refusal(() => posthorn.jobs.cancel('7'))).toMatchObject({ code: 'invalid_id' })
  })
})

/** Deliveries that were sent and cancelled before the engine was started. */
async function dead(world: EngineWorld, name: string, count: number): Promise<void> {
  await world.send(name, count)
  await world.posthorn.cancel({ endpointId: await idOf(world, name), status: 'pending' })
}

async function idOf(world: EngineWorld, name: string): Promise<string> {
  const [endpoint] = await world.posthorn.endpoints.list({ application: name })
  return endpoint?.id ?? ''
}

/** Lets a job come to its end, and answers with its progress on the way. */
async function progress(world: EngineWorld, job: Job): Promise<number[]> {
  const seen = new Set<number>()
  for (let turn = 0; turn < 1_500; turn += 1) {
    await world.posthorn.idle()
    const now = await world.posthorn.jobs.get(job.id)
    if (now.done > 0) seen.add(now.done)
    if (isOver(now)) return [...seen]
    await world.clock.advance(20)
  }
  throw new Error('Expected the job to come to an end.')
}
