import assert from 'node:assert/strict'
import type { Delivery } from '../../../core/delivery/delivery.ts'
import type { Endpoint } from '../../../core/endpoint/endpoint.ts'
import { healthy } from '../../../core/endpoint/health.ts'
import type { Job } from '../../../core/delivery/job.ts'
import type { AdvancedJob } from '../../../core/ports/directory/jobs.ts'
import { day, hour } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import type { StoreCase } from '../case.ts'
import { dead, delivered, failed } from '../queue/marks.ts'
import { has, leaseMs, start } from '../world.ts'
import type { World } from '../world.ts'

const page = { limit: 100, after: null }
const by = { name: 'kim' }

/** What is left of a deleted application: nothing is shown at once, and nothing is stored in the end. */
export const erasureCases: readonly StoreCase[] = [
  storeCase('nothing of a deleted application is shown, before anything is erased', async (world) => {
    const { endpoint, rows } = await somethingOfEach(world)
    const { applicationId } = endpoint
    const other = await world.delivery(await world.settled(await world.endpoint(), dead))
    await world.erase(applicationId)
    for (const { id, messageId } of rows) {
      assert.equal(await world.directory.delivery(id), null)
      assert.equal(await world.directory.message(messageId), null)
      assert.equal(await world.directory.messageOf(applicationId, messageId), null)
      const { items } = await world.directory.listAttempts({ messageId }, page)
      assert.deepEqual(items, [])
    }
    const messageIds = [...rows, other].map(({ messageId }) => messageId)
    assert.deepEqual(
      (await world.directory.messagesById(messageIds)).map(({ id }) => id),
      [other.messageId],
    )
    assert.deepEqual((await world.directory.listMessages({ applicationId }, page)).items, [])
    assert.equal(await world.directory.countMessages({ applicationId }, 10), 0)
    for (const filter of [{}, { applicationId }, { endpointId: endpoint.id }, { status: 'dead' as const }]) {
      const found = (await world.directory.listDeliveries(filter, page)).map(({ id }) => id)
      assert.ok(found.every((id) => id === other.id))
      assert.ok((await world.directory.countDeliveries(filter, 10)) <= 1)
    }
    assert.deepEqual(
      (await world.directory.deadLetters({}, 10)).map(({ endpointId }) => endpointId),
      [other.endpointId],
    )
    assert.equal(await world.directory.endpoint(null, endpoint.id), null)
  }),

  storeCase('an erasure ends what is open and forgets everything, batch by batch', async (world) => {
    const { endpoint, rows } = await somethingOfEach(world)
    const { applicationId, id: endpointId } = endpoint
    const kept = await world.delivery(await world.settled(await world.endpoint(), delivered))
    await world.queue.saveHealth(endpointId, { ...healthy, failures: 3 })
    await world.directory.takeReply({ key: 'r', requestHash: 'h', applicationId, now: start, until: start + hour })
    await world.directory.takeReply({ key: 'other', requestHash: 'h', now: start, until: start + hour })
    const job = await world.erase(applicationId, start + 5)
    const batches = await runAll(world, job, 2)
    assert.ok(batches.length > 2)
    const open = rows.filter(({ status }) => status === 'pending' || status === 'failed')
    assert.deepEqual(
      batches.flatMap(({ cancelled }) => cancelled.map(({ id }) => id)).toSorted(),
      open.map(({ id }) => id).toSorted(),
    )
    has(await world.directory.job(job?.id ?? ''), { state: 'done', done: rows.length, skipped: 0 })
    for (const { id } of rows) assert.deepEqual(await world.directory.attempts(id), [])
    assert.deepEqual(await world.directory.endpointsById([endpointId]), [])
    assert.equal((await world.queue.health([endpointId])).size, 0)
    const counts = await world.directory.endpointCounts(endpointId, start - day, start + day)
    assert.deepEqual([counts.delivered, counts.dead], [0, 0])
    const reply = { requestHash: 'h', now: start, until: start + hour }
    has(await world.directory.takeReply({ key: 'r', ...reply }), { kind: 'taken' })
    has(await world.directory.takeReply({ key: 'other', ...reply }), { kind: 'busy' })
    assert.ok((await world.directory.delivery(kept.id)) !== null)
    // Nothing is left that a later look could find.
    await world.prune({ before: 0, now: start + 3 * day, limit: 10 })
    assert.equal(await world.erase(applicationId, start + 3 * day), null)
  }),

  storeCase('an attempt that comes back after its delivery was erased is lost, and leaves nothing', async (world) => {
    const endpoint = await world.endpoint()
    await world.sendOne(endpoint)
    const claim = await world.claimOne({ from: endpoint })
    await runAll(world, await world.erase(endpoint.applicationId), 10)
    assert.deepEqual(await world.mark([delivered(claim, start)]), ['lost'])
    assert.deepEqual(await world.directory.attempts(claim.delivery.id), [])
    assert.deepEqual(
      await world.queue.renew({
        owner: 'anna',
        now: start,
        leaseMs,
        leases: [{ deliveryId: claim.delivery.id, epoch: 1 }],
      }),
      [],
    )
  }),

  storeCase('idempotency keys and API keys of an erased application are gone', async (world) => {
    const endpoint = await world.endpoint()
    const { applicationId } = endpoint
    await world.sendOne(endpoint, { key: 'once' })
    const key = {
      id: world.id('key'),
      name: 'theirs',
      applicationId,
      access: 'write',
      hash: 'h',
      hint: '',
      createdAt: start,
      expiresAt: null,
      revokedAt: null,
      createdFrom: null,
      sessionOf: null,
      portal: null,
    } as const
    await world.directory.createKey(key)
    await world.directory.addEvents('one', [anEvent(world, applicationId), anEvent(world, null)], start)
    await runAll(world, await world.erase(applicationId), 10)
    assert.equal(await world.directory.key(key.id), null)
    const events = await world.directory.eventsFrom('', 'another', 10)
    assert.deepEqual(
      events.map((event) => event.applicationId),
      [null],
    )
  }),

  storeCase(
    'dead letters of a deleted endpoint are not requeued, resent or replayed, and a job counts them',
    async (world) => {
      const endpoint = await world.endpoint()
      const living = await world.endpoint({ applicationId: endpoint.applicationId })
      const [gone, sent] = [await world.settled(endpoint, dead), await world.settled(endpoint, delivered)]
      const fine = await world.settled(living, dead)
      await world.change(endpoint, { status: 'deleted' })
      const request = { now: start + 1, limit: 10, by }
      assert.equal(await world.queue.requeue({ ...request, filter: { ids: [gone] } }), 0)
      const again = { ...(await world.delivery(sent)), id: world.id('dlv'), nextRetryAt: start, leased: false }
      assert.equal(await world.directory.addDelivery(again, start + 1, by), null)
      const work = { action: 'requeue', filter: { status: 'dead' } } as const
      const asked = { id: world.id('job'), applicationId: null, work, actor: 'kim', reason: null }
      const begun = { state: 'running', matching: 2, done: 0, skipped: 0, cursor: null } as const
      const job = await world.directory.createJob({ ...asked, ...begun, createdAt: start, updatedAt: start })
      await runAll(world, job, 10)
      has(await world.directory.job(job.id), { state: 'done', matching: 2, done: 1, skipped: 1 })
      has(await world.delivery(gone), { status: 'dead' })
      has(await world.delivery(fine), { status: 'pending' })
    },
  ),

  storeCase('of some ids those of applications are told apart', async (world) => {
    const [one, other] = [await world.application(), await world.application()]
    await world.erase(other.id)
    assert.deepEqual(await world.directory.applicationsAmong([one.id, other.id, world.id('app')]), [one.id])
    assert.deepEqual(await world.directory.applicationsAmong([]), [])
  }),
]

/** An endpoint with a delivery in each state. */
async function somethingOfEach(world: World): Promise<{ endpoint: Endpoint; rows: Delivery[] }> {
  const endpoint = await world.endpoint()
  const ids = [
    await world.sendOne(endpoint),
    await world.sendOne(endpoint, { leasedBy: 'anna' }),
    await world.settled(endpoint, failed),
    await world.settled(endpoint, delivered),
    await world.settled(endpoint, dead),
  ]
  const rows = await Promise.all(ids.map((id) => world.delivery(id)))
  return { endpoint, rows }
}

async function runAll(world: World, job: Job | null, limit: number): Promise<AdvancedJob[]> {
  const batches: AdvancedJob[] = []
  for (let batch = 0; batch < 50; batch += 1) {
    const advanced = await world.directory.advanceJob(job?.id ?? '', limit, start + 10)
    assert.ok(advanced !== null)
    batches.push(advanced)
    if (advanced.job.state === 'done') return batches
  }
  return assert.fail('it comes to an end')
}

function anEvent(world: World, applicationId: string | null) {
  const event = { topic: 'gateway:webhooks', type: 'warning', at: start, code: 'store_error', message: 'x' } as const
  return { id: world.id('evt'), type: 'warning', at: start, applicationId, endpointId: null, event } as const
}
