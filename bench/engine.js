// The engine end to end: send → stored → delivered → marked, durable, leases fenced, attempts recorded.
import { join } from 'node:path'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { data, percentile, scratch, seconds } from './common.js'

const endpoints = 10
const warmUpMs = 2_000
const runMs = 8_000
const lightPerSecond = 200
const lightMs = 5_000

export async function engineOnSqlite(receiver) {
  const { folder, remove } = scratch()
  try {
    return await engineInOneProcess(sqlite(join(folder, 'bench.db')), receiver)
  } finally {
    remove()
  }
}

/** Sends and delivers in this process, at most a thousand under way. */
export async function engineInOneProcess(store, receiver) {
  const posthorn = new Posthorn({ store, allowedTargets: ['127.0.0.1'] })
  await posthorn.start()
  const delivered = makeCounter()
  posthorn.on('delivery.delivered', () => delivered.add(1))
  try {
    await createEndpoints(posthorn, receiver)
    const result = await measureEngine(posthorn, receiver, delivered, 1_000)
    return { ...result, rssMb: process.memoryUsage().rss / 2 ** 20 }
  } finally {
    await posthorn.stop()
  }
}

export function makeCounter() {
  let wake = nothing
  const counter = {
    count: 0,
    add(more) {
      counter.count += more
      wake()
    },
    changed: () => new Promise((resolve) => (wake = resolve)),
  }
  return counter
}

export async function createEndpoints(posthorn, receiver) {
  for (let index = 0; index < endpoints; index += 1) {
    await posthorn.endpoints.create({ application: `app-${index}`, url: `http://127.0.0.1:${receiver.port}/hook` })
  }
}

/** What one sender and whoever counts as delivered do together. */
export async function measureEngine(posthorn, receiver, delivered, mostOpen) {
  const perSecond = await throughput(posthorn, delivered, mostOpen)
  return { perSecond, ...(await lightLoad(posthorn, receiver, delivered)) }
}

/** Messages keep coming in, as fast as they are delivered: a closed loop with a bounded number under way. */
async function throughput(posthorn, delivered, mostOpen) {
  let sent = 0
  let running = true
  const producer = (async () => {
    while (running) {
      while (running && sent - delivered.count < mostOpen) {
        const application = `app-${sent % endpoints}`
        sent += 1
        void posthorn.send({ application, type: 'invoice.paid', data })
      }
      await delivered.changed()
    }
  })()
  await pause(warmUpMs)
  const [before, startedAt] = [delivered.count, performance.now()]
  await pause(runMs)
  const perSecond = (delivered.count - before) / seconds(startedAt)
  running = false
  delivered.add(0)
  await producer
  while (delivered.count < sent) await delivered.changed()
  return perSecond
}

async function lightLoad(posthorn, receiver, delivered) {
  await receiver.report()
  const before = delivered.count
  const ends = performance.now() + lightMs
  let sent = 0
  while (performance.now() < ends) {
    const sentAtNs = String(process.hrtime.bigint())
    void posthorn.send({ application: `app-${sent % endpoints}`, type: 'invoice.paid', data: { sentAtNs, ...data } })
    sent += 1
    await pause(1_000 / lightPerSecond)
  }
  while (delivered.count < before + sent) await delivered.changed()
  const { latenciesMs } = await receiver.report()
  return { p50Ms: percentile(latenciesMs, 0.5), p99Ms: percentile(latenciesMs, 0.99) }
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function nothing() {}
