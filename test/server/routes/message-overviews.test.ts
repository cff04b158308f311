import { describe, expect, test } from 'vitest'
import { isoTime, second } from '../../../src/core/time.ts'
import { databases } from '../world.ts'
import { fieldsIn, routesWorld, url } from './world.ts'
import type { Body, RoutesWorld } from './world.ts'

const none = { pending: 0, failed: 0, delivered: 0, dead: 0 }

describe.each(databases)('messages for operators, on %s', (database) => {
  test('are listed over all applications, newest first, with what came of them', async () => {
    const { ask, message, posthorn, transport, clock } = await routesWorld(database, true)
    transport.answer('https://acme.example/down', 503)
    await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/down' })
    const { id } = await message({ eventId: 'invoice-7', channels: ['eu'] })
    const foreign = await ask(202, 'POST', '/app/other/msg', { eventType: 'b', payload: {} })
    await clock.advance(second)
    const listed = await ask(200, 'GET', '/message')
    expect(listed).toMatchObject({
      done: true,
      data: [
        { id: foreign['id'], eventType: 'b', application: { uid: 'other', name: 'Other' } },
        {
          id,
          eventType: 'invoice.paid',
          eventId: 'invoice-7',
          channels: ['eu'],
          bytes: 11,
          erased: false,
          application: { uid: 'acme', name: 'Acme' },
          deliveries: { ...none, delivered: 1, failed: 1 },
        },
      ],
    })
    expect(JSON.stringify(listed)).not.toContain('total')
  })

  test('are found by application, event type, time and part of their name, page by page', async () => {
    const { ask, message, clock } = await routesWorld(database)
    const first = await message({ eventId: 'order-1' })
    await clock.advance(second)
    const since = isoTime(clock.now())
    const later = await message({ eventType: 'order.made', eventId: 'order-2' })
    const foreign = await ask(202, 'POST', '/app/other/msg', { eventType: 'order.made', payload: {} })
    const found = async (query: string): Promise<unknown[]> => idsIn(await ask(200, 'GET', `/message?${query}`))
    expect(await found('application=acme')).toEqual([later['id'], first['id']])
    expect(await found('event_type=order.made')).toEqual([foreign['id'], later['id']])
    expect(await found(`since=${since}&application=acme`)).toEqual([later['id']])
    expect(await found(`until=${since}`)).toEqual([first['id']])
    expect(await found('text=ORDER-')).toEqual([later['id'], first['id']])
    expect(await found('text=order-&event_type=invoice.paid')).toEqual([first['id']])
    const page = await ask(200, 'GET', '/message?limit=2')
    expect(page).toMatchObject({ done: false })
    expect(await found(`limit=2&iterator=${String(page['iterator'])}`)).toEqual([first['id']])
    await ask(404, 'GET', '/message?application=nobody')
    expect(fieldsIn(await ask(422, 'GET', '/message?since=now&iterator=ep_1&event_type=a%20b'))).toEqual([
      'query.iterator',
      'query.event_type',
      'query.since',
    ])
  })

  test('are found at once by a whole id, event id or idempotency key, however old', async () => {
    const world = await routesWorld(database)
    const { ask } = world
    const given = { eventType: 'invoice.paid', payload: {}, eventId: 'paid-7' }
    const asked = { headers: { 'idempotency-key': 'once and only' } }
    const { id } = await ask(202, 'POST', '/app/acme/msg', given, asked)
    await addDeadLetters(world, 1_100)
    const found = async (query: string): Promise<Body> => ask(200, 'GET', `/message?${query}`)
    for (const text of [String(id), 'paid-7', 'once%20and%20only'])
      expect(await found(`text=${text}`), text).toMatchObject({ data: [{ id }], done: true })
    expect(await found('text=paid-7&application=other')).toMatchObject({ data: [] })
    expect(await found('text=paid-7&event_type=another')).toMatchObject({ data: [] })
    // Part of a name is looked for a thousand messages at a time.
    const first = await found('text=paid-')
    expect(first).toMatchObject({ data: [], done: false })
    expect(await found(`text=paid-&iterator=${String(first['iterator'])}`)).toMatchObject({ data: [{ id }] })
  })

  test('are shown whole, by their id', async () => {
    const { ask, message, posthorn } = await routesWorld(database)
    const { id } = await message({ sessionId: 'session-7' })
    expect(await ask(200, 'GET', `/message/${String(id)}`)).toMatchObject({
      id,
      eventType: 'invoice.paid',
      contentType: 'application/json',
      sessionId: 'session-7',
      payload: '{"total":7}',
      bytes: 11,
      truncated: false,
      binary: false,
      erased: false,
      application: { uid: 'acme', name: 'Acme' },
      deliveries: { ...none, pending: 1 },
    })
    await posthorn.messages.erase('acme', String(id))
    expect(await ask(200, 'GET', `/message/${String(id)}`)).toMatchObject({
      payload: '',
      erased: true,
      deliveries: { ...none, dead: 1 },
    })
    await ask(404, 'GET', '/message/msg_0000000000000000000')
    expect(await ask(422, 'GET', '/message/invoice-7')).toHaveProperty('detail')
  })

  test("of others are no customer's business", async () => {
    const { ask, message, token } = await routesWorld(database)
    const { id } = await message({ eventId: 'mine' })
    const theirs = { token: await token({ application: 'other' }) }
    const own = { token: await token({ application: 'acme', portal: { featureFlags: [] } }) }
    for (const query of ['', '?text=mine', `?text=${String(id)}`]) {
      expect(await ask(200, 'GET', `/message${query}`, undefined, theirs)).toMatchObject({ data: [] })
      expect(await ask(200, 'GET', `/message${query}`, undefined, own)).toMatchObject({ data: [{ id }] })
    }
    await ask(404, 'GET', '/message?application=acme', undefined, theirs)
    const foreign = await ask(404, 'GET', `/message/${String(id)}`, undefined, theirs)
    const unknown = await ask(404, 'GET', '/message/msg_0000000000000000000', undefined, theirs)
    expect(Object.keys(foreign)).toEqual(Object.keys(unknown))
    await ask(200, 'GET', `/message/${String(id)}`, undefined, own)
    await ask(403, 'POST', '/message/check', { eventType: 'a', payload: {} }, own)
  })

  test('are checked against the newest schema of their type before they are sent', async () => {
    const { ask } = await routesWorld(database)
    const schema = { type: 'object', required: ['total'], properties: { total: { type: 'number' } } }
    await ask(201, 'POST', '/event-type', { name: 'invoice.paid', description: '', schemas: { '1': schema } })
    const problem = async (payload: unknown, eventType = 'invoice.paid'): Promise<unknown> =>
      (await ask(200, 'POST', '/message/check', { eventType, payload }))['problem']
    expect(await problem({ total: 7 })).toBeNull()
    expect(await problem({ total: 'seven' })).toMatch(/total/)
    expect(await problem({})).toMatch(/total/)
    expect(await problem({}, 'unknown.type')).toBeNull()
    expect(fieldsIn(await ask(422, 'POST', '/message/check', { eventType: 'a b', payload: [] }))).toEqual([
      'body.eventType',
      'body.payload',
    ])
    expect(idsIn(await ask(200, 'GET', '/message'))).toEqual([])
  })
})

/** So many messages above those that are there. */
async function addDeadLetters({ posthorn, clock }: RoutesWorld, many: number): Promise<void> {
  for (let sent = 0; sent < many; sent += 100) {
    await clock.advance(1)
    await Promise.all(
      Array.from({ length: Math.min(100, many - sent) }, () =>
        posthorn.send({ application: 'other', type: 'noise', payload: url }),
      ),
    )
  }
}

function idsIn({ data }: Body): unknown[] {
  return (data as { id: string }[]).map(({ id }) => id)
}
