import { describe, expect, test } from 'vitest'
import { fieldsOf } from '../../src/server/request/known-fields.ts'
import { operations } from '../../src/server/operations.ts'
import type { Operation } from '../../src/server/operation.ts'
import { openApi } from '../../src/server/openapi/document.ts'
import { hour } from '../../src/core/time.ts'
import { databases, serverWorld } from './world.ts'
import type { Reply, ServerWorld } from './world.ts'

const secret = 'what only Acme may know'

describe.each(databases)('every route, on %s, with', (database) => {
  test(
    'no key, a key that nobody made, an expired or a revoked one: nobody gets in',
    { timeout: 120_000 },
    async () => {
      const scene = await makeScene(database)
      const { world, callAll } = scene
      const expired = await world.token({ expiresAt: world.clock.now() + hour })
      const { key, token: revoked } = await world.posthorn.keys.create({ name: 'revoked' })
      // Known to the cache of keys before they end.
      for (const token of [expired, revoked])
        expect((await world.call('GET', '/api/v1/app', { token })).status).toBe(200)
      await world.posthorn.keys.revoke(key.id)
      await world.clock.leap(hour)

      const before = await snapshot(scene)
      for (const token of [null, 'phk_nobody', '', expired, revoked]) {
        for (const { reply } of await callAll(protectedOperations, token))
          expect(reply).toMatchObject({ status: 401, body: { code: 'authentication_failed' } })
      }
      expect(await snapshot(scene)).toEqual(before)
    },
  )

  test("a foreign application's key: 0 leaks", { timeout: 120_000 }, async () => {
    const scene = await makeScene(database)
    const before = await snapshot(scene)
    const token = await scene.world.token({ application: 'other' })
    const foreign = protectedOperations.filter(({ realm, path }) => realm !== 'everyone' || path.includes('{app_id}'))
    const inside = await scene.callAll(foreign, token)
    const outside = await scene.callAll(foreign, token, { app_id: 'nobody' })
    const leaks = inside.filter(({ reply }) => reply.status !== 403)
    expect(leaks).toEqual([])
    // One that does not exist is refused by the same words.
    expect(inside.map(({ reply }) => reply.body)).toEqual(outside.map(({ reply }) => reply.body))
    expect(JSON.stringify(inside.map(({ reply }) => reply.body))).not.toContain(secret)

    // Whoever has left is refused everywhere: that comes last.
    const everyones = protectedOperations
      .filter(({ realm }) => realm === 'everyone')
      .toSorted((one, other) => Number(leaving.has(one.id)) - Number(leaving.has(other.id)))
    for (const { operation, reply } of await scene.callAll(everyones, token)) {
      expect(JSON.stringify(reply.body), operation.id).not.toContain(secret)
      if (ours.test(operation.path)) expect({ [operation.id]: reply.status }).toEqual({ [operation.id]: 404 })
    }
    expect(await snapshot(scene)).toEqual(before)
  })

  test('a key that may only read: whatever writes is refused, and nothing changes', { timeout: 120_000 }, async () => {
    const scene = await makeScene(database)
    const before = await snapshot(scene)
    const writes = protectedOperations.filter(({ access }) => access === 'write')
    for (const kind of [{ access: 'read' }, { access: 'read', application: 'acme' }] as const) {
      const token = await scene.world.token(kind)
      for (const { operation, reply } of await scene.callAll(writes, token))
        expect({ [operation.id]: reply.status }).toEqual({ [operation.id]: 403 })
      for (const { operation, reply } of await scene.callAll(reads, token)) {
        const isInside = !('application' in kind) || operation.realm !== 'server'
        expect({ [operation.id]: [isInside, reply.status === 403] }).toEqual({ [operation.id]: [isInside, !isInside] })
      }
      expect(await snapshot(scene)).toEqual(before)
    }
  })

  test('a key that may write: it gets in, and nothing breaks', { timeout: 120_000 }, async () => {
    const { world, callAll } = await makeScene(database)
    const ordered = protectedOperations.toSorted(
      (one, other) => Number(one.method === 'delete') - Number(other.method === 'delete'),
    )
    for (const { operation, reply } of await callAll(ordered, await world.token())) {
      expect({ [operation.id]: reply.status }, JSON.stringify(reply.body)).not.toEqual({ [operation.id]: 401 })
      expect(
        reply.status < 500 && (reply.status !== 403 || operation.id === 'v1.authentication.logout'),
        `${operation.id}: ${reply.status}`,
      ).toBe(true)
    }
    expect(world.incidents).toEqual([])
  })

  test(
    "an application's own key that may write: it gets in wherever its application is named",
    { timeout: 120_000 },
    async () => {
      const { world, callAll } = await makeScene(database)
      const token = await world.token({ application: 'acme' })
      const own = protectedOperations.filter(({ id }) => id !== 'v1.authentication.logout')
      for (const { operation, reply } of await callAll(own, token)) {
        expect({ [operation.id]: reply.status === 403 }).toEqual({ [operation.id]: operation.realm === 'server' })
        expect(reply.status).toBeLessThan(500)
      }
    },
  )

  test(
    "a customer's link to the portal: it gets in like a key of the application, but for what only its provider decides",
    { timeout: 120_000 },
    async () => {
      const scene = await makeScene(database)
      const token = await scene.world.token({ application: 'acme', portal: { featureFlags: [] } })
      const before = await snapshot(scene)
      for (const { operation, reply } of await scene.callAll(closed, token))
        expect({ [operation.id]: reply }).toMatchObject({
          [operation.id]: { status: 403, body: { code: 'permission_denied' } },
        })
      expect(await snapshot(scene)).toEqual(before)

      const open = protectedOperations.filter((operation) => !closed.includes(operation) && !leaving.has(operation.id))
      for (const { operation, reply } of await scene.callAll(open, token)) {
        expect({ [operation.id]: reply.status === 403 }).toEqual({ [operation.id]: false })
        expect(reply.status).toBeLessThan(500)
      }
      expect(closed.filter(({ portal }) => portal === 'refused').map(({ id }) => id)).toEqual([
        'v1.message.create',
        'v1.message.expunge-content',
        'v1.message-attempt.expunge-content',
      ])
    },
  )

  test(
    "a customer's link to the portal that may only read, and one of a foreign application: nothing changes",
    { timeout: 120_000 },
    async () => {
      const scene = await makeScene(database)
      const before = await snapshot(scene)
      const reader = await scene.world.token({ application: 'acme', access: 'read', portal: { featureFlags: [] } })
      const writes = protectedOperations.filter(({ access }) => access === 'write')
      for (const { operation, reply } of await scene.callAll(writes, reader))
        expect({ [operation.id]: reply.status }).toEqual({ [operation.id]: 403 })
      const foreign = await scene.world.token({ application: 'other', portal: { featureFlags: [] } })
      const named = protectedOperations.filter(({ path }) => path.includes('{app_id}'))
      for (const { operation, reply } of await scene.callAll(named, foreign))
        expect({ [operation.id]: reply.status }).toEqual({ [operation.id]: 403 })
      expect(await snapshot(scene)).toEqual(before)
    },
  )
})

test('an operation under an application asks for its key, or for one of the server', () => {
  const open = operations.filter(
    ({ path, realm }) => path.includes('{app_id}') && !['application', 'server'].includes(realm),
  )
  expect(open.map(({ id }) => id)).toEqual([])
  const lost = operations.filter(({ path, realm }) => realm === 'application' && !path.includes('{app_id}'))
  expect(lost.map(({ id }) => id)).toEqual([])
  const changing = operations.filter(
    ({ method, access, id }) => method !== 'get' && access === 'read' && !leaving.has(id),
  )
  expect(changing.map(({ id }) => id)).toEqual([])
  expect(operations.filter(({ realm }) => realm === 'public').map(({ id }) => id)).toEqual([
    'v1.session.open',
    'v1.health.get',
    'v1.health.ping',
  ])
})

/** A reader may leave, too; to sign in, a key is shown in the body. */
const leaving = new Set([
  'v1.authentication.logout',
  'v1.session.end',
  'v1.session.open',
  'v1.session.end-one',
  'v1.session.sign-out-everywhere',
])
/** Paths that name something of an application's. */
const ours = /\{(delivery|job|endpoint)_id\}/
const protectedOperations = operations.filter(({ realm }) => realm !== 'public')
/** What a customer is refused. */
const closed = protectedOperations.filter(({ realm, portal }) => realm === 'server' || portal === 'refused')
const reads = protectedOperations.filter(({ method, access }) => method === 'get' && access === 'read')

interface Scene {
  readonly world: ServerWorld
  /** Calls each operation with a good request for what Acme has, but for the parameters given. */
  callAll(
    table: readonly Operation[],
    token: string | null,
    params?: Readonly<Record<string, string>>,
  ): Promise<{ operation: Operation; reply: Reply }[]>
}

/** Two applications; the first has something of everything. */
async function makeScene(database: 'sqlite' | 'postgres'): Promise<Scene> {
  const world = await serverWorld({ rateLimitPerSecond: 0 }, database)
  const { posthorn } = world
  await posthorn.applications.create({ uid: 'acme', name: secret, metadata: { secret } })
  await posthorn.applications.create({ uid: 'other', name: 'Other' })
  await posthorn.eventTypes.create({ name: 'invoice.paid', description: 'Paid.' })
  const endpoint = await posthorn.endpoints.create({
    application: 'acme',
    uid: 'main',
    url: 'https://acme.example/hooks',
    description: secret,
    headers: { 'x-secret': secret },
  })
  const { id: messageId } = await posthorn.send({ application: 'acme', type: 'invoice.paid', data: { secret } })
  const { key } = await posthorn.keys.create({ name: 'spare' })
  const { key: session } = await posthorn.keys.openSession(key)
  const [delivery] = await posthorn.deliveries.list()
  const job = await posthorn.jobs.create({ action: 'requeue', filter: { endpointId: endpoint.id } }, { by: secret })
  const values: Readonly<Record<string, string>> = {
    app_id: 'acme',
    alarm_id: 'alm_0123456789abcdefghj',
    endpoint_id: endpoint.id,
    msg_id: messageId,
    event_type_name: 'invoice.paid',
    version: '1',
    attempt_id: 'atmpt_0123456789abcdefghj000001',
    key_id: key.id,
    session_id: session.id,
    task_id: 'job_0123456789abcdefghj',
    delivery_id: delivery?.id ?? '',
    job_id: job.id,
  }
  return {
    world,
    async callAll(table, token, params = {}) {
      const replies: { operation: Operation; reply: Reply }[] = []
      for (const operation of table) {
        const path = operation.path.replaceAll(
          /\{(\w+)\}/g,
          (_, name: string) => params[name] ?? values[name] ?? unknownParameter(operation, name),
        )
        const reply = await world.call(operation.method.toUpperCase(), path, {
          token,
          ...(operation.body !== undefined && { body: bodyFor(operation) }),
        })
        expect(statusesOf(operation), operation.id).toContain(reply.status)
        replies.push({ operation, reply })
      }
      return replies
    },
  }
}

const { paths } = openApi(operations, '') as {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>
}

/** Every status that the description says can occur. */
function statusesOf({ path, method }: Operation): number[] {
  return Object.keys(paths[path]?.[method]?.responses ?? {}).map(Number)
}

function unknownParameter({ id }: Operation, name: string): never {
  throw new Error(`${id} has a parameter {${name}} that this test has no value for: give it one.`)
}

/** Of all that any operation needs what this one knows. */
function bodyFor({ id, body }: Operation): unknown {
  const url = 'https://acme.example/other'
  if (id.includes('headers')) return { headers: { 'x-a': 'b' } }
  if (id === 'v1.job.create') return { action: 'cancel', filter: { application: 'acme' } }
  if (id === 'v1.session.open') return { key: 'phk_nobody' }
  const all = {
    name: 'a.b',
    description: 'x',
    url,
    eventType: 'invoice.paid',
    payload: { a: 1 },
    since: '2026-01-01T00:00:00Z',
  }
  const known = body === undefined ? null : fieldsOf(body)
  return Object.fromEntries(Object.entries(all).filter(([name]) => known?.names.has(name)))
}

/** Everything that a caller could have changed. */
async function snapshot({ world: { posthorn } }: Scene): Promise<unknown> {
  const { id: applicationId } = await posthorn.applications.get('acme')
  return {
    applications: await posthorn.applications.list(),
    endpoints: await posthorn.endpoints.list(),
    eventTypes: await posthorn.eventTypes.list({ archived: true }),
    messages: await posthorn.messages.list({ applicationId }),
    deliveries: await posthorn.deliveries.list(),
    jobs: await posthorn.jobs.list(),
    // The tests make keys themselves, and leave with them; those that a caller made or ended are seen among the admins.
    audit: (await posthorn.audit()).filter(({ action }) => !/^(key|portal)\./.test(action)),
    admins: (await posthorn.keys.list()).filter(({ name }) => name !== 'of a test').map(({ id }) => id),
  }
}
