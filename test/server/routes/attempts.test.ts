import { describe, expect, test } from 'vitest'
import { databases } from '../world.ts'
import { fieldsIn, routesWorld, url } from './world.ts'
import type { Body, RoutesWorld } from './world.ts'

const hour = 3_600_000

describe.each(databases)('attempts over HTTP on %s', (database) => {
  test('show what came of a send', async () => {
    const world = await routesWorld(database, true)
    const { ask, transport, endpointId } = world
    transport.answer(url, { kind: 'answered', statusCode: 201, responseBody: 'made', retryAfterMs: null })
    const id = await sent(world)
    const [attempt, ...others] = list(await ask(200, 'GET', `/app/acme/attempt/msg/${id}`))
    expect(others).toEqual([])
    expect(attempt).toMatchObject({
      msgId: id,
      endpointId,
      url,
      status: 0,
      statusText: 'success',
      response: 'made',
      responseStatusCode: 201,
      triggerType: 0,
    })
    expect(await ask(200, 'GET', `/app/acme/msg/${id}/attempt/${String(attempt?.['id'])}`)).toEqual(attempt)
    expect(list(await ask(200, 'GET', '/app/acme/attempt/endpoint/hooks'))).toEqual([attempt])
    expect(list(await ask(200, 'GET', '/app/acme/attempt/endpoint/hooks?with_content=false'))).toEqual([
      { ...attempt, response: '' },
    ])
    expect(list(await ask(200, 'GET', '/app/acme/attempt/endpoint/hooks?with_msg=true'))).toMatchObject([
      { msg: { id, payload: { total: 7 } } },
    ])
  })

  test('show failures, and the wait for the next one', async () => {
    const world = await routesWorld(database, true)
    const { ask, transport } = world
    transport.answer(url, { kind: 'timeout', reason: 'No answer' })
    const id = await sent(world)
    expect(list(await ask(200, 'GET', `/app/acme/attempt/msg/${id}`))).toMatchObject([
      { status: 2, statusText: 'fail', responseStatusCode: 0, response: 'No answer' },
    ])
    const [destination] = list(await ask(200, 'GET', `/app/acme/msg/${id}/endpoint`))
    expect(destination).toMatchObject({ uid: 'hooks', url, status: 3, statusText: 'sending', version: 1 })
    expect(Date.parse(String(destination?.['nextAttempt']))).toBeGreaterThan(world.clock.now())
    expect(list(await ask(200, 'GET', '/app/acme/endpoint/hooks/msg'))).toMatchObject([
      { id, status: 3, statusText: 'sending', payload: { total: 7 } },
    ])
  })

  test('are narrowed by what came of them, by type, channel, time and endpoint', async () => {
    const world = await routesWorld(database, true)
    const { ask, transport, endpointId } = world
    transport.answer(url, 500)
    const failed = await sent(world, { eventType: 'a', channels: ['eu'] })
    transport.answer(url, 204)
    const fine = await sent(world, { eventType: 'b' })
    const messagesOf = async (query: string): Promise<unknown[]> =>
      list(await ask(200, 'GET', `/app/acme/attempt/endpoint/hooks?${query}`)).map(({ msgId }) => msgId)
    expect(await messagesOf('')).toEqual([fine, failed])
    expect(await messagesOf('status=0')).toEqual([fine])
    expect(await messagesOf('status=2')).toEqual([failed])
    expect(await messagesOf('status=1')).toEqual([])
    expect(await messagesOf('status_code_class=500')).toEqual([failed])
    expect(await messagesOf('event_types=a,c')).toEqual([failed])
    expect(await messagesOf('channel=eu')).toEqual([failed])
    expect(await messagesOf('before=2000-01-01T00:00:00Z')).toEqual([])
    expect(await messagesOf('after=2000-01-01T00:00:00Z&limit=1')).toEqual([fine])
    const first = await ask(200, 'GET', '/app/acme/attempt/endpoint/hooks?limit=1')
    expect(await messagesOf(`iterator=${String(first['iterator'])}`)).toEqual([failed])
    expect(list(await ask(200, 'GET', `/app/acme/attempt/msg/${fine}?endpoint_id=${endpointId}`))).toHaveLength(1)
    await ask(404, 'GET', `/app/acme/attempt/msg/${fine}?endpoint_id=nobody`)
    expect(
      fieldsIn(await ask(422, 'GET', '/app/acme/attempt/endpoint/hooks?status=4&status_code_class=250&iterator=msg_1')),
    ).toEqual(['query.iterator', 'query.status', 'query.status_code_class'])
  })

  test('end in a message that is dead, and can be sent again', async () => {
    const world = await routesWorld(database, true)
    const { ask, transport, clock, posthorn } = world
    transport.answer(url, 500)
    const id = await sent(world)
    for (let tries = 0; tries < 10; tries += 1) {
      await clock.leap(hour)
      await posthorn.idle()
    }
    expect(list(await ask(200, 'GET', `/app/acme/msg/${id}/endpoint`))).toMatchObject([
      { status: 2, statusText: 'fail', nextAttempt: null },
    ])
    transport.answer(url, 200)
    expect(await ask(202, 'POST', `/app/acme/msg/${id}/endpoint/hooks/resend`)).toEqual({})
    await clock.leap(hour)
    await posthorn.idle()
    const [last, ...before] = list(await ask(200, 'GET', `/app/acme/attempt/msg/${id}`))
    expect(last).toMatchObject({ status: 0, triggerType: 1 })
    expect(before.map(({ triggerType }) => triggerType)).toEqual(Array(6).fill(0))
  })

  test('of a message that was delivered go on, and it is still one destination', async () => {
    const world = await routesWorld(database, true)
    const { ask, clock, posthorn } = world
    const id = await sent(world)
    await ask(202, 'POST', `/app/acme/msg/${id}/endpoint/hooks/resend`)
    await clock.leap(hour)
    await posthorn.idle()
    expect(list(await ask(200, 'GET', `/app/acme/attempt/msg/${id}`)).map(({ triggerType }) => triggerType)).toEqual([
      1, 0,
    ])
    expect(list(await ask(200, 'GET', `/app/acme/msg/${id}/endpoint`))).toMatchObject([{ uid: 'hooks', status: 0 }])
    expect(list(await ask(200, 'GET', '/app/acme/endpoint/hooks/msg'))).toMatchObject([{ id, status: 0 }])
  })

  test('lose their answer for good', async () => {
    const world = await routesWorld(database, true)
    const { ask, transport } = world
    transport.answer(url, { kind: 'answered', statusCode: 200, responseBody: 'private', retryAfterMs: null })
    const id = await sent(world)
    const [attempt] = list(await ask(200, 'GET', `/app/acme/attempt/msg/${id}`))
    const path = `/app/acme/msg/${id}/attempt/${String(attempt?.['id'])}`
    expect(await ask(204, 'DELETE', `${path}/content`)).toBeNull()
    expect(await ask(200, 'GET', path)).toMatchObject({ response: '', responseStatusCode: 200 })
  })

  test('are pending before the first, and messages are listed with how far they came', async () => {
    const { ask, message } = await routesWorld(database)
    await ask(201, 'POST', '/app/acme/endpoint', { url, uid: 'two', eventTypes: ['b'] })
    const [one, two] = [await message({ eventType: 'a', channels: ['eu'] }), await message({ eventType: 'b' })]
    expect(
      list(await ask(200, 'GET', `/app/acme/msg/${String(two['id'])}/endpoint`)).map(({ uid, status, statusText }) => [
        uid,
        status,
        statusText,
      ]),
    ).toEqual([
      ['hooks', 1, 'pending'],
      ['two', 1, 'pending'],
    ])
    const page = await ask(200, 'GET', `/app/acme/msg/${String(two['id'])}/endpoint?limit=1`)
    expect([list(page).map(({ uid }) => uid), page['done']]).toEqual([['hooks'], false])
    expect(
      list(
        await ask(
          200,
          'GET',
          `/app/acme/msg/${String(two['id'])}/endpoint?limit=1&iterator=${String(page['iterator'])}`,
        ),
      ).map(({ uid }) => uid),
    ).toEqual(['two'])
    const idsOf = async (query: string): Promise<unknown[]> =>
      list(await ask(200, 'GET', `/app/acme/endpoint/hooks/msg?${query}`)).map(({ id }) => id)
    expect(await idsOf('')).toEqual([two['id'], one['id']])
    expect(await idsOf('status=1&event_types=a')).toEqual([one['id']])
    expect(await idsOf('channel=eu')).toEqual([one['id']])
    expect(await idsOf('status=0')).toEqual([])
    expect(await idsOf('status=3')).toEqual([])
    const first = await ask(200, 'GET', '/app/acme/endpoint/hooks/msg?limit=1&with_content=false')
    expect(list(first)).toMatchObject([{ id: two['id'], payload: {} }])
    expect(await idsOf(`iterator=${String(first['iterator'])}`)).toEqual([one['id']])
    await ask(204, 'DELETE', '/app/acme/endpoint/two')
    expect(
      list(await ask(200, 'GET', `/app/acme/msg/${String(two['id'])}/endpoint`)).map(({ uid, disabled }) => [
        uid,
        disabled,
      ]),
    ).toEqual([
      ['hooks', false],
      ['two', true],
    ])
  })

  test('of others, and unknown ones, are not found', async () => {
    const world = await routesWorld(database, true)
    const { ask, message } = world
    const id = await sent(world)
    const other = String((await message())['id'])
    const [attempt] = list(await ask(200, 'GET', `/app/acme/attempt/msg/${id}`))
    for (const path of [
      `/app/acme/msg/${other}/attempt/${String(attempt?.['id'])}`,
      `/app/acme/msg/${id}/attempt/atmpt_${'0'.repeat(25)}`,
      `/app/acme/msg/${id}/attempt/nonsense`,
      `/app/other/msg/${id}/attempt/${String(attempt?.['id'])}`,
    ]) {
      await ask(404, 'GET', path)
      await ask(404, 'DELETE', `${path}/content`)
    }
    for (const path of [
      `/app/other/attempt/msg/${id}`,
      '/app/acme/attempt/msg/none',
      '/app/acme/attempt/endpoint/foreign',
      `/app/other/msg/${id}/endpoint`,
    ])
      await ask(404, 'GET', path)
    await ask(404, 'POST', `/app/acme/msg/${id}/endpoint/foreign/resend`)
    await ask(404, 'POST', '/app/acme/msg/none/endpoint/hooks/resend')
  })
})

/** The id of a message whose first attempt is over. */
async function sent(world: RoutesWorld, more: Readonly<Record<string, unknown>> = {}): Promise<string> {
  const { id } = await world.message(more)
  await world.posthorn.idle()
  return String(id)
}

function list({ data }: Body): Body[] {
  return data as Body[]
}
