import { messageInRaw, Ordering } from 'svix'
import type { Svix } from 'svix'
import { describe, expect, test } from 'vitest'
import { verifySignature } from '../../../src/core/signing/verify.ts'
import { url } from '../routes/world.ts'
import { contractWorld, refused } from './world.ts'

async function seenBy(customer: Svix): Promise<string[]> {
  return (await customer.eventType.list()).data.map(({ name }) => name)
}

const message = { eventType: 'invoice.paid', payload: { total: 7 } }

describe('the same as the open Svix server', () => {
  test('ids and uids', async () => {
    const { svix } = await contractWorld()
    const { id } = await svix.application.get('acme')
    expect((await svix.endpoint.get(id, 'hooks')).id).toBe((await svix.endpoint.list('acme')).data[0]?.id)
    const sent = await svix.message.create('acme', { ...message, eventId: 'invoice-7' })
    expect((await svix.message.get(id, 'invoice-7')).id).toBe(sent.id)
    expect(await refused(svix.message.create('acme', { ...message, eventId: 'invoice-7' }))).toMatchObject({
      status: 409,
    })
  })

  test('iterators', async () => {
    const { svix } = await contractWorld()
    const ids: string[] = []
    for (let count = 0; count < 5; count += 1) ids.unshift((await svix.message.create('acme', message)).id)
    const first = await svix.message.list('acme', { limit: 2 })
    await svix.message.create('acme', message)
    const second = await svix.message.list('acme', { limit: 2, iterator: first.iterator ?? '' })
    const back = await svix.message.list('acme', { limit: 2, iterator: second.prevIterator ?? '' })
    expect([first, second, back].map(({ data }) => data.map(({ id }) => id))).toEqual([
      ids.slice(0, 2),
      ids.slice(2, 4),
      ids.slice(0, 2),
    ])
    expect((await svix.message.list('acme', { limit: 2, iterator: second.iterator ?? '' })).done).toBe(true)
  })

  test('payloads', async () => {
    const { call, received } = await contractWorld()
    const payload = '{"id":12345678901234567890, "x":1.0}'
    await call('POST', '/api/v1/app/acme/msg', { body: `{"eventType":"a","payload":${payload}}` })
    expect((await received(1)).body).toBe(payload)
  })

  test('raw bodies', async () => {
    const { svix, received } = await contractWorld()
    await svix.message.create('acme', messageInRaw('a', '<a/>', 'text/xml'))
    expect(await received(1)).toMatchObject({ body: '<a/>', headers: { 'content-type': 'text/xml' } })
  })

  test('secrets', async () => {
    const { svix, ask, received, last } = await contractWorld()
    const seed = Buffer.alloc(32, 7)
    await svix.endpoint.rotateSecret('acme', 'hooks', { key: `whsk_${seed.toString('base64')}`, gracePeriodSeconds: 0 })
    const { key } = await svix.endpoint.getSecret('acme', 'hooks')
    expect(key).toMatch(/^whpk_/)
    const path = '/app/acme/endpoint/hooks/secret/rotate'
    const same = { key: `whsk_${seed.toString('base64')}` }
    for (const agent of ['svix-libs/2.9.1/rust', 'svix-libs/2.7.0/python', 'curl/8'])
      expect(await ask(200, 'POST', path, same, { headers: { 'user-agent': agent } })).toEqual({ key })
    for (const agent of ['svix-libs/1.99.1/java', 'svix-libs/1.44.0/go'])
      expect(await ask(204, 'POST', path, same, { headers: { 'user-agent': agent } })).toBeNull()
    await svix.endpoint.rotateSecret('acme', 'hooks', same)
    expect(last().status).toBe(204)
    await svix.message.create('acme', message)
    const { headers, body } = await received(1)
    expect(verifySignature(body, headers, key, { now: Number(headers['webhook-timestamp']) * 1000 }).messageId).toBe(
      headers['webhook-id'],
    )
  })

  test('idempotency keys', async () => {
    const { svix } = await contractWorld()
    const idempotencyKey = `order 7 ${'~'.repeat(248)}`
    const { id } = await svix.message.create('acme', message, { idempotencyKey })
    expect((await svix.message.create('acme', message, { idempotencyKey })).id).toBe(id)
    expect(await refused(svix.message.create('acme', message, { idempotencyKey: 'x'.repeat(257) }))).toMatchObject({
      status: 422,
    })
  })

  test("customers' links", async () => {
    const { svix, client, ask, received, posthorn } = await contractWorld()
    const { id } = await svix.message.create('acme', message)
    await received(1)
    await posthorn.idle()
    const [attempt] = (await svix.messageAttempt.listByMsg('acme', id)).data
    const { token } = await svix.authentication.appPortalAccess('acme', {})
    const customer = client(token)
    await customer.endpoint.create('acme', { url, uid: 'own' })
    await customer.endpoint.patch('acme', 'own', { description: 'Ours' })
    await customer.endpoint.sendExample('acme', 'own', { eventType: 'invoice.paid' })
    await customer.messageAttempt.resend('acme', id, 'hooks')
    expect((await customer.message.list('acme')).data).toHaveLength(2)
    const forbidden = [
      customer.message.create('acme', message),
      customer.message.expungeContent('acme', id),
      customer.messageAttempt.expungeContent('acme', id, attempt?.id ?? ''),
      customer.application.list(),
      customer.application.update('acme', { name: 'Mine' }),
      customer.endpoint.list('other'),
    ]
    for (const call of forbidden) expect(await refused(call)).toMatchObject({ status: 403 })
    const asked = { token }
    await ask(403, 'POST', '/app/acme/endpoint', { url, policy: 'patient' }, asked)
    await ask(403, 'PATCH', '/app/acme/endpoint/own', { policy: 'patient' }, asked)
    await ask(403, 'PUT', '/app/acme/endpoint/own', { url, policy: 'patient' }, asked)
    await ask(200, 'PATCH', '/app/acme/endpoint/own', { policy: 'standard', description: 'As it was' }, asked)
    const { token: old } = (await ask(200, 'POST', '/auth/dashboard-access/acme', {})) as { token: string }
    await ask(403, 'POST', '/app/acme/msg', message, { token: old })
    const reader = client((await svix.authentication.appPortalAccess('acme', { readOnly: true })).token)
    expect((await reader.endpoint.list('acme')).data).toHaveLength(2)
    expect(await refused(reader.endpoint.delete('acme', 'own'))).toMatchObject({ status: 403 })
  })

  test('feature flags', async () => {
    const { svix, client, token } = await contractWorld()
    for (const [name, featureFlag] of [
      ['a', null],
      ['b', 'beta'],
      ['c', 'gamma'],
      ['d', null],
    ] as const)
      await svix.eventType.create({ name, description: '', featureFlag })
    const linked = client((await svix.authentication.appPortalAccess('acme', { featureFlags: ['beta'] })).token)
    expect(await seenBy(linked)).toEqual(['a', 'b', 'd'])
    expect(await seenBy(client((await svix.authentication.appPortalAccess('acme', {})).token))).toEqual(['a', 'd'])
    expect(await seenBy(client(await token({ application: 'acme' })))).toEqual(['a', 'b', 'c', 'd'])
    expect(await refused(linked.eventType.get('c'))).toMatchObject({ status: 404 })
    expect(await refused(linked.endpoint.sendExample('acme', 'hooks', { eventType: 'c' }))).toMatchObject({
      status: 404,
    })
    const second = await linked.eventType.list({ limit: 1, iterator: 'b' })
    expect([
      second.data,
      second.done,
      (await linked.eventType.list({ limit: 1, iterator: second.iterator ?? '' })).data[0]?.name,
    ]).toEqual([[], false, 'd'])
  })

  test('order', async () => {
    const { svix, received, posthorn } = await contractWorld()
    await svix.endpoint.create('acme', { url, uid: 'second' })
    expect((await svix.endpoint.list('acme')).data.map(({ uid }) => uid)).toEqual(['second', 'hooks'])
    expect((await svix.endpoint.list('acme', { order: Ordering.Ascending })).data.map(({ uid }) => uid)).toEqual([
      'hooks',
      'second',
    ])
    expect((await svix.application.list()).data.map(({ uid }) => uid)).toEqual(['acme', 'other'])
    const ids = [await svix.message.create('acme', message), await svix.message.create('acme', message)].map(
      ({ id }) => id,
    )
    await received(4)
    await posthorn.idle()
    expect((await svix.message.list('acme')).data.map(({ id }) => id)).toEqual(ids.toReversed())
    expect((await svix.messageAttempt.listByEndpoint('acme', 'hooks')).data.map(({ msgId }) => msgId)).toEqual(
      ids.toReversed(),
    )
  })

  test('destinations', async () => {
    const { svix } = await contractWorld()
    const { id } = await svix.message.create('acme', message)
    await svix.endpoint.delete('acme', 'hooks')
    expect((await svix.messageAttempt.listAttemptedDestinations('acme', id)).data).toMatchObject([
      { uid: 'hooks', disabled: true },
    ])
    expect(await refused(svix.endpoint.get('acme', 'hooks'))).toMatchObject({ status: 404 })
  })

  test('older paths', async () => {
    const { svix, ask, received, posthorn } = await contractWorld()
    const { id } = await svix.message.create('acme', message)
    await received(1)
    await posthorn.idle()
    const { data } = await ask(200, 'GET', `/app/acme/attempt/msg/${id}`)
    expect(data).toHaveLength(1)
    for (const path of [`/app/acme/msg/${id}/attempt/`, `/app/acme/msg/${id}/endpoint/hooks/attempt`])
      expect((await ask(200, 'GET', path))['data']).toEqual(data)
    expect(await ask(200, 'POST', '/auth/dashboard-access/acme', {})).toMatchObject({
      token: expect.stringMatching(/^phk_/),
      url: expect.stringContaining('/login#key='),
    })
  })

  test('reserved headers', async () => {
    const { svix } = await contractWorld()
    for (const name of ['svix-id', 'Svix-Signature', 'webhook-id', 'Webhook-Extra'])
      expect(await refused(svix.endpoint.updateHeaders('acme', 'hooks', { headers: { [name]: '1' } }))).toMatchObject({
        status: 422,
      })
    await svix.endpoint.updateHeaders('acme', 'hooks', { headers: { 'x-svix-id': '1' } })
  })

  test('retention', async () => {
    const { svix, clock, posthorn, received } = await contractWorld({}, { historyDays: 100 })
    const day = 86_400_000
    const { id } = await svix.message.create('acme', { ...message, payloadRetentionPeriod: 5 })
    const { id: kept } = await svix.message.create('acme', message)
    await received(2)
    await posthorn.idle()
    await clock.leap(5 * day - 60_000)
    await posthorn.idle()
    expect((await svix.message.get('acme', id)).payload).toEqual({ total: 7 })
    // The pruner comes by every hour.
    await clock.leap(7_200_000)
    await posthorn.idle()
    expect((await svix.message.get('acme', id)).payload).toEqual({ expired: true })
    expect((await svix.message.get('acme', kept)).payload).toEqual({ total: 7 })
    expect(await refused(svix.message.create('acme', { ...message, payloadRetentionPeriod: 4 }))).toMatchObject({
      status: 422,
    })
  })

  test('lists in queries', async () => {
    const { svix, ask } = await contractWorld()
    for (const eventType of ['a', 'b', 'c']) await svix.message.create('acme', { ...message, eventType })
    expect(
      (await svix.message.list('acme', { eventTypes: ['a', 'b'] })).data.map(({ eventType }) => eventType),
    ).toEqual(['b', 'a'])
    for (const query of [
      'event_types=a&event_types=b',
      'event_types[]=a&event_types[]=b',
      'event_types[0]=a&event_types[1]=b',
    ]) {
      expect((await ask(200, 'GET', `/app/acme/msg?${query}`))['data']).toHaveLength(2)
    }
  })

  test('older names', async () => {
    const { ask, svix } = await contractWorld()
    expect(await ask(200, 'PATCH', '/app/acme', { rateLimit: 7 })).toMatchObject({ rateLimit: 7, throttleRate: 7 })
    expect(await ask(200, 'PUT', '/app/acme', { name: 'Acme', rateLimit: 8 })).toMatchObject({
      rateLimit: 8,
      throttleRate: 8,
    })
    const made = await ask(201, 'POST', '/app/acme/endpoint', { url, uid: 'old', filterTypes: ['a'], rateLimit: 5 })
    const both = { filterTypes: ['a'], eventTypes: ['a'], rateLimit: 5, throttleRate: 5 }
    expect(made).toMatchObject(both)
    expect(await svix.endpoint.get('acme', 'old')).toMatchObject({ filterTypes: ['a'], throttleRate: 5 })
  })

  test('rate limits', async () => {
    const { svix, posthorn, transport, clock } = await contractWorld()
    await svix.application.patch('acme', { throttleRate: 3 })
    await svix.endpoint.create('acme', { url: `${url}/slow`, throttleRate: 1 })
    for (let count = 0; count < 8; count += 1) await svix.message.create('acme', message)
    const sent = async (): Promise<number[]> => {
      await posthorn.idle()
      return [transport.requests.length, transport.requests.filter((request) => request.url.endsWith('/slow')).length]
    }
    expect(await sent()).toEqual([3, 1])
    await clock.advance(1_000)
    expect(await sent()).toEqual([6, 2])
    await svix.application.patch('acme', { throttleRate: null })
    await clock.advance(1_000)
    expect(await sent()).toEqual([11, 3])
  })

  test('status numbers', async () => {
    const { svix, transport, posthorn } = await contractWorld()
    const destination = async (id: string): Promise<number | undefined> =>
      (await svix.messageAttempt.listAttemptedDestinations('acme', id)).data[0]?.status
    const { id: fine } = await svix.message.create('acme', message)
    await posthorn.idle()
    transport.answer(url, 500)
    const { id: failed } = await svix.message.create('acme', message)
    await posthorn.idle()
    expect((await svix.messageAttempt.listByEndpoint('acme', 'hooks')).data.map(({ status }) => status)).toEqual([2, 0])
    await posthorn.endpoints.pause({ application: 'acme', uid: 'hooks' })
    const { id: waiting } = await svix.message.create('acme', message)
    expect([await destination(fine), await destination(failed), await destination(waiting)]).toEqual([0, 3, 1])
    for (const { id } of await posthorn.deliveries.list({ messageId: failed })) await posthorn.cancel(id)
    expect(await destination(failed)).toBe(2)
  })

  test('trigger types', async () => {
    const { svix, posthorn, received } = await contractWorld()
    const { id } = await svix.message.create('acme', message)
    await posthorn.idle()
    await svix.messageAttempt.resend('acme', id, 'hooks')
    await received(2)
    await posthorn.idle()
    expect((await svix.messageAttempt.listByMsg('acme', id)).data.map(({ triggerType }) => triggerType)).toEqual([1, 0])
  })
})
