import { messageInRaw, Webhook } from 'svix'
import { describe, expect, test } from 'vitest'
import { url } from '../routes/world.ts'
import { contractWorld, refused, secret } from './world.ts'

const message = { eventType: 'invoice.paid', payload: { total: 7 } }
const since = '2000-01-01T00:00:00Z'

describe('different from the open Svix server', () => {
  test('bulk replay', async () => {
    const { ask } = await contractWorld()
    const path = '/app/acme/endpoint/hooks/bulk-replay'
    await ask(202, 'POST', path, { since, eventTypes: ['a'], status: 3 })
    for (const wider of [{ channel: 'eu' }, { statusCodeClass: 500 }, { tag: 'x' }, { eventTypes: ['a', 'b'] }])
      await ask(422, 'POST', path, { since, ...wider })
  })

  test('resend', async () => {
    const { svix } = await contractWorld()
    const { id } = await svix.message.create('acme', message)
    await svix.endpoint.create('acme', { url, uid: 'late' })
    expect(await refused(svix.messageAttempt.resend('acme', id, 'late'))).toMatchObject({
      status: 404,
      detail: expect.stringContaining('replay-missing'),
    })
    expect((await svix.endpoint.replayMissing('acme', 'late', { since: new Date(since) })).task).toBe('endpoint.replay')
  })

  test('PUT', async () => {
    const { ask, svix } = await contractWorld()
    await ask(200, 'PATCH', '/app/acme/endpoint/hooks', { policy: 'patient', paused: true })
    await svix.endpoint.update('acme', 'hooks', { url, description: 'Changed' })
    expect(await ask(200, 'GET', '/app/acme/endpoint/hooks')).toMatchObject({
      uid: 'hooks',
      description: 'Changed',
      policy: 'patient',
      paused: true,
    })
    expect(await svix.application.update('acme', { name: 'Changed' })).toMatchObject({ uid: 'acme', name: 'Changed' })
  })

  test('secrets and readers', async () => {
    const { client, token } = await contractWorld()
    const reader = client(await token({ application: 'acme', access: 'read' }))
    expect(await refused(reader.endpoint.getSecret('acme', 'hooks'))).toMatchObject({ status: 403 })
    const writer = client(await token({ application: 'acme' }))
    expect((await writer.endpoint.getSecret('acme', 'hooks')).key).toMatch(/^whsec_/)
  })

  test('values of headers', async () => {
    const { svix } = await contractWorld()
    await svix.endpoint.updateHeaders('acme', 'hooks', { headers: { 'x-plain': '1', authorization: 'Basic Zm9v' } })
    expect(await svix.endpoint.getHeaders('acme', 'hooks')).toEqual({
      headers: {},
      sensitive: ['x-plain', 'authorization'],
    })
    await svix.endpoint.patchHeaders('acme', 'hooks', { headers: { 'x-plain': '2' }, deleteHeaders: ['authorization'] })
    expect(await svix.endpoint.getHeaders('acme', 'hooks')).toEqual({ headers: {}, sensitive: ['x-plain'] })
  })

  test('tasks', async () => {
    const { svix } = await contractWorld()
    const { id, task } = await svix.endpoint.recover('acme', 'hooks', { since: new Date(since) })
    expect(task).toBe('endpoint.recover')
    expect(await svix.backgroundTask.get(id)).toMatchObject({ task, data: { matching: 0, done: 0 } })
  })

  test("a link's lifetime", async () => {
    const { svix, ask, clock } = await contractWorld({ portalTokenHours: 2 })
    const hour = 3_600_000
    const [usual, longer] = [
      await svix.authentication.appPortalAccess('acme', {}),
      await svix.authentication.appPortalAccess('acme', { expiry: 10_800 }),
    ]
    await clock.leap(2 * hour - 10)
    await ask(200, 'GET', '/app/acme', undefined, { token: usual.token })
    await clock.advance(10)
    await ask(401, 'GET', '/app/acme', undefined, { token: usual.token })
    await ask(200, 'GET', '/app/acme', undefined, { token: longer.token })
    await clock.leap(hour)
    await ask(401, 'GET', '/app/acme', undefined, { token: longer.token })
    expect(await ask(422, 'POST', '/auth/app-portal-access/acme', { capabilities: ['ViewBase'] })).toMatchObject({
      detail: [{ loc: ['body', 'capabilities'] }],
    })
  })

  test('headers and retries', async () => {
    const { svix, posthorn, transport, clock, received, ask } = await contractWorld(
      {},
      { preset: 'svix', random: () => 0.5 },
    )
    transport.answer(url, 500)
    await svix.endpoint.rotateSecret('acme', 'hooks', { key: secret, gracePeriodSeconds: 0 })
    const { id } = await svix.message.create('acme', message)
    const { headers, body } = await received(1)
    expect(headers).toMatchObject({ 'svix-id': id })
    expect(Object.keys(headers).filter((name) => name.startsWith('webhook-'))).toEqual([])
    expect(new Webhook(secret).sign(id, new Date(Number(headers['svix-timestamp']) * 1000), body)).toBe(
      headers['svix-signature'],
    )
    const waits = [30, 300, 1_800, 7_200, 18_000, 36_000, 36_000]
    for (const [index, seconds] of waits.entries()) {
      await posthorn.idle()
      await clock.leap(seconds * 1_000 + 5_000)
      await received(index + 2)
    }
    await posthorn.idle()
    expect([transport.requests.length, await posthorn.deliveries.list({ messageId: id })]).toMatchObject([
      8,
      [{ status: 'dead', reason: 'exhausted', policy: 'svix' }],
    ])
    expect(await ask(200, 'GET', '/app/other/endpoint/foreign')).toMatchObject({ policy: 'svix' })
    expect((await contractWorld()).posthorn.policies.find(({ name }) => name === 'standard')?.maxAttempts).toBe(6)
  })

  test('operational webhooks', async () => {
    const { svix, posthorn, transport, clock, ask } = await contractWorld({}, { maxRetries: 0 })
    const target = 'https://ops.example/hooks'
    transport.answer(url, 500)
    await ask(201, 'POST', '/alarm/target', { url: target })
    const { id: msgId } = await svix.message.create('acme', message)
    await posthorn.idle()
    await svix.endpoint.update('acme', 'hooks', { url, description: 'Changed' })
    await clock.advance(60_000)
    await posthorn.idle()
    const told = transport.requests
      .filter((request) => request.url === target)
      .map(({ body }) => JSON.parse(Buffer.from(body).toString()) as { type: string; data: unknown })
    expect(told.find(({ type }) => type === 'message.attempt.exhausted')?.data).toMatchObject({
      appUid: 'acme',
      endpointUid: 'hooks',
      msgId,
      lastAttempt: { responseStatusCode: 500 },
    })
    expect(told.filter(({ type }) => type === 'endpoint.updated')).toEqual([])
  })

  test('event type names', async () => {
    const { svix } = await contractWorld()
    const eventType = `${'a'.repeat(200)}.${'b'.repeat(55)}`
    expect((await svix.message.create('acme', { ...message, eventType })).eventType).toBe(eventType)
    await svix.eventType.create({ name: eventType, description: '' })
    expect((await svix.endpoint.create('acme', { url, filterTypes: [eventType] })).filterTypes).toEqual([eventType])
    for (const wrong of [`${eventType}c`, 'a..b', '.a', 'a.', '']) {
      expect(await refused(svix.message.create('acme', { ...message, eventType: wrong }))).toMatchObject({
        status: 422,
        detail: [{ loc: ['body', 'eventType'] }],
      })
    }
  })

  test('browsers', async () => {
    const headers = { origin: 'https://portal.example' }
    const [closed, open] = [await contractWorld(), await contractWorld({ corsOrigins: ['https://portal.example'] })]
    expect((await closed.call('GET', '/api/v1/app', { headers })).headers.get('access-control-allow-origin')).toBeNull()
    expect((await open.call('GET', '/api/v1/app', { headers })).headers.get('access-control-allow-origin')).toBe(
      'https://portal.example',
    )
  })

  test('unknown fields', async () => {
    const { svix, last, ask } = await contractWorld()
    await svix.message.create('acme', { ...message, tags: ['x'] })
    expect([last().status, last().headers.get('x-posthorn-ignored')]).toEqual([202, 'body.tags'])
    await svix.message.list('acme', { tag: 'x' })
    expect(last().headers.get('x-posthorn-ignored')).toBe('query.tag')
    expect((await ask(200, 'GET', '/app/acme/msg'))['data']).toHaveLength(1)
    const strict = await contractWorld({ strict: true })
    expect(await refused(strict.svix.message.create('acme', { ...message, tags: ['x'] }))).toMatchObject({
      status: 422,
      detail: [{ loc: ['body', 'tags'] }],
    })
  })

  test('filtered pages', async () => {
    const { svix } = await contractWorld()
    await svix.message.create('acme', { ...message, eventType: 'rare' })
    for (let count = 0; count < 3; count += 1) await svix.message.create('acme', message)
    const found: string[] = []
    let page = await svix.message.list('acme', { eventTypes: ['rare'], limit: 1 })
    for (let pages = 0; pages < 10; pages += 1) {
      found.push(...page.data.map(({ eventType }) => eventType))
      if (page.done) break
      page = await svix.message.list('acme', { eventTypes: ['rare'], limit: 1, iterator: page.iterator ?? '' })
    }
    expect([found, page.done]).toEqual([['rare'], true])
  })

  test('raw bodies shown', async () => {
    const { svix } = await contractWorld()
    const { id } = await svix.message.create('acme', messageInRaw('a', '[1]'))
    expect((await svix.message.get('acme', id)).payload).toEqual({ rawPayload: '[1]' })
  })

  test('headers of raw bodies', async () => {
    const { ask } = await contractWorld()
    const body = { eventType: 'a', payload: {}, transformationsParams: { rawPayload: 'a', headers: { 'x-mine': '1' } } }
    await ask(422, 'POST', '/app/acme/msg', body)
  })
})
