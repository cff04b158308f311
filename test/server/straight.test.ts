import { once } from 'node:events'
import { connect } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Posthorn } from 'posthorn'
import { manualClock, memoryStore, seededRandom } from 'posthorn/testing'
import { systemClock } from '../../src/clock.ts'
import { handler } from '../../src/server/handler.ts'
import type { HandlerOptions } from '../../src/server/handler.ts'
import { startHttpServer } from '../../src/server/http/http-server.ts'
import type { HttpServer } from '../../src/server/http/http-server.ts'
import type { AnsweredRequest } from '../../src/server/request/pipeline.ts'
import { makeGate } from '../engine/gate.ts'

const adminKey = 'an-admin-key-of-the-test'
const path = '/api/v1/app/acme/msg'
const message = { eventType: 'invoice.paid', payload: { amount: 1 } }

/** A request as it goes over the wire, where it differs from the usual one. */
interface Case {
  readonly is: string
  readonly straight: boolean
  readonly path?: string
  readonly method?: string
  /** Added to those of the usual request, or in their place; undefined leaves one out. */
  readonly headers?: Readonly<Record<string, string | undefined>>
  /** Lines of the head as they are. */
  readonly lines?: readonly string[]
  readonly body?: unknown
}

const usual = { straight: true }
const unusual = { straight: false }
const deep = `{"eventType":"a","payload":{"a":${'['.repeat(70)}${']'.repeat(70)}}}`

const cases: readonly Case[] = [
  { ...usual, is: 'a message' },
  { ...usual, is: 'a message with everything', body: { ...message, eventId: 'e-1', channels: ['a'], sessionId: 's' } },
  { ...usual, is: 'an event id for the second time', body: { ...message, eventId: 'e-1' } },
  { ...usual, is: 'a message under a key', headers: { 'idempotency-key': 'k-1' } },
  { ...usual, is: 'the same under the same key', headers: { 'idempotency-key': 'k-1' } },
  {
    ...usual,
    is: 'another under the same key',
    headers: { 'idempotency-key': 'k-1' },
    body: { ...message, eventType: 'b' },
  },
  { ...usual, is: 'a bad key of idempotency', headers: { 'idempotency-key': 'x'.repeat(300) } },
  { ...usual, is: 'numbers and characters as they are', body: '{"payload":{"n":1.0,"é":"😀\\u0001"},"eventType":"a"}' },
  { ...usual, is: 'a payload given twice', body: '{"payload":{"n":1},"eventType":"a","pay\\u006coad":{"n":2}}' },
  { ...usual, is: 'a raw body', body: { ...message, payload: {}, transformationsParams: { rawPayload: '<a/>' } } },
  { ...usual, is: 'a field that has no effect', body: { ...message, tags: ['a'] } },
  {
    ...usual,
    is: 'an application to be created',
    path: '/api/v1/app/new/msg',
    body: { ...message, application: { name: 'New' } },
  },
  { ...usual, is: 'an application that is not there', path: '/api/v1/app/nobody/msg' },
  { ...usual, is: 'no event type', body: { payload: {} } },
  { ...usual, is: 'a payload that is no object', body: { eventType: 'a', payload: [] } },
  { ...usual, is: 'a list', body: [] },
  { ...usual, is: 'no JSON', body: '{"eventType":' },
  { ...usual, is: 'no UTF-8', body: Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d]) },
  { ...usual, is: 'JSON that is too deep', body: deep },
  { ...usual, is: 'no body', body: '' },
  { ...usual, is: 'a body that is too large', headers: { 'content-length': '99999999' }, body: '' },
  { ...usual, is: 'nonsense as its key', headers: { authorization: 'Bearer nonsense' } },
  { ...usual, is: 'no bearer', headers: { authorization: 'Basic abc' } },
  { ...usual, is: 'a trace', headers: { traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01' } },
  { ...usual, is: 'a page of another origin', headers: { origin: 'https://elsewhere.example' } },
  { ...unusual, is: 'no key', headers: { authorization: undefined } },
  { ...unusual, is: 'two keys', lines: ['authorization: Bearer other'] },
  { ...unusual, is: 'a header that came twice', lines: ['idempotency-key: a', 'idempotency-key: b'] },
  {
    ...unusual,
    is: 'a body in chunks',
    headers: { 'content-length': undefined },
    lines: ['transfer-encoding: chunked'],
    body: '2\r\n{}\r\n0\r\n\r\n',
  },
  { ...unusual, is: 'a host that is none', headers: { host: 'a b' } },
  { ...unusual, is: 'a query', path: `${path}?with_content=false` },
  { ...unusual, is: 'a slash at its end', path: `${path}/` },
  { ...unusual, is: 'two slashes at its beginning', path: `/${path}` },
  { ...unusual, is: 'a name to be decoded', path: '/api/v1/app/%61cme/msg' },
  { ...unusual, is: 'dots on its way', path: '/api/v1/app/../msg' },
  { ...unusual, is: 'an absolute URL', path: `http://127.0.0.1${path}` },
  { ...unusual, is: 'another method', method: 'PUT' },
  { ...unusual, is: 'a question', method: 'GET', body: '' },
]

describe('the straight way and the general way', () => {
  test.each([
    ['as a server is set up', {}],
    ['strict', { strict: true }],
    ['with one call per second', { rateLimitPerSecond: 1 }],
    ['with one message per second', { messagesPerSecondPerApplication: 1 }],
    ['with no request at once', { mostInFlight: 1 }],
  ] satisfies [string, HandlerOptions][])('answer alike, byte for byte: %s', async (_, options) => {
    const [straight, general] = [await world(options, true), await world(options, false)]
    for (const each of cases) {
      const [one, other] = [await straight.ask(each), await general.ask(each)]
      expect({ is: each.is, answer: one }).toEqual({ is: each.is, answer: other })
      expect({ is: each.is, straight: straight.wentStraight() }).toEqual({ is: each.is, straight: each.straight })
    }
    expect(straight.answered).toEqual(general.answered)
    expect(straight.sent).toEqual(general.sent)
  })

  test('keep a connection after a request that was refused before its body was read', async () => {
    const bad = requestOf({ ...usual, is: '', headers: { authorization: 'Bearer nonsense', connection: undefined } })
    const good = requestOf({ ...usual, is: '' })
    for (const isStraight of [true, false]) {
      const { server } = await world({}, isStraight)
      const heard = await talk(server.port, bad, good)
      expect(heard.match(/HTTP\/1\.1 \d+/g)).toEqual(['HTTP/1.1 401', 'HTTP/1.1 202'])
    }
  })

  test('say that the connection ends, while the server stops', async () => {
    for (const isStraight of [true, false]) {
      const { server } = await world({}, isStraight)
      server.retire()
      const heard = await talk(server.port, requestOf({ ...usual, is: '', headers: { connection: undefined } }))
      expect(heard.toLowerCase()).toContain('connection: close')
    }
  })

  test('store nothing of a request whose caller leaves before its end', async () => {
    for (const isStraight of [true, false]) {
      const { server, answered, sent, begun } = await world({}, isStraight)
      const socket = connect(server.port, '127.0.0.1')
      socket.on('error', () => undefined)
      socket.write(requestOf({ ...usual, is: '', headers: { 'content-length': '5000' } }))
      await begun
      socket.destroy()
      await expect.poll(() => answered.length).toBe(1)
      expect({ status: answered[0]?.status, sent }).toEqual({ status: 499, sent: [] })
    }
  })
})

interface World {
  readonly server: HttpServer
  /** Resolves with the first request. */
  readonly begun: Promise<void>
  readonly answered: readonly Omit<AnsweredRequest, 'tookMs'>[]
  readonly sent: readonly string[]
  ask(request: Case): Promise<string>
  /** Whether the last request did. */
  wentStraight(): boolean
}

/** A server of its own, with or without the straight way. */
async function world(options: HandlerOptions, isStraight: boolean): Promise<World> {
  const posthorn = new Posthorn({ store: memoryStore(), clock: manualClock(), random: seededRandom(1) })
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, clock: systemClock })
  onTestFinished(async () => {
    await server.close()
    await posthorn.stop()
  })
  await posthorn.applications.create({ uid: 'acme' })
  const answered: Omit<AnsweredRequest, 'tookMs'>[] = []
  const sent: string[] = []
  posthorn.on('message.enqueued', ({ event_type: type, deliveries }) => sent.push(`${type} ${deliveries}`))
  const answer = handler(posthorn, {
    adminKey,
    warn: () => undefined,
    answered: ({ operation, status }) => answered.push({ operation, status }),
    ...options,
  })
  let went = false
  const begun = makeGate()
  const general = Object.assign((...asked: Parameters<typeof answer>) => answer(...asked), {
    straight: (incoming: Parameters<NonNullable<typeof answer.straight>>[0]) => {
      const answering = isStraight ? (answer.straight?.(incoming) ?? null) : null
      went = answering !== null
      begun.open()
      return answering
    },
  })
  server.serve(general, async () => undefined)
  return {
    server,
    begun: begun.opened,
    answered,
    sent,
    wentStraight: () => went,
    ask: async (request) => withoutDate(await talk(server.port, requestOf(request))),
  }
}

function requestOf({ method = 'POST', path: to = path, headers = {}, lines = [], body = message }: Case): Buffer {
  const bytes = Buffer.isBuffer(body) ? body : Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
  const all = {
    host: '127.0.0.1',
    authorization: `Bearer ${adminKey}`,
    'content-type': 'application/json',
    'content-length': String(bytes.length),
    connection: 'close',
    ...headers,
  }
  const given = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [`${name}: ${value}`]))
  const head = [`${method} ${to} HTTP/1.1`, ...given, ...lines, '', ''].join('\r\n')
  return Buffer.concat([Buffer.from(head), bytes])
}

/** Says something over a socket, and resolves with all that came back once the other side has closed it. */
async function talk(port: number, ...said: readonly Uint8Array[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let heard = ''
  socket.setEncoding('utf8').on('data', (text: string) => (heard += text))
  socket.on('error', () => undefined)
  for (const part of said) socket.write(part)
  await once(socket, 'close')
  return heard
}

/** Without the date, which is the machine's own. */
function withoutDate(answer: string): string {
  return answer.replace(/^date: .*\r\n/im, '')
}
