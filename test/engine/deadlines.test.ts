import { expect, test } from 'vitest'
import type { PosthornError } from '../../src/core/errors.ts'
import { makeGate } from './gate.ts'
import { engineWorld, settled } from './world.ts'
import type { EngineWorld } from './world.ts'

test('a send that the store has not begun is withdrawn after ten seconds: nothing is stored, then or later', async () => {
  const { world, store } = await slowToBegin()
  const sent = ended(world)
  await world.clock.advance(9_999)
  expect(sent.error).toBeNull()
  await world.clock.advance(1)
  expect(sent.error).toMatchObject({ code: 'store_failed', message: expect.stringContaining('Nothing was stored') })
  store.open()
  await settled()
  expect(await world.rows()).toEqual([])
})

test('a send that the store has begun is of an unknown outcome after ten seconds, and may be stored', async () => {
  const world = engineWorld()
  await world.endpoint('hook')
  const answer = makeGate()
  world.store.bend = async ({ method }, run) => {
    const result = await run()
    if (method === 'enqueue') await answer.opened
    return result
  }
  const sent = ended(world)
  await world.clock.advance(10_000)
  expect(sent.error).toMatchObject({
    code: 'outcome_unknown',
    message: expect.stringContaining('same idempotency key'),
  })
  expect(await world.rows()).toHaveLength(1)
  answer.open()
})

test('each send has ten seconds of its own, and those that end in time leave no timer', async () => {
  const { world, store } = await slowToBegin()
  const first = ended(world)
  await world.clock.advance(4_000)
  const second = ended(world)
  await world.clock.advance(6_000)
  expect([first.error?.code, second.error]).toEqual(['store_failed', null])
  await world.clock.advance(4_000)
  expect(second.error?.code).toBe('store_failed')
  store.open()
  await settled()
  await world.send('hook')
  expect(world.clock.pending()).toBe(0)
  expect(await world.rows()).toHaveLength(1)
})

/** A world that only sends, whose store begins to write when it is let. */
async function slowToBegin(): Promise<{ world: EngineWorld; store: ReturnType<typeof makeGate> }> {
  const world = engineWorld()
  await world.endpoint('hook')
  const store = makeGate()
  world.store.bend = async ({ method }, run) => {
    if (method === 'enqueue') await store.opened
    return run()
  }
  return { world, store }
}

/** A send, and the error that it has ended with by now. */
function ended(world: EngineWorld): { error: PosthornError | null } {
  const sent: { error: PosthornError | null } = { error: null }
  world.send('hook').catch((error: PosthornError) => (sent.error = error))
  return sent
}
