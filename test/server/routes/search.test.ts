import { describe, expect, test } from 'vitest'
import { databases } from '../world.ts'
import { fieldsIn, routesWorld } from './world.ts'
import type { RoutesWorld } from './world.ts'

describe.each(databases)('the search on %s', (database) => {
  test('finds each kind by what people know of it', async () => {
    const world = await routesWorld(database)
    const { id } = await world.message()
    await world.ask(201, 'POST', '/event-type', { name: 'invoice.paid', description: 'Paid' })
    expect(await kindsOf(world, '?text=acme')).toEqual(['application', 'endpoint', 'endpoint'])
    expect(await kindsOf(world, '?text=acme&kind=application')).toEqual(['application'])
    expect(await kindsOf(world, '?kind=endpoint&kind=event-type&limit=1')).toEqual(['endpoint', 'event-type'])
    expect(await kindsOf(world, '?kind=endpoint&application=other')).toEqual(['endpoint'])
    expect(await kindsOf(world, `?text=${String(id).slice(0, 12)}`)).toEqual(['message'])
    expect(await kindsOf(world, '?text=dlv_')).toEqual(['delivery'])
    expect(await kindsOf(world, '?text=paid')).toEqual(['event-type'])
    expect(await world.ask(200, 'GET', '/search?text=hooks&kind=endpoint&application=acme')).toMatchObject({
      data: [{ kind: 'endpoint', id: world.endpointId, uid: 'hooks', applicationName: 'Acme', status: 'active' }],
    })
  })

  test('finds messages by the whole event id or idempotency key, if nothing else is called so', async () => {
    const world = await routesWorld(database)
    const { id } = await world.message({ eventId: 'Order-42' })
    expect(await world.ask(200, 'GET', '/search?text=%20Order-42')).toMatchObject({
      data: [{ kind: 'message', id, uid: 'Order-42', name: 'invoice.paid', applicationName: 'Acme', status: null }],
    })
    expect(await kindsOf(world, '?text=Order-42&application=acme')).toEqual(['message'])
    expect(await kindsOf(world, '?text=Order-42&application=other')).toEqual([])
    expect(await kindsOf(world, '?text=Order-4')).toEqual([])
    expect(await kindsOf(world, '?text=Order-42&kind=endpoint')).toEqual([])
    await world.ask(200, 'PATCH', `/app/acme/endpoint/${world.endpointId}`, { description: 'For order-42 and others' })
    expect(await kindsOf(world, '?text=Order-42')).toEqual(['endpoint'])
  })

  test('says what it cannot read', async () => {
    const world = await routesWorld(database)
    expect(fieldsIn(await world.ask(422, 'GET', '/search?kind=anything'))).toEqual(['query.kind'])
    expect(fieldsIn(await world.ask(422, 'GET', '/search?limit=51'))).toEqual(['query.limit'])
    expect(fieldsIn(await world.ask(422, 'GET', `/search?text=${'a'.repeat(201)}`))).toEqual(['query.text'])
    expect(await world.ask(404, 'GET', '/search?application=nobody')).toMatchObject({ code: 'not_found' })
  })

  test('shows nobody what they may not see', async () => {
    const world = await routesWorld(database)
    const tenant = await world.token({ application: 'acme' })
    await world.ask(403, 'GET', '/search', undefined, { token: tenant })
    await world.ask(201, 'POST', '/app/acme/endpoint', { url: 'https://crm.example/in?token=s3cret' })
    const reader = { token: await world.token({ access: 'read' }) }
    // The value is masked, and cannot be guessed letter by letter either.
    expect(await world.ask(200, 'GET', '/search?text=s3c', undefined, reader)).toEqual({ data: [] })
    expect(await world.ask(200, 'GET', '/search?text=crm.example', undefined, reader)).toMatchObject({
      data: [{ url: 'https://crm.example/in?token=***' }],
    })
    expect(await kindsOf(world, '?text=s3c')).toEqual(['endpoint'])
  })
})

describe.each(databases)('the counts on %s', (database) => {
  test('are of each status that is not ordinary, by the filters that are given', async () => {
    const world = await routesWorld(database)
    await world.message()
    await world.message({ eventType: 'invoice.voided' })
    const counts = async (query: string): Promise<unknown> =>
      (await world.ask(200, 'GET', `/delivery-count${query}`))['data']
    const none = [
      { status: 'failed', count: 0, atLeast: false },
      { status: 'dead', count: 0, atLeast: false },
    ]
    expect(await counts('')).toEqual([{ status: 'pending', count: 2, atLeast: false }, ...none])
    expect(await counts('?event_type=invoice.paid')).toEqual([{ status: 'pending', count: 1, atLeast: false }, ...none])
    expect(await counts('?application=other')).toEqual([{ status: 'pending', count: 0, atLeast: false }, ...none])
    const tenant = { token: await world.token({ application: 'other' }) }
    expect((await world.ask(200, 'GET', '/delivery-count', undefined, tenant))['data']).toEqual([
      { status: 'pending', count: 0, atLeast: false },
      ...none,
    ])
  })
})

async function kindsOf(world: RoutesWorld, query: string): Promise<unknown[]> {
  const { data } = await world.ask(200, 'GET', `/search${query}`)
  return (data as { kind: string }[]).map(({ kind }) => kind)
}
