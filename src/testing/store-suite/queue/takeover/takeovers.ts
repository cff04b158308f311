import assert from 'node:assert/strict'
import { storeCase } from '../../case.ts'
import { failed } from '../marks.ts'
import { has, ids, leaseMs, leaseOf, only, start, times } from '../../world.ts'
import { aSuspect, begin, suspectAt } from './suspect-rows.ts'

export const takeoverCases = [
  storeCase(
    'a lease that ran out is due again: the epoch rises, and the attempt is on record as interrupted',
    async (world) => {
      const endpoint = await world.endpoint()
      const deliveryId = await world.sendOne(endpoint)
      await world.claim({ from: endpoint, owner: 'anna' })
      assert.deepEqual(await world.claim({ from: endpoint, owner: 'bert', at: start + leaseMs - 1 }), [])

      const second = await world.claimOne({ from: endpoint, owner: 'bert', at: start + leaseMs + 7 })
      assert.equal(second.tookOver, 'interrupted')
      has(second.delivery, { id: deliveryId, leaseEpoch: 2, interruptions: 1, crashCount: 0 })
      has(await world.delivery(deliveryId), {
        leaseOwner: 'bert',
        leaseUntil: start + 2 * leaseMs + 7,
        leaseEpoch: 2,
        interruptions: 1,
        crashCount: 0,
        attemptCount: 0,
        lastAttemptedAt: null,
      })
      has(only(await world.directory.attempts(deliveryId)), {
        epoch: 1,
        number: 1,
        startedAt: start,
        tookMs: 0,
        outcome: 'interrupted',
        statusCode: null,
        responseBody: null,
        url: endpoint.url,
        late: false,
      })
    },
  ),

  storeCase('an interrupted attempt began when its lease was last renewed, and never in the future', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint)
    const claim = await world.claimOne({ from: endpoint })
    await world.queue.renew({ owner: 'anna', now: start + 5_000, leaseMs: 1_000, leases: [leaseOf(claim)] })
    await world.claim({ from: endpoint, owner: 'bert', at: start + leaseMs })
    has(only(await world.directory.attempts(deliveryId)), { startedAt: start + 6_000 - leaseMs })
  }),

  storeCase('a takeover of what was started is a crash, on record and counted', async (world) => {
    const endpoint = await world.endpoint()
    const suspect = await aSuspect(world, endpoint)
    const deliveryId = suspect.delivery.id
    await begin(world, suspect, suspectAt + 5)
    const next = await world.claimOne({ from: endpoint, lane: 'suspects', owner: 'bert', at: suspectAt + leaseMs })
    assert.equal(next.tookOver, 'crashed')
    has(next.delivery, { interruptions: 3, crashCount: 1 })
    has(await world.delivery(deliveryId), { interruptions: 3, crashCount: 1 })
    has((await world.directory.attempts(deliveryId)).at(-1), {
      epoch: 3,
      outcome: 'crashed',
      startedAt: suspectAt + 5,
      url: 'https://ahead.example',
      late: false,
    })
  }),

  storeCase('a takeover leaves the record of an outcome as it is', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint)
    const claim = await world.claimOne({ from: endpoint, owner: 'anna' })
    assert.deepEqual(await world.mark([failed(claim, start)], { owner: 'bert' }), ['lost'])
    has(await world.claimOne({ from: endpoint, at: start + leaseMs }), { tookOver: 'interrupted' })
    has(only(await world.directory.attempts(deliveryId)), {
      epoch: 1,
      outcome: 'answered',
      statusCode: 500,
      late: true,
    })
  }),

  storeCase('takeovers at the same time have one winner, and one record', async (world) => {
    const endpoint = await world.endpoint()
    const sent = await times(10, () => world.sendOne(endpoint))
    await world.claim({ from: endpoint })
    const taken = (
      await times(5, (index) => world.claim({ from: endpoint, owner: `worker-${index}`, at: start + leaseMs, each: 4 }))
    ).flat()
    const rest = await world.claim({ from: endpoint, owner: 'late', at: start + leaseMs })
    assert.deepEqual(ids([...taken, ...rest]).toSorted(), sent.toSorted())
    for (const id of sent) {
      has(await world.delivery(id), { leaseEpoch: 2, interruptions: 1 })
      has(only(await world.directory.attempts(id)), { epoch: 1, outcome: 'interrupted' })
    }
  }),
]
