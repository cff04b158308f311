import { describe, expect, test } from 'vitest'
import { databases } from '../world.ts'
import { fieldsIn, routesWorld } from './world.ts'
import type { Body } from './world.ts'

const nobody = 'job_0000000000000000000'

describe.each(databases)('bulk work on %s', (database) => {
  test('is counted exactly first, and then done', async () => {
    const { ask, message, posthorn, clock } = await routesWorld(database, true)
    await posthorn.endpoints.pause((await posthorn.endpoints.list())[0]?.id ?? '')
    for (let sent = 0; sent < 3; sent += 1) await message()
    const filter = { application: 'acme', status: 'pending' }
    expect(await ask(200, 'POST', '/job', { action: 'cancel', filter, dryRun: true })).toEqual({ matching: 3 })
    const job = await ask(202, 'POST', '/job', { action: 'cancel', filter, reason: 'no longer true' })
    expect(job).toMatchObject({
      action: 'cancel',
      matching: 3,
      actor: 'admin',
      reason: 'no longer true',
      filter: { status: ['pending'], application: expect.stringMatching(/^app_/) },
    })
    await clock.advance(10_000)
    await posthorn.idle()
    expect(await ask(200, 'GET', `/job/${String(job['id'])}`)).toMatchObject({
      state: 'done',
      done: 3,
      ratePerSecond: null,
      etaSeconds: null,
    })
    expect(await ask(200, 'GET', '/dead-letter')).toMatchObject({ data: [{ reason: 'cancelled', count: 3 }] })
    expect((await ask(200, 'GET', '/audit'))['data']).toContainEqual(
      expect.objectContaining({ action: 'cancel', count: 3, actor: 'admin', reason: 'no longer true' }),
    )
  })

  test('rests, goes on and ends as people say, and only while that means something', async () => {
    const { ask } = await routesWorld(database)
    const { id, state } = await ask(202, 'POST', '/job', { action: 'requeue', filter: {} })
    expect(state).toBe('running')
    const change = (status: number, verb: string): Promise<Body> => ask(status, 'POST', `/job/${String(id)}/${verb}`)
    expect(await change(200, 'pause')).toMatchObject({ state: 'paused' })
    expect(await change(409, 'pause')).toMatchObject({
      code: 'wrong_state',
      detail: expect.stringContaining('it is paused already'),
    })
    expect(await change(200, 'resume')).toMatchObject({ state: 'running' })
    expect(await change(200, 'cancel')).toMatchObject({ state: 'cancelled' })
    expect(await change(409, 'resume')).toMatchObject({
      code: 'wrong_state',
      detail: expect.stringContaining('it is cancelled'),
    })
    expect(
      ((await ask(200, 'GET', `/audit?target=${String(id)}`))['data'] as Body[]).map(({ action }) => action),
    ).toEqual(['job.cancel', 'job.resume', 'job.pause'])
  })

  test('that concerns nothing is no error; what no job can be is refused by its field', async () => {
    const { ask, endpointId } = await routesWorld(database)
    expect(
      await ask(200, 'POST', '/job', { action: 'requeue', filter: { reason: 'exhausted' }, dryRun: true }),
    ).toEqual({ matching: 0 })
    expect(await ask(202, 'POST', '/job', { action: 'requeue', filter: { reason: 'exhausted' } })).toMatchObject({
      matching: 0,
    })
    expect(fieldsIn(await ask(422, 'POST', '/job', { action: 'delete', filter: {} }))).toEqual(['body.action'])
    expect(fieldsIn(await ask(422, 'POST', '/job', { action: 'requeue', filter: { colour: 'red' } }))).toEqual([
      'body.filter.colour',
    ])
    expect(fieldsIn(await ask(422, 'POST', '/job', { action: 'replay', filter: { endpoint: endpointId } }))).toEqual([
      'body.filter.since',
    ])
    // A job on a job: its id is none of a delivery.
    expect(fieldsIn(await ask(422, 'POST', '/job', { action: 'requeue', filter: { ids: [nobody] } }))).toEqual([
      'body.ids',
    ])
    expect(fieldsIn(await ask(422, 'POST', '/job', { action: 'requeue', filter: { status: 'delivered' } }))).toEqual([
      'body.status',
    ])
    await ask(404, 'GET', `/job/${nobody}`)
    await ask(422, 'GET', '/job/dlv_0000000000000000000')
  })

  test('replays what an endpoint never got', async () => {
    const { ask, message, posthorn, clock, transport, endpointId } = await routesWorld(database, true)
    await ask(200, 'POST', `/app/acme/endpoint/${endpointId}/disable`, {})
    await message()
    await ask(200, 'POST', `/app/acme/endpoint/${endpointId}/enable`, {})
    expect(transport.requests).toHaveLength(0)
    await message()
    const work = { action: 'replay', filter: { endpoint: endpointId, since: '2020-01-01T00:00:00Z' } }
    expect(await ask(200, 'POST', '/job', { ...work, dryRun: true })).toEqual({ matching: 1 })
    const job = await ask(202, 'POST', `/app/acme/endpoint/${endpointId}/replay`, { since: '2020-01-01T00:00:00Z' })
    expect(job).toMatchObject({ action: 'replay', matching: 1, filter: { endpoint: endpointId } })
    await clock.advance(10_000)
    await posthorn.idle()
    expect(transport.requests).toHaveLength(2)
    expect(await ask(200, 'GET', `/job/${String(job['id'])}`)).toMatchObject({ state: 'done', done: 1 })
    const again = await ask(202, 'POST', '/job', work)
    expect(again).toMatchObject({ matching: 0 })
    await clock.advance(10_000)
    await posthorn.idle()
    expect(await ask(200, 'GET', `/job/${String(again['id'])}`)).toMatchObject({ state: 'done', matching: 0, done: 0 })
  })

  test("an application's key sees and does its own only", async () => {
    const world = await routesWorld(database)
    const { ask, message } = world
    await message()
    const all = await ask(202, 'POST', '/job', { action: 'requeue', filter: {} })
    const asked = { token: await world.token({ application: 'acme' }) }
    expect((await ask(200, 'GET', '/job', undefined, asked))['data']).toEqual([])
    await ask(404, 'GET', `/job/${String(all['id'])}`, undefined, asked)
    await ask(404, 'POST', `/job/${String(all['id'])}/cancel`, undefined, asked)
    await ask(202, 'POST', '/app/other/msg', { eventType: 'a', payload: {} })
    expect(await ask(200, 'POST', '/job', { action: 'cancel', filter: {}, dryRun: true }, asked)).toEqual({
      matching: 1,
    })
    const own = await ask(202, 'POST', '/job', { action: 'cancel', filter: {} }, asked)
    expect(own).toMatchObject({ matching: 1, applicationId: expect.stringMatching(/^app_/) })
    expect((await ask(200, 'GET', '/job', undefined, asked))['data']).toMatchObject([{ id: own['id'] }])
  })
})
