import assert from 'node:assert/strict'
import type { EventTypeDefinition } from '../../../core/message/event-type.ts'
import { storeCase } from '../case.ts'
import { start } from '../world.ts'

export const eventTypeCases = [
  storeCase('an event type comes back as given, by name', async (world) => {
    const plain = anEventType('invoice.paid')
    const full = anEventType('order.made', {
      description: 'An "order", Zürich',
      schemas: { 1: { type: 'object', properties: { id: { type: 'integer' } } } },
      archived: true,
      deprecated: true,
      featureFlag: 'beta',
    })
    for (const eventType of [plain, full]) {
      assert.deepEqual(await world.directory.createEventType(eventType), eventType)
      assert.deepEqual(await world.directory.eventType(eventType.name), eventType)
    }
    assert.equal(await world.directory.eventType('order'), null)
  }),

  storeCase('there is one event type of a name, also if two make it at the same time', async (world) => {
    const both = await Promise.allSettled(
      ['one', 'two'].map((description) =>
        world.directory.createEventType(anEventType('invoice.paid', { description })),
      ),
    )
    assert.equal(both.filter(({ status }) => status === 'fulfilled').length, 1)
    await assert.rejects(world.directory.createEventType(anEventType('invoice.paid')), { code: 'already_exists' })
    const kept = await world.directory.eventType('invoice.paid')
    assert.equal(kept?.description, both[0]?.status === 'fulfilled' ? 'one' : 'two')
  }),

  storeCase(
    'event types are listed by name, either way round, page by page, archived ones if asked for',
    async (world) => {
      for (const name of ['b.two', 'a', 'b', 'B', 'b_x', 'old'])
        await world.directory.createEventType(anEventType(name, { archived: name === 'old' }))
      const names = ['B', 'a', 'b', 'b.two', 'b_x']
      const list = async (
        archived: boolean | 'only',
        after: string | null,
        limit: number,
        order?: 'descending',
      ): Promise<string[]> =>
        (await world.directory.listEventTypes({ archived }, { after, limit, order })).map(({ name }) => name)
      assert.deepEqual(await list(false, null, 10), names)
      assert.deepEqual(await list(true, null, 10), [...names, 'old'])
      assert.deepEqual(await list('only', null, 10), ['old'])
      assert.deepEqual(await list(false, 'a', 2), ['b', 'b.two'])
      assert.deepEqual(await list(false, 'b', 2, 'descending'), ['a', 'B'])
    },
  ),

  storeCase('event types are found by part of their name or description, whatever its case', async (world) => {
    const descriptions = { 'invoice.paid': 'Somebody has Paid', order_1: 'An order', 'order%': 'Österreich' }
    for (const [name, description] of Object.entries(descriptions))
      await world.directory.createEventType(anEventType(name, { description }))
    const found = async (text: string): Promise<string[]> =>
      (await world.directory.listEventTypes({ archived: true, text }, { after: null, limit: 10 })).map(
        ({ name }) => name,
      )
    assert.deepEqual(await found('VOICE'), ['invoice.paid'])
    assert.deepEqual(await found('has paid'), ['invoice.paid'])
    assert.deepEqual(await found('order'), ['order%', 'order_1'])
    assert.deepEqual(await found('_'), ['order_1'])
    assert.deepEqual(await found('Österreich'), ['order%'])
    assert.deepEqual(await found('%'), ['order%'])
    assert.deepEqual(await found(''), ['invoice.paid', 'order%', 'order_1'])
  }),

  storeCase(
    'one version of a schema is set on what is there, so that none of two at the same time is lost',
    async (world) => {
      await world.directory.createEventType(anEventType('invoice.paid'))
      const set = (version: string, schema: unknown, was?: unknown) =>
        world.directory.setEventTypeSchema('invoice.paid', { version, schema, was }, start + 5)
      const two = { type: 'object', required: ['id', 'total'] }
      await Promise.all([set('1', true), set('2', two), set('3', true)])
      const made = await world.directory.eventType('invoice.paid')
      assert.deepEqual(made?.schemas, { 1: true, 2: two, 3: true })
      await assert.rejects(set('2', true, { type: 'object', required: ['total', 'id'] }), { code: 'wrong_state' })
      await assert.rejects(set('4', true, true), { code: 'wrong_state' })
      assert.deepEqual(await world.directory.eventType('invoice.paid'), made)
      assert.deepEqual((await set('3', null, true))?.schemas, { 1: true, 2: two })
      assert.deepEqual((await set('2', false, { required: ['id', 'total'], type: 'object' }))?.schemas, {
        1: true,
        2: false,
      })
      assert.equal(await world.directory.setEventTypeSchema('order', { version: '1', schema: true }, start), null)
    },
  ),

  storeCase('an event type changes in what is given, and in nothing else', async (world) => {
    const made = await world.directory.createEventType(
      anEventType('invoice.paid', { schemas: { 1: true }, featureFlag: 'beta' }),
    )
    const changed = await world.directory.updateEventType(
      'invoice.paid',
      { description: 'new', featureFlag: null, archived: undefined as never },
      start + 5,
    )
    assert.deepEqual(changed, { ...made, description: 'new', featureFlag: null, updatedAt: start + 5 })
    assert.deepEqual(await world.directory.eventType('invoice.paid'), changed)
    assert.deepEqual(
      (await world.directory.updateEventType('invoice.paid', { schemas: null }, start + 6))?.schemas,
      null,
    )
    assert.equal(await world.directory.updateEventType('order', { description: 'x' }, start), null)
  }),

  storeCase('a deleted event type is gone, and its name is free', async (world) => {
    await world.directory.createEventType(anEventType('invoice.paid'))
    assert.equal(await world.directory.deleteEventType('invoice.paid', start), true)
    assert.equal(await world.directory.deleteEventType('invoice.paid', start), false)
    assert.equal(await world.directory.eventType('invoice.paid'), null)
    await world.directory.createEventType(anEventType('invoice.paid'))
  }),
]

function anEventType(name: string, change: Partial<EventTypeDefinition> = {}): EventTypeDefinition {
  return {
    name,
    description: '',
    schemas: null,
    archived: false,
    deprecated: false,
    featureFlag: null,
    createdAt: start,
    updatedAt: start,
    ...change,
  }
}
