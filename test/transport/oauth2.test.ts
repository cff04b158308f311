import { describe, expect, test } from 'vitest'
import type { OAuth2Client } from '../../src/core/endpoint/authentication.ts'
import type { OutgoingRequest } from '../../src/core/ports/ports.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import type { Behaviour } from '../../src/testing/receiver.ts'
import { makeGuard } from '../../src/transport/guard.ts'
import { openReceiver, openTransport, request, scriptedLookup } from './world.ts'

const token = (access_token: string, more: object = {}): Behaviour => ({
  status: 200,
  body: JSON.stringify({ access_token, token_type: 'Bearer', expires_in: 3_600, ...more }),
})

function authorized(
  url: string,
  tokenUrl: string,
  more: Partial<OAuth2Client> & { endpointId?: string } = {},
): OutgoingRequest {
  const { endpointId = 'ep_1', ...client } = more
  const oauth2 = { tokenUrl, clientId: 'posthorn', clientSecret: 's3cr3t', ...client }
  return request(url, { authentication: { endpointId, oauth2 } })
}

const slow = (ms: number) => ({
  kind: 'authentication',
  reason: `the token endpoint gave no token within ${ms} ms`,
})

describe('a token', () => {
  test('is fetched once, sent along, and used again', async () => {
    const [tokens, receiver] = [await openReceiver({ behaviour: token('abc') }), await openReceiver()]
    const transport = openTransport()
    for (let turn = 0; turn < 3; turn += 1)
      expect(
        await transport.send(authorized(receiver.url(), tokens.url(), { scope: 'a b', audience: 'hooks' })),
      ).toMatchObject({
        statusCode: 200,
      })
    expect(receiver.receipts.map(({ headers }) => headers['authorization'])).toEqual(Array(3).fill('Bearer abc'))
    expect(tokens.receipts.map(({ body }) => body.toString())).toEqual([
      'grant_type=client_credentials&scope=a+b&audience=hooks',
    ])
    expect(tokens.receipts[0]?.headers).toMatchObject({
      authorization: `Basic ${Buffer.from('posthorn:s3cr3t').toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    })
  })

  test('is asked for with the credentials in the body, if that is what its endpoint expects', async () => {
    const [tokens, receiver] = [await openReceiver({ behaviour: token('abc') }), await openReceiver()]
    await openTransport().send(authorized(receiver.url(), tokens.url(), { credentialsIn: 'body', clientSecret: 'a&b' }))
    expect(tokens.receipts[0]?.body.toString()).toBe(
      'grant_type=client_credentials&client_id=posthorn&client_secret=a%26b',
    )
    expect(tokens.receipts[0]?.headers['authorization']).toBeUndefined()
  })

  test('is fetched by one for all who want it, and not shared between endpoints', async () => {
    const [tokens, receiver] = [await openReceiver({ behaviour: token('abc') }), await openReceiver()]
    const transport = openTransport()
    const sent = ['ep_1', 'ep_2'].flatMap((endpointId) =>
      Array.from({ length: 20 }, () => transport.send(authorized(receiver.url(), tokens.url(), { endpointId }))),
    )
    expect((await Promise.all(sent)).every(({ kind }) => kind === 'answered')).toBe(true)
    expect([tokens.count, receiver.count]).toEqual([2, 40])
  })

  test('is fetched anew shortly before it expires, and with other credentials', async () => {
    const clock = manualClock()
    const tokens = await openReceiver({ behaviour: [token('one'), token('two'), token('three')] })
    const receiver = await openReceiver()
    const transport = openTransport({ clock })
    const send = (clientSecret = 's3cr3t') => transport.send(authorized(receiver.url(), tokens.url(), { clientSecret }))
    await send()
    await clock.advance(3_569_999)
    await send()
    await clock.advance(1)
    await send()
    await send('another')
    expect(receiver.receipts.map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer one',
      'Bearer one',
      'Bearer two',
      'Bearer three',
    ])
  })

  test('that is refused is replaced once, for all who had it', async () => {
    const tokens = await openReceiver({ behaviour: [token('old'), token('new')] })
    const receiver = await openReceiver({ behaviour: [200, 401, 401, 200] })
    const transport = openTransport()
    const send = () => transport.send(authorized(receiver.url(), tokens.url()))
    await send()
    expect(await Promise.all([send(), send()])).toMatchObject([{ statusCode: 200 }, { statusCode: 200 }])
    expect(tokens.count).toBe(2)
    expect(receiver.receipts.slice(3).map(({ headers }) => headers['authorization'])).toEqual([
      'Bearer new',
      'Bearer new',
    ])
  })

  test('that is refused again is not replaced a second time, and a new one not at all', async () => {
    const [tokens, receiver] = [await openReceiver({ behaviour: token('abc') }), await openReceiver({ behaviour: 401 })]
    const transport = openTransport()
    expect(await transport.send(authorized(receiver.url(), tokens.url()))).toMatchObject({ statusCode: 401 })
    expect([tokens.count, receiver.count]).toEqual([1, 1])
    expect(await transport.send(authorized(receiver.url(), tokens.url()))).toMatchObject({ statusCode: 401 })
    expect([tokens.count, receiver.count]).toEqual([2, 3])
  })
})

describe('a token endpoint', () => {
  const nonsense = 'the token endpoint answered nonsense: expected JSON with `access_token`, a bearer token, got '
  test.each<[what: string, behaviour: Behaviour, reason: string]>([
    [
      'refuses us',
      { status: 401, body: '{"error":"invalid_client","error_description":"s3cr3t is wrong"}' },
      'the token endpoint refused us (HTTP 401, invalid_client)',
    ],
    ['is broken', { status: 500, body: 's3cr3t' }, 'the token endpoint refused us (HTTP 500)'],
    ['leads elsewhere', { status: 302, headers: { location: '/x' } }, 'the token endpoint refused us (HTTP 302)'],
    ['answers a page', { status: 200, body: '<html>s3cr3t' }, `${nonsense}something that is no JSON object`],
    ['answers a list', { status: 200, body: '[]' }, `${nonsense}something that is no JSON object`],
    ['answers without a token', { status: 200, body: '{}' }, `${nonsense}JSON without such a token`],
    ['answers a token with a line feed', token('a\r\nx: y'), `${nonsense}JSON without such a token`],
    ['answers another kind of token', token('abc', { token_type: 'mac' }), `${nonsense}JSON without such a token`],
    ['is not there', 'reset', 'the token endpoint cannot be reached: connection reset (ECONNRESET)'],
  ])('that %s is a failure of authentication, and nothing is sent', async (_what, behaviour, reason) => {
    const [tokens, receiver] = [await openReceiver({ behaviour }), await openReceiver()]
    const transport = openTransport()
    expect(await transport.send(authorized(receiver.url(), tokens.url()))).toEqual({ kind: 'authentication', reason })
    expect([tokens.count, receiver.count]).toEqual([1, 0])
    tokens.behave('*', token('abc'))
    expect(await transport.send(authorized(receiver.url(), tokens.url()))).toMatchObject({ statusCode: 200 })
  })

  test('that is slow ends the attempt at its deadline, for all who wait', async () => {
    const clock = manualClock()
    const [tokens, receiver] = [await openReceiver({ behaviour: 'hang' }), await openReceiver()]
    const transport = openTransport({ clock })
    const first = transport.send({ ...authorized(receiver.url(), tokens.url()), timeoutMs: 30_000 })
    const second = transport.send({ ...authorized(receiver.url(), tokens.url()), timeoutMs: 10_000 })
    await tokens.waitFor(1)
    await clock.advance(10_050)
    expect(await second).toEqual(slow(10_000))
    await clock.advance(20_000)
    expect(await first).toEqual(slow(30_000))
    expect([tokens.count, receiver.count, clock.pending()]).toEqual([1, 0, 0])
  })

  test('leaves the request only what is left of its time', async () => {
    const clock = manualClock()
    const tokens = await openReceiver()
    tokens.behave('*', { kind: 'slow', afterMs: 8_000, clock, answer: token('abc') })
    const receiver = await openReceiver({ behaviour: 'hang' })
    const sent = openTransport({ clock }).send({ ...authorized(receiver.url(), tokens.url()), timeoutMs: 10_000 })
    await tokens.waitFor(1)
    await clock.advance(8_000)
    await receiver.waitFor(1)
    await clock.advance(2_050)
    expect(await sent).toMatchObject({ kind: 'timeout' })
    expect(clock.pending()).toBe(0)
  })

  test('that leads inwards is not called', async () => {
    const [tokens, receiver] = [await openReceiver({ behaviour: token('abc') }), await openReceiver()]
    const lookup = scriptedLookup({ 'tokens.test': [['127.0.0.1']], 'receiver.test': [['127.0.0.1']] })
    const guard = makeGuard({ allowHttp: true, allowedTargets: ['receiver.test'] })
    const sent = authorized(`http://receiver.test:${receiver.port}/`, `http://tokens.test:${tokens.port}/`)
    expect(await openTransport({ guard, lookup }).send(sent)).toEqual({
      kind: 'authentication',
      reason: 'the token endpoint cannot be reached: The name has no public address (127.0.0.1 is not allowed)',
    })
    expect([tokens.connections, receiver.connections]).toEqual([0, 0])
  })
})

test('a transport that is closed ends who waits for a token', async () => {
  const [tokens, receiver] = [await openReceiver({ behaviour: 'hang' }), await openReceiver()]
  const transport = openTransport()
  const sent = transport.send(authorized(receiver.url(), tokens.url()))
  await tokens.waitFor(1)
  await transport.close()
  expect(await sent).toMatchObject({ kind: 'authentication' })
})
