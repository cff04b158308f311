import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { makeCertificate } from './certificate.ts'
import { openReceiver, openTransport, request, scriptedLookup } from './world.ts'

const authority = makeCertificate({ name: 'Test authority', isAuthority: true })
const issue = (hosts: readonly string[], more: { notAfter?: string } = {}) =>
  makeCertificate({ name: 'receiver', hosts, issuer: authority, ...more })

const lookup = scriptedLookup({ 'receiver.test': [['127.0.0.1']], 'receiver.test.': [['127.0.0.1']] })
const trusting = { lookup, ca: [authority.cert] }

describe('a certificate', () => {
  test.each([
    ['its name', ['receiver.test'], 'receiver.test'],
    ['its name, called with a trailing dot', ['receiver.test'], 'receiver.test.'],
    ['its address', ['127.0.0.1'], '127.0.0.1'],
  ])('that is good for %s is accepted', async (_what, hosts, called) => {
    const server = await openReceiver({ tls: issue(hosts) })
    const transport = openTransport(trusting)
    expect(await transport.send(request(`https://${called}:${server.port}/`))).toMatchObject({
      kind: 'answered',
      statusCode: 200,
    })
    expect(server.receipts).toHaveLength(1)
  })

  test.each([
    ['expired', issue(['receiver.test'], { notAfter: '20210101000000Z' }), 'CERT_HAS_EXPIRED'],
    ['for another host', issue(['other.test']), 'ERR_TLS_CERT_ALTNAME_INVALID'],
    ['self-signed', makeCertificate({ name: 'receiver', hosts: ['receiver.test'] }), 'DEPTH_ZERO_SELF_SIGNED_CERT'],
    [
      'of an unknown authority',
      makeCertificate({
        name: 'receiver',
        hosts: ['receiver.test'],
        issuer: makeCertificate({ name: 'Nobody', isAuthority: true }),
      }),
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
    ],
  ])('that is %s is refused, and nothing is sent', async (_what, certificate, code) => {
    const server = await openReceiver({ tls: certificate })
    const outcome = await openTransport(trusting).send(request(`https://receiver.test:${server.port}/`))
    expect(outcome).toEqual({ kind: 'tls', reason: `certificate refused (${code})` })
    expect(server.receipts).toEqual([])
  })

  test('of our own authority is added to the public ones only where it was asked for', async () => {
    const server = await openReceiver({ tls: issue(['receiver.test']) })
    expect(await openTransport({ lookup }).send(request(`https://receiver.test:${server.port}/`))).toMatchObject({
      kind: 'tls',
    })
  })
})

test('a server that does not speak TLS fails the handshake', async () => {
  const server = await openReceiver()
  const outcome = await openTransport(trusting).send(request(`https://receiver.test:${server.port}/`))
  expect(outcome.kind).toBe('tls')
  expect(outcome).toHaveProperty('reason', expect.stringMatching(/^TLS handshake failed \(E\w+\)$/))
})

test('a server that hangs up in the handshake fails it', async () => {
  const server = createServer((socket) => socket.once('data', () => socket.destroy()).on('error', () => undefined))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  expect(await openTransport(trusting).send(request(`https://receiver.test:${port}/`))).toEqual({
    kind: 'tls',
    reason: 'TLS handshake failed (ECONNRESET)',
  })
})

test('a connection is used again, also after the other side has closed the one before', async () => {
  const server = await openReceiver({
    tls: issue(['receiver.test']),
    behaviour: [200, 200, { status: 200, headers: { connection: 'close' } }, 200],
  })
  const transport = openTransport(trusting)
  for (let turn = 0; turn < 4; turn++) {
    expect(await transport.send(request(`https://receiver.test:${server.port}/`))).toMatchObject({ statusCode: 200 })
  }
  expect(server.connections).toBe(2)
})
