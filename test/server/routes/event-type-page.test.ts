import { describe, expect, test } from 'vitest'
import { databases } from '../world.ts'
import { fieldsIn, routesWorld } from './world.ts'

const check = '/event-type/check-schema'
const one = { type: 'object', required: ['total'], properties: { total: { type: 'number' } } }

describe.each(databases)('event types for those who write them, on %s', (database) => {
  test('are listed with their versions, by text and by whether they are archived, page by page', async () => {
    const { ask } = await routesWorld(database)
    const make = (name: string, more: object) => ask(201, 'POST', '/event-type', { name, description: name, ...more })
    await make('invoice.paid', { schemas: { 1: one, 2: one } })
    await make('invoice.sent', { description: 'Leaves the house', featureFlag: 'beta' })
    await make('order.made', { archived: true, deprecated: true })
    const names = async (query: string): Promise<string[]> => {
      const { data } = (await ask(200, 'GET', `/event-type-overview${query}`)) as { data: { name: string }[] }
      return data.map(({ name }) => name)
    }
    expect(await names('')).toEqual(['invoice.paid', 'invoice.sent', 'order.made'])
    expect(await names('?archived=false')).toEqual(['invoice.paid', 'invoice.sent'])
    expect(await names('?archived=true')).toEqual(['order.made'])
    expect(await names('?text=HOUSE')).toEqual(['invoice.sent'])
    expect(await names('?text=invoice&archived=true')).toEqual([])
    const first = await ask(200, 'GET', '/event-type-overview?limit=1')
    expect(first).toMatchObject({ done: false, data: [{ name: 'invoice.paid', versions: 2, featureFlag: null }] })
    expect(first['data']).not.toHaveProperty('0.schemas')
    expect(await names(`?limit=1&iterator=${String(first['iterator'])}`)).toEqual(['invoice.sent'])
    expect((await ask(200, 'GET', '/event-type-overview?text=order'))['data']).toMatchObject([
      { versions: 0, archived: true, deprecated: true },
    ])
    expect(fieldsIn(await ask(422, 'GET', '/event-type-overview?archived=maybe'))).toEqual(['query.archived'])
  })

  test('set one version and leave the others; who was slower learns of it, and changes nothing', async () => {
    const { ask, posthorn } = await routesWorld(database)
    await ask(201, 'POST', '/event-type', { name: 'a', description: '', schemas: { 1: one } })
    const two = { ...one, title: 'two' }
    expect(await ask(200, 'PUT', at('2'), { schema: two, was: null })).toMatchObject({ schemas: { 1: one, 2: two } })
    const late = await ask(409, 'PUT', at('2'), { schema: true, was: null })
    expect(late).toMatchObject({
      code: 'wrong_state',
      detail: expect.stringMatching(/^Expected version 2 of the schema to be as it was read, got one that was changed/),
    })
    expect(await ask(409, 'PUT', at('7'), { schema: true, was: one })).toMatchObject({
      detail: expect.stringContaining('got none of that version'),
    })
    expect(await ask(200, 'PUT', at('v 3/a'), { schema: true })).toMatchObject({ schemas: { 'v 3/a': true } })
    expect(await ask(200, 'PUT', at('v 3/a'), { schema: null })).toMatchObject({ schemas: { 1: one, 2: two } })
    const bad = { schema: { properties: { total: { type: 'text' } } } }
    const refused = await ask(422, 'PUT', at('2'), bad)
    expect(fieldsIn(refused)).toEqual(['body.schema'])
    expect(JSON.stringify(refused)).toContain('#/properties/total/type')
    expect(fieldsIn(await ask(422, 'PUT', at('2'), {}))).toEqual(['body.schema'])
    await ask(404, 'PUT', '/event-type/none/schema/1', { schema: true })
    expect(await ask(200, 'GET', '/event-type/a')).toMatchObject({ schemas: { 1: one, 2: two } })
    const actions = (await posthorn.audit()).filter(({ target }) => target === 'a').map(({ action }) => action)
    expect(actions.filter((action) => action === 'event-type.update')).toHaveLength(3)
  })

  test('are for operators only', async () => {
    const world = await routesWorld(database)
    await world.ask(201, 'POST', '/event-type', { name: 'a', description: '' })
    const { token: portal } = await world.ask(200, 'POST', '/auth/app-portal-access/acme', {})
    const reader = await world.token({ access: 'read' })
    for (const token of [String(portal), await world.token({ application: 'acme' }), reader]) {
      await world.ask(403, 'POST', check, { schema: true }, { token })
      await world.ask(403, 'PUT', '/event-type/a/schema/1', { schema: true }, { token })
      await world.ask(token === reader ? 200 : 403, 'GET', '/event-type-overview', undefined, { token })
    }
  })
})

describe('a schema that is checked before it is saved', () => {
  test.each<[string, unknown, string, string]>([
    ['is no object', [], '#', 'It is array, and must be object or boolean.'],
    ['is text', 'object', '#', 'It is string, and must be object or boolean.'],
    [
      'has an unknown type',
      { properties: { 'a/b': { type: 'text' } } },
      '#/properties/a~1b/type',
      'It must be one of "array"',
    ],
    ['has an unknown type in a list', { type: ['string', 'text'] }, '#/type/1', 'It must be one of "array"'],
    ['has items that are none', { items: 7 }, '#/items', 'It is number, and must be object or boolean.'],
    ['requires what is no name', { required: 'total' }, '#/required', 'It is string, and must be array.'],
    ['refers to nothing', { items: { $ref: '#/$defs/a' } }, '#/items/$ref', 'a reference to #/$defs/a'],
    ['refers to what is no URL', { $ref: 'http://[' }, '#/$ref', 'a reference to http://['],
    ['refers to what cannot be decoded', { $ref: '#/%E0%A4%A' }, '#/$ref', 'a reference to #/%E0%A4%A'],
    ['has an id that is no URL', { $id: 'http://[' }, '#/$id', 'http://[ is no URL'],
    [
      'has a pattern that is none',
      { properties: { a: { pattern: '(' } } },
      '#/properties/a/pattern',
      'Invalid regular expression',
    ],
    [
      'has such a pattern of names',
      { patternProperties: { '/(': true } },
      '#/patternProperties/~1(',
      'Invalid regular',
    ],
    ['is too long', { title: 'x'.repeat(300_000) }, '', 'more than 262144'],
  ])('and %s is told what is wrong, and where', async (_, schema, pointer, message) => {
    const { ask } = await routesWorld('sqlite')
    expect(await ask(200, 'POST', check, { schema, example: {} })).toEqual({
      problem: { pointer, message: expect.stringContaining(message) },
      exampleProblem: null,
    })
  })

  test('comes with an example that is checked by it; nothing is stored', async () => {
    const { ask } = await routesWorld('sqlite')
    const fine = { problem: null, exampleProblem: null }
    expect(await ask(200, 'POST', check, { schema: one })).toEqual(fine)
    expect(await ask(200, 'POST', check, { schema: one, example: { total: 7 } })).toEqual(fine)
    expect(await ask(200, 'POST', check, { schema: true, example: null })).toEqual(fine)
    expect(await ask(200, 'POST', check, { schema: one, example: { total: '7' } })).toEqual({
      problem: null,
      exampleProblem: { pointer: '#/total', message: 'It is string, and must be number.' },
    })
    expect(await ask(200, 'POST', check, { schema: { type: 'object' }, example: null })).toMatchObject({
      exampleProblem: { pointer: '#' },
    })
    const circle = { $ref: '#' }
    expect(await ask(200, 'POST', check, { schema: circle, example: {} })).toEqual({
      problem: null,
      exampleProblem: { pointer: '', message: expect.stringContaining('the schema cannot be applied') },
    })
    expect(await ask(422, 'POST', check, {})).toMatchObject({
      detail: [{ loc: ['body', 'schema'], msg: 'Expected `schema` to be given, got nothing.' }],
    })
    expect(fieldsIn(await ask(422, 'POST', check, { schema: true, other: 1 }))).toEqual(['body.other'])
    expect((await ask(200, 'GET', '/event-type-overview'))['data']).toEqual([])
  })
})

function at(version: string): string {
  return `/event-type/a/schema/${encodeURIComponent(version)}`
}
