import { createServer } from 'node:net'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { Wire } from '../../src/core/delivery/diagnostics.ts'
import type { OutgoingRequest, Transport } from '../../src/core/ports/ports.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { makeCertificate } from './certificate.ts'
import { openForwardProxy } from './forward-proxy.ts'
import { readProxy } from '../../src/transport/proxy/proxy.ts'
import { openReceiver, openTransport, request, scriptedLookup } from './world.ts'

/** What a transport says of a request, all of its calls. */
async function observed(transport: Transport, url: string, more: Partial<OutgoingRequest> = {}): Promise<Wire[]> {
  const seen: Wire[] = []
  await transport.send(request(url, { ...more, observe: (wire) => seen.push(wire) }))
  return seen
}

const lookup = scriptedLookup({ 'receiver.test': [['127.0.0.1']] })
// A name is only called over TLS.
const certificate = makeCertificate({ name: 'receiver', hosts: ['receiver.test'] })
const trusting = { lookup, ca: [certificate.cert] }
const refusal = { status: 503, body: 'no', headers: { server: 'nginx', 'x-request-id': 'abc' } }

test('of a request that succeeds nothing is said', async () => {
  const server = await openReceiver()
  expect(await observed(openTransport(), server.url())).toEqual([])
})

test('of one that is refused: the steps, the address and the headers; the next finds the connection open', async () => {
  const server = await openReceiver({ tls: certificate, behaviour: refusal })
  const transport = openTransport(trusting)
  const url = `https://receiver.test:${server.port}/`
  const [first] = await observed(transport, url)
  expect(first).toMatchObject({
    address: '127.0.0.1',
    headers: { server: 'nginx', 'x-request-id': 'abc' },
    timing: {
      dnsMs: expect.any(Number),
      connectMs: expect.any(Number),
      tlsMs: expect.any(Number),
      firstByteMs: expect.any(Number),
      reused: false,
    },
  })
  const { timing } = first ?? { timing: null }
  const steps = [timing?.dnsMs, timing?.connectMs, timing?.tlsMs, timing?.firstByteMs].map(Number)
  expect(steps.reduce((sum, each) => sum + each, 0)).toBeLessThanOrEqual((timing?.totalMs ?? 0) + 2)

  const [second] = await observed(transport, url)
  expect(second?.timing).toMatchObject({ dnsMs: null, connectMs: null, tlsMs: null, reused: true })
  expect(second?.timing.firstByteMs).toEqual(expect.any(Number))
  expect(second?.address).toBe('127.0.0.1')
})

test('each step takes the time that it took', async () => {
  const clock = manualClock()
  const server = await openReceiver({ tls: certificate, behaviour: refusal })
  const transport = openTransport({
    ...trusting,
    clock,
    lookup: (_name, done) => {
      const cancel = clock.after(40, () => done(null, [{ address: '127.0.0.1', family: 4 }]))
      void clock.advance(40)
      return cancel
    },
  })
  const [wire] = await observed(transport, `https://receiver.test:${server.port}/`)
  expect(wire?.timing).toMatchObject({ dnsMs: 40, connectMs: 0, tlsMs: 0, firstByteMs: 0, totalMs: 40 })
})

test('the step that a request did not get past has no time, nor have those behind it', async () => {
  const server = await openReceiver({ tls: certificate, behaviour: refusal })
  const [refused] = await observed(openTransport({ lookup }), `https://receiver.test:${server.port}/`)
  expect(refused?.timing).toMatchObject({ connectMs: expect.any(Number), tlsMs: null, firstByteMs: null })
  expect(refused).toMatchObject({ address: '127.0.0.1', headers: null })
  const plain = await openReceiver({ behaviour: refusal })
  const [unencrypted] = await observed(openTransport(), plain.url())
  expect(unencrypted?.timing).toMatchObject({ dnsMs: 0, tlsMs: null, firstByteMs: expect.any(Number) })
})

test('of a name that is not found, and of an address where nobody listens', async () => {
  const [unknown] = await observed(openTransport({ lookup }), 'https://nowhere.test/')
  expect(unknown).toMatchObject({ address: null, headers: null, timing: { dnsMs: null, connectMs: null } })
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>((resolve) => void server.close(() => resolve()))
  const [nobody] = await observed(openTransport({ lookup }), `https://receiver.test:${port}/`)
  expect(nobody).toMatchObject({ address: '127.0.0.1', timing: { dnsMs: expect.any(Number), connectMs: null } })
})

test('of a server that stays silent: the connection stands, and no byte has come', async () => {
  const clock = manualClock()
  const server = createServer((socket) => socket.once('data', () => void clock.advance(400)))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const [wire] = await observed(openTransport({ clock }), `http://127.0.0.1:${port}/`, { timeoutMs: 300 })
  expect(wire).toMatchObject({ address: '127.0.0.1', headers: null })
  expect(wire?.timing).toMatchObject({ dnsMs: 0, connectMs: 0, firstByteMs: null })
  expect(wire?.timing.totalMs).toBeGreaterThanOrEqual(300)
})

test('a fetched token that a response repeats is masked before anybody sees it', async () => {
  const tokens = await openReceiver({
    behaviour: { status: 200, body: '{"access_token":"planted-token","token_type":"Bearer","expires_in":60}' },
  })
  const server = await openReceiver({ behaviour: { ...refusal, headers: { 'x-echo': 'Bearer planted-token' } } })
  const oauth2 = { tokenUrl: tokens.url(), clientId: 'posthorn', clientSecret: 's3cr3t' }
  const [wire] = await observed(openTransport(), server.url(), { authentication: { endpointId: 'ep_1', oauth2 } })
  expect(wire?.headers).toMatchObject({ 'x-echo': 'Bearer ***' })
})

test('behind a proxy the address is not known, and its own is not given', async () => {
  const [proxy, server] = [await openForwardProxy(), await openReceiver({ tls: certificate, behaviour: refusal })]
  const transport = openTransport({ ...trusting, proxy: readProxy(`http://127.0.0.1:${proxy.port}`) })
  const [wire] = await observed(transport, `https://receiver.test:${server.port}/`)
  expect(wire).toMatchObject({ address: null, timing: { connectMs: expect.any(Number), tlsMs: expect.any(Number) } })
})
