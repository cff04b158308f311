import assert from 'node:assert/strict'
import type { PrunePlace } from '../../../core/ports/queue.ts'
import type { Instant } from '../../../core/time.ts'
import { day, hour } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import { dead, delivered, failed } from './marks.ts'
import { start, times } from '../world.ts'
import type { World } from '../world.ts'

const by = { name: 'test' }

export const pruneCases = [
  storeCase('prune erases bodies whose time is over, once nothing of them is on its way', async (world) => {
    const endpoint = await world.endpoint()
    const [ended, open, later] = [
      await world.settled(endpoint, delivered),
      await world.sendOne(endpoint),
      await world.settled(endpoint, delivered),
    ]
    const messageIdOf = async (id: string): Promise<string> => (await world.delivery(id)).messageId
    const [endedMessage, openMessage, laterMessage] = [
      await messageIdOf(ended),
      await messageIdOf(open),
      await messageIdOf(later),
    ]
    await world.directory.expirePayloads([
      { messageId: endedMessage, eraseAt: start + hour },
      { messageId: openMessage, eraseAt: start + hour },
      { messageId: laterMessage, eraseAt: start + hour + 1 },
      { messageId: world.id('msg'), eraseAt: start },
    ])
    const erased = async (): Promise<(Instant | null | undefined)[]> =>
      Promise.all(
        [endedMessage, openMessage, laterMessage].map(async (id) => (await world.directory.message(id))?.erasedAt),
      )
    await world.prune({ before: 0, now: start + hour - 1, limit: 10 })
    assert.deepEqual(await erased(), [null, null, null])
    assert.equal(await world.prune({ before: 0, now: start + hour, limit: 10 }), 1)
    assert.deepEqual(await erased(), [start + hour, null, null])
    assert.equal((await world.directory.message(endedMessage))?.body.length, 0)
    await world.queue.cancel({ filter: { ids: [open] }, as: 'cancelled', now: start, limit: 1, by })
    assert.equal(await world.prune({ before: 0, now: start + 2 * hour, limit: 10 }), 2)
    assert.deepEqual(await erased(), [start + hour, start + 2 * hour, start + 2 * hour])
    assert.equal(await world.prune({ before: 0, now: start + 3 * hour, limit: 10 }), 0)
  }),

  storeCase(
    'prune forgets closed deliveries that ended before a time, with their attempts and messages',
    async (world) => {
      const endpoint = await world.endpoint()
      const old = [await world.settled(endpoint, delivered), await world.settled(endpoint, dead)]
      const messageIds = await Promise.all(old.map(async (id) => (await world.delivery(id)).messageId))
      await pruneAll(world, start + 1)
      for (const id of old) {
        assert.equal(await world.directory.delivery(id), null)
        assert.deepEqual(await world.directory.attempts(id), [])
      }
      for (const id of messageIds) assert.equal(await world.directory.message(id), null)
    },
  ),

  storeCase('prune leaves what is open, however old, and what ended at the time or later', async (world) => {
    const endpoint = await world.endpoint()
    const kept = [
      await world.sendOne(endpoint),
      await world.sendOne(endpoint, { leasedBy: 'anna' }),
      await world.settled(endpoint, failed),
      await world.settled(endpoint, delivered, { at: start + hour }),
      await endedLater(world),
    ]
    await pruneAll(world, start + hour)
    for (const id of kept) {
      const delivery = await world.delivery(id)
      assert.ok((await world.directory.message(delivery.messageId)) !== null)
    }
    assert.equal((await world.directory.attempts(kept[2] ?? '')).length, 1)
  }),

  storeCase('a message stays as long as one delivery is left of it', async (world) => {
    const endpoint = await world.endpoint()
    const [first = '', second = ''] = await world.send([endpoint, endpoint])
    const { messageId } = await world.delivery(first)
    await world.queue.cancel({ filter: { ids: [first] }, as: 'cancelled', now: start, limit: 1, by })
    await pruneAll(world, start + hour)
    assert.equal(await world.directory.delivery(first), null)
    assert.ok((await world.directory.message(messageId)) !== null)
    assert.equal((await world.claim({ from: endpoint })).length, 1)

    await world.queue.cancel({ filter: { ids: [second] }, as: 'cancelled', now: start, limit: 1, by })
    await pruneAll(world, start + hour)
    assert.equal(await world.directory.message(messageId), null)
  }),

  storeCase('a message that never had a delivery is forgotten by its age', async (world) => {
    const { id: applicationId } = await world.application()
    const [old, young] = [
      await world.envelope([], { message: { applicationId } }),
      await world.envelope([], { message: { applicationId }, at: start + hour }),
    ]
    await world.queue.enqueue({ owner: 'anna', leaseMs: 1000, now: start, envelopes: [old, young] })
    await pruneAll(world, start + hour)
    assert.equal(await world.directory.message(old.message.id), null)
    assert.ok((await world.directory.message(young.message.id)) !== null)
  }),

  storeCase(
    'dead letters, and audit entries, have ages of their own; a payload stays for a dead letter',
    async (world) => {
      const endpoint = await world.endpoint()
      const done = await world.settled(endpoint, delivered)
      const letter = await world.delivery(await world.settled(endpoint, dead))
      await world.directory.note({ action: 'reveal', by, target: endpoint.id, at: start })
      const audit = async (): Promise<number> => (await world.directory.audit({}, { limit: 10, after: null })).length
      const batch = { now: start + day, limit: 10 }
      await world.prune({ before: start + 1, deadBefore: start, auditBefore: start, ...batch })
      assert.equal(await world.directory.delivery(done), null)
      assert.ok((await world.directory.message(letter.messageId))?.body.length !== 0)
      assert.deepEqual([(await world.delivery(letter.id)).status, await audit()], ['dead', 1])
      await world.prune({ before: start + 1, deadBefore: start + 1, auditBefore: start + 1, ...batch })
      assert.equal(await world.directory.delivery(letter.id), null)
      assert.equal(await world.directory.message(letter.messageId), null)
      assert.equal(await audit(), 0)
    },
  ),

  storeCase('a round goes on behind what is kept for longer, and comes to an end', async (world) => {
    const endpoint = await world.endpoint()
    const kept = await times(5, () => world.settled(endpoint, dead))
    const gone = await times(5, () => world.settled(endpoint, delivered))
    const ages = { before: start + 1, deadBefore: start, auditBefore: start, now: start + 1, limit: 2 }
    let batches = 0
    for (let from: PrunePlace | null = null; batches === 0 || from !== null; batches += 1) {
      assert.ok(batches < 20, 'it comes to an end')
      from = (await world.queue.prune({ ...ages, from })).next
    }
    for (const id of gone) assert.equal(await world.directory.delivery(id), null)
    for (const id of kept) assert.ok((await world.directory.delivery(id)) !== null)
    assert.equal(await world.prune({ ...ages, limit: 100 }), 0, 'nothing was left behind')
  }),

  storeCase('prune forgets at most its limit of deliveries at a time', async (world) => {
    const endpoint = await world.endpoint()
    await times(5, () => world.settled(endpoint, delivered))
    assert.ok((await world.prune({ before: start + 1, now: start + 1, limit: 2 })) > 0)
    assert.equal(await world.directory.countDeliveries({}, 10), 3)
    await pruneAll(world, start + 1)
    assert.equal(await world.directory.countDeliveries({}, 10), 0)
  }),

  storeCase('prune with nothing to forget answers 0', async (world) => {
    await world.send(await world.endpoint())
    assert.equal(await world.prune({ before: start + hour, now: start + hour, limit: 10 }), 0)
  }),

  storeCase(
    'E17 expired idempotency keys are counted, so that whoever prunes goes on until all are gone',
    async (world) => {
      const { id: applicationId } = await world.application()
      const envelopes = await times(5, (index) =>
        world.envelope([], { key: `key-${index}`, message: { applicationId } }),
      )
      await world.queue.enqueue({ owner: 'anna', leaseMs: 1000, now: start, envelopes })
      const [before, later] = [start, start + 25 * hour]
      assert.equal(await world.prune({ before, now: start + 23 * hour, limit: 2 }), 0, 'they are still in use')
      const counted: number[] = []
      for (let batch = 0; batch < 4; batch += 1) counted.push(await world.prune({ before, now: later, limit: 2 }))
      assert.deepEqual(counted, [2, 2, 1, 0])
    },
  ),

  storeCase('a mark that comes after its row was pruned is lost', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint)
    const claim = await world.claimOne({ from: endpoint })
    await world.queue.cancel({ filter: { ids: [deliveryId] }, as: 'cancelled', now: start, limit: 1, by })
    await pruneAll(world, start + hour)
    assert.deepEqual(await world.mark([delivered(claim, start)]), ['lost'])
  }),
]

/** A row that was created before the time, and ended at it. */
async function endedLater(world: World): Promise<string> {
  const endpoint = await world.endpoint()
  const deliveryId = await world.sendOne(endpoint)
  const claim = await world.claimOne({ from: endpoint })
  await world.mark([delivered(claim, start + hour)], { at: start + hour })
  return deliveryId
}

async function pruneAll(world: World, before: Instant): Promise<void> {
  for (let batch = 0; batch < 20; batch += 1) if ((await world.prune({ before, now: before, limit: 2 })) === 0) return
  assert.fail('prune comes to an end')
}
