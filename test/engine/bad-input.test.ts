import { Posthorn } from 'posthorn'
import type { EndpointInput, ErrorCode, MessageInput } from 'posthorn'
import { describe, expect, onTestFinished, test } from 'vitest'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { refusal } from './refusal.ts'

// Whatever a user can get wrong is refused before anything is stored, by a code for programs and a sentence for people.
const form = /^Expected `.+` to be .+, got .+\./s
const fakeSecret = 'whsec_do-not-repeat-me'
const keyPair = `whsk_${Buffer.alloc(32, 7).toString('base64')}`

function made(options: Record<string, unknown> = {}): Posthorn {
  const posthorn = new Posthorn({ store: memoryStore(), transport: scriptedTransport(), ...options })
  onTestFinished(() => posthorn.stop())
  return posthorn
}

describe('options', () => {
  test.each<[string, unknown, RegExp]>([
    [
      'nothing',
      {},
      /^Expected `store` to be a store, such as sqlite\('webhooks\.db'\), got undefined\. Import `sqlite` from 'posthorn\/sqlite'/,
    ],
    ['no options', undefined, /^Expected `store` to be a store/],
    [
      'the name of a file',
      { store: 'webhooks.db' },
      /^Expected `store` to be a store, got text\. Did you mean sqlite\('webhooks\.db'\)\?/,
    ],
    ['a URL', { store: 'postgres://me:word@db/x' }, /Did you mean postgres\('postgres:\/\/…@db\/x'\)\?/],
    ['a function', { store: memoryStore }, /got a function/],
    ['another object', { store: {} }, /got an object/],
  ])('without a store are refused: %s', (_, options, sentence) => {
    expect(() => new Posthorn(options as { store: ReturnType<typeof memoryStore> })).toThrow(sentence)
  })

  test('an event that is never emitted cannot be listened for', () => {
    const posthorn = made()
    expect(() => posthorn.on('delivery.deaf' as 'delivery.dead', () => undefined)).toThrow(
      /^Expected `type` to be \* or one of .*, got "delivery\.deaf"\. Did you mean "delivery\.dead"\?$/,
    )
    expect(() => posthorn.on('toString' as 'warning', () => undefined)).toThrow(/^Expected `type`/)
    expect(() => posthorn.on('*', () => undefined)).not.toThrow()
  })

  test.each<[string, (posthorn: Posthorn) => Promise<unknown>, string]>([
    [
      'send',
      (posthorn) => posthorn.send({ application: 'acme', type: 'a', data: {}, chanels: ['eu'] } as MessageInput),
      'Expected `chanels` to be left out: `send` has no such option. Did you mean "channels"?',
    ],
    [
      'send within a transaction',
      (posthorn) => posthorn.send({ application: 'acme', type: 'a', data: {} }, { trx: {} } as object),
      'Expected `trx` to be left out: `send` has no such option. Did you mean "tx"?',
    ],
    [
      'endpoints.create',
      (posthorn) => posthorn.endpoints.create({ application: 'acme', urll: 'https://a.example' } as never),
      'Expected `urll` to be left out: `endpoints.create` has no such option. Did you mean "url"?',
    ],
    [
      'endpoints.update',
      (posthorn) => posthorn.endpoints.update('ep_1', { polcy: 'patient' } as object),
      'Expected `polcy` to be left out: `endpoints.update` has no such option. Did you mean "policy"?',
    ],
  ])('that %s does not know are refused', async (_, call, message) => {
    const posthorn = made()
    expect(await refusal(() => call(posthorn))).toMatchObject({ code: 'invalid_argument', message })
    expect(await posthorn.applications.list()).toEqual([])
  })

  test.each<[string, Record<string, unknown>, ErrorCode, RegExp]>([
    [
      'a preset that is not known',
      { preset: 'fast' },
      'unknown_preset',
      /`preset` to be one of standard, patient, svix, gateway, gateway-6, got "fast"/,
    ],
    ['a preset by a name of Object.prototype', { preset: 'constructor' }, 'unknown_preset', /got "constructor"/],
    ['a poll of no time', { pollMs: 0 }, 'invalid_argument', /`pollMs` to be a whole number from 10 to 600000, got 0/],
    ['a pool below zero', { pool: -1 }, 'invalid_argument', /`pool`.*got -1/],
    ['no retries per tick', { retriesPerEndpoint: 0 }, 'invalid_argument', /`retriesPerEndpoint`.*got 0/],
    ['no rows per cycle', { perCycle: 0 }, 'invalid_argument', /`perCycle`.*got 0/],
    ['a lease that no heartbeat can keep', { leaseMs: 100 }, 'invalid_argument', /`leaseMs`.*got 100/],
    ['a timeout that is no number', { timeoutMs: Number.NaN }, 'invalid_argument', /`timeoutMs`.*got NaN/],
    ['a timeout as text', { timeoutMs: '30' }, 'invalid_argument', /`timeoutMs`.*got "30"/],
    ['half a retry', { maxRetries: 1.5 }, 'invalid_argument', /`maxRetries`.*got 1\.5/],
    ['endless leases', { maxLeased: Number.POSITIVE_INFINITY }, 'invalid_argument', /`maxLeased`.*got Infinity/],
    ['history of no days', { historyDays: 0 }, 'invalid_argument', /`historyDays`.*got 0/],
    ['a network that is none', { allowedTargets: ['10.0.0.0/99'] }, 'invalid_argument', /10\.0\.0\.0\/99/],
    [
      'a policy without sends',
      { policies: { own: policy({ maxAttempts: 0 }) } },
      'invalid_argument',
      /`policies\.own\.maxAttempts`.*got 0/,
    ],
    [
      'a policy with too wide a jitter',
      { policies: { own: policy({ jitterShare: 2 }) } },
      'invalid_argument',
      /`policies\.own\.jitterShare`.*got 2/,
    ],
    [
      'a policy with too few delays',
      { policies: { own: policy({ maxAttempts: 4 }) } },
      'invalid_argument',
      /at least 3 delays for 4 sends, got an array of 2/,
    ],
  ])('refuse %s', async (_, options, code, message) => {
    const error = await refusal(() => made(options))
    expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
    expect(error.message).toMatch(form)
  })

  test.each([
    ['a listed delay', { delays: { kind: 'list', delaysMs: [60_000, 5_000] } }, '5s'],
    ['a base', { delays: { kind: 'exponential', baseMs: 29_999, capMs: null } }, '29.999s'],
    ['a cap', { delays: { kind: 'exponential', baseMs: 60_000, capMs: 1_000 } }, '1s'],
  ])('refuse %s under 30 seconds, unless it is allowed in so many words', async (_, unsafe, shown) => {
    const policies = { own: policy(unsafe) }
    const error = await refusal(() => made({ policies }))
    expect(error).toMatchObject({
      code: 'unsafe_retry_delay',
      message: expect.stringMatching(/"own" has a delay of .* under 30s risk overwhelming .* Raise the delay/s),
    })
    expect(error.message).toContain(shown)
    made({ policies, allowUnsafeRetryDelays: true })
  })
})

describe('endpoints', () => {
  test.each<[string, Record<string, unknown>, ErrorCode]>([
    ['a policy that is not known', { policy: 'own' }, 'unknown_policy'],
    ['a URL that is none', { url: 'example.com/hooks' }, 'invalid_url'],
    ['no URL', { url: undefined }, 'invalid_url'],
    ['a URL that is not http(s)', { url: 'ftp://example.com/' }, 'invalid_url'],
    ['a URL that is very long', { url: `https://example.com/${'a'.repeat(2_000)}` }, 'invalid_url'],
    ['a URL with a password', { url: 'https://kim:do-not-repeat-me@example.com/' }, 'invalid_url'],
    ['plain http', { url: 'http://example.com/' }, 'invalid_url'],
    ['a secret that is none', { secret: 'do-not-repeat-me' }, 'invalid_secret'],
    ['a secret that is not base64', { secret: fakeSecret }, 'invalid_secret'],
    ['a secret that is too short', { secret: `whsec_${Buffer.alloc(23).toString('base64')}` }, 'invalid_secret'],
    ['a secret that is a number', { secret: 42 }, 'invalid_secret'],
    ['a key pair where the body is signed', { signature: 'body', secret: keyPair }, 'invalid_secret'],
    ['a status that it cannot begin with', { status: 'deleted' }, 'invalid_argument'],
    ['a type with a blank', { types: ['invoice paid'] }, 'invalid_event_type'],
    ['a type of stars', { types: ['*'] }, 'invalid_event_type'],
    ['types that are no list', { types: 'invoice.paid' }, 'invalid_argument'],
    ['a channel with a blank', { channels: ['e u'] }, 'invalid_argument'],
    ['a header name with a colon', { headers: { 'x:tenant': '7' } }, 'invalid_header'],
    ['a header that HTTP needs', { headers: { 'Content-Length': '7' } }, 'invalid_header'],
    ['a header that the signature needs', { headers: { 'webhook-id': '7' } }, 'invalid_header'],
    ['a header value with a new line', { headers: { 'x-tenant': '7\r\nx-admin: 1' } }, 'invalid_header'],
    ['a header value that is no text', { headers: { 'x-tenant': 7 } }, 'invalid_header'],
    ['a signature header with a blank', { bodyHeader: 'x hmac' }, 'invalid_header'],
    [
      'a header under the name of the signature',
      { signature: 'body', headers: { 'X-Webhook-Signature': '7' } },
      'invalid_header',
    ],
    ['a signature that is not known', { signature: 'rsa' }, 'invalid_argument'],
    ['a rate of none', { ratePerSecond: 0 }, 'invalid_argument'],
    ['a uid with a blank', { uid: 'the erp' }, 'invalid_argument'],
    ['a uid that looks like an id', { uid: `ep_${'0'.repeat(19)}` }, 'invalid_argument'],
    ['an application with a blank', { application: 'ac me' }, 'invalid_argument'],
    ['no application', { application: undefined }, 'invalid_argument'],
    ['an application that was never made', { application: `app_${'0'.repeat(19)}` }, 'not_found'],
  ])('refuse %s', async (_, change, code) => {
    const posthorn = made()
    const input = { application: 'acme', url: 'https://example.com/', ...change } as EndpointInput & {
      application: string
    }
    const error = await refusal(() => posthorn.endpoints.create(input))
    expect(error).toMatchObject({ code, message: expect.stringMatching(form) })
    expect(error.message).not.toContain('do-not-repeat-me')
    expect(await posthorn.endpoints.list()).toEqual([])
  })

  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '169.254.169.254',
    '[::1]',
    '[::ffff:10.0.0.1]',
    'localhost',
    '0x7f.1',
    '2130706433',
  ])('refuse the forbidden address %s', async (host) => {
    const posthorn = made()
    const error = await refusal(() => posthorn.endpoints.create({ application: 'acme', url: `https://${host}/` }))
    expect(error).toMatchObject({ code: 'forbidden_address', message: expect.stringMatching(form) })
  })

  test('refuse a change that would break them, and stay as they are', async () => {
    const posthorn = made()
    const before = await posthorn.endpoints.create({ application: 'acme', url: 'https://example.com/' })
    for (const [change, code] of [
      [{ url: 'https://10.0.0.1/' }, 'forbidden_address'],
      [{ policy: 'own' }, 'unknown_policy'],
      [{ headers: { host: 'x' } }, 'invalid_header'],
    ] as const) {
      expect(await refusal(() => posthorn.endpoints.update(before.id, change as Partial<EndpointInput>))).toMatchObject(
        { code },
      )
    }
    expect(await refusal(() => posthorn.endpoints.rotateSecret(before.id, { secret: fakeSecret }))).toMatchObject({
      code: 'invalid_secret',
    })
    expect(await refusal(() => posthorn.endpoints.rotateSecret(before.id, { overlapMs: -1 }))).toMatchObject({
      code: 'invalid_argument',
    })
    expect(await posthorn.endpoints.get(before.id)).toEqual(before)
  })

  test('refuse a key pair where the body is signed, and to sign the body where there is a key pair', async () => {
    const posthorn = made()
    const create = (signature: 'body' | 'standard', secret?: string) =>
      posthorn.endpoints.create({
        application: 'acme',
        url: 'https://example.com/',
        signature,
        ...(secret !== undefined && { secret }),
      })
    const [signed, standard] = [await create('body'), await create('standard', keyPair)]
    for (const attempt of [
      () => posthorn.endpoints.rotateSecret(signed.id, { secret: keyPair }),
      () => posthorn.endpoints.update(standard.id, { signature: 'body' }),
    ]) {
      expect(await refusal(attempt)).toMatchObject({ code: 'invalid_secret', message: expect.stringMatching(form) })
    }
    expect([await posthorn.endpoints.get(signed.id), await posthorn.endpoints.get(standard.id)]).toEqual([
      signed,
      standard,
    ])
    await posthorn.endpoints.rotateSecret(standard.id)
    expect(await posthorn.endpoints.update(standard.id, { signature: 'body' })).toMatchObject({ signature: 'body' })
  })
})

describe('messages', () => {
  const cycle: Record<string, unknown> = {}
  cycle['self'] = cycle

  test.each<[string, Record<string, unknown>, ErrorCode]>([
    ['no type', { type: undefined }, 'invalid_event_type'],
    ['an empty type', { type: '' }, 'invalid_event_type'],
    ['a type with a blank', { type: 'invoice paid' }, 'invalid_event_type'],
    ['a type with an accent', { type: 'factura.cobradá' }, 'invalid_event_type'],
    ['a type with an empty word', { type: 'invoice..paid' }, 'invalid_event_type'],
    ['a type that is very long', { type: 'a'.repeat(257) }, 'invalid_event_type'],
    ['an application with a new line', { application: 'ac\nme' }, 'invalid_argument'],
    ['no application', { application: undefined }, 'invalid_argument'],
    ['an application that was never made', { application: `app_${'0'.repeat(19)}` }, 'not_found'],
    ['a channel with a blank', { channels: ['e u'] }, 'invalid_argument'],
    ['too many channels', { channels: Array.from({ length: 21 }, (_, index) => `c${index}`) }, 'invalid_argument'],
    ['an empty idempotency key', { idempotencyKey: '' }, 'invalid_argument'],
    ['a session id that is very long', { sessionId: 'a'.repeat(257) }, 'invalid_argument'],
    ['a time that is none', { deliverAt: new Date(Number.NaN) }, 'invalid_argument'],
    ['a time in two months', { deliverAt: new Date(Date.now() + 60 * 86_400_000) }, 'invalid_argument'],
    ['data and payload', { payload: 'x' }, 'invalid_argument'],
    ['no data', { data: undefined }, 'not_serialisable'],
    ['data that is a function', { data: () => 7 }, 'not_serialisable'],
    ['a payload that is an object', { data: undefined, payload: { id: 7 } }, 'not_serialisable'],
    ['data that is too large', { data: 'x'.repeat(1024 * 1024) }, 'body_too_large'],
    ['a payload of one byte too many', { data: undefined, payload: Buffer.alloc(1024 * 1024 + 1) }, 'body_too_large'],
    [
      'a content type with a new line',
      { data: undefined, payload: 'x', contentType: 'text/plain\r\nx-admin: 1' },
      'invalid_header',
    ],
  ])('with %s are refused', async (_, change, code) => {
    const posthorn = made()
    const error = await refusal(() =>
      posthorn.send({ application: 'acme', type: 'invoice.paid', data: { id: 7 }, ...change } as MessageInput),
    )
    expect(error).toMatchObject({ code, message: expect.stringMatching(form) })
    expect(await posthorn.applications.list()).toEqual([])
  })

  test.each([
    ['a cycle', cycle, /circular/],
    ['a BigInt', { id: 7n }, /BigInt/],
    [
      'a toJSON that throws',
      {
        toJSON: () => {
          throw new Error('out of paper')
        },
      },
      /out of paper/,
    ],
  ])('with data that holds %s are refused, and the reason is kept', async (_, data, reason) => {
    const error = await refusal(() => made().send({ application: 'acme', type: 'invoice.paid', data }))
    expect(error).toMatchObject({
      code: 'not_serialisable',
      message: expect.stringMatching(/^Expected `data` to be a JSON value: /),
    })
    expect(error.message).toMatch(reason)
    expect(error.cause).toBeInstanceOf(Error)
  })

  test('that are no objects are refused', async () => {
    for (const nothing of [null, undefined, 'invoice.paid', 7]) {
      expect(await refusal(() => made().send(nothing as unknown as MessageInput))).toMatchObject({
        code: 'invalid_argument',
        message: expect.stringMatching(form),
      })
    }
  })

  test('of exactly the largest size are sent', async () => {
    const posthorn = made()
    expect(
      await posthorn.send({ application: 'acme', type: 'file.made', payload: Buffer.alloc(1024 * 1024) }),
    ).toMatchObject({ deliveries: 0 })
  })
})

describe('calls', () => {
  const unknown = `dlv_${'0'.repeat(19)}`

  test.each<[string, (posthorn: Posthorn) => unknown, ErrorCode]>([
    ['the id of something else', ({ deliveries }) => deliveries.get('msg_1'), 'invalid_id'],
    ['a delivery that is not there', ({ deliveries }) => deliveries.get(unknown), 'not_found'],
    ['attempts of a delivery that is not there', ({ deliveries }) => deliveries.attempts(unknown), 'not_found'],
    ['a requeue of what is not there', (posthorn) => posthorn.requeue(unknown), 'not_found'],
    ['a cancel of what is no id', (posthorn) => posthorn.cancel('7'), 'invalid_id'],
    ['a requeue by nothing', (posthorn) => posthorn.requeue(null as unknown as string), 'invalid_argument'],
    [
      'a requeue of all that was delivered',
      (posthorn) => posthorn.requeue({ status: 'delivered' }),
      'invalid_argument',
    ],
    ['a cancel of the dead', (posthorn) => posthorn.cancel({ status: 'dead' }), 'invalid_argument'],
    ['a status that is none', ({ deliveries }) => deliveries.list({ status: 'lost' as 'dead' }), 'invalid_argument'],
    ['ids that are none', ({ deliveries }) => deliveries.count({ ids: ['7'] }), 'invalid_id'],
    ['a page of no rows', ({ deliveries }) => deliveries.list({}, { limit: 0 }), 'invalid_argument'],
    ['a page of too many rows', (posthorn) => posthorn.audit({ limit: 1_001 }), 'invalid_argument'],
    ['an overview of no time', (posthorn) => posthorn.overview({ windowMs: 0 }), 'invalid_argument'],
    ['a stop with a grace below zero', (posthorn) => posthorn.stop({ graceMs: -1 }), 'invalid_argument'],
    ['an endpoint that is not there', ({ endpoints }) => endpoints.get('nobody'), 'not_found'],
    ['an application that is not there', ({ applications }) => applications.get('nobody'), 'not_found'],
    [
      'an application under a taken uid',
      async ({ applications }) => [await applications.create({ uid: 'a' }), await applications.create({ uid: 'a' })],
      'already_exists',
    ],
  ])('with %s are refused', async (_, call, code) => {
    const error = await refusal(() => call(made()))
    expect(error).toMatchObject({ code, message: expect.stringMatching(form) })
  })
})

function policy(change: Record<string, unknown>): Record<string, unknown> {
  return { delays: { kind: 'list', delaysMs: [60_000, 60_000] }, jitterShare: 0, maxAttempts: 3, ...change }
}
