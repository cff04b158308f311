import { once } from 'node:events'
import type { Server } from 'node:https'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { TLSSocket } from 'node:tls'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { TransportAuthentication } from '../../src/core/endpoint/authentication.ts'
import { makeCertificate } from './certificate.ts'
import type { Certificate } from './certificate.ts'
import { requestFailure, tlsFailure } from '../../src/transport/failure.ts'
import { errorWithCode, openReceiver, openTransport, request, scriptedLookup } from './world.ts'

const authority = makeCertificate({ name: 'Server authority', isAuthority: true })
const clients = makeCertificate({ name: 'Client authority', isAuthority: true })
const server = makeCertificate({ name: 'receiver', hosts: ['receiver.test'], issuer: authority })
const alice = makeCertificate({ name: 'alice', issuer: clients })
const bob = makeCertificate({ name: 'bob', issuer: clients })
const lookup = scriptedLookup({ 'receiver.test': [['127.0.0.1']] })

/** A server that asks for certificates, and notes who came on which connection. */
async function mutualServer(): Promise<{ url: string; seen: string[]; connections: () => number; server: Server }> {
  const seen: string[] = []
  let connections = 0
  const settings = { key: server.key, cert: server.cert, ca: clients.cert, requestCert: true }
  const made = createServer({ ...settings, rejectUnauthorized: true, keepAliveTimeout: 0 }, (incoming, response) => {
    seen.push(String((incoming.socket as TLSSocket).getPeerCertificate().subject.CN))
    incoming.resume()
    response.end()
  })
  made.on('secureConnection', () => (connections += 1))
  made.on('tlsClientError', () => undefined)
  made.listen(0, '127.0.0.1')
  await once(made, 'listening')
  onTestFinished(() => {
    made.closeAllConnections()
    made.close()
  })
  const { port } = made.address() as AddressInfo
  return { url: `https://receiver.test:${port}/`, seen, connections: () => connections, server: made }
}

function as(who: Certificate | null, ca: string | undefined = authority.cert): TransportAuthentication {
  const clientCertificate = who === null ? undefined : { certificate: who.cert, privateKey: who.key }
  return { endpointId: 'ep_1', clientCertificate, ca }
}

describe('a client certificate', () => {
  test('is presented to a server that asks for it', async () => {
    const { url, seen } = await mutualServer()
    const outcome = await openTransport({ lookup }).send(request(url, { authentication: as(alice) }))
    expect(outcome).toMatchObject({ kind: 'answered', statusCode: 200 })
    expect(seen).toEqual(['alice'])
  })

  test('has connections of its own: nobody rides on those of another, nor resumes a session of it', async () => {
    const { url, seen, connections } = await mutualServer()
    const transport = openTransport({ lookup })
    for (const who of [alice, bob, alice, bob]) await transport.send(request(url, { authentication: as(who) }))
    expect(seen).toEqual(['alice', 'bob', 'alice', 'bob'])
    expect(connections()).toBe(2)
    expect(await transport.send(request(url, { authentication: as(null) }))).toMatchObject({ kind: 'authentication' })
    expect(seen).toHaveLength(4)
  })

  test.each([
    ['missing', as(null), /^the server asks for a client certificate \(ERR_SSL_\w+\)$/],
    [
      'without its key',
      { ...as(null), clientCertificate: { certificate: alice.cert, privateKey: bob.key } },
      /^our client certificate cannot be used \(ERR_\w+\)$/,
    ],
  ])('that is %s is a failure of authentication', async (_what, authentication, reason) => {
    const { url, seen } = await mutualServer()
    const outcome = await openTransport({ lookup }).send(request(url, { authentication }))
    expect(outcome).toEqual({ kind: 'authentication', reason: expect.stringMatching(reason) })
    expect(seen).toEqual([])
  })
})

test.each([
  ['TLSV13_ALERT_CERTIFICATE_REQUIRED', 'authentication', 'the server asks for a client certificate'],
  ['SSLV3_ALERT_BAD_CERTIFICATE', 'authentication', 'the server refused our client certificate'],
  ['SSLV3_ALERT_CERTIFICATE_EXPIRED', 'authentication', 'the server refused our client certificate'],
  ['SSLV3_ALERT_CERTIFICATE_UNKNOWN', 'authentication', 'the server refused our client certificate'],
  ['TLSV1_ALERT_UNKNOWN_CA', 'authentication', 'the server refused our client certificate'],
  ['TLSV1_ALERT_ACCESS_DENIED', 'authentication', 'the server refused our client certificate'],
  ['SSLV3_ALERT_HANDSHAKE_FAILURE', 'tls', 'TLS handshake failed'],
  ['WRONG_VERSION_NUMBER', 'tls', 'TLS handshake failed'],
])('the alert %s is a failure of kind %s', (name, kind, sentence) => {
  const code = `ERR_SSL_${name}`
  expect(tlsFailure(errorWithCode(code))).toEqual({ kind, reason: `${sentence} (${code})` })
  expect(requestFailure(errorWithCode(code))).toEqual({ kind, reason: `${sentence} (${code})` })
})

describe('an authority of an endpoint', () => {
  test('is trusted for this endpoint, and for no other', async () => {
    const receiver = await openReceiver({ tls: server })
    const url = `https://receiver.test:${receiver.port}/`
    const transport = openTransport({ lookup })
    expect(await transport.send(request(url, { authentication: as(null) }))).toMatchObject({ statusCode: 200 })
    expect(await transport.send(request(url))).toMatchObject({ kind: 'tls' })
    const other = makeCertificate({ name: 'Another authority', isAuthority: true })
    expect(await transport.send(request(url, { authentication: as(null, other.cert) }))).toMatchObject({ kind: 'tls' })
    expect(receiver.count).toBe(1)
  })

  test('is added to those of the transport', async () => {
    const [one, two] = await Promise.all([
      openReceiver({ tls: server }),
      openReceiver({ tls: makeCertificate({ name: 'receiver', hosts: ['receiver.test'], issuer: clients }) }),
    ])
    const transport = openTransport({ lookup, ca: [authority.cert] })
    for (const { port } of [one, two]) {
      const sent = request(`https://receiver.test:${port}/`, { authentication: as(null, clients.cert) })
      expect(await transport.send(sent)).toMatchObject({ statusCode: 200 })
    }
  })
})
