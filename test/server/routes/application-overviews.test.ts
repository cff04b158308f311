import { describe, expect, test } from 'vitest'
import { hour, minute } from '../../../src/core/time.ts'
import { databases } from '../world.ts'
import { fieldsIn, routesWorld } from './world.ts'
import type { Body } from './world.ts'

const all = { healthy: 0, degraded: 0, breaker_open: 0, paused: 0, disabled: 0 }

describe.each(databases)('applications for operators, on %s', (database) => {
  test('are listed newest first, with how their endpoints are doing', async () => {
    const { ask, posthorn, endpointId, message } = await routesWorld(database)
    await ask(201, 'POST', '/app', { name: 'Idle' })
    const second = await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/two' })
    await posthorn.endpoints.pause(second.id)
    await posthorn.endpoints.pause(endpointId)
    await message()
    expect(await ask(200, 'GET', '/application')).toMatchObject({
      done: true,
      data: [
        { name: 'Idle', endpoints: 0, health: all, backlog: 0, lastSuccessAt: null, partial: false },
        { uid: 'other', endpoints: 1, health: { ...all, healthy: 1 }, backlog: 0 },
        { uid: 'acme', endpoints: 2, health: { ...all, paused: 2 }, backlog: 2, backlogAtLeast: false },
      ],
    })
  })

  test('have the traffic of all their endpoints together, hour by hour', async () => {
    const { ask, posthorn, clock, message } = await routesWorld(database, true)
    await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/two' })
    await message()
    await clock.advance(minute)
    const acme = await ask(200, 'GET', '/application/acme')
    const hours = acme['hours'] as { delivered: number }[]
    expect(hours).toHaveLength(24)
    expect(hours.reduce((sum, { delivered }) => sum + delivered, 0)).toBe(2)
    expect(acme).toMatchObject({ endpoints: 2, backlog: 0, lastSuccessAt: expect.any(String) })
    await clock.leap(25 * hour)
    const later = (await ask(200, 'GET', '/application/acme'))['hours'] as { delivered: number }[]
    expect(later.every(({ delivered }) => delivered === 0)).toBe(true)
  })

  test('are found by part of their name, uid or id, page by page', async () => {
    const { ask } = await routesWorld(database)
    for (const name of ['Umbrella', 'Umbra', 'Penumbra']) await ask(201, 'POST', '/app', { name })
    const named = async (query: string): Promise<unknown[]> => namesIn(await ask(200, 'GET', `/application?${query}`))
    expect(await named('text=UMBR')).toEqual(['Penumbra', 'Umbra', 'Umbrella'])
    const first = await ask(200, 'GET', '/application?text=umbr&limit=2')
    expect(first).toMatchObject({ done: false })
    expect(await named(`text=umbr&limit=2&iterator=${String(first['iterator'])}`)).toEqual(['Umbrella'])
    expect(await named('text=acm')).toEqual(['Acme'])
    const { id } = await ask(200, 'GET', '/app/other')
    expect(await named(`text=${String(id)}`)).toEqual(['Other'])
    expect(await named('text=%25')).toEqual([])
    expect(fieldsIn(await ask(422, 'GET', `/application?text=${'x'.repeat(201)}&limit=0`))).toEqual([
      'query.limit',
      'query.text',
    ])
  })

  test('with very many endpoints say that the figures are of some of them', async () => {
    const { ask, posthorn } = await routesWorld(database, false, {}, { endpointsPerApplication: 0 })
    await Promise.all(
      Array.from({ length: 100 }, (_, index) =>
        posthorn.endpoints.create({ application: 'acme', url: `https://acme.example/${index}` }),
      ),
    )
    const { data } = await ask(200, 'GET', '/application?text=acme')
    expect(data).toMatchObject([{ endpoints: 101, health: { ...all, healthy: 100 }, partial: true }])
    expect(await ask(200, 'GET', '/application/acme')).toMatchObject({
      endpoints: 101,
      health: { ...all, healthy: 101 },
      partial: false,
    })
  })

  test('that do not exist are not found; a customer sees neither list nor page', async () => {
    const { ask, token } = await routesWorld(database)
    await ask(404, 'GET', '/application/nobody')
    const asked = { token: await token({ application: 'acme' }) }
    await ask(403, 'GET', '/application', undefined, asked)
    await ask(403, 'GET', '/application/acme', undefined, asked)
  })

  test('say what an erasure would erase, and keep it', async () => {
    const { ask, message } = await routesWorld(database)
    await message()
    await message()
    const dryRun = { dryRun: true }
    expect(await ask(200, 'POST', '/app/acme/erase', dryRun)).toEqual({ endpoints: 1, messages: 2, deliveries: 2 })
    expect(await ask(200, 'POST', '/app/other/erase', dryRun)).toEqual({ endpoints: 1, messages: 0, deliveries: 0 })
    await ask(404, 'POST', '/app/nobody/erase', dryRun)
    expect(await ask(200, 'GET', '/application/acme')).toMatchObject({ endpoints: 1 })
    expect(await ask(202, 'POST', '/app/acme/erase', { reason: 'asked' })).toMatchObject({ action: 'erase' })
    await ask(404, 'POST', '/app/acme/erase', dryRun)
  })
})

function namesIn({ data }: Body): unknown[] {
  return (data as { name: string }[]).map(({ name }) => name)
}
