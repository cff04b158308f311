import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { toNodeListener } from 'posthorn/server'
import { minute } from '../../../src/core/time.ts'
import { databases, serverWorld } from '../world.ts'
import type { ServerWorld } from '../world.ts'

type Entry = Readonly<Record<string, unknown>> & { readonly action: string; readonly before: unknown }

const ownPage = { 'sec-fetch-site': 'same-origin' }

async function entries(world: ServerWorld, query = ''): Promise<Entry[]> {
  const reply = await world.call('GET', `/api/v1/audit?limit=250&${query}`)
  expect(reply.status, JSON.stringify(reply.body)).toBe(200)
  return (reply.body as { data: Entry[] }).data
}

/** A server on a socket of its own. */
async function listening({ answer }: ServerWorld): Promise<string> {
  const listener = toNodeListener(answer)
  const server = createServer((request, response) => void listener(request, response))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

describe.each(databases)('the audit log on %s', (database) => {
  test('says of every change who made it, from where, and what it changed', async () => {
    const world = await serverWorld({}, database)
    const { key, token } = await world.posthorn.keys.create({ name: 'ci' })
    const url = await listening(world)
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
    const send = async (method: string, path: string, body?: unknown, more = {}): Promise<{ id: string }> => {
      const text = body === undefined ? null : JSON.stringify(body)
      const response = await fetch(`${url}/api/v1${path}`, { method, headers: { ...headers, ...more }, body: text })
      expect(response.ok, `${method} ${path}`).toBe(true)
      return response.status === 204 ? { id: '' } : ((await response.json()) as { id: string })
    }
    const application = await send('POST', '/app', { uid: 'acme', name: 'Acme' })
    const endpoint = await send('POST', '/app/acme/endpoint', { url: 'https://a.example/?token=s3cret' })
    const one = `/app/acme/endpoint/${endpoint.id}`
    await world.clock.leap(1)
    await send('PATCH', one, { url: 'https://b.example/' }, { 'x-forwarded-for': '203.0.113.7' })
    await world.clock.leap(1)
    await send('PUT', `${one}/headers`, { headers: { authorization: 'Bearer s3cret' } })
    await send('PATCH', '/app/acme', { name: 'Acme Ltd' })
    await send('POST', '/event-type', { name: 'invoice.paid', description: 'Paid.' })
    await send('PATCH', '/event-type/invoice.paid', { description: 'It was paid.' })
    await send('DELETE', '/event-type/invoice.paid?expunge=true')
    await send('GET', `${one}/secret`)
    await send('DELETE', one)
    await send('DELETE', '/app/acme')

    const made = await entries(world, 'actor=ci')
    expect(made.map(({ action }) => action).toSorted()).toEqual([
      'application.create',
      'application.delete',
      'application.update',
      'delete',
      'endpoint.create',
      'endpoint.update',
      'endpoint.update',
      'event-type.create',
      'event-type.delete',
      'event-type.update',
      'reveal',
    ])
    for (const entry of made) expect(entry).toMatchObject({ actor: 'ci', actorId: key.id })
    const [headersSet, urlSet] = made.filter(({ action }) => action === 'endpoint.update')
    expect(urlSet).toMatchObject({
      target: endpoint.id,
      applicationId: application.id,
      from: '203.0.113.7 via 127.0.0.1',
      before: { url: 'https://a.example/?token=***' },
      after: { url: 'https://b.example/' },
    })
    expect(headersSet).toMatchObject({
      from: '127.0.0.1',
      before: { headers: {} },
      after: { headers: { authorization: '***' } },
    })
    expect(JSON.stringify(await entries(world))).not.toContain('s3cret')
    // The entries of an application outlive it.
    expect(await entries(world, `application=${application.id}&action=application.delete`)).toMatchObject([
      { before: { name: 'Acme Ltd', uid: 'acme' }, after: null },
    ])
  })

  test('is searched by actor, key, action, target, application and time, page by page', async () => {
    const world = await serverWorld({}, database)
    const { posthorn, clock } = world
    const { key } = await posthorn.keys.create({ name: 'ci' })
    await posthorn.applications.create({ uid: 'acme' }, { by: 'kim', keyId: key.id, from: '203.0.113.7' })
    const { id } = await posthorn.endpoints.create({ application: 'acme', url: 'https://a.example' }, { by: 'kim' })
    await clock.leap(minute)
    const since = new Date(clock.now()).toISOString()
    await posthorn.endpoints.pause(id, { by: 'lee', reason: 'asked to' })
    const actions = async (query: string): Promise<string[]> =>
      (await entries(world, query)).map(({ action }) => action)
    expect(await actions('actor=lee')).toEqual(['pause'])
    expect(await actions(`actor=${key.id}`)).toEqual(['application.create'])
    expect(await actions('action=endpoint.create')).toEqual(['endpoint.create'])
    expect((await actions(`target=${id}`)).toSorted()).toEqual(['endpoint.create', 'pause'])
    expect((await actions('application=acme')).toSorted()).toEqual(['application.create', 'endpoint.create', 'pause'])
    expect(await actions(`since=${since}`)).toEqual(['pause'])
    expect(await actions(`until=${since}&actor=lee`)).toEqual([])
    const first = await world.call('GET', '/api/v1/audit?limit=1')
    expect(first.body).toMatchObject({ data: [{ action: 'pause', reason: 'asked to', from: 'library' }], done: false })
    expect((await world.call('GET', '/api/v1/audit?action=nothing')).status).toBe(422)
  })

  test('has sign-ins, refused ones counted by the minute, and what a customer did by a link', async () => {
    const world = await serverWorld({}, database)
    const { posthorn } = world
    const { id: applicationId } = await posthorn.applications.create({ uid: 'acme' })
    const connection = { incoming: { socket: { remoteAddress: '::ffff:203.0.113.7' } } }
    const signIn = (key: string): Promise<Response> =>
      world.answer(
        new Request('http://localhost/api/v1/session', {
          method: 'POST',
          headers: { ...ownPage, 'content-type': 'application/json' },
          body: JSON.stringify({ key }),
        }),
        connection,
      )
    const tries = await Promise.all(Array.from({ length: 20 }, () => signIn('phk_nobody')))
    for (const { status } of tries) expect(status).toBe(401)
    expect(await entries(world, 'action=session.refuse')).toMatchObject([
      { actor: 'unknown', actorId: null, from: '203.0.113.7', target: 'dashboard', count: 20 },
    ])
    await world.clock.leap(minute)
    await signIn('phk_nobody')
    expect((await entries(world, 'action=session.refuse')).map(({ count }) => count)).toEqual([1, 20])

    const { key, token } = await posthorn.keys.create({ name: 'kim' })
    expect((await signIn(token)).status).toBe(204)
    expect(await entries(world, 'action=session.open')).toMatchObject([
      { actor: 'kim', actorId: key.id, target: key.id, from: '203.0.113.7' },
    ])

    const link = await world.call('POST', '/api/v1/auth/app-portal-access/acme', { body: {} })
    const portal = await signIn((link.body as { token: string }).token)
    const cookie = portal.headers.get('set-cookie')?.split(';')[0] ?? ''
    const created = await world.answer(
      new Request('http://localhost/api/v1/app/acme/endpoint', {
        method: 'POST',
        headers: { ...ownPage, cookie, 'content-type': 'application/json' },
        body: JSON.stringify({ url: 'https://acme.example/hooks' }),
      }),
      connection,
    )
    expect(created.status).toBe(201)
    const [used] = await entries(world, 'action=portal.use')
    expect(await entries(world, 'action=portal.create')).toMatchObject([
      { actor: 'admin', applicationId, target: used?.['target'] },
    ])
    expect(await entries(world, 'action=endpoint.create')).toMatchObject([
      { actor: 'portal', actorId: used?.['target'], from: 'portal 203.0.113.7', applicationId },
    ])
  })
})
