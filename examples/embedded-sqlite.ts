// Posthorn inside a program, with everything in one SQLite file: send a webhook, receive it, check its signature.
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { Posthorn } from 'posthorn'
import type { EventOf, Verified } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { verify } from 'posthorn/verify'

export async function main(): Promise<{ verified: Verified; delivered: EventOf<'delivery.delivered'> }> {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-example-'))
  const customer = await startCustomer()

  // Private addresses are refused unless you allow them; your customers' are public, and https.
  const posthorn = new Posthorn({ store: sqlite(join(folder, 'webhooks.db')), allowedTargets: ['127.0.0.1/32'] })
  try {
    const delivery = new Promise<EventOf<'delivery.delivered'>>((resolve) => posthorn.on('delivery.delivered', resolve))
    posthorn.on('delivery.dead', (event) => console.error('given up', event))

    await posthorn.start()
    const endpoint = await posthorn.endpoints.create({ application: 'acme', url: customer.url, types: ['invoice.*'] })
    const secret = endpoint.secrets[0]?.value ?? '' // What you show your customer, once.

    await posthorn.send({ application: 'acme', type: 'invoice.paid', data: { id: 7 } })

    // On the customer's side: the exact bytes, the headers and the secret.
    const { body, headers } = await customer.request
    const verified = verify(body, headers, secret)
    return { verified, delivered: await delivery }
  } finally {
    await posthorn.stop()
    await customer.stop()
    await rm(folder, { recursive: true })
  }
}

interface Customer {
  readonly url: string
  readonly request: Promise<{ body: Buffer; headers: IncomingHttpHeaders }>
  stop(): Promise<void>
}

/** The server of a customer, as simple as one can be. */
async function startCustomer(): Promise<Customer> {
  const server = createServer()
  const request = new Promise<Awaited<Customer['request']>>((resolve) => {
    server.on('request', (incoming, response) => {
      const chunks: Buffer[] = []
      incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
      incoming.on('end', () => {
        response.writeHead(204).end()
        resolve({ body: Buffer.concat(chunks), headers: incoming.headers })
      })
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    request,
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(await main())
