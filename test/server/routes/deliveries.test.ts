import { describe, expect, test } from 'vitest'
import { day, hour, minute } from '../../../src/core/time.ts'
import { databases } from '../world.ts'
import { fieldsIn, routesWorld, url } from './world.ts'
import type { Body, RoutesWorld } from './world.ts'

describe.each(databases)('deliveries on %s', (database) => {
  test('are listed newest first, by every filter, page by page', async () => {
    const world = await routesWorld(database)
    const { ask, message, endpointId } = world
    const [first, second] = [
      await message(),
      await message({ eventType: 'invoice.voided', payload: { note: 'Überweisung 42' } }),
    ]
    const foreign = await ask(202, 'POST', '/app/other/msg', { eventType: 'invoice.paid', payload: {} })
    const messages = (body: Body): unknown[] => dataIn(body).map(({ messageId }) => messageId)
    expect(messages(await ask(200, 'GET', '/delivery'))).toEqual([foreign['id'], second['id'], first['id']])
    expect(messages(await ask(200, 'GET', '/delivery?application=acme'))).toEqual([second['id'], first['id']])
    expect(messages(await ask(200, 'GET', `/delivery?endpoint=${endpointId}&event_type=invoice.paid`))).toEqual([
      first['id'],
    ])
    expect(messages(await ask(200, 'GET', `/delivery?message=${String(first['id'])}`))).toEqual([first['id']])
    expect(messages(await ask(200, 'GET', '/delivery?status=dead&status=failed'))).toEqual([])
    expect(
      messages(await ask(200, 'GET', '/delivery?status=pending&since=2020-01-01T00:00:00Z&until=2020-01-02T00:00:00Z')),
    ).toEqual([])
    const [newest] = dataIn(await ask(200, 'GET', '/delivery?limit=1'))
    expect(newest).toMatchObject({
      status: 'pending',
      inFlight: false,
      attemptCount: 0,
      nextRetryAt: expect.stringMatching(/Z$/),
      reason: null,
    })
    expect(messages(await ask(200, 'GET', `/delivery?id=${String(newest?.['id'])}`))).toEqual([foreign['id']])
    const page = await ask(200, 'GET', '/delivery?limit=2')
    expect(page['done']).toBe(false)
    expect(messages(await ask(200, 'GET', `/delivery?limit=2&iterator=${String(page['iterator'])}`))).toEqual([
      first['id'],
    ])
  })

  test('are searched by what their payloads hold, whatever its case, and the answer says how many were looked into', async () => {
    const { ask, message } = await routesWorld(database)
    const wanted = await message({ payload: { note: 'Überweisung 42' } })
    await message()
    const found = await ask(200, 'GET', `/delivery?text=${encodeURIComponent('überWEISUNG')}`)
    expect(dataIn(found).map(({ messageId }) => messageId)).toEqual([wanted['id']])
    expect(found).toMatchObject({ searched: 2, done: true })
    expect(await ask(200, 'GET', '/delivery?text=nowhere')).toMatchObject({ data: [], searched: 2, done: true })
  })

  test('show their attempts, their message, and in one sentence why they wait', async () => {
    const world = await routesWorld(database, true)
    const { ask, message, transport, endpointId } = world
    transport.answer(url, { kind: 'answered', statusCode: 500, responseBody: 'down\nfor today', retryAfterMs: null })
    await message({ eventId: 'ev-1' })
    await world.posthorn.idle()
    const [delivery] = dataIn(await ask(200, 'GET', '/delivery'))
    const shown = await ask(200, 'GET', `/delivery/${String(delivery?.['id'])}`)
    expect(shown).toMatchObject({
      status: 'failed',
      attemptCount: 1,
      maxAttempts: 6,
      errorDetail: 'HTTP 500: down\nfor today',
      why: { code: 'waiting_for_retry', sentence: expect.stringContaining('Waiting for retry 1 of 5 at') },
      attempts: [{ number: 1, outcome: 'answered', statusCode: 500, response: 'down\nfor today', late: false }],
      endpoint: { id: endpointId, uid: 'hooks', status: 'active' },
      application: { uid: 'acme', name: 'Acme' },
      message: {
        eventId: 'ev-1',
        eventType: 'invoice.paid',
        payload: '{"total":7}',
        bytes: 11,
        truncated: false,
        binary: false,
        erased: false,
      },
    })
  })

  test('show what each failed attempt sent, as it was sent, without credentials', async () => {
    const { ask, message, transport, posthorn, clock, endpointId } = await routesWorld(database, true)
    await ask(204, 'PUT', `/app/acme/endpoint/${endpointId}/headers`, {
      headers: { 'x-tenant': 'acme', authorization: 'Bearer hidden' },
    })
    await posthorn.endpoints.update(endpointId, { signature: 'body', bodyHeader: 'x-hub-256' })
    transport.answer(url, 500)
    await message()
    await posthorn.idle()
    const id = await onlyDelivery(ask)
    await clock.leap(2 * minute)
    await clock.advance(5_000)
    await posthorn.idle()
    await ask(200, 'PATCH', `/app/acme/endpoint/${endpointId}`, { url: 'https://acme.example/moved' })

    const requests = await requestsOf(ask, id)
    expect(requests).toHaveLength(2)
    for (const [index, { method, url: to, headers, sensitive, bytes }] of requests.entries()) {
      const sent = transport.requests[index]
      expect({ url: to, bytes }).toEqual({ url: sent?.url, bytes: sent?.body.length })
      expect(method).toBe('POST')
      expect([...Object.keys(headers), ...sensitive].toSorted()).toEqual(Object.keys(sent?.headers ?? {}).toSorted())
      expect(sent?.headers).toMatchObject(headers)
      expect(sensitive).toEqual(['x-tenant', 'authorization'])
    }
    expect(new Set(requests.map(({ headers }) => headers['webhook-timestamp'])).size).toBe(2)
  })

  test('show what was sent as far as it can be told, once the body is erased and the endpoint deleted', async () => {
    const { ask, message, posthorn, endpointId } = await routesWorld(database, true)
    const { id: messageId } = await message()
    await posthorn.idle()
    const id = await onlyDelivery(ask)
    await ask(204, 'DELETE', `/app/acme/msg/${String(messageId)}/content`)
    await ask(204, 'DELETE', `/app/acme/endpoint/${endpointId}`)
    expect(await requestsOf(ask, id)).toMatchObject([
      { url, bytes: null, headers: { 'webhook-id': messageId, 'content-type': 'application/json' } },
    ])
  })

  test('say that their endpoint is paused, by whom and since when', async () => {
    const { ask, message, endpointId } = await routesWorld(database, true)
    const paused = await ask(200, 'POST', `/app/acme/endpoint/${endpointId}/pause`, { reason: 'moving house' })
    expect(paused).toMatchObject({
      id: endpointId,
      status: 'paused',
      statusReason: 'by admin: moving house',
      health: { state: 'paused' },
    })
    await message()
    const [delivery] = dataIn(await ask(200, 'GET', '/delivery'))
    const { why } = await ask(200, 'GET', `/delivery/${String(delivery?.['id'])}`)
    expect(why).toEqual({
      code: 'endpoint_paused',
      sentence: expect.stringMatching(
        /^On hold because its endpoint is paused by admin: moving house since 2026-.* UTC\.$/,
      ),
    })
    expect(await ask(200, 'POST', `/app/acme/endpoint/${endpointId}/resume`, {})).toMatchObject({
      status: 'active',
      statusReason: null,
    })
    expect(actions(await ask(200, 'GET', '/audit')).filter((action) => !String(action).includes('.create'))).toEqual([
      'resume',
      'pause',
    ])
  })

  test('are cancelled once, and then requeued; who did it and why is kept', async () => {
    const { ask, message } = await routesWorld(database)
    await message()
    const id = await onlyDelivery(ask)
    expect(await ask(200, 'POST', `/delivery/${id}/cancel`, { reason: 'sent by mistake' })).toMatchObject({
      id,
      status: 'dead',
      reason: 'cancelled',
    })
    expect(await ask(409, 'POST', `/delivery/${id}/cancel`, {})).toMatchObject({
      code: 'wrong_state',
      detail: expect.stringContaining('dead'),
    })
    expect(await ask(200, 'POST', `/delivery/${id}/requeue`)).toMatchObject({
      id,
      status: 'pending',
      requeuedAt: expect.any(String),
    })
    expect(dataIn(await ask(200, 'GET', `/audit?target=${id}`))).toMatchObject([
      { actor: 'admin', action: 'requeue', target: id, count: 1, reason: null },
      { actor: 'admin', action: 'cancel', target: id, count: 1, reason: 'sent by mistake' },
    ])
  })

  test('in flight are not requeued; delivered ones are sent anew, as another delivery', async () => {
    const { ask, message, transport, posthorn } = await routesWorld(database, true)
    const hold = transport.hold(url)
    await message()
    await transport.sent(1)
    const id = await onlyDelivery(ask)
    expect(await ask(409, 'POST', `/delivery/${id}/requeue`)).toMatchObject({ code: 'in_flight' })
    expect(await ask(200, 'GET', `/delivery/${id}`)).toMatchObject({
      inFlight: true,
      why: { code: 'in_flight', sentence: expect.stringMatching(/^Being sent by worker .* until/) },
    })
    hold.release()
    await posthorn.idle()
    const resent = await ask(201, 'POST', `/delivery/${id}/requeue`)
    expect(resent['id']).not.toBe(id)
    expect(await ask(200, 'GET', `/delivery/${id}`)).toMatchObject({ status: 'delivered' })
  })

  test('of the wrong kind or of nobody are refused by name', async () => {
    const { ask, endpointId } = await routesWorld(database)
    expect(await ask(422, 'GET', `/delivery/${endpointId}`)).toMatchObject({
      detail: [{ msg: expect.stringContaining('dlv_') }],
    })
    expect(await ask(404, 'GET', '/delivery/dlv_0000000000000000000')).toMatchObject({ code: 'not_found' })
    expect(fieldsIn(await ask(422, 'GET', '/delivery?status=lost'))).toEqual(['query.status'])
    expect(await ask(404, 'GET', '/delivery?endpoint=ep_0000000000000000000')).toMatchObject({ code: 'not_found' })
  })

  test('come as a command that a shell understands; who asked is kept, and a reader is refused', async () => {
    const world = await routesWorld(database)
    const { ask, message, endpointId } = world
    await ask(204, 'PUT', `/app/acme/endpoint/${endpointId}/headers`, { headers: { 'x-name': "O'Hara" } })
    await message({ payload: { who: "O'Hara" } })
    const id = await onlyDelivery(ask)
    const { command } = await ask(200, 'GET', `/delivery/${id}/curl`)
    expect(command).toMatch(
      /^curl -X POST 'https:\/\/acme\.example\/hooks' -H 'x-name: O'\\''Hara' .*-H 'webhook-signature: v1,.*--data-raw '\{"who":"O'\\''Hara"\}'$/,
    )
    expect(actions(await ask(200, 'GET', '/audit'))[0]).toBe('reveal')
    await ask(403, 'GET', `/delivery/${id}/curl`, undefined, { token: await world.token({ access: 'read' }) })
  })

  test("of another application are not there for an application's key, whatever it asks for", async () => {
    const world = await routesWorld(database)
    const { ask, message, endpointId } = world
    await message()
    const id = await onlyDelivery(ask)
    const asked = { token: await world.token({ application: 'other' }) }
    expect(dataIn(await ask(200, 'GET', '/delivery', undefined, asked))).toEqual([])
    await ask(404, 'GET', '/delivery?application=acme', undefined, asked)
    await ask(404, 'GET', `/delivery?endpoint=${endpointId}`, undefined, asked)
    await ask(404, 'GET', `/dead-letter?endpoint=${endpointId}`, undefined, asked)
    await ask(404, 'GET', `/endpoint/${endpointId}`, undefined, asked)
    await ask(404, 'POST', '/job', { action: 'cancel', filter: { application: 'acme' } }, asked)
    await ask(
      404,
      'POST',
      '/job',
      { action: 'replay', filter: { endpoint: endpointId, since: '2020-01-01T00:00:00Z' } },
      asked,
    )
    expect(await ask(200, 'POST', '/job', { action: 'cancel', filter: { ids: [id] }, dryRun: true }, asked)).toEqual({
      matching: 0,
    })
    for (const call of ['', '/curl'])
      expect(await ask(404, 'GET', `/delivery/${id}${call}`, undefined, asked)).toMatchObject({ code: 'not_found' })
    for (const verb of ['requeue', 'cancel']) await ask(404, 'POST', `/delivery/${id}/${verb}`, {}, asked)
    expect(
      dataIn(await ask(200, 'GET', '/endpoint', undefined, asked)).map(({ applicationUid }) => applicationUid),
    ).toEqual(['other'])
    expect(await ask(200, 'GET', '/overview', undefined, asked)).toMatchObject({ queue: { fresh: 0 }, workers: [] })
    expect(
      await ask(200, 'GET', `/delivery/${id}`, undefined, { token: await world.token({ application: 'acme' }) }),
    ).toMatchObject({ id })
  })
})

describe.each(databases)('figures on %s', (database) => {
  test('dead letters are grouped by endpoint, reason and the first line of their error', async () => {
    const { ask, message, transport, posthorn, clock, endpointId } = await routesWorld(database, true)
    transport.answer(url, ({ body }) => ({
      kind: 'answered',
      statusCode: 400,
      responseBody: String((JSON.parse(Buffer.from(body).toString()) as Body)['says']),
      retryAfterMs: null,
    }))
    for (const says of ['down\nat 12', 'down\nat 13', 'gone']) await message({ payload: { says } })
    await posthorn.idle()
    for (let open = await openOnes(ask); open.length > 0; open = await openOnes(ask)) {
      const soonest = Math.min(...open.map(({ nextRetryAt }) => Date.parse(String(nextRetryAt))))
      await clock.leap(Math.max(0, soonest - clock.now()))
      await clock.advance(5_000)
      await posthorn.idle()
    }
    const groups = await ask(200, 'GET', '/dead-letter?application=acme')
    expect(groups).toMatchObject({
      grouped: 3,
      counted: 3,
      atLeast: false,
      data: [
        { endpointId, reason: 'exhausted', errorDetail: 'HTTP 400: down', count: 2 },
        { errorDetail: 'HTTP 400: gone', count: 1 },
      ],
    })
    expect(dataIn(groups)[0]).toHaveProperty('url', 'https://acme.example/hooks')
    expect(await ask(200, 'GET', '/dead-letter?application=other')).toEqual({
      data: [],
      grouped: 0,
      counted: 0,
      atLeast: false,
    })
    expect(await ask(200, 'GET', `/endpoint/${endpointId}`)).toMatchObject({
      health: {
        state: 'degraded',
        sentence: expect.stringMatching(
          /^Only failures since 2026-01-01 00:00:00 UTC\. It will be disabled on 2026-01-06 /,
        ),
      },
      lastSuccessAt: null,
      backlog: 0,
      failures: [{ outcome: 'answered', statusCode: 400, count: 18 }],
    })
    const overview = await ask(200, 'GET', '/overview?window=24h')
    expect(overview).toMatchObject({
      dead: 3,
      failed: 15,
      attempts: 18,
      alarm: 'alarm',
      queue: { dead: 3, fresh: 0, retries: 0, held: 0 },
      bucketMs: 15 * minute,
      failing: [{ id: endpointId }],
      workers: [{ pid: process.pid }],
    })
    expect((overview['buckets'] as { dead: number }[]).reduce((sum, { dead }) => sum + dead, 0)).toBe(3)
  })

  test('of many dead letters all are counted, and the newest thousand grouped', async () => {
    const { ask, posthorn, clock, endpointId, foreignEndpointId } = await routesWorld(database)
    await posthorn.send({ application: 'other', type: 'invoice.paid', data: {} })
    await clock.advance(1)
    await Promise.all(
      Array.from({ length: 1_000 }, () => posthorn.send({ application: 'acme', type: 'invoice.paid', data: {} })),
    )
    expect(await posthorn.cancel({})).toBe(1_001)
    const all = await ask(200, 'GET', '/dead-letter')
    expect(all).toMatchObject({ grouped: 1_000, counted: 1_001, atLeast: false })
    expect(dataIn(all)).toMatchObject([{ endpointId, reason: 'cancelled', count: 1_000 }])
    expect(await ask(200, 'GET', `/dead-letter?endpoint=${foreignEndpointId}`)).toMatchObject({
      grouped: 1,
      counted: 1,
      data: [{ endpointId: foreignEndpointId, count: 1 }],
    })
    expect(await ask(200, 'GET', '/dead-letter?application=acme')).toMatchObject({ grouped: 1_000, counted: 1_000 })
  })

  test('endpoints show their health, backlog and last 24 hours', async () => {
    const { ask, message, posthorn, clock, endpointId } = await routesWorld(database, true)
    await message()
    await posthorn.idle()
    await clock.leap(2 * hour)
    await ask(200, 'POST', `/app/acme/endpoint/${endpointId}/pause`, {})
    await message()
    const [shown, ...others] = dataIn(await ask(200, 'GET', '/endpoint?application=acme&text=ACME.example'))
    expect(others).toEqual([])
    expect(shown).toMatchObject({
      id: endpointId,
      uid: 'hooks',
      applicationUid: 'acme',
      applicationName: 'Acme',
      backlog: 1,
      backlogAtLeast: false,
      lastSuccessAt: expect.any(String),
      types: null,
    })
    const hours = shown?.['hours'] as { at: string; delivered: number }[]
    expect(hours.map(({ delivered }) => delivered)).toEqual([...Array.from({ length: 21 }, () => 0), 1, 0, 0])
    expect(await ask(200, 'GET', '/overview')).toMatchObject({ queue: { held: 1, fresh: 0 } })
    expect(dataIn(await ask(200, 'GET', '/endpoint?text=100%25'))).toEqual([])
    expect((await ask(200, 'GET', '/overview?window=7d'))['buckets']).toHaveLength((7 * day) / (2 * hour))
  })

  test('the settings are there for whoever runs the server, and for no customer', async () => {
    const world = await routesWorld(database)
    const config = await world.ask(200, 'GET', '/config')
    expect(config).toMatchObject({ database, settings: [], version: expect.any(String) })
    expect(config['policies']).toContainEqual({
      name: 'standard',
      delaysMs: [1, 2, 4, 8, 16].map((delay) => delay * minute),
      jitter: 0.2,
      maxAttempts: 6,
    })
    const asked = { token: await world.token({ application: 'acme' }) }
    for (const path of ['/config', '/worker', '/audit', '/key']) await world.ask(403, 'GET', path, undefined, asked)
  })
})

function dataIn(body: Body): Body[] {
  return body['data'] as Body[]
}

function actions(body: Body): unknown[] {
  return dataIn(body).map(({ action }) => action)
}

async function onlyDelivery(ask: RoutesWorld['ask']): Promise<string> {
  const [only, ...others] = dataIn(await ask(200, 'GET', '/delivery'))
  expect(others).toEqual([])
  return String(only?.['id'])
}

interface Sent {
  readonly method: string
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly sensitive: readonly string[]
  readonly bytes: number | null
}

async function requestsOf(ask: RoutesWorld['ask'], id: string): Promise<Sent[]> {
  const { attempts } = await ask(200, 'GET', `/delivery/${id}`)
  return (attempts as { request: Sent }[]).map(({ request }) => request)
}

async function openOnes(ask: RoutesWorld['ask']): Promise<Body[]> {
  return dataIn(await ask(200, 'GET', '/delivery?status=pending&status=failed'))
}
