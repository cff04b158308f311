import assert from 'node:assert/strict'
import { minute } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import { dead, delivered, failed, failedUntil } from './marks.ts'
import { has, ids, leaseMs, leaseOf, only, start, times } from '../world.ts'

export const claimCases = [
  storeCase('a claim leases a due row, and says what is needed to send it', async (world) => {
    const endpoint = await world.endpoint()
    const body = Buffer.from('the exact bytes')
    const traceContext = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01 vendor=1'
    const deliveryId = await world.sendOne(endpoint, {
      policy: 'patient',
      message: { body, contentType: 'text/plain', sessionId: 'session-7', traceContext },
    })
    const { delivery, message, lane, tookOver } = await world.claimOne({ from: endpoint, owner: 'anna', at: start + 5 })

    const row = await world.delivery(deliveryId)
    has(row, { status: 'pending', leaseOwner: 'anna', leaseUntil: start + 5 + leaseMs, leaseEpoch: 1, crashCount: 0 })
    has(delivery, {
      id: deliveryId,
      endpointId: endpoint.id,
      messageId: row.messageId,
      eventType: 'invoice.paid',
      sessionId: 'session-7',
      attemptCount: 0,
      policy: 'patient',
      interruptions: 0,
      crashCount: 0,
      leaseEpoch: 1,
      createdAt: start,
    })
    has(message, { id: row.messageId, contentType: 'text/plain', traceContext })
    assert.equal(lane, 'fresh')
    assert.equal(tookOver, null)
    assert.ok(body.equals(message.body))
  }),

  storeCase('within an endpoint the oldest due come first, and those of one instant in id order', async (world) => {
    const endpoint = await world.endpoint()
    const [a = '', b = '', c = '', d = ''] = [0, 1, 2, 3].map((place) => world.id('dlv', start + place))
    await world.send(endpoint, { deliveryIds: [c], dueAt: start + 1 })
    await world.send(endpoint, { deliveryIds: [d], dueAt: start })
    await world.send(endpoint, { deliveryIds: [b], dueAt: start + 1 })
    await world.send(endpoint, { deliveryIds: [a], dueAt: start + 2 })
    assert.deepEqual(ids(await world.claim({ from: endpoint, at: start + 5, each: 3 })), [d, b, c])
    assert.deepEqual(ids(await world.claim({ from: endpoint, at: start + 5 })), [a])
  }),

  storeCase('a row is due from its time on, and not a millisecond before', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint, { dueAt: start + minute })
    assert.deepEqual(await world.claim({ from: endpoint, at: start + minute - 1 }), [])
    assert.deepEqual(ids(await world.claim({ from: endpoint, at: start + minute })), [deliveryId])
  }),

  storeCase('an open row without a time is due, before all others', async (world) => {
    const endpoint = await world.endpoint()
    const timed = await world.settled(endpoint, failedUntil(start))
    const untimed = await world.settled(endpoint, failedUntil(null))
    assert.deepEqual(ids(await world.claim({ from: endpoint, lane: 'retries' })), [untimed, timed])
  }),

  storeCase('a claim takes at most as many as wanted of each endpoint, and at most `most` in all', async (world) => {
    const endpoints = await times(3, () => world.endpoint())
    for (const endpoint of endpoints) await times(4, () => world.send(endpoint))
    const each = await world.claim({ from: endpoints, each: 2 })
    assert.deepEqual(
      endpoints.map(({ id }) => each.filter(({ delivery }) => delivery.endpointId === id).length),
      [2, 2, 2],
    )
    assert.equal((await world.claim({ from: endpoints, each: 2, most: 3 })).length, 3)
    assert.equal((await world.claim({ from: endpoints, each: 2, most: 0 })).length, 0)
    assert.equal((await world.claim({ from: endpoints, each: 10 })).length, 3)
  }),

  storeCase(
    'a claim takes nothing more of a want once its bodies amount to `mostBytes`, and the rest is still due',
    async (world) => {
      const endpoints = await times(2, () => world.endpoint())
      for (const endpoint of endpoints) await times(3, () => world.send(endpoint))
      const first = await world.claim({ from: endpoints, mostBytes: 1 })
      assert.deepEqual(
        new Set(first.map(({ delivery }) => delivery.endpointId)),
        new Set(endpoints.map(({ id }) => id)),
        'one of each',
      )
      assert.equal(first.length, 2)
      const bytes = first[0]?.message.body.length ?? 0
      for (const mostBytes of [0, -1]) assert.equal((await world.claim({ from: endpoints, mostBytes })).length, 0)
      assert.equal((await world.claim({ from: endpoints, mostBytes: bytes + 1, most: 3 })).length, 3)
      assert.equal((await world.claim({ from: endpoints, mostBytes: 100 * bytes })).length, 1)
    },
  ),

  storeCase('each want has its own bytes, and what one leaves counts for nobody', async (world) => {
    const [narrow, wide] = [await world.endpoint(), await world.endpoint()]
    for (const endpoint of [narrow, wide]) await times(3, () => world.send(endpoint))
    const want = { lane: 'fresh' as const, most: 3 }
    const wants = [
      { ...want, endpointId: narrow.id, mostBytes: 1 },
      { ...want, endpointId: wide.id, mostBytes: 2 ** 20 },
    ]
    const claims = await world.queue.claim({ owner: 'anna', leaseMs, now: start, most: 3, wants })
    assert.deepEqual(
      claims.map(({ delivery }) => delivery.endpointId),
      [narrow.id, wide.id, wide.id],
    )
  }),

  storeCase('a claim takes rows of the wanted endpoints only', async (world) => {
    const [mine, yours] = [await world.endpoint(), await world.endpoint()]
    const [wanted] = await world.send(mine)
    await world.send(yours)
    assert.deepEqual(ids(await world.claim({ from: mine })), [wanted])
    assert.deepEqual(await world.claim({ from: { ...mine, id: world.id('ep') } }), [])
    assert.deepEqual(await world.claim({ from: [] }), [])
  }),

  storeCase('one claim may ask many endpoints, in both lanes', async (world) => {
    const endpoints = await times(60, () => world.endpoint())
    const fresh = (await Promise.all(endpoints.map((endpoint) => world.send(endpoint)))).flat()
    const retries = await Promise.all(endpoints.map((endpoint) => world.settled(endpoint, failedUntil(start))))
    const wants = endpoints.flatMap(({ id }) => [
      { endpointId: id, lane: 'fresh' as const, most: 5, mostBytes: 2 ** 20 },
      { endpointId: id, lane: 'retries' as const, most: 5, mostBytes: 2 ** 20 },
    ])
    const claims = await world.queue.claim({ owner: 'anna', leaseMs, now: start, most: 500, wants })
    assert.deepEqual(ids(claims).toSorted(), [...fresh, ...retries].toSorted())
    assert.deepEqual(ids(claims.filter(({ lane }) => lane === 'fresh')).toSorted(), fresh.toSorted())
  }),

  storeCase(
    'fresh is what was never attempted nor requeued; everything else open travels with the retries',
    async (world) => {
      const endpoint = await world.endpoint()
      const fresh = await world.sendOne(endpoint)
      const retried = await world.settled(endpoint, failedUntil(start))
      const requeuedDead = await world.settled(endpoint, dead)
      const requeuedUnsent = await world.sendOne(endpoint)
      const requeue = { filter: { ids: [requeuedDead, requeuedUnsent] }, now: start, limit: 10, by: { name: 'test' } }
      assert.equal(await world.queue.requeue(requeue), 2)

      assert.deepEqual(ids(await world.claim({ from: endpoint, lane: 'fresh' })), [fresh])
      const retries = ids(await world.claim({ from: endpoint, lane: 'retries' }))
      assert.deepEqual(retries.toSorted(), [retried, requeuedDead, requeuedUnsent].toSorted())
    },
  ),

  storeCase('closed rows are never claimed', async (world) => {
    const endpoint = await world.endpoint()
    await world.settled(endpoint, delivered)
    await world.settled(endpoint, dead)
    for (const lane of ['fresh', 'retries'] as const)
      assert.deepEqual(await world.claim({ from: endpoint, lane, at: start + 1000 * minute }), [])
  }),

  storeCase(
    'a row under a live lease is passed over, also by its owner, and those behind it are taken',
    async (world) => {
      const endpoint = await world.endpoint()
      const first = await world.sendOne(endpoint)
      await world.claim({ from: endpoint })
      const second = await world.sendOne(endpoint, { at: start + 1 })
      for (const owner of ['anna', 'bert']) assert.deepEqual(await world.claim({ from: endpoint, owner }), [])
      assert.deepEqual(ids(await world.claim({ from: endpoint, owner: 'bert', at: start + 1 })), [second])
      has(await world.delivery(first), { leaseOwner: 'anna', leaseEpoch: 1 })
    },
  ),

  storeCase('a row that was given back, or failed and came due, is claimed without a takeover', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint)
    const first = await world.claimOne({ from: endpoint })
    await world.queue.release({ owner: 'anna', now: start, leases: [leaseOf(first)] })
    const second = await world.claimOne({ from: endpoint })
    has(second.delivery, { leaseEpoch: 2, interruptions: 0, crashCount: 0 })
    assert.equal(second.tookOver, null)
    await world.mark([failed(second, start)])
    const third = await world.claimOne({ from: endpoint, lane: 'retries', at: start + minute })
    has(third.delivery, { id: deliveryId, leaseEpoch: 3, interruptions: 0, crashCount: 0, attemptCount: 1 })
    assert.equal(third.tookOver, null)
    assert.equal((await world.directory.attempts(deliveryId)).length, 1)
  }),

  storeCase('claims at the same time never get the same row, and together get all', async (world) => {
    const endpoints = await times(5, () => world.endpoint())
    const sent = (
      await Promise.all(endpoints.flatMap((endpoint) => [...Array(20)].map(() => world.send(endpoint))))
    ).flat()
    const taken = await times(10, (index) => world.claim({ from: endpoints, owner: `worker-${index}`, each: 7 }))
    const rest = await world.claim({ from: endpoints, owner: 'late' })
    assert.deepEqual([...taken.flat(), ...rest].map(({ delivery }) => delivery.id).toSorted(), sent.toSorted())
    for (const [index, claims] of taken.entries()) {
      for (const id of ids(claims)) has(await world.delivery(id), { leaseOwner: `worker-${index}`, leaseEpoch: 1 })
    }
  }),

  storeCase('endpoints with open rows are walked in id order, from a cursor, in slices', async (world) => {
    const endpoints = await times(5, () => world.endpoint())
    for (const endpoint of endpoints) await times(3, () => world.send(endpoint))
    await world.endpoint()
    const wanted = endpoints.map(({ id }) => id).toSorted()

    const seen: string[] = []
    for (let after = ''; ; after = seen.at(-1) ?? '') {
      const slice = await world.queue.dueEndpoints({ lane: 'fresh', after, limit: 2 })
      assert.ok(slice.length <= 2)
      seen.push(...slice.map(({ endpointId }) => endpointId))
      if (slice.length === 0 || seen.length > 10) break
    }
    assert.deepEqual(seen, wanted)
    assert.equal((await world.queue.dueEndpoints({ lane: 'fresh', after: '', limit: 100 })).length, 5)
  }),

  storeCase('the walk tells when the first row of an endpoint is due, lane by lane', async (world) => {
    const endpoint = await world.endpoint()
    for (const dueAt of [start + 9, start + 3, start + 7]) await world.send(endpoint, { dueAt })
    await world.settled(endpoint, failedUntil(start + 60))
    await world.settled(endpoint, failedUntil(start + 50))
    const walk = (lane: 'fresh' | 'retries') => world.queue.dueEndpoints({ lane, after: '', limit: 10 })
    assert.deepEqual(await walk('fresh'), [{ endpointId: endpoint.id, dueAt: start + 3 }])
    assert.deepEqual(await walk('retries'), [{ endpointId: endpoint.id, dueAt: start + 50 }])

    await world.settled(endpoint, failedUntil(null))
    assert.ok(only(await walk('retries')).dueAt <= start, 'a row without a time is due')
  }),

  storeCase('told where to begin, claim and walk miss nothing that is due from there on', async (world) => {
    const endpoint = await world.endpoint()
    for (const dueAt of [start - 2, start - 1, start]) await world.send(endpoint, { dueAt })
    const [found] = await world.queue.dueEndpoints({ lane: 'fresh', after: '', limit: 10, dueFrom: start - 2 })
    assert.deepEqual(found, { endpointId: endpoint.id, dueAt: start - 2 })
    const wants = [
      { endpointId: endpoint.id, lane: 'fresh', most: 10, mostBytes: 2 ** 20, dueFrom: start - 2 } as const,
    ]
    assert.equal((await world.queue.claim({ owner: 'anna', leaseMs, now: start, most: 10, wants })).length, 3)
  }),

  storeCase('the walk passes over endpoints whose rows are all closed', async (world) => {
    const endpoint = await world.endpoint()
    await world.settled(endpoint, delivered)
    await world.settled(endpoint, dead)
    for (const lane of ['fresh', 'retries'] as const)
      assert.deepEqual(await world.queue.dueEndpoints({ lane, after: '', limit: 10 }), [])

    await world.send(endpoint)
    assert.deepEqual(await world.queue.dueEndpoints({ lane: 'fresh', after: '', limit: 10 }), [
      { endpointId: endpoint.id, dueAt: start },
    ])
  }),

  storeCase(
    'the walk still tells of rows under a lease: if it runs out, nothing else would find them',
    async (world) => {
      const endpoint = await world.endpoint()
      await world.send(endpoint)
      await world.claim({ from: endpoint })
      const walked = only(await world.queue.dueEndpoints({ lane: 'fresh', after: '', limit: 10 }))
      assert.equal(walked.endpointId, endpoint.id)
      assert.ok(walked.dueAt <= start + leaseMs)
    },
  ),
]
