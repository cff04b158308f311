import { describe, expect, test } from 'vitest'
import { hour } from '../../src/core/time.ts'
import { adminKey, databases, serverWorld } from './world.ts'

describe.each(databases)('keys on %s', (database) => {
  test('are shown once, listed without their token, and refused once revoked', async () => {
    const { call } = await serverWorld({}, database)
    const made = await call('POST', '/api/v1/key', { body: { name: 'ci', access: 'read' } })
    const { token, ...shown } = made.body as { id: string; token: string }
    expect(made.status).toBe(201)
    expect(token).toMatch(/^phk_[0-9a-z]{32,}$/)
    expect(shown).toMatchObject({ name: 'ci', access: 'read', appId: null, expiresAt: null, hint: token.slice(0, 8) })
    expect((await call('GET', '/api/v1/key')).body).toMatchObject({ data: [shown], done: true })

    expect((await call('GET', '/api/v1/app', { token })).status).toBe(200)
    expect((await call('DELETE', `/api/v1/key/${shown.id}`)).status).toBe(204)
    expect((await call('GET', '/api/v1/app', { token })).status).toBe(401)
    expect((await call('GET', '/api/v1/key')).body).toMatchObject({ data: [] })
  })

  test('of an application that does not exist, or that end in the past, are refused', async () => {
    const { call } = await serverWorld({}, database)
    expect(await call('POST', '/api/v1/key', { body: { name: 'a', appId: 'nobody' } })).toMatchObject({ status: 404 })
    expect(await call('POST', '/api/v1/key', { body: { name: 'a', expiresAt: '2020-01-01T00:00:00Z' } })).toMatchObject(
      { status: 422, body: { detail: [{ loc: ['body', 'expiresAt'] }] } },
    )
    expect(await call('DELETE', '/api/v1/key/key_0123456789abcdefghj')).toMatchObject({ status: 404 })
  })

  test("a portal link opens one application's view for an hour, and can be left", async () => {
    const { call, clock, posthorn } = await serverWorld({}, database)
    await posthorn.applications.create({ uid: 'acme' })
    const { status, body } = await call('POST', '/api/v1/auth/app-portal-access/acme', { body: {} })
    const { token, url } = body as { token: string; url: string }
    expect({ status, url }).toEqual({ status: 200, url: `http://posthorn.test/login#key=${token}` })
    expect((await call('GET', '/api/v1/app/acme', { token })).status).toBe(200)
    expect((await call('GET', '/api/v1/app', { token })).status).toBe(403)

    const behind = await call('POST', '/api/v1/auth/app-portal-access/acme', {
      body: {},
      headers: { 'x-forwarded-proto': 'https', 'x-forwarded-host': 'evil.example', host: 'evil.example' },
    })
    expect(behind.body).toMatchObject({ url: expect.stringMatching(/^http:\/\/posthorn\.test\/login#key=/) })
    const { token: second } = (await call('POST', '/api/v1/auth/app-portal-access/acme', { body: {} })).body as {
      token: string
    }
    expect((await call('POST', '/api/v1/auth/logout', { token })).status).toBe(204)
    expect((await call('GET', '/api/v1/app/acme', { token })).status).toBe(401)
    await clock.advance(hour - 1)
    expect((await call('GET', '/api/v1/app/acme', { token: second })).status).toBe(200)
    await clock.advance(1)
    expect((await call('GET', '/api/v1/app/acme', { token: second })).status).toBe(401)
  })

  test('a portal link can make its application', async () => {
    const { call, posthorn } = await serverWorld({}, database)
    expect(await call('POST', '/api/v1/auth/app-portal-access/acme', { body: {} })).toMatchObject({ status: 404 })
    expect(
      await call('POST', '/api/v1/auth/app-portal-access/acme', { body: { application: { name: 'Acme' } } }),
    ).toMatchObject({ status: 200 })
    expect(await posthorn.applications.get('acme')).toMatchObject({ name: 'Acme' })
  })

  test('a key for all applications does not end itself by logging out', async () => {
    const { call, token } = await serverWorld({}, database)
    const own = await token()
    expect(await call('POST', '/api/v1/auth/logout', { token: own })).toMatchObject({
      status: 403,
      body: { code: 'permission_denied' },
    })
    expect((await call('GET', '/api/v1/app', { token: own })).status).toBe(200)
  })
})

test.each([
  `Basic ${adminKey}`,
  `Bearer`,
  `Bearer  `,
  `Bearer ${adminKey}x`,
  `Bearer ${adminKey.slice(1)}`,
  `Bearer ${adminKey} x`,
  adminKey,
  `Bearer ${'x'.repeat(10_000)}`,
])('authorization %j is none', async (authorization) => {
  const { call } = await serverWorld()
  const reply = await call('GET', '/api/v1/app', { token: null, headers: { authorization } })
  expect(reply).toMatchObject({ status: 401, body: { code: 'authentication_failed' } })
  expect(reply.headers.get('www-authenticate')).toBe('Bearer')
})

test('the kind of credentials may be written in any case', async () => {
  const { call } = await serverWorld()
  expect(
    await call('GET', '/api/v1/app', { token: null, headers: { authorization: `bearer ${adminKey}` } }),
  ).toMatchObject({ status: 200 })
})
