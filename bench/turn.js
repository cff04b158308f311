// One run of a build: sends and delivers as fast as it can, and reports what a delivery cost this process.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { data, scratch, seconds } from './common.js'

const [dist, port] = process.argv.slice(2)
const endpoints = 10
const open = 500
const warmUpMs = 2_500
const runMs = 5_000

const { Posthorn } = await load('index.js')
const { sqlite } = await load('stores/sqlite/index.js')
const { folder, remove } = scratch()
const posthorn = new Posthorn({ store: sqlite(join(folder, 'bench.db')), allowedTargets: ['127.0.0.1'] })
let delivered = 0
let running = true
try {
  await posthorn.start()
  for (let index = 0; index < endpoints; index += 1) await createEndpoint(`app-${index}`)
  posthorn.on('delivery.delivered', () => {
    delivered += 1
    if (running) setImmediate(send)
  })
  for (let sent = 0; sent < open; sent += 1) send()
  await pause(warmUpMs)
  const before = { delivered, cpu: process.cpuUsage(), at: performance.now() }
  await pause(runMs)
  const used = process.cpuUsage(before.cpu)
  const count = delivered - before.delivered
  process.send({ cpuUs: (used.user + used.system) / count, perSecond: count / seconds(before.at) })
  running = false
  await posthorn.idle()
} finally {
  await posthorn.stop()
  remove()
}
process.disconnect()

function load(file) {
  return import(pathToFileURL(join(dist, file)).href)
}

/** With a header, which is a secret like the key of the signature. */
function createEndpoint(application) {
  return posthorn.endpoints.create({
    application,
    url: `http://127.0.0.1:${port}/hook`,
    headers: { 'x-api-key': 'a secret of the customer' },
  })
}

function send() {
  posthorn.send({ application: `app-${delivered % endpoints}`, type: 'invoice.paid', data }).catch((error) => {
    console.error(error)
    process.exit(1)
  })
}

function pause(ms) {
  return new Promise((resolve) => setTimeout(resolve, ms))
}
