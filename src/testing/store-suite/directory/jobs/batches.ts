import assert from 'node:assert/strict'
import type { Job } from '../../../../core/delivery/job.ts'
import type { AdvancedJob } from '../../../../core/ports/directory/jobs.ts'
import type { DeliveryFilter } from '../../../../core/ports/queue.ts'
import { day, hour, minute } from '../../../../core/time.ts'
import { storeCase } from '../../case.ts'
import { dead, delivered, failed } from '../../queue/marks.ts'
import { copies, has, leaseMs, start, times } from '../../world.ts'
import type { World } from '../../world.ts'
import { begin } from './job.ts'

// More than a store reads in one batch.
const manyDeliveries = 11_000

export const jobBatchCases = [
  storeCase('a requeue goes on from batch to batch, tells its progress, and ends', async (world) => {
    const [one, other] = [await world.endpoint(), await world.endpoint()]
    const rows = [...(await times(4, () => world.settled(one, dead))), await world.settled(other, dead)]
    const untouched = await world.settled(one, failed)
    const job = await begin(world, 'requeue', { status: 'dead' })

    const batches = await runAll(world, job, 2, start + minute)
    assert.deepEqual(
      batches.map(({ job: { done, state } }) => [done, state]),
      [
        [2, 'running'],
        [4, 'running'],
        [5, 'done'],
      ],
    )
    assert.deepEqual(
      [...new Set(batches.flatMap(({ endpointIds }) => endpointIds))].toSorted(),
      [one.id, other.id].toSorted(),
    )
    assert.deepEqual(
      batches.flatMap(({ cancelled }) => cancelled),
      [],
    )
    for (const id of rows)
      has(await world.delivery(id), {
        status: 'pending',
        attemptCount: 0,
        nextRetryAt: start + minute,
        leaseEpoch: 2,
        requeuedAt: start + minute,
      })
    has(await world.delivery(untouched), { status: 'failed', leaseEpoch: 1 })
    assert.deepEqual(await world.directory.job(job.id), batches.at(-1)?.job)
    assert.equal(await world.directory.advanceJob(job.id, 2, start), null)
    // One entry for the job, not one for each batch.
    assert.equal((await world.directory.audit({}, { limit: 10, after: null })).length, 1)
  }),

  storeCase(
    'a requeue passes over what is under a live lease or was delivered, and takes nothing twice',
    async (world) => {
      const endpoint = await world.endpoint()
      const [finished, inFlight, waiting] = [
        await world.settled(endpoint, delivered),
        await world.sendOne(endpoint, { leasedBy: 'anna' }),
        await world.sendOne(endpoint),
      ]
      const batches = await runAll(world, await begin(world, 'requeue', { endpointId: endpoint.id }), 1)
      has(batches.at(-1)?.job, { done: 1, state: 'done' })
      has(await world.delivery(finished), { status: 'delivered', leaseEpoch: 1 })
      has(await world.delivery(inFlight), { leaseOwner: 'anna', leaseEpoch: 1 })
      has(await world.delivery(waiting), { status: 'pending', leaseEpoch: 1, requeuedAt: start })
    },
  ),

  storeCase('a cancel ends what is open, also under a live lease, and tells which', async (world) => {
    const endpoint = await world.endpoint()
    const open = [
      await world.sendOne(endpoint),
      await world.settled(endpoint, failed),
      await world.sendOne(endpoint, { leasedBy: 'anna', message: { sessionId: 'session-7' } }),
    ]
    const closed = [await world.settled(endpoint, delivered), await world.settled(endpoint, dead)]
    const batches = await runAll(world, await begin(world, 'cancel', { endpointId: endpoint.id }), 2, start + 5)
    const ended = batches.flatMap(({ cancelled }) => cancelled)
    assert.deepEqual(ended.map(({ id }) => id).toSorted(), open.toSorted())
    const { messageId } = await world.delivery(open[2] ?? '')
    assert.deepEqual(
      ended.find(({ id }) => id === open[2]),
      {
        id: open[2],
        endpointId: endpoint.id,
        applicationId: endpoint.applicationId,
        messageId,
        sessionId: 'session-7',
      },
    )
    for (const id of open)
      has(await world.delivery(id), {
        status: 'dead',
        reason: 'cancelled',
        nextRetryAt: null,
        leaseOwner: null,
        updatedAt: start + 5,
      })
    has(await world.delivery(closed[0] ?? ''), { status: 'delivered' })
    has(await world.delivery(closed[1] ?? ''), { reason: 'exhausted' })
    has(batches.at(-1)?.job, { done: 3, state: 'done' })
  }),

  storeCase('a job touches what its filter picks, and nothing else', async (world) => {
    const endpoint = await world.endpoint()
    const at = start + hour
    const mine = [await world.settled(endpoint, dead, { at, message: { type: 'order.made' } })]
    const other = await world.settled(await world.endpoint(), failed)
    const { messageId } = await world.delivery(mine[0] ?? '')
    const filters: DeliveryFilter[] = [
      { ids: [...mine, world.id('dlv')] },
      { status: 'dead' },
      { status: ['dead', 'delivered'] },
      { reason: 'exhausted' },
      { endpointId: endpoint.id },
      { applicationId: endpoint.applicationId },
      { messageId },
      { type: 'order.made' },
      { since: at },
      { since: at, until: at + 1, type: 'order.made', status: 'dead' },
    ]
    for (const filter of filters) {
      has((await runAll(world, await begin(world, 'requeue', filter), 10)).at(-1)?.job, { done: 1, state: 'done' })
      const claim = await world.claimOne({ from: endpoint, lane: 'retries', at })
      await world.mark([dead(claim, at)], { at })
    }
    for (const filter of [{ ids: [] }, { status: [] }, { status: 'delivered' as const }, { unchangedSince: start }]) {
      has((await runAll(world, await begin(world, 'requeue', filter), 10)).at(-1)?.job, { done: 0, state: 'done' })
    }
    has(await world.delivery(other), { status: 'failed', leaseEpoch: 1 })
  }),

  storeCase('what comes behind more rows than a batch may read is found by a later one', async (world) => {
    const endpoint = await world.endpoint()
    const envelopes = copies(
      world,
      await world.envelope(Array.from({ length: 10 }, () => endpoint)),
      manyDeliveries / 10,
    )
    await world.queue.enqueue({ owner: 'anna', leaseMs, now: start, envelopes })
    const wanted = await world.sendOne(endpoint, { at: start + day, message: { type: 'order.made' } })
    for (const filter of [
      { type: 'order.made' },
      { status: 'pending', type: 'order.made' },
      { applicationId: endpoint.applicationId, since: start + day },
    ] as const) {
      const batches = await runAll(world, await begin(world, 'cancel', filter), 10, start + day)
      assert.deepEqual(
        batches.flatMap(({ cancelled }) => cancelled.map(({ id }) => id)),
        [wanted],
        JSON.stringify(filter),
      )
      await world.queue.requeue({ filter: { ids: [wanted] }, now: start + day, limit: 1, by: { name: 'maria' } })
    }
  }),

  storeCase('a cancel of what is dead gives it up for good, and tells nobody', async (world) => {
    const endpoint = await world.endpoint()
    const letters = await times(3, () => world.settled(endpoint, dead))
    const open = await world.settled(endpoint, failed)
    const batches = await runAll(world, await begin(world, 'cancel', { status: 'dead' }), 2, start + minute)
    assert.deepEqual(
      batches.map(({ job: { done, state } }) => [done, state]),
      [
        [2, 'running'],
        [3, 'done'],
      ],
    )
    assert.deepEqual(
      batches.flatMap(({ cancelled }) => cancelled),
      [],
    )
    for (const id of letters)
      has(await world.delivery(id), { status: 'dead', reason: 'cancelled', updatedAt: start + minute })
    has(await world.delivery(open), { status: 'failed', reason: null })
  }),

  storeCase('batches that are taken at the same time take nothing twice', async (world) => {
    const endpoint = await world.endpoint()
    await times(20, () => world.settled(endpoint, dead))
    const job = await begin(world, 'requeue', { endpointId: endpoint.id })
    await times(12, () => world.directory.advanceJob(job.id, 2, start))
    has(await world.directory.job(job.id), { done: 20, state: 'done' })
    const rows = await world.directory.listDeliveries({ endpointId: endpoint.id }, { limit: 100, after: null })
    assert.deepEqual([...new Set(rows.map(({ leaseEpoch }) => leaseEpoch))], [2])
  }),
]

/** All batches of a job, one after the other. */
async function runAll(world: World, { id }: Job, limit: number, at = start): Promise<AdvancedJob[]> {
  const batches: AdvancedJob[] = []
  for (let batch = 0; batch < 20; batch += 1) {
    const advanced = await world.directory.advanceJob(id, limit, at)
    assert.ok(advanced !== null, 'the job is still running')
    batches.push(advanced)
    if (advanced.job.state === 'done') return batches
  }
  return assert.fail('the job comes to an end')
}
