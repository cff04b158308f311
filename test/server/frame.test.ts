import { describe, expect, test } from 'vitest'
import { PosthornError } from 'posthorn'
import { adminKey, serverWorld } from './world.ts'

const application = { name: 'Acme', uid: 'acme' }

describe('paths', () => {
  test.each(['/api/v1/app/acme', '//api/v1/app/acme', '/api/v1/app/acme/', '///api/v1/app/acme/'])(
    '%s leads to the application',
    async (path) => {
      const world = await serverWorld()
      await world.call('POST', '/api/v1/app', { body: application })
      expect(await world.call('GET', path)).toMatchObject({ status: 200, body: { uid: 'acme' } })
    },
  )

  test.each(['/api/v2/app', '/api/v1/apps', '/api/v1/app/acme/nothing', '/api/v1/app/%zz/%2e'])(
    '%s is unknown',
    async (path) => {
      const world = await serverWorld()
      expect(await world.call('GET', path)).toMatchObject({
        status: 404,
        body: { code: 'not_found', detail: expect.any(String) as string },
      })
    },
  )

  test('a method that a path does not have is refused by the names of those that it has', async () => {
    const world = await serverWorld()
    const { status, headers, body } = await world.call('DELETE', '/api/v1/app')
    expect({ status, body }).toEqual({
      status: 405,
      body: { code: 'method_not_allowed', detail: 'Expected GET, POST, got DELETE.' },
    })
    expect(headers.get('allow')).toBe('GET, POST')
  })

  test('below a base path there is the same API, and nothing beside it', async () => {
    const world = await serverWorld({ basePath: '/hooks' })
    expect(await world.call('GET', '/hooks/api/v1/app')).toMatchObject({ status: 200 })
    expect(await world.call('GET', '/api/v1/app')).toMatchObject({ status: 404 })
    expect(await world.call('GET', '/hooksapi/v1/app')).toMatchObject({ status: 404 })
  })

  test.each(['hooks', '/hooks/', '/a b', '/a?b'])('a base path %j is refused', async (basePath) => {
    await expect(serverWorld({ basePath })).rejects.toThrow('Expected `basePath` to be a path such as /webhooks')
  })
})

describe('input', () => {
  test.each<[string, unknown, unknown]>([
    [
      'a field that is missing',
      {},
      [{ loc: ['body', 'name'], msg: expect.any(String), type: 'value_error.invalid_type' }],
    ],
    [
      'a field that is wrong',
      { name: 'a', metadata: { b: 1 } },
      [{ loc: ['body', 'metadata', 'b'], msg: expect.any(String), type: 'value_error.invalid_type' }],
    ],
    ['two of them', { name: '', uid: 'a b' }, [{ loc: ['body', 'name'] }, { loc: ['body', 'uid'] }]],
    ['what is no object', '[]', [{ loc: ['body'] }]],
    [
      'what is no JSON',
      '{"name":',
      [{ loc: ['body'], msg: 'Expected JSON in UTF-8.', type: 'value_error.jsondecode' }],
    ],
    ['nothing', '', [{ loc: ['body', 'name'] }]],
    [
      'a uid that looks like an id',
      { name: 'a', uid: 'app_0123456789abcdefghj' },
      [{ loc: ['body', 'uid'], type: 'value_error.invalid_argument' }],
    ],
  ])('%s is refused by its place', async (_what, body, wanted) => {
    const world = await serverWorld()
    const reply = await world.call('POST', '/api/v1/app', { body })
    expect(reply).toMatchObject({ status: 422, body: { detail: wanted } })
    expect(await world.posthorn.applications.list()).toEqual([])
  })

  test.each([
    ['limit=0', 'limit'],
    ['limit=many', 'limit'],
    ['limit=1&limit=2', 'limit'],
    ['order=up', 'order'],
    ['iterator=app_1%27', 'iterator'],
  ])('a query of %s is refused by its name', async (query, name) => {
    const world = await serverWorld()
    expect(await world.call('GET', `/api/v1/app?${query}`)).toMatchObject({
      status: 422,
      body: { detail: [{ loc: ['query', name] }] },
    })
  })

  test('bytes that are no UTF-8 are refused, not replaced', async () => {
    const world = await serverWorld()
    const body = new Blob([new Uint8Array([0x22, 0xff, 0x22])]).stream()
    expect(await world.call('POST', '/api/v1/app', { body })).toMatchObject({
      status: 422,
      body: { detail: [{ type: 'value_error.jsondecode' }] },
    })
  })
})

describe('errors', () => {
  test('that nobody foresaw are told to whoever runs the server, and to the caller only that they were', async () => {
    const world = await serverWorld()
    world.posthorn.applications.list = () => Promise.reject(new Error('the password is hunter2'))
    const { status, body } = await world.call('GET', '/api/v1/app')
    expect({ status, body }).toEqual({
      status: 500,
      body: { code: 'internal_error', detail: expect.stringContaining('was reported') as string },
    })
    expect(world.incidents).toMatchObject([
      { operation: 'v1.application.list', error: { message: 'the password is hunter2' } },
    ])
  })

  test.each([
    ['not_found', 404, null],
    ['already_exists', 409, null],
    ['in_flight', 409, null],
    ['idempotency_conflict', 409, null],
    ['body_too_large', 413, null],
    ['overloaded', 503, '1'],
    ['store_failed', 503, '1'],
    ['store_locked', 503, '1'],
    ['outcome_unknown', 503, '1'],
    ['stopped', 503, '1'],
  ] as const)('%s is %i', async (code, status, retryAfter) => {
    const world = await serverWorld()
    world.posthorn.applications.list = () => Promise.reject(new PosthornError(code, 'Expected `x` to be y.'))
    const reply = await world.call('GET', '/api/v1/app')
    expect(reply).toMatchObject({ status, body: { code, detail: expect.any(String) as string } })
    expect(reply.headers.get('retry-after')).toBe(retryAfter)
  })

  test.each(['invalid_url', 'invalid_header', 'forbidden_address', 'unknown_event_type'] as const)(
    '%s is 422 and names the field',
    async (code) => {
      const world = await serverWorld()
      world.posthorn.applications.create = () =>
        Promise.reject(new PosthornError(code, 'Expected `headers.x` to be y.'))
      const reply = await world.call('POST', '/api/v1/app', { body: application })
      expect(reply).toMatchObject({
        status: 422,
        body: {
          detail: [
            { loc: ['body', 'headers', 'x'], msg: 'Expected `headers.x` to be y.', type: `value_error.${code}` },
          ],
        },
      })
    },
  )

  test('of the store say nothing of it to the caller', async () => {
    const world = await serverWorld()
    world.posthorn.applications.list = () =>
      Promise.reject(new PosthornError('store_failed', 'connect to 10.0.0.7:5432'))
    expect(JSON.stringify((await world.call('GET', '/api/v1/app')).body)).not.toContain('10.0.0.7')
    expect(world.incidents).toHaveLength(1)
  })
})

describe('health', () => {
  test.each(['/api/v1/health', '/api/v1/health/ping'])('%s needs no key, by GET and HEAD', async (path) => {
    const world = await serverWorld()
    for (const method of ['GET', 'HEAD'])
      expect(await world.call(method, path, { token: null })).toMatchObject({ status: 204, body: null })
  })

  test('is 503 without the database, while the ping goes on', async () => {
    const world = await serverWorld()
    world.posthorn.audit = () => Promise.reject(new PosthornError('store_failed', 'gone'))
    expect(await world.call('GET', '/api/v1/health', { token: null })).toMatchObject({ status: 503 })
    expect(await world.call('GET', '/api/v1/health/ping', { token: null })).toMatchObject({ status: 204 })
  })
})

describe('a host with its own sign-in', () => {
  test('decides who calls, and keys count no more', async () => {
    const world = await serverWorld({
      authorize: ({ headers }) =>
        headers.get('cookie') === 'acme' ? { id: 'user_1', name: 'Ada', applicationId: 'acme', access: 'read' } : null,
    })
    await world.posthorn.applications.create(application)
    await world.posthorn.applications.create({ uid: 'other', name: 'Other' })
    const headers = { cookie: 'acme' }
    expect(await world.call('GET', '/api/v1/app/acme', { token: null, headers })).toMatchObject({
      status: 200,
      body: { uid: 'acme' },
    })
    expect(await world.call('GET', '/api/v1/app/other', { token: null, headers })).toMatchObject({ status: 403 })
    expect(await world.call('GET', '/api/v1/app', { token: null, headers })).toMatchObject({ status: 403 })
    expect(await world.call('GET', '/api/v1/app/acme', { token: adminKey })).toMatchObject({ status: 401 })
  })
})
