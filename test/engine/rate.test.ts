import { expect, test } from 'vitest'
import { makeBus } from '../../src/engine/bus.ts'
import { makeTargets } from '../../src/engine/targets.ts'
import type { Target, Targets } from '../../src/engine/targets.ts'
import { presets } from '../../src/core/presets.ts'
import type { Queue } from '../../src/core/queue.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { seededRandom } from '../../src/testing/seeded-random.ts'
import { makeWorld } from '../../src/testing/store-suite/world.ts'

const perSecond = 10

test('a send is taken from the rate limit only if that was stored', async () => {
  const { targets, target, store } = await limited()
  store.saveHealth = async () => false
  expect(await targets.takeRate(target, perSecond, 100)).toBe(0)
})

test('what the limit gains while a take is being stored is not given away with it', async () => {
  const { targets, target, store, time } = await limited()
  expect(await targets.takeRate(target, perSecond, 100)).toBe(perSecond)
  time.now += 100
  const { saveHealth } = store
  store.saveHealth = async (...health) => {
    time.now += 900
    return saveHealth(...health)
  }
  expect(await targets.takeRate(target, perSecond, 100)).toBe(1)
})

test('a take that another worker was ahead of takes from what is left', async () => {
  const { targets, target, store } = await limited()
  const { saveHealth, health } = store
  store.saveHealth = async (id, wanted) => {
    store.saveHealth = saveHealth
    await saveHealth(id, { ...wanted, rateTokens: 3 })
    return saveHealth(id, wanted)
  }
  expect(await targets.takeRate(target, perSecond, 100)).toBe(3)
  expect((await health([target.endpoint.id])).get(target.endpoint.id)).toMatchObject({ rateTokens: 0, version: 2 })
})

/** An endpoint as one worker knows it, on a store whose calls may be replaced, at a time that a test sets. */
async function limited(): Promise<{ targets: Targets; target: Target; store: { -readonly [Method in keyof Queue]: Queue[Method] }; time: { now: number } }> {
  const inner = memoryStore()
  const store = { ...inner.queue }
  const time = { now: Date.UTC(2026, 0, 1) }
  const clock = { now: () => time.now, after: () => () => {} }
  const { pace, policy } = presets.standard
  const targets = makeTargets({
    queue: { ...store, saveHealth: (...health) => store.saveHealth(...health) },
    directory: inner.directory,
    beat: inner.beat,
    transport: scriptedTransport(),
    clock,
    random: seededRandom(1),
    bus: makeBus(clock),
    settings: { owner: 'anna', pace, policies: new Map(), defaultPolicy: policy, leaseMs: 30_000, timeoutMs: 30_000, maxLeased: 100, historyMs: 1, userAgent: '', headerPrefix: 'webhook' },
    probeMs: null,
    listen: null,
  })
  const endpoint = await makeWorld(inner).endpoint({ ratePerSecond: perSecond })
  await targets.know([endpoint])
  const target = targets.get(endpoint.id)
  if (target === undefined) throw new Error('no target')
  return { targets, target, store, time }
}
