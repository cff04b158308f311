// Stands in for every endpoint on another machine: answers 204, and keeps the requests.
import { once } from 'node:events'
import { createServer } from 'node:http'

export async function startLocalReceiver() {
  const requests = []
  const server = createServer((request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      requests.push({ path: request.url, headers: request.headers, body: Buffer.concat(chunks) })
      response.writeHead(204).end()
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
