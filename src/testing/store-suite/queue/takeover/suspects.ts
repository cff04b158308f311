import assert from 'node:assert/strict'
import type { Lane } from '../../../../core/delivery/delivery.ts'
import { minute } from '../../../../core/time.ts'
import type { Instant } from '../../../../core/time.ts'
import { storeCase } from '../../case.ts'
import { failed } from '../marks.ts'
import { has, ids, leaseMs, leaseOf, only, start } from '../../world.ts'
import { aCrashed, aSuspect, begin, crashedAt, suspectAt } from './suspect-rows.ts'

const by = { name: 'test' }

export const suspectCases = [
  storeCase('a row is in one lane at a time: from the second takeover on in that of the suspects', async (world) => {
    const endpoint = await world.endpoint()
    const [fresh, retried] = [await world.sendOne(endpoint), await world.settled(endpoint, failed)]
    for (const lane of ['fresh', 'retries'] as const) await world.claim({ from: endpoint, lane, at: start + minute })
    for (const lane of ['fresh', 'retries'] as const)
      has(await world.claimOne({ from: endpoint, lane, at: at(1) }), { lane, tookOver: 'interrupted' })
    for (const lane of ['fresh', 'retries'] as const)
      has(await world.claimOne({ from: endpoint, lane, at: at(2) }), { lane, tookOver: 'interrupted' })

    for (const lane of ['fresh', 'retries'] as const) {
      assert.deepEqual(await world.claim({ from: endpoint, lane, at: at(9) }), [])
      assert.deepEqual(await world.queue.dueEndpoints({ lane, after: '', limit: 10 }), [])
    }
    assert.deepEqual(await world.queue.dueEndpoints({ lane: 'suspects', after: '', limit: 10 }), [
      { endpointId: endpoint.id, dueAt: start },
    ])
    const suspects = await world.claim({ from: endpoint, lane: 'suspects', at: at(3) })
    assert.deepEqual(ids(suspects), [fresh, retried], 'oldest due first')
    for (const claim of suspects) {
      has(claim, { lane: 'suspects', tookOver: 'interrupted' })
      has(claim.delivery, { interruptions: 3, crashCount: 0 })
    }
    assert.deepEqual(
      (await world.directory.attempts(fresh)).map(({ epoch, outcome }) => [epoch, outcome]),
      [
        [1, 'interrupted'],
        [2, 'interrupted'],
        [3, 'interrupted'],
      ],
    )
  }),

  storeCase('one claim takes of all three lanes, within the bounds', async (world) => {
    const endpoint = await world.endpoint()
    const { delivery: suspect } = await aSuspect(world, endpoint)
    await world.queue.release({
      owner: 'anna',
      now: suspectAt,
      leases: [{ deliveryId: suspect.id, epoch: suspect.leaseEpoch }],
    })
    const [fresh, retried] = [await world.sendOne(endpoint), await world.settled(endpoint, failed)]
    const wants = (['suspects', 'retries', 'fresh'] as const).map((lane: Lane) => ({
      endpointId: endpoint.id,
      lane,
      most: 5,
      mostBytes: 2 ** 20,
    }))
    const request = { owner: 'bert', leaseMs, now: start + 10 * minute, wants }
    assert.deepEqual(ids(await world.queue.claim({ ...request, most: 2 })), [suspect.id, retried])
    assert.deepEqual(ids(await world.queue.claim({ ...request, most: 2 })), [fresh])
  }),

  storeCase('a release proves nothing: what was suspect stays so, due when it is told', async (world) => {
    const endpoint = await world.endpoint()
    const crashed = await aCrashed(world, endpoint)
    const leases = [{ ...leaseOf(crashed), nextRetryAt: crashedAt + minute }]
    assert.deepEqual(await world.queue.release({ owner: 'anna', now: crashedAt, leases }), [crashed.delivery.id])
    has(await world.delivery(crashed.delivery.id), {
      interruptions: 3,
      crashCount: 1,
      nextRetryAt: crashedAt + minute,
      leaseOwner: null,
    })
    assert.deepEqual(await world.claim({ from: endpoint, lane: 'suspects', at: crashedAt + minute - 1 }), [])
    const again = await world.claimOne({ from: endpoint, lane: 'suspects', at: crashedAt + minute })
    has(again, { tookOver: null })
    has(again.delivery, { interruptions: 3, crashCount: 1 })
  }),

  storeCase('suspects are cancelled, counted and read as what else is open', async (world) => {
    const endpoint = await world.endpoint()
    const { delivery } = await aSuspect(world, endpoint)
    const { queue } = await world.directory.overview({ now: suspectAt, windowMs: 60 * minute })
    has(queue, { fresh: 0, retries: 1, held: 0, oldestDueAt: start })
    assert.deepEqual(await world.directory.endpointCounts(endpoint.id, start, start + minute), {
      delivered: 0,
      dead: 0,
      cancelled: 0,
      fresh: 0,
      retrying: 1,
    })
    has(only(await world.directory.endpointFigures([endpoint.id], start)), { backlog: 1 })
    has(
      only(
        await world.queue.cancel({
          filter: { endpointId: endpoint.id },
          as: 'cancelled',
          now: suspectAt,
          limit: 10,
          by,
        }),
      ),
      { id: delivery.id },
    )
    has(await world.delivery(delivery.id), { status: 'dead', reason: 'cancelled' })
  }),

  storeCase('what was only begun is listed among the attempts, and is no failure of the endpoint', async (world) => {
    const endpoint = await world.endpoint()
    const crashed = await aCrashed(world, endpoint)
    await begin(world, crashed, crashedAt)
    const { items } = await world.directory.listAttempts({ endpointId: endpoint.id }, { limit: 10, after: null })
    assert.deepEqual(
      items.map(({ attempt }) => attempt.outcome),
      ['started', 'crashed', 'interrupted', 'interrupted'],
    )
    assert.deepEqual(
      items.map(({ attempt }) => attempt.number),
      [4, 3, 2, 1],
    )
    assert.deepEqual(await world.directory.failuresOf(endpoint.id, 10), [])
    has(await world.directory.overview({ now: crashedAt, windowMs: 60 * minute }), { attempts: 0, failed: 0 })
  }),
]

/** When this many leases have expired since a minute after the start. */
function at(round: number): Instant {
  return start + minute + round * leaseMs
}
