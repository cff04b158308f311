import { BroadcastChannel } from 'node:worker_threads'
import { randomUUID } from 'node:crypto'
import { expect, onTestFinished, test } from 'vitest'
import type { Posthorn, PosthornEvent, PosthornOptions, Sent } from 'posthorn'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { receiver } from '../../src/testing/receiver.ts'
import type { Outgoing } from '../../src/engine/send/envelope.ts'
import { read } from '../metrics/scrape.ts'
import { builtModules, freshFile } from './built.ts'

const built = builtModules()
const paid = { application: 'acme', type: 'invoice.paid', data: { id: 7 } }

test('what is sent arrives, is read and is heard of as without a thread', async () => {
  const local = await receiver()
  onTestFinished(() => local.close())
  const { createMetrics } = await built.load('metrics/index.js')
  const metrics = createMetrics()
  const posthorn = await posthornOn(freshFile(), { meter: metrics.meter })
  const events: PosthornEvent[] = []
  const off = posthorn.on('message.enqueued', (event) => events.push(event))
  const delivered = new Promise((resolve) => posthorn.on('delivery.delivered', resolve))
  await posthorn.start()
  await posthorn.endpoints.create({ application: 'acme', url: local.url('/hook') })

  const { id } = await posthorn.send(paid)
  const [receipt] = await local.waitFor(1)
  expect(receipt?.headers['webhook-id']).toBe(id)
  expect(JSON.parse(receipt?.body.toString() ?? '')).toMatchObject({ type: 'invoice.paid', data: { id: 7 } })
  await delivered
  await posthorn.idle()
  expect(await posthorn.deliveries.list({})).toMatchObject([{ messageId: id, status: 'delivered', attemptCount: 1 }])
  expect(events).toMatchObject([{ type: 'message.enqueued', message_id: id, deliveries: 1 }])
  expect(await read(metrics, 'posthorn_deliveries_delivered_total')).toBe(1)
  expect(await read(metrics, 'posthorn_messages_accepted_total')).toBe(1)
  expect(await read(metrics, 'posthorn_deliveries_in_flight')).toBe(0)

  off()
  const all: PosthornEvent[] = []
  posthorn.on('*', (event) => all.push(event))
  await posthorn.send(paid)
  await posthorn.idle()
  expect(events).toHaveLength(1)
  // Once each, although others listen for some of them by name.
  expect(all.map(({ type }) => type)).toEqual(['message.enqueued', 'delivery.delivered'])
})

test('what an operator does reaches the engine in its thread', async () => {
  const local = await receiver({ behaviour: [410, 200] })
  onTestFinished(() => local.close())
  const posthorn = await posthornOn(freshFile())
  await posthorn.start()
  const { id: endpointId } = await posthorn.endpoints.create({ application: 'acme', url: local.url('/hook') })
  const disabled = new Promise((resolve) => posthorn.on('endpoint.disabled', resolve))
  await posthorn.send(paid)
  await disabled
  expect(await posthorn.endpoints.get(endpointId)).toMatchObject({ status: 'disabled' })
  await posthorn.idle()

  await posthorn.endpoints.enable(endpointId)
  const [delivery] = await posthorn.deliveries.list({})
  await posthorn.requeue(delivery?.id ?? '')
  await local.waitFor(2)
})

test('an error comes with its code and sentence from the other thread', async () => {
  const posthorn = await posthornOn(freshFile())
  await posthorn.send({ ...paid, idempotencyKey: 'one' })
  const refused = posthorn.send({ ...paid, data: { id: 8 }, idempotencyKey: 'one' })
  await expect(refused).rejects.toMatchObject({
    name: 'PosthornError',
    code: 'idempotency_conflict',
    message: expect.stringContaining('Expected `idempotencyKey` to be new') as unknown,
  })
  expect(await posthorn.send({ ...paid, idempotencyKey: 'one' })).toMatchObject({ repeated: true })
  await expect(posthorn.send(paid, { to: 'ep_none' })).rejects.toMatchObject({ code: 'not_found' })
})

test('while the store takes nothing, messages that wait are bounded in number and in bytes', async () => {
  const { posthorn, go } = await waitingPosthorn()
  const big = Buffer.alloc(1024 * 1024, 'x')
  const sends = Array.from({ length: 70 }, () =>
    codeOf(posthorn.send({ application: 'acme', type: 'invoice.paid', payload: big })),
  )
  await expect(Promise.race(sends)).resolves.toBe('overloaded')
  go()
  const codes = await Promise.all(sends)
  expect(codes.filter((code) => code === 'stored')).toHaveLength(64)
  expect(codes.filter((code) => code === 'overloaded')).toHaveLength(6)
  expect(await codeOf(posthorn.send(paid))).toBe('stored')
})

test('a send ends within ten seconds, whatever the other thread does', async () => {
  const clock = manualClock()
  const name = randomUUID()
  const recipe = built.recipe('waiting-store.js', 'waitingStore', freshFile(), name)
  const { EngineThread } = await built.load('thread/engine-thread.js')
  const { RemoteEngine } = await built.load('thread/remote-engine.js')
  const { threadParts } = await built.load('wiring.js')
  const thread = new EngineThread({ recipe, options: {}, workerId: 'one', isMetered: false, mostUnheard: 100 }, quiet())
  thread.open()
  onTestFinished(() => thread.end())
  await thread.call('store', 'open')
  const parts = threadParts({ store: (await sqlite())(freshFile()) }, 'one')
  const engine = new RemoteEngine({ ...parts, clock }, thread)

  const sent = codeOf(engine.send(outgoing('msg_1')))
  await clock.advance(10_000)
  expect(await sent).toBe('outcome_unknown')
  sayGo(name)
})

test('events that the main thread is too busy to hear are left out, counted and said', async () => {
  const heard: PosthornEvent[] = []
  const { EngineThread } = await built.load('thread/engine-thread.js')
  const { recipe = fail() } = (await sqlite())(freshFile())
  const data = { recipe, options: {}, workerId: 'one', isMetered: false, mostUnheard: 2 }
  const thread = new EngineThread(data, { ...quiet(), event: (event) => heard.push(event) })
  thread.want('*', true)
  thread.open()
  onTestFinished(() => thread.end())
  await thread.call('store', 'open')

  // In one message, so that one commit stores them all.
  await Promise.all(Array.from({ length: 10 }, (_, index) => thread.send(outgoing(`msg_${index}`))))
  await thread.send(outgoing('msg_last'))
  const warnings = heard.flatMap((event) => (event.type === 'warning' ? [event] : []))
  expect(warnings).toMatchObject([{ code: 'events_dropped' }])
  const [dropped = ''] = /^\d+/.exec(warnings[0]?.message ?? '') ?? []
  expect(Number(dropped)).toBeGreaterThan(0)
  expect(heard.filter(({ type }) => type === 'message.enqueued')).toHaveLength(11 - Number(dropped))
})

test.each<[string, (file: string) => Promise<Partial<PosthornOptions>>, string]>([
  ['a store in memory', async () => ({ store: (await sqlite())(':memory:') }), '`thread` to be left out'],
  ['a clock', async () => ({ clock: manualClock() }), '`clock` to be left out together with `thread: true`'],
  ['random numbers', async () => ({ random: () => 0.5 }), '`random` to be left out together with `thread: true`'],
])('a thread is refused together with %s, and says why', async (_, options, sentence) => {
  const { Posthorn: Built } = await built.load('index.js')
  const store = (await sqlite())(freshFile())
  const given = await options(freshFile())
  expect(() => new Built({ store, thread: true, ...given })).toThrow(sentence)
})

async function posthornOn(file: string, options: Partial<PosthornOptions> = {}): Promise<Posthorn> {
  const { Posthorn: Built } = await built.load('index.js')
  const store = (await sqlite())(file, { plaintextSecrets: true, synchronous: 'off' })
  const posthorn = new Built({ store, thread: true, allowedTargets: ['127.0.0.1'], ...options })
  onTestFinished(() => posthorn.stop({ graceMs: 0 }))
  return posthorn
}

async function waitingPosthorn(): Promise<{ posthorn: Posthorn; go: () => void }> {
  const file = freshFile()
  const name = randomUUID()
  const store = (await sqlite())(file, { plaintextSecrets: true })
  const recipe = built.recipe('waiting-store.js', 'waitingStore', file, name)
  return { posthorn: await posthornOn(file, { store: { ...store, recipe } }), go: () => sayGo(name) }
}

function sayGo(name: string): void {
  const channel = new BroadcastChannel(name)
  channel.postMessage('go')
  channel.close()
}

async function codeOf(sending: Promise<Sent>): Promise<string> {
  try {
    await sending
    return 'stored'
  } catch (error) {
    return (error as { readonly code: string }).code
  }
}

function outgoing(id: string): Outgoing {
  const body = Buffer.from('{}')
  const about = { type: 'invoice.paid', eventId: null, contentType: 'application/json', sessionId: null }
  return {
    application: 'acme',
    message: { id, body, ...about, channels: [], traceContext: null, createdAt: 1, erasedAt: null },
    idempotencyKey: null,
    content: body,
    deliverAt: null,
    mustExist: false,
    to: null,
  }
}

function quiet() {
  return { event: () => undefined, meter: () => undefined, died: (error: Error) => fail(error) }
}

function fail(error = new Error('Expected a recipe.')): never {
  throw error
}

async function sqlite() {
  return (await built.load('stores/sqlite/index.js')).sqlite
}
