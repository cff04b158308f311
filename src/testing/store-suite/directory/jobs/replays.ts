import assert from 'node:assert/strict'
import type { Endpoint } from '../../../../core/endpoint/endpoint.ts'
import type { ReplayBatch } from '../../../../core/ports/directory/jobs.ts'
import type { NewDelivery } from '../../../../core/ports/queue.ts'
import { day } from '../../../../core/time.ts'
import { storeCase } from '../../case.ts'
import { has, leaseMs, only, start, times } from '../../world.ts'
import type { World } from '../../world.ts'
import { aJob } from './job.ts'

export const replayCases = [
  storeCase(
    'a replay adds deliveries batch by batch, and a batch that was read before the last one writes nothing',
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
      has(only(await world.directory.audit({}, { limit: 10, after: null })), { action: 'replay', count: 3 })
      assert.equal(await world.directory.advanceJob(job.id, 10, start), null)

      const batch = (from: number, to: number, ends: boolean): ReplayBatch => ({
        jobId: job.id,
        from: from === 0 ? null : (messages[from - 1] ?? null),
        deliveries: messages.slice(from, to).map((messageId) => ({ ...aDelivery(world, endpoint), messageId })),
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
      // Like all bulk work they leave on the tick, within their limit.
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
      cursor: 'msg_1',
    }
    has(await world.directory.advanceReplay(batch, start), { done: 0, skipped: 1, state: 'running' })
    has(await world.directory.advanceReplay({ ...batch, from: 'msg_1', deliveries: [], cursor: null }, start), {
      done: 0,
      skipped: 1,
      state: 'done',
    })
    assert.equal(await world.directory.countDeliveries({}, 10), 0)
  }),
]

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
