// The library with 5,000 requests open at once, in a process of its own: as many endpoints as it takes, all of which have answered before.
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { data, scratch } from '../common.js'

const [dist, port] = process.argv.slice(2)
const endpoints = 1_000
const perEndpoint = 5

const { Posthorn } = await load('index.js')
const { sqlite } = await load('stores/sqlite/index.js')
const { folder, remove } = scratch()
const posthorn = new Posthorn({ store: sqlite(join(folder, 'bench.db')), allowedTargets: ['127.0.0.1'] })
await posthorn.start()
for (let index = 0; index < endpoints; index += 1)
  await posthorn.endpoints.create({ application: `app-${index}`, url: `http://127.0.0.1:${port}/hook` })
await sendToAll(1)
await posthorn.idle()
process.send('ready')
process.on('message', () => void sendToAll(perEndpoint))
process.on('disconnect', () => {
  remove()
  process.exit(0)
})

/** A hundred at a time, so that they share a wait for the disk. */
async function sendToAll(times) {
  const together = 100
  for (let first = 0; first < endpoints * times; first += together)
    await Promise.all(Array.from({ length: together }, (_, index) => sendTo((first + index) % endpoints)))
}

function sendTo(index) {
  return posthorn.send({ application: `app-${index}`, type: 'invoice.paid', data })
}

function load(file) {
  return import(pathToFileURL(join(dist, file)).href)
}
