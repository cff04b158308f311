import * as fc from 'fast-check'
import { expect, test } from 'vitest'
import { fanOut, Subscribers } from '../../src/core/endpoint/subscribers.ts'
import { anEndpoint } from './examples.ts'

const body = Buffer.from('{"data":{"amount":120}}')

test('answer as a look at every endpoint does, whatever was asked before', () => {
  const types = fc.constantFrom('a', 'a.b', 'a.b.c', 'b', 'b.c')
  const endpoint = fc.record({
    types: fc.array(
      fc.oneof(
        types,
        types.map((type) => `${type}.*`),
      ),
      { maxLength: 2 },
    ),
    channels: fc.array(fc.constantFrom('eu', 'us'), { maxLength: 2 }),
    status: fc.constantFrom('active', 'paused', 'disabled', 'deleted'),
    filter: fc.constantFrom(
      null,
      { path: 'data.amount', greater: 100 } as const,
      { path: 'data.amount', greater: 200 } as const,
    ),
  })
  const message = fc.record({ type: types, channels: fc.array(fc.constantFrom('eu', 'us'), { maxLength: 1 }) })
  fc.assert(
    fc.property(
      fc.array(endpoint, { maxLength: 6 }),
      fc.array(message, { minLength: 1, maxLength: 8 }),
      (settings, messages) => {
        const endpoints = settings.map((each, index) => anEndpoint({ ...each, id: `ep_${index}` }))
        const subscribers = new Subscribers(endpoints)
        for (const each of messages)
          expect(subscribers.of({ ...each, body }, null)).toEqual(fanOut({ ...each, body }, endpoints))
      },
    ),
  )
})

test('answer with one endpoint alone, whatever it wants, and with none if it is not theirs', () => {
  const only = anEndpoint({ id: 'ep_1', types: ['other'] })
  const subscribers = new Subscribers([only, anEndpoint({ id: 'ep_2' })])
  const message = { type: 'a', channels: [], body }
  expect(subscribers.of(message, 'ep_1')).toEqual([only])
  expect(subscribers.of(message, 'ep_3')).toEqual([])
  expect([subscribers.get('ep_1'), subscribers.get('ep_3')]).toEqual([only, undefined])
})

test('look once at all endpoints for each type, not once for each message', () => {
  let looks = 0
  const endpoints = Array.from({ length: 100 }, (_, index) => {
    const endpoint = anEndpoint({ id: `ep_${index}`, types: ['other'] })
    return {
      ...endpoint,
      get types() {
        looks += 1
        return endpoint.types
      },
    }
  })
  const subscribers = new Subscribers(endpoints)
  for (let count = 0; count < 50; count += 1)
    expect(subscribers.of({ type: 'a', channels: [], body }, null)).toEqual([])
  expect(looks).toBe(100)
})
