import assert from 'node:assert/strict'
import { ApiException, Svix } from 'svix'
import { watchedFetch } from './operations.js'
import { adminKey } from './server.js'
import { within } from '../crash/processes.js'

const secret = `whsec_${Buffer.alloc(32, 1).toString('base64')}`
const otherSecret = `whsec_${Buffer.alloc(32, 2).toString('base64')}`
const payload = '{"id":12345678901234567890,"x":1.0}'

/** Drives every operation as Svix customers do, and checks the responses. Returns what was seen. */
export async function tour(url, receiver) {
  const watch = watchedFetch()
  const client = (token) => new Svix(token, { serverUrl: url, fetch: watch.fetch, numRetries: 1 })
  const world = { url, receiver, watch, client, svix: client(adminKey), startedAt: new Date(Date.now() - 60_000) }
  await health(world)
  await applications(world)
  await eventTypes(world)
  await endpoints(world)
  await messages(world)
  await attempts(world)
  await recovery(world)
  await portal(world)
  await farewell(world)
  assert.deepEqual(
    receiver.receipts.filter(({ verified }) => !verified),
    [],
    'every request is verified by its secret',
  )
  return watch
}

async function health({ svix, watch, url }) {
  await svix.health.get()
  await watch.fetch(`${url}/api/v1/health`, { method: 'HEAD' })
  await refused(401, new Svix('nobody', { serverUrl: url, numRetries: 1 }).application.list())
}

async function applications({ svix, watch }) {
  const made = await svix.application.create({ name: 'Acme', uid: 'acme', metadata: { plan: 'gold' } })
  assert.equal(watch.status, 201)
  assert.deepEqual([made.uid, made.name, made.metadata], ['acme', 'Acme', { plan: 'gold' }])
  assert.ok(made.createdAt.getTime() > 0)
  assert.equal((await svix.application.getOrCreate({ name: 'Acme', uid: 'acme' })).id, made.id)
  assert.equal(watch.status, 200)
  await refused(409, svix.application.create({ name: 'Acme again', uid: 'acme' }))
  assert.equal((await svix.application.get('acme')).id, made.id)
  assert.equal((await svix.application.update('acme', { name: 'Acme Ltd', uid: 'acme' })).name, 'Acme Ltd')
  assert.deepEqual((await svix.application.patch('acme', { metadata: { plan: 'silver' } })).metadata, {
    plan: 'silver',
  })
  await svix.application.create({ name: 'Other', uid: 'other' })
  const first = await svix.application.list({ limit: 1 })
  assert.deepEqual([first.data.length, first.done], [1, false])
  const second = await svix.application.list({ limit: 1, iterator: first.iterator })
  assert.deepEqual([second.data[0].uid, second.done], ['other', true])
  assert.equal((await svix.application.list({ limit: 1, iterator: second.prevIterator })).data[0].uid, 'acme')
  await refused(422, svix.application.list({ iterator: 'nonsense' }))
  await refused(404, svix.application.get('nobody'))
}

async function eventTypes({ svix, watch }) {
  const schemas = { 1: { type: 'object', properties: { id: { type: 'number' } } } }
  await svix.eventType.create({ name: 'invoice.paid', description: 'An invoice was paid', schemas })
  assert.equal(watch.status, 201)
  await refused(409, svix.eventType.create({ name: 'invoice.paid', description: 'again' }))
  assert.deepEqual((await svix.eventType.get('invoice.paid')).schemas, schemas)
  assert.equal((await svix.eventType.list()).data[0].schemas, null)
  assert.deepEqual((await svix.eventType.list({ withContent: true })).data[0].schemas, schemas)
  await svix.eventType.update('order.sent', { description: 'An order was sent' })
  assert.equal(watch.status, 201)
  assert.equal(
    (await svix.eventType.update('order.sent', { description: 'An order left' })).description,
    'An order left',
  )
  assert.equal((await svix.eventType.patch('order.sent', { deprecated: true })).deprecated, true)
  await svix.eventType.delete('order.sent')
  assert.deepEqual(
    (await svix.eventType.list()).data.map(({ name }) => name),
    ['invoice.paid'],
  )
  assert.equal((await svix.eventType.list({ includeArchived: true })).data.length, 2)
  await svix.eventType.delete('order.sent', { expunge: true })
  await refused(404, svix.eventType.get('order.sent'))
}

async function endpoints(world) {
  const { svix, watch, receiver } = world
  const made = await svix.endpoint.create('acme', {
    url: receiver.expect('/first', secret),
    uid: 'first',
    secret,
    filterTypes: ['invoice.paid'],
    channels: ['eu'],
  })
  assert.deepEqual([watch.status, made.uid, made.disabled, made.version], [201, 'first', false, 1])
  assert.deepEqual([made.filterTypes, made.channels], [['invoice.paid'], ['eu']])
  assert.equal((await svix.endpoint.get('acme', 'first')).id, made.id)
  assert.equal((await svix.endpoint.list('acme')).data.length, 1)
  await refused(404, svix.endpoint.get('other', made.id))
  assert.equal(
    (await svix.endpoint.update('acme', 'first', { url: made.url, uid: 'first', description: 'The first' }))
      .description,
    'The first',
  )
  await svix.endpoint.update('acme', 'second', { url: receiver.expect('/second', secret) })
  assert.equal(watch.status, 201)
  assert.equal((await svix.endpoint.patch('acme', 'second', { disabled: true })).disabled, true)
  assert.equal((await svix.endpoint.getSecret('acme', 'first')).key, secret)
  await svix.endpoint.rotateSecret('acme', 'second', { key: secret.replace('whsec_', '') })
  assert.equal((await svix.endpoint.getSecret('acme', 'second')).key, secret)
  await svix.endpoint.updateHeaders('acme', 'first', { headers: { 'x-tour': '1', authorization: 'Basic Zm9v' } })
  assert.deepEqual(await svix.endpoint.getHeaders('acme', 'first'), {
    headers: {},
    sensitive: ['x-tour', 'authorization'],
  })
  await svix.endpoint.patchHeaders('acme', 'first', { headers: { 'x-tour': '2' }, deleteHeaders: ['authorization'] })
  assert.deepEqual(await svix.endpoint.getHeaders('acme', 'first'), { headers: {}, sensitive: ['x-tour'] })
  const example = await svix.endpoint.sendExample('acme', 'first', { eventType: 'invoice.paid' })
  await received(world, '/first', example.id)
  await refused(422, svix.endpoint.create('acme', { url: 'nowhere' }))
  await refused(422, svix.endpoint.create('acme', { url: 'http://10.0.0.1/' }))
}

async function messages(world) {
  const { svix, watch, url } = world
  const headers = { authorization: `Bearer ${adminKey}`, 'content-type': 'application/json' }
  const raw = await watch.fetch(`${url}//api/v1/app/acme/msg`, {
    method: 'POST',
    headers,
    body: `{"eventType": "invoice.paid", "payload": ${payload}, "channels": ["eu"]}`,
  })
  const text = await raw.text()
  assert.ok(raw.status === 202 && text.includes(payload), 'the payload comes back as it was written')
  assert.equal((await received(world, '/first', JSON.parse(text).id)).body, payload, 'and so it arrives')

  const message = { eventType: 'invoice.paid', eventId: 'invoice-7', payload: { id: 7 }, channels: ['eu'] }
  world.message = await svix.message.create('acme', message, { idempotencyKey: 'seven' })
  assert.deepEqual([watch.status, world.message.eventId, world.message.payload], [202, 'invoice-7', { id: 7 }])
  assert.equal((await svix.message.create('acme', message, { idempotencyKey: 'seven' })).id, world.message.id)
  await refused(409, svix.message.create('acme', { ...message, payload: { id: 8 } }, { idempotencyKey: 'seven' }))
  await refused(409, svix.message.create('acme', message))
  assert.equal((await received(world, '/first', world.message.id)).headers['x-tour'], '2')
  assert.equal((await svix.message.get('acme', 'invoice-7')).id, world.message.id)
  assert.deepEqual((await svix.message.get('acme', world.message.id, { withContent: false })).payload, {})
  const listed = await svix.message.list('acme', { eventTypes: ['invoice.paid'], channel: 'eu', limit: 1 })
  assert.deepEqual([listed.data[0].id, listed.done], [world.message.id, false])
  await refused(404, svix.message.create('nobody', message))
  await svix.message.create('made-with-it', { ...message, application: { name: 'Made with it' } })
  await svix.message.expungeContent('made-with-it', 'invoice-7')
  assert.deepEqual((await svix.message.get('made-with-it', 'invoice-7')).payload, { expired: true })
}

async function attempts(world) {
  const { svix, message } = world
  await within(
    20_000,
    'the attempt on record',
    async () => (await svix.messageAttempt.listByMsg('acme', message.id)).data.length === 1,
  )
  const [attempt] = (await svix.messageAttempt.listByMsg('acme', message.id)).data
  assert.deepEqual(
    [attempt.status, attempt.statusText, attempt.responseStatusCode, attempt.response, attempt.triggerType],
    [0, 'success', 200, 'thanks', 0],
  )
  assert.equal((await svix.messageAttempt.get('acme', message.id, attempt.id)).id, attempt.id)
  assert.ok(
    (await svix.messageAttempt.listByEndpoint('acme', 'first', { status: 0, eventTypes: ['invoice.paid'] })).data.some(
      ({ id }) => id === attempt.id,
    ),
  )
  const [destination] = (await svix.messageAttempt.listAttemptedDestinations('acme', message.id)).data
  assert.deepEqual([destination.uid, destination.status, destination.statusText], ['first', 0, 'success'])
  const [attempted] = (await svix.messageAttempt.listAttemptedMessages('acme', 'first', { limit: 1 })).data
  assert.deepEqual([attempted.id, attempted.status, attempted.payload], [message.id, 0, { id: 7 }])
  await svix.messageAttempt.resend('acme', message.id, 'first')
  await received(world, '/first', message.id, 2)
  await within(
    20_000,
    'both attempts on record',
    async () => (await svix.messageAttempt.listByMsg('acme', message.id)).data.length === 2,
  )
  await svix.messageAttempt.expungeContent('acme', message.id, attempt.id)
  assert.equal((await svix.messageAttempt.get('acme', message.id, attempt.id)).response, '')
  await refused(404, svix.messageAttempt.get('acme', 'invoice-none', attempt.id))
}

/** Recovers what died while a receiver was broken, and what came while its endpoint was disabled. */
async function recovery(world) {
  const { svix, receiver, startedAt } = world
  receiver.break('/first')
  const { id } = await svix.message.create('acme', { eventType: 'invoice.paid', payload: { id: 9 } })
  await within(
    20_000,
    'a dead letter',
    async () => (await svix.messageAttempt.listAttemptedDestinations('acme', id)).data[0]?.status === 2,
  )
  receiver.mend('/first')
  const task = await svix.endpoint.recover('acme', 'first', { since: startedAt })
  assert.deepEqual([task.status, task.task], ['running', 'endpoint.recover'])
  await received(world, '/first', id, 2)
  await finished(world, task.id)
  assert.ok((await svix.backgroundTask.list()).data.some((listed) => listed.id === task.id))

  await svix.endpoint.patch('acme', 'second', { disabled: false })
  const replay = await svix.endpoint.replayMissing('acme', 'second', { since: startedAt })
  await received(world, '/second', id)
  await finished(world, replay.id)
  await finished(world, (await svix.endpoint.bulkReplay('acme', 'second', { since: startedAt })).id)
  const stats = await svix.endpoint.getStats('acme', 'first')
  assert.deepEqual([stats.pending, stats.sending, stats.canceled], [0, 0, 0])
  assert.ok(stats.success >= 4, `${stats.success} successes`)
}

async function portal({ svix, client }) {
  const { url, token } = await svix.authentication.appPortalAccess('acme', {})
  assert.ok(url.includes(token))
  const customer = client(token)
  assert.equal((await customer.endpoint.list('acme')).data.length, 2)
  await refused(403, customer.endpoint.list('other'))
  await refused(403, customer.application.list())
  await customer.authentication.logout()
  await within(10_000, 'the key to be refused', () =>
    customer.endpoint.list('acme').then(
      () => false,
      ({ code }) => code === 401,
    ),
  )
}

async function farewell({ svix, receiver }) {
  await svix.endpoint.rotateSecret('acme', 'first', { key: otherSecret, gracePeriodSeconds: 0 })
  receiver.expect('/first', otherSecret)
  await svix.endpoint.delete('acme', 'second')
  await refused(404, svix.endpoint.get('acme', 'second'))
  await svix.application.delete('other')
  await refused(404, svix.application.get('other'))
}

/** The nth request with a message to a path, once it has arrived. */
async function received({ receiver }, path, id, times = 1) {
  const found = () => receiver.receipts.filter((receipt) => receipt.path === path && receipt.id === id)
  await within(20_000, `message ${id} at ${path}, ${times} times`, () => found().length >= times)
  return found()[times - 1]
}

async function finished({ svix }, taskId) {
  await within(
    20_000,
    `task ${taskId} to finish`,
    async () => (await svix.backgroundTask.get(taskId)).status === 'finished',
  )
}

async function refused(status, call) {
  const thrown = await call.then(
    () => null,
    (error) => error,
  )
  assert.ok(thrown instanceof ApiException, `expected ${status}, got ${thrown === null ? 'an answer' : thrown}`)
  assert.equal(thrown.code, status)
  const { detail } = thrown.body
  assert.ok(
    status === 422
      ? detail.every((problem) => problem.loc.length > 0 && problem.msg !== '')
      : typeof detail === 'string',
  )
}
