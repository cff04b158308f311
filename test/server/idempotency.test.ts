import { describe, expect, test } from 'vitest'
import { day, minute } from '../../src/core/time.ts'
import { makeGate } from '../engine/gate.ts'
import { databases, serverWorld } from './world.ts'
import type { Reply, ServerWorld } from './world.ts'

const headers = { 'idempotency-key': 'once' }

function make(world: ServerWorld, body: unknown = { name: 'Acme' }, token?: string): Promise<Reply> {
  return world.call('POST', '/api/v1/app', { body, headers, ...(token !== undefined && { token }) })
}

describe.each(databases)('an idempotency key on %s', (database) => {
  test('gives the first answer again, and does nothing', async () => {
    const world = await serverWorld({}, database)
    const first = await make(world)
    expect(first.status).toBe(201)
    expect(await make(world)).toMatchObject({ status: 201, body: first.body })
    expect(await world.posthorn.applications.list()).toHaveLength(1)
  })

  test('is refused for another body, another query, and only there', async () => {
    const world = await serverWorld({}, database)
    await make(world)
    expect(await make(world, { name: 'Other' })).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } })
    const elsewhere = await world.call('POST', '/api/v1/app?get_if_exists=true', { body: { name: 'Acme' }, headers })
    expect(elsewhere).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } })
    const otherPath = await world.call('POST', '/api/v1/event-type', {
      body: { name: 'a.b', description: '' },
      headers,
    })
    expect(otherPath.status).toBe(201)
  })

  test('is another one under another caller', async () => {
    const world = await serverWorld({}, database)
    await make(world)
    expect(await make(world, { name: 'Other' }, await world.token())).toMatchObject({
      status: 201,
      body: { name: 'Other' },
    })
  })

  test('is forgotten after a day', async () => {
    const world = await serverWorld({}, database)
    const first = await make(world)
    await world.clock.advance(day - 1)
    expect(await make(world)).toMatchObject({ status: 201, body: first.body })
    await world.clock.advance(1)
    expect(await make(world, { name: 'Other' })).toMatchObject({ status: 201, body: { name: 'Other' } })
  })

  test('lets one of many do it, and tells the others that it is under way', async () => {
    const world = await serverWorld({}, database)
    const [reached, gate] = [makeGate(), makeGate()]
    const create = world.posthorn.applications.create
    world.posthorn.applications.create = async (input) => {
      reached.open()
      await gate.opened
      return create(input)
    }
    const first = make(world)
    await reached.opened
    expect(await make(world)).toMatchObject({ status: 409, body: { code: 'in_flight' } })
    gate.open()
    const { body } = await first
    expect(await make(world)).toMatchObject({ status: 201, body })
  })

  test('is free again when what it was for failed, or died on the way', async () => {
    const world = await serverWorld({}, database)
    const create = world.posthorn.applications.create
    world.posthorn.applications.create = () => Promise.reject(new Error('no'))
    expect(await make(world)).toMatchObject({ status: 500 })
    const reached = makeGate()
    world.posthorn.applications.create = () => {
      reached.open()
      return new Promise(() => undefined)
    }
    void make(world)
    await reached.opened
    world.posthorn.applications.create = create
    expect(await make(world)).toMatchObject({ status: 409, body: { code: 'in_flight' } })
    await world.clock.advance(minute)
    expect(await make(world)).toMatchObject({ status: 201 })
  })
})

test('what an answer holds that is secret is not kept: a repeat makes another', async () => {
  const world = await serverWorld()
  await world.posthorn.applications.create({ uid: 'acme' })
  for (const path of ['/api/v1/key', '/api/v1/auth/app-portal-access/acme']) {
    const [first, second] = [
      await world.call('POST', path, { body: { name: 'a' }, headers }),
      await world.call('POST', path, { body: { name: 'a' }, headers }),
    ]
    expect(first.status).toBe(second.status)
    expect((first.body as { token: string }).token).not.toBe((second.body as { token: string }).token)
  }
})

test.each(['a b', '~', 'x'.repeat(256)])('a key of %j is taken', async (key) => {
  const world = await serverWorld()
  const asked = { body: { name: 'a' }, headers: { 'idempotency-key': key } }
  const first = await world.call('POST', '/api/v1/app', asked)
  expect(first.status).toBe(201)
  expect((await world.call('POST', '/api/v1/app', asked)).body).toEqual(first.body)
})

test.each(['', 'a\tb', 'é', 'x'.repeat(257)])('a key of %j is refused', async (key) => {
  const world = await serverWorld()
  const reply = await world.call('POST', '/api/v1/app', { body: { name: 'a' }, headers: { 'idempotency-key': key } })
  expect(reply).toMatchObject({ status: 422, body: { detail: [{ loc: ['header', 'idempotency-key'] }] } })
  expect(await world.posthorn.applications.list()).toEqual([])
})
