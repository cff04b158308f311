import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { readdir, readFile } from 'node:fs/promises'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import type { TLSSocket } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Posthorn } from 'posthorn'
import type { Authentication, Store } from 'posthorn'
import { postgres } from 'posthorn/postgres'
import { sqlite } from 'posthorn/sqlite'
import { makeGuard } from '../../src/transport/guard.ts'
import { temporaryFolder } from '../cli/folder.ts'
import { lentSchema } from '../postgres.ts'
import { routesWorld, url } from '../server/routes/world.ts'
import { databases } from '../server/world.ts'
import { makeCertificate } from '../transport/certificate.ts'
import type { Certificate } from '../transport/certificate.ts'
import { openReceiver, openTransport, request, scriptedLookup } from '../transport/world.ts'
import { defence } from './defence.ts'

const authority = makeCertificate({ name: 'Authority', isAuthority: true })
const server = makeCertificate({ name: 'receiver', hosts: ['127.0.0.1'], issuer: authority })
const alice = makeCertificate({ name: 'alice', issuer: authority })
const bob = makeCertificate({ name: 'bob', issuer: authority })
const presented = ({ cert, key }: Certificate): NonNullable<Authentication['clientCertificate']> => ({
  certificate: cert,
  privateKey: key,
})

/** One of each, with secrets that can be looked for. */
const ways: Readonly<Record<string, Authentication>> = {
  basic: { basic: { username: 'posthorn', password: 'canary-password' } },
  bearer: { bearer: 'canary-bearer' },
  'an API key': { apiKey: { header: 'x-our-word', key: 'canary-key' } },
  OAuth2: {
    oauth2: {
      tokenUrl: 'https://tokens.example/oauth/token',
      clientId: 'posthorn',
      clientSecret: 'canary-secret',
      scope: 'hooks',
    },
  },
  'a client certificate': { clientCertificate: presented(alice), ca: authority.cert },
}
const canaries = ['canary-', alice.key.split('\n')[1] ?? '']

/** A server that asks for certificates, and answers who came. */
async function mutualServer(): Promise<{ url: string; seen: { who: string; authorization: string | undefined }[] }> {
  const seen: { who: string; authorization: string | undefined }[] = []
  const settings = { key: server.key, cert: server.cert, ca: authority.cert, requestCert: true }
  const made = createServer(settings, (incoming, response) => {
    const who = String((incoming.socket as TLSSocket).getPeerCertificate().subject?.CN)
    seen.push({ who, authorization: incoming.headers.authorization })
    incoming.resume()
    response.end()
  })
  made.listen(0, '127.0.0.1')
  await once(made, 'listening')
  onTestFinished(() => {
    made.closeAllConnections()
    made.close()
  })
  return { url: `https://127.0.0.1:${(made.address() as AddressInfo).port}/hooks`, seen }
}

function storeOf(database: 'sqlite' | 'postgres', folder: string): { store: Store; stored: () => Promise<string> } {
  const secretsKey = randomBytes(32)
  if (database === 'sqlite') {
    const path = join(folder, 'posthorn.db')
    const stored = async () => {
      const files = await readdir(dirname(path))
      return (await Promise.all(files.map((file) => readFile(join(folder, file), 'latin1')))).join('\n')
    }
    return { store: sqlite(path, { secretsKey }), stored }
  }
  const { url: databaseUrl, schema, query } = lentSchema()
  const stored = async () =>
    JSON.stringify([
      await query(`select * from ${schema}.endpoints`),
      await query(`select * from ${schema}.audit`),
      await query(`select * from ${schema}.endpoint_secrets`),
    ])
  return { store: postgres(databaseUrl, { schema, secretsKey }), stored }
}

async function library(database: 'sqlite' | 'postgres') {
  const { store, stored } = storeOf(database, await temporaryFolder())
  const posthorn = new Posthorn({ store, allowedTargets: ['127.0.0.0/8'] })
  onTestFinished(() => posthorn.stop({ graceMs: 0 }))
  return { posthorn, stored, store }
}

describe.each(databases)('the authentication of an endpoint on %s', (database) => {
  test('delivers with a token and a client certificate, to a server of an authority of its own', async () => {
    const tokens = await openReceiver({ behaviour: { status: 200, body: '{"access_token":"abc","expires_in":60}' } })
    const receiver = await mutualServer()
    const { posthorn } = await library(database)
    const oauth2 = { tokenUrl: tokens.url('/token'), clientId: 'us', clientSecret: 'canary-secret' }
    const authentication = { oauth2, clientCertificate: presented(alice), ca: authority.cert }
    await posthorn.endpoints.create({ application: 'acme', url: receiver.url, authentication })
    const delivered = new Promise((resolve) => void posthorn.on('delivery.delivered', resolve))
    await posthorn.start()
    await posthorn.send({ application: 'acme', type: 'invoice.paid', data: {} })
    await delivered
    expect(receiver.seen).toEqual([{ who: 'alice', authorization: 'Bearer abc' }])
    expect(tokens.count).toBe(1)
  })

  test.each(Object.entries(ways))('by %s is sealed, and never shown again', async (_what, authentication) => {
    const { posthorn, stored, store } = await library(database)
    const created = await posthorn.endpoints.create({ application: 'acme', url, authentication })
    const changed = await posthorn.endpoints.update(created.id, { description: 'still the same' })
    const shown = [created, changed, await posthorn.endpoints.get(created.id), await posthorn.endpoints.list()]
    const audit = await posthorn.audit()
    expect(audit.map(({ action }) => action)).toContain('endpoint.create')
    for (const text of [...shown, audit, await stored()].map((each) => JSON.stringify(each)))
      for (const canary of canaries) expect(text).not.toContain(canary)
    expect(JSON.stringify(created.authentication)).toContain('***')
    const [kept] = await store.directory.endpointsById([created.id])
    expect(kept?.authentication).toEqual(authentication)
    await posthorn.send({ application: 'acme', type: 'invoice.paid', data: {} })
    const [delivery] = await posthorn.deliveries.list({ endpointId: created.id })
    const told = [
      await posthorn.deliveries.curl(delivery?.id ?? ''),
      JSON.stringify(await posthorn.deliveries.detail(delivery?.id ?? '')),
    ].join('\n')
    for (const canary of [...canaries, 'cG9zdGhvcm46']) expect(told).not.toContain(canary)
    await posthorn.endpoints.delete(created.id)
    const [deleted] = await store.directory.endpointsById([created.id])
    expect(deleted?.authentication).toBeNull()
  })
})

describe.each(databases)('the authentication of an endpoint over HTTP on %s', (database) => {
  test('is set, shown masked, kept by whoever does not know it, and taken away', async () => {
    const { ask } = await routesWorld(database)
    const oauth2 = { tokenUrl: 'https://tokens.example/', clientId: 'us', clientSecret: 'canary', scope: null }
    const made = await ask(201, 'POST', '/app/acme/endpoint', { url, uid: 'two', authentication: { oauth2 } })
    const masked = { oauth2: { tokenUrl: 'https://tokens.example/', clientId: 'us', clientSecret: '***' } }
    expect(made['authentication']).toEqual(masked)
    // As clients of Svix do, who never heard of it.
    expect(await ask(200, 'PUT', '/app/acme/endpoint/two', { url, description: 'x' })).toMatchObject({
      authentication: masked,
    })
    expect(await ask(200, 'GET', `/endpoint/${String(made['id'])}`)).toMatchObject({ authentication: masked })
    const bearer = await ask(200, 'PATCH', '/app/acme/endpoint/two', { authentication: { bearer: 'canary' } })
    expect(bearer['authentication']).toEqual({ bearer: '***' })
    expect(await ask(200, 'PATCH', '/app/acme/endpoint/two', { authentication: null })).toMatchObject({
      authentication: null,
    })
    const audit = await ask(200, 'GET', '/audit')
    expect(JSON.stringify(audit)).not.toContain('canary')
    expect(audit['data']).toContainEqual(
      expect.objectContaining({ after: { authentication: { bearer: '***' } }, before: { authentication: masked } }),
    )
  })

  test('that is wrong is refused by its field, and its secret is not repeated', async () => {
    const { ask } = await routesWorld(database)
    const refused = await ask(422, 'POST', '/app/acme/endpoint', {
      url,
      authentication: { clientCertificate: { certificate: alice.cert, privateKey: bob.key } },
    })
    expect(refused).toEqual({
      detail: [
        {
          loc: ['body', 'authentication', 'clientCertificate', 'privateKey'],
          msg: expect.stringMatching(/^Expected `authentication.clientCertificate.privateKey` to be the key of/),
          type: 'value_error.invalid_argument',
        },
      ],
    })
  })
})

const encrypted = '-----BEGIN ENCRYPTED PRIVATE KEY-----\nMII=\n-----END ENCRYPTED PRIVATE KEY-----\n'
const oauth2 = { tokenUrl: 'https://tokens.example/', clientId: 'us', clientSecret: 'canary' }
const bad: [what: string, authentication: unknown, sentence: RegExp][] = [
  ['nothing', {}, /`authentication` to be one or more of/],
  ['a text', 'bearer', /`authentication` to be an object with/],
  ['what nobody knows', { berer: 'canary' }, /`authentication` to be an object with .*, got "berer"/],
  ['two ways at once', { bearer: 'canary', oauth2 }, /only one of .*, got "bearer and oauth2"/],
  ['the mask', { bearer: '***' }, /`authentication.bearer` to be a secret, got "the mask/],
  ['a token of two lines', { bearer: 'canary\r\nx: y' }, /`authentication.bearer` to be 1 to 4096/],
  ['a colon in the name', { basic: { username: 'a:b', password: 'canary' } }, /without a colon/],
  ['no password', { basic: { username: 'a' } }, /`authentication.basic.password` to be/],
  ['a header of HTTP', { apiKey: { header: 'Host', key: 'canary' } }, /free of names that HTTP or the signature uses/],
  ['a header that is none', { apiKey: { header: 'a b', key: 'canary' } }, /`authentication.apiKey.header`/],
  [
    'no token URL',
    { oauth2: { ...oauth2, tokenUrl: 'nowhere' } },
    /`authentication.oauth2.tokenUrl` to be an absolute/,
  ],
  [
    'a token URL that leads inwards',
    { oauth2: { ...oauth2, tokenUrl: 'https://169.254.169.254/' } },
    /`authentication.oauth2.tokenUrl` to be a public target, got a forbidden address/,
  ],
  ['a token URL by http', { oauth2: { ...oauth2, tokenUrl: 'http://tokens.example/' } }, /to be an https URL/],
  ['another place for credentials', { oauth2: { ...oauth2, credentialsIn: 'query' } }, /"header" or "body"/],
  [
    'the key of another certificate',
    { clientCertificate: { certificate: alice.cert, privateKey: bob.key } },
    /privateKey` to be the key of the certificate, got "that of another"/,
  ],
  [
    'an expired certificate',
    { clientCertificate: presented(makeCertificate({ name: 'old', notAfter: '20210101000000Z' })) },
    /certificate` to be valid now, got "one that expired at 2021-01-01T00:00:00.000Z"/,
  ],
  [
    'an expired authority',
    { ca: makeCertificate({ name: 'old', notAfter: '20210101000000Z' }).cert },
    /`authentication.ca` to be valid now/,
  ],
  ['a certificate that is none', { ca: 'canary' }, /`authentication.ca` to be text in PEM form/],
  ['a broken certificate', { ca: authority.cert.replace(/\n.{10}/, '\nAAAAAAAAAA') }, /to be an X.509 certificate/],
  ['a key where certificates belong', { ca: alice.key }, /`authentication.ca` to be certificates only/],
  [
    'a certificate in the place of its key',
    { clientCertificate: { certificate: alice.cert, privateKey: alice.cert } },
    /privateKey` to be a private key in PEM form/,
  ],
  [
    'an encrypted key',
    { clientCertificate: { certificate: alice.cert, privateKey: encrypted } },
    /a private key without a passphrase, got "an encrypted one"/,
  ],
]

describe('an endpoint is not created with', () => {
  test.each(bad)('%s', async (_what, authentication, sentence) => {
    const posthorn = new Posthorn({ store: sqlite(':memory:') })
    onTestFinished(() => posthorn.stop())
    const refused = posthorn.endpoints.create({ application: 'acme', url, authentication: authentication as never })
    await expect(refused).rejects.toThrow(sentence)
    await expect(refused).rejects.not.toThrow(/canary/)
    expect(await posthorn.endpoints.list()).toEqual([])
  })

  test.each<[what: string, more: object, sentence: RegExp]>([
    [
      'a header of the same name',
      { headers: { Authorization: 'x' } },
      /free of the authentication's own header, got "A/,
    ],
    ['a client certificate by http', { url: 'http://127.0.0.1/' }, /`url` to be an https URL where/],
  ])('%s beside it', async (_what, more, sentence) => {
    const posthorn = new Posthorn({ store: sqlite(':memory:'), allowedTargets: ['127.0.0.1'] })
    onTestFinished(() => posthorn.stop())
    const authentication = { bearer: 'canary', clientCertificate: presented(alice) }
    await expect(posthorn.endpoints.create({ application: 'acme', url, authentication, ...more })).rejects.toThrow(
      sentence,
    )
  })
})

describe('with its defence off', () => {
  defence('a token endpoint that leads inwards is reached', async (isOn) => {
    const inside = await openReceiver({ behaviour: { status: 200, body: '{"access_token":"abc"}' } })
    const lookup = scriptedLookup({ 'tokens.test': [['127.0.0.1']] })
    const guard = makeGuard({ allowHttp: true, allowedTargets: isOn ? [] : ['tokens.test'] })
    const own = { ...oauth2, tokenUrl: `http://tokens.test:${inside.port}/` }
    const sent = request('http://receiver.test/', { authentication: { endpointId: 'ep_1', oauth2: own } })
    await openTransport({ guard, lookup }).send(sent)
    return inside.connections > 0
  })

  defence('a tenant sends under the certificate of another', async (isOn) => {
    const receiver = await mutualServer()
    const transport = openTransport()
    const as = (who: Certificate) =>
      request(receiver.url, {
        authentication: { endpointId: 'ep_1', clientCertificate: presented(who), ca: authority.cert },
      })
    await transport.send(as(alice))
    // Off: connections as if they were told apart by their origin alone.
    await transport.send(as(isOn ? bob : alice))
    return receiver.seen[1]?.who === 'alice'
  })

  defence('a token of one endpoint is sent to another that names the same client', async (isOn) => {
    const tokens = await openReceiver({
      behaviour: [
        { status: 200, body: '{"access_token":"first"}' },
        { status: 200, body: '{"access_token":"second"}' },
      ],
    })
    const [mine, theirs] = [await openReceiver(), await openReceiver()]
    const own = { ...oauth2, tokenUrl: tokens.url() }
    const transport = openTransport()
    await transport.send(request(mine.url(), { authentication: { endpointId: 'ep_1', oauth2: own } }))
    const endpointId = isOn ? 'ep_2' : 'ep_1'
    await transport.send(request(theirs.url(), { authentication: { endpointId, oauth2: own } }))
    return theirs.receipts[0]?.headers['authorization'] === 'Bearer first'
  })

  defence('the secrets of an authentication are read from the database file', async (isOn) => {
    const folder = await temporaryFolder()
    const path = join(folder, 'posthorn.db')
    const posthorn = new Posthorn({ store: sqlite(path, isOn ? {} : { plaintextSecrets: true }) })
    await posthorn.endpoints.create({ application: 'acme', url, authentication: { bearer: 'canary-in-the-file' } })
    await posthorn.stop()
    return (await readFile(path, 'latin1')).includes('canary-in-the-file')
  })
})
