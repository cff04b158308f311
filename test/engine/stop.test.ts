import { describe, expect, test } from 'vitest'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { seededRandom } from '../../src/testing/seeded-random.ts'
import { makeGate } from './gate.ts'
import { engineWorld, inStatus, leased, settled, urlOf } from './world.ts'
import type { EngineWorld } from './world.ts'

describe('a stop', () => {
  test('finishes what is on the wire, gives back at once what waits, and begins nothing more', async () => {
    const { world, hold } = await under(100)
    const stopped = track(world.posthorn.stop({ graceMs: 10_000 }))
    await settled()
    expect(leased(await world.rows())).toBe(5)
    expect(stopped.done).toBe(false)
    hold.release()
    await stopped.promise
    const rows = await world.rows()
    expect([inStatus(rows, 'delivered'), inStatus(rows, 'pending'), leased(rows)]).toEqual([5, 95, 0])
    expect(world.sentTo('hook')).toBe(5)
    expect(world.clock.pending()).toBe(0)
  })

  test('gives back after the grace what has not ended, and the next start sends that once more, and nothing else', async () => {
    const { world } = await under(20)
    const stopped = track(world.posthorn.stop({ graceMs: 2_000 }))
    await world.clock.advance(1_999)
    expect(stopped.done).toBe(false)
    await world.clock.advance(1)
    await stopped.promise
    const rows = await world.rows()
    expect(rows).toMatchObject(
      Array.from({ length: 20 }, () => ({
        status: 'pending',
        attemptCount: 0,
        leaseOwner: null,
        crashCount: 0,
        interruptions: 0,
      })),
    )
    expect(world.clock.pending()).toBe(0)
    // What was on the wire may have arrived: that is on record, and no blame.
    const attempts = (await Promise.all(rows.map(({ id }) => world.store.directory.attempts(id)))).flat()
    expect(attempts.map(({ outcome, url }) => [outcome, url])).toEqual(
      Array.from({ length: 5 }, () => ['interrupted', urlOf('hook')]),
    )

    const next = nextProcess(world)
    await next.posthorn.start()
    await next.posthorn.idle()
    expect(inStatus(await world.rows(), 'delivered')).toBe(20)
    // Five were on the wire when they were given back: those are the only ones that went twice.
    expect([world.sentTo('hook'), next.transport.requests.length]).toEqual([5, 20])
  })

  test('without a grace gives everything back at once', async () => {
    const { world } = await under(20)
    await world.posthorn.stop({ graceMs: 0 })
    expect(leased(await world.rows())).toBe(0)
    expect(world.clock.pending()).toBe(0)
  })

  test('claims nothing more from its first moment on', async () => {
    const world = engineWorld({ fastPath: false, maxLeased: 10 })
    await world.endpoint('hook')
    await world.send('hook', 500)
    await world.posthorn.start()
    await world.transport.sent(20)
    const claims = world.store.calls.filter(({ method }) => method === 'claim').length
    await world.posthorn.stop()
    expect(world.store.calls.filter(({ method }) => method === 'claim').length).toBeLessThanOrEqual(claims + 1)
    const rows = await world.rows()
    expect(leased(rows)).toBe(0)
    expect(inStatus(rows, 'delivered')).toBe(world.sentTo('hook'))
    expect(world.sentTo('hook')).toBeLessThan(500)
  })

  test('stores what was accepted before it, and refuses what comes later', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    await world.posthorn.start()
    const commit = makeGate()
    world.store.bend = async ({ method }, run) => {
      if (method === 'enqueue') await commit.opened
      return run()
    }
    const sending = world.send('hook', 50)
    await settled()
    const stopped = world.posthorn.stop()
    await expect(world.send('hook')).rejects.toMatchObject({ code: 'stopped' })
    commit.open()
    await Promise.all([sending, stopped])
    await expect(world.posthorn.start()).rejects.toMatchObject({ code: 'stopped' })
    const rows = await world.rows()
    expect(rows).toHaveLength(50)
    expect(leased(rows)).toBe(0)
    expect(inStatus(rows, 'delivered')).toBe(world.sentTo('hook'))
  })

  test('ends within its grace although the store takes no mark, and nothing is lost', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    world.store.bend = async ({ method }, run) => {
      if (method === 'mark') throw new Error('The store is away.')
      return run()
    }
    await world.posthorn.start()
    await world.send('hook', 3)
    const stopped = world.posthorn.stop({ graceMs: 3_000 })
    await world.clock.advance(3_000)
    await stopped
    expect(world.clock.pending()).toBe(0)
    world.store.bend = (_, run) => run()
    const next = nextProcess(world)
    await next.posthorn.start()
    await world.clock.advance(35_000)
    await next.posthorn.idle()
    expect(inStatus(await world.rows(), 'delivered')).toBe(3)
  })

  test.each([
    ['is discovering', 'dueEndpoints'],
    ['is claiming', 'claim'],
    ['is taking tokens of a rate limit', 'takeTokens'],
    ['is giving tokens of a rate limit back', 'returnTokens'],
    ['is pruning', 'prune'],
  ] as const)('leaves no timer while the engine %s', async (_, method) => {
    const world = engineWorld({ fastPath: false })
    await world.endpoint('hook', { ratePerSecond: 2 })
    await world.send('hook')
    const [reached, gate] = [makeGate(), makeGate()]
    world.store.bend = async (call, run) => {
      if (call.method === method) {
        reached.open()
        await gate.opened
      }
      return run()
    }
    await world.posthorn.start()
    if (method === 'prune') await world.clock.advance(60_000)
    await reached.opened
    const stopped = world.posthorn.stop({ graceMs: 10_000 })
    await settled()
    gate.open()
    await stopped
    expect(world.clock.pending()).toBe(0)
    expect(leased(await world.rows())).toBe(0)
  })

  test('leaves no timer when it comes while a rate limit is asked and has nothing left', async () => {
    const world = engineWorld({ fastPath: false })
    const { id } = await world.endpoint('hook', { ratePerSecond: 1 })
    await world.posthorn.start()
    await world.posthorn.idle()
    const gate = makeGate()
    // Another worker takes the last token of this second, just before ours is asked for.
    world.store.bend = async ({ method }, run) => {
      if (method !== 'takeTokens') return run()
      await gate.opened
      world.store.bend = (_, rest) => rest()
      await world.store.queue.takeTokens({ now: world.clock.now(), asks: [{ id, perSecond: 1, most: 1 }] })
      return run()
    }
    await world.send('hook')
    await settled()
    const stopped = world.posthorn.stop({ graceMs: 10_000 })
    await settled()
    gate.open()
    await stopped
    expect(world.sentTo('hook')).toBe(0)
    expect(world.clock.pending()).toBe(0)
  })

  test('of one that never started only closes it, and twice is once', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    const first = world.posthorn.stop()
    expect(world.posthorn.stop()).toBe(first)
    await first
    await world.posthorn[Symbol.asyncDispose]()
    expect(world.clock.pending()).toBe(0)
  })

  test('and a start beside each other, again and again, send every message exactly once', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    await world.send('hook', 300)
    const processes = [{ posthorn: world.posthorn, transport: world.transport }]
    for (let restart = 0; restart < 5; restart += 1) {
      const before = processes.at(-1)
      const next = nextProcess(world, restart)
      processes.push(next)
      before?.transport.answer(urlOf('hook'), 200, { delayMs: 30 })
      next.transport.answer(urlOf('hook'), 200, { delayMs: 30 })
      await before?.posthorn.start()
      await world.clock.advance(50)
      const stopped = before?.posthorn.stop({ graceMs: 1_000 })
      await next.posthorn.start()
      await world.clock.advance(50)
      await stopped
    }
    await world.clock.advance(60_000)
    await processes.at(-1)?.posthorn.idle()
    expect(inStatus(await world.rows(), 'delivered')).toBe(300)
    const sent = processes.map(({ transport }) => transport.requests.length)
    expect(sent.reduce((sum, count) => sum + count, 0)).toBe(300)
    expect(sent.filter((count) => count > 0).length).toBeGreaterThan(3)
  })
})

describe('idle', () => {
  test('resolves at once when nothing is under way, started or not', async () => {
    const world = engineWorld()
    await expect(world.posthorn.idle()).resolves.toBeUndefined()
    await world.posthorn.start()
    await expect(world.posthorn.idle()).resolves.toBeUndefined()
    await expect(world.posthorn.idle()).resolves.toBeUndefined()
  })

  test('waits for messages that are being stored', async () => {
    const world = engineWorld()
    const commit = makeGate()
    world.store.bend = async ({ method }, run) => {
      if (method === 'enqueue') await commit.opened
      return run()
    }
    const sending = world.send('nobody')
    await settled()
    const idle = track(world.posthorn.idle())
    await settled()
    expect(idle.done).toBe(false)
    commit.open()
    await Promise.all([sending, idle.promise])
  })

  test('waits for attempts and marks, and for all who ask', async () => {
    const { world, hold } = await under(3)
    const waiters = [track(world.posthorn.idle()), track(world.posthorn.idle())]
    await settled()
    expect(waiters.map(({ done }) => done)).toEqual([false, false])
    const marks = makeGate()
    world.store.bend = async ({ method }, run) => {
      if (method === 'mark') await marks.opened
      return run()
    }
    hold.release()
    await settled()
    expect(waiters.map(({ done }) => done)).toEqual([false, false])
    marks.open()
    await Promise.all(waiters.map(({ promise }) => promise))
    expect(inStatus(await world.rows(), 'delivered')).toBe(3)
  })
})

/** So many rows of one endpoint that does not answer: five on the wire, the others leased or waiting in the store. */
async function under(count: number): Promise<{ world: EngineWorld; hold: { release(): void } }> {
  const world = engineWorld()
  await world.endpoint('hook')
  await world.send('hook', count)
  const hold = world.transport.hold(urlOf('hook'))
  await world.posthorn.start()
  await settled()
  return { world, hold }
}

/** Another process on the same store, with a transport of its own: there the endpoints answer. */
function nextProcess(world: EngineWorld, seed = 0): Pick<EngineWorld, 'posthorn' | 'transport'> {
  const transport = scriptedTransport(world.clock)
  return { transport, posthorn: world.second({ transport, random: seededRandom(100 + seed) }) }
}

function track(promise: Promise<void>): { promise: Promise<void>; done: boolean } {
  const tracked = { promise, done: false }
  void promise.then(() => (tracked.done = true))
  return tracked
}
