import { describe, expect, test } from 'vitest'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { engineWorld, inStatus, wantsOf } from './world.ts'

describe('the walk', () => {
  test('a claim begins where the walk of the last tick found the first open row', async () => {
    const world = engineWorld()
    const { id } = await world.endpoint('late')
    const sentAt = world.clock.now()
    await world.send('late')
    await world.clock.advance(60_000)
    await world.posthorn.start()
    await world.posthorn.idle()
    expect(wantsOf(world.store, id)).toMatchObject([{ lane: 'fresh', dueFrom: sentAt }])
  })

  test('a look between ticks is for what the last walk could not see, a tick is for all', async () => {
    const world = engineWorld({}, { ...memoryStore(), lookMs: 2_000 })
    const startedAt = world.clock.now()
    await world.posthorn.start()
    await world.posthorn.idle()
    for (const ms of [2_000, 2_000, 1_000]) await world.poll(ms)
    const asked = world.store.calls.filter(({ method }) => method === 'dueEndpoints').map(({ request }) => request[0])
    const tick = ['fresh', 'retries', 'suspects'].map((lane) => ({ lane, dueFrom: 0 }))
    const look = { lane: 'fresh', dueFrom: startedAt - 10_000 }
    expect(asked).toMatchObject([...tick, look, look, ...tick])
  })
})

describe('a store that errs', () => {
  test.each(['dueEndpoints', 'claim', 'health'] as const)(
    'in %s costs a warning and a tick, and no delivery',
    async (method) => {
      const world = engineWorld({ fastPath: false })
      await world.endpoint('hook')
      await world.send('hook', 3)
      let failures = 1
      world.store.bend = async (call, run) => {
        if (call.method === method && failures > 0) {
          failures -= 1
          throw new Error('The store is away.')
        }
        return run()
      }
      const second = world.second()
      const warnings: string[] = []
      second.on('warning', ({ message }) => warnings.push(message))
      await second.start()
      await second.idle()
      expect(warnings.join()).toContain('The store is away.')
      expect(world.sentTo('hook')).toBe(0)
      await world.clock.advance(5_000)
      await second.idle()
      expect(inStatus(await world.rows(), 'delivered')).toBe(3)
      expect(world.sentTo('hook')).toBe(3)
    },
  )
})

test('the rows of a deleted endpoint end dead, gone, in batches, and nothing is sent', async () => {
  const world = engineWorld()
  const { id } = await world.endpoint('gone')
  await world.send('gone', 1_500)
  await world.posthorn.endpoints.delete(id)
  await world.clock.advance(1_001)
  await world.posthorn.start()
  await world.posthorn.idle()
  expect(inStatus(await world.rows('gone'), 'dead')).toBe(1_000)
  await world.poll()
  const rows = await world.rows('gone')
  expect(rows.every(({ status, reason }) => status === 'dead' && reason === 'gone')).toBe(true)
  expect(world.heard('delivery.dead').filter(({ reason }) => reason === 'gone')).toHaveLength(1_500)
  expect(world.transport.requests).toEqual([])
})
