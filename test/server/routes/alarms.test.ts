import { describe, expect, test } from 'vitest'
import { day } from '../../../src/core/time.ts'
import { databases } from '../world.ts'
import { fieldsIn, routesWorld } from './world.ts'

const round = 15_000
const ops = 'https://ops.example/hooks'

describe.each(databases)('alarms on %s', (database) => {
  test('are listed while they are raised, on the overview too, but not for customers', async () => {
    const world = await routesWorld(database, true)
    const { ask, endpointId, clock, posthorn } = world
    expect(await ask(200, 'GET', '/alarm')).toEqual({ data: [] })
    world.transport.answer(() => true, 410)
    await world.message()
    await clock.advance(2 * round)
    await posthorn.idle()
    const alarm = {
      id: `endpoint-disabled:${endpointId}`,
      signal: 'endpoint-disabled',
      severity: 'warning',
      endpointId,
      message: `Endpoint ${endpointId} was disabled because of its failures: it gets nothing new.`,
      value: 1,
      threshold: 0,
      raisedAt: expect.any(String),
      acknowledged: null,
    }
    expect(await ask(200, 'GET', '/alarm')).toEqual({ data: [alarm] })
    expect(await ask(200, 'GET', '/overview')).toMatchObject({ alarms: [alarm] })
    const token = await world.token({ application: 'acme' })
    const path = `/alarm/${encodeURIComponent(alarm.id)}/acknowledge`
    await ask(403, 'POST', path, undefined, { token })
    const { acknowledged: seen } = await ask(200, 'POST', path)
    expect(seen).toEqual({ by: 'admin', at: expect.any(String) })
    await clock.advance(1_000)
    // The first to say so is the one who is shown.
    expect(await ask(200, 'POST', path)).toEqual({ ...alarm, acknowledged: seen })
    expect(await ask(200, 'GET', '/alarm')).toEqual({ data: [{ ...alarm, acknowledged: seen }] })
    expect(await ask(200, 'GET', '/audit?action=alarm.acknowledge')).toMatchObject({ data: [{ target: alarm.id }] })
    expect(await ask(200, 'GET', '/overview', undefined, { token })).toMatchObject({ alarms: [] })
    await ask(200, 'POST', `/app/acme/endpoint/${endpointId}/enable`, {})
    await clock.advance(round)
    await posthorn.idle()
    expect(await ask(200, 'GET', '/alarm')).toEqual({ data: [] })
    expect(await ask(404, 'POST', path)).toMatchObject({ code: 'not_found' })
  })

  test('an alarm that is raised anew is one that nobody has seen', async () => {
    const world = await routesWorld(database, true)
    const { ask, endpointId, clock, posthorn } = world
    const disable = async (): Promise<void> => {
      world.transport.answer(() => true, 410)
      await world.message()
      await clock.advance(2 * round)
      await posthorn.idle()
    }
    await disable()
    await ask(200, 'POST', `/alarm/endpoint-disabled:${endpointId}/acknowledge`)
    await ask(200, 'POST', `/app/acme/endpoint/${endpointId}/enable`, {})
    await clock.advance(round)
    await disable()
    expect(await ask(200, 'GET', '/alarm')).toMatchObject({
      data: [{ signal: 'endpoint-disabled', acknowledged: null }],
    })
  })

  test('targets are added, tested and removed; their application is no customer, and stays', async () => {
    const world = await routesWorld(database, true)
    const { ask, clock, posthorn } = world
    expect(await ask(202, 'POST', '/alarm/test')).toEqual({ targets: 0 })
    const target = await ask(201, 'POST', '/alarm/target', { url: ops, types: ['alarm.*'] })
    expect(target).toMatchObject({ url: ops, shape: 'json', types: ['alarm.*'], status: 'active' })
    const slack = await ask(201, 'POST', '/alarm/target', { url: 'https://slack.example/', shape: 'slack' })
    expect(await ask(200, 'GET', '/alarm/target')).toEqual({ data: [target, slack] })
    await clock.advance(round)
    expect(await ask(202, 'POST', '/alarm/test')).toEqual({ targets: 2 })
    await posthorn.idle()
    expect(world.transport.requests.map(({ url, body }) => [url, body])).toEqual([
      [ops, expect.stringMatching(/^\{"type":"alarm.test",.*"data":\{"message":"This is a test/)],
      ['https://slack.example/', '{"text":"*Test*\\nThis is a test: alarms will arrive here."}'],
    ])

    expect(await ask(200, 'GET', '/app')).toMatchObject({ data: [{ uid: 'acme' }, { uid: 'other' }], done: true })
    expect(await ask(409, 'DELETE', '/app/posthorn-operations')).toMatchObject({ code: 'wrong_state' })
    expect(await ask(409, 'PATCH', '/app/posthorn-operations', { uid: 'mine' })).toMatchObject({ code: 'wrong_state' })
    await ask(204, 'DELETE', `/alarm/target/${String(slack['id'])}`)
    expect(await ask(200, 'GET', '/alarm/target')).toEqual({ data: [target] })
    expect(await ask(404, 'DELETE', `/alarm/target/${world.endpointId}`)).toMatchObject({ code: 'not_found' })
    expect(fieldsIn(await ask(422, 'POST', '/alarm/target', { url: ops, shape: 'teams' }))).toEqual(['body.shape'])
    expect(fieldsIn(await ask(422, 'POST', '/alarm/target', { url: 'nowhere' }))).toEqual(['body.url'])
  })

  test('an endpoint that only fails says since when, and when it will be disabled', async () => {
    const { ask, endpointId, clock, posthorn, transport, message } = await routesWorld(database, true)
    transport.answer(() => true, 500)
    const failingSince = clock.now() + 1
    for (let sent = 0; sent < 10; sent += 1) await message()
    await clock.advance(10_000)
    await posthorn.idle()
    const willBeDisabledAt = new Date(failingSince + 5 * day).toISOString()
    expect(await ask(200, 'GET', `/endpoint/${endpointId}`)).toMatchObject({
      health: {
        failingSince: new Date(failingSince).toISOString(),
        willBeDisabledAt,
        sentence: expect.stringMatching(/only failures since .* It will be disabled on .*, unless a delivery succeeds/),
      },
    })
  })
})
