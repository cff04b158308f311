// One run of the library of a build, in a process of its own: sends and delivers as fast as it can, then at a light load.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { data, scratch, seconds } from '../common.js'

const [dist, database, port, runMs, lightMs] = process.argv.slice(2)
const endpoints = 10
const open = 500
const warmUpMs = 2_500
const lightPerSecond = 200

const { Posthorn } = await load('index.js')
const { folder, remove } = scratch()
const posthorn = new Posthorn({ store: await storeAt(database), allowedTargets: ['127.0.0.1'] })
let delivered = 0
let sent = 0
let running = true
try {
  await posthorn.start()
  for (let index = 0; index < endpoints; index += 1) await createEndpoint(`app-${index}`)
  posthorn.on('delivery.delivered', () => {
    delivered += 1
    if (running) setImmediate(() => send())
  })
  for (let index = 0; index < open; index += 1) send()
  await pause(warmUpMs)
  const full = await underFullLoad(Number(runMs))
  running = false
  await posthorn.idle()
  process.send({ kind: 'full', ...full })
  const { cpuUs } = await underLightLoad(Number(lightMs))
  process.send({ kind: 'light', lightCpuUs: cpuUs })
} finally {
  await posthorn.stop()
  remove()
}
process.disconnect()

async function underFullLoad(ms) {
  const before = { delivered, cpu: process.cpuUsage(), at: performance.now(), loop: performance.eventLoopUtilization() }
  await pause(ms)
  const { user, system } = process.cpuUsage(before.cpu)
  const count = delivered - before.delivered
  return {
    cpuUs: (user + system) / count,
    perSecond: count / seconds(before.at),
    busy: performance.eventLoopUtilization(before.loop).utilization,
    rssMb: process.memoryUsage().rss / 2 ** 20,
  }
}

/** A steady stream, whose receiver notes how long each message took. */
async function underLightLoad(ms) {
  const before = { cpu: process.cpuUsage(), sent }
  const endsAt = performance.now() + ms
  while (performance.now() < endsAt) {
    send({ sentAtNs: String(process.hrtime.bigint()), ...data })
    await pause(1_000 / lightPerSecond)
  }
  await posthorn.idle()
  const { user, system } = process.cpuUsage(before.cpu)
  return { cpuUs: (user + system) / (sent - before.sent) }
}

async function storeAt(url) {
  if (url === 'sqlite') return (await load('stores/sqlite/index.js')).sqlite(join(folder, 'bench.db'))
  const { postgres } = await load('stores/postgres/index.js')
  return postgres(url, { schema: `library_${process.pid}`, plaintextSecrets: true })
}

function load(file) {
  return import(pathToFileURL(join(dist, file)).href)
}

/** With a header, which is a secret like the key of the signature. */
function createEndpoint(application) {
  const url = `http://127.0.0.1:${port}/hook`
  return posthorn.endpoints.create({ application, url, headers: { 'x-api-key': 'a secret of the customer' } })
}

function send(content = data) {
  const application = `app-${sent % endpoints}`
  sent += 1
  posthorn.send({ application, type: 'invoice.paid', data: content }).catch((error) => {
    console.error(error)
    process.exit(1)
  })
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
