// What each part of a delivery costs by itself, in µs of CPU: the engine over a store and a network that answer at once, the store on
// SQLite without engine and network, by how many messages share a commit, and the HTTP client without either.
import { join } from 'node:path'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { memoryStore } from 'posthorn/testing'
import { makeId } from '../dist/core/ids.js'
import { batched } from '../dist/stores/shared/batching/batcher.js'
import { bareDispatch } from './bare.js'
import { body, data, print, scratch, startReceiver } from './common.js'

const applications = 10
const warmUpMs = 2_000
const runMs = 4_000
const commitSizes = [1, 20, 100]
const answer = { kind: 'answered', statusCode: 200, responseBody: 'ok', retryAfterMs: null }

export async function parts() {
  const receiver = await startReceiver()
  const { perSecond } = await bareDispatch(receiver.port)
  receiver.stop()
  print('HTTP client: bare dispatch, signed', micros(1e6 / perSecond))
  print('engine: store and network answer at once', micros(await engineUs()))
  for (const size of commitSizes)
    print(
      `store on SQLite, ${size} in a commit`,
      micros(await storeUs(size)),
      'stored, and marked with the next commit',
    )
}

/** Checked, matched, batched, signed, settled and emitted; nothing is stored or sent. */
async function engineUs() {
  const posthorn = new Posthorn({ store: storeThatAnswers(), transport: transportThatAnswers() })
  await posthorn.start()
  for (let index = 0; index < 10 * applications; index += 1)
    await posthorn.endpoints.create({ application: `app-${index}`, url: 'https://shop.example/hook' })
  let [sent, delivered, isRunning] = [0, 0, true]
  const send = () => {
    const application = `app-${sent % (10 * applications)}`
    sent += 1
    if (isRunning) void posthorn.send({ application, type: 'invoice.paid', data })
  }
  posthorn.on('delivery.delivered', () => {
    delivered += 1
    setImmediate(send)
  })
  for (let index = 0; index < 10 * applications; index += 1) send()
  await pause(warmUpMs)
  const us = await cpuUsOf(
    () => pause(runMs),
    () => delivered,
  )
  isRunning = false
  await posthorn.idle()
  await posthorn.stop()
  return us
}

function storeThatAnswers() {
  const store = memoryStore()
  const queue = {
    ...store.queue,
    async enqueue({ envelopes }) {
      await nextTurn()
      return envelopes.map(() => ({ kind: 'stored' }))
    },
    async mark({ marks }) {
      await nextTurn()
      return marks.map(() => 'marked')
    },
  }
  return { ...store, queue: batched(queue) }
}

function transportThatAnswers() {
  let waiting = []
  const answerAll = () => {
    const answered = waiting
    waiting = []
    for (const resolve of answered) resolve(answer)
  }
  const send = () => new Promise((resolve) => waiting.push(resolve) === 1 && setImmediate(answerAll))
  return { send, close: async () => undefined }
}

/** Each commit stores so many messages, one to an endpoint each, and marks those of the commit before. */
async function storeUs(size) {
  const { folder, remove } = scratch()
  try {
    const path = join(folder, 'bench.db')
    const endpoints = await endpointsIn(path)
    const store = sqlite(path)
    await store.open()
    await store.attach({ id: owner, pid: process.pid, host: 'bench', startedAt: Date.now() })
    let [stored, marks] = [0, []]
    const commit = async () => {
      const now = Date.now()
      const envelopes = Array.from({ length: size }, (_, index) => envelopeTo(endpoints[index % applications], now))
      const marking = marks.length > 0 && store.queue.mark({ owner, now, marks })
      await Promise.all([store.queue.enqueue({ owner, leaseMs: 30_000, now, envelopes }), marking])
      marks = envelopes.flatMap(({ deliveries }) => deliveries.map(markOf))
      stored += size
    }
    await during(warmUpMs, commit)
    const us = await cpuUsOf(
      () => during(runMs, commit),
      () => stored,
    )
    await store.close()
    return us
  } finally {
    remove()
  }
}

const owner = 'bench'

async function endpointsIn(path) {
  const store = sqlite(path)
  const posthorn = new Posthorn({ store })
  const endpoints = []
  for (let index = 0; index < applications; index += 1) {
    const { id, url, applicationId } = await posthorn.endpoints.create({
      application: `app-${index}`,
      url: 'https://shop.example/hook',
    })
    const { endpointsVersion } = await store.directory.matching(applicationId)
    endpoints.push({ id, url, applicationId, endpointsVersion })
  }
  await posthorn.stop()
  return endpoints
}

function envelopeTo({ id: endpointId, url: targetUrl, applicationId, endpointsVersion }, now) {
  const message = {
    id: makeId('msg', now, Math.random),
    applicationId,
    type: 'invoice.paid',
    eventId: null,
    body,
    contentType: 'application/json',
    sessionId: null,
    channels: [],
    traceContext: null,
    createdAt: now,
    erasedAt: null,
  }
  const id = makeId('dlv', now, Math.random)
  const deliveries = [{ id, endpointId, targetUrl, policy: 'standard', nextRetryAt: now, leased: true }]
  return { message, idempotencyKey: null, bodyHash: '', endpointsVersion, reliesOn: [], deliveries }
}

function markOf({ id: deliveryId, endpointId, targetUrl: url, nextRetryAt: startedAt }) {
  const mark = { status: 'delivered', reason: null, attemptCount: 1, nextRetryAt: null, errorDetail: null }
  const about = { outcome: 'answered', statusCode: 200, responseBody: 'ok', diagnostics: null }
  return { deliveryId, epoch: 1, endpointId, mark, attempt: { epoch: 1, startedAt, tookMs: 3, url, ...about } }
}

async function during(ms, work) {
  const endsAt = performance.now() + ms
  while (performance.now() < endsAt) await work()
}

/** CPU of this process for each of what is counted. */
async function cpuUsOf(run, count) {
  const before = { cpu: process.cpuUsage(), count: count() }
  await run()
  const { user, system } = process.cpuUsage(before.cpu)
  return (user + system) / (count() - before.count)
}

function micros(us) {
  return `${us.toFixed(1)} µs`
}

function nextTurn() {
  return new Promise((resolve) => setImmediate(resolve))
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
