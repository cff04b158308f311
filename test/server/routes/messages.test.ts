import { handler } from 'posthorn/server'
import { describe, expect, test } from 'vitest'
import { databases } from '../world.ts'
import { fieldsIn, routesWorld } from './world.ts'

const given = { eventType: 'invoice.paid', payload: { total: 7 } }

describe.each(databases)('messages over HTTP on %s', (database) => {
  test('are taken, and shown by id or event id', async () => {
    const { ask, message, posthorn } = await routesWorld(database)
    const taken = await message({
      eventId: 'invoice-7',
      channels: ['eu'],
      tags: ['x'],
      transformationsParams: {},
      payloadRetentionPeriod: 30,
    })
    expect(taken).toMatchObject({
      eventType: 'invoice.paid',
      eventId: 'invoice-7',
      channels: ['eu'],
      payload: { total: 7 },
    })
    expect(await ask(200, 'GET', `/app/acme/msg/${String(taken['id'])}`)).toEqual(taken)
    expect(await ask(200, 'GET', '/app/acme/msg/invoice-7')).toEqual(taken)
    expect(await ask(200, 'GET', '/app/acme/msg/invoice-7?with_content=false')).toEqual({ ...taken, payload: {} })
    expect(await posthorn.deliveries.list({ messageId: String(taken['id']) })).toHaveLength(1)
  })

  test('arrive byte for byte', async () => {
    const { call, posthorn } = await routesWorld(database)
    const payload = '{"id":12345678901234567890,"x":1.0, "s":"\\u00e9 é 😀"}'
    const body = `{"eventType":"invoice.paid","payload": ${payload} ,"channels":null}`
    const reply = await call('POST', '/api/v1/app/acme/msg', { body })
    expect(reply.status).toBe(202)
    const { id } = reply.body as { id: string }
    expect(Buffer.from((await posthorn.messages.get('acme', id)).body).toString()).toBe(payload)
  })

  test('come back byte for byte', async () => {
    const { text } = await rawWorld(database)
    const payload = '{"id":12345678901234567890,"x":1.0}'
    const body = `{"payload":{"not":"this"},"eventType":"a","\\u0070ayload":${payload}}`
    expect(await text('POST', '/app/acme/msg', body)).toContain(`"payload":${payload}}`)
    expect(await text('GET', '/app/acme/msg')).toContain(`"payload":${payload}}`)
    expect(await text('POST', '/app/acme/msg?with_content=false', body)).toContain('"payload":{}}')
  })

  test('that came in through the library may be no JSON, and are shown as text in an object', async () => {
    const { ask, posthorn } = await routesWorld(database)
    const { id } = await posthorn.send({
      application: 'acme',
      type: 'a',
      payload: 'so "long"',
      contentType: 'text/plain',
    })
    expect(await ask(200, 'GET', `/app/acme/msg/${id}`)).toMatchObject({ payload: { rawPayload: 'so "long"' } })
  })

  test('are for applications that exist, or that come with them', async () => {
    const { ask } = await routesWorld(database)
    expect(await ask(404, 'POST', '/app/nobody/msg', given)).toMatchObject({ code: 'not_found' })
    await ask(404, 'GET', '/app/nobody')
    const application = { name: 'New', metadata: { a: 'b' } }
    await ask(202, 'POST', '/app/new/msg', { ...given, application })
    expect(await ask(200, 'GET', '/app/new')).toMatchObject({ uid: 'new', ...application })
    await ask(202, 'POST', '/app/new/msg', { ...given, application: { name: 'Is there already' } })
    expect(await ask(200, 'GET', '/app/new')).toMatchObject({ name: 'New' })
    expect(
      fieldsIn(await ask(422, 'POST', '/app/newer/msg', { ...given, application: { name: 'N', uid: 'another' } })),
    ).toEqual(['body.application.uid'])
    await ask(404, 'GET', '/app/newer')
    await ask(422, 'POST', '/app/app_0000000000000000000/msg', { ...given, application })
  })

  test('have an event id that no other has', async () => {
    const { ask, message } = await routesWorld(database)
    await message({ eventId: 'one' })
    expect(await ask(409, 'POST', '/app/acme/msg', { ...given, eventId: 'one' })).toMatchObject({
      code: 'already_exists',
    })
    await ask(202, 'POST', '/app/other/msg', { ...given, eventId: 'one' })
  })

  test('are stored once under an idempotency key', async () => {
    const { ask, posthorn } = await routesWorld(database)
    const asked = { headers: { 'idempotency-key': 'seven' } }
    const first = await ask(202, 'POST', '/app/acme/msg', given, asked)
    expect(await ask(202, 'POST', '/app/acme/msg', given, asked)).toEqual(first)
    expect(await ask(409, 'POST', '/app/acme/msg', { ...given, payload: {} }, asked)).toMatchObject({
      code: 'idempotency_conflict',
    })
    expect(
      (await posthorn.messages.list({ applicationId: (await posthorn.applications.get('acme')).id })).items,
    ).toHaveLength(1)
  })

  test('are stored once under an idempotency key, even if they have an event id', async () => {
    const { ask } = await routesWorld(database)
    const asked = { headers: { 'idempotency-key': 'seven' } }
    const first = await ask(202, 'POST', '/app/acme/msg', { ...given, eventId: 'one' }, asked)
    expect(await ask(202, 'POST', '/app/acme/msg', { ...given, eventId: 'one' }, asked)).toEqual(first)
  })

  test('are listed newest first, and by what they are', async () => {
    const { ask, message } = await routesWorld(database)
    const ids: unknown[] = []
    for (const more of [{ channels: ['eu'] }, { eventType: 'b' }, { eventType: 'c', channels: ['us', 'eu'] }])
      ids.push((await message(more))['id'])
    const listed = async (query: string): Promise<unknown[]> => idsOf(await ask(200, 'GET', `/app/acme/msg?${query}`))
    expect(await listed('')).toEqual(ids.toReversed())
    expect(await listed('channel=eu')).toEqual([ids[2], ids[0]])
    expect(await listed('event_types=b,c')).toEqual([ids[2], ids[1]])
    expect(await listed('event_types=b&event_types=invoice.paid')).toEqual([ids[1], ids[0]])
    expect(await listed('before=2000-01-01T00:00:00Z')).toEqual([])
    expect(await listed('after=2000-01-01T00:00:00Z&limit=2')).toEqual([ids[2], ids[1]])
    const first = await ask(200, 'GET', '/app/acme/msg?limit=2')
    expect(await listed(`iterator=${String(first['iterator'])}`)).toEqual([ids[0]])
    expect(await listed(`iterator=-${String(ids[0])}`)).toEqual([ids[2], ids[1]])
    expect((await ask(200, 'GET', '/app/other/msg'))['data']).toEqual([])
    expect(fieldsIn(await ask(422, 'GET', '/app/acme/msg?channel=a%20b&before=now&iterator=ep_1'))).toEqual([
      'query.iterator',
      'query.channel',
      'query.before',
    ])
  })

  test('lose their payload for good, and what was on its way is cancelled', async () => {
    const { ask, message, posthorn } = await routesWorld(database)
    const { id } = await message({ eventId: 'secret' })
    expect(await ask(204, 'DELETE', '/app/acme/msg/secret/content')).toBeNull()
    expect(await ask(200, 'GET', `/app/acme/msg/${String(id)}`)).toMatchObject({ payload: { expired: true } })
    expect(await posthorn.deliveries.list({ messageId: String(id) })).toMatchObject([
      { status: 'dead', reason: 'cancelled' },
    ])
    await ask(204, 'DELETE', '/app/acme/msg/secret/content')
  })

  test.each([
    [{}, ['body.eventType', 'body.payload']],
    [{ ...given, payload: 'text' }, ['body.payload']],
    [{ ...given, payload: [1] }, ['body.payload']],
    [{ ...given, payload: null }, ['body.payload']],
    [{ ...given, eventType: 'a b' }, ['body.eventType']],
    [{ ...given, eventType: 'a..b' }, ['body.eventType']],
    [{ ...given, channels: [] }, ['body.channels']],
    [{ ...given, channels: ['a', 'b', 'c', 'd', 'e', 'f'] }, ['body.channels']],
    [{ ...given, eventId: 'a b' }, ['body.eventId']],
    [{ ...given, eventId: 'msg_0000000000000000000' }, ['body.eventId']],
    [{ ...given, deliverAt: 'later' }, ['body.deliverAt']],
    [{ ...given, deliverAt: '9999-01-01T00:00:00Z' }, ['body.deliverAt']],
    [{ ...given, application: { uid: 'acme' } }, ['body.application.name']],
  ])('are refused with the fields that are wrong: %j', async (body, fields) => {
    const { ask } = await routesWorld(database)
    expect(fieldsIn(await ask(422, 'POST', '/app/acme/msg', body))).toEqual(fields)
    expect((await ask(200, 'GET', '/app/acme/msg'))['data']).toEqual([])
  })

  test.each(['', '{', '[]', '"text"', 'null', '\uFEFF{}', '{"eventType":"a","payload":{}}}'])(
    'are refused if the body is no object in JSON: %s',
    async (body) => {
      const { ask } = await routesWorld(database)
      expect(fieldsIn(await ask(422, 'POST', '/app/acme/msg', body))[0]).toMatch(/^body/)
    },
  )

  test('are refused beyond a mebibyte', async () => {
    const { ask } = await routesWorld(database)
    expect(
      await ask(413, 'POST', '/app/acme/msg', { ...given, payload: { text: 'x'.repeat(1024 * 1024) } }),
    ).toMatchObject({ code: 'body_too_large' })
    expect(
      await ask(413, 'POST', '/app/acme/msg', { ...given, payload: { text: 'x'.repeat(3 * 1024 * 1024) } }),
    ).toMatchObject({ code: 'body_too_large' })
  })

  test('of others, and unknown ones, are not found', async () => {
    const { ask, message } = await routesWorld(database)
    const { id } = await message({ eventId: 'mine' })
    for (const name of [String(id), 'mine', 'msg_0000000000000000000', '%00']) {
      await ask(404, 'GET', `/app/other/msg/${name}`)
      await ask(404, 'DELETE', `/app/other/msg/${name}/content`)
    }
    expect(await ask(200, 'GET', '/app/acme/msg/mine')).toMatchObject({ payload: { total: 7 } })
  })
})

async function rawWorld(database: 'sqlite' | 'postgres') {
  const { posthorn } = await routesWorld(database)
  const answer = handler(posthorn, {
    authorize: () => ({ id: 'test', name: 'test', applicationId: null, access: 'write' }),
  })
  return {
    async text(method: string, path: string, body?: string): Promise<string> {
      const response = await answer(
        new Request(`http://posthorn.test/api/v1${path}`, { method, ...(body !== undefined && { body }) }),
      )
      return response.text()
    },
  }
}

function idsOf({ data }: Record<string, unknown>): unknown[] {
  return (data as { id: string }[]).map(({ id }) => id)
}
