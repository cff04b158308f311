import { once } from 'node:events'
import { createServer } from 'node:http'

/** Counts the requests it has answered with 200, by message and path, and whether their signature was right; can hold requests back. */
export async function openReceiver(verify) {
  const received = new Map()
  const held = new Set()
  const problems = []
  const secrets = new Map()
  let heldPath = null

  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (request, response) => {
    const chunks = []
    request.on('data', (chunk) => chunks.push(chunk))
    request.on('end', () => {
      if (request.url === heldPath) held.add(response)
      else answer(request, Buffer.concat(chunks), response)
    })
  })
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))

  function answer(request, body, response) {
    const name = nameOf(request.headers['webhook-id'], request.url)
    const dueAt = Number(JSON.parse(body).data.dueAt ?? 0)
    if (Date.now() < dueAt) problems.push(`${name} came ${dueAt - Date.now()} ms too early`)
    try {
      verify(body, request.headers, secrets.get(request.url))
    } catch (error) {
      problems.push(`${name}: ${error.message}`)
    }
    received.set(name, (received.get(name) ?? 0) + 1)
    response.end()
  }

  return {
    received,
    problems,
    url: (path) => `http://127.0.0.1:${server.address().port}${path}`,
    /** The secret that verifies requests to a path. */
    trust: (path, secret) => void secrets.set(path, secret),
    /** From now on requests to this path get no response; null for none. */
    hold: (path) => void (heldPath = path),
    held: () => held.size,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export function nameOf(messageId, path) {
  return `${messageId} ${path}`
}
