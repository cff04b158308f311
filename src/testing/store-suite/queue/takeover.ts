import assert from 'node:assert/strict'
import { minute } from '../../../core/time.ts'
import type { Instant } from '../../../core/time.ts'
import type { Lane } from '../../../core/delivery/delivery.ts'
import type { Endpoint } from '../../../core/endpoint/endpoint.ts'
import type { Claim } from '../../../core/ports/queue.ts'
import { storeCase } from '../case.ts'
import { deadAs, delivered, failed, sentTo, unsent } from './marks.ts'
import { has, ids, leaseMs, leaseOf, only, start, times } from '../world.ts'
import type { World } from '../world.ts'

const by = { name: 'test' }

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
        excerpt: null,
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
        excerpt: null,
        url: 'https://ahead.example',
        late: false,
      })
      assert.deepEqual(await world.directory.attempts(two.delivery.id), [])
      has(only(await world.directory.attempts(three.delivery.id)), { outcome: 'answered' })
      has(await world.delivery(one.delivery.id), { leaseOwner: 'anna', leaseEpoch: 1, lastAttemptedAt: null })
    },
  ),

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
      excerpt: 'ok',
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

const suspectAt = start + 2 * leaseMs
const crashedAt = suspectAt + leaseMs

/** When so many leases have run out since a minute after the start. */
function at(round: number): Instant {
  return start + minute + round * leaseMs
}

/** A delivery that was taken over twice, and is anna's under epoch 3. */
async function aSuspect(world: World, endpoint: Endpoint): Promise<Claim> {
  await world.send(endpoint)
  await world.claimOne({ from: endpoint })
  await world.claimOne({ from: endpoint, at: start + leaseMs })
  return world.claimOne({ from: endpoint, at: suspectAt })
}

/** The same after a crash, under epoch 4. */
async function aCrashed(world: World, endpoint: Endpoint): Promise<Claim> {
  await begin(world, await aSuspect(world, endpoint), suspectAt)
  return world.claimOne({ from: endpoint, lane: 'suspects', at: crashedAt })
}

async function begin(world: World, claim: Claim, now: Instant): Promise<void> {
  const starts = [{ ...leaseOf(claim), url: 'https://ahead.example' }]
  assert.deepEqual(await world.queue.start({ owner: 'anna', now, starts }), [claim.delivery.id])
}
