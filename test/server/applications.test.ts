import { describe, expect, test } from 'vitest'
import { databases, serverWorld } from './world.ts'

const path = '/api/v1/app'

describe.each(databases)('applications on %s', (database) => {
  test('are made, read, changed and deleted, by id and by uid', async () => {
    const { call } = await serverWorld({}, database)
    const made = await call('POST', path, {
      body: { name: 'Acme', uid: 'acme', throttleRate: 5, metadata: { plan: 'gold' } },
    })
    expect(made).toMatchObject({
      status: 201,
      body: {
        name: 'Acme',
        uid: 'acme',
        throttleRate: 5,
        metadata: { plan: 'gold' },
        createdAt: '2026-01-01T00:00:00.000Z',
      },
    })
    const { id } = made.body as { id: string }

    expect(await call('GET', `${path}/${id}`)).toMatchObject({ status: 200, body: made.body })
    expect(await call('GET', `${path}/acme`)).toMatchObject({ status: 200, body: made.body })
    expect(await call('PATCH', `${path}/acme`, { body: { name: 'Acme Inc.' } })).toMatchObject({
      status: 200,
      body: { name: 'Acme Inc.', throttleRate: 5, uid: 'acme' },
    })
    expect(await call('PATCH', `${path}/acme`, { body: { throttleRate: null } })).toMatchObject({
      status: 200,
      body: { throttleRate: null },
    })
    for (const named of [{ uid: 'acme' }, {}]) {
      expect(await call('PUT', `${path}/acme`, { body: { name: 'Plain', ...named } })).toMatchObject({
        status: 200,
        body: { id, uid: 'acme', name: 'Plain', metadata: {} },
      })
    }
    expect(await call('DELETE', `${path}/acme`)).toMatchObject({ status: 204, body: null })
    expect(await call('GET', `${path}/${id}`)).toMatchObject({
      status: 404,
      body: { code: 'not_found', detail: expect.stringContaining('Expected `application`') as string },
    })
    expect(await call('DELETE', `${path}/acme`)).toMatchObject({ status: 404 })
  })

  test('with a uid that is taken are refused, or answered with the one there is', async () => {
    const { call } = await serverWorld({}, database)
    const made = await call('POST', path, { body: { name: 'Acme', uid: 'acme' } })
    expect(await call('POST', path, { body: { name: 'Acme', uid: 'acme' } })).toMatchObject({
      status: 409,
      body: { code: 'already_exists' },
    })
    expect(await call('POST', `${path}?get_if_exists=true`, { body: { name: 'Other', uid: 'acme' } })).toMatchObject({
      status: 200,
      body: made.body,
    })
    expect(await call('POST', `${path}?get_if_exists=true`, { body: { name: 'Other', uid: 'other' } })).toMatchObject({
      status: 201,
    })
    expect(await call('PATCH', `${path}/other`, { body: { uid: 'acme' } })).toMatchObject({ status: 409 })
  })

  test('are made by a change as a whole under a uid, but not under an id', async () => {
    const { call } = await serverWorld({}, database)
    expect(await call('PUT', `${path}/acme`, { body: { name: 'Acme' } })).toMatchObject({
      status: 201,
      body: { uid: 'acme' },
    })
    expect(await call('PUT', `${path}/app_0123456789abcdefghj`, { body: { name: 'Acme' } })).toMatchObject({
      status: 404,
    })
  })

  test('are listed page by page, oldest first or newest first', async () => {
    const { call, clock } = await serverWorld({}, database)
    for (const uid of ['a', 'b', 'c']) {
      await call('POST', path, { body: { name: uid, uid } })
      await clock.advance(1)
    }
    const first = await call('GET', `${path}?limit=2`)
    const { iterator } = first.body as { iterator: string }
    expect(first.body).toMatchObject({ data: [{ uid: 'a' }, { uid: 'b' }], done: false })
    expect((await call('GET', `${path}?limit=2&iterator=${iterator}`)).body).toMatchObject({
      data: [{ uid: 'c' }],
      done: true,
    })
    expect((await call('GET', `${path}?limit=2&order=descending`)).body).toMatchObject({
      data: [{ uid: 'c' }, { uid: 'b' }],
      done: false,
    })
  })
})
