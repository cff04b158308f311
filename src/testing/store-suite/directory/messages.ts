import assert from 'node:assert/strict'
import type { Message } from '../../../core/message/message.ts'
import type { MessageFilter } from '../../../core/ports/directory/messages.ts'
import type { Page, Scan } from '../../../core/ports/directory/page.ts'
import { minute } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import { dead, diagnostics } from '../queue/marks.ts'
import { copies, has, leaseMs, only, start, times } from '../world.ts'
import type { World } from '../world.ts'

// More than a store reads of a list in one call.
const manyMessages = 1_300

export const messageCases = [
  storeCase('a list can be of what an endpoint has no delivery of, and can still get', async (world) => {
    const endpoint = await world.endpoint()
    const other = await world.endpoint({ applicationId: endpoint.applicationId })
    const own = { message: { applicationId: endpoint.applicationId } }
    const had = await world.envelope([endpoint], { at: start, ...own })
    const elsewhere = await world.envelope([other], { at: start + 1, ...own })
    const nowhere = await world.envelope([], { at: start + 2, ...own })
    const erased = await world.envelope([], { at: start + 3, ...own })
    await world.queue.enqueue({ owner: 'anna', leaseMs, now: start, envelopes: [had, elsewhere, nowhere, erased] })
    await world.directory.eraseMessage(erased.message.id, start)
    const filter = { applicationId: endpoint.applicationId, missingAt: endpoint.id }
    const page = { limit: 10, after: null, order: 'ascending' } as const
    assert.deepEqual(idsOf((await world.directory.listMessages(filter, page)).items), [
      elsewhere.message.id,
      nowhere.message.id,
    ])
    assert.equal(await world.directory.countMessages(filter, 10), 2)
  }),

  storeCase('messages are listed newest first or oldest first, page by page, and end with null', async (world) => {
    const { applicationId, sent } = await fiveMessages(world)
    for (const order of ['descending', 'ascending', undefined] as const) {
      const wanted = order === 'ascending' ? sent : sent.toReversed()
      const pages = await allPages(world, { applicationId }, { limit: 2, order })
      assert.deepEqual(pages, [wanted.slice(0, 2), wanted.slice(2, 4), wanted.slice(4)])
    }
    const exact = await world.directory.listMessages({ applicationId }, { limit: 5, after: null })
    assert.equal(exact.next, null)
  }),

  storeCase('a list of messages is of what all given conditions pick', async (world) => {
    const { applicationId, sent } = await fiveMessages(world)
    const [first = '', second = '', third = '', fourth = '', fifth = ''] = sent
    const table: [MessageFilter, string[]][] = [
      [{}, sent],
      [{ types: ['order.made'] }, [second, fourth]],
      [{ types: ['order.made', 'invoice.paid'] }, sent],
      [{ types: ['order'] }, []],
      [{ types: [] }, []],
      [{ channel: 'eu' }, [third, fourth]],
      [{ channel: 'e' }, []],
      [{ channel: 'eu-west' }, [fourth]],
      [{ since: start + 2 * minute }, [third, fourth, fifth]],
      [{ until: start + 2 * minute }, [first, second]],
      [{ types: ['order.made'], channel: 'eu', since: start, until: start + 4 * minute }, [fourth]],
    ]
    for (const [filter, wanted] of table) {
      const { items, next } = await world.directory.listMessages(
        { applicationId, ...filter },
        { limit: 10, after: null },
      )
      assert.deepEqual(idsOf(items), wanted.toReversed(), JSON.stringify(filter))
      assert.equal(next, null)
      assert.equal(
        await world.directory.countMessages({ applicationId, ...filter }, 10),
        wanted.length,
        JSON.stringify(filter),
      )
    }
    assert.equal(await world.directory.countMessages({ applicationId }, 3), 3)
    assert.deepEqual(
      await world.directory.listMessages({ applicationId: world.id('app') }, { limit: 10, after: null }),
      { items: [], next: null },
    )
  }),

  storeCase(
    'a list of messages is of all applications if none is named, but of none that is being erased',
    async (world) => {
      const { applicationId, sent } = await fiveMessages(world)
      const all = await world.directory.listMessages({}, { limit: 10, after: null })
      assert.equal(all.items.length, 6)
      const paged = await allPages(world, {}, { limit: 2 })
      assert.deepEqual(paged.flat(), idsOf(all.items))
      assert.equal(await world.directory.countMessages({ types: ['order.made'] }, 10), 2)
      const found = await world.directory.listMessages({ types: ['order.made'] }, { limit: 10, after: null })
      assert.deepEqual(idsOf(found.items), [sent[3], sent[1]])
      await world.erase(applicationId)
      const left = await world.directory.listMessages({}, { limit: 10, after: null })
      assert.equal(left.items.length, 1)
      assert.ok(left.items.every((message) => message.applicationId !== applicationId))
    },
  ),

  storeCase('messages are found by part of their id or event id', async (world) => {
    const { id: applicationId } = await world.application()
    const named = await world.envelope([], { message: { applicationId, eventId: 'Paid_7' } })
    const other = await world.envelope([], { at: start + 1, message: { applicationId, eventId: 'paidX7' } })
    await world.queue.enqueue({ owner: 'anna', leaseMs, now: start, envelopes: [named, other] })
    const table: [string, string[]][] = [
      ['paid_', [named.message.id]],
      ['PAID', [other.message.id, named.message.id]],
      [named.message.id.slice(0, -1), [named.message.id]],
      ['nothing', []],
    ]
    for (const [text, wanted] of table) {
      const { items, next } = await world.directory.listMessages({ text }, { limit: 10, after: null })
      assert.deepEqual(idsOf(items), wanted, text)
      assert.equal(next, null)
    }
  }),

  storeCase(
    'a message is found by its whole id, event id or idempotency key, in one application or in all',
    async (world) => {
      const [one, other] = await Promise.all([world.application(), world.application()])
      const first = await world.envelope([], { message: { applicationId: one.id, eventId: 'paid-7' }, key: 'once' })
      const second = await world.envelope([], {
        at: start + 1,
        message: { applicationId: other.id, eventId: 'paid-7' },
        key: 'paid-7',
      })
      await world.queue.enqueue({ owner: 'anna', leaseMs, now: start, envelopes: [first, second] })
      const [firstId, secondId] = [first.message.id, second.message.id]
      const table: [string, string | undefined, string[]][] = [
        [firstId, undefined, [firstId]],
        [firstId, one.id, [firstId]],
        [firstId, other.id, []],
        ['paid-7', undefined, [secondId, firstId]],
        ['paid-7', one.id, [firstId]],
        ['once', undefined, [firstId]],
        ['once', other.id, []],
        ['paid', undefined, []],
      ]
      for (const [name, applicationId, wanted] of table)
        assert.deepEqual(await world.directory.messagesNamed(name, applicationId, 10), wanted, name)
      assert.deepEqual(await world.directory.messagesNamed('paid-7', undefined, 1), [secondId])
    },
  ),

  storeCase('what came of messages is counted by status', async (world) => {
    const endpoint = await world.endpoint()
    const waiting = await world.delivery(await world.sendOne(endpoint))
    const ended = await world.delivery(await world.settled(endpoint, dead))
    const unknown = world.id('msg')
    const found = await world.directory.messageProgress([waiting.messageId, unknown, ended.messageId])
    const none = { pending: 0, failed: 0, delivered: 0, dead: 0 }
    assert.deepEqual(
      new Map(found.map((each) => [each.messageId, each])),
      new Map([
        [waiting.messageId, { ...none, messageId: waiting.messageId, pending: 1 }],
        [ended.messageId, { ...none, messageId: ended.messageId, dead: 1 }],
      ]),
    )
    assert.deepEqual(await world.directory.messageProgress([]), [])
  }),

  storeCase('a listed message is whole', async (world) => {
    const { id: applicationId } = await world.application()
    const envelope = await world.envelope([], {
      message: { applicationId, eventId: 'paid-7', channels: ['eu'], sessionId: 'session-7' },
    })
    await world.queue.enqueue({ owner: 'anna', leaseMs, now: start, envelopes: [envelope] })
    const { body, ...listed } = only(
      (await world.directory.listMessages({ applicationId }, { limit: 10, after: null })).items,
    )
    assert.deepEqual({ ...listed, body: Buffer.from(body) }, envelope.message)
  }),

  storeCase('a filter that picks little of much is answered in steps, and finds all of it', async (world) => {
    const { id: applicationId } = await world.application()
    const few = copies(world, await world.envelope([], { message: { applicationId } }), 3)
    const ordered = await world.envelope([], { at: start + 3, message: { applicationId, type: 'order.made' } })
    const envelopes = [
      ...few,
      ordered,
      ...copies(world, await world.envelope([], { at: start + 4, message: { applicationId } }), manyMessages),
    ]
    await world.queue.enqueue({ owner: 'anna', leaseMs, now: start, envelopes })
    const rare = ordered.message.id
    for (const order of ['descending', 'ascending'] as const) {
      const found = await allPages(world, { applicationId, types: ['order.made'] }, { limit: 10, order })
      assert.deepEqual(found.flat(), [rare])
    }
    const all = await allPages(world, { applicationId, types: ['order.made', 'invoice.paid'] }, { limit: 700 })
    assert.deepEqual(all.flat(), envelopes.map(({ message }) => message.id).toReversed())
  }),

  storeCase(
    'an erased message keeps everything but its body, says since when, and is not sent again',
    async (world) => {
      const endpoint = await world.endpoint()
      const delivery = await world.delivery(await world.sendOne(endpoint, { message: { eventId: 'paid-7' } }))
      const before = await world.directory.message(delivery.messageId)
      const ended = await world.directory.eraseMessage(delivery.messageId, start + 5)
      assert.deepEqual(
        ended?.map(({ id }) => id),
        [delivery.id],
      )
      has(await world.delivery(delivery.id), { status: 'dead', reason: 'cancelled' })
      assert.deepEqual(await world.directory.eraseMessage(delivery.messageId, start + 9), [])
      const after = await world.directory.message(delivery.messageId)
      assert.deepEqual({ ...after, body: after?.body.length }, { ...before, body: 0, erasedAt: start + 5 })
      assert.equal(await world.directory.eraseMessage(world.id('msg'), start), null)

      assert.equal(
        await world.directory.addDelivery(
          { ...delivery, id: world.id('dlv'), nextRetryAt: start, leased: false },
          start,
          { name: 'maria' },
        ),
        null,
      )
      assert.equal(
        await world.queue.requeue({ filter: { ids: [delivery.id] }, now: start, limit: 1, by: { name: 'maria' } }),
        0,
      )

      assert.deepEqual(await world.claim({ from: endpoint }), [])
    },
  ),

  storeCase('with a message the answers to it are erased, but not why there was none', async (world) => {
    const endpoint = await world.endpoint()
    const answered = await world.delivery(
      await world.settled(endpoint, (claim, at) => {
        const { attempt, mark, ...rest } = dead(claim, at)
        assert.ok(attempt !== null)
        return {
          ...rest,
          mark: { ...mark, errorDetail: 'HTTP 500: you sent {"card":"4242"}' },
          attempt: { ...attempt, outcome: 'answered', statusCode: 500, responseBody: 'you sent {"card":"4242"}' },
        }
      }),
    )
    const silent = await world.delivery(
      await world.settled(endpoint, (claim, at) => {
        const { attempt, ...rest } = dead(claim, at)
        assert.ok(attempt !== null)
        return { ...rest, attempt: { ...attempt, outcome: 'connect', statusCode: null, responseBody: 'ECONNREFUSED' } }
      }),
    )
    for (const { messageId } of [answered, silent]) await world.directory.eraseMessage(messageId, start + 5)
    has(only(await world.directory.attempts(answered.id)), { statusCode: 500, responseBody: null, diagnostics: null })
    has(only(await world.directory.attempts(silent.id)), { responseBody: 'ECONNREFUSED', diagnostics })
    has(await world.delivery(answered.id), { status: 'dead', errorDetail: 'HTTP 500' })
    has(await world.delivery(silent.id), { errorDetail: silent.errorDetail })
  }),
]

async function fiveMessages(world: World): Promise<{ applicationId: string; sent: string[] }> {
  const { id: applicationId } = await world.application()
  const kinds = [
    { type: 'invoice.paid' },
    { type: 'order.made' },
    { type: 'invoice.paid', channels: ['eu', 'us'] },
    { type: 'order.made', channels: ['eu-west', 'eu'] },
    { type: 'invoice.paid', channels: ['e_u'] },
  ]
  const envelopes = await times(5, (index) =>
    world.envelope([], { at: start + index * minute, message: { applicationId, ...kinds[index] } }),
  )
  await world.queue.enqueue({ owner: 'anna', leaseMs, now: start, envelopes })
  const other = await world.application()
  await world.queue.enqueue({
    owner: 'anna',
    leaseMs,
    now: start,
    envelopes: [await world.envelope([], { message: { applicationId: other.id } })],
  })
  return { applicationId, sent: envelopes.map(({ message }) => message.id) }
}

/** Pages until there are no more; a store may return an empty page before. */
async function allPages(world: World, filter: MessageFilter, page: Omit<Page, 'after'>): Promise<string[][]> {
  const pages: string[][] = []
  let after: string | null = null
  for (let asked = 0; asked < 20; asked += 1) {
    const scan: Scan<Message> = await world.directory.listMessages(filter, { ...page, after })
    assert.ok(scan.items.length <= page.limit)
    pages.push(idsOf(scan.items))
    if (scan.next === null) return pages
    after = scan.next
  }
  return assert.fail('the list comes to an end')
}

function idsOf(messages: readonly Message[]): string[] {
  return messages.map(({ id }) => id)
}
