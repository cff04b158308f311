import { once } from 'node:events'
import { createServer } from 'node:http'
import { poisonMark, slowKind } from './traffic.js'

const slowestFastMs = 40

/**
 * Answers 200 after a moment, and keeps a receipt of everything: what, when, and from which process. The slow endpoint
 * takes a good part of a lease. Poison is never answered: `onPoison` gets its sender, and ends that process.
 */
export async function startReceiver({ leaseMs }) {
  const receipts = []
  const owners = makeOwners()
  const receiver = { receipts, url, owned, close, onPoison: () => undefined }
  const server = createServer((request, response) => void receive(request, response)).listen(0, '127.0.0.1')
  server.on('connection', owners.opened)
  await once(server, 'listening')
  return receiver

  async function receive(request, response) {
    const body = await textOf(request)
    if (body === null) return
    const receipt = {
      id: request.headers['webhook-id'],
      at: performance.now(),
      wallAt: Date.now(),
      connection: owners.connectionOf(request.socket),
    }
    receipts.push(receipt)
    if (body.includes(poisonMark)) {
      receiver.onPoison(receipt)
      return
    }
    // A moment, so that a fault finds something under way.
    const takesMs =
      request.url === `/${slowKind}` ? leaseMs * (0.3 + Math.random() * 0.3) : Math.random() * slowestFastMs
    setTimeout(() => response.writeHead(200, { 'content-length': '0' }).end(), takesMs)
  }

  function url(path) {
    return `http://127.0.0.1:${server.address().port}${path}`
  }

  /** A process reports that it has connected. */
  function owned({ from, to }, pid) {
    if (to === server.address().port) owners.owned(from, pid)
  }

  async function close() {
    server.closeAllConnections()
    server.close()
    await once(server, 'close')
  }
}

/** The process behind each connection. Process and kernel report it in any order; a port may be reused later. */
function makeOwners() {
  const connections = new WeakMap()
  const unowned = new Map()
  const announced = new Map()

  return {
    opened(socket) {
      const connection = { pid: announced.get(socket.remotePort) ?? null }
      connections.set(socket, connection)
      if (!announced.delete(socket.remotePort)) unowned.set(socket.remotePort, connection)
    },
    owned(port, pid) {
      const connection = unowned.get(port)
      if (connection === undefined) announced.set(port, pid)
      else connection.pid = pid
      unowned.delete(port)
    },
    connectionOf: (socket) => connections.get(socket),
  }
}

/** Null if it did not come to its end. */
async function textOf(request) {
  let text = ''
  try {
    for await (const chunk of request.setEncoding('utf8')) text += chunk
  } catch {
    return null
  }
  return text
}
