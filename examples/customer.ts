// The server of a customer, as simple as one can be.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Customer {
  readonly url: string
  /** The data of what has arrived, in order. */
  readonly webhooks: readonly unknown[]
  /** Resolves once this many have arrived. */
  received(count: number): Promise<void>
  stop(): Promise<void>
}

export async function startCustomer(): Promise<Customer> {
  const webhooks: unknown[] = []
  const server = createServer((incoming, response) => {
    const chunks: Buffer[] = []
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk))
    incoming.on('end', () => {
      webhooks.push(JSON.parse(Buffer.concat(chunks).toString()).data)
      response.writeHead(204).end()
      server.emit('webhook')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/hooks`,
    webhooks,
    async received(count) {
      while (webhooks.length < count) await new Promise<void>((resolve) => server.once('webhook', () => resolve()))
    },
    stop: () => new Promise((resolve) => server.close(() => resolve())),
  }
}
