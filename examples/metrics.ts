// Metrics for Prometheus in a program of your own: the registry of Posthorn beside yours, behind one /metrics.
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import { Posthorn } from 'posthorn'
import { createMetrics } from 'posthorn/metrics'
import { sqlite } from 'posthorn/sqlite'
import { receiver } from 'posthorn/testing'
import { Counter, Registry } from 'prom-client'

const own = new Registry()
const invoices = new Counter({ name: 'shop_invoices_total', help: 'Invoices that were paid.', registers: [own] })

/** Your own server, with both registries at one path. */
function serve(registry: Registry): Server {
  const both = Registry.merge([own, registry])
  return createServer((_request, response) => {
    response.setHeader('content-type', both.contentType)
    both.metrics().then(
      (text) => response.end(text),
      () => response.writeHead(500).end(),
    )
  }).listen(0, '127.0.0.1')
}

/** Sends three webhooks, and scrapes what came of them. */
export async function main(): Promise<string> {
  const local = await receiver()
  const metrics = createMetrics()
  const posthorn = new Posthorn({
    store: sqlite(':memory:', { plaintextSecrets: true }),
    meter: metrics.meter,
    allowedTargets: ['127.0.0.0/8'],
  })
  const server = serve(metrics.registry)
  try {
    await once(server, 'listening')
    await posthorn.start()
    await posthorn.endpoints.create({ application: 'acme', url: local.url('/hook') })
    for (let id = 1; id <= 3; id += 1) {
      invoices.inc()
      await posthorn.send({ application: 'acme', type: 'invoice.paid', data: { id } })
    }
    await posthorn.idle()
    const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/metrics`)
    return await response.text()
  } finally {
    server.closeAllConnections()
    server.close()
    await posthorn.stop()
    await local.close()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(await main())
