import { describe, expect, test } from 'vitest'
import { databases } from '../world.ts'
import { fieldsIn, routesWorld, url } from './world.ts'

const secret = Buffer.alloc(32, 3).toString('base64')

describe.each(databases)('endpoints over HTTP on %s', (database) => {
  test('are made with what a client gives, under the older names, too', async () => {
    const { ask } = await routesWorld(database)
    const made = await ask(201, 'POST', '/app/acme/endpoint', {
      url,
      uid: 'two',
      description: 'Two',
      filterTypes: ['invoice.paid', 'order.*', 'order.*'],
      channels: ['eu'],
      rateLimit: 5,
      metadata: { a: 'b' },
      secret,
      headers: { 'x-a': '1' },
      policy: 'patient',
      filter: { path: 'total', greater: 5 },
      version: 3,
      unknown: 'is let pass',
    })
    expect(made).toMatchObject({
      url,
      uid: 'two',
      description: 'Two',
      eventTypes: ['invoice.paid', 'order.*'],
      filterTypes: ['invoice.paid', 'order.*'],
      channels: ['eu'],
      throttleRate: 5,
      rateLimit: 5,
      metadata: { a: 'b' },
      policy: 'patient',
      filter: { path: 'total', greater: 5 },
      disabled: false,
      paused: false,
      status: 'active',
      version: 1,
    })
    expect(made['id']).toMatch(/^ep_/)
    expect(Date.parse(String(made['createdAt']))).toBeGreaterThan(0)
    expect(JSON.stringify(made)).not.toContain(secret)
    expect(await ask(200, 'GET', '/app/acme/endpoint/two')).toEqual(made)
    expect(await ask(200, 'GET', '/app/acme/endpoint/two/secret')).toEqual({ key: `whsec_${secret}` })
    expect(await ask(200, 'GET', '/app/acme/endpoint/two/headers')).toEqual({ headers: {}, sensitive: ['x-a'] })
  })

  test('are made with nothing but a URL', async () => {
    const { ask, endpointId } = await routesWorld(database)
    expect(await ask(200, 'GET', `/app/acme/endpoint/${endpointId}`)).toMatchObject({
      uid: 'hooks',
      description: '',
      eventTypes: null,
      filterTypes: null,
      channels: null,
      throttleRate: null,
      metadata: {},
      filter: null,
      disabled: false,
      statusReason: null,
    })
  })

  test('may be made disabled or paused', async () => {
    const { ask } = await routesWorld(database)
    expect(await ask(201, 'POST', '/app/acme/endpoint', { url, disabled: true })).toMatchObject({
      disabled: true,
      status: 'disabled',
      statusReason: 'by admin',
    })
    expect(await ask(201, 'POST', '/app/acme/endpoint', { url, paused: true })).toMatchObject({
      disabled: false,
      paused: true,
      status: 'paused',
    })
    expect(await ask(201, 'PUT', '/app/acme/endpoint/new', { url, disabled: true })).toMatchObject({
      uid: 'new',
      status: 'disabled',
      statusReason: 'by admin',
    })
    // It was never active for a moment first.
    expect((await ask(200, 'GET', '/audit?action=disable'))['data']).toEqual([])
    expect((await ask(200, 'GET', '/audit?action=pause'))['data']).toEqual([])
  })

  test.each([
    [{}, 'body.url'],
    [{ url: 7 }, 'body.url'],
    [{ url: 'nowhere' }, 'body.url'],
    [{ url: 'ftp://acme.example' }, 'body.url'],
    [{ url: 'http://10.0.0.1/' }, 'body.url'],
    [{ url: 'https://user:word@acme.example' }, 'body.url'],
    [{ url, uid: 'not a uid' }, 'body.uid'],
    [{ url, uid: 'ep_0000000000000000000' }, 'body.uid'],
    [{ url, eventTypes: [] }, 'body.eventTypes'],
    [{ url, eventTypes: ['a b'] }, 'body.eventTypes.0'],
    [{ url, eventTypes: ['a..b'] }, 'body.eventTypes.0'],
    [{ url, channels: ['no space'] }, 'body.channels.0'],
    [{ url, throttleRate: 0 }, 'body.throttleRate'],
    [{ url, throttleRate: 1.5 }, 'body.throttleRate'],
    [{ url, secret: 'short' }, 'body.secret'],
    [{ url, secret: `whsec_${'='.repeat(40)}` }, 'body.secret'],
    [{ url, metadata: { a: 1 } }, 'body.metadata.a'],
    [{ url, headers: { 'webhook-id': 'mine' } }, 'body.headers'],
    [{ url, headers: { 'Svix-Id': 'mine' } }, 'body.headers'],
    [{ url, headers: { 'x-a': 'line\nbreak' } }, 'body.headers.x-a'],
    [{ url, policy: 'none such' }, 'body.policy'],
    [{ url, filter: { path: 'a', resembles: 1 } }, 'body.filter'],
    [{ url, filter: [] }, 'body.filter'],
    [{ url, disabled: 'yes' }, 'body.disabled'],
  ])('are refused with the field that is wrong: %j', async (body, field) => {
    const { ask } = await routesWorld(database)
    expect(fieldsIn(await ask(422, 'POST', '/app/acme/endpoint', body))).toEqual([field])
    expect((await ask(200, 'GET', '/app/acme/endpoint'))['data']).toHaveLength(1)
  })

  test('are refused under a uid that another has', async () => {
    const { ask } = await routesWorld(database)
    expect(await ask(409, 'POST', '/app/acme/endpoint', { url, uid: 'hooks' })).toMatchObject({
      code: 'already_exists',
    })
    await ask(201, 'POST', '/app/other/endpoint', { url, uid: 'hooks' })
  })

  test('are listed page by page, forward and back', async () => {
    const { ask } = await routesWorld(database)
    for (const uid of ['two', 'three']) await ask(201, 'POST', '/app/acme/endpoint', { url, uid })
    const first = await ask(200, 'GET', '/app/acme/endpoint?limit=2')
    expect(uidsOf(first)).toEqual(['three', 'two'])
    const second = await ask(200, 'GET', `/app/acme/endpoint?limit=2&iterator=${String(first['iterator'])}`)
    expect([uidsOf(second), second['done']]).toEqual([['hooks'], true])
    expect(
      uidsOf(await ask(200, 'GET', `/app/acme/endpoint?limit=1&iterator=${String(second['prevIterator'])}`)),
    ).toEqual(['two'])
    expect(uidsOf(await ask(200, 'GET', '/app/acme/endpoint?order=ascending&limit=1'))).toEqual(['hooks'])
    expect(
      fieldsIn(await ask(422, 'GET', '/app/acme/endpoint?iterator=app_0000000000000000000&limit=0&order=sideways')),
    ).toEqual(['query.limit', 'query.iterator', 'query.order'])
  })

  test('are set as a whole, but keep what clients of Svix do not know', async () => {
    const { ask } = await routesWorld(database)
    await ask(200, 'PATCH', '/app/acme/endpoint/hooks', {
      eventTypes: ['a'],
      channels: ['eu'],
      throttleRate: 5,
      policy: 'patient',
      filter: { path: 'a', exists: true },
      metadata: { a: 'b' },
    })
    const set = await ask(200, 'PUT', '/app/acme/endpoint/hooks', { url: `${url}/2`, description: 'set' })
    expect(set).toMatchObject({
      url: `${url}/2`,
      uid: 'hooks',
      description: 'set',
      eventTypes: null,
      channels: null,
      throttleRate: null,
      metadata: {},
      policy: 'patient',
      filter: { path: 'a', exists: true },
    })
    expect(await ask(200, 'PUT', '/app/acme/endpoint/hooks', { url, uid: 'renamed' })).toMatchObject({ uid: 'renamed' })
    await ask(404, 'GET', '/app/acme/endpoint/hooks')
  })

  test('are made by PUT under a uid, once, and never under an id', async () => {
    const { ask } = await routesWorld(database)
    const made = await ask(201, 'PUT', '/app/acme/endpoint/new', { url, eventTypes: ['a'] })
    expect(made).toMatchObject({ uid: 'new', eventTypes: ['a'] })
    expect(await ask(200, 'PUT', '/app/acme/endpoint/new', { url })).toMatchObject({
      id: made['id'],
      uid: 'new',
      eventTypes: null,
    })
    await ask(404, 'PUT', '/app/acme/endpoint/ep_0000000000000000000', { url })
  })

  test('are changed only in what is given; null takes it away', async () => {
    const { ask } = await routesWorld(database)
    const changed = {
      uid: 'hooks',
      eventTypes: ['a'],
      throttleRate: 9,
      metadata: { a: 'b' },
      filter: { path: 'a', exists: true },
    }
    expect(await ask(200, 'PATCH', '/app/acme/endpoint/hooks', changed)).toMatchObject(changed)
    expect(await ask(200, 'PATCH', '/app/acme/endpoint/hooks', { description: 'only this' })).toMatchObject({
      ...changed,
      description: 'only this',
    })
    expect(
      await ask(200, 'PATCH', '/app/acme/endpoint/hooks', { throttleRate: null, filterTypes: [], filter: null }),
    ).toMatchObject({ throttleRate: null, eventTypes: null, filter: null, metadata: { a: 'b' } })
    expect(await ask(200, 'PATCH', '/app/acme/endpoint/hooks', { secret })).toMatchObject({ url })
    expect(await ask(200, 'GET', '/app/acme/endpoint/hooks/secret')).toEqual({ key: `whsec_${secret}` })
  })

  test('are disabled, enabled, paused and resumed', async () => {
    const { ask } = await routesWorld(database)
    const states: unknown[] = []
    for (const change of [
      { disabled: true },
      { disabled: true },
      { description: 'x' },
      { disabled: false },
      { paused: true },
      { disabled: false },
      { paused: false },
    ]) {
      states.push((await ask(200, 'PATCH', '/app/acme/endpoint/hooks', change))['status'])
    }
    expect(states).toEqual(['disabled', 'disabled', 'disabled', 'active', 'paused', 'paused', 'active'])
  })

  test('are deleted, and then not found', async () => {
    const { ask } = await routesWorld(database)
    expect(await ask(204, 'DELETE', '/app/acme/endpoint/hooks')).toBeNull()
    await ask(404, 'GET', '/app/acme/endpoint/hooks')
    await ask(404, 'DELETE', '/app/acme/endpoint/hooks')
    await ask(404, 'PATCH', '/app/acme/endpoint/hooks', {})
    expect((await ask(200, 'GET', '/app/acme/endpoint'))['data']).toEqual([])
  })

  test('send headers along, and show no value of them', async () => {
    const { ask, posthorn, endpointId } = await routesWorld(database)
    const path = '/app/acme/endpoint/hooks/headers'
    await ask(204, 'PUT', path, {
      headers: { 'X-One': '1', Authorization: 'Bearer abc', 'X-Api-Key': 'k', 'x-auth-token': 't', Cookie: 'c' },
    })
    expect(await ask(200, 'GET', path)).toEqual({
      headers: {},
      sensitive: ['X-One', 'Authorization', 'X-Api-Key', 'x-auth-token', 'Cookie'],
    })
    await ask(204, 'PATCH', path, {
      headers: { 'x-one': '2', authorization: null, 'x-two': '2' },
      deleteHeaders: ['COOKIE'],
    })
    expect(await ask(200, 'GET', path)).toEqual({
      headers: {},
      sensitive: ['X-Api-Key', 'x-auth-token', 'x-one', 'x-two'],
    })
    const { headers } = await posthorn.endpoints.get(endpointId)
    expect(headers).toEqual({ 'X-Api-Key': 'k', 'x-auth-token': 't', 'x-one': '2', 'x-two': '2' })
    expect(fieldsIn(await ask(422, 'PUT', path, { headers: { host: 'x' } }))).toEqual(['body.headers'])
    expect(fieldsIn(await ask(422, 'PUT', path, { headers: { a: 1 } }))).toEqual(['body.headers.a'])
    expect(fieldsIn(await ask(422, 'PATCH', path, {}))).toEqual(['body.headers'])
  })

  test('show query values only to whoever may write', async () => {
    const { ask, message, posthorn } = await routesWorld(database, true)
    await ask(200, 'PATCH', '/app/acme/endpoint/hooks', { url: 'https://acme.example/hooks?token=hidden&of=acme' })
    await message()
    await posthorn.idle()
    const { token } = await posthorn.keys.create({ name: 'reader', access: 'read' })
    const [delivery] = await posthorn.deliveries.list()
    for (const path of [
      '/app/acme/endpoint',
      '/app/acme/endpoint/hooks',
      '/endpoint',
      '/delivery',
      `/delivery/${String(delivery?.id)}`,
      `/app/acme/attempt/msg/${String(delivery?.messageId)}`,
      `/app/acme/msg/${String(delivery?.messageId)}/endpoint`,
    ]) {
      const shown = JSON.stringify(await ask(200, 'GET', path, undefined, { token }))
      expect([path, shown.includes('hidden'), shown.includes('token=***&of=***')]).toEqual([path, false, true])
      expect(JSON.stringify(await ask(200, 'GET', path))).toContain('token=hidden&of=acme')
    }
    const found = async (text: string, as = {}): Promise<number> => {
      const { data } = await ask(200, 'GET', `/endpoint?text=${text}`, undefined, as)
      return (data as unknown[]).length
    }
    expect([await found('hidden'), await found('hidden', { token }), await found('acme.example', { token })]).toEqual([
      1, 0, 2,
    ])
  })

  test('get a new secret, and the old one lives on for the grace period', async () => {
    const { ask, posthorn, endpointId, clock } = await routesWorld(database)
    const path = '/app/acme/endpoint/hooks/secret/rotate'
    expect(await ask(200, 'POST', path, { key: secret, gracePeriodSeconds: 60 })).toEqual({ key: `whsec_${secret}` })
    const { secrets } = await posthorn.endpoints.get(endpointId)
    expect(secrets.map(({ value, expiresAt }) => [value === `whsec_${secret}`, expiresAt])).toEqual([
      [true, null],
      [false, clock.now() + 60_000],
    ])
    const { key } = await ask(200, 'POST', path, {})
    expect((await posthorn.endpoints.get(endpointId)).secrets.map(({ value }) => value)).toMatchObject([
      key,
      `whsec_${secret}`,
      expect.any(String),
    ])
    expect(fieldsIn(await ask(422, 'POST', path, { gracePeriodSeconds: 604_801, key: '' }))).toEqual([
      'body.key',
      'body.gracePeriodSeconds',
    ])
  })

  test('are rotated once under an idempotency key, and the secret is kept nowhere else', async () => {
    const { ask, posthorn, endpointId } = await routesWorld(database)
    const path = '/app/acme/endpoint/hooks/secret/rotate'
    const kept: string[] = []
    const save = posthorn.replies.saveReply
    posthorn.replies.saveReply = (reply) => {
      kept.push(reply.body)
      return save(reply)
    }
    const asked = { headers: { 'idempotency-key': 'once' } }
    const first = await ask(200, 'POST', path, {}, asked)
    expect(await ask(200, 'POST', path, {}, asked)).toEqual(first)
    expect((await posthorn.endpoints.get(endpointId)).secrets).toHaveLength(2)
    expect(kept).toEqual([''])
    expect(await ask(409, 'POST', path, { gracePeriodSeconds: 0 }, asked)).toMatchObject({
      code: 'idempotency_conflict',
    })
  })

  test('have at most ten secrets that sign', async () => {
    const { ask, posthorn, endpointId } = await routesWorld(database)
    const path = '/app/acme/endpoint/hooks/secret/rotate'
    for (let count = 1; count < 10; count += 1) await ask(200, 'POST', path, {})
    expect(await ask(409, 'POST', path, {})).toMatchObject({
      code: 'wrong_state',
      detail: expect.stringContaining('`gracePeriodSeconds` of 0'),
    })
    expect((await posthorn.endpoints.get(endpointId)).secrets).toHaveLength(10)
    const { key } = await ask(200, 'POST', path, { gracePeriodSeconds: 0 })
    expect(await ask(200, 'GET', '/app/acme/endpoint/hooks/secret')).toEqual({ key })
    await ask(200, 'POST', path, {})
  })

  test('get an example of an event type', async () => {
    const { ask } = await routesWorld(database)
    const path = '/app/acme/endpoint/hooks/send-example'
    const schemas = { 1: { type: 'object', examples: [{ total: 3 }] } }
    await ask(201, 'POST', '/event-type', { name: 'invoice.paid', description: 'Paid', schemas })
    const message = await ask(200, 'POST', path, { eventType: 'invoice.paid' })
    expect(message).toMatchObject({ eventType: 'invoice.paid' })
    expect(await ask(200, 'GET', `/app/acme/msg/${String(message['id'])}`)).toEqual(message)
    expect(fieldsIn(await ask(422, 'POST', path, { eventType: 7 }))).toEqual(['body.eventType'])
  })

  test('are counted', async () => {
    const { ask, message } = await routesWorld(database)
    await message()
    const stats = { success: 0, pending: 1, sending: 0, fail: 0, canceled: 0 }
    expect(await ask(200, 'GET', '/app/acme/endpoint/hooks/stats')).toEqual(stats)
    expect(
      await ask(
        200,
        'GET',
        '/app/acme/endpoint/hooks/stats?since=2000-01-01T00:00:00Z&until=2001-01-01T00:00:00%2B02:00',
      ),
    ).toEqual({ ...stats, pending: 0 })
    expect(fieldsIn(await ask(422, 'GET', '/app/acme/endpoint/hooks/stats?since=yesterday'))).toEqual(['query.since'])
  })

  test.each([
    ['GET', ''],
    ['PUT', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['GET', '/headers'],
    ['PUT', '/headers'],
    ['PATCH', '/headers'],
    ['GET', '/secret'],
    ['POST', '/secret/rotate'],
    ['POST', '/send-example'],
    ['GET', '/stats'],
    ['POST', '/recover'],
    ['POST', '/replay-missing'],
    ['POST', '/bulk-replay'],
    ['GET', '/msg'],
  ])('of others, and unknown ones, are not found: %s …%s', async (method, rest) => {
    const { ask, foreignEndpointId } = await routesWorld(database)
    const body = method === 'GET' ? undefined : { url, headers: {}, eventType: 'a', since: '2026-01-01T00:00:00Z' }
    for (const id of [foreignEndpointId, 'ep_0000000000000000000', '%F0%9F%98%80']) {
      // A PUT under a name that is no id would make one.
      if (method === 'PUT' && rest === '' && id.startsWith('%')) continue
      expect(await ask(404, method, `/app/acme/endpoint/${id}${rest}`, body)).toMatchObject({ code: 'not_found' })
    }
    expect(await ask(404, method, `/app/nobody/endpoint/hooks${rest}`, body)).toMatchObject({ code: 'not_found' })
  })
})

function uidsOf({ data }: Record<string, unknown>): unknown[] {
  return (data as { uid: string }[]).map(({ uid }) => uid)
}
