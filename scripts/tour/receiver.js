import { createServer } from 'node:http'
import { once } from 'node:events'
import { Webhook } from 'standardwebhooks'

/** Verifies requests with an independent library. Broken paths answer 500 until they are repaired. */
export async function startReceiver() {
  const receipts = []
  const secrets = new Map()
  const broken = new Set()
  const server = createServer((request, response) => {
    const chunks = []
    request
      .on('data', (chunk) => chunks.push(chunk))
      .on('end', () => {
        const { url: path, headers } = request
        const body = Buffer.concat(chunks).toString()
        receipts.push({
          path,
          body,
          headers,
          id: headers['webhook-id'],
          verified: verifies(secrets.get(path), body, headers),
        })
        response.writeHead(broken.has(path) ? 500 : 200).end(broken.has(path) ? 'out of order' : 'thanks')
      })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    receipts,
    /** Sets the secret that a path verifies with; returns its URL. */
    expect(path, secret) {
      secrets.set(path, secret)
      return `http://127.0.0.1:${server.address().port}${path}`
    },
    break: (path) => broken.add(path),
    mend: (path) => broken.delete(path),
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

function verifies(secret, body, headers) {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}
