import { describe, expect, test } from 'vitest'
import { handler } from 'posthorn/server'
import { hour } from '../../src/core/time.ts'
import { adminKey, databases, serverWorld } from './world.ts'
import type { Reply, ServerWorld } from './world.ts'

const ownPage = { 'sec-fetch-site': 'same-origin' }

async function signIn({ call, clock }: ServerWorld, key: string): Promise<string> {
  // One after the other, also for whoever lists them.
  await clock.advance(1)
  const reply = await call('POST', '/api/v1/session', { token: null, body: { key }, headers: ownPage })
  expect(reply.status, JSON.stringify(reply.body)).toBe(204)
  const cookie = reply.headers.get('set-cookie') ?? ''
  expect(cookie).toMatch(/^posthorn-session=phs_\w{40}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Strict$/)
  return cookie.split(';')[0] ?? ''
}

function withCookie(
  { call }: ServerWorld,
  cookie: string,
  method: string,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  body?: unknown,
): Promise<Reply> {
  return call(method, `/api/v1${path}`, {
    token: null,
    headers: { cookie, ...headers },
    ...(body !== undefined && { body }),
  })
}

describe.each(databases)('a session on %s', (database) => {
  test('is opened with a key, and may do what the key may', async () => {
    const world = await serverWorld({}, database)
    await world.posthorn.applications.create({ uid: 'acme' })
    const cookie = await signIn(world, await world.token({ application: 'acme', access: 'read' }))
    const shown = await withCookie(world, cookie, 'GET', '/session')
    expect(shown.body).toEqual({
      caller: { name: 'of a test', applicationId: expect.stringMatching(/^app_/), access: 'read' },
      dev: false,
    })
    expect((await withCookie(world, cookie, 'GET', '/app/acme')).status).toBe(200)
    expect((await withCookie(world, cookie, 'GET', '/app')).status).toBe(403)
    expect(
      (await withCookie(world, cookie, 'POST', '/app/acme/msg', ownPage, { eventType: 'a', payload: {} })).status,
    ).toBe(403)
  })

  test("of a customer's link to the portal stays a customer's", async () => {
    const world = await serverWorld({}, database)
    await world.posthorn.applications.create({ uid: 'acme' })
    await world.posthorn.eventTypes.create({ name: 'hidden', description: '', featureFlag: 'beta' })
    const cookie = await signIn(world, await world.token({ application: 'acme', portal: { featureFlags: [] } }))
    expect(
      (await withCookie(world, cookie, 'POST', '/app/acme/endpoint', ownPage, { url: 'https://acme.example/hooks' }))
        .status,
    ).toBe(201)
    expect(
      (await withCookie(world, cookie, 'POST', '/app/acme/msg', ownPage, { eventType: 'a', payload: {} })).status,
    ).toBe(403)
    expect((await withCookie(world, cookie, 'GET', '/event-type')).body).toMatchObject({ data: [] })
  })

  test('writes only for the dashboard itself: no other page can use the cookie', async () => {
    const world = await serverWorld({}, database)
    const cookie = await signIn(world, adminKey)
    const make = async (headers: Readonly<Record<string, string>>): Promise<number> =>
      (await withCookie(world, cookie, 'POST', '/app', headers, { name: 'x' })).status
    for (const headers of [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
      { origin: 'null' },
    ]) {
      expect(await make(headers), JSON.stringify(headers)).toBe(401)
    }
    expect(await make(ownPage)).toBe(201)
    expect(await make({ origin: 'http://posthorn.test' })).toBe(201)
    expect(await make({ origin: 'https://evil.example', ...ownPage })).toBe(201)
    expect(await world.posthorn.applications.list()).toHaveLength(3)
  })

  test('ends with its key within five seconds, with twelve hours, and when the reader leaves', async () => {
    const world = await serverWorld({}, database)
    const { key, token } = await world.posthorn.keys.create({ name: 'kim' })
    const cookie = await signIn(world, token)
    const status = async (): Promise<number> => (await withCookie(world, cookie, 'GET', '/app')).status
    expect(await status()).toBe(200)
    // As if on another server: what this one remembers, it remembers for five seconds.
    await world.posthorn.keys.revoke(key.id)
    await world.clock.advance(5_000)
    expect(await status()).toBe(401)

    const second = await signIn(world, adminKey)
    await world.clock.advance(12 * hour - 1)
    expect((await withCookie(world, second, 'GET', '/session')).status).toBe(200)
    await world.clock.advance(1)
    expect((await withCookie(world, second, 'GET', '/session')).status).toBe(401)

    const third = await signIn(world, adminKey)
    const left = await withCookie(world, third, 'DELETE', '/session', ownPage)
    expect([left.status, left.headers.get('set-cookie')]).toEqual([204, expect.stringContaining('Max-Age=0')])
    expect((await withCookie(world, third, 'GET', '/session')).status).toBe(401)
  })

  test('is not replaced by that of another key unless somebody says so, and then it has ended', async () => {
    const world = await serverWorld({}, database)
    const { id: appId } = await world.posthorn.applications.create({ uid: 'acme' })
    const own = await signIn(world, adminKey)
    const foreign = await world.token({ application: 'acme', portal: { featureFlags: [] } })
    const again = (key: string, replace?: boolean): Promise<Reply> =>
      withCookie(world, own, 'POST', '/session', ownPage, { key, ...(replace !== undefined && { replace }) })
    for (const refused of [await again(foreign), await again(foreign, false)]) {
      expect(refused).toMatchObject({
        status: 409,
        body: {
          code: 'session_exists',
          detail: `You are signed in as "admin". This would sign you in as "of a test" of ${appId} instead.`,
        },
      })
      expect(refused.headers.get('set-cookie')).toBeNull()
    }
    expect((await withCookie(world, own, 'GET', '/session')).body).toMatchObject({ caller: { name: 'admin' } })
    const replaced = await again(foreign, true)
    const cookie = replaced.headers.get('set-cookie')?.split(';')[0] ?? ''
    expect((await withCookie(world, cookie, 'GET', '/session')).body).toMatchObject({
      caller: { applicationId: appId },
    })
    expect((await withCookie(world, own, 'GET', '/session')).status).toBe(401)
    // The same key again, and a session that has ended, are nobody else's.
    expect((await withCookie(world, cookie, 'POST', '/session', ownPage, { key: foreign })).status).toBe(204)
    expect((await again(adminKey)).status).toBe(204)
  })

  test('is listed with where it came from, for whoever may see it, and ended from elsewhere', async () => {
    const world = await serverWorld({}, database)
    await world.posthorn.applications.create({ uid: 'acme' })
    const [kim, customer] = [await world.token({ access: 'read' }), await world.token({ application: 'acme' })]
    const [first, second, theirs] = [await signIn(world, kim), await signIn(world, kim), await signIn(world, customer)]
    const sessions = async (cookie: string): Promise<Record<string, unknown>[]> =>
      ((await withCookie(world, cookie, 'GET', '/session/list')).body as { data: Record<string, unknown>[] }).data
    expect(await sessions(first)).toMatchObject([
      { name: 'of a test', access: 'read', appId: null, from: 'http', current: false },
      { name: 'of a test', access: 'read', appId: null, from: 'http', current: true },
    ])
    expect(await sessions(theirs)).toMatchObject([{ current: true, access: 'write' }])
    const [{ id: newest } = { id: '' }] = await sessions(first)
    const end = (cookie: string, id: unknown): Promise<Reply> =>
      withCookie(world, cookie, 'DELETE', `/session/${String(id)}`, ownPage)
    expect((await end(theirs, newest)).status).toBe(404)
    expect((await end(first, newest)).status).toBe(204)
    expect((await end(first, newest)).status).toBe(404)
    expect((await withCookie(world, second, 'GET', '/session')).status).toBe(401)
    expect((await withCookie(world, first, 'GET', '/session')).status).toBe(200)
    const all = await world.call('GET', '/api/v1/session/list')
    expect((all.body as { data: unknown[] }).data).toHaveLength(2)
  })

  test('ends everywhere with all others of its key, and with those of no other', async () => {
    const world = await serverWorld({}, database)
    const [kim, maria] = [await world.token({ access: 'read' }), await world.token()]
    const own = [await signIn(world, kim), await signIn(world, kim), await signIn(world, kim)]
    const other = await signIn(world, maria)
    const everywhere = (cookie: string, body: object): Promise<Reply> =>
      withCookie(world, cookie, 'POST', '/session/sign-out-everywhere', ownPage, body)
    const { data } = (await withCookie(world, other, 'GET', '/session/list')).body as { data: { keyId: string }[] }
    const [mariaId, kimId] = [data[0]?.keyId, data[1]?.keyId]
    expect(await everywhere(own[0] ?? '', { keyId: mariaId })).toMatchObject({ status: 403 })
    expect(await everywhere(own[0] ?? '', {})).toMatchObject({ status: 200, body: { ended: 3 } })
    for (const cookie of own) expect((await withCookie(world, cookie, 'GET', '/session')).status).toBe(401)
    expect((await withCookie(world, other, 'GET', '/session')).status).toBe(200)
    expect((await world.call('GET', '/api/v1/session', { token: kim })).status).toBe(200)
    await signIn(world, kim)
    expect(await everywhere(other, { keyId: kimId })).toMatchObject({ status: 200, body: { ended: 1 } })
    const entries = await world.posthorn.audit({ action: 'session.end' })
    expect(entries.map(({ target, count }) => [target, count])).toEqual([
      [kimId, 1],
      [kimId, 3],
    ])
  })

  test('of an admin key ends when the server is started with another', async () => {
    const world = await serverWorld({}, database)
    const cookie = await signIn(world, adminKey)
    const other = handler(world.posthorn, { adminKey: 'another-admin-key-of-the-test' })
    const ask = (answer: (request: Request) => Promise<Response>): Promise<Response> =>
      answer(new Request('http://posthorn.test/api/v1/app', { headers: { cookie } }))
    expect((await ask(handler(world.posthorn, { adminKey }))).status).toBe(200)
    expect((await ask(other)).status).toBe(401)
    expect((await ask(handler(world.posthorn))).status).toBe(401)
  })

  test('is no key: it opens nothing as a bearer, a key opens nothing as a cookie, and no list shows it', async () => {
    const world = await serverWorld({}, database)
    const token = await world.token()
    const cookie = await signIn(world, token)
    const session = cookie.slice(cookie.indexOf('=') + 1)
    expect((await world.call('GET', '/api/v1/app', { token: session })).status).toBe(401)
    expect((await withCookie(world, `posthorn-session=${token}`, 'GET', '/app')).status).toBe(401)
    expect((await withCookie(world, 'posthorn-session=', 'GET', '/app')).status).toBe(401)
    expect(await world.posthorn.keys.list()).toHaveLength(1)
  })
})

test('a key that is not known, or a page of another site, opens no session', async () => {
  const world = await serverWorld()
  const open = (key: unknown, headers: Readonly<Record<string, string>> = {}): Promise<Reply> =>
    world.call('POST', '/api/v1/session', { token: null, body: { key }, headers })
  expect(await open('phk_nobody')).toMatchObject({
    status: 401,
    body: { detail: 'This key is not known, or it has ended.' },
  })
  expect((await open('')).status).toBe(422)
  expect((await open(adminKey, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await open(adminKey, { origin: 'https://evil.example' })).status).toBe(403)
  expect((await open(adminKey)).status).toBe(204)
})

test('behind TLS the cookie travels over TLS only, and below a base path only there', async () => {
  const { posthorn } = await serverWorld()
  const answer = handler(posthorn, { adminKey, basePath: '/hooks' })
  const headers = { origin: 'https://posthorn.test', 'content-type': 'application/json' }
  const response = await answer(
    new Request('http://posthorn.test/hooks/api/v1/session', {
      method: 'POST',
      headers,
      body: JSON.stringify({ key: adminKey }),
    }),
  )
  expect(response.headers.get('set-cookie')).toMatch(/Path=\/hooks; .*; Secure$/)
})

test('without keys, for development, this machine is let in, and nobody else', async () => {
  const { posthorn } = await serverWorld()
  const answer = handler(posthorn, { keyless: true })
  const ask = async (url: string, headers: Readonly<Record<string, string>> = {}): Promise<Response> =>
    answer(new Request(`${url}/api/v1/session`, { headers }))
  expect(await (await ask('http://127.0.0.1:8071')).json()).toEqual({
    caller: { name: 'dev', applicationId: null, access: 'write' },
    dev: true,
  })
  expect((await ask('http://localhost:8071', { 'sec-fetch-site': 'same-origin' })).status).toBe(200)
  expect((await ask('http://rebound.example:8071')).status).toBe(401)
  expect((await ask('http://127.0.0.1:8071', { origin: 'https://evil.example' })).status).toBe(401)
  expect((await ask('http://127.0.0.1:8071', { 'sec-fetch-site': 'cross-site' })).status).toBe(401)
})
