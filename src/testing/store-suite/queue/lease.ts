import assert from 'node:assert/strict'
import type { Claim } from '../../../core/ports/queue.ts'
import { storeCase } from '../case.ts'
import { delivered } from './marks.ts'
import { has, ids, leaseMs, leaseOf, start, times } from '../world.ts'
import type { World } from '../world.ts'

const by = { name: 'test' }

export const leaseCases = [
  storeCase('a renewal prolongs a lease from now on, and leaves the epoch alone', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint)
    const claim = await world.claimOne({ from: endpoint })
    assert.deepEqual(await renew(world, 'anna', [claim], start + 10_000), [deliveryId])
    has(await world.delivery(deliveryId), {
      leaseOwner: 'anna',
      leaseUntil: start + 10_000 + leaseMs,
      leaseEpoch: 1,
      crashCount: 0,
    })
    assert.deepEqual(await world.claim({ from: endpoint, owner: 'bert', at: start + 10_000 + leaseMs - 1 }), [])
    assert.equal((await world.claim({ from: endpoint, owner: 'bert', at: start + 10_000 + leaseMs })).length, 1)
  }),

  storeCase('a lease that ran out can be renewed as long as nobody has taken the row', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint)
    const claim = await world.claimOne({ from: endpoint })
    assert.deepEqual(await renew(world, 'anna', [claim], start + 2 * leaseMs), [deliveryId])
    assert.deepEqual(await world.claim({ from: endpoint, owner: 'bert', at: start + 2 * leaseMs }), [])
  }),

  storeCase('a release gives the row back at once, as it was', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint)
    const claim = await world.claimOne({ from: endpoint })
    assert.deepEqual(await release(world, 'anna', [claim]), [deliveryId])
    has(await world.delivery(deliveryId), {
      status: 'pending',
      attemptCount: 0,
      nextRetryAt: start,
      leaseOwner: null,
      leaseUntil: null,
      leaseEpoch: 1,
      lastAttemptedAt: null,
    })
    assert.deepEqual(ids(await world.claim({ from: endpoint, owner: 'bert' })), [deliveryId])
  }),

  storeCase('a release may move the time at which a row is due, each its own', async (world) => {
    const endpoint = await world.endpoint()
    await times(2, () => world.send(endpoint))
    const [moved, kept] = await world.claim({ from: endpoint })
    assert.ok(moved !== undefined && kept !== undefined)
    const leases = [{ ...leaseOf(moved), nextRetryAt: start + 70_000 }, leaseOf(kept)]
    assert.deepEqual(
      (await world.queue.release({ owner: 'anna', now: start, leases })).toSorted(),
      ids([moved, kept]).toSorted(),
    )
    has(await world.delivery(moved.delivery.id), { status: 'pending', nextRetryAt: start + 70_000, leaseOwner: null })
    has(await world.delivery(kept.delivery.id), { status: 'pending', nextRetryAt: start, leaseOwner: null })
    assert.deepEqual(ids(await world.claim({ from: endpoint, at: start + 69_999 })), ids([kept]))
  }),

  storeCase(
    'a release of what was on the wire puts its attempt on record as interrupted, also where it was written ahead',
    async (world) => {
      const endpoint = await world.endpoint()
      await times(3, () => world.send(endpoint))
      const [sent, ahead, unsent] = await world.claim({ from: endpoint })
      assert.ok(sent !== undefined && ahead !== undefined && unsent !== undefined)
      await world.queue.start({ owner: 'anna', now: start, starts: [{ ...leaseOf(ahead), url: 'https://a.example/' }] })
      const onWire = { epoch: 1, startedAt: start + 5, url: 'https://a.example/' }
      const leases = [
        { ...leaseOf(sent), interrupted: onWire },
        { ...leaseOf(ahead), interrupted: onWire },
        leaseOf(unsent),
      ]
      await world.queue.release({ owner: 'anna', now: start + 10, leases })
      const recorded = await Promise.all(
        [sent, ahead, unsent].map(async ({ delivery }) =>
          (await world.directory.attempts(delivery.id)).map(({ outcome, epoch, late }) => ({ outcome, epoch, late })),
        ),
      )
      const interrupted = { outcome: 'interrupted', epoch: 1, late: false }
      assert.deepEqual(recorded, [[interrupted], [interrupted], []])
      // Attempts that another worker has taken over are already recorded.
      const [live] = await world.claim({ from: endpoint, owner: 'bert', at: start + 20 })
      assert.ok(live !== undefined)
      await world.queue.release({
        owner: 'anna',
        now: start + 30,
        leases: [{ ...leaseOf(live), interrupted: { ...onWire, epoch: 2 } }],
      })
      assert.deepEqual(
        (await world.directory.attempts(live.delivery.id)).filter(({ epoch }) => epoch === 2),
        [],
      )
    },
  ),

  ...(['renew', 'release'] as const).flatMap((verb) => [
    storeCase(`${verb} changes nothing for a wrong owner, an old epoch or an unknown delivery`, async (world) => {
      const endpoint = await world.endpoint()
      const deliveryId = await world.sendOne(endpoint)
      const old = await world.claimOne({ from: endpoint, owner: 'anna' })
      const live = await world.claimOne({ from: endpoint, owner: 'bert', at: start + leaseMs })
      const before = await world.delivery(deliveryId)
      const unknown = { ...live, delivery: { ...live.delivery, id: world.id('dlv') } }
      const early = { ...live, delivery: { ...live.delivery, leaseEpoch: live.delivery.leaseEpoch + 1 } }

      const ask = verb === 'renew' ? renew : release
      assert.deepEqual(await ask(world, 'anna', [old], start + leaseMs + 1), [])
      assert.deepEqual(await ask(world, 'anna', [live], start + leaseMs + 1), [])
      assert.deepEqual(await ask(world, 'bert', [old, early, unknown], start + leaseMs + 1), [])
      assert.deepEqual(await world.delivery(deliveryId), before)
    }),

    storeCase(`${verb} changes nothing once the row is closed, cancelled, released or requeued`, async (world) => {
      const endpoint = await world.endpoint()
      await times(4, () => world.send(endpoint))
      const claims = await world.claim({ from: endpoint })
      const [closed, cancelled, released, requeued] = claims
      assert.ok(closed !== undefined && cancelled !== undefined && released !== undefined && requeued !== undefined)
      await world.mark([delivered(closed, start)])
      await world.queue.cancel({ filter: { ids: [cancelled.delivery.id] }, as: 'cancelled', now: start, limit: 1, by })
      await release(world, 'anna', [released])
      await world.queue.requeue({ filter: { ids: [requeued.delivery.id] }, now: start + leaseMs, limit: 1, by })
      const before = await Promise.all(ids(claims).map((id) => world.delivery(id)))

      const ask = verb === 'renew' ? renew : release
      assert.deepEqual(await ask(world, 'anna', claims, start + leaseMs + 1), [])
      assert.deepEqual(await Promise.all(ids(claims).map((id) => world.delivery(id))), before)
    }),

    storeCase(`${verb} of a batch answers with those that were still ours, and with none for none`, async (world) => {
      const endpoint = await world.endpoint()
      await times(50, () => world.send(endpoint))
      const mine = await world.claim({ from: endpoint, owner: 'anna', each: 30 })
      const yours = await world.claim({ from: endpoint, owner: 'bert', each: 30 })
      const ask = verb === 'renew' ? renew : release
      assert.deepEqual((await ask(world, 'anna', [...yours, ...mine])).toSorted(), ids(mine).toSorted())
      assert.deepEqual(await ask(world, 'anna', []), [])
      for (const id of ids(yours)) has(await world.delivery(id), { leaseOwner: 'bert', leaseUntil: start + leaseMs })
    }),
  ]),
]

function renew(world: World, owner: string, claims: readonly Claim[], now = start): Promise<string[]> {
  return world.queue.renew({ owner, now, leaseMs, leases: claims.map(leaseOf) })
}

function release(world: World, owner: string, claims: readonly Claim[], now = start): Promise<string[]> {
  return world.queue.release({ owner, now, leases: claims.map(leaseOf) })
}
