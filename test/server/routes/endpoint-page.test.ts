import { describe, expect, test } from 'vitest'
import { minute } from '../../../src/core/time.ts'
import { databases } from '../world.ts'
import { fieldsIn, routesWorld, url } from './world.ts'
import type { Body } from './world.ts'

const at = '/app/acme/endpoint/hooks/check'

describe.each(databases)('what the page of an endpoint asks for, on %s:', (database) => {
  test('deliveries are listed with their customer, and with code and latency of the last attempt', async () => {
    const world = await routesWorld(database, true)
    const { ask, message, transport } = world
    transport.answer(url, 503)
    const sent = await message()
    await world.posthorn.idle()
    const [failed] = dataIn(await ask(200, 'GET', `/delivery?message=${String(sent['id'])}`))
    expect(failed).toMatchObject({
      applicationName: 'Acme',
      lastAttempt: { outcome: 'answered', statusCode: 503, tookMs: 0 },
    })
    await world.posthorn.endpoints.pause(String(failed?.['endpointId']))
    await message()
    expect(dataIn(await ask(200, 'GET', '/delivery?status=pending'))[0]).toMatchObject({ lastAttempt: null })
    const [found] = dataIn(await ask(200, 'GET', '/delivery?status=failed&text=total'))
    expect(found).toMatchObject({ lastAttempt: { statusCode: 503 } })
  })

  test('an endpoint tells its last error with the delivery, and when the next retry is due', async () => {
    const world = await routesWorld(database, true)
    const { ask, message, transport, endpointId } = world
    expect(await ask(200, 'GET', `/endpoint/${endpointId}`)).toMatchObject({ lastError: null, nextRetry: null })
    transport.answer(url, { kind: 'answered', statusCode: 503, responseBody: 'closed', retryAfterMs: null })
    await message()
    await world.posthorn.idle()
    const [delivery] = dataIn(await ask(200, 'GET', '/delivery?application=acme'))
    expect(await ask(200, 'GET', `/endpoint/${endpointId}`)).toMatchObject({
      lastError: {
        deliveryId: delivery?.['id'],
        eventType: 'invoice.paid',
        outcome: 'answered',
        statusCode: 503,
        errorDetail: 'HTTP 503: closed',
      },
      nextRetry: { deliveryId: delivery?.['id'], at: delivery?.['nextRetryAt'] },
    })
  })

  test('a day and a week of an endpoint are drawn from its own counts, in all and by time', async () => {
    const world = await routesWorld(database, true)
    const { ask, message, transport, endpointId, foreignEndpointId } = world
    transport.answer(url, 200)
    await message()
    await ask(202, 'POST', '/app/other/msg', { eventType: 'invoice.paid', payload: {} })
    await world.posthorn.idle()
    await world.clock.leap(20 * minute)
    transport.answer(url, 500)
    await message()
    await world.posthorn.idle()
    const path = `/endpoint/${endpointId}/timeline`
    const shown = await ask(200, 'GET', path)
    const buckets = shown['buckets'] as Body[]
    expect(buckets).toHaveLength(96)
    expect(shown['total']).toMatchObject({ delivered: 1, failed: 1, dead: 0, latencyP50Ms: expect.any(Number) })
    expect(buckets.slice(-3).reduce((sum, { delivered }) => sum + Number(delivered), 0)).toBe(1)
    expect(buckets.slice(-2).reduce((sum, { failed }) => sum + Number(failed), 0)).toBe(1)
    expect(((await ask(200, 'GET', `${path}?window=7d`))['buckets'] as Body[]).length).toBe(84)
    expect(fieldsIn(await ask(422, 'GET', `${path}?window=1y`))).toEqual(['query.window'])
    const token = await world.token({ application: 'acme' })
    await ask(200, 'GET', path, undefined, { token })
    await ask(404, 'GET', `/endpoint/${foreignEndpointId}/timeline`, undefined, { token })
  })

  test('settings are checked by the rules of a change, and nothing is changed', async () => {
    const world = await routesWorld(database)
    const { ask } = world
    const before = await ask(200, 'GET', '/app/acme/endpoint/hooks')
    await ask(204, 'POST', at, { url: 'https://acme.example/other', eventTypes: ['invoice.*'], throttleRate: 5 })
    await ask(204, 'POST', at, { headers: { 'x-region': 'eu' }, authentication: { bearer: 'token' } })
    for (const [body, field] of [
      [{ url: 'not a URL' }, 'body.url'],
      [{ url: 'https://127.0.0.1/' }, 'body.url'],
      [{ eventTypes: ['invoice paid'] }, 'body.eventTypes.0'],
      [{ throttleRate: 0 }, 'body.throttleRate'],
      [{ policy: 'nobody' }, 'body.policy'],
      [{ filter: { path: 'total', equal: 1 } }, 'body.filter'],
      [{ headers: { host: 'x' } }, 'body.headers'],
      [{ authentication: { bearer: 'a', basic: { username: 'b', password: 'c' } } }, 'body.authentication'],
      [{ authentication: { bearer: '***' } }, 'body.authentication.bearer'],
      [{ nothing: true }, 'body.nothing'],
    ] as const)
      expect(fieldsIn(await ask(422, 'POST', at, body)), JSON.stringify(body)).toEqual([field])
    expect(await ask(200, 'GET', '/app/acme/endpoint/hooks')).toEqual(before)
  })

  test('a check knows the headers that are set, and what a customer must not choose', async () => {
    const world = await routesWorld(database)
    const { ask } = world
    await ask(204, 'PUT', '/app/acme/endpoint/hooks/headers', { headers: { Authorization: 'Bearer own' } })
    expect(fieldsIn(await ask(422, 'POST', at, { authentication: { bearer: 'token' } }))).toEqual(['body.headers'])
    await ask(204, 'POST', at, { headers: { authorization: null }, authentication: { bearer: 'token' } })
    const reader = await world.token({ application: 'acme', access: 'read' })
    await ask(403, 'POST', at, { url }, { token: reader })
  })

  test('a filter is tried on the newest 20 messages, which it changes nothing of', async () => {
    const world = await routesWorld(database)
    const { ask, message } = world
    const path = '/app/acme/try-filter'
    const filter = { path: 'total', greater: 9 }
    expect(await ask(200, 'POST', path, { filter })).toEqual({ tried: 0, matching: 0, messages: [] })
    for (let total = 0; total < 22; total += 1) await message({ payload: { total } })
    const tried = await ask(200, 'POST', path, { filter })
    expect(tried).toMatchObject({ tried: 20, matching: 12 })
    const messages = tried['messages'] as Body[]
    expect(messages.map(({ matches }) => matches)).toEqual([
      ...Array.from({ length: 12 }, () => true),
      ...Array.from({ length: 8 }, () => false),
    ])
    expect(messages[0]).toMatchObject({ eventType: 'invoice.paid', id: expect.stringMatching(/^msg_/) })
    expect(await ask(200, 'POST', '/app/other/try-filter', { filter })).toMatchObject({ tried: 0 })
  })

  test('a filter that is none is refused by name, and one that costs too much', async () => {
    const { ask } = await routesWorld(database)
    const path = '/app/acme/try-filter'
    const condition = { path: 'total', equals: 1 }
    const deep = Array.from({ length: 9 }).reduce<object>((inner) => ({ not: inner }), condition)
    const wide = { or: Array.from({ length: 101 }, () => condition) }
    for (const filter of [{ path: 'total', equal: 1 }, deep, wide])
      expect(fieldsIn(await ask(422, 'POST', path, { filter }))[0]).toMatch(/^body\.filter/)
    expect(fieldsIn(await ask(422, 'POST', path, { filter: 'total' }))).toEqual(['body.filter'])
    expect(fieldsIn(await ask(422, 'POST', path, {}))).toEqual(['body.filter'])
  })
})

function dataIn(body: Body): Body[] {
  return body['data'] as Body[]
}
