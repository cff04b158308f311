// The HTTP API inside a hono app, for the people who are signed in there: each sees their own company's webhooks.
import { pathToFileURL } from 'node:url'
import { Hono } from 'hono'
import { Posthorn } from 'posthorn'
import { handler } from 'posthorn/server'
import type { Caller } from 'posthorn/server'
import { sqlite } from 'posthorn/sqlite'

/** Stands for your own sign-in: whoever has this cookie is Ada, of the company Acme. */
function signedIn(request: Request): Caller | null {
  if (request.headers.get('cookie') !== 'session=ada') return null
  return { id: 'user_ada', name: 'Ada', applicationId: 'acme', access: 'write' }
}

export function makeApp(posthorn: Posthorn): Hono {
  const webhooks = handler(posthorn, { basePath: '/webhooks', authorize: signedIn })
  const app = new Hono()
  app.get('/', (context) => context.text('Your own pages'))
  app.all('/webhooks/*', (context) => webhooks(context.req.raw))
  return app
}

/** Ada makes an endpoint and sends; a stranger gets nowhere, and neither does Ada in another company. */
export async function main(): Promise<Record<string, number>> {
  const posthorn = new Posthorn({ store: sqlite(':memory:', { plaintextSecrets: true }) })
  try {
    await posthorn.applications.create({ uid: 'acme', name: 'Acme' })
    const app = makeApp(posthorn)
    const asAda = { cookie: 'session=ada' }
    const endpoint = JSON.stringify({ url: 'https://acme.example/hooks' })
    const message = JSON.stringify({ eventType: 'invoice.paid', payload: { id: 7 } })
    return {
      endpoint: (
        await app.request('/webhooks/api/v1/app/acme/endpoint', { method: 'POST', headers: asAda, body: endpoint })
      ).status,
      message: (await app.request('/webhooks/api/v1/app/acme/msg', { method: 'POST', headers: asAda, body: message }))
        .status,
      stranger: (await app.request('/webhooks/api/v1/app/acme')).status,
      elsewhere: (await app.request('/webhooks/api/v1/app/other', { headers: asAda })).status,
    }
  } finally {
    await posthorn.stop()
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(await main())
