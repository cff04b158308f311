import { once } from 'node:events'
import { createServer } from 'node:http'

const mostWaitMs = 20_000

/** Keeps requests by path. `GET /receipts?path=/x&count=2` answers once that many have come to that path. */
export async function startReceiver() {
  const receipts = []
  const waiters = new Set()
  const server = createServer((request, response) => {
    const chunks = []
    request
      .on('data', (chunk) => chunks.push(chunk))
      .on('end', () => {
        if (request.method === 'GET') return show(new URL(request.url, 'http://receiver').searchParams, response)
        receipts.push({ path: request.url, headers: request.headers, body: Buffer.concat(chunks).toString() })
        response.writeHead(200).end('thanks')
        for (const waiter of waiters) waiter()
      })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')

  function show(query, response) {
    const found = () => receipts.filter(({ path }) => path === query.get('path'))
    const answer = () => {
      if (found().length < Number(query.get('count')) && !isLate) return
      clearTimeout(timer)
      waiters.delete(answer)
      response.writeHead(200, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(found()))
    }
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      answer()
    }, mostWaitMs)
    waiters.add(answer)
    answer()
  }

  return {
    url: `http://127.0.0.1:${server.address().port}`,
    receipts,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
