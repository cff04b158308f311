// The engine end to end: send → stored → delivered → marked, durable (FULL), leases fenced, attempts recorded.
import { join } from 'node:path'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { data, percentile, scratch, seconds } from './common.js'

const warmUpMs = 2_000
const runMs = 8_000
const mostOpen = 1_000
const lightPerSecond = 200
const lightMs = 5_000

export async function engineOnSqlite(receiver, { endpoints = 10 } = {}) {
  const { folder, remove } = scratch()
  const posthorn = new Posthorn({ store: sqlite(join(folder, 'bench.db')), allowedTargets: ['127.0.0.1'] })
  await posthorn.start()
  for (let index = 0; index < endpoints; index += 1) {
    await posthorn.endpoints.create({ application: `app-${index}`, url: `http://127.0.0.1:${receiver.port}/hook` })
  }
  try {
    const perSecond = await throughput(posthorn, endpoints)
    await posthorn.idle()
    const latency = await lightLoad(posthorn, receiver, endpoints)
    return { perSecond, ...latency, rssMb: process.memoryUsage().rss / 2 ** 20 }
  } finally {
    await posthorn.stop()
    remove()
  }
}

/** Messages keep coming in, as fast as they are delivered: a closed loop with a bounded number under way. */
async function throughput(posthorn, endpoints) {
  let sent = 0
  let delivered = 0
  let running = true
  let wake = nothing
  const off = posthorn.on('delivery.delivered', () => {
    delivered += 1
    wake()
  })
  const producer = (async () => {
    while (running) {
      while (running && sent - delivered < mostOpen) {
        const application = `app-${sent % endpoints}`
        sent += 1
        void posthorn.send({ application, type: 'invoice.paid', data })
      }
      await new Promise((resolve) => (wake = resolve))
    }
  })()
  await pause(warmUpMs)
  const [before, startedAt] = [delivered, performance.now()]
  await pause(runMs)
  const perSecond = (delivered - before) / seconds(startedAt)
  running = false
  wake()
  await producer
  await posthorn.idle()
  off()
  return perSecond
}

async function lightLoad(posthorn, receiver, endpoints) {
  await receiver.report()
  const ends = performance.now() + lightMs
  for (let count = 0; performance.now() < ends; count += 1) {
    const sentAtNs = String(process.hrtime.bigint())
    void posthorn.send({ application: `app-${count % endpoints}`, type: 'invoice.paid', data: { sentAtNs, ...data } })
    await pause(1_000 / lightPerSecond)
  }
  await posthorn.idle()
  const { latenciesMs } = await receiver.report()
  return { p50Ms: percentile(latenciesMs, 0.5), p99Ms: percentile(latenciesMs, 0.99) }
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}

function nothing() {}
