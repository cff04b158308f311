import { join } from 'node:path'
import { expect } from 'vitest'
import { Posthorn } from 'posthorn'
import { handler } from 'posthorn/server'
import type { HandlerOptions } from 'posthorn/server'
import { sqlite } from 'posthorn/sqlite'
import { manualClock } from 'posthorn/testing'
import { keyless } from '../../src/server/request/authentication.ts'
import { operations } from '../../src/server/operations.ts'
import { second } from '../../src/core/time.ts'
import { temporaryFolder } from '../cli/folder.ts'
import { adminKey, serverWorld } from '../server/world.ts'
import type { ServerWorld } from '../server/world.ts'
import { defence } from './defence.ts'

/** A sign-in that asks no further: whoever comes is let in to everything. */
const trusting: NonNullable<HandlerOptions['authorize']> = () => ({
  id: 'anybody',
  name: 'anybody',
  applicationId: null,
  access: 'write',
})

/** The paths by which one application's things are read, filled in for Acme. */
const readsOfAcme = operations
  .filter(({ method, access, path }) => method === 'get' && access === 'read' && path.includes('{app_id}'))
  .map(({ path }) => path.replace('{app_id}', 'acme').replaceAll(/\{\w+\}/g, 'main'))

defence('API keys: no key at all, on every route that one application’s things are read by', async (isOn) => {
  const world = await acmeWorld(isOn ? {} : { authorize: trusting })
  return reaches(world, null)
})

defence('API keys: a key of another application, on each of them', async (isOn) => {
  const world = await acmeWorld(isOn ? {} : { authorize: trusting })
  return reaches(world, await world.token({ application: 'other' }))
})

defence('API keys: a key that may only read, and writes', async (isOn) => {
  const world = await acmeWorld(isOn ? {} : { authorize: trusting })
  const token = await world.token({ application: 'acme', access: 'read' })
  const body = { url: 'https://evil.example/hooks' }
  return (await world.call('POST', '/api/v1/app/acme/endpoint', { token, body })).status === 201
})

defence('API keys: what a copy of the database shows of a key', async (isOn) => {
  const world = await acmeWorld()
  const { key, token } = await world.posthorn.keys.create({ name: 'stolen' })
  const copied = isOn ? key.hash : token
  return (await world.call('GET', '/api/v1/app', { token: copied })).status === 200
})

defence('API keys: a key after its last day', async (isOn) => {
  const world = await acmeWorld()
  const token = await world.token(isOn ? { expiresAt: world.clock.now() + second } : {})
  expect((await world.call('GET', '/api/v1/app', { token })).status).toBe(200)
  await world.clock.advance(second)
  return (await world.call('GET', '/api/v1/app', { token })).status === 200
})

defence('API keys: a key that another server has revoked, five seconds later', async (isOn) => {
  const [file, clock] = [join(await temporaryFolder(), 'posthorn.db'), manualClock()]
  const open = (): Posthorn => new Posthorn({ store: sqlite(file, { plaintextSecrets: true }), clock })
  await using here = open()
  await using elsewhere = open()
  const { key, token } = await here.keys.create({ name: 'leaked' })
  expect(await here.keys.find(token)).not.toBeNull()
  await elsewhere.keys.revoke(key.id)
  // Until then a server goes by what it remembers.
  if (isOn) await clock.advance(5 * second)
  return (await here.keys.find(token)) !== null
})

for (const headers of [
  { 'sec-fetch-site': 'cross-site' },
  { 'sec-fetch-site': 'same-site' },
  { origin: 'https://evil.example' },
  { origin: 'null' },
  {},
] satisfies Record<string, string>[]) {
  defence(`dashboard: a page of another site that uses the cookie (${JSON.stringify(headers)})`, async (isOn) => {
    const world = await acmeWorld()
    const opened = await world.call('POST', '/api/v1/session', { token: null, body: { key: adminKey } })
    const cookie = (opened.headers.get('set-cookie') ?? '').split(';', 1)[0] ?? ''
    const { posthorn } = world
    // Whoever trusts a cookie wherever it comes from.
    const authorize = (): ReturnType<typeof posthorn.keys.find> =>
      posthorn.keys.find(cookie.slice(cookie.indexOf('=') + 1))
    const answer = isOn ? world.answer : handler(posthorn, { authorize })
    const forged = new Request('http://posthorn.test/api/v1/app', {
      method: 'POST',
      headers: { cookie, 'content-type': 'text/plain', ...headers },
      body: '{"name":"forged"}',
    })
    return (await answer(forged)).status === 201
  })
}

for (const [what, url, headers] of [
  ['under a name of its own that leads here (rebinding)', 'http://rebound.example:8071', {}],
  ['from another origin', 'http://127.0.0.1:8071', { origin: 'https://evil.example' }],
  ['in a frame or form of its own', 'http://127.0.0.1:8071', { 'sec-fetch-site': 'cross-site' }],
] as const) {
  defence(`dashboard: a page that calls a server without keys ${what}`, async (isOn) => {
    const { posthorn } = await serverWorld()
    const answer = handler(posthorn, { authorize: isOn ? keyless(() => null) : trusting })
    return (await answer(new Request(`${url}/api/v1/app`, { headers }))).status === 200
  })
}

async function acmeWorld(options: HandlerOptions = {}): Promise<ServerWorld> {
  const world = await serverWorld({ rateLimitPerSecond: 0, ...options })
  const { posthorn } = world
  await posthorn.applications.create({ uid: 'acme', name: 'what only Acme may know' })
  await posthorn.applications.create({ uid: 'other', name: 'Other' })
  await posthorn.endpoints.create({ application: 'acme', uid: 'main', url: 'https://acme.example/hooks' })
  return world
}

/** Whether anything of Acme's is answered to whoever has this token. */
async function reaches(world: ServerWorld, token: string | null): Promise<boolean> {
  const statuses: number[] = []
  for (const path of readsOfAcme) statuses.push((await world.call('GET', path, { token })).status)
  expect(statuses.length).toBeGreaterThan(10)
  return statuses.some((status) => status !== 401 && status !== 403)
}
