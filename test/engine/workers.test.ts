import { describe, expect, test } from 'vitest'
import type { Store } from '../../src/core/ports/ports.ts'
import type { Posthorn } from '../../src/posthorn.ts'
import { postgres } from '../../src/stores/postgres/index.ts'
import { sqlite } from '../../src/stores/sqlite/index.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import type { ScriptedTransport } from '../../src/testing/scripted-transport.ts'
import { seededRandom } from '../../src/testing/seeded-random.ts'
import { countedStore } from '../acceptance/counted-store.ts'
import { isFast, lentSchema } from '../postgres.ts'
import { makeGate } from './gate.ts'
import { engineWorld, inStatus, settled, urlOf } from './world.ts'
import type { EngineWorld } from './world.ts'

const beatMs = 5_000
const pool = 20
const answerMs = 500

const stores: [string, () => Store][] = [
  ['memory', memoryStore],
  ['sqlite', () => sqlite(':memory:', { plaintextSecrets: true })],
]
if (!isFast) stores.push(['postgres', onPostgres])

describe.each(stores)('workers on %s', (_, makeStore) => {
  test('are known while they beat, and forgotten three beats after their end', async () => {
    const { world, others } = workersOn(makeStore(), 2)
    await startAll(world, others)
    await world.store.attach({ id: 'killed', pid: 1, host: 'there', startedAt: world.clock.now() })
    const ids = [...[world.posthorn, ...others].map(({ workerId }) => workerId), 'killed'].toSorted()
    expect(await known(world)).toEqual(ids)
    await world.clock.advance(3 * beatMs)
    expect(await known(world)).toEqual(ids)
    await world.clock.advance(beatMs)
    expect(await known(world)).toEqual(ids.filter((id) => id !== 'killed'))
    await world.clock.advance(10 * beatMs)
    expect(await known(world)).toEqual(ids.filter((id) => id !== 'killed'))
  })

  test('share the pool of an endpoint: each sends its part, and together not more than one more each', async () => {
    const { world, others, transports, open } = workersOn(makeStore(), 3)
    await world.endpoint('hook')
    const holds = transports.map((transport) => transport.hold(urlOf('hook')))
    await startAll(world, others)
    // After a beat all have counted the last, after the next one all have told so.
    await world.clock.advance(2 * beatMs)
    await world.send('hook', 200)
    await world.clock.advance(beatMs)
    expect(open()).toBe(3 * Math.ceil(pool / 3))

    for (const hold of holds) hold.release()
    await world.clock.advance(4 * beatMs)
    expect(inStatus(await world.rows(), 'delivered')).toBe(200)
    expect(transports.map((transport) => transport.mostOpen(urlOf('hook')))).toEqual([7, 7, 7])
  })

  test('give up a part of theirs when another comes, which begins with one request and has its part two beats later', async () => {
    const { world, others, transports, open } = workersOn(makeStore(), 2)
    await world.endpoint('hook')
    for (const transport of transports) transport.answer(urlOf('hook'), 200, { delayMs: answerMs })
    await world.send('hook', 1_200)
    await world.posthorn.start()
    await world.clock.advance(4 * answerMs)
    expect(open()).toBe(pool)
    await startAll(world, others)
    await world.clock.advance(answerMs)
    expect(transports.map((transport) => transport.open(urlOf('hook')))).toEqual([pool, 1])
    await world.clock.advance(2 * beatMs)
    expect(transports.map((transport) => transport.open(urlOf('hook')))).toEqual([pool / 2, pool / 2])
  })

  test('E13 five that join while the whole pool is open, and stays so, open one request each until there is room', async () => {
    const { world, others, transports, open } = workersOn(makeStore(), 6)
    await world.endpoint('hook')
    const holds = transports.map((transport) => transport.hold(urlOf('hook')))
    await world.send('hook', 600)
    await world.posthorn.start()
    await world.clock.advance(beatMs)
    expect(open()).toBe(pool)
    await startAll(world, others)
    for (let beat = 0; beat < 5; beat += 1) {
      await world.clock.advance(beatMs)
      expect(open()).toBe(pool + 5)
    }
    for (const transport of transports) transport.answer(urlOf('hook'), 200, { delayMs: answerMs })
    for (const hold of holds) hold.release()
    let most = 0
    for (let step = 0; step < (6 * beatMs) / answerMs; step += 1) {
      await world.clock.advance(answerMs)
      most = Math.max(most, open())
    }
    expect(most).toBeLessThanOrEqual(pool + 5)
    expect(transports.map((transport) => transport.mostOpen(urlOf('hook')))).toEqual([pool, 4, 4, 4, 4, 4])
  })

  test('that join while a ramp lasts send one of its first step each: the one that was there sends the whole', async () => {
    const { world, others, transports } = workersOn(makeStore(), 4)
    const { id } = await world.endpoint('hook')
    await world.posthorn.start()
    await world.posthorn.endpoints.pause(id)
    await world.send('hook', 1_000)
    await world.clock.advance(beatMs + 1)
    await world.posthorn.endpoints.resume(id)
    await world.posthorn.idle()
    await startAll(world, others)
    for (const worker of others) await worker.idle()
    expect(transports.map(({ requests }) => requests.length)).toEqual([100, 1, 1, 1])
    await world.clock.advance(8 * beatMs)
    expect(inStatus(await world.rows(), 'delivered')).toBe(1_000)
    for (const { requests } of transports) expect(requests.length).toBeGreaterThan(100)
  })

  test('that follow another within a step of a ramp send one of it, and a share of the next', async () => {
    const { world, others, transports } = workersOn(makeStore(), 3)
    const [first, second] = others
    const { id } = await world.endpoint('hook')
    await first?.start()
    await first?.endpoints.pause(id)
    await world.send('hook', 1_000)
    await world.clock.advance(beatMs + 1)
    await first?.endpoints.resume(id)
    await first?.idle()
    await first?.stop()
    await world.clock.advance(1)
    await second?.start()
    await second?.idle()
    expect(transports.map(({ requests }) => requests.length)).toEqual([0, 100, 1])
    await world.clock.advance(beatMs)
    expect(transports[2]?.requests).toHaveLength(201)
  })

  test.each([10, 1])('keep a rate of %i a second together, and use it up', async (ratePerSecond) => {
    const { world, others, transports } = workersOn(makeStore(), 3)
    await world.endpoint('hook', { ratePerSecond })
    for (const transport of transports) transport.answer(urlOf('hook'), 200, { delayMs: 50 })
    await world.send('hook', 20 * ratePerSecond)
    await startAll(world, others)
    for (let step = 0; step < 120; step += 1) await world.clock.advance(100)

    const times = transports.flatMap(({ requests }) => requests.map(({ at }) => at ?? 0))
    for (const from of times)
      expect(times.filter((at) => at >= from && at < from + 10_000).length).toBeLessThanOrEqual(
        1.1 * 10 * ratePerSecond,
      )
    expect(times.length).toBeGreaterThanOrEqual(0.8 * 12 * ratePerSecond)
  })

  test('leave their part to the others when they stop', async () => {
    const { world, others, transports, open } = workersOn(makeStore(), 2)
    await world.endpoint('hook')
    await startAll(world, others)
    await world.clock.advance(2 * beatMs)
    for (const transport of transports) transport.hold(urlOf('hook'))
    await world.send('hook', 100)
    await world.clock.advance(beatMs)
    expect(open()).toBe(pool)
    const stopping = others[0]?.stop({ graceMs: 6 * beatMs })
    await world.clock.advance(5 * beatMs)
    // It waits for its requests, and the others count with them, for longer than a worker is remembered that does not beat.
    expect(open()).toBe(pool)
    await world.clock.advance(beatMs)
    await stopping
    expect(await known(world)).toEqual([world.posthorn.workerId])
    // The one that is left takes it once it has told so: one that comes meanwhile must not take the same part.
    await world.clock.advance(2 * beatMs)
    expect(open()).toBe(pool)
  })
})

test('one worker alone has the whole pool', async () => {
  const { world } = workersOn(memoryStore(), 1)
  await world.endpoint('hook')
  world.transport.hold(urlOf('hook'))
  await world.posthorn.start()
  await world.send('hook', 100)
  await settled()
  expect(world.transport.open(urlOf('hook'))).toBe(pool)
})

test('a newcomer knows of the others before its first claim, and begins with one request', async () => {
  const inner = memoryStore()
  const answered = makeGate()
  const { world, open } = workersOn({ ...inner, beat: (...call) => answered.opened.then(() => inner.beat(...call)) }, 1)
  await world.endpoint('hook')
  await world.send('hook', 100)
  await world.store.attach({ id: 'other', pid: 1, host: 'there', startedAt: world.clock.now() })
  world.transport.hold(urlOf('hook'))
  const starting = world.posthorn.start()
  await settled()
  expect(open()).toBe(0)
  answered.open()
  await starting
  await settled()
  expect(open()).toBe(1)
})

test('a store that does not hear the beats costs warnings: all goes on, and when it is back nobody was forgotten', async () => {
  const inner = memoryStore()
  let away = false
  const counts: number[] = []
  const beat: Store['beat'] = async (...call) => {
    if (away) throw new Error('The store is away.')
    const seen = await inner.beat(...call)
    counts.push(seen.length)
    return seen
  }
  const { world, others, transports, open } = workersOn({ ...inner, beat }, 2)
  await world.endpoint('hook')
  await startAll(world, others)
  await world.clock.advance(2 * beatMs)
  const ids = await known(world)
  expect(ids).toHaveLength(2)
  away = true
  await world.clock.advance(20 * beatMs)
  expect(world.heard('warning').map(({ code }) => code)).toEqual(Array.from({ length: 20 }, () => 'store_error'))
  for (const transport of transports) transport.hold(urlOf('hook'))
  await world.send('hook', 100)
  await world.clock.advance(beatMs)
  expect(open()).toBe(pool)

  away = false
  counts.length = 0
  await world.clock.advance(5 * beatMs)
  expect(await known(world)).toEqual(ids)
  expect(new Set(counts)).toEqual(new Set([2]))
  expect(open()).toBe(pool)
})

test('a start whose first beat fails is a start all the same', async () => {
  const { world } = workersOn({ ...memoryStore(), beat: () => Promise.reject(new Error('The store is away.')) }, 1)
  await world.endpoint('hook')
  await world.posthorn.start()
  await world.send('hook')
  await world.posthorn.idle()
  expect(world.sentTo('hook')).toBe(1)
})

test('E16 a stop during a start wins: it leaves no timer, nothing that claims, and no worker behind', async () => {
  const inner = memoryStore()
  const arrival = makeGate()
  const { world } = workersOn({ ...inner, beat: (...call) => arrival.opened.then(() => inner.beat(...call)) }, 1)
  const starting = world.posthorn.start()
  await settled()
  const stopping = world.posthorn.stop()
  await settled()
  arrival.open()
  await Promise.all([starting, stopping])
  expect(world.clock.pending()).toBe(0)
  expect(await known(world)).toEqual([])
})

interface Workers {
  readonly world: EngineWorld
  readonly others: readonly Posthorn[]
  /** One of each worker. */
  readonly transports: readonly ScriptedTransport[]
  /** Requests to the hook that are open now, of all workers. */
  open(): number
}

/** Workers on one store, none of them started yet: that of a world, and others. */
function workersOn(inner: Store, count: number): Workers {
  const counted = countedStore(inner)
  const world = engineWorld({ slowStart: false, breaker: false }, counted.store)
  world.clock.attend(counted.underWay)
  // Whoever stops closes its store, and the others still use it.
  const store = { ...world.store, close: async () => {} }
  const transports = [world.transport, ...Array.from({ length: count - 1 }, () => scriptedTransport(world.clock))]
  const others = transports
    .slice(1)
    .map((transport, index) => world.second({ store, transport, random: seededRandom(index + 2) }))
  return {
    world,
    others,
    transports,
    open: () => transports.reduce((sum, transport) => sum + transport.open(urlOf('hook')), 0),
  }
}

async function startAll(world: EngineWorld, others: readonly Posthorn[]): Promise<void> {
  for (const worker of [world.posthorn, ...others]) await worker.start()
}

async function known(world: EngineWorld): Promise<string[]> {
  return (await world.store.directory.workers()).map(({ id }) => id).toSorted()
}

function onPostgres(): Store {
  const { url, schema } = lentSchema()
  // Nobody else is there to be looked for between ticks.
  return { ...postgres(url, { schema, plaintextSecrets: true }), lookMs: null }
}
