import { describe, expect, onTestFinished, test } from 'vitest'
import { Posthorn, PosthornError } from 'posthorn'
import type { EventOf, PosthornOptions } from 'posthorn'
import { heartbeatMs } from '../../src/core/lease.ts'
import type { LeaseRequest } from '../../src/core/queue.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { seededRandom } from '../../src/testing/seeded-random.ts'
import { thrownBy } from '../core/thrown.ts'
import { makeGate } from '../engine/gate.ts'
import { watch } from '../engine/watched-store.ts'
import type { WatchedStore } from '../engine/watched-store.ts'
import { databases } from './databases.ts'
import type { Database, Row } from './databases.ts'
import { makeWorld } from './world.ts'
import type { World } from './world.ts'

const leaseMs = 30_000
const beatMs = leaseMs / 3

describe.each(databases)('$name', (database) => {
  test('LH-flow1 a delivery that succeeds is claimed, kept by renewals, marked delivered, and then no longer kept', async () => {
    const { world, store } = await watchedWorld(database)
    const id = await world.onTheWire()
    await world.clock.advance(2 * beatMs)
    expect(store.life()).toEqual(['claim', 'renew', 'renew'])

    await world.answer(200)
    expect(store.life()).toEqual(['claim', 'renew', 'renew', 'mark'])
    expect(await world.row(id)).toMatchObject({ status: 'delivered', lease_owner: null, lease_until: null })
    await world.poll(leaseMs)
    expect(store.life()).toEqual(['claim', 'renew', 'renew', 'mark'])

    const quick = await world.insert()
    await world.poll()
    expect(store.life().slice(4)).toEqual(['claim', 'mark'])
    expect(await world.row(quick)).toMatchObject({ status: 'delivered' })

    // Until the mark is stored, and not only until it is tried.
    let away = true
    store.bend = async ({ method }, run) => {
      if (method === 'mark' && away) throw new PosthornError('store_failed', 'The store is away.')
      return run()
    }
    const slow = await world.insert()
    const before = world.receiver.count
    await world.clock.advance(5_000)
    await world.receiver.waitFor(before + 1)
    const renewed = renewalTimes(store).length
    await world.clock.advance(2 * beatMs)
    expect(renewalTimes(store)).toHaveLength(renewed + 2)
    away = false
    await world.poll(beatMs)
    expect(await world.row(slow)).toMatchObject({ status: 'delivered', attempt_count: 1, lease_epoch: 1 })
    expect(store.life().at(-1)).toBe('mark')
  })

  test('LH-flow2 a delivery that fails is kept during the attempt, marked failed or dead, and then no longer kept', async () => {
    const { world, store } = await watchedWorld(database)
    for (const [attemptCount, status] of [[0, 'failed'], [5, 'dead']] as const) {
      const before = store.life().length
      const id = await world.onTheWire({ status: 'failed', attempt_count: attemptCount })
      await world.clock.advance(beatMs)
      expect(store.life().slice(before)).toEqual(['claim', 'renew'])
      await world.answer(500)
      expect(await world.row(id)).toMatchObject({ status, attempt_count: attemptCount + 1, lease_owner: null })
      await world.poll(beatMs)
      expect(store.life().slice(before)).toEqual(['claim', 'renew', 'mark'])
    }
  })

  test('LH-flow3 when ownership is lost during a send, the heartbeat stops, the attempt goes on, and the new owner stands', async () => {
    const { world, store } = await watchedWorld(database)
    const id = await world.onTheWire()
    const until = world.clock.now() + 10 * leaseMs
    await takeOver(world, id, until)
    const taken = await world.row(id)
    await world.clock.advance(3 * beatMs)
    expect(store.life()).toEqual(['claim', 'renew'])

    await world.answer(200)
    expect(store.life()).toEqual(['claim', 'renew', 'mark'])
    expect(store.calls.findLast(({ method }) => method === 'mark')?.answer).toEqual(['lost'])
    expect(await world.row(id)).toEqual(taken)
    expect(await world.posthorn.deliveries.attempts(id)).toMatchObject([{ epoch: 1, statusCode: 200, late: true }])
    expect(world.heard('delivery.delivered')).toEqual([])
  })

  test('LH-slow a send that outlasts its lease is renewed at least twice, and never after its mark', async () => {
    const { world, store } = await watchedWorld(database, { leaseMs: 120 })
    world.receiver.behave('/hook', { kind: 'slow', afterMs: 220, clock: world.clock })
    const id = await world.insert()
    await world.posthorn.start()
    await world.receiver.waitFor(1)
    await world.clock.advance(220)
    await world.posthorn.idle()
    await world.poll(1_000)

    const life = store.life()
    expect(life.filter((call) => call === 'renew').length).toBeGreaterThanOrEqual(2)
    expect(life.at(-1)).toBe('mark')
    expect(await world.row(id)).toMatchObject({ status: 'delivered', attempt_count: 1, lease_epoch: 1 })
    expect(world.receiver.count).toBe(1)
    expect(world.heard('lease.lost')).toEqual([])
  })

  test('LH-interval the heartbeat is a third of the lease, at least 100 ms, and always shorter than the lease', async () => {
    for (const [lease, interval] of [[30_000, 10_000], [300, 100], [120, 100]] as const) {
      const { world, store } = await watchedWorld(database, { leaseMs: lease })
      await world.onTheWire()
      const startedAt = world.clock.now()
      await world.clock.advance(3 * interval)
      expect(renewalTimes(store).map((at) => at - startedAt)).toEqual([interval, 2 * interval, 3 * interval])
      await world.answer(200)
    }
    for (let lease = 101; lease <= 3_600_000; lease += 997) expect(heartbeatMs(lease)).toBeLessThan(lease)
    for (const lease of [100, 99, 1, 0, -1, 0.5, Number.NaN]) {
      const refusal = thrownBy(() => new Posthorn({ store: memoryStore(), leaseMs: lease }))
      expect(refusal.code).toBe('invalid_argument')
      expect(refusal.message).toContain('leaseMs')
    }
  })

  test('LH-guard a renewal by another owner, of an old epoch or of a closed row says no and changes nothing', async () => {
    const { world, store } = await watchedWorld(database)
    const now = world.clock.now()
    const leased = { lease_owner: 'worker-1', lease_until: now + leaseMs, lease_epoch: 3 }
    const open = await world.insert(leased)
    const requeued = await world.insert({ ...leased, lease_epoch: 4 })
    const closed = await Promise.all(['delivered', 'dead'].map((status) => world.insert({ status, lease_epoch: 3, next_retry_at: null })))
    const before = await world.rows()
    const renew = (owner: string, deliveryId: string): Promise<string[]> =>
      store.queue.renew({ owner, leaseMs, now: now + beatMs, leases: [{ deliveryId, epoch: 3 }] })

    expect(await renew('worker-2', open)).toEqual([])
    expect(await renew('worker-1', requeued)).toEqual([])
    for (const id of closed) expect(await renew('worker-1', id)).toEqual([])
    expect(await renew('worker-1', 'dlv_unknown')).toEqual([])
    expect(await world.rows()).toEqual(before)

    expect(await renew('worker-1', open)).toEqual([open])
    expect(await world.row(open)).toMatchObject({ lease_until: now + beatMs + leaseMs })
  })

  test('LH-lost a renewal that is refused, or that throws, is told once, and attempt and mark go on', async () => {
    const refused = await watchedWorld(database)
    const taken = await refused.world.onTheWire()
    await takeOver(refused.world, taken, refused.world.clock.now() + 10 * leaseMs)
    await refused.world.clock.advance(leaseMs)
    await refused.world.answer(200)
    expect(await refused.world.posthorn.deliveries.attempts(taken)).toMatchObject([{ late: true }])
    expectOneLost(refused.world, taken, 'lost')

    const erring = await watchedWorld(database)
    erring.store.bend = async ({ method }, run) => {
      if (method === 'renew') throw new PosthornError('store_failed', 'The store is away.')
      return run()
    }
    const kept = await erring.world.onTheWire()
    const startedAt = erring.world.clock.now()
    await erring.world.clock.advance(leaseMs - 1)
    // Asked again and again, but no longer once a third of the lease is left.
    const asked = renewalTimes(erring.store).map((at) => at - startedAt)
    expect(asked[0]).toBe(beatMs)
    expect(asked.length).toBeGreaterThan(2)
    expect(asked.at(-1)).toBe(2 * beatMs)
    await erring.world.answer(200)
    expect(await erring.world.row(kept)).toMatchObject({ status: 'delivered', attempt_count: 1 })
    expectOneLost(erring.world, kept, 'renewal_failed')
  })

  test('LH-leak whatever throws, and whenever it is stopped, no timer, socket or promise is left behind', async () => {
    const before = resources()
    const rejections: unknown[] = []
    const note = (reason: unknown): void => void rejections.push(reason)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))

    const broken = scriptedTransport()
    broken.answer(() => true, () => { throw new Error('The transport broke its promise.') })
    const thrownInSend = await watchedWorld(database, { transport: broken })
    const failed = await thrownInSend.world.insert()
    await thrownInSend.world.start()
    expect(await thrownInSend.world.row(failed)).toMatchObject({ status: 'failed', error_detail: 'The transport broke its promise.' })
    await thrownInSend.world.posthorn.stop()
    expect(thrownInSend.world.clock.pending()).toBe(0)

    const thrownInMark = await watchedWorld(database)
    thrownInMark.store.bend = async ({ method }, run) => {
      if (method === 'mark') throw new PosthornError('store_failed', 'The store is away.')
      return run()
    }
    await thrownInMark.world.insert()
    await thrownInMark.world.posthorn.start()
    await thrownInMark.world.receiver.waitFor(1)
    await thrownInMark.world.clock.advance(beatMs)
    expect(thrownInMark.world.heard('warning').filter(({ code }) => code === 'store_error').length).toBeGreaterThan(1)
    await thrownInMark.world.posthorn.stop({ graceMs: 0 })
    expect(thrownInMark.world.clock.pending()).toBe(0)

    const { world } = await watchedWorld(database)
    const id = await world.onTheWire()
    const stopped = world.posthorn.stop({ graceMs: 1_000 })
    await world.clock.advance(1_000)
    await stopped
    expect(world.clock.pending()).toBe(0)
    for (const { receiver } of [thrownInSend.world, thrownInMark.world, world]) await receiver.close()
    expect(await leftOver(before)).toEqual([])
    expect(await world.row(id)).toMatchObject({ status: 'pending', attempt_count: 0, lease_owner: null })
    expect(rejections).toEqual([])
  })

  test('LH-crash what a worker stops keeping alive goes to another when its lease has run out, and its late mark is refused', async () => {
    const { world, store } = await watchedWorld(database)
    const first = world.posthorn.workerId
    const id = await world.onTheWire()
    // Worker A freezes in the middle of a send: nothing of it reaches the store until it thaws.
    const ice = makeGate()
    store.bend = async ({ owner }, run) => {
      if (owner === first) await ice.opened
      return run()
    }
    const { lease_until: leaseUntil } = await world.row(id)
    expect(leaseUntil).toBe(world.clock.now() + leaseMs)

    const second = world.second()
    expect(second.workerId).not.toBe(first)
    await second.start()
    await world.clock.advance(leaseMs - 1)
    await second.idle()
    expect(world.receiver.count).toBe(1)
    expect(await world.row(id)).toMatchObject({ lease_owner: first, lease_epoch: 1 })

    world.receiver.behave('/hook', 500)
    await world.clock.advance(10_000)
    await world.receiver.waitFor(2)
    await second.idle()
    const after = await world.row(id)
    expect(after).toMatchObject({ status: 'failed', attempt_count: 1, lease_epoch: 2, lease_owner: null })

    ice.open()
    await world.answer(200)
    expect(store.calls.findLast(({ method, owner }) => method === 'mark' && owner === first)?.answer).toEqual(['lost'])
    expect(await world.row(id)).toEqual(after)
    expect(await world.posthorn.deliveries.attempts(id)).toMatchObject([
      { epoch: 1, statusCode: 200, late: true },
      { epoch: 2, statusCode: 500, late: false },
    ])
  })

  test('LH-two two workers share 1000 due rows, and none is claimed twice while its lease lives', async () => {
    const { world, store } = await watchedWorld(database, { random: seededRandom(1) })
    const second = world.second()
    await Promise.all(['/b', '/c', '/d'].map((path) => world.posthorn.endpoints.create({ application: 'acme', url: world.receiver.url(path) })))
    const sent = await world.posthorn.send(Array.from({ length: 250 }, (_, id) => ({ application: 'acme', type: 'invoice.paid', data: { id } })))
    expect(sent.every(({ deliveries }) => deliveries === 4)).toBe(true)

    await Promise.all([world.posthorn.start(), second.start()])
    await world.receiver.waitFor(1000)
    await Promise.all([world.posthorn.idle(), second.idle()])

    // The clock stands still: every lease lives until its mark, after which nobody may claim the row.
    const claimed = store.claims()
    expect(claimed).toHaveLength(1000)
    expect(new Set(claimed.map(({ claim }) => claim.delivery.id)).size).toBe(1000)
    for (const worker of [world.posthorn.workerId, second.workerId]) {
      expect(claimed.some(({ owner }) => owner === worker)).toBe(true)
    }
    expect(await world.query("select count(*) as count from webhook_deliveries where status = 'delivered' and attempt_count = 1")).toEqual([{ count: 1000 }])
    expect(world.receiver.count).toBe(1000)
  })
})

/** A world that can keep a request open, and look at it meanwhile. */
interface HeldWorld extends World {
  /** Inserts a row, starts if need be, and waits until its request is open at the receiver. */
  onTheWire(row?: Row): Promise<string>
  /** Answers the request that is open, and waits until everything it caused is done. */
  answer(status: number): Promise<void>
}

/** Under `standard` without the fast path, with the order of the store's calls on record. */
async function watchedWorld(database: Database, options: Partial<Omit<PosthornOptions, 'clock'>> = {}): Promise<{ world: HeldWorld; store: WatchedStore }> {
  let watched: WatchedStore | undefined
  const world = await makeWorld(database, { fastPath: false, timeoutMs: 300_000, ...options }, (store) => (watched = watch(store)))
  if (watched === undefined) throw new Error('The world did not wrap its store.')
  // The receiver answers when this clock moves, whatever the world's own clock does.
  const gate = manualClock()
  let status = 200

  return {
    store: watched,
    world: {
      ...world,
      async onTheWire(row = {}) {
        const { count } = world.receiver
        world.receiver.behave('/hook', { kind: 'slow', afterMs: 1, clock: gate, answer: () => status })
        const id = await world.insert(row)
        await world.posthorn.start()
        if (count > 0) await world.clock.advance(5_000)
        await world.receiver.waitFor(count + 1)
        return id
      },
      async answer(given) {
        status = given
        await gate.advance(1)
        world.receiver.behave('/hook', 200)
        await world.posthorn.idle()
      },
    },
  }
}

/** Another worker takes a row over, as it may when a lease has run out. */
async function takeOver(world: World, id: string, until: number): Promise<void> {
  await world.query('update webhook_deliveries set lease_owner = ?, lease_until = ?, lease_epoch = lease_epoch + 1 where id = ?', 'other', until, id)
}

function renewalTimes(store: WatchedStore): number[] {
  return store.calls.filter(({ method }) => method === 'renew').map(({ request }) => (request[0] as LeaseRequest).now)
}

/** What is told of a lost lease is fixed, field by field: no body and no secret can hide in it. */
function expectOneLost(world: World, id: string, code: EventOf<'lease.lost'>['code']): void {
  expect(world.heard('lease.lost')).toEqual([
    { type: 'lease.lost', topic: 'gateway:webhooks', at: expect.any(Number), webhook_delivery_id: id, worker_id: world.posthorn.workerId, code },
  ])
  const told = JSON.stringify(world.events)
  for (const secret of world.endpoint.secrets) expect(told).not.toContain(secret.value)
  expect(told).not.toContain('"id":7')
}

/** What keeps this process alive, except the turns by which the test itself waits. */
function resources(): string[] {
  return process.getActiveResourcesInfo().filter((name) => name !== 'Immediate')
}

/** What is alive now and was not before, once the sockets that were closed are gone: a server on the other end takes its time for that. */
async function leftOver(before: readonly string[]): Promise<string[]> {
  let extra: string[] = []
  for (let turn = 0; turn < 1_000_000; turn += 1) {
    const known = [...before]
    extra = resources().filter((name) => (known.includes(name) ? known.splice(known.indexOf(name), 1).length === 0 : true))
    if (extra.length === 0) return []
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return extra
}
