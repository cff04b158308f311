// One value of one limit, in a process of its own.
import { once } from 'node:events'
import { join } from 'node:path'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { data, scratch, seconds } from '../common.js'

const [kind, mostText, badPort, goodPort] = process.argv.slice(2)
const most = Number(mostText)
const lightMs = 8_000
const lightPerSecond = 200
const perEndpoint = { open: 5, retries: 100 }[kind]
const endpoints = kind === 'open' ? most / perEndpoint : 400
const retryAfterMs = 30_000
const { folder, remove } = scratch()
const limits = { open: { openRequests: most, maxLeased: most }, retries: { retriesPerTick: most, breaker: false } }[
  kind
]
const posthorn = new Posthorn({
  store: sqlite(join(folder, 'bench.db')),
  allowedTargets: ['127.0.0.1'],
  timeoutMs: 60_000,
  policies: { once: { delays: { kind: 'list', delaysMs: [retryAfterMs] }, jitterShare: 0, maxAttempts: 2 } },
  ...limits,
})
process.on('disconnect', () => {
  remove()
  process.exit(0)
})

await posthorn.start()
await posthorn.endpoints.create({ application: 'good', url: `http://127.0.0.1:${goodPort}/hook` })
for (let index = 0; index < endpoints; index += 1)
  await posthorn.endpoints.create({
    application: `bad-${index}`,
    url: `http://127.0.0.1:${badPort}/hook`,
    policy: 'once',
  })
await posthorn.send({ application: 'good', type: 'invoice.paid', data })
await sendToAll(1)
await posthorn.idle()
process.send(await (kind === 'open' ? withRequestsOpen() : withRetries()))

/** The endpoints hang, and each holds a few requests open. */
async function withRequestsOpen() {
  await tell('hold')
  await sendToAll(perEndpoint)
  await stream(performance.now() + 2_000)
  await tell('begin')
  await stream(performance.now() + lightMs)
  return { rssMb: process.memoryUsage().rss / 2 ** 20 }
}

/** The endpoints have failed for a while, and answer again just before the first retries are due. */
async function withRetries() {
  const retries = endpoints * perEndpoint
  let failed = 0
  let delivered = 0
  posthorn.on('delivery.failed', () => (failed += 1))
  posthorn.on('delivery.delivered', ({ application_id: application }) => (delivered += application === 'good' ? 0 : 1))
  await tell('fail')
  const failedAt = performance.now()
  await sendToAll(perEndpoint)
  while (failed < retries) await pause(50)
  await tell('release')
  delivered = 0
  await pause(failedAt + retryAfterMs - 100 - performance.now())
  await tell('begin')
  const startedAt = performance.now()
  await stream(() => delivered >= retries)
  return { retries, seconds: seconds(startedAt) }
}

/** A steady stream to the healthy endpoint, until an instant, or until something is true. */
async function stream(until) {
  const isOver = typeof until === 'number' ? () => performance.now() >= until : until
  while (!isOver()) {
    void posthorn.send({
      application: 'good',
      type: 'invoice.paid',
      data: { sentAtNs: String(process.hrtime.bigint()), ...data },
    })
    await pause(1_000 / lightPerSecond)
  }
}

/** A hundred at a time, so that they share a wait for the disk. */
async function sendToAll(times) {
  const together = 100
  for (let first = 0; first < endpoints * times; first += together)
    await Promise.all(
      Array.from({ length: together }, (_, index) =>
        posthorn.send({ application: `bad-${(first + index) % endpoints}`, type: 'invoice.paid', data }),
      ),
    )
}

async function tell(message) {
  process.send(message)
  await once(process, 'message')
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, Math.max(ms, 0)))
}
