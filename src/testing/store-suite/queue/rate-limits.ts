import assert from 'node:assert/strict'
import { day, second } from '../../../core/time.ts'
import type { Instant } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import { start, times } from '../world.ts'
import type { World } from '../world.ts'

export const rateLimitCases = [
  storeCase("a limit that was never used has a second's worth, and refills steadily", async (world) => {
    assert.equal(await take(world, 'ep_1', 10, 100), 10)
    assert.equal(await take(world, 'ep_1', 10, 100), 0)
    assert.equal(await take(world, 'ep_1', 10, 100, start + 99), 0)
    assert.equal(await take(world, 'ep_1', 10, 100, start + 100), 1)
    assert.equal(await take(world, 'ep_1', 10, 2, start + 700), 2)
    assert.equal(await take(world, 'ep_1', 10, 100, start + 700), 4)
    assert.equal(await take(world, 'ep_1', 10, 100, start + day), 10, "never more than a second's worth")
  }),

  storeCase('tokens of many limits come with one call, in the order asked', async (world) => {
    const asks = [
      { id: 'ep_2', perSecond: 3, most: 9 },
      { id: 'ep_1', perSecond: 7, most: 5 },
      { id: 'app_1', perSecond: 1, most: 0 },
      { id: 'ep_2', perSecond: 3, most: 9 },
    ]
    assert.deepEqual(await world.queue.takeTokens({ now: start, asks }), [3, 5, 0, 0])
    assert.deepEqual(await world.queue.takeTokens({ now: start, asks }), [0, 2, 0, 0])
    assert.deepEqual(await world.queue.takeTokens({ now: start, asks: [] }), [])
  }),

  storeCase('a limit that is asked twice in one call grants in the order asked', async (world) => {
    const asks = [2, 3, 9].map((most) => ({ id: 'ep_1', perSecond: 8, most }))
    assert.deepEqual(await world.queue.takeTokens({ now: start, asks }), [2, 3, 3])
  }),

  storeCase(
    "tokens that found nothing to send are there again, but never more than a second's worth",
    async (world) => {
      assert.equal(await take(world, 'ep_1', 5, 5), 5)
      await world.queue.returnTokens([
        { id: 'ep_1', count: 1 },
        { id: 'ep_never', count: 4 },
        { id: 'ep_1', count: 1 },
      ])
      assert.equal(await take(world, 'ep_1', 5, 5), 2)
      await world.queue.returnTokens([{ id: 'ep_1', count: 50 }])
      assert.equal(await take(world, 'ep_1', 5, 100), 5)
      await world.queue.returnTokens([])
      assert.equal(await take(world, 'ep_never', 5, 100), 5)
    },
  ),

  storeCase(
    'clocks that differ a little refill nothing twice; one that was set far back starts anew',
    async (world) => {
      assert.equal(await take(world, 'ep_1', 10, 10, start + 500), 10)
      assert.equal(await take(world, 'ep_1', 10, 10, start), 0)
      assert.equal(await take(world, 'ep_1', 10, 10, start + 600), 1)
      assert.equal(await take(world, 'ep_1', 10, 10, start - day), 0)
      assert.equal(await take(world, 'ep_1', 10, 10, start - day + second), 10)
    },
  ),

  storeCase('of many that ask at the same time nobody gets what another has', async (world) => {
    const granted = await times(20, () =>
      world.queue.takeTokens({ now: start, asks: ['ep_2', 'ep_1'].map((id) => ({ id, perSecond: 30, most: 4 })) }),
    )
    for (const place of [0, 1])
      assert.equal(
        granted.reduce((sum, counts) => sum + (counts[place] ?? 0), 0),
        30,
      )
  }),
]

async function take(world: World, id: string, perSecond: number, most: number, now: Instant = start): Promise<number> {
  const [granted] = await world.queue.takeTokens({ now, asks: [{ id, perSecond, most }] })
  return granted ?? assert.fail('an answer to each')
}
