import assert from 'node:assert/strict'
import type { Endpoint } from '../../../core/endpoint/endpoint.ts'
import type { Job, JobWork } from '../../../core/delivery/job.ts'
import type { AdvancedJob, ReplayBatch } from '../../../core/ports/directory.ts'
import type { DeliveryFilter, NewDelivery } from '../../../core/ports/queue.ts'
import { day, hour, minute } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import { dead, delivered, failed } from '../queue/marks.ts'
import { copies, has, leaseMs, only, start, times } from '../world.ts'
import type { World } from '../world.ts'

// More than a store reads in one batch.
const manyDeliveries = 11_000

export const jobCases = [
  storeCase('a job comes back as given, and who asked for it is in the audit log', async (world) => {
    const job = aJob(
      world,
      { action: 'requeue', filter: { status: 'dead', since: start } },
      { matching: 7, applicationId: world.id('app') },
    )
    assert.deepEqual(await world.directory.createJob(job), job)
    assert.deepEqual(await world.directory.job(job.id), job)
    assert.equal(await world.directory.job(world.id('job')), null)
    const entry = only(await world.directory.audit({ limit: 10, after: null }))
    has(entry, {
      at: start,
      actor: 'maria',
      action: 'requeue',
      count: 7,
      reason: 'the receiver is back',
      target: JSON.stringify(job.work.filter),
    })
  }),

  storeCase(
    'jobs are listed newest first, of one application or of all; the oldest that runs comes first',
    async (world) => {
      const applicationId = world.id('app')
      const made = await Promise.all(
        [0, 1, 2].map((index) => {
          const job = aJob(
            world,
            { action: 'cancel', filter: {} },
            { id: world.id('job', start + index), applicationId: index === 1 ? applicationId : null },
          )
          return world.directory.createJob(job)
        }),
      )
      const [first, second, third] = made.map(({ id }) => id)
      const list = async (filter: { applicationId?: string }, after: string | null = null): Promise<string[]> =>
        (await world.directory.listJobs(filter, { limit: 2, after })).map(({ id }) => id)
      assert.deepEqual(await list({}), [third, second])
      assert.deepEqual(await list({}, second ?? null), [first])
      assert.deepEqual(await list({ applicationId }), [second])
      assert.equal((await world.directory.runningJob(''))?.id, first)
      assert.equal((await world.directory.runningJob(first ?? ''))?.id, second)
      assert.equal(await world.directory.runningJob(third ?? ''), null)
      await world.directory.changeJob(first ?? '', 'running', 'paused', start)
      assert.equal((await world.directory.runningJob(''))?.id, second)
      for (const id of [second, third]) await world.directory.changeJob(id ?? '', 'running', 'cancelled', start)
      assert.equal(await world.directory.runningJob(''), null)
    },
  ),

  storeCase('a job changes its state only from the one that is given', async (world) => {
    const job = await world.directory.createJob(aJob(world, { action: 'cancel', filter: {} }))
    assert.deepEqual(await world.directory.changeJob(job.id, 'running', 'paused', start + 1), {
      ...job,
      state: 'paused',
      updatedAt: start + 1,
    })
    assert.equal(await world.directory.changeJob(job.id, 'running', 'cancelled', start + 2), null)
    has(await world.directory.job(job.id), { state: 'paused', updatedAt: start + 1 })
    assert.equal(await world.directory.changeJob(world.id('job'), 'running', 'paused', start), null)
  }),

  storeCase('a requeue goes on from bite to bite, tells its progress, and ends', async (world) => {
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
    assert.equal((await world.directory.audit({ limit: 10, after: null })).length, 1)
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
      { id: open[2], endpointId: endpoint.id, messageId, sessionId: 'session-7' },
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

  storeCase('what comes behind more rows than a bite may read is found by a later one', async (world) => {
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

  storeCase('a job that is paused or cancelled does not go on', async (world) => {
    const endpoint = await world.endpoint()
    await times(2, () => world.send(endpoint))
    const job = await begin(world, 'cancel', { endpointId: endpoint.id })
    await world.directory.changeJob(job.id, 'running', 'paused', start)
    assert.equal(await world.directory.advanceJob(job.id, 1, start), null)
    assert.equal(await world.directory.advanceJob(world.id('job'), 1, start), null)
    assert.equal((await world.claim({ from: endpoint })).length, 2)
  }),

  storeCase('bites that are taken at the same time take nothing twice', async (world) => {
    const endpoint = await world.endpoint()
    await times(20, () => world.settled(endpoint, dead))
    const job = await begin(world, 'requeue', { endpointId: endpoint.id })
    await times(12, () => world.directory.advanceJob(job.id, 2, start))
    has(await world.directory.job(job.id), { done: 20, state: 'done' })
    const rows = await world.directory.listDeliveries({ endpointId: endpoint.id }, { limit: 100, after: null })
    assert.deepEqual([...new Set(rows.map(({ leaseEpoch }) => leaseEpoch))], [2])
  }),

  storeCase(
    'a replay adds deliveries bite by bite, and a bite that was read before the last one writes nothing',
    async (world) => {
      const endpoint = await world.endpoint()
      const messages = await threeMessages(world, endpoint)
      const job = await world.directory.createJob(
        aJob(
          world,
          { action: 'replay', filter: { endpointId: endpoint.id, since: start, until: start + day } },
          { matching: 3 },
        ),
      )
      has(only(await world.directory.audit({ limit: 10, after: null })), { action: 'replay', count: 3 })
      assert.equal(await world.directory.advanceJob(job.id, 10, start), null)

      const batch = (from: number, to: number, ends: boolean): ReplayBatch => ({
        jobId: job.id,
        from: from === 0 ? null : (messages[from - 1] ?? null),
        deliveries: messages.slice(from, to).map((messageId) => ({ ...aDelivery(world, endpoint), messageId })),
        done: to - from,
        cursor: ends ? null : (messages[to - 1] ?? null),
      })
      has(await world.directory.advanceReplay(batch(0, 2, false), start + 1), {
        done: 2,
        state: 'running',
        cursor: messages[1] ?? null,
        updatedAt: start + 1,
      })
      assert.equal(await world.directory.advanceReplay(batch(0, 2, false), start + 2), null)
      has(await world.directory.advanceReplay(batch(2, 3, true), start + 3), {
        done: 3,
        state: 'done',
        cursor: messages[1] ?? null,
      })
      assert.equal(await world.directory.advanceReplay(batch(2, 3, true), start + 4), null)

      const rows = await world.directory.listDeliveries({ endpointId: endpoint.id }, { limit: 10, after: null })
      assert.deepEqual(rows.map(({ messageId }) => messageId).toSorted(), messages.toSorted())
      has(rows[0], {
        status: 'pending',
        eventType: 'invoice.paid',
        applicationId: endpoint.applicationId,
        policy: 'patient',
        leaseEpoch: 0,
        attemptCount: 0,
      })
      // As whatever was asked for in bulk, they leave on the tick, within their cap.
      assert.equal((await world.claim({ from: endpoint, lane: 'retries', at: start + 3 })).length, 3)
    },
  ),

  storeCase('a replay of a message that is gone, or of none, adds nothing', async (world) => {
    const endpoint = await world.endpoint()
    const job = await world.directory.createJob(
      aJob(world, { action: 'replay', filter: { endpointId: endpoint.id, since: start, until: start + day } }),
    )
    const batch = {
      jobId: job.id,
      from: null,
      deliveries: [{ ...aDelivery(world, endpoint), messageId: world.id('msg') }],
      done: 1,
      cursor: 'msg_1',
    }
    has(await world.directory.advanceReplay(batch, start), { done: 1, state: 'running' })
    has(
      await world.directory.advanceReplay({ ...batch, from: 'msg_1', deliveries: [], done: 0, cursor: null }, start),
      { done: 1, state: 'done' },
    )
    assert.equal(await world.directory.countDeliveries({}, 10), 0)
  }),

  storeCase('prune forgets jobs that were over for more than 30 days, and no others', async (world) => {
    const jobs = await times(4, () => begin(world, 'cancel', {}))
    const [over, cancelled, late, running] = jobs.map(({ id }) => id)
    await world.directory.advanceJob(over ?? '', 10, start)
    await world.directory.changeJob(cancelled ?? '', 'running', 'cancelled', start)
    await world.directory.changeJob(late ?? '', 'running', 'cancelled', start + hour)
    await world.queue.prune({ before: start, now: start + hour + 30 * day, limit: 10 })
    const left = await world.directory.listJobs({}, { limit: 10, after: null })
    assert.deepEqual(left.map(({ id }) => id).toSorted(), [late ?? '', running ?? ''].toSorted())
  }),
]

function aJob(world: World, work: JobWork, change: Partial<Job> = {}): Job {
  return {
    id: world.id('job'),
    applicationId: null,
    work,
    state: 'running',
    matching: 1,
    done: 0,
    cursor: null,
    actor: 'maria',
    reason: 'the receiver is back',
    createdAt: start,
    updatedAt: start,
    ...change,
  }
}

function begin(world: World, action: 'requeue' | 'cancel', filter: DeliveryFilter): Promise<Job> {
  return world.directory.createJob(aJob(world, { action, filter }))
}

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

async function threeMessages(world: World, { applicationId }: Endpoint): Promise<string[]> {
  const envelopes = await times(3, (index) => world.envelope([], { at: start + index, message: { applicationId } }))
  await world.queue.enqueue({ owner: 'anna', leaseMs, now: start, envelopes })
  return envelopes.map(({ message }) => message.id)
}

function aDelivery(world: World, endpoint: Endpoint): NewDelivery {
  return {
    id: world.id('dlv'),
    endpointId: endpoint.id,
    targetUrl: endpoint.url,
    policy: 'patient',
    nextRetryAt: start,
    leased: false,
  }
}
