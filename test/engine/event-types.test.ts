import { describe, expect, test } from 'vitest'
import { refusal } from './refusal.ts'
import { stores, worldOn } from './stores.ts'
import { engineWorld } from './world.ts'

const invoice = {
  type: 'object',
  properties: { id: { type: 'integer' }, lines: { type: 'array', items: { $ref: '#/$defs/line' } } },
  required: ['id'],
  $defs: { line: { type: 'object', properties: { sku: { type: 'string', pattern: '^[a-z]+$' } }, required: ['sku'] } },
}

describe.each(stores)('event types on $name', (kind) => {
  test('are made, read, changed and deleted by name', async () => {
    const { posthorn, clock } = await worldOn(kind)
    const { eventTypes } = posthorn
    const made = await eventTypes.create({
      name: 'invoice.paid',
      description: 'Somebody has paid.',
      schemas: { 1: invoice },
    })
    const times = { createdAt: clock.now(), updatedAt: clock.now() }
    expect(made).toEqual({
      name: 'invoice.paid',
      description: 'Somebody has paid.',
      schemas: { 1: invoice },
      archived: false,
      deprecated: false,
      featureFlag: null,
      ...times,
    })
    expect(await eventTypes.get('invoice.paid')).toEqual(made)
    await clock.advance(1)
    const changed = await eventTypes.update('invoice.paid', { archived: true, featureFlag: 'beta' })
    expect(changed).toEqual({ ...made, archived: true, featureFlag: 'beta', updatedAt: clock.now() })
    const other = await eventTypes.create({ name: 'a', description: '' })
    expect(await eventTypes.list()).toEqual([other])
    expect(await eventTypes.list({ archived: true })).toEqual([other, changed])
    expect(await refusal(() => eventTypes.create({ name: 'a', description: '' }))).toMatchObject({
      code: 'already_exists',
    })
    await eventTypes.delete('a')
    expect(await refusal(() => eventTypes.get('a'))).toMatchObject({ code: 'not_found' })
    expect(await refusal(() => eventTypes.delete('a'))).toMatchObject({ code: 'not_found' })
    expect(await refusal(() => eventTypes.update('a', {}))).toMatchObject({ code: 'not_found' })
  })

  test('hold messages to their newest schema, if that is switched on', async () => {
    const { posthorn, store } = await worldOn(kind, { enforceSchemas: true })
    await posthorn.eventTypes.create({ name: 'invoice.paid', description: '', schemas: { 9: false, 10: invoice } })
    await posthorn.eventTypes.create({ name: 'no.schema', description: '' })
    const good = { id: 7, lines: [{ sku: 'abc' }] }
    for (const content of [{ data: good }, { payload: JSON.stringify(good) }])
      await posthorn.send({ application: 'acme', type: 'invoice.paid', ...content })
    await posthorn.send({ application: 'acme', type: 'no.schema', data: 'anything' })
    await posthorn.send({ application: 'acme', type: 'undefined.type', payload: 'anything' })
    const stored = (): number => store.calls.filter(({ method }) => method === 'enqueue').length
    const before = stored()

    const bad = { id: 7, lines: [{ sku: 'abc' }, { sku: '123' }] }
    for (const content of [{ data: bad }, { payload: JSON.stringify(bad) }]) {
      const error = await refusal(() => posthorn.send({ application: 'acme', type: 'invoice.paid', ...content }))
      expect(error).toMatchObject({ code: 'schema_mismatch', message: expect.stringContaining('#/lines/1/sku') })
    }
    const missing = await refusal(() => posthorn.send({ application: 'acme', type: 'invoice.paid', data: {} }))
    expect(missing).toMatchObject({
      code: 'schema_mismatch',
      message: expect.stringContaining('Expected `data` to be what the schema of invoice.paid allows'),
    })
    const text = await refusal(() => posthorn.send({ application: 'acme', type: 'invoice.paid', payload: 'no JSON' }))
    expect(text).toMatchObject({
      code: 'schema_mismatch',
      message: expect.stringContaining('Expected `payload` to be JSON'),
    })
    const batch = await refusal(() =>
      posthorn.send([
        { application: 'acme', type: 'invoice.paid', data: good },
        { application: 'acme', type: 'invoice.paid', data: bad },
      ]),
    )
    expect(batch).toMatchObject({ code: 'schema_mismatch' })
    expect(stored()).toBe(before)
  })
})

describe.each(stores)('versions of a schema on $name', (kind) => {
  test('are set one by one, and refused if another was faster', async () => {
    const { eventTypes } = (await worldOn(kind)).posthorn
    await eventTypes.create({ name: 'a', description: '', schemas: { 1: { type: 'object', title: 'one' } } })
    expect((await eventTypes.setSchema('a', { version: '2', schema: invoice, was: null })).schemas).toEqual({
      1: { type: 'object', title: 'one' },
      2: invoice,
    })
    // Whatever the order of its properties.
    const was = { title: 'one', type: 'object' }
    expect((await eventTypes.setSchema('a', { version: '1', schema: true, was })).schemas).toEqual({
      1: true,
      2: invoice,
    })
    for (const stale of [
      { version: '1', was },
      { version: '2', was: null },
      { version: '3', was: true },
    ]) {
      const error = await refusal(() => eventTypes.setSchema('a', { ...stale, schema: false }))
      expect(error).toMatchObject({ code: 'wrong_state', message: expect.stringContaining('as it was read') })
    }
    await eventTypes.setSchema('a', { version: '1', schema: null })
    expect((await eventTypes.setSchema('a', { version: '2', schema: null, was: invoice })).schemas).toBeNull()
    expect(await refusal(() => eventTypes.setSchema('b', { version: '1', schema: true }))).toMatchObject({
      code: 'not_found',
    })
  })
})

describe('one version', () => {
  test.each<[string, object, string]>([
    ['no schema', { version: '1' }, 'Expected `schema` to be a JSON Schema, or null'],
    [
      'one that is none',
      { version: '1', schema: { type: 'text' } },
      'Expected `schema` to be a JSON Schema, got "#/type: It must be one of',
    ],
    ['no name', { version: '', schema: true }, 'Expected `version`'],
    ['a name that is too long', { version: 'x'.repeat(65), schema: true }, 'Expected `version`'],
    ['the hundred-and-first', { version: '101', schema: true }, 'Expected `version` to be one of at most 100'],
  ])('may not be %s', async (_, change, words) => {
    const { posthorn } = engineWorld()
    const schemas = Object.fromEntries(Array.from({ length: 100 }, (_each, index) => [`${index + 1}`, true]))
    await posthorn.eventTypes.create({ name: 'a', description: '', schemas })
    const error = await refusal(() => posthorn.eventTypes.setSchema('a', change as never))
    expect(error.code).toBe('invalid_argument')
    expect(error.message).toContain(words)
  })
})

describe('schemas', () => {
  test('are not asked about unless that is switched on', async () => {
    const { posthorn, store } = engineWorld()
    await posthorn.eventTypes.create({ name: 'a', description: '', schemas: { 1: false } })
    await posthorn.send({ application: 'acme', type: 'a', data: 7 })
    expect(store.calls.map(({ method }) => method)).not.toContain('eventType')
  })

  test('are read once in five seconds; a change made here is seen at once', async () => {
    const world = engineWorld({ enforceSchemas: true })
    const { posthorn, clock, store } = world
    const other = world.second()
    const send = (by = posthorn): Promise<unknown> => by.send({ application: 'acme', type: 'a', data: 7 })
    await posthorn.eventTypes.create({ name: 'a', description: '', schemas: { 1: { type: 'integer' } } })
    for (let count = 0; count < 3; count += 1) await send()
    expect(store.calls.filter(({ method }) => method === 'eventType')).toHaveLength(1)
    await send(other)
    await posthorn.eventTypes.update('a', { schemas: { 1: { type: 'string' } } })
    expect(await refusal(() => send())).toMatchObject({ code: 'schema_mismatch' })
    await clock.advance(4_999)
    await send(other)
    await clock.advance(1)
    expect(await refusal(() => send(other))).toMatchObject({ code: 'schema_mismatch' })
    await posthorn.eventTypes.delete('a')
    await send()
  })

  test('see what leaves, and not what the caller has made of it since', async () => {
    const { posthorn } = engineWorld({ enforceSchemas: true })
    await posthorn.eventTypes.create({
      name: 'a',
      description: '',
      schemas: { 1: { type: 'object', properties: { at: { type: 'string' } }, required: ['at'] } },
    })
    const data: { at?: Date } = { at: new Date(0) }
    const sending = posthorn.send({ application: 'acme', type: 'a', data })
    delete data.at
    expect(await sending).toMatchObject({ id: expect.any(String) })
  })

  test.each<[string, unknown]>([
    ['true', true],
    ['an empty one', {}],
    [
      'one of draft 4',
      { $schema: 'http://json-schema.org/draft-04/schema#', type: 'integer', minimum: 1, exclusiveMinimum: true },
    ],
    [
      'one of draft 7',
      {
        $schema: 'http://json-schema.org/draft-07/schema#',
        definitions: { a: { type: 'string' } },
        properties: { a: { $ref: '#/definitions/a' } },
      },
    ],
    ['one that refers to itself', { properties: { child: { $ref: '#' } } }],
    [
      'one with keywords of others',
      { 'x-internal': { type: 'whatever' }, example: { id: 7 }, examples: [{ id: 7 }], default: {} },
    ],
  ])('may be %s', async (_, schema) => {
    const { posthorn } = engineWorld({ enforceSchemas: true })
    await posthorn.eventTypes.create({ name: 'a', description: '', schemas: { 1: schema } })
    expect(await posthorn.send({ application: 'acme', type: 'a', data: 7 })).toMatchObject({ id: expect.any(String) })
  })

  test.each<[string, unknown, string]>([
    ['text', 'object', 'schemas.1'],
    ['null', null, 'schemas.1'],
    ['a list', [], 'schemas.1'],
    ['one with an unknown type', { type: 'text' }, '#/type'],
    ['one with a misplaced type', { properties: { a: { type: 7 } } }, '#/properties/a/type'],
    ['one with properties that are none', { properties: ['a'] }, '#/properties'],
    ['one that requires a number', { required: [7] }, '#/required'],
    ['one with a pattern that is none', { properties: { a: { pattern: '(' } } }, 'Invalid regular expression'],
    ['one with a length below nothing', { minLength: -1 }, '#/minLength'],
    ['one with a reference to nothing', { properties: { a: { $ref: '#/$defs/a' } } }, 'a reference to #/$defs/a'],
    [
      'one with a reference elsewhere',
      { $ref: 'https://example.com/schema.json' },
      'a reference to https://example.com/schema.json',
    ],
    ['one that is too long', { description: 'x'.repeat(300_000) }, 'more than 262144'],
  ])('may not be %s', async (_, schema, place) => {
    const { posthorn } = engineWorld()
    const error = await refusal(() =>
      posthorn.eventTypes.create({ name: 'a', description: '', schemas: { 1: schema } }),
    )
    expect(error.code).toBe('invalid_argument')
    expect(error.message).toContain('Expected `schemas.1` to be a JSON Schema')
    expect(error.message).toContain(place)
  })

  test('that go round in circles refuse a message, and harm nothing else', async () => {
    const { posthorn } = engineWorld({ enforceSchemas: true })
    await posthorn.eventTypes.create({
      name: 'a',
      description: '',
      schemas: { 1: { properties: { a: { $ref: '#/properties/a' } } } },
    })
    const error = await refusal(() => posthorn.send({ application: 'acme', type: 'a', data: { a: 7 } }))
    expect(error).toMatchObject({
      code: 'schema_mismatch',
      message: expect.stringContaining('the schema cannot be applied'),
    })
    await posthorn.send({ application: 'acme', type: 'a', data: { b: 7 } })
  })
})

test.each<[string, object, string]>([
  ['a name with a space', { name: 'a b', description: '' }, '`name`'],
  ['a description that is none', { name: 'a', description: 7 }, '`description`'],
  ['schemas that are no table', { name: 'a', description: '', schemas: [] }, '`schemas`'],
  ['a flag that is none', { name: 'a', description: '', archived: 'yes' }, '`archived`'],
  ['a feature flag that is none', { name: 'a', description: '', featureFlag: 7 }, '`featureFlag`'],
])('an event type with %s is refused', async (_, input, place) => {
  const { posthorn } = engineWorld()
  expect((await refusal(() => posthorn.eventTypes.create(input as never))).message).toContain(`Expected ${place}`)
})
