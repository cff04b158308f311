import { describe, expect, test } from 'vitest'
import { operations } from '../../src/server/operations.ts'
import { databases, serverWorld } from './world.ts'

describe.each(databases)('nasty text on %s', (database) => {
  const nasty = ['\u0000', 'a\u0000b', '\ud800', "'; drop table x --", '%', '..', '😀', 'x'.repeat(5_000)]

  test('in a path is answered as something that does not exist, or is no good', { timeout: 60_000 }, async () => {
    const world = await serverWorld({ rateLimitPerSecond: 0 }, database)
    await world.posthorn.applications.create({ uid: 'acme' })
    const gets = operations.filter(({ method, path }) => method === 'get' && path.includes('{'))
    for (const text of nasty) {
      const encoded = text === '\ud800' ? '%ed%a0%80' : encodeURIComponent(text)
      for (const { id, path } of gets) {
        for (const filled of [
          path.replaceAll(/\{\w+\}/g, encoded),
          path.replace('{app_id}', 'acme').replaceAll(/\{\w+\}/g, encoded),
        ]) {
          const { status } = await world.call('GET', filled)
          expect({
            [`${id} ${JSON.stringify(text.slice(0, 20))}`]: [200, 404, 422].includes(status) ? 'well' : status,
          }).toEqual({ [`${id} ${JSON.stringify(text.slice(0, 20))}`]: 'well' })
        }
      }
    }
    expect(world.incidents).toEqual([])
  })

  test('in a body is kept as it is, or refused', { timeout: 60_000 }, async () => {
    const world = await serverWorld({ rateLimitPerSecond: 0 }, database)
    await world.posthorn.applications.create({ uid: 'acme' })
    const url = 'https://acme.example/hooks'
    for (const text of nasty) {
      const replies = [
        await world.call('POST', '/api/v1/app', { body: { name: text, metadata: { [text]: text } } }),
        await world.call('POST', '/api/v1/app', { body: { name: 'a', uid: text } }),
        await world.call('POST', '/api/v1/key', { body: { name: text } }),
        await world.call('POST', '/api/v1/app/acme/endpoint', {
          body: { url, description: text, metadata: { a: text } },
        }),
        await world.call('POST', '/api/v1/event-type', {
          body: { name: `a${nasty.indexOf(text)}`, description: text, schemas: { 1: { title: text } } },
        }),
        await world.call('POST', '/api/v1/app/acme/msg', { body: { eventType: 'a.b', payload: { [text]: text } } }),
        await world.call('POST', '/api/v1/app/acme/msg', { body: { eventType: 'a.b', eventId: text, payload: {} } }),
      ]
      expect(replies.map(({ status }) => ([201, 202, 422].includes(status) ? 'well' : status))).toEqual(
        replies.map(() => 'well'),
      )
    }
    expect(world.incidents).toEqual([])
  })
})
