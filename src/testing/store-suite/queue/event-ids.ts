import assert from 'node:assert/strict'
import type { Enqueued, Envelope } from '../../../core/ports/queue.ts'
import { hour } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import { has, leaseMs, only, start, times } from '../world.ts'
import type { World } from '../world.ts'

export const eventIdCases = [
  storeCase('a message is found by its event id, and by its id, within its application only', async (world) => {
    const [mine, yours] = [await world.endpoint(), await world.endpoint()]
    const envelope = await world.envelope([mine], { message: { eventId: 'paid-7' } })
    assert.deepEqual(await enqueue(world, [envelope]), [{ kind: 'stored' }])
    const { id } = envelope.message
    for (const name of ['paid-7', id])
      has(await world.directory.messageOf(mine.applicationId, name), { id, eventId: 'paid-7', erasedAt: null })
    for (const name of ['paid-7', id]) assert.equal(await world.directory.messageOf(yours.applicationId, name), null)
    assert.equal(await world.directory.messageOf(mine.applicationId, 'paid-8'), null)
  }),

  storeCase('an event id that another message has is taken, and nothing is written', async (world) => {
    const endpoint = await world.endpoint()
    const first = await world.envelope([endpoint], { message: { eventId: 'paid-7' } })
    await enqueue(world, [first])
    const second = await world.envelope([endpoint], { message: { eventId: 'paid-7' }, key: 'once' })
    const other = await world.envelope([endpoint])
    assert.deepEqual(await enqueue(world, [second, other]), [
      { kind: 'taken', messageId: first.message.id },
      { kind: 'stored' },
    ])
    assert.equal(await world.directory.message(second.message.id), null)
    assert.equal(await world.directory.delivery(second.deliveries[0]?.id ?? ''), null)
    // Its idempotency key is still free.
    assert.deepEqual(await enqueue(world, [await world.envelope([endpoint], { key: 'once' })]), [{ kind: 'stored' }])
  }),

  storeCase('within one batch the first has the event id', async (world) => {
    const endpoint = await world.endpoint()
    const envelopes = await times(3, () => world.envelope([endpoint], { message: { eventId: 'paid-7' } }))
    const messageId = envelopes[0]?.message.id ?? ''
    assert.deepEqual(await enqueue(world, envelopes), [
      { kind: 'stored' },
      { kind: 'taken', messageId },
      { kind: 'taken', messageId },
    ])
    assert.equal((await world.claim({ from: endpoint })).length, 1)
  }),

  storeCase('of many that use one event id at the same time one is stored', async (world) => {
    const endpoint = await world.endpoint()
    const envelopes = await times(20, () => world.envelope([endpoint], { message: { eventId: 'paid-7' } }))
    const answers = (await Promise.all(envelopes.map((envelope) => enqueue(world, [envelope])))).flat()
    const stored = only(envelopes.filter((_, index) => answers[index]?.kind === 'stored'))
    for (const answer of answers)
      if (answer.kind !== 'stored') assert.deepEqual(answer, { kind: 'taken', messageId: stored.message.id })
    assert.equal((await world.claim({ from: endpoint })).length, 1)
  }),

  storeCase(
    'the same event id of another application is another, and messages without one never meet',
    async (world) => {
      for (const endpoint of [await world.endpoint(), await world.endpoint()]) {
        assert.deepEqual(await enqueue(world, [await world.envelope([endpoint], { message: { eventId: 'paid-7' } })]), [
          { kind: 'stored' },
        ])
        assert.deepEqual(await enqueue(world, [await world.envelope([endpoint]), await world.envelope([endpoint])]), [
          { kind: 'stored' },
          { kind: 'stored' },
        ])
      }
    },
  ),

  storeCase('a repeat under its idempotency key is a repeat, though the event id is the same', async (world) => {
    const endpoint = await world.endpoint()
    const options = { key: 'once', message: { eventId: 'paid-7' } }
    const [first, inBatch, later] = [
      await world.envelope([endpoint], options),
      await world.envelope([endpoint], options),
      await world.envelope([endpoint], options),
    ]
    const repeated = { kind: 'repeated', messageId: first.message.id, deliveries: 1 } as const
    assert.deepEqual(await enqueue(world, [first, inBatch]), [{ kind: 'stored' }, repeated])
    assert.deepEqual(await enqueue(world, [later]), [repeated])
    const otherBody = await world.envelope([endpoint], { ...options, bodyHash: 'other' })
    assert.deepEqual(await enqueue(world, [otherBody]), [{ kind: 'conflict', messageId: first.message.id }])
    const otherKey = await world.envelope([endpoint], { ...options, key: 'again' })
    assert.deepEqual(await enqueue(world, [otherKey]), [{ kind: 'taken', messageId: first.message.id }])
  }),

  storeCase('a stale envelope does not take its event id', async (world) => {
    const endpoint = await world.endpoint()
    const old = await world.envelope([endpoint], { message: { eventId: 'paid-7' } })
    await world.change(endpoint, { description: 'changed' })
    assert.deepEqual(await enqueue(world, [old]), [{ kind: 'stale' }])
    assert.deepEqual(await enqueue(world, [await world.envelope([endpoint], { message: { eventId: 'paid-7' } })]), [
      { kind: 'stored' },
    ])
  }),

  storeCase('an event id is free again once its message was forgotten', async (world) => {
    const { id: applicationId } = await world.application()
    const message = { applicationId, eventId: 'paid-7' }
    await enqueue(world, [await world.envelope([], { message })])
    assert.equal(await world.prune({ before: start + hour, now: start + hour, limit: 10 }), 1)
    assert.equal(await world.directory.messageOf(applicationId, 'paid-7'), null)
    assert.deepEqual(await enqueue(world, [await world.envelope([], { message })]), [{ kind: 'stored' }])
  }),
]

function enqueue(world: World, envelopes: readonly Envelope[]): Promise<Enqueued[]> {
  return world.queue.enqueue({ owner: 'anna', leaseMs, now: start, envelopes })
}
