import assert from 'node:assert/strict'
import { minute } from '../../../../core/time.ts'
import { storeCase } from '../../case.ts'
import { deadAs, delivered, failed, sentTo, unsent } from '../marks.ts'
import { has, ids, leaseMs, leaseOf, only, start, times } from '../../world.ts'
import { aCrashed, aSuspect, begin, crashedAt, suspectAt } from './suspect-rows.ts'

const by = { name: 'test' }

export const outcomeCases = [
  storeCase(
    'an attempt that is written ahead is on record as started, once, and only under the lease',
    async (world) => {
      const endpoint = await world.endpoint()
      await times(3, () => world.send(endpoint))
      const [one, two, three] = await world.claim({ from: endpoint })
      assert.ok(one !== undefined && two !== undefined && three !== undefined)
      await world.mark([delivered(three, start)])
      const stale = { ...leaseOf(two), epoch: 7 }
      const starts = [leaseOf(one), stale, leaseOf(three), { deliveryId: world.id('dlv'), epoch: 1 }].map((lease) => ({
        ...lease,
        url: 'https://ahead.example',
      }))
      assert.deepEqual(await world.queue.start({ owner: 'bert', now: start + 1, starts }), [])
      assert.deepEqual(await world.queue.start({ owner: 'anna', now: start + 2, starts }), [one.delivery.id])
      assert.deepEqual(
        await world.queue.start({ owner: 'anna', now: start + 3, starts }),
        [one.delivery.id],
        'a repeat',
      )
      assert.deepEqual(await world.queue.start({ owner: 'anna', now: start, starts: [] }), [])

      has(only(await world.directory.attempts(one.delivery.id)), {
        epoch: 1,
        startedAt: start + 2,
        tookMs: 0,
        outcome: 'started',
        statusCode: null,
        responseBody: null,
        url: 'https://ahead.example',
        late: false,
      })
      assert.deepEqual(await world.directory.attempts(two.delivery.id), [])
      has(only(await world.directory.attempts(three.delivery.id)), { outcome: 'answered' })
      has(await world.delivery(one.delivery.id), { leaseOwner: 'anna', leaseEpoch: 1, lastAttemptedAt: null })
    },
  ),

  storeCase('an outcome takes the place of what was written ahead, in time if it is marked', async (world) => {
    const endpoint = await world.endpoint()
    const suspect = await aSuspect(world, endpoint)
    const deliveryId = suspect.delivery.id
    await begin(world, suspect, suspectAt)
    assert.deepEqual(await world.mark([failed(suspect, suspectAt + 90)], { at: suspectAt + 100 }), ['marked'])
    has(await world.delivery(deliveryId), { status: 'failed', attemptCount: 1, interruptions: 0, crashCount: 0 })
    const attempts = await world.directory.attempts(deliveryId)
    has(attempts.at(-1), {
      epoch: 3,
      number: 3,
      outcome: 'answered',
      statusCode: 500,
      responseBody: 'ok',
      url: sentTo,
      late: false,
    })
    assert.deepEqual(await world.mark([failed(suspect, suspectAt + 90)], { at: suspectAt + 101 }), ['already'])
    assert.deepEqual(ids(await world.claim({ from: endpoint, lane: 'retries', at: suspectAt + 10 * minute })), [
      deliveryId,
    ])
  }),

  storeCase(
    'an outcome that comes too late takes the place of the interruption or crash, and the row stays as it is',
    async (world) => {
      const endpoint = await world.endpoint()
      const suspect = await aSuspect(world, endpoint)
      const deliveryId = suspect.delivery.id
      await begin(world, suspect, suspectAt)
      const next = await world.claimOne({ from: endpoint, lane: 'suspects', owner: 'bert', at: suspectAt + leaseMs })
      const before = await world.delivery(deliveryId)
      for (const late of [suspect, { delivery: { ...suspect.delivery, leaseEpoch: 1 } }]) {
        for (const _ of [1, 2]) assert.deepEqual(await world.mark([delivered(late, suspectAt + leaseMs)]), ['lost'])
      }
      assert.deepEqual(await world.delivery(deliveryId), before)
      const known = (await world.directory.attempts(deliveryId)).map(({ epoch, outcome, late }) => [
        epoch,
        outcome,
        late,
      ])
      assert.deepEqual(known, [
        [1, 'answered', true],
        [2, 'interrupted', false],
        [3, 'answered', true],
      ])
      assert.deepEqual(await world.mark([delivered(next, suspectAt + leaseMs)], { owner: 'bert' }), ['marked'])
    },
  ),

  storeCase(
    'an attempt is recorded under the epoch that it began in, and marked under the lease of now',
    async (world) => {
      const endpoint = await world.endpoint()
      const deliveryId = await world.sendOne(endpoint)
      const first = await world.claimOne({ from: endpoint })
      const second = await world.claimOne({ from: endpoint, at: start + leaseMs })
      const { attempt } = failed(first, start + leaseMs)
      const settled = { ...failed(second, start + leaseMs), attempt }
      assert.deepEqual(await world.mark([settled], { at: start + leaseMs }), ['marked'])
      has(await world.delivery(deliveryId), { status: 'failed', attemptCount: 1, interruptions: 0 })
      has(only(await world.directory.attempts(deliveryId)), { epoch: 1, outcome: 'answered', late: false })
      assert.deepEqual(await world.mark([settled], { at: start + leaseMs }), ['already'])
    },
  ),

  storeCase(
    'an outcome that was refused is in time after all once its worker marks it under a newer lease',
    async (world) => {
      const endpoint = await world.endpoint()
      const deliveryId = await world.sendOne(endpoint)
      const first = await world.claimOne({ from: endpoint, owner: 'anna' })
      const again = await world.claimOne({ from: endpoint, owner: 'anna', at: start + leaseMs })
      const refused = delivered(first, start + leaseMs)
      assert.deepEqual(await world.queue.mark({ owner: 'anna', now: start + leaseMs, marks: [refused] }), ['lost'])
      has(only(await world.directory.attempts(deliveryId)), { epoch: 1, late: true })
      const marks = [{ ...refused, epoch: again.delivery.leaseEpoch }]
      assert.deepEqual(await world.queue.mark({ owner: 'anna', now: start + leaseMs, marks }), ['marked'])
      has(only(await world.directory.attempts(deliveryId)), { epoch: 1, late: false, outcome: 'answered' })
      assert.deepEqual(await world.queue.mark({ owner: 'anna', now: start + leaseMs, marks }), ['already'])
    },
  ),

  storeCase(
    'a mark forgets interruptions and crashes, but the number of crashes that ended it can be read',
    async (world) => {
      const endpoint = await world.endpoint()
      const [retried, ended] = [await aCrashed(world, endpoint), await aCrashed(world, await world.endpoint())]
      assert.deepEqual(await world.mark([failed(retried, crashedAt)], { at: crashedAt }), ['marked'])
      has(await world.delivery(retried.delivery.id), { status: 'failed', interruptions: 0, crashCount: 0 })
      assert.deepEqual(await world.mark([unsent(deadAs('crashed')(ended, crashedAt))], { at: crashedAt }), ['marked'])
      has(await world.delivery(ended.delivery.id), {
        status: 'dead',
        reason: 'crashed',
        interruptions: 0,
        crashCount: 1,
      })
      assert.equal(await world.queue.requeue({ filter: { ids: [ended.delivery.id] }, now: crashedAt, limit: 1, by }), 1)
      has(await world.delivery(ended.delivery.id), { status: 'pending', interruptions: 0, crashCount: 0 })
      assert.deepEqual(
        ids(
          await world.claim({ from: { ...endpoint, id: ended.delivery.endpointId }, lane: 'retries', at: crashedAt }),
        ),
        [ended.delivery.id],
      )
    },
  ),
]
