import { expect, test } from 'vitest'
import { operations } from '../../src/server/operations.ts'
import { fieldsIn, routesWorld } from './routes/world.ts'
import type { Body } from './routes/world.ts'

const message = { eventType: 'a', payload: { any: { thing: 1 } } }

test('what a client of Svix gives without effect is named in the answer, and once in the log', async () => {
  const warnings: string[] = []
  const { call } = await routesWorld('sqlite', false, { warn: (sentence) => warnings.push(sentence) })
  const ignored = async (method: string, path: string, body?: unknown): Promise<unknown> => {
    const { status, headers } = await call(method, `/api/v1${path}`, body === undefined ? {} : { body })
    expect(status).toBeLessThan(300)
    return headers.get('x-posthorn-ignored')
  }
  const body = {
    ...message,
    tags: ['x'],
    transformationsParams: { lambda: 1 },
    application: { name: 'A', color: 'red', metadata: { any: 'thing' } },
  }
  expect(await ignored('POST', '/app/acme/msg', body)).toBe(
    'body.tags, body.transformationsParams.lambda, body.application.color',
  )
  expect(await ignored('POST', '/app/acme/msg', { ...message, tags: ['y'], 'é\r\n\ud800': 1 })).toBe(
    'body.tags, body.%C3%A9%0D%0A%EF%BF%BD',
  )
  expect(await ignored('GET', '/app/acme/msg?tag=x&limit=5')).toBe('query.tag')
  expect(await ignored('GET', '/app/acme?expand=1')).toBe('query.expand')
  expect(await ignored('POST', '/app/acme/msg', message)).toBeNull()
  expect(await ignored('GET', '/app/acme/msg?event_types=a')).toBeNull()
  expect(warnings.filter((line) => line.includes('body.tags'))).toEqual([
    'v1.message.create ignores body.tags, which a client gave. POSTHORN_STRICT=1 refuses such requests.',
  ])
  expect(warnings).toHaveLength(6)
})

test('it is refused where the server is strict, and nothing is stored', async () => {
  const { ask } = await routesWorld('sqlite', false, { strict: true })
  expect(
    fieldsIn(
      await ask(422, 'POST', '/app/acme/msg?with_contents=false', {
        ...message,
        tags: [],
        application: { name: 'A', color: 'red' },
      }),
    ),
  ).toEqual(['query.with_contents', 'body.tags', 'body.application.color'])
  expect(await ask(422, 'POST', '/app/acme/endpoint', { url: 'https://a.example', evenTypes: ['a'] })).toMatchObject({
    detail: [{ msg: 'Expected `evenTypes` to be left out: there is no such field. Did you mean "eventTypes"?' }],
  })
  expect((await ask(200, 'GET', '/app/acme/msg'))['data']).toEqual([])
  await ask(202, 'POST', '/app/acme/msg', message)
})

test('calls that are ours alone refuse what they do not know', async () => {
  const { ask } = await routesWorld('sqlite')
  expect(fieldsIn(await ask(422, 'POST', '/key', { name: 'a', scope: 'all' }))).toEqual(['body.scope'])
  expect(fieldsIn(await ask(422, 'GET', '/delivery?endpoints=hooks'))).toEqual(['query.endpoints'])
  expect(
    fieldsIn(
      await ask(422, 'POST', '/job', { action: 'cancel', filter: { application: 'acme', kind: 1 }, dryrun: true }),
    ),
  ).toEqual(['body.filter.kind', 'body.dryrun'])
  expect(fieldsIn(await ask(422, 'POST', '/job/job_0000000000000000000/pause', { force: true }))).toEqual([
    'body.force',
  ])
  expect((await ask(200, 'GET', '/key'))['data']).toEqual([])
})

test('every call says whether it is one of Svix', () => {
  const own = operations.filter(({ shape }) => shape === undefined).map(({ path }) => path)
  expect(own.filter((path) => /^\/api\/v1\/(event-type|auth|health|background-task)/.test(path))).toEqual([
    '/api/v1/event-type-overview',
    '/api/v1/event-type/check-schema',
    '/api/v1/event-type/{event_type_name}/schema/{version}',
  ])
  expect(own).toContain('/api/v1/delivery')
})

test.each([
  'event_types=b,c',
  'event_types=b&event_types=c',
  'event_types[]=b&event_types[]=c',
  'event_types%5B%5D=b&event_types%5B%5D=c',
  'event_types[0]=b&event_types[1]=c',
  'event_types[]=b,c',
])('a list is understood as clients write it: %s', async (query) => {
  const { ask, message: send } = await routesWorld('sqlite')
  for (const eventType of ['a', 'b', 'c']) await send({ eventType })
  const { data } = (await ask(200, 'GET', `/app/acme/msg?${query}`)) as { data: Body[] }
  expect(data.map(({ eventType }) => eventType)).toEqual(['c', 'b'])
})

test('an empty list filters nothing', async () => {
  const { ask, message: send } = await routesWorld('sqlite')
  await send()
  expect((await ask(200, 'GET', '/app/acme/msg?event_types='))['data']).toHaveLength(1)
})

test('the session of a message is carried to the event of its dead letter', async () => {
  const { ask, posthorn } = await routesWorld('sqlite', true)
  await posthorn.endpoints.pause({ application: 'acme', uid: 'hooks' })
  const ended: unknown[] = []
  posthorn.on('delivery.dead', (event) => ended.push(event.session_id))
  const { id } = await ask(202, 'POST', '/app/acme/msg', { ...message, sessionId: 'session 7' })
  for (const delivery of await posthorn.deliveries.list({ messageId: String(id) })) await posthorn.cancel(delivery.id)
  expect(ended).toEqual(['session 7'])
  expect(fieldsIn(await ask(422, 'POST', '/app/acme/msg', { ...message, sessionId: '' }))).toEqual(['body.sessionId'])
})
