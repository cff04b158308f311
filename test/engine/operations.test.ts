import type { Delivery, DeliveryFilter } from 'posthorn'
import { describe, expect, test } from 'vitest'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { databases } from '../acceptance/databases.ts'
import { makeWorld } from '../acceptance/world.ts'
import type { World } from '../acceptance/world.ts'
import { refusal } from './refusal.ts'

const second = 1_000
const minute = 60 * second
const paid = { application: 'acme', type: 'invoice.paid', data: { id: 7 } } as const

describe.each(databases)('requeue ($name)', (database) => {
  test('a dead delivery is sent again at once, with all its attempts before it', async () => {
    const world = await makeWorld(database)
    const id = await world.insert({
      status: 'dead',
      reason: 'exhausted',
      attempt_count: 6,
      next_retry_at: null,
      error_detail: 'HTTP 500',
    })
    await world.start()
    const requeued = await world.posthorn.requeue(id, { by: 'kim', reason: 'the receiver is back' })
    expect(requeued).toMatchObject({
      id,
      status: 'pending',
      reason: null,
      attemptCount: 0,
      nextRetryAt: world.clock.now(),
    })
    // One row wakes the loop: it need not wait for the tick.
    await world.posthorn.idle()
    expect(world.receiver.count).toBe(1)
    expect(await world.row(id)).toMatchObject({ status: 'delivered', attempt_count: 1 })
  })

  test('many are requeued by a filter, which picks the dead unless told otherwise, and leave on the tick', async () => {
    const world = await makeWorld(database)
    const dead = { status: 'dead', reason: 'exhausted', attempt_count: 6, next_retry_at: null }
    for (let index = 0; index < 3; index += 1) await world.insert(dead)
    const other = await world.insert({ ...dead, event_type: 'user.made' })
    const failed = await world.insert({ status: 'failed', attempt_count: 1, next_retry_at: world.clock.now() + minute })
    const delivered = await world.insert({ status: 'delivered', attempt_count: 1, next_retry_at: null })
    await world.start()

    expect(await world.posthorn.requeue({ type: 'invoice.paid' }, { by: 'kim' })).toBe(3)
    await world.posthorn.idle()
    expect(world.receiver.count).toBe(0)
    await world.poll()
    expect(world.receiver.count).toBe(3)
    expect(await world.row(other)).toMatchObject({ status: 'dead', attempt_count: 6 })

    expect(await world.posthorn.requeue({ status: ['failed', 'dead'] })).toBe(2)
    await world.poll()
    expect(world.receiver.count).toBe(5)
    expect(await world.row(failed)).toMatchObject({ status: 'delivered', attempt_count: 1 })
    expect(await world.row(delivered)).toMatchObject({ last_attempted_at: null })
    expect(await world.posthorn.requeue({})).toBe(0)
  })

  test('what is being sent is refused, and goes on', async () => {
    const transport = scriptedTransport()
    const world = await makeWorld(database, { transport })
    const held = transport.hold(() => true)
    await world.start()
    await world.posthorn.send(paid)
    await transport.sent(1)
    const id = await onlyId(world)
    const error = await refusal(() => world.posthorn.requeue(id))
    expect(error).toMatchObject({ code: 'in_flight', message: expect.stringContaining(world.posthorn.workerId) })
    expect(await world.posthorn.deliveries.why(id)).toMatchObject({ code: 'in_flight' })
    held.release()
    await world.posthorn.idle()
    expect(await world.row(id)).toMatchObject({ status: 'delivered', attempt_count: 1 })
  })

  test('a delivered one stays as it is: a resend is a new delivery of the same message', async () => {
    const world = await makeWorld(database)
    await world.start()
    const sent = await world.posthorn.send(paid)
    await world.posthorn.idle()
    const [before] = await world.rows()
    const added = await world.posthorn.requeue(String(before?.['id']), { by: 'kim' })
    await world.posthorn.idle()

    expect(added.id).not.toBe(before?.['id'])
    expect(added).toMatchObject({
      messageId: sent.id,
      endpointId: world.endpoint.id,
      status: 'pending',
      attemptCount: 0,
    })
    expect(world.receiver.receipts.map(({ id }) => id)).toEqual([sent.id, sent.id])
    expect(world.receiver.receipts[1]?.body).toEqual(world.receiver.receipts[0]?.body)
    expect(await world.row(String(before?.['id']))).toEqual(before)
    expect(await world.row(added.id)).toMatchObject({ status: 'delivered' })
    expect(await world.posthorn.audit({ actor: 'kim' })).toMatchObject([
      { action: 'resend', target: added.id, actor: 'kim', count: 1 },
    ])
  })
})

describe.each(databases)('cancel ($name)', (database) => {
  test('an open delivery ends dead, cancelled, which is told; one that has ended is refused', async () => {
    const world = await makeWorld(database)
    const id = await world.insert({ status: 'failed', attempt_count: 2, next_retry_at: world.clock.now() + minute })
    await world.start()
    expect(await world.posthorn.cancel(id, { by: 'kim' })).toMatchObject({
      id,
      status: 'dead',
      reason: 'cancelled',
      nextRetryAt: null,
      attemptCount: 2,
    })
    expect(world.heard('delivery.dead')).toMatchObject([
      { webhook_delivery_id: id, webhook_id: world.endpoint.id, session_id: 'session-1', reason: 'cancelled' },
    ])
    await world.poll(minute)
    await world.poll()
    expect(world.receiver.count).toBe(0)

    const delivered = await world.insert({ status: 'delivered', attempt_count: 1, next_retry_at: null })
    for (const [ended, status] of [
      [id, 'dead'],
      [delivered, 'delivered'],
    ] as const) {
      const error = await refusal(() => world.posthorn.cancel(ended))
      expect(error).toMatchObject({
        code: 'wrong_state',
        message: expect.stringMatching(new RegExp(`Expected .* an open one.* got .*${status}`)),
      })
    }
  })

  test('many are cancelled by a filter, which picks the open ones', async () => {
    const world = await makeWorld(database)
    const later = { next_retry_at: world.clock.now() + minute }
    for (let index = 0; index < 3; index += 1) await world.insert({ ...later, event_type: 'user.made' })
    const other = await world.insert(later)
    const delivered = await world.insert({
      status: 'delivered',
      attempt_count: 1,
      next_retry_at: null,
      event_type: 'user.made',
    })
    expect(await world.posthorn.cancel({ type: 'user.made' }, { by: 'kim' })).toBe(3)
    expect(world.heard('delivery.dead').map(({ reason }) => reason)).toEqual(['cancelled', 'cancelled', 'cancelled'])
    expect(await world.row(other)).toMatchObject({ status: 'pending' })
    expect(await world.row(delivered)).toMatchObject({ status: 'delivered' })
    expect(await world.posthorn.deliveries.count({ reason: 'cancelled' })).toBe(3)
  })

  test('what is being sent can be cancelled: its outcome is recorded as late and changes nothing', async () => {
    const transport = scriptedTransport()
    const world = await makeWorld(database, { transport })
    const held = transport.hold(() => true)
    await world.start()
    await world.posthorn.send(paid)
    await transport.sent(1)
    const id = await onlyId(world)
    await world.posthorn.cancel(id)
    held.release()
    await world.posthorn.idle()
    expect(await world.row(id)).toMatchObject({ status: 'dead', reason: 'cancelled' })
    expect(await world.posthorn.deliveries.attempts(id)).toMatchObject([{ late: true, statusCode: 200 }])
    expect(world.heard('delivery.delivered')).toEqual([])
    expect(world.heard('delivery.dead')).toHaveLength(1)
  })
})

describe.each(databases)('what operators read ($name)', (database) => {
  test('the audit says who did what and why, newest first, page by page', async () => {
    const world = await makeWorld(database)
    const dead = await world.insert({ status: 'dead', reason: 'exhausted', attempt_count: 6, next_retry_at: null })
    await world.clock.advance(second)
    await world.posthorn.requeue(dead, { by: 'kim', reason: 'it is back' })
    await world.clock.advance(second)
    await world.posthorn.cancel({ status: 'pending' })
    const [cancelled, requeued] = await world.posthorn.audit()
    expect(cancelled).toMatchObject({
      action: 'cancel',
      actor: 'library',
      reason: null,
      count: 1,
      at: world.clock.now(),
      target: expect.stringContaining('pending'),
    })
    expect(requeued).toMatchObject({ action: 'requeue', actor: 'kim', reason: 'it is back', count: 1, target: dead })
    const [first] = await world.posthorn.audit({ limit: 1 })
    expect(first).toEqual(cancelled)
    expect(await world.posthorn.audit({ limit: 1, after: first?.id ?? null })).toEqual([requeued])
  })

  test('why says in a code and a sentence where a delivery is and what it waits for', async () => {
    const world = await makeWorld(database)
    const { posthorn } = world
    const now = world.clock.now()
    const due = await world.insert()
    const table: [string, string, RegExp][] = [
      [due, 'next_in_line', /^Due, and leaves as soon as/],
      [await world.insert({ next_retry_at: now + minute }), 'scheduled', /^Scheduled for 2026-01-01 00:01:00 UTC/],
      [
        await world.insert({
          status: 'failed',
          attempt_count: 2,
          last_attempted_at: now,
          next_retry_at: now + minute,
          error_detail: 'HTTP 500: oh\nno',
        }),
        'waiting_for_retry',
        /^Waiting for retry 2 of 5 at 2026-01-01 00:01:00 UTC. The last error was: HTTP 500: oh$/,
      ],
      [
        await world.insert({ status: 'failed', attempt_count: 2, last_attempted_at: now }),
        'next_tick',
        /^Due, and leaves with the next tick/,
      ],
      [
        await world.insert({ status: 'dead', reason: 'exhausted', attempt_count: 6, error_detail: 'HTTP 500' }),
        'exhausted',
        /^Dead after 6 failed attempts. The last error was: HTTP 500/,
      ],
      [
        await world.insert({ status: 'delivered', attempt_count: 2, last_attempted_at: now }),
        'delivered',
        /^Delivered on attempt 2/,
      ],
    ]
    for (const [id, code, sentence] of table)
      expect(await posthorn.deliveries.why(id)).toEqual({ code, sentence: expect.stringMatching(sentence) })
    await posthorn.endpoints.disable(world.endpoint.id)
    expect(await posthorn.deliveries.why(due)).toMatchObject({ code: 'endpoint_disabled' })
  })

  test('the overview counts attempts, endings and what waits', async () => {
    const world = await makeWorld(database)
    world.receiver.behave('/hook', [500, 200, 200])
    await world.start()
    await world.posthorn.send(paid)
    await world.posthorn.idle()
    await world.posthorn.send([paid, paid])
    await world.posthorn.send({ ...paid, deliverAt: world.clock.now() + minute })
    await world.posthorn.idle()
    expect(await world.posthorn.overview({ windowMs: minute })).toMatchObject({
      at: world.clock.now(),
      windowMs: minute,
      attempts: 3,
      delivered: 2,
      failed: 1,
      dead: 0,
      deadLetterRate: 0,
      alarm: 'none',
      queue: { fresh: 1, retries: 1, atLeast: false },
    })

    const dying = await world.insert({ status: 'failed', attempt_count: 5 })
    world.receiver.behave('/hook', 500)
    await world.poll()
    expect(await world.row(dying)).toMatchObject({ status: 'dead' })
    expect(await world.posthorn.overview()).toMatchObject({ dead: 1, deadLetterRate: 1 / 3, alarm: 'alarm' })
    await world.leap(2 * 3_600 * second)
    expect(await world.posthorn.overview({ windowMs: minute })).toMatchObject({ delivered: 0, dead: 0, alarm: 'none' })
  })

  test('deliveries are listed and counted by what a filter says, newest first, page by page', async () => {
    const world = await makeWorld(database)
    const start = world.clock.now()
    const ids: string[] = []
    for (const row of [
      {},
      { status: 'failed', attempt_count: 1 },
      { status: 'dead', reason: 'exhausted' },
      { status: 'delivered' },
      { event_type: 'user.made' },
    ]) {
      ids.push(await world.insert(row))
      await world.clock.advance(second)
    }
    const other = await world.posthorn.endpoints.create({ application: 'umbrella', url: 'https://example.com/' })
    ids.push(await world.insert({ webhook_id: other.id, application_id: other.applicationId }))
    const [pending = '', failed = '', dead = '', delivered = '', typed = '', strange = ''] = ids
    const { message_id: messageId } = await world.row(dead)

    const table: [DeliveryFilter, string[]][] = [
      [{}, [strange, typed, delivered, dead, failed, pending]],
      [{ status: 'dead' }, [dead]],
      [{ status: ['pending', 'failed'] }, [strange, typed, failed, pending]],
      [{ reason: 'exhausted' }, [dead]],
      [{ type: 'user.made' }, [typed]],
      [{ endpointId: world.endpoint.id, status: 'pending' }, [typed, pending]],
      [{ applicationId: other.applicationId }, [strange]],
      [{ messageId: String(messageId) }, [dead]],
      [{ ids: [failed, pending] }, [failed, pending]],
      [{ since: start + second, until: start + 3 * second }, [dead, failed]],
    ]
    for (const [filter, wanted] of table) {
      expect(idsOf(await world.posthorn.deliveries.list(filter)), JSON.stringify(filter)).toEqual(wanted)
      expect(await world.posthorn.deliveries.count(filter)).toBe(wanted.length)
    }
    const first = await world.posthorn.deliveries.list({}, { limit: 4 })
    const rest = await world.posthorn.deliveries.list({}, { limit: 4, after: first.at(-1)?.id ?? null })
    expect([...idsOf(first), ...idsOf(rest)]).toEqual(ids.toReversed())
    expect(await world.posthorn.deliveries.get(dead)).toEqual(first.find(({ id }) => id === dead))
  })

  test('every attempt is on record, over requeues too', async () => {
    const world = await makeWorld(database)
    world.receiver.behave('/hook', [{ status: 503, body: 'busy' }, 'reset', 200])
    await world.start()
    await world.posthorn.send(paid)
    await world.posthorn.idle()
    const id = await onlyId(world)
    await world.posthorn.requeue(id)
    await world.posthorn.idle()
    await world.posthorn.requeue(id)
    await world.posthorn.idle()
    expect(await world.posthorn.deliveries.attempts(id)).toMatchObject([
      {
        number: 1,
        deliveryId: id,
        outcome: 'answered',
        statusCode: 503,
        responseBody: 'busy',
        url: world.endpoint.url,
        late: false,
      },
      { number: 2, outcome: 'reset', statusCode: null, late: false },
      { number: 3, outcome: 'answered', statusCode: 200, responseBody: null },
    ])
  })
})

async function onlyId(world: World): Promise<string> {
  const rows = await world.rows()
  expect(rows).toHaveLength(1)
  return String(rows[0]?.['id'])
}

function idsOf(deliveries: readonly Delivery[]): string[] {
  return deliveries.map(({ id }) => id)
}
