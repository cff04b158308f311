import assert from 'node:assert/strict'
import type { DeadReason } from '../../../core/delivery/delivery.ts'
import type { Cancelled, DeliveryFilter } from '../../../core/ports/queue.ts'
import { minute } from '../../../core/time.ts'
import type { Instant } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import { dead, delivered, failed } from './marks.ts'
import { has, ids, leaseMs, leaseOf, only, start, times } from '../world.ts'
import type { World } from '../world.ts'

const by = { name: 'maria', reason: 'the receiver is back' }

export const operatorCases = [
  storeCase(
    'a requeued dead row begins again: pending, count 0, due now, what went wrong still readable',
    async (world) => {
      const endpoint = await world.endpoint()
      const deliveryId = await world.settled(endpoint, dead)
      assert.equal(await requeue(world, { ids: [deliveryId] }, { at: start + minute }), 1)
      has(await world.delivery(deliveryId), {
        status: 'pending',
        reason: null,
        attemptCount: 0,
        nextRetryAt: start + minute,
        requeuedAt: start + minute,
        lastAttemptedAt: start,
        errorDetail: 'HTTP 500',
        leaseOwner: null,
        leaseUntil: null,
        leaseEpoch: 2,
        crashCount: 0,
        createdAt: start,
        updatedAt: start + minute,
      })
      assert.equal((await world.directory.attempts(deliveryId)).length, 1)
      const claim = await world.claimOne({ from: endpoint, lane: 'retries', at: start + minute })
      has(claim.delivery, { id: deliveryId, attemptCount: 0, leaseEpoch: 3, crashCount: 0 })
    },
  ),

  storeCase('failed and pending rows can be requeued too, which brings them forward', async (world) => {
    const endpoint = await world.endpoint()
    const rows = [await world.settled(endpoint, failed), await world.sendOne(endpoint, { dueAt: start + 60 * minute })]
    assert.equal(await requeue(world, { ids: rows }), 2)
    for (const id of rows)
      has(await world.delivery(id), { status: 'pending', attemptCount: 0, nextRetryAt: start, requeuedAt: start })
    assert.deepEqual(ids(await world.claim({ from: endpoint, lane: 'retries' })).toSorted(), rows.toSorted())
  }),

  storeCase('what was delivered, or is under a live lease, or is unknown is not requeued', async (world) => {
    const endpoint = await world.endpoint()
    const finished = await world.settled(endpoint, delivered)
    const inFlight = await world.sendOne(endpoint, { leasedBy: 'anna' })
    const before = [await world.delivery(finished), await world.delivery(inFlight)]
    assert.equal(await requeue(world, { ids: [finished, inFlight, world.id('dlv')] }, { at: start + leaseMs - 1 }), 0)
    assert.deepEqual([await world.delivery(finished), await world.delivery(inFlight)], before)
  }),

  storeCase('a row whose lease ran out can be requeued, and its crashes are forgotten', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint)
    await world.claim({ from: endpoint })
    await world.claim({ from: endpoint, at: start + leaseMs })
    assert.equal(await requeue(world, { ids: [deliveryId] }, { at: start + 2 * leaseMs }), 1)
    has(await world.delivery(deliveryId), { leaseOwner: null, leaseUntil: null, leaseEpoch: 3, crashCount: 0 })
    const claim = await world.claimOne({ from: endpoint, lane: 'retries', at: start + 2 * leaseMs })
    has(claim.delivery, { crashCount: 0 })
  }),

  storeCase('requeue takes at most its limit, batch by batch, until none are left', async (world) => {
    const endpoint = await world.endpoint()
    await times(5, () => world.settled(endpoint, dead))
    const batches: number[] = []
    for (let batch = 0; batch < 4; batch += 1) batches.push(await requeue(world, { status: 'dead' }, { limit: 2 }))
    assert.deepEqual(batches, [2, 2, 1, 0])
  }),

  storeCase('a cancelled row is dead for the given reason, also under a live lease', async (world) => {
    const endpoint = await world.endpoint()
    const waiting = await world.sendOne(endpoint, { message: { sessionId: 'session-7' } })
    const retrying = await world.settled(endpoint, failed)
    const inFlight = await world.sendOne(endpoint, { leasedBy: 'anna' })
    const cancelled = await cancel(world, { endpointId: endpoint.id }, { at: start + 5 })
    assert.deepEqual(cancelled.map(({ id }) => id).toSorted(), [waiting, retrying, inFlight].toSorted())
    const { messageId } = await world.delivery(waiting)
    assert.deepEqual(
      cancelled.find(({ id }) => id === waiting),
      {
        id: waiting,
        endpointId: endpoint.id,
        applicationId: endpoint.applicationId,
        messageId,
        sessionId: 'session-7',
      },
    )

    for (const [id, epoch] of [
      [waiting, 1],
      [retrying, 2],
      [inFlight, 2],
    ] as const) {
      has(await world.delivery(id), {
        status: 'dead',
        reason: 'cancelled',
        nextRetryAt: null,
        leaseOwner: null,
        leaseUntil: null,
        leaseEpoch: epoch,
        updatedAt: start + 5,
      })
    }
    has(await world.delivery(retrying), { attemptCount: 1, errorDetail: 'HTTP 500' })
    for (const lane of ['fresh', 'retries'] as const)
      assert.deepEqual(await world.claim({ from: endpoint, lane, at: start + 60 * minute }), [])
  }),

  storeCase('cancel says why: any reason to be dead can be given', async (world) => {
    const endpoint = await world.endpoint()
    for (const reason of ['cancelled', 'expired', 'gone', 'crashed'] as const) {
      const deliveryId = await world.sendOne(endpoint)
      await cancel(world, { ids: [deliveryId] }, { as: reason })
      has(await world.delivery(deliveryId), { status: 'dead', reason })
    }
  }),

  storeCase('cancel leaves closed rows alone', async (world) => {
    const endpoint = await world.endpoint()
    const rows = [await world.settled(endpoint, delivered), await world.settled(endpoint, dead)]
    const before = await Promise.all(rows.map((id) => world.delivery(id)))
    assert.deepEqual(await cancel(world, { ids: rows }), [])
    assert.deepEqual(await Promise.all(rows.map((id) => world.delivery(id))), before)
  }),

  storeCase('cancel takes at most its limit, batch by batch, until none are left', async (world) => {
    const endpoint = await world.endpoint()
    await times(5, () => world.send(endpoint))
    const batches: number[] = []
    for (let batch = 0; batch < 4; batch += 1)
      batches.push((await cancel(world, { endpointId: endpoint.id }, { limit: 2 })).length)
    assert.deepEqual(batches, [2, 2, 1, 0])
  }),

  storeCase('a cancelled row can be requeued', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint)
    await cancel(world, { ids: [deliveryId] })
    assert.equal(await requeue(world, { ids: [deliveryId] }), 1)
    has(await world.claimOne({ from: endpoint, lane: 'retries' }).then(leaseOf), { deliveryId, epoch: 3 })
  }),

  storeCase('requeue and cancel touch what their filter picks, and nothing else', async (world) => {
    const { mine, others, byState, byPlace } = await twoGroups(world)
    for (const filter of [...byState, ...byPlace]) {
      assert.equal(await requeue(world, filter), 2, `requeue ${JSON.stringify(filter)}`)
      await cancel(world, { ids: mine }, { as: 'gone' })
    }
    for (const filter of byPlace) {
      await requeue(world, { ids: mine })
      const cancelled = await cancel(world, filter, { as: 'gone' })
      assert.deepEqual(cancelled.map(({ id }) => id).toSorted(), mine.toSorted(), `cancel ${JSON.stringify(filter)}`)
    }
    for (const id of others) has(await world.delivery(id), { status: 'pending', leaseEpoch: 0 })
    assert.equal(await requeue(world, { ids: [] }), 0, 'no ids are none, not all')
    assert.deepEqual(await cancel(world, { ids: [] }), [])
    assert.deepEqual(await cancel(world, { status: [] }), [])
  }),

  storeCase('the audit log keeps who requeued or cancelled how many, and why, newest first', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.settled(endpoint, dead)
    await times(3, () => world.send(endpoint))
    await requeue(world, { ids: [deliveryId] }, { at: start + 1 })
    await world.queue.cancel({
      filter: { endpointId: endpoint.id },
      as: 'cancelled',
      now: start + 2,
      limit: 100,
      by: { name: 'otto' },
    })

    const entries = await world.directory.audit({}, { limit: 10, after: null })
    assert.deepEqual(
      entries.map(({ at, actor, action, count, reason }) => ({ at, actor, action, count, reason })),
      [
        { at: start + 2, actor: 'otto', action: 'cancel', count: 4, reason: null },
        { at: start + 1, actor: 'maria', action: 'requeue', count: 1, reason: by.reason },
      ],
    )
    for (const { target } of entries) assert.notEqual(target, '')
    const [newest] = entries
    const older = await world.directory.audit({}, { limit: 10, after: newest?.id ?? null })
    assert.deepEqual(older, entries.slice(1))
    assert.deepEqual(only(await world.directory.audit({}, { limit: 1, after: null })), newest)
  }),
]

interface TwoGroups {
  readonly mine: readonly string[]
  readonly others: readonly string[]
  readonly byState: readonly DeliveryFilter[]
  readonly byPlace: readonly DeliveryFilter[]
}

/** Two dead rows, and two others that differ from them in everything a filter can see; all filters match the former. */
async function twoGroups(world: World): Promise<TwoGroups> {
  const endpoint = await world.endpoint()
  const neighbour = await world.endpoint({ applicationId: endpoint.applicationId })
  const mine = await world.send([endpoint, endpoint], { at: start + 60 * minute, message: { type: 'order.made' } })
  const others = [...(await world.send(await world.endpoint())), ...(await world.send(neighbour))]
  await cancel(world, { ids: mine }, { as: 'gone' })
  const { messageId } = await world.delivery(mine[0] ?? '')
  const byPlace: DeliveryFilter[] = [
    { ids: mine },
    { endpointId: endpoint.id },
    { messageId },
    { type: 'order.made' },
    { applicationId: endpoint.applicationId, type: 'order.made' },
    { since: start + minute },
    { since: start + minute, until: start + 120 * minute, endpointId: endpoint.id, ids: [...mine, ...others] },
  ]
  const byState: DeliveryFilter[] = [
    { status: 'dead' },
    { status: ['dead', 'delivered'] },
    { reason: 'gone' },
    { status: 'dead', reason: 'gone', until: start + 120 * minute },
  ]
  return { mine, others, byState, byPlace }
}

interface Options {
  readonly at?: Instant
  readonly limit?: number
  readonly as?: DeadReason
}

function requeue(world: World, filter: DeliveryFilter, { at = start, limit = 100 }: Options = {}): Promise<number> {
  return world.queue.requeue({ filter, now: at, limit, by })
}

function cancel(
  world: World,
  filter: DeliveryFilter,
  { at = start, limit = 100, as = 'cancelled' }: Options = {},
): Promise<Cancelled[]> {
  return world.queue.cancel({ filter, now: at, limit, by, as })
}
