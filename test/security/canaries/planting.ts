import { randomBytes } from 'node:crypto'
import { allBut } from './canary.ts'
import type { Canaries } from './canary.ts'
import type { CanaryServer } from './server.ts'

const app = '/api/v1/app/acme'
/** Who may read endpoints for writing may see their URLs; they are stored as they are. */
const ofUrls = allBut('database')
/** Payloads and answers are what the pages, the stream and the database are for. */
const ofPayloads = allBut('database', 'pages')
export const ofAnswers = allBut('database', 'pages', 'stream')

/** Puts a secret into every place that takes one; answers with the ids that pages are asked for. */
export async function plantAll(server: CanaryServer, canaries: Canaries, target: string): Promise<Planted> {
  canaries.note('the first admin key', server.adminKey)
  await server.ask('POST', '/api/v1/app', {
    body: { name: 'Acme', uid: 'acme' },
    headers: { 'idempotency-key': canaries.plant('the idempotency key of a call') },
  })
  const planted = await plantEndpoints(server, canaries, target)
  const readKey = await plantKeys(server, canaries)
  const messageId = await plantMessages(server, canaries)
  await plantRefusals(server, canaries)
  return { ...planted, readKey, messageId }
}

export interface Planted {
  readonly endpointId: string
  readonly readKey: string
  readonly messageId: string
}

async function plantEndpoints(server: CanaryServer, canaries: Canaries, target: string) {
  const { ask } = server
  const headers = Object.fromEntries(
    ['authorization', 'cookie', 'x-api-key', 'x-tenant', 'x-plain'].map((name) => [
      name,
      canaries.plant(`header ${name}`),
    ]),
  )
  const query = `?page=1&token=${canaries.plant('a query value', ofUrls)}`
  const created = await ask('POST', `${app}/endpoint`, {
    body: { url: `${target}/ok${query}`, secret: secretOf(canaries, 'the secret at creation'), headers },
    headers: { 'idempotency-key': canaries.plant('the idempotency key of an endpoint') },
  })
  const endpointId = String(created.json['id'])
  const one = `${app}/endpoint/${endpointId}`
  await ask('POST', `${one}/secret/rotate`, { body: { key: secretOf(canaries, 'the secret of a rotation') } })
  canaries.note('a secret that was made', await generatedSecret(server, target, canaries))
  const replaced = { 'x-one': canaries.plant('header replaced'), 'x-two': canaries.plant('header that stays') }
  await ask('PUT', `${one}/headers`, {
    body: { headers: { ...replaced, 'x-old': canaries.plant('header taken away') } },
  })
  const patch = { 'x-one': canaries.plant('header patched'), 'x-new': canaries.plant('header added'), 'x-old': null }
  await ask('PATCH', `${one}/headers`, { body: { headers: patch } })
  await ask('PATCH', one, {
    body: {
      url: `${target}/ok?key=${canaries.plant('a query value that was patched', ofUrls)}`,
      secret: secretOf(canaries, 'the secret that was patched'),
    },
  })
  const gone = await ask('POST', `${app}/endpoint`, {
    body: { url: `${target}/gone?pw=${canaries.plant('a query value of a deleted endpoint', ofUrls)}` },
  })
  await ask('DELETE', `${app}/endpoint/${String(gone.json['id'])}`)
  return { endpointId }
}

/** One of an endpoint that fails, so that its URL is in attempts and errors, too. */
async function generatedSecret({ ask }: CanaryServer, target: string, canaries: Canaries): Promise<string> {
  const failing = canaries.plant('a query value of a failing endpoint', ofUrls)
  const { json } = await ask('POST', `${app}/endpoint`, { body: { url: `${target}/fails?auth=${failing}` } })
  const away = canaries.plant('a query value of an endpoint that is away', ofUrls)
  await ask('POST', `${app}/endpoint`, { body: { url: `http://127.0.0.1:9/?auth=${away}` } })
  return String((await ask('GET', `${app}/endpoint/${String(json['id'])}/secret`)).json['key'])
}

/** Keys, links and sessions; answers with a key that may only read. */
async function plantKeys({ ask, adminKey }: CanaryServer, canaries: Canaries): Promise<string> {
  const create = async (name: string, body: object): Promise<string> =>
    canaries.note(name, String((await ask('POST', '/api/v1/key', { body: { name: 'a key', ...body } })).json['token']))
  const readKey = await create('a key that reads', { access: 'read' })
  await create('a key that writes', {})
  await create('the key of an application', { appId: 'acme' })
  const link = async (name: string, path: string, body: object): Promise<string> =>
    canaries.note(name, String((await ask('POST', `/api/v1/auth/${path}/acme`, { body })).json['token']))
  const portal = await link('the token of a link', 'app-portal-access', {})
  await link('the token of a link that reads', 'app-portal-access', { readOnly: true })
  for (const [name, key] of Object.entries({ admin: adminKey, reader: readKey, customer: portal })) {
    const { headers } = await ask('POST', '/api/v1/session', { key: null, body: { key } })
    canaries.note(`the session of ${name}`, /phs_\w+/.exec(headers.get('set-cookie') ?? '')?.[0] ?? '')
  }
  return readKey
}

async function plantMessages({ ask }: CanaryServer, canaries: Canaries): Promise<string> {
  const payload = {
    card: canaries.plant('a payload', ofPayloads),
    deep: [{ pin: canaries.plant('deep in a payload', ofPayloads) }],
  }
  const idempotencyKey = canaries.plant('the idempotency key of a message', allBut('database'))
  const send = (body: object): ReturnType<CanaryServer['ask']> =>
    ask('POST', `${app}/msg`, {
      body: { eventType: 'invoice.paid', ...body },
      headers: { 'idempotency-key': idempotencyKey },
    })
  const { json } = await send({ payload })
  // Another body under the same key is refused.
  await send({ payload: { other: canaries.plant('the payload of a conflict') } })
  await ask('POST', `${app}/msg`, {
    body: {
      eventType: 'invoice.raw',
      payload: {},
      transformationsParams: {
        rawPayload: canaries.plant('a raw payload', ofPayloads),
        headers: { 'content-type': 'text/plain' },
      },
    },
  })
  return String(json['id'])
}

/** What is wrong is refused without saying it back. */
async function plantRefusals({ ask }: CanaryServer, canaries: Canaries): Promise<void> {
  const create = (body: object): Promise<unknown> =>
    ask('POST', `${app}/endpoint`, { body: { url: 'https://a.example/', ...body } })
  await create({ secret: `!${canaries.plant('a secret of a wrong form')}` })
  await create({ headers: { 'x-bad': `${canaries.plant('a header with a line break')}\r\nx: y` } })
  await create({ url: `https://user:${canaries.plant('the password in a URL')}@a.example/` })
  await create({ url: `http://10.0.0.1/?t=${canaries.plant('a query value of a forbidden address')}` })
  await ask('GET', '/api/v1/app', { key: canaries.plant('a key that is none') })
  await ask('POST', '/api/v1/session', { key: null, body: { key: canaries.plant('a key to sign in that is none') } })
  await ask('POST', `${app}/msg`, { body: `{"payload": "${canaries.plant('a body that is no JSON')}"` })
}

/** With a prefix that the form of a secret asks for. */
function secretOf(canaries: Canaries, name: string): string {
  return canaries.note(name, `whsec_${randomBytes(32).toString('base64')}`)
}
