import assert from 'node:assert/strict'
import { hour, minute } from '../../../../core/time.ts'
import { storeCase } from '../../case.ts'
import { dead, delivered, failed, failedUntil, tookMs } from '../../queue/marks.ts'
import { start } from '../../world.ts'

export const oneEndpointCases = [
  storeCase('the attempt that failed last is found, whichever delivery it was for', async (world) => {
    const [endpoint, quiet] = [await world.endpoint(), await world.endpoint()]
    assert.equal(await world.directory.lastFailureOf(endpoint.id, 10), null)
    const first = await world.settled(endpoint, failed, { at: start })
    const second = await world.settled(endpoint, failed, { at: start + 5 })
    await world.settled(endpoint, delivered, { at: start + 20 })
    const found = await world.directory.lastFailureOf(endpoint.id, 10)
    const about = { tookMs, outcome: 'answered', statusCode: 500, errorDetail: 'HTTP 500' }
    const { eventType } = await world.delivery(second)
    assert.deepEqual(found, { ...about, deliveryId: second, startedAt: start + 5 - tookMs, eventType })
    const again = await world.claimOne({ from: endpoint, lane: 'retries', at: start + 2 * minute, each: 1 })
    await world.mark([failed(again, start + 2 * minute)], { at: start + 2 * minute })
    assert.equal((await world.directory.lastFailureOf(endpoint.id, 10))?.deliveryId, first)
    assert.equal(await world.directory.lastFailureOf(endpoint.id, 1), null)
    assert.equal(await world.directory.lastFailureOf(quiet.id, 10), null)
  }),

  storeCase('the retry that is due first is found, among those of its endpoint', async (world) => {
    const [endpoint, other] = [await world.endpoint(), await world.endpoint()]
    assert.equal(await world.directory.nextRetryOf(endpoint.id), null)
    await world.send(endpoint, { at: start })
    assert.equal(await world.directory.nextRetryOf(endpoint.id), null)
    await world.settled(endpoint, failedUntil(start + 9), { at: start })
    const first = await world.settled(endpoint, failedUntil(start + 5), { at: start + 1 })
    await world.settled(other, failedUntil(start + 2), { at: start })
    assert.deepEqual(await world.directory.nextRetryOf(endpoint.id), { deliveryId: first, at: start + 5 })
  }),

  storeCase('the counts of one endpoint are summed over stretches of time, with their latencies', async (world) => {
    const [busy, quiet] = [await world.endpoint(), await world.endpoint()]
    await world.settled(busy, delivered, { at: start - hour })
    await world.settled(busy, delivered, { at: start + minute })
    await world.settled(busy, failed, { at: start + 14 * minute })
    await world.settled(busy, dead, { at: start + hour })
    await world.settled(quiet, delivered, { at: start })
    const found = await world.directory.endpointBuckets(busy.id, start, 15 * minute)
    assert.deepEqual(
      found.map(({ minute: at, delivered: done, failed: again, dead: lost }) => [at - start, done, again, lost]),
      [
        [0, 1, 1, 0],
        [hour, 0, 0, 1],
      ],
    )
    assert.deepEqual(
      found.map(({ latencies }) => latencies.reduce((sum, count) => sum + count, 0)),
      [2, 1],
    )
  }),

  storeCase('the last attempt of each delivery is found, and nothing of those that were never sent', async (world) => {
    const endpoint = await world.endpoint()
    const good = await world.settled(endpoint, delivered, { at: start })
    const bad = await world.settled(endpoint, failed, { at: start + 1 })
    const [fresh] = await world.send(endpoint, { at: start + 2 })
    const found = new Map(
      (await world.directory.lastAttempts([good, bad, String(fresh)])).map((last) => [last.deliveryId, last]),
    )
    assert.deepEqual(
      [good, bad].map((id) => [found.get(id)?.outcome, found.get(id)?.statusCode]),
      [
        ['answered', 200],
        ['answered', 500],
      ],
    )
    assert.equal(found.size, 2)
    assert.deepEqual(await world.directory.lastAttempts([]), [])
  }),
]
