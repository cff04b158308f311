import { handler } from 'posthorn/server'
import { expect, test } from 'vitest'
import { adminKey, serverWorld } from './world.ts'

const portal = 'https://portal.example'
const asking = {
  'access-control-request-method': 'PATCH',
  'access-control-request-headers': 'authorization, svix-req-id',
}

test('no page of another origin can call unless it is listed', async () => {
  const { call } = await serverWorld()
  const reply = await call('GET', '/api/v1/app', { headers: { origin: portal } })
  expect([reply.status, allowed(reply)]).toEqual([200, [null, null]])
  expect((await call('OPTIONS', '/api/v1/app', { headers: { origin: portal, ...asking } })).status).toBe(405)
})

test('a page of a listed origin asks first, then calls with its key, and reads the answer', async () => {
  const { call } = await serverWorld({ corsOrigins: [portal] })
  const first = await call('OPTIONS', '/api/v1/app/acme', { token: null, headers: { origin: portal, ...asking } })
  expect([first.status, allowed(first), first.headers.get('access-control-allow-headers')]).toEqual([
    204,
    [portal, null],
    'authorization, svix-req-id',
  ])
  expect(first.headers.get('access-control-allow-methods')).toContain('PATCH')
  const reply = await call('GET', '/api/v1/app', { headers: { origin: portal } })
  expect([reply.status, allowed(reply), reply.headers.get('vary')]).toEqual([200, [portal, null], 'origin'])
  // A refusal must be readable, too.
  expect(allowed(await call('GET', '/api/v1/app', { token: null, headers: { origin: portal } }))).toEqual([
    portal,
    null,
  ])
})

test('any other origin gets nothing, and no cache mixes them up', async () => {
  const { call } = await serverWorld({ corsOrigins: [portal] })
  for (const origin of [
    'https://evil.example',
    'http://portal.example',
    'https://portal.example:8443',
    'null',
    'https://portal.example.evil',
  ]) {
    const reply = await call('GET', '/api/v1/app', { headers: { origin } })
    expect([allowed(reply), reply.headers.get('vary')]).toEqual([[null, null], 'origin'])
    expect((await call('OPTIONS', '/api/v1/app', { headers: { origin, ...asking } })).status).toBe(405)
  }
})

test('all origins may be listed; cookies are never taken from them', async () => {
  const { call } = await serverWorld({ corsOrigins: ['*'] })
  expect(allowed(await call('GET', '/api/v1/app', { headers: { origin: 'https://any.example' } }))).toEqual([
    'https://any.example',
    null,
  ])
  const odd = await call('OPTIONS', '/api/v1/app', {
    headers: { origin: portal, ...asking, 'access-control-request-headers': 'a b' },
  })
  expect(odd.headers.get('access-control-allow-headers')).toBe('authorization, content-type, idempotency-key')
})

test.each(['portal.example', 'https://portal.example/', 'https://portal.example/path', 'ftp://portal.example', ''])(
  '%j is no origin',
  async (origin) => {
    const { posthorn } = await serverWorld()
    expect(() => handler(posthorn, { adminKey, corsOrigins: [origin] })).toThrow(
      /^Expected `corsOrigins` to be a list of origins/,
    )
  },
)

function allowed({ headers }: { headers: Headers }): (string | null)[] {
  return [headers.get('access-control-allow-origin'), headers.get('access-control-allow-credentials')]
}
