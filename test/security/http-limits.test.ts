import { once } from 'node:events'
import { get } from 'node:http'
import type { IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import type { Socket } from 'node:net'
import { gzipSync } from 'node:zlib'
import { onTestFinished } from 'vitest'
import { manualClock } from 'posthorn/testing'
import { systemClock } from '../../src/clock.ts'
import { startHttpServer } from '../../src/server/http/http-server.ts'
import { mostRequestBytes, parseJson, readBody } from '../../src/server/http/request-body.ts'
import { serverWorld } from '../server/world.ts'
import { openReceiver, openTransport, request } from '../transport/world.ts'
import { defence } from './defence.ts'

const kibibyte = 1024

// Each of these, stored with an endpoint, would spoil its deliveries, or pass for something that Posthorn itself says.
const spoiltHeaders: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'a line feed in a value': { 'x-note': 'a\r\nx-admin: attacker' },
  'a line feed in a name': { 'x-note\r\nx-admin': 'attacker' },
  'a name that is none': { 'x note': 'attacker' },
  'a NUL in a value': { 'x-note': 'a\u0000attacker' },
  'a value that is not ASCII': { 'x-note': '☃' },
  'a hop-by-hop header': { 'transfer-encoding': 'attacker' },
  'the length of the body': { 'content-length': '1' },
  'the host': { host: 'attacker' },
  'a signature beside ours': { 'Webhook-Signature': 'v1,attacker', 'webhook-signature': 'v1,ours' },
  'a signature as clients of Svix look for it': { 'svix-signature': 'v1,attacker' },
}

for (const [what, given] of Object.entries(spoiltHeaders)) {
  defence(`headers: ${what}`, async (isOn) => {
    if (isOn) {
      const world = await serverWorld()
      await world.call('POST', '/api/v1/app', { body: { name: 'Acme', uid: 'acme' } })
      const body = { url: 'https://acme.example/hooks', headers: given }
      return (await world.call('POST', '/api/v1/app/acme/endpoint', { body })).status !== 422
    }
    // As if the endpoint had been stored: what would its attempts be?
    const server = await openReceiver()
    const outcome = await openTransport().send(request(server.url(), { headers: given }))
    const received = JSON.stringify(server.receipts.map((receipt) => receipt.headers))
    return outcome.kind === 'protocol' || received.includes('attacker')
  })
}

defence('response bombs: a body without end', async (isOn) => {
  const server = await openReceiver({ behaviour: 'endless' })
  if (isOn) return keptBytes(await openTransport().send(request(server.url()))) > 16 * kibibyte
  let read = 0
  for await (const part of await bodyOf(server.url())) {
    read += part.length
    if (read > 1024 * kibibyte) break
  }
  return read > 64 * kibibyte
})

defence('response bombs: a body that is small until it is inflated', async (isOn) => {
  const body = gzipSync(Buffer.alloc(10 * 1024 * kibibyte))
  const headers = { 'content-encoding': 'gzip', connection: 'close' }
  const server = await openReceiver({ behaviour: { status: 200, headers, body } })
  const kept = isOn
    ? keptBytes(await openTransport().send(request(server.url())))
    : (await (await fetch(server.url())).arrayBuffer()).byteLength
  return kept > 1024 * kibibyte
})

defence('response bombs: headers without end', async (isOn) => {
  const server = await openReceiver({
    behaviour: {
      raw: `HTTP/1.1 200 OK\r\n${`x-bomb: ${'x'.repeat(kibibyte)}\r\n`.repeat(100)}content-length: 0\r\n\r\n`,
    },
  })
  if (isOn) return (await openTransport().send(request(server.url()))).kind === 'answered'
  return (await responseOf(server.url(), 1024 * kibibyte)).statusCode === 200
})

defence('response bombs: an answer that never comes', async (isOn) => {
  const clock = manualClock()
  const server = await openReceiver({ behaviour: 'hang' })
  const given = request(server.url(), { timeoutMs: 5_000 })
  let isOpen = true
  const sent = (isOn ? openTransport({ clock }).send(given) : fetch(server.url())).catch(() => null)
  const ended = sent.then(() => (isOpen = false))
  await server.waitFor(1)
  await clock.advance(5_100)
  // What ended with the clock has ended by now; what has no time limit would be waited for as long as the test may take.
  if (isOn) await ended
  return isOpen
})

defence('request bombs: a body that says that it is too large', async (isOn) => {
  const bomb = new Request('http://posthorn.test/', {
    method: 'POST',
    body: Buffer.alloc(mostRequestBytes + 1),
    headers: { 'content-length': String(mostRequestBytes + 1) },
  })
  return !((await readBody(bomb, isOn ? mostRequestBytes : Infinity)) instanceof Response)
})

defence('request bombs: a body that does not say how large it is', async (isOn) => {
  let given = 0
  const body = new ReadableStream<Uint8Array>({
    pull(controller) {
      given += 64 * kibibyte
      if (given > 4 * mostRequestBytes) controller.close()
      else controller.enqueue(new Uint8Array(64 * kibibyte))
    },
  })
  const bomb = new Request('http://posthorn.test/', { method: 'POST', body, duplex: 'half' })
  await readBody(bomb, isOn ? mostRequestBytes : Infinity)
  return given > 2 * mostRequestBytes
})

defence('request bombs: JSON of more levels than a stack has room for', async (isOn) => {
  const bomb = Buffer.from(`${'['.repeat(200_000)}${']'.repeat(200_000)}`)
  const parsed = isOn ? parseJson(bomb) : { value: JSON.parse(bomb.toString()) as unknown }
  return !(parsed instanceof Response) && overflows(parsed.value)
})

for (const [what, said] of Object.entries({
  head: 'GET / HTTP/1.1\r\nhost: x\r\nx-a: ',
  body: 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{',
})) {
  defence(`request bombs: a ${what} that never ends`, async (isOn) => {
    // The one that is never cut is looked at when another one, begun at the same time, has been.
    const cut = await connectTo({ headersMs: 100, requestMs: 200 }, said)
    const watched = isOn ? cut : await connectTo({ headersMs: 600_000, requestMs: 600_000 }, said)
    await once(cut, 'close')
    return !watched.closed
  })
}

defence('request bombs: one key that calls without a pause', async (isOn) => {
  const world = await serverWorld({ rateLimitPerSecond: isOn ? 10 : 0 })
  const statuses: number[] = []
  while (statuses.length < 11) statuses.push((await world.call('GET', '/api/v1/app')).status)
  return !statuses.includes(429)
})

function keptBytes(outcome: { readonly kind: string; readonly responseBody?: string | null }): number {
  if (outcome.kind !== 'answered') throw new Error(`Expected an answer, got ${JSON.stringify(outcome)}.`)
  return Buffer.byteLength(outcome.responseBody ?? '')
}

/** The answer to a client of Node's own that takes headers of any size up to the one given. */
async function responseOf(url: string, maxHeaderSize: number): Promise<IncomingMessage> {
  const asked = get(url, { maxHeaderSize, agent: false })
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return response.resume()
}

async function bodyOf(url: string): Promise<ReadableStream<Uint8Array>> {
  const { body } = await fetch(url)
  if (body === null) throw new Error(`Expected ${url} to answer with a body.`)
  return body
}

/** Whether a walk over a value, as validators and writers of JSON make it, ends in an overflow of the stack. */
function overflows(value: unknown): boolean {
  try {
    JSON.stringify(value)
    return false
  } catch (error) {
    return error instanceof RangeError
  }
}

async function connectTo(limits: { headersMs: number; requestMs: number }, said: string): Promise<Socket> {
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, clock: systemClock, ...limits })
  server.serve(
    async (asked) => new Response(await asked.text()),
    async () => undefined,
  )
  const socket = connect(server.port, '127.0.0.1')
  onTestFinished(async () => {
    socket.destroy()
    await server.close()
  })
  socket.on('error', () => undefined).resume()
  socket.write(said)
  return socket
}
