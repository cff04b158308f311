// What accepting a message costs by itself: the route of this build over a store that answers at once, or a bare one of `node:http`
// that parses the same request. In a process of its own, which says on request what it has used.
import { createServer } from 'node:http'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [kind, dist] = process.argv.slice(2)
const key = 'a-key-for-the-bench-only'
const { port } = kind === 'bare' ? await bare() : await posthorn()

process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send({ cpuUs: user + system })
})
process.on('disconnect', () => process.exit(0))
process.send({ port, key })

function bare() {
  const server = createServer((request, response) => {
    const parts = []
    request.on('data', (part) => parts.push(part))
    request.on('end', () => {
      const { eventType, payload } = JSON.parse(Buffer.concat(parts).toString())
      const answer = JSON.stringify({ id: 'msg_0', eventType, payload, timestamp: new Date().toISOString() })
      response.writeHead(202, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(answer) })
      response.end(answer)
    })
  })
  return new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(server.address())))
}

async function posthorn() {
  const { Posthorn } = await load('index.js')
  const { handler } = await load('server/index.js')
  const { memoryStore } = await load('testing/index.js')
  const { startHttpServer } = await load('server/http/http-server.js')
  const { systemClock } = await load('clock.js')
  const store = memoryStore()
  const stored = [{ kind: 'stored' }]
  store.queue.enqueue = async () => stored
  const own = new Posthorn({ store, allowedTargets: ['127.0.0.1'] })
  for (let index = 0; index < 10; index += 1)
    await own.endpoints.create({ application: `app-${index}`, url: 'http://127.0.0.1:1/hook' })
  const listening = await startHttpServer({ host: '127.0.0.1', port: 0, clock: systemClock })
  const limits = { rateLimitPerSecond: 0, messagesPerSecondPerApplication: 0 }
  listening.serve(handler(own, { adminKey: key, ...limits }), async () => undefined)
  return listening
}

function load(file) {
  return import(pathToFileURL(join(dist, file)).href)
}
