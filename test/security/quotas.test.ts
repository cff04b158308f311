import { describe, expect, test } from 'vitest'
import { databases, serverWorld } from '../server/world.ts'
import type { Reply, ServerWorld } from '../server/world.ts'
import { defence } from './defence.ts'

function create({ call }: ServerWorld, application: string, body: object = {}): Promise<Reply> {
  return call('POST', `/api/v1/app/${application}/endpoint`, { body: { url: 'https://a.example/hooks', ...body } })
}

/** A filter of so many characters. */
function filterOf(size: number): object {
  const empty = { path: 'data.name', equals: '' }
  return { ...empty, equals: 'x'.repeat(size - JSON.stringify(empty).length) }
}

function send({ call }: ServerWorld, application: string): Promise<Reply> {
  return call('POST', `/api/v1/app/${application}/msg`, { body: { eventType: 'a', payload: {} } })
}

async function worldWith(
  quotas: { endpointsPerApplication?: number; filterSizePerApplication?: number; perSecond?: number },
  database: 'sqlite' | 'postgres' = 'sqlite',
): Promise<ServerWorld> {
  const { perSecond = 0, ...others } = quotas
  const options = { rateLimitPerSecond: 0, messagesPerSecondPerApplication: perSecond }
  const world = await serverWorld(options, database, others)
  for (const uid of ['acme', 'other']) await world.posthorn.applications.create({ uid })
  return world
}

describe('an application has no more than its quota', () => {
  defence('of endpoints, also if it asks for many at once', async (isOn) => {
    const world = await worldWith({ endpointsPerApplication: isOn ? 5 : 0 })
    const token = await world.token({ application: 'acme', portal: { featureFlags: [] } })
    const tries = await Promise.all(
      Array.from({ length: 20 }, () =>
        world.call('POST', '/api/v1/app/acme/endpoint', { token, body: { url: 'https://a.example/hooks' } }),
      ),
    )
    expect((await create(world, 'other')).status).toBe(201)
    return tries.filter(({ status }) => status === 201).length > 5
  })

  defence('of payload filters, whichever endpoints they are of', async (isOn) => {
    const world = await worldWith({ filterSizePerApplication: isOn ? 500 : 0 })
    const tries = await Promise.all(Array.from({ length: 10 }, () => create(world, 'acme', { filter: filterOf(100) })))
    expect((await create(world, 'other', { filter: filterOf(100) })).status).toBe(201)
    return tries.filter(({ status }) => status === 201).length > 5
  })

  defence('of messages per second', async (isOn) => {
    const world = await worldWith({ perSecond: isOn ? 5 : 0 })
    const tries = await Promise.all(Array.from({ length: 10 }, () => send(world, 'acme')))
    expect((await send(world, 'other')).status).toBe(202)
    return tries.filter(({ status }) => status === 202).length > 5
  })
})

describe.each(databases)('a quota on %s', (database) => {
  test('of endpoints is named by what refuses one more; one that is deleted makes way', async () => {
    const world = await worldWith({ endpointsPerApplication: 2 }, database)
    const first = await create(world, 'acme')
    expect([first.status, (await create(world, 'acme')).status]).toEqual([201, 201])
    expect(await create(world, 'acme')).toMatchObject({
      status: 409,
      body: {
        code: 'quota_exceeded',
        detail:
          'Expected an application to have at most 2 endpoints (`POSTHORN_ENDPOINTS_PER_APPLICATION`), got more. Delete one that is not needed, or raise the quota.',
      },
    })
    const { id } = first.body as { id: string }
    await world.call('DELETE', `/api/v1/app/acme/endpoint/${id}`)
    expect((await create(world, 'acme')).status).toBe(201)
  })

  test('of filters counts what an update makes longer, and never what it makes shorter', async () => {
    const { posthorn } = await worldWith({ filterSizePerApplication: 300 }, database)
    const [one, other] = [
      await posthorn.endpoints.create({
        application: 'acme',
        url: 'https://a.example/',
        filter: filterOf(150) as never,
      }),
      await posthorn.endpoints.create({
        application: 'acme',
        url: 'https://a.example/',
        filter: filterOf(150) as never,
      }),
    ]
    await expect(posthorn.endpoints.update(one.id, { filter: filterOf(151) as never })).rejects.toMatchObject({
      code: 'quota_exceeded',
      message: expect.stringContaining(
        'at most 300 characters of payload filters in total (`filterSizePerApplication`)',
      ),
    })
    await posthorn.endpoints.update(one.id, { description: 'no filter is changed' })
    await posthorn.endpoints.update(other.id, { filter: filterOf(100) as never })
    await posthorn.endpoints.update(one.id, { filter: filterOf(200) as never })
    await posthorn.endpoints.update(one.id, { filter: null })
    expect((await posthorn.endpoints.get(one.id)).filter).toBeNull()
  })

  test('of messages per second says when to go on, and leaves the library alone', async () => {
    const world = await worldWith({ perSecond: 2 }, database)
    expect([(await send(world, 'acme')).status, (await send(world, 'acme')).status]).toEqual([202, 202])
    const refused = await send(world, 'acme')
    expect(refused).toMatchObject({
      status: 429,
      body: {
        code: 'quota_exceeded',
        detail: expect.stringContaining('2 messages per second (POSTHORN_MESSAGES_PER_SECOND_PER_APPLICATION)'),
      },
    })
    expect(refused.headers.get('retry-after')).toBe('1')
    await world.posthorn.send({ application: 'acme', type: 'a', data: {} })
    await world.clock.advance(1_000)
    expect((await send(world, 'acme')).status).toBe(202)
  })
})

test.each([
  ['endpointsPerApplication', -1],
  ['filterSizePerApplication', 1.5],
])('a quota that is none is refused: %s of %d', async (name, value) => {
  await expect(serverWorld({}, 'sqlite', { [name]: value })).rejects.toThrow(
    `Expected \`${name}\` to be a whole number`,
  )
})
