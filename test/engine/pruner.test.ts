import { describe, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/core/ports/ports.ts'
import { day, hour, minute } from '../../src/core/time.ts'
import type { Posthorn } from '../../src/posthorn.ts'
import { sqlite } from '../../src/stores/sqlite/index.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { makeGate } from './gate.ts'
import { watch } from './watched-store.ts'
import type { WatchedStore } from './watched-store.ts'
import { engineWorld, inStatus } from './world.ts'
import type { EngineWorld } from './world.ts'

// The slowest tick there is: weeks pass in these tests.
const pollMs = 600_000

describe.each([
  ['memory', memoryStore],
  ['sqlite', () => sqlite(':memory:', { plaintextSecrets: true })],
])('on %s', (_, makeStore) => {
  test('what was held for 30 days ends dead, expired, and that is told; what was touched since stays', async () => {
    const world = engineWorld({ pollMs }, makeStore())
    const { id } = await world.endpoint('paused')
    await world.posthorn.endpoints.pause(id)
    await world.posthorn.start()
    await world.send('paused', 3)
    await world.clock.leap(20 * day)
    const [touched] = await world.rows()
    await world.posthorn.requeue(touched?.id ?? '')
    await world.clock.leap(10 * day - hour)
    expect(inStatus(await world.rows(), 'pending')).toBe(3)
    await world.poll(3 * hour)
    const rows = await world.rows()
    expect(rows.map(({ status, reason }) => [status, reason])).toEqual([
      ['pending', null],
      ['dead', 'expired'],
      ['dead', 'expired'],
    ])
    expect(world.heard('delivery.dead').map(({ reason, webhook_delivery_id: told }) => [reason, told])).toEqual(
      rows.slice(1).map((row) => ['expired', row.id]),
    )
    expect(world.transport.requests).toEqual([])
  })

  test('history is kept for historyDays, and open deliveries for as long as they live', async () => {
    const world = engineWorld({ pollMs, historyDays: 2 }, makeStore())
    await world.endpoint('hook')
    const { id } = await world.endpoint('paused')
    await world.posthorn.endpoints.pause(id)
    await world.posthorn.start()
    await Promise.all([world.send('hook', 2), world.send('paused')])
    await world.poll(day)
    await world.send('hook')
    await world.poll(day - hour)
    expect(await world.rows('hook')).toHaveLength(3)
    const [old] = await world.rows('hook')
    await world.poll(3 * hour)
    expect(await world.rows('hook')).toHaveLength(1)
    expect(await world.rows('paused')).toHaveLength(1)
    await expect(world.posthorn.deliveries.get(old?.id ?? '')).rejects.toMatchObject({ code: 'not_found' })
    expect(await world.store.directory.message(old?.messageId ?? '')).toBeNull()
    await world.poll(day)
    expect(await world.rows('hook')).toEqual([])
  })

  test('of two workers one prunes, and when it stops the other does', async () => {
    const { world, other, others } = await twoWorkers(makeStore())
    await world.clock.advance(5 * hour)
    expect([prunes(world.store), prunes(others)]).toEqual([7, 0])
    await world.posthorn.stop()
    await world.clock.advance(hour)
    expect([prunes(world.store), prunes(others)]).toEqual([7, 1])
    await other.stop()
  })

  test('when the worker that prunes is killed, the other does once the turn has run out', async () => {
    const { world, others } = await twoWorkers(makeStore())
    expect([prunes(world.store), prunes(others)]).toEqual([2, 0])
    const burial = makeGate()
    onTestFinished(burial.open)
    world.store.bend = () => burial.opened.then(() => Promise.reject(new Error('The worker is dead.')))
    // The turn was just taken anew, for an hour and a half.
    await world.clock.advance(90 * minute - 1)
    expect(prunes(others)).toBe(0)
    await world.clock.advance(hour)
    expect(prunes(others)).toBe(1)
  })
})

test('history goes in batches of a thousand rows', async () => {
  const world = engineWorld({ pollMs, historyDays: 1 })
  await world.endpoint('hook')
  await world.posthorn.start()
  await world.send('hook', 2_500)
  await world.posthorn.idle()
  await world.poll(day + 2 * hour)
  expect(await world.rows()).toEqual([])
  const batches = world.store.calls
    .filter(({ method }) => method === 'prune')
    .map(({ request }) => (request[0] as { limit: number }).limit)
  expect(new Set(batches)).toEqual(new Set([1_000]))
})

test('a store that errs while it prunes costs a warning and an hour', async () => {
  const world = engineWorld({ pollMs, historyDays: 1 })
  await world.endpoint('hook')
  await world.posthorn.start()
  await world.send('hook')
  world.store.bend = async ({ method }, run) => {
    if (method === 'prune') throw new Error('The store is away.')
    return run()
  }
  await world.poll(2 * day)
  expect(await world.rows()).toHaveLength(1)
  expect(world.heard('warning').filter(({ message }) => message.includes('pruned')).length).toBeGreaterThan(40)
  world.store.bend = (_, run) => run()
  await world.poll(hour)
  expect(await world.rows()).toEqual([])
})

test('a worker that has lost its turn half-way stops there', async () => {
  const world = engineWorld({ pollMs, historyDays: 1 })
  await world.endpoint('hook')
  await world.posthorn.start()
  await world.send('hook', 2_500)
  await world.posthorn.idle()
  await world.poll(day)
  let batches = 0
  world.store.bend = async ({ method }, run) => {
    if (method === 'prune') batches += 1
    return method === 'takeTurn' && batches === 1 ? false : run()
  }
  await world.poll(2 * minute)
  expect(batches).toBe(1)
  expect(await world.rows()).toHaveLength(1_500)
})

/** Two workers on one store, started half an hour apart; what each asks of it is on a record of its own. */
async function twoWorkers(inner: Store): Promise<{ world: EngineWorld; other: Posthorn; others: WatchedStore }> {
  const world = engineWorld({ pollMs }, { ...inner, close: async () => {} })
  const others = watch(inner)
  const other = world.second({ store: others })
  await world.posthorn.start()
  await world.clock.advance(30 * minute)
  await other.start()
  await world.clock.advance(31 * minute)
  return { world, other, others }
}

/** How often a worker has looked for history to forget. */
function prunes({ calls }: WatchedStore): number {
  return calls.filter(({ method }) => method === 'prune').length
}
