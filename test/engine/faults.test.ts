import { describe, expect, onTestFinished, test } from 'vitest'
import { isProvisional } from '../../src/core/delivery/attempt.ts'
import type { Store } from '../../src/core/ports/ports.ts'
import { sqlite } from '../../src/stores/sqlite/index.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { isFast } from '../postgres.ts'
import { makeGate } from './gate.ts'
import { engineWorld, settled, urlOf } from './world.ts'
import type { EngineWorld } from './world.ts'
import type { Bend } from './watched-store.ts'

type Mode = 'before' | 'after' | 'hangs' | 'hangs, and is done'

const stores: [string, () => Store][] = [['memory', memoryStore]]
// Some hundred lives take their time there; the engine is the same.
if (!isFast) stores.push(['sqlite', () => sqlite(':memory:', { plaintextSecrets: true })])
const modes: readonly Mode[] = ['before', 'after', 'hangs', 'hangs, and is done']
const storeDeadlineMs = 10_000
const mostCalls = 200

describe.each(stores)('one whole life on %s, from send over a failure to the delivery', (_, makeStore) => {
  test.each(modes)('survives a failure of any one store call: %s', async (mode) => {
    const seen = new Set<string>()
    let calls = 0
    for (let nth = 1; nth <= mostCalls; nth += 1) {
      // Alarms are no part of a life; test/engine/alarms.test.ts lets their calls fail.
      const world = engineWorld({ pollMs: 10_000, alarms: false }, makeStore())
      await world.endpoint('hook')
      const fault = oneFault(world, mode, nth)
      world.store.bend = fault.bend
      await live(world)
      if (fault.failed === null) break
      calls = nth
      seen.add(fault.failed)
      await expectOneLife(world, `call ${nth}, ${fault.failed}`)
      // A mark that was stored, and whose answer is awaited for a whole heartbeat, looks like a lease that was lost.
      if (mode !== 'hangs, and is done') expect(world.heard('lease.lost')).toEqual([])
      await world.posthorn.stop()
      expect(world.clock.pending()).toBe(0)
    }
    // The loop has really gone over the whole life.
    expect(calls).toBeGreaterThan(10)
    expect([...seen]).toEqual(
      expect.arrayContaining(['enqueue', 'dueEndpoints', 'claim', 'mark', 'saveHealth', 'matching']),
    )
  })
})

test('a worker whose n-th write never ends loses nothing: another one delivers, and what it wakes up to changes nothing', async () => {
  let wedgedAt = 0
  for (let nth = 1; nth <= mostCalls; nth += 1) {
    const world = engineWorld({ fastPath: false })
    await world.endpoint('hook')
    await world.send('hook', 2)
    world.transport.answer(urlOf('hook'), answers([500, 500]))
    let writes = 0
    const ice = makeGate()
    // A write at its stop is not to hang.
    onTestFinished(ice.open)
    world.store.bend = async ({ owner }, run) => {
      if (owner === world.posthorn.workerId) writes += 1
      // Whatever comes after the write that hangs is stuck with it, as in a process that was stopped.
      if (owner === world.posthorn.workerId && writes >= nth) await ice.opened
      return run()
    }
    await world.posthorn.start()
    await settled()
    const second = world.second()
    await second.start()
    await world.clock.advance(150_000)
    const rows = await world.rows()
    expect([nth, rows.map(({ status }) => status)]).toEqual([nth, ['delivered', 'delivered']])
    if (writes < nth) break
    wedgedAt = nth

    ice.open()
    await world.posthorn.idle()
    expect(await world.rows()).toEqual(rows)
    const attempts = (await Promise.all(rows.map(({ id }) => world.posthorn.deliveries.attempts(id)))).flat()
    expect([nth, attempts.length]).toEqual([nth, world.sentTo('hook')])
    expect([nth, attempts.filter(({ late }) => !late).length]).toEqual([
      nth,
      sum(rows.map(({ attemptCount }) => attemptCount)),
    ])
  }
  expect(wedgedAt).toBeGreaterThanOrEqual(4)
})

/** One call fails before or after it was done, at once or when the store's deadline has passed. */
function oneFault(world: EngineWorld, mode: Mode, nth: number): { bend: Bend; failed: string | null } {
  let count = 0
  const fault = {
    failed: null as string | null,
    bend: async (call: { method: string }, run: () => Promise<unknown>) => {
      count += 1
      if (count !== nth) return run()
      fault.failed = call.method
      if (mode === 'after' || mode === 'hangs, and is done') await run()
      if (mode.startsWith('hangs'))
        await new Promise<void>((resolve) => void world.clock.after(storeDeadlineMs, resolve))
      throw new Error('The store is away.')
    },
  }
  return fault
}

/** Sends two messages, as a caller who repeats what was not acknowledged; the endpoint answers each by 500, then by 200. */
async function live(world: EngineWorld): Promise<void> {
  world.transport.answer(urlOf('hook'), answers([500, 500]))
  const started = insist(() => world.posthorn.start())
  const sent = started.then(() =>
    Promise.all(
      ['a', 'b'].map((key) =>
        insist(() =>
          world.posthorn.send({ application: 'hook', type: 'invoice.paid', data: key, idempotencyKey: key }),
        ),
      ),
    ),
  )
  await world.clock.advance(150_000)
  expect(await sent).toHaveLength(2)
  // The last call of all may hang, too; no further one does.
  world.store.bend = (_, run) => run()
  await world.clock.advance(storeDeadlineMs)
  await world.posthorn.idle()
}

async function expectOneLife(world: EngineWorld, which: string): Promise<void> {
  const rows = await world.rows()
  expect([which, rows.map(({ status, attemptCount }) => [status, attemptCount])]).toEqual([
    which,
    [
      ['delivered', 2],
      ['delivered', 2],
    ],
  ])
  expect([which, world.sentTo('hook')]).toEqual([which, 4])
  for (const { id } of rows) {
    // A lease whose claim or commit was not answered ran out, and was taken over: that is on record, too.
    const attempts = (await world.posthorn.deliveries.attempts(id)).filter(({ outcome }) => !isProvisional(outcome))
    expect([which, attempts.map(({ statusCode, late }) => [statusCode, late])]).toEqual([
      which,
      [
        [500, false],
        [200, false],
      ],
    ])
  }
  expect([which, world.heard('delivery.failed').length, world.heard('delivery.delivered').length]).toEqual([
    which,
    2,
    2,
  ])
}

async function insist<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let tries = 0; tries < 5; tries += 1) {
    try {
      return await work()
    } catch {
      // It was not acknowledged: try again, under the same key.
    }
  }
  return work()
}

/** These answers first, and 200 from then on. */
function answers(first: readonly number[]): () => number {
  const left = [...first]
  return () => left.shift() ?? 200
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
