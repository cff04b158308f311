import assert from 'node:assert/strict'
import type { Enqueued, Envelope } from '../../../core/ports/queue.ts'
import { healthy } from '../../../core/endpoint/health.ts'
import { day, minute } from '../../../core/time.ts'
import type { Instant } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import { delivered } from './marks.ts'
import { has, ids, leaseMs, start, times } from '../world.ts'
import type { World } from '../world.ts'

export const enqueueCases = [
  storeCase('enqueue stores a message and its deliveries as given', async (world) => {
    const endpoint = await world.endpoint({ policy: 'patient' })
    const envelope = await world.envelope([endpoint], {
      dueAt: start + minute,
      message: {
        type: 'invoice.paid',
        sessionId: 'session-7',
        channels: ['eu', 'us'],
        contentType: 'text/plain',
        traceContext: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-00',
      },
    })
    assert.deepEqual(await enqueue(world, [envelope]), [{ kind: 'stored' }])

    const { body, ...message } = envelope.message
    has(await world.directory.message(message.id), message)
    const [delivery] = envelope.deliveries
    assert.deepEqual(await world.directory.delivery(delivery?.id ?? ''), {
      id: delivery?.id,
      endpointId: endpoint.id,
      applicationId: endpoint.applicationId,
      messageId: message.id,
      eventType: 'invoice.paid',
      sessionId: 'session-7',
      targetUrl: endpoint.url,
      status: 'pending',
      reason: null,
      attemptCount: 0,
      nextRetryAt: start + minute,
      lastAttemptedAt: null,
      errorDetail: null,
      policy: 'patient',
      leaseOwner: null,
      leaseUntil: null,
      leaseEpoch: 0,
      interruptions: 0,
      crashCount: 0,
      requeuedAt: null,
      createdAt: start,
      updatedAt: start,
    })
    assert.ok(body.length > 0)
  }),

  storeCase('a body comes back byte for byte', async (world) => {
    const endpoint = await world.endpoint()
    for (const body of [
      new Uint8Array(),
      Uint8Array.from({ length: 256 }, (_, byte) => byte),
      new Uint8Array(100_000).fill(0xff),
    ]) {
      await world.send(endpoint, { message: { body } })
      const [claim] = await world.claim({ from: endpoint })
      const message = await world.directory.message(claim?.message.id ?? '')
      assert.ok(Buffer.from(body).equals(claim?.message.body ?? Buffer.from('none')))
      assert.ok(Buffer.from(body).equals(message?.body ?? Buffer.from('none')))
    }
  }),

  storeCase('a message without deliveries is stored too', async (world) => {
    const application = await world.application()
    const envelope = await world.envelope([], { message: { applicationId: application.id } })
    assert.deepEqual(await enqueue(world, [envelope]), [{ kind: 'stored' }])
    has(await world.directory.message(envelope.message.id), { id: envelope.message.id, applicationId: application.id })
  }),

  storeCase('a leased delivery begins with epoch 1 in the hands of its sender, who may mark it', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint, { leasedBy: 'anna' })
    has(await world.delivery(deliveryId), {
      leaseOwner: 'anna',
      leaseUntil: start + leaseMs,
      leaseEpoch: 1,
      crashCount: 0,
    })

    assert.deepEqual(await world.claim({ from: endpoint, owner: 'bert', at: start + leaseMs - 1 }), [])
    assert.deepEqual(await world.mark([delivered({ delivery: await world.delivery(deliveryId) }, start)]), ['marked'])
  }),

  storeCase(
    'a leased delivery whose sender is never heard of again can be claimed once the lease is over',
    async (world) => {
      const endpoint = await world.endpoint()
      const deliveryId = await world.sendOne(endpoint, { leasedBy: 'anna' })
      const claim = await world.claimOne({ from: endpoint, owner: 'bert', at: start + leaseMs })
      has(claim.delivery, { id: deliveryId, leaseEpoch: 2, interruptions: 1, crashCount: 0 })
    },
  ),

  storeCase('a batch of none is answered with none', async (world) => {
    assert.deepEqual(await enqueue(world, []), [])
  }),

  storeCase('a large batch is stored whole', async (world) => {
    const endpoint = await world.endpoint()
    const envelopes = await times(500, () => world.envelope([endpoint, endpoint]))
    const answers = await enqueue(world, envelopes)
    assert.equal(answers.filter(({ kind }) => kind === 'stored').length, 500)
    const claims = await world.claim({ from: endpoint, each: 2000, most: 2000 })
    const wanted = envelopes.flatMap(({ deliveries }) => deliveries.map(({ id }) => id))
    assert.deepEqual(ids(claims).toSorted(), wanted.toSorted())
  }),

  storeCase(
    'an envelope that was matched against an old list of endpoints is stale, and nothing of it is written',
    async (world) => {
      const endpoint = await world.endpoint()
      const old = await world.envelope([endpoint])
      await world.endpoint({ applicationId: endpoint.applicationId })
      assert.deepEqual(await enqueue(world, [old]), [{ kind: 'stale' }])
      assert.equal(await world.directory.message(old.message.id), null)
      assert.equal(await world.directory.delivery(old.deliveries[0]?.id ?? ''), null)

      const { endpointsVersion } = await world.envelope([endpoint])
      assert.deepEqual(await enqueue(world, [{ ...old, endpointsVersion }]), [{ kind: 'stored' }])
    },
  ),

  storeCase('an envelope for an unknown application is stale', async (world) => {
    const envelope = await world.envelope([], { message: { applicationId: world.id('app') } })
    assert.deepEqual(await enqueue(world, [envelope]), [{ kind: 'stale' }])
    assert.equal(await world.directory.message(envelope.message.id), null)
  }),

  storeCase('a stale envelope spoils neither the others of its batch nor its own idempotency key', async (world) => {
    const [mine, yours] = [await world.endpoint(), await world.endpoint()]
    const old = await world.envelope([mine], { key: 'once' })
    await world.change(mine, { description: 'changed' })
    const fresh = await world.envelope([yours])
    assert.deepEqual(await enqueue(world, [fresh, old]), [{ kind: 'stored' }, { kind: 'stale' }])
    assert.deepEqual(await enqueue(world, [await world.envelope([mine], { key: 'once' })]), [{ kind: 'stored' }])
  }),

  storeCase('an envelope is stale if a health that it relies on has changed', async (world) => {
    const [one, two] = [await world.endpoint(), await world.endpoint()]
    const relying = async (...versions: number[]): Promise<Envelope> => ({
      ...(await world.envelope([one])),
      reliesOn: versions.map((version, index) => ({ endpointId: index === 0 ? one.id : two.id, version })),
    })
    const kindsOf = async (...envelopes: Envelope[]): Promise<string[]> =>
      (await enqueue(world, envelopes)).map(({ kind }) => kind)
    assert.deepEqual(await kindsOf(await relying(0, 0), await relying(1), await relying(0, 1)), [
      'stored',
      'stale',
      'stale',
    ])
    assert.ok(await world.queue.saveHealth(two.id, healthy))
    const old = await relying(0, 0)
    assert.deepEqual(await kindsOf(old, await relying(0, 1), await relying(0)), ['stale', 'stored', 'stored'])
    assert.equal(await world.directory.message(old.message.id), null)
    assert.ok(await world.queue.saveHealth(two.id, { ...healthy, version: 1 }))
    assert.deepEqual(await kindsOf(await relying(0, 1), await relying(0, 2)), ['stale', 'stored'])
  }),

  storeCase('answers come in the order given', async (world) => {
    const endpoint = await world.endpoint()
    const first = await world.envelope([endpoint], { key: 'once', bodyHash: 'a' })
    await enqueue(world, [first])
    const plain = await world.envelope([endpoint])
    const kinds = (
      await enqueue(world, [
        await world.envelope([endpoint], { key: 'once', bodyHash: 'b' }),
        plain,
        { ...(await world.envelope([endpoint])), endpointsVersion: plain.endpointsVersion + 1 },
        await world.envelope([endpoint], { key: 'once', bodyHash: 'a' }),
      ])
    ).map(({ kind }) => kind)
    assert.deepEqual(kinds, ['conflict', 'stored', 'stale', 'repeated'])
  }),

  storeCase(
    'a key that was used before repeats the first message, told with its number of deliveries',
    async (world) => {
      const endpoint = await world.endpoint()
      const others = await times(2, () => world.endpoint({ applicationId: endpoint.applicationId }))
      const first = await world.envelope([endpoint, ...others], { key: 'once' })
      await enqueue(world, [first])

      const again = await world.envelope([endpoint], { key: 'once' })
      assert.deepEqual(await enqueue(world, [again]), [
        { kind: 'repeated', messageId: first.message.id, deliveries: 3 },
      ])
      assert.equal(await world.directory.message(again.message.id), null)
      assert.equal(await world.directory.delivery(again.deliveries[0]?.id ?? ''), null)
    },
  ),

  storeCase('a key that was used for another body is a conflict, and nothing is written', async (world) => {
    const endpoint = await world.endpoint()
    const first = await world.envelope([endpoint], { key: 'once', bodyHash: 'a' })
    await enqueue(world, [first])
    const other = await world.envelope([endpoint], { key: 'once', bodyHash: 'b' })
    assert.deepEqual(await enqueue(world, [other]), [{ kind: 'conflict', messageId: first.message.id }])
    assert.equal(await world.directory.message(other.message.id), null)
  }),

  storeCase('a key counts within one batch too', async (world) => {
    const endpoint = await world.endpoint()
    const [first, again, other] = await Promise.all([
      world.envelope([endpoint], { key: 'once', bodyHash: 'a' }),
      world.envelope([endpoint], { key: 'once', bodyHash: 'a' }),
      world.envelope([endpoint], { key: 'once', bodyHash: 'b' }),
    ])
    const messageId = first.message.id
    assert.deepEqual(await enqueue(world, [first, again, other]), [
      { kind: 'stored' },
      { kind: 'repeated', messageId, deliveries: 1 },
      { kind: 'conflict', messageId },
    ])
    assert.equal((await world.claim({ from: endpoint })).length, 1)
  }),

  storeCase('of many that use one key at the same time one is stored', async (world) => {
    const endpoint = await world.endpoint()
    const envelopes = await times(20, () => world.envelope([endpoint], { key: 'once' }))
    const answers = (await Promise.all(envelopes.map((envelope) => enqueue(world, [envelope])))).flat()
    assert.equal(answers.filter(({ kind }) => kind === 'stored').length, 1)
    assert.equal(answers.filter(({ kind }) => kind === 'repeated').length, 19)
    assert.equal((await world.claim({ from: endpoint })).length, 1)
  }),

  storeCase('the same key of another application is another key', async (world) => {
    for (const endpoint of [await world.endpoint(), await world.endpoint()]) {
      assert.deepEqual(await enqueue(world, [await world.envelope([endpoint], { key: 'once' })]), [{ kind: 'stored' }])
    }
  }),

  storeCase('messages without a key never repeat each other', async (world) => {
    const endpoint = await world.endpoint()
    const envelopes = [await world.envelope([endpoint]), await world.envelope([endpoint])]
    assert.deepEqual(await enqueue(world, envelopes), [{ kind: 'stored' }, { kind: 'stored' }])
  }),

  storeCase('a key lives for 24 hours, then it is free again', async (world) => {
    const endpoint = await world.endpoint()
    const at = async (now: Instant): Promise<string | undefined> =>
      (await enqueue(world, [await world.envelope([endpoint], { key: 'once', at: now })], now))[0]?.kind
    assert.equal(await at(start), 'stored')
    assert.equal(await at(start + day - 1), 'repeated')
    assert.equal(await at(start + day + 1), 'stored')
    assert.equal(await at(start + 2 * day - 1), 'repeated')
  }),

  storeCase(
    'whoever has given up waiting before it begins is answered as withdrawn, and nothing is stored',
    async (world) => {
      const endpoint = await world.endpoint()
      const [wanted, unwanted] = [await world.envelope([endpoint]), await world.envelope([endpoint], { key: 'once' })]
      const request = { owner: 'anna', leaseMs, now: start }
      let asked = 0
      const begins = (answer: boolean) => () => {
        asked += 1
        return answer
      }
      const [stored, withdrawn] = await Promise.all([
        world.queue.enqueue({ ...request, envelopes: [wanted], begins: begins(true) }),
        world.queue.enqueue({ ...request, envelopes: [unwanted], begins: begins(false) }),
      ])
      assert.deepEqual([stored, withdrawn, asked], [[{ kind: 'stored' }], [{ kind: 'withdrawn' }], 2])
      assert.equal(await world.directory.message(unwanted.message.id), null)
      assert.deepEqual(
        ids(await world.claim({ from: endpoint })),
        wanted.deliveries.map(({ id }) => id),
      )
      assert.deepEqual(
        await world.queue.enqueue({ ...request, envelopes: [unwanted] }),
        [{ kind: 'stored' }],
        'its key is free',
      )
    },
  ),
]

function enqueue(world: World, envelopes: readonly Envelope[], now = start): Promise<Enqueued[]> {
  return world.queue.enqueue({ owner: 'anna', leaseMs, now, envelopes })
}
