import { createServer } from 'node:http'
import { once } from 'node:events'

const slowestMs = 40

/** Answers 200 after a moment, and keeps a receipt of everything: what, when, and the connection it came on. */
export async function startReceiver() {
  const receipts = []
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      receipts.push({ id: request.headers['webhook-id'], at: performance.now(), connection: connectionOf(request.socket) })
      // A moment, so that a fault finds something under way.
      setTimeout(() => response.writeHead(200, { 'content-length': '0' }).end(), Math.random() * slowestMs)
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    receipts,
    url: (path) => `http://127.0.0.1:${server.address().port}${path}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

const connections = new WeakMap()

/** When a process is killed, its connections end: that tells which receipts were its own. */
function connectionOf(socket) {
  if (!connections.has(socket)) {
    const connection = { closedAt: null }
    connections.set(socket, connection)
    socket.once('close', () => (connection.closedAt = performance.now()))
  }
  return connections.get(socket)
}
