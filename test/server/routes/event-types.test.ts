import { describe, expect, test } from 'vitest'
import { databases } from '../world.ts'
import { fieldsIn, routesWorld } from './world.ts'

const schemas = { 1: { type: 'object' } }

describe.each(databases)('event types over HTTP on %s', (database) => {
  test('are made, shown, set, changed, archived and deleted', async () => {
    const { ask } = await routesWorld(database)
    const made = await ask(201, 'POST', '/event-type', {
      name: 'invoice.paid',
      description: 'Paid',
      schemas,
      featureFlag: 'beta',
    })
    expect(made).toMatchObject({
      name: 'invoice.paid',
      description: 'Paid',
      schemas,
      archived: false,
      deprecated: false,
      featureFlag: 'beta',
    })
    expect(await ask(200, 'GET', '/event-type/invoice.paid')).toEqual(made)
    expect(await ask(200, 'PATCH', '/event-type/invoice.paid', { deprecated: true })).toMatchObject({
      deprecated: true,
      schemas,
      featureFlag: 'beta',
    })
    expect(await ask(200, 'PATCH', '/event-type/invoice.paid', { featureFlag: null })).toMatchObject({
      schemas,
      featureFlag: null,
    })
    expect(await ask(200, 'PUT', '/event-type/invoice.paid', { description: 'Set' })).toMatchObject({
      description: 'Set',
      schemas: null,
      deprecated: false,
    })
    expect(await ask(201, 'PUT', '/event-type/order.sent', { description: 'Made', schemas })).toMatchObject({
      name: 'order.sent',
      schemas,
    })
    expect(await ask(204, 'DELETE', '/event-type/order.sent')).toBeNull()
    expect(await ask(200, 'GET', '/event-type/order.sent')).toMatchObject({ archived: true })
    await ask(204, 'DELETE', '/event-type/order.sent?expunge=true')
    await ask(404, 'GET', '/event-type/order.sent')
  })

  test('are brought back from the archive by making them again', async () => {
    const { ask } = await routesWorld(database)
    await ask(201, 'POST', '/event-type', { name: 'a', description: 'one' })
    expect(await ask(409, 'POST', '/event-type', { name: 'a', description: 'two' })).toMatchObject({
      code: 'already_exists',
    })
    await ask(204, 'DELETE', '/event-type/a')
    expect(await ask(201, 'POST', '/event-type', { name: 'a', description: 'two' })).toMatchObject({
      description: 'two',
      archived: false,
    })
  })

  test('are listed by name, without schemas and archived ones unless asked for', async () => {
    const { ask } = await routesWorld(database)
    for (const name of ['b', 'a', 'B', '-a', 'c.d'])
      await ask(201, 'POST', '/event-type', { name, description: name, schemas, archived: name === 'c.d' })
    const all = await ask(200, 'GET', '/event-type')
    expect(namesOf(all)).toEqual(['-a', 'B', 'a', 'b'])
    expect((all['data'] as unknown[])[0]).toMatchObject({ schemas: null })
    const withAll = await ask(200, 'GET', '/event-type?include_archived=true&with_content=true&order=descending')
    expect(namesOf(withAll)).toEqual(['c.d', 'b', 'a', 'B', '-a'])
    expect((withAll['data'] as unknown[])[0]).toMatchObject({ schemas })

    const seen: unknown[] = []
    for (let iterator = '', done = false; !done;) {
      const page = await ask(200, 'GET', `/event-type?limit=1${iterator}`)
      seen.push(...namesOf(page))
      iterator = `&iterator=${encodeURIComponent(String(page['iterator']))}`
      done = page['done'] as boolean
    }
    expect(seen).toEqual(['-a', 'B', 'a', 'b'])
    expect(fieldsIn(await ask(422, 'GET', '/event-type?iterator=%20&with_content=perhaps'))).toEqual([
      'query.iterator',
      'query.with_content',
    ])
  })

  test.each([
    [{ name: 'a' }, 'body.description'],
    [{ description: 'a' }, 'body.name'],
    [{ name: 'a b', description: '' }, 'body.name'],
    [{ name: 'a..b', description: '' }, 'body.name'],
    [{ name: 'a', description: 7 }, 'body.description'],
    [{ name: 'a', description: '', schemas: 7 }, 'body.schemas'],
    [{ name: 'a', description: '', archived: 'no' }, 'body.archived'],
    [{ name: 'a', description: '', featureFlag: 'no space' }, 'body.featureFlag'],
  ])('are refused with the field that is wrong: %j', async (body, field) => {
    const { ask } = await routesWorld(database)
    expect(fieldsIn(await ask(422, 'POST', '/event-type', body))).toEqual([field])
  })

  test('that are unknown are not found', async () => {
    const { ask } = await routesWorld(database)
    for (const method of ['GET', 'DELETE']) await ask(404, method, '/event-type/none')
    await ask(404, 'DELETE', '/event-type/none?expunge=true')
    await ask(404, 'PATCH', '/event-type/none', {})
    expect(fieldsIn(await ask(422, 'PUT', '/event-type/a%20b', { description: '' }))).toEqual(['body.name'])
  })

  test('are read, but not written, by the key of an application', async () => {
    const { ask, token } = await routesWorld(database)
    const key = await token({ application: 'acme' })
    await ask(200, 'GET', '/event-type', undefined, { token: key })
    await ask(403, 'POST', '/event-type', { name: 'a', description: '' }, { token: key })
  })
})

function namesOf({ data }: Record<string, unknown>): unknown[] {
  return (data as { name: string }[]).map(({ name }) => name)
}
