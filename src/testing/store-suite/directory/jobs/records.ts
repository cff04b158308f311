import assert from 'node:assert/strict'
import { day, hour } from '../../../../core/time.ts'
import { storeCase } from '../../case.ts'
import { has, only, start, times } from '../../world.ts'
import { aJob, begin } from './job.ts'

export const jobRecordCases = [
  storeCase('a job comes back as given, and who asked for it is in the audit log', async (world) => {
    const job = aJob(
      world,
      { action: 'requeue', filter: { status: 'dead', since: start } },
      { matching: 7, applicationId: world.id('app') },
    )
    assert.deepEqual(await world.directory.createJob(job), job)
    assert.deepEqual(await world.directory.job(job.id), job)
    assert.equal(await world.directory.job(world.id('job')), null)
    const entry = only(await world.directory.audit({}, { limit: 10, after: null }))
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
      await world.directory.changeJob({ id: first ?? '', from: 'running', to: 'paused', now: start })
      assert.equal((await world.directory.runningJob(''))?.id, second)
      for (const id of [second, third])
        await world.directory.changeJob({ id: id ?? '', from: 'running', to: 'cancelled', now: start })
      assert.equal(await world.directory.runningJob(''), null)
    },
  ),

  storeCase('a job changes its state only from the one that is given', async (world) => {
    const job = await world.directory.createJob(aJob(world, { action: 'cancel', filter: {} }))
    assert.deepEqual(await world.directory.changeJob({ id: job.id, from: 'running', to: 'paused', now: start + 1 }), {
      ...job,
      state: 'paused',
      updatedAt: start + 1,
    })
    assert.equal(
      await world.directory.changeJob({ id: job.id, from: 'running', to: 'cancelled', now: start + 2 }),
      null,
    )
    has(await world.directory.job(job.id), { state: 'paused', updatedAt: start + 1 })
    assert.equal(
      await world.directory.changeJob({ id: world.id('job'), from: 'running', to: 'paused', now: start }),
      null,
    )
  }),

  storeCase('a job that is paused or cancelled does not go on', async (world) => {
    const endpoint = await world.endpoint()
    await times(2, () => world.send(endpoint))
    const job = await begin(world, 'cancel', { endpointId: endpoint.id })
    await world.directory.changeJob({ id: job.id, from: 'running', to: 'paused', now: start })
    assert.equal(await world.directory.advanceJob(job.id, 1, start), null)
    assert.equal(await world.directory.advanceJob(world.id('job'), 1, start), null)
    assert.equal((await world.claim({ from: endpoint })).length, 2)
  }),

  storeCase('prune forgets jobs that were over for more than 30 days, and no others', async (world) => {
    const jobs = await times(4, () => begin(world, 'cancel', {}))
    const [over, cancelled, late, running] = jobs.map(({ id }) => id)
    await world.directory.advanceJob(over ?? '', 10, start)
    await world.directory.changeJob({ id: cancelled ?? '', from: 'running', to: 'cancelled', now: start })
    await world.directory.changeJob({ id: late ?? '', from: 'running', to: 'cancelled', now: start + hour })
    await world.prune({ before: start, now: start + hour + 30 * day, limit: 10 })
    const left = await world.directory.listJobs({}, { limit: 10, after: null })
    assert.deepEqual(left.map(({ id }) => id).toSorted(), [late ?? '', running ?? ''].toSorted())
  }),
]
