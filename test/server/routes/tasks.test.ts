import { describe, expect, test } from 'vitest'
import { databases } from '../world.ts'
import { fieldsIn, routesWorld, url } from './world.ts'
import type { Body } from './world.ts'

const since = '2000-01-01T00:00:00Z'
const hour = 3_600_000

describe.each(databases)('tasks over HTTP on %s', (database) => {
  test('bring back what died, and say how far they are', async () => {
    const { ask, message, transport, clock, posthorn } = await routesWorld(database, true)
    transport.answer(url, 500)
    const { id } = await message()
    for (let tries = 0; tries < 10; tries += 1) {
      await clock.leap(hour)
      await posthorn.idle()
    }
    transport.answer(url, 200)
    const task = await ask(202, 'POST', '/app/acme/endpoint/hooks/recover', { since })
    expect(task).toMatchObject({ status: 'running', task: 'endpoint.recover' })
    expect(task['id']).toMatch(/^job_/)
    await clock.leap(hour)
    await posthorn.idle()
    await clock.leap(hour)
    await posthorn.idle()
    expect(await ask(200, 'GET', `/background-task/${String(task['id'])}`)).toMatchObject({
      status: 'finished',
      data: { matching: 1, done: 1, state: 'done' },
    })
    expect(((await ask(200, 'GET', `/app/acme/msg/${String(id)}/endpoint`))['data'] as Body[])[0]).toMatchObject({
      status: 0,
    })
  })

  test('replay what an endpoint never got', async () => {
    const { ask, message, clock, posthorn, transport } = await routesWorld(database, true)
    const { id } = await message()
    await ask(201, 'POST', '/app/acme/endpoint', { url: `${url}/late`, uid: 'late' })
    const task = await ask(202, 'POST', '/app/acme/endpoint/late/replay-missing', { since })
    expect(task).toMatchObject({ task: 'endpoint.replay' })
    await clock.leap(hour)
    await posthorn.idle()
    await clock.leap(hour)
    await posthorn.idle()
    expect(
      transport.requests.filter((request) => request.url === `${url}/late`).map(({ headers }) => headers['webhook-id']),
    ).toEqual([id])
    expect(await ask(200, 'GET', `/background-task/${String(task['id'])}`)).toMatchObject({
      status: 'finished',
      task: 'endpoint.replay',
    })
  })

  test('are listed newest first, by state and name', async () => {
    const { ask, posthorn } = await routesWorld(database)
    const recover = await ask(202, 'POST', '/app/acme/endpoint/hooks/recover', { since })
    const bulk = await ask(202, 'POST', '/app/acme/endpoint/hooks/bulk-replay', { since, eventTypes: ['a'], status: 3 })
    await posthorn.jobs.create({ action: 'cancel', filter: {} })
    const listed = async (query: string): Promise<unknown[]> =>
      ((await ask(200, 'GET', `/background-task?${query}`))['data'] as Body[]).map(({ id }) => id)
    expect(await listed('')).toEqual([bulk['id'], recover['id']])
    expect(await listed('order=ascending')).toEqual([recover['id'], bulk['id']])
    expect(await listed('task=endpoint.bulk-replay')).toEqual([bulk['id']])
    await posthorn.jobs.cancel(String(recover['id']))
    expect(await listed('status=failed')).toEqual([recover['id']])
    expect(await listed('status=running')).toEqual([bulk['id']])
    expect(fieldsIn(await ask(422, 'GET', '/background-task?status=lost&task=none&iterator=x'))).toEqual([
      'query.iterator',
      'query.status',
      'query.task',
    ])
  })

  test('are refused where they would do more than was asked', async () => {
    const { ask } = await routesWorld(database)
    const path = '/app/acme/endpoint/hooks'
    expect(fieldsIn(await ask(422, 'POST', `${path}/recover`, {}))).toEqual(['body.since'])
    expect(fieldsIn(await ask(422, 'POST', `${path}/replay-missing`, { since: 'then' }))).toEqual(['body.since'])
    expect(
      fieldsIn(await ask(422, 'POST', `${path}/replay-missing`, { since: '2030-01-01T00:00:00Z', until: since })),
    ).toEqual(['body.since'])
    expect(
      fieldsIn(
        await ask(422, 'POST', `${path}/bulk-replay`, {
          since,
          status: 0,
          eventTypes: ['a', 'b'],
          channel: 'eu',
          statusCodeClass: 500,
          tag: 'x',
        }),
      ).toSorted(),
    ).toEqual(['body.channel', 'body.eventTypes', 'body.status', 'body.statusCodeClass', 'body.tag'])
  })

  test('are not found if they are unknown, or have no name', async () => {
    const { ask, posthorn, token } = await routesWorld(database)
    const { id } = await posthorn.jobs.create({ action: 'cancel', filter: {} })
    await ask(404, 'GET', `/background-task/${id}`)
    await ask(404, 'GET', '/background-task/job_0000000000000000000')
    await ask(404, 'GET', '/background-task/nonsense')
    await ask(403, 'GET', '/background-task', undefined, { token: await token({ application: 'acme' }) })
  })
})
