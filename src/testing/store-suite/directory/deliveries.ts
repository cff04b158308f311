import assert from 'node:assert/strict'
import type { Delivery } from '../../../core/delivery/delivery.ts'
import type { DeliveryFilter } from '../../../core/ports/queue.ts'
import { minute } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import { dead, deadAs, delivered, failed } from '../queue/marks.ts'
import { has, ids, leaseMs, start, times } from '../world.ts'

export const deliveryCases = [
  storeCase('what is not there is null', async (world) => {
    assert.equal(await world.directory.delivery(world.id('dlv')), null)
    assert.equal(await world.directory.message(world.id('msg')), null)
    assert.deepEqual(await world.directory.listDeliveries({}, { limit: 10, after: null }), [])
    assert.equal(await world.directory.countDeliveries({}, 10), 0)
  }),

  storeCase('deliveries are listed newest first, page by page', async (world) => {
    const endpoint = await world.endpoint()
    const sent: string[] = []
    for (const index of [3, 0, 6, 1, 5, 2, 4]) sent.push(await world.sendOne(endpoint, { at: start + index }))
    const newestFirst = sent.toSorted().toReversed()

    const seen: Delivery[] = []
    for (let pages = 0; pages < 10; pages += 1) {
      const page = await world.directory.listDeliveries(
        { endpointId: endpoint.id },
        { limit: 3, after: seen.at(-1)?.id ?? null },
      )
      assert.ok(page.length <= 3)
      seen.push(...page)
      if (page.length === 0) break
    }
    assert.deepEqual(
      seen.map(({ id }) => id),
      newestFirst,
    )
    assert.deepEqual(seen[0], await world.delivery(newestFirst[0] ?? ''))
  }),

  storeCase('leases that ended before a time are counted, up to a bound, whatever their lane', async (world) => {
    const [fresh, retried] = [await world.endpoint(), await world.endpoint()]
    for (const endpoint of [fresh, retried]) await world.sendOne(endpoint)
    await world.mark([failed(await world.claimOne({ from: retried }), start)])
    await world.claimOne({ from: fresh })
    await world.claimOne({ from: retried, lane: 'retries', at: start + minute })
    const ended = (before: number, most = 10): Promise<number> => world.directory.endedLeases(before, most)
    assert.equal(await ended(start + leaseMs - 1), 0)
    assert.equal(await ended(start + leaseMs), 1)
    assert.equal(await ended(start + minute + leaseMs), 2)
    assert.equal(await ended(start + minute + leaseMs, 1), 1)
  }),

  storeCase('lists and counts are of what all given conditions pick', async (world) => {
    const [mine, yours] = [await world.endpoint(), await world.endpoint()]
    const finished = await world.settled(mine, delivered)
    const retrying = await world.settled(mine, failed, { at: start + minute, message: { type: 'order.made' } })
    const exhausted = await world.settled(yours, dead, { at: start + 2 * minute })
    const gone = await world.settled(yours, deadAs('gone'), { at: start + 3 * minute, message: { type: 'order.made' } })
    const { messageId } = await world.delivery(retrying)

    const table: [DeliveryFilter, string[]][] = [
      [{}, [finished, retrying, exhausted, gone]],
      [{ ids: [gone, finished, gone, world.id('dlv')] }, [finished, gone]],
      [{ ids: [] }, []],
      [{ status: 'dead' }, [exhausted, gone]],
      [{ status: ['failed', 'delivered'] }, [finished, retrying]],
      [{ status: [] }, []],
      [{ status: undefined, type: undefined, ids: undefined }, [finished, retrying, exhausted, gone]],
      [{ reason: 'gone' }, [gone]],
      [{ endpointId: mine.id }, [finished, retrying]],
      [{ applicationId: yours.applicationId }, [exhausted, gone]],
      [{ messageId }, [retrying]],
      [{ type: 'order.made' }, [retrying, gone]],
      [{ type: 'order' }, []],
      [{ since: start + minute }, [retrying, exhausted, gone]],
      [{ since: start + minute + 1 }, [exhausted, gone]],
      [{ until: start + minute + 1 }, [finished, retrying]],
      [{ since: start + 1, until: start + 2 * minute + 1 }, [retrying, exhausted]],
      [{ unchangedSince: start + 2 * minute }, [finished, retrying]],
      [{ unchangedSince: start }, []],
      [{ type: 'order.made', status: 'dead', applicationId: yours.applicationId, since: start }, [gone]],
      [{ type: 'order.made', status: 'delivered' }, []],
    ]
    for (const [filter, wanted] of table) {
      const listed = await world.directory.listDeliveries(filter, { limit: 10, after: null })
      assert.deepEqual(
        listed.map(({ id }) => id),
        wanted.toSorted().toReversed(),
        JSON.stringify(filter),
      )
      assert.equal(await world.directory.countDeliveries(filter, 10), wanted.length, JSON.stringify(filter))
    }
  }),

  storeCase('a page of a filtered list goes on below the id it ended with', async (world) => {
    const [mine, yours] = [await world.endpoint(), await world.endpoint()]
    const sent: string[] = []
    for (const index of [0, 1, 2, 3]) {
      sent.push(await world.sendOne(mine, { at: start + 2 * index }))
      await world.send(yours, { at: start + 2 * index + 1 })
    }
    const page = await world.directory.listDeliveries({ endpointId: mine.id }, { limit: 2, after: sent[3] ?? null })
    assert.deepEqual(
      page.map(({ id }) => id),
      [sent[2], sent[1]],
    )
    for (const filter of [{ endpointId: mine.id }, { applicationId: mine.applicationId }]) {
      const oldestFirst = await world.directory.listDeliveries(filter, {
        limit: 2,
        after: sent[0] ?? null,
        order: 'ascending',
      })
      assert.deepEqual(
        oldestFirst.map(({ id }) => id),
        [sent[1], sent[2]],
      )
    }
  }),

  storeCase('a count goes up to its bound', async (world) => {
    const endpoint = await world.endpoint()
    await times(5, () => world.send(endpoint))
    assert.equal(await world.directory.countDeliveries({}, 3), 3)
    assert.equal(await world.directory.countDeliveries({ endpointId: endpoint.id }, 100), 5)
  }),

  storeCase('a resend is a new, fresh delivery of the same message; the old one does not change', async (world) => {
    const endpoint = await world.endpoint()
    const old = await world.settled(endpoint, delivered, { message: { sessionId: 'session-7', type: 'order.made' } })
    const before = await world.delivery(old)
    const added = {
      id: world.id('dlv', start + minute),
      messageId: before.messageId,
      endpointId: endpoint.id,
      targetUrl: endpoint.url,
      policy: 'patient',
      nextRetryAt: start + minute,
      leased: false,
    }
    const delivery = await world.directory.addDelivery(added, start + minute, { name: 'maria', reason: 'asked for it' })
    has(delivery, {
      id: added.id,
      messageId: before.messageId,
      applicationId: endpoint.applicationId,
      eventType: 'order.made',
      sessionId: 'session-7',
      status: 'pending',
      attemptCount: 0,
      nextRetryAt: start + minute,
      policy: 'patient',
      leaseOwner: null,
      leaseEpoch: 0,
      requeuedAt: start + minute,
      createdAt: start + minute,
      updatedAt: start + minute,
    })
    assert.deepEqual(await world.delivery(added.id), delivery)
    assert.deepEqual(await world.delivery(old), before)
    assert.deepEqual(ids(await world.claim({ from: endpoint, lane: 'retries', at: start + minute })), [added.id])

    const [entry] = await world.directory.audit({}, { limit: 10, after: null })
    has(entry, { at: start + minute, actor: 'maria', action: 'resend', count: 1, reason: 'asked for it' })
  }),

  storeCase('a resend of an unknown message is null, and leaves no trace', async (world) => {
    const endpoint = await world.endpoint()
    const added = {
      id: world.id('dlv'),
      messageId: world.id('msg'),
      endpointId: endpoint.id,
      targetUrl: endpoint.url,
      policy: 'standard',
      nextRetryAt: start,
      leased: false,
    }
    assert.equal(await world.directory.addDelivery(added, start, { name: 'maria' }), null)
    assert.equal(await world.directory.delivery(added.id), null)
    assert.deepEqual(await world.directory.audit({}, { limit: 10, after: null }), [])
  }),
]
