import { describe, expect, onTestFinished, test } from 'vitest'
import { Posthorn, PosthornError } from 'posthorn'
import { heartbeatMs } from '../../src/core/delivery/lease.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { thrownBy } from '../core/thrown.ts'
import { makeGate } from '../engine/gate.ts'
import { databases } from './databases.ts'
import { beatMs, leaseMs, renewalTimes, takeOver, watchedWorld } from './watched-world.ts'

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
    for (const [attemptCount, status] of [
      [0, 'failed'],
      [5, 'dead'],
    ] as const) {
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
    const owner = await takeOver(world, id, until)
    // On SQLite a lease ends with its process: the new owner must be there.
    await store.attach({ id: owner, pid: 1, host: 'here', startedAt: world.clock.now() })
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
    for (const [lease, interval] of [
      [30_000, 10_000],
      [300, 100],
      [120, 100],
    ] as const) {
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
    const closed = await Promise.all(
      ['delivered', 'dead'].map((status) => world.insert({ status, lease_epoch: 3, next_retry_at: null })),
    )
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

  test('LH-leak whatever throws, and whenever it is stopped, no timer, socket or promise is left behind', async () => {
    const before = resources()
    const rejections: unknown[] = []
    const note = (reason: unknown): void => void rejections.push(reason)
    process.on('unhandledRejection', note)
    onTestFinished(() => void process.off('unhandledRejection', note))

    const broken = scriptedTransport()
    broken.answer(
      () => true,
      () => {
        throw new Error('The transport broke its promise.')
      },
    )
    const thrownInSend = await watchedWorld(database, { transport: broken })
    const failed = await thrownInSend.world.insert()
    await thrownInSend.world.start()
    expect(await thrownInSend.world.row(failed)).toMatchObject({
      status: 'failed',
      error_detail: 'The transport broke its promise.',
    })
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
})

/** What keeps this process alive, except the turns by which the test itself waits. */
function resources(): string[] {
  return process.getActiveResourcesInfo().filter((name) => name !== 'Immediate')
}

/** What is alive now and was not before, once the sockets that were closed are gone: a server on the other end takes its time for that. */
async function leftOver(before: readonly string[]): Promise<string[]> {
  let extra: string[] = []
  for (let turn = 0; turn < 1_000_000; turn += 1) {
    const known = [...before]
    extra = resources().filter((name) =>
      known.includes(name) ? known.splice(known.indexOf(name), 1).length === 0 : true,
    )
    if (extra.length === 0) return []
    await new Promise<void>((resolve) => setImmediate(resolve))
  }
  return extra
}
