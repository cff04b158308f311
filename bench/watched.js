// What it costs to be watched: metrics and the log as `posthorn serve` has them, in turns with neither.
import { join } from 'node:path'
import { Posthorn } from 'posthorn'
import { createMetrics } from 'posthorn/metrics'
import { sqlite } from 'posthorn/sqlite'
import { systemClock } from '../dist/clock.js'
import { logEvents, logWarnings } from '../dist/cli/logs/events.js'
import { makeLog } from '../dist/cli/logs/log.js'
import { data, percentile, print, scratch, startReceiver } from './common.js'

const runs = 5
const warmUpMs = 1_500
const runMs = 4_000
const open = 500
const endpoints = 10_000
const scrapes = 50

export async function watched() {
  const receiver = await startReceiver()
  try {
    const costs = { without: [], with: [] }
    for (let run = 0; run < runs; run += 1)
      for (const kind of run % 2 === 0 ? ['without', 'with'] : ['with', 'without'])
        costs[kind].push(await microsecondsPerDelivery(receiver, kind === 'with'))
    const [without, withBoth] = [costs.without, costs.with].map((values) => percentile(values, 0.5))
    print('CPU per delivery, not watched', `${without.toFixed(1)} µs`, costsOf(costs.without))
    print('CPU per delivery, metrics and log', `${withBoth.toFixed(1)} µs`, costsOf(costs.with))
    print('  more', `${(100 * (withBoth / without - 1)).toFixed(1)} %`, 'medians of five runs in turns; the bar is 3 %')
  } finally {
    receiver.stop()
  }
  const tookMs = await scrapesOfMany()
  print(
    'a scrape with 10,000 endpoints, median',
    `${percentile(tookMs, 0.5).toFixed(2)} ms`,
    `slowest of ${scrapes}: ${Math.max(...tookMs).toFixed(2)} ms; the bar is 50 ms`,
  )
}

function costsOf(values) {
  return values.map((value) => value.toFixed(0)).join(' ')
}

/** Of this process, senders included; the receiver has one of its own. */
async function microsecondsPerDelivery({ port }, isWatched) {
  const { folder, remove } = scratch()
  const metrics = isWatched ? createMetrics() : null
  const store = sqlite(join(folder, 'bench.db'), { plaintextSecrets: true })
  const posthorn = new Posthorn({ store, allowedTargets: ['127.0.0.1'], meter: metrics?.meter ?? null })
  if (isWatched) {
    const log = makeLog({ level: 'info', format: 'json', clock: systemClock, write: () => undefined })
    logEvents(posthorn, log)
    logWarnings(posthorn, log)
  }
  let delivered = 0
  let running = true
  const send = () =>
    void posthorn.send({ application: `app-${delivered % 10}`, type: 'invoice.paid', data }).catch(stopOn)
  posthorn.on('delivery.delivered', () => {
    delivered += 1
    if (running) setImmediate(send)
  })
  try {
    await posthorn.start()
    for (let index = 0; index < 10; index += 1)
      await posthorn.endpoints.create({ application: `app-${index}`, url: `http://127.0.0.1:${port}/hook` })
    for (let sent = 0; sent < open; sent += 1) send()
    await pause(warmUpMs)
    const [before, usedBefore] = [delivered, process.cpuUsage()]
    await pause(runMs)
    const used = process.cpuUsage(usedBefore)
    const cost = (used.user + used.system) / (delivered - before)
    running = false
    await posthorn.idle()
    return cost
  } finally {
    await posthorn.stop()
    remove()
  }
}

function stopOn(error) {
  console.error(error)
  process.exit(1)
}

async function scrapesOfMany() {
  const { folder, remove } = scratch()
  const metrics = createMetrics({ endpointLabels: 1_000 })
  const store = sqlite(join(folder, 'many.db'), { plaintextSecrets: true })
  const posthorn = new Posthorn({ store, allowedTargets: ['127.0.0.1'], meter: metrics.meter })
  try {
    for (let index = 0; index < endpoints; index += 1)
      await posthorn.endpoints.create({ application: `app-${index % 100}`, url: `http://127.0.0.1:1/${index}` })
    await posthorn.start()
    const tookMs = []
    for (let scrape = 0; scrape < scrapes; scrape += 1) {
      const startedAt = performance.now()
      await metrics.registry.metrics()
      tookMs.push(performance.now() - startedAt)
      await pause(20)
    }
    return tookMs
  } finally {
    await posthorn.stop()
    remove()
  }
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
