// The HTTP API inside an express app, for the people who are signed in there. Mount it before any body parser.
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import express from 'express'
import type { Express } from 'express'
import { Posthorn } from 'posthorn'
import { handler, toNodeListener } from 'posthorn/server'
import type { Caller } from 'posthorn/server'
import { sqlite } from 'posthorn/sqlite'

/** Stands for your own sign-in: whoever has this cookie is Ada, of the company Acme. */
function signedIn(request: Request): Caller | null {
  if (request.headers.get('cookie') !== 'session=ada') return null
  return { id: 'user_ada', name: 'Ada', applicationId: 'acme', access: 'write' }
}

export function makeApp(posthorn: Posthorn): Express {
  const app = express()
  app.use('/webhooks', toNodeListener(handler(posthorn, { basePath: '/webhooks', authorize: signedIn })))
  app.use(express.json())
  app.get('/', (_request, response) => void response.send('Your own pages'))
  return app
}

/** Ada makes an endpoint and sends; a stranger gets nowhere, and neither does Ada in another company. */
export async function main(): Promise<Record<string, number>> {
  const posthorn = new Posthorn({ store: sqlite(':memory:', { plaintextSecrets: true }) })
  const server = makeApp(posthorn).listen(0, '127.0.0.1')
  try {
    await once(server, 'listening')
    await posthorn.applications.create({ uid: 'acme', name: 'Acme' })
    const api = `http://127.0.0.1:${(server.address() as AddressInfo).port}/webhooks/api/v1`
    const asAda = { cookie: 'session=ada' }
    const endpoint = JSON.stringify({ url: 'https://acme.example/hooks' })
    const message = JSON.stringify({ eventType: 'invoice.paid', payload: { id: 7 } })
    return {
      endpoint: (await fetch(`${api}/app/acme/endpoint`, { method: 'POST', headers: asAda, body: endpoint })).status,
      message: (await fetch(`${api}/app/acme/msg`, { method: 'POST', headers: asAda, body: message })).status,
      stranger: (await fetch(`${api}/app/acme`)).status,
      elsewhere: (await fetch(`${api}/app/other`, { headers: asAda })).status,
    }
  } finally {
    server.closeAllConnections()
    server.close()
    await posthorn.stop()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(await main())
