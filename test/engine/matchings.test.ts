import { expect, test } from 'vitest'
import { engineWorld } from './world.ts'
import type { EngineWorld } from './world.ts'

test('E18 the 10,001st application takes the place of the one that was used least recently, and of no other', async () => {
  const world = engineWorld()
  const ids = await applications(world, 10_001)
  const [first, second, ...rest] = ids
  if (first === undefined || second === undefined) throw new Error('Expected applications.')
  for (const id of ids.slice(0, -1)) await send(world, id)
  await send(world, first)
  expect(reads(world)).toBe(10_000)
  await send(world, ids.at(-1) ?? '')
  expect(reads(world)).toBe(10_001)
  for (const id of [first, ...rest.slice(0, 3), ...rest.slice(-3)]) await send(world, id)
  expect(reads(world)).toBe(10_001)
  await send(world, second)
  expect(reads(world)).toBe(10_002)
})

async function applications(world: EngineWorld, count: number): Promise<string[]> {
  const now = world.clock.now()
  const made = Array.from({ length: count }, (_, index) => ({
    id: `app_${String(index).padStart(19, '0')}`,
    uid: null,
    name: '',
    metadata: {},
    ratePerSecond: null,
    createdAt: now,
    updatedAt: now,
  }))
  for (const application of made) await world.store.directory.createApplication(application)
  return made.map(({ id }) => id)
}

async function send(world: EngineWorld, application: string): Promise<void> {
  await world.posthorn.send({ application, type: 'invoice.paid', data: 1 })
}

/** How often the endpoints of an application were read. */
function reads(world: EngineWorld): number {
  return world.store.calls.filter(({ method }) => method === 'matching').length
}
