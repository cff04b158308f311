import { EventEmitter, once } from 'node:events'
import { connect as connectTcp, createServer, Socket } from 'node:net'
import type { AddressInfo } from 'node:net'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { OutgoingRequest } from '../../src/core/ports/ports.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import type { Behaviour } from '../../src/testing/receiver.ts'
import type { Connect } from '../../src/transport/dial.ts'
import type { Lookup } from '../../src/transport/lookup/lookup.ts'
import { errorWithCode, openReceiver, openTransport, request, scriptedLookup } from './world.ts'

const kilobyte = 1024

/** A port on which nobody listens: it was free a moment ago, and the system hands out others first. */
async function deadPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise<void>((resolve) => void server.close(() => resolve()))
  return port
}

/** A connector that says when the first connection to a port is closed. */
function watchedConnect(watchedPort: number): { connect: Connect; closed: Promise<unknown> } {
  const events = new EventEmitter()
  const connect: Connect = ({ port }) =>
    connectTcp({ host: '127.0.0.1', port }).once('close', () => events.emit(`closed ${port}`))
  return { connect, closed: once(events, `closed ${watchedPort}`) }
}

describe('an answer', () => {
  test.each([200, 201, 204, 299, 301, 304, 400, 404, 410, 429, 500, 503, 599])(
    'with status %i is answered as it is',
    async (status) => {
      const server = await openReceiver({ behaviour: status })
      expect(await openTransport().send(request(server.url()))).toEqual({
        kind: 'answered',
        statusCode: status,
        responseBody: '',
        retryAfterMs: null,
      })
    },
  )

  test('comes to exactly the bytes, path and headers that were given', async () => {
    const server = await openReceiver()
    const body = Buffer.from([0, 1, 2, 0xff, 0xfe, 10, 13])
    const headers = { 'content-type': 'application/octet-stream', 'webhook-id': 'msg_1', 'X-Custom': 'value' }
    await openTransport().send(request(server.url('/hooks/a%20b?x=1&y=%2f#fragment'), { body, headers }))
    const [receipt] = server.receipts
    expect(receipt).toMatchObject({ order: 1, id: 'msg_1', path: '/hooks/a%20b?x=1&y=%2f', body })
    expect(receipt?.headers).toEqual({
      host: `127.0.0.1:${server.port}`,
      connection: 'keep-alive',
      'accept-encoding': 'identity',
      'content-type': 'application/octet-stream',
      'webhook-id': 'msg_1',
      'x-custom': 'value',
      'content-length': '7',
    })
  })

  test('to an empty body is fine', async () => {
    const server = await openReceiver()
    await openTransport().send(request(server.url(), { body: new Uint8Array() }))
    expect(server.receipts[0]?.headers['content-length']).toBe('0')
  })

  test('to a body that is a part of a larger buffer gets only that part', async () => {
    const server = await openReceiver()
    await openTransport().send(
      request(server.url(), { body: new Uint8Array(Buffer.from('abcdefgh').buffer, 2, 0).fill(0) }),
    )
    await openTransport().send(request(server.url(), { body: new TextEncoder().encode('abcdefgh').subarray(2, 5) }))
    expect(server.receipts.map(({ body }) => body.toString())).toEqual(['', 'cde'])
  })

  test('after informational heads is the last one', async () => {
    const raw = 'HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\nHTTP/1.1 202 Accepted\r\ncontent-length: 2\r\n\r\nok'
    const server = await openReceiver({ behaviour: { raw } })
    expect(await openTransport().send(request(server.url()))).toMatchObject({ statusCode: 202, responseBody: 'ok' })
  })

  test.each([
    ['without a length', 'HTTP/1.1 200 OK\r\n\r\nuntil the end', 'until the end'],
    ['in HTTP/1.0', 'HTTP/1.0 200 OK\r\n\r\nold', 'old'],
    ['in chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n', 'abcde'],
    [
      'that says it is compressed, as it is',
      'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: 4\r\n\r\nabcd',
      'abcd',
    ],
  ])('with a body %s is read', async (_what, raw, responseBody) => {
    const server = await openReceiver({ behaviour: { raw } })
    expect(await openTransport().send(request(server.url()))).toMatchObject({ statusCode: 200, responseBody })
  })
})

describe('a failure', () => {
  const wire: [what: string, behaviour: Behaviour, kind: string, reason: string][] = [
    ['a reset', 'reset', 'reset', 'connection reset (ECONNRESET)'],
    ['a connection closed without a word', { raw: '' }, 'reset', 'connection closed before an answer (UND_ERR_SOCKET)'],
    [
      'half a head',
      { raw: 'HTTP/1.1 200 OK\r\ncontent-' },
      'reset',
      'connection closed before an answer (UND_ERR_SOCKET)',
    ],
    ['something that is not HTTP', { raw: 'SSH-2.0-OpenSSH_9.2\r\n' }, 'protocol', 'answer is not HTTP'],
    [
      'a head without end',
      { raw: `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(17 * kilobyte)}` },
      'protocol',
      'headers of the answer too large (UND_ERR_HEADERS_OVERFLOW)',
    ],
    [
      'too many headers',
      { raw: `HTTP/1.1 200 OK\r\n${'x-header: some value\r\n'.repeat(1000)}\r\n` },
      'protocol',
      'headers of the answer too large (UND_ERR_HEADERS_OVERFLOW)',
    ],
    [
      'both lengths',
      { raw: 'HTTP/1.1 200 OK\r\ncontent-length: 1\r\ntransfer-encoding: chunked\r\n\r\n' },
      'protocol',
      'answer is not HTTP (UND_ERR_RES_CONTENT_LENGTH_MISMATCH)',
    ],
    [
      'an upgrade that nobody asked for',
      { raw: 'HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: upgrade\r\n\r\n' },
      'protocol',
      'unexpected answer (UND_ERR_SOCKET)',
    ],
    [
      '100 Continue that nobody asked for',
      { raw: 'HTTP/1.1 100 Continue\r\n\r\n' },
      'protocol',
      'unexpected answer (UND_ERR_SOCKET)',
    ],
  ]
  test.each(wire)('%s is reported as it is', async (_what, behaviour, kind, reason) => {
    const server = await openReceiver({ behaviour })
    const outcome = await openTransport().send(request(server.url()))
    expect(outcome).toEqual({ kind, reason })
    expect(server.receipts).toHaveLength(1) // It is never sent a second time.
  })

  test('a port on which nobody listens refuses the connection', async () => {
    expect(await openTransport().send(request(`http://127.0.0.1:${await deadPort()}/`))).toEqual({
      kind: 'connect',
      reason: 'connection refused (ECONNREFUSED)',
    })
  })

  test('all addresses of a name refusing is one refusal', async () => {
    const lookup = scriptedLookup({ 'receiver.localhost': [['127.0.0.1', '127.0.0.2']] })
    const outcome = await openTransport({ lookup }).send(request(`http://receiver.localhost:${await deadPort()}/`))
    expect(outcome).toEqual({ kind: 'connect', reason: 'connection refused (ECONNREFUSED)' })
  })

  test.each([
    ['ENOTFOUND', 'dns', 'The name has no public address (name not found, ENOTFOUND)'],
    ['EAI_AGAIN', 'dns', 'The name has no public address (lookup failed, EAI_AGAIN)'],
    ['strange code with spaces', 'dns', 'The name has no public address (lookup failed)'],
  ])('a look-up that fails with %s', async (code, kind, reason) => {
    const lookup = scriptedLookup({ 'receiver.localhost': [errorWithCode(code)] })
    expect(await openTransport({ lookup }).send(request('http://receiver.localhost/'))).toEqual({ kind, reason })
  })

  test('a name without an address', async () => {
    const lookup = scriptedLookup({ 'receiver.localhost': [[]] })
    expect(await openTransport({ lookup }).send(request('http://receiver.localhost/'))).toEqual({
      kind: 'dns',
      reason: 'The name has no public address (it has no address at all)',
    })
  })

  test.each([
    ['EHOSTUNREACH', 'connect', 'host unreachable (EHOSTUNREACH)'],
    ['ENETUNREACH', 'connect', 'host unreachable (ENETUNREACH)'],
    ['ETIMEDOUT', 'timeout', 'no connection in time (ETIMEDOUT)'],
    ['EMFILE', 'connect', 'connection failed (EMFILE)'],
  ])('a connection that fails with %s', async (code, kind, reason) => {
    const connect = () => new Socket().destroy(errorWithCode(code))
    expect(await openTransport({ connect }).send(request('http://127.0.0.1/'))).toEqual({ kind, reason })
  })

  test('after a failure the next request is served', async () => {
    const server = await openReceiver({ behaviour: ['reset', 200, { raw: 'junk' }, 'reset', 200] })
    const transport = openTransport()
    const outcomes = []
    for (let turn = 0; turn < 5; turn++) outcomes.push(await transport.send(request(server.url())))
    expect(outcomes.map(({ kind }) => kind)).toEqual(['reset', 'answered', 'protocol', 'reset', 'answered'])
  })

  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  test.each<[what: string, input: unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['an empty object', {}],
    ['a URL that is none', request('not a url')],
    ['a URL that is not text', { ...request(''), url: 7 }],
    ['an empty URL', request('')],
    ['another scheme', request('ftp://127.0.0.1/')],
    ['a user name', request('http://user:secret@127.0.0.1/')],
    ['http to where it is not allowed', request('http://example.com/')],
    ['a line feed in a header', request('http://127.0.0.1:9/', { headers: { 'x-a': 'b\r\nx-secret: s3cr3t' } })],
    ['a header that is not Latin', request('http://127.0.0.1:9/', { headers: { 'x-a': '\u2603' } })],
    ['a header without a name', request('http://127.0.0.1:9/', { headers: { '': 's3cr3t' } })],
    ['a header that is an object', { ...request('http://127.0.0.1:9/'), headers: circular }],
    ['a reserved header', request('http://127.0.0.1:9/', { headers: { 'transfer-encoding': 'chunked' } })],
    ['a wrong length', request('http://127.0.0.1:9/', { headers: { 'content-length': '1x' } })],
    ['a body that is text', { ...request('http://127.0.0.1:9/'), body: 's3cr3t' }],
    ['a body that is missing', { ...request('http://127.0.0.1:9/'), body: null }],
  ])('%s does not make it throw', async (_what, input) => {
    const outcome = await openTransport().send(input as OutgoingRequest)
    expect(['protocol', 'forbidden']).toContain(outcome.kind)
    expect(JSON.stringify(outcome)).not.toContain('s3cr3t')
  })

  test('requests that cannot be sent leave the others alone', async () => {
    const server = await openReceiver()
    const transport = openTransport()
    const outcomes = await Promise.all(
      Array.from({ length: 1_000 }, (_, index) =>
        transport.send(request(server.url(), index % 100 === 99 ? {} : { headers: { a: '\n' } })),
      ),
    )
    expect(outcomes.filter(({ kind }) => kind === 'answered')).toHaveLength(10)
    expect([server.count, server.connections]).toEqual([10, 10])
  })
})

const at = (timeoutMs: number): { timeoutMs: number } => ({ timeoutMs })

describe('the deadline', () => {
  test('ends a request that is never answered, to within a tick', async () => {
    const clock = manualClock()
    const server = await openReceiver({ behaviour: 'hang' })
    const transport = openTransport({ clock })
    const started = clock.now()
    let endedAfter = -1
    const sent = transport.send(request(server.url(), at(30_000))).finally(() => (endedAfter = clock.now() - started))
    await server.waitFor(1)
    await clock.advance(29_999)
    expect(endedAfter).toBe(-1)
    await clock.advance(51)
    expect(await sent).toEqual({ kind: 'timeout', reason: 'no answer within 30000 ms' })
    expect(endedAfter).toBeLessThanOrEqual(30_050)
    expect(clock.pending()).toBe(0)
  })

  test('covers an answer that comes too late, and one in time is not touched by it', async () => {
    const clock = manualClock()
    const server = await openReceiver()
    server.behave('/late', { kind: 'slow', afterMs: 2_000, clock })
    server.behave('/early', { kind: 'slow', afterMs: 500, clock })
    const transport = openTransport({ clock })
    const late = transport.send(request(server.url('/late'), at(1_000)))
    const early = transport.send(request(server.url('/early'), at(1_000)))
    await server.waitFor(2)
    await clock.advance(500)
    expect(await early).toMatchObject({ kind: 'answered', statusCode: 200 })
    await clock.advance(550)
    expect(await late).toMatchObject({ kind: 'timeout' })
  })

  test('covers the look-up, which has a budget of its own', async () => {
    const clock = manualClock()
    const answers: (() => void)[] = []
    const cancelled: string[] = []
    const lookup: Lookup = (name, done) => {
      answers.push(() => done(null, [{ address: '127.0.0.1', family: 4 }]))
      return () => cancelled.push(name)
    }
    const transport = openTransport({ clock, lookup })
    const short = transport.send(request('http://short.localhost/', at(1_000)))
    const long = transport.send(request('http://long.localhost/', at(30_000)))
    await clock.advance(1_050)
    expect(await short).toMatchObject({ kind: 'timeout' })
    await clock.advance(2_000)
    expect(await long).toEqual({
      kind: 'dns',
      reason: 'The name has no public address (no answer to the lookup within 3000 ms)',
    })
    expect(cancelled).toEqual(['short.localhost', 'long.localhost'])
    // Answers that come after all open no connection.
    for (const answer of answers) answer()
    expect(clock.pending()).toBe(0)
  })

  test('covers a connection that never comes about', async () => {
    const clock = manualClock()
    const sockets: Socket[] = []
    const connect = () => {
      const socket = new Socket()
      sockets.push(socket)
      return socket
    }
    const transport = openTransport({ clock, connect })
    const sent = transport.send(request('http://127.0.0.1/', at(1_000)))
    await clock.advance(1_050)
    expect(await sent).toMatchObject({ kind: 'timeout' })
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true])
  })

  test('covers a TLS handshake that is not answered', async () => {
    const clock = manualClock()
    const server = createServer(
      (socket) => void socket.once('data', () => server.emit('hello')).on('error', () => undefined),
    )
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const transport = openTransport({ clock })
    const hello = once(server, 'hello')
    const sent = transport.send(request(`https://127.0.0.1:${(server.address() as AddressInfo).port}/`, at(1_000)))
    await hello
    await clock.advance(1_050)
    expect(await sent).toMatchObject({ kind: 'timeout' })
  })

  test.each([0, -1, Number.NaN])('of %s ms ends at the next tick', async (timeoutMs) => {
    const clock = manualClock()
    const server = await openReceiver({ behaviour: 'hang' })
    const sent = openTransport({ clock }).send(request(server.url(), { timeoutMs }))
    await clock.advance(50)
    expect(await sent).toMatchObject({ kind: 'timeout' })
  })

  test('that is without end is a day', async () => {
    const clock = manualClock()
    const server = await openReceiver({ behaviour: 'hang' })
    const transport = openTransport({ clock })
    const sent = transport.send(request(server.url(), { timeoutMs: Infinity }))
    await server.waitFor(1)
    await clock.advance(5_000)
    expect(clock.pending()).toBe(1)
    await transport.close()
    expect(await sent).toMatchObject({ kind: 'reset' })
  })

  test('works on the real clock too', async () => {
    const server = await openReceiver({ behaviour: 'hang' })
    expect(await openTransport().send(request(server.url(), at(50)))).toMatchObject({ kind: 'timeout' })
  })
})

describe('once the head has come, the status decides', () => {
  test.each([200, 500])('a body that never ends (%i)', async (status) => {
    const server = await openReceiver({ behaviour: { kind: 'endless', status } })
    const outcome = await openTransport().send(request(server.url()))
    expect(outcome).toEqual({
      kind: 'answered',
      statusCode: status,
      responseBody: 'x'.repeat(16 * kilobyte),
      retryAfterMs: null,
    })
  })

  test.each([200, 500])('a huge body (%i)', async (status) => {
    const server = await openReceiver({ behaviour: { kind: 'huge', status } })
    const outcome = await openTransport().send(request(server.url()))
    expect(outcome).toEqual({
      kind: 'answered',
      statusCode: status,
      responseBody: 'x'.repeat(16 * kilobyte),
      retryAfterMs: null,
    })
  })

  test.each([200, 500])('a body that is cut off (%i)', async (status) => {
    const server = await openReceiver({ behaviour: { kind: 'cut', status } })
    expect(await openTransport().send(request(server.url()))).toEqual({
      kind: 'answered',
      statusCode: status,
      responseBody: 'cut short',
      retryAfterMs: null,
    })
  })

  test.each([
    ['200', 200],
    ['500', 500],
  ])('E10 a dripping %s ends within a second', async (_what, status) => {
    const clock = manualClock()
    const server = await openReceiver({ behaviour: { kind: 'drip', status, everyMs: 100, clock } })
    const { connect, closed } = watchedConnect(server.port)
    const started = clock.now()
    const sent = openTransport({ clock, connect }).send(request(server.url(), at(30_000)))
    let endedAfter = -1
    void sent.then(() => (endedAfter = clock.now() - started))
    await server.waitFor(1)
    await clock.advance(900)
    expect(endedAfter).toBe(-1) // A body that ends within the second is read to its end.
    await clock.advance(200)
    expect(endedAfter).toBeGreaterThan(900)
    expect(endedAfter).toBeLessThanOrEqual(1_100)
    const outcome = await sent
    expect(outcome).toMatchObject({ kind: 'answered', statusCode: status })
    expect(outcome).toHaveProperty('responseBody', expect.stringMatching(/^\.{9,12}$/))
    await closed
  })

  test.each([200, 500])('a body that drips (%i) is cut at the deadline, if that is sooner', async (status) => {
    const clock = manualClock()
    const server = await openReceiver({ behaviour: { kind: 'drip', status, everyMs: 100, clock } })
    const sent = openTransport({ clock }).send(request(server.url(), at(500)))
    await server.waitFor(1)
    await clock.advance(550)
    const outcome = await sent
    expect(outcome).toMatchObject({ kind: 'answered', statusCode: status })
    expect(outcome).toHaveProperty('responseBody', expect.stringMatching(/^\.{1,7}$/))
  })

  test('a body that ends within the second leaves the connection as it was', async () => {
    const clock = manualClock()
    const server = await openReceiver({ behaviour: (receipt) => ({ status: 200, body: receipt.path }) })
    const transport = openTransport({ clock })
    for (const path of ['/a', '/b'])
      expect(await transport.send(request(server.url(path)))).toMatchObject({ statusCode: 200, responseBody: path })
    expect([server.connections, clock.pending()]).toEqual([1, 0])
  })

  test.each([
    ['chunks that are no chunks', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nzzz\r\n'],
    ['more bytes than were promised', 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nokHTTP/1.1 500 No\r\n\r\n'],
    ['fewer bytes than were promised', 'HTTP/1.1 200 OK\r\ncontent-length: 20\r\n\r\nok'],
  ])('%s', async (_what, raw) => {
    const server = await openReceiver({ behaviour: [{ raw }, 202] })
    const transport = openTransport()
    expect(await transport.send(request(server.url()))).toMatchObject({ kind: 'answered', statusCode: 200 })
    expect(await transport.send(request(server.url()))).toMatchObject({ kind: 'answered', statusCode: 202 })
  })

  test('also when the transport is closed meanwhile', async () => {
    const clock = manualClock()
    const server = await openReceiver({ behaviour: { kind: 'drip', clock } })
    const transport = openTransport({ clock })
    const sent = transport.send(request(server.url()))
    await server.waitFor(1)
    await clock.advance(100) // Some turns of the loop, so that the head arrives.
    await transport.close()
    expect(await sent).toMatchObject({ kind: 'answered', statusCode: 200 })
  })

  test.each([
    ['65536 bytes are read to the end, and the connection is kept', 64 * kilobyte, 1],
    ['one byte more is cut', 64 * kilobyte + 1, 2],
  ])('%s', async (_what, length, connections) => {
    const server = await openReceiver({
      behaviour: { status: 200, headers: { 'content-length': String(length) }, body: Buffer.alloc(length, 'y') },
    })
    const transport = openTransport()
    for (let turn = 0; turn < 2; turn++) {
      expect(await transport.send(request(server.url()))).toMatchObject({
        statusCode: 200,
        responseBody: 'y'.repeat(16 * kilobyte),
      })
    }
    expect(server.connections).toBe(connections)
  })
})

describe('the response body that is kept', () => {
  test.each<[what: string, body: string | Buffer, responseBody: string]>([
    ['text', 'no such hook', 'no such hook'],
    ['text beyond ASCII', 'Käse ☃ 🎺', 'Käse ☃ 🎺'],
    ['bytes that are no text', Buffer.from([0xff, 0xfe, 0x41]), '\ufffd\ufffdA'],
    ['NUL, which not every database stores', Buffer.from([0x41, 0, 0x42]), 'A\ufffdB'],
    ['a character halved by the limit', `${'a'.repeat(16 * kilobyte - 1)}☃`, 'a'.repeat(16 * kilobyte - 1)],
    ['exactly the limit', 'b'.repeat(16 * kilobyte), 'b'.repeat(16 * kilobyte)],
    [
      'junk, which is no longer as text than anything else',
      Buffer.alloc(20 * kilobyte, 0xff),
      '\ufffd'.repeat(Math.floor((16 * kilobyte) / 3)),
    ],
  ])('of %s', async (_what, body, responseBody) => {
    const server = await openReceiver({ behaviour: { status: 500, body } })
    expect(await openTransport().send(request(server.url()))).toEqual({
      kind: 'answered',
      statusCode: 500,
      responseBody,
      retryAfterMs: null,
    })
  })
})

describe('Retry-After', () => {
  const now = Date.UTC(2030, 0, 1)
  test.each<[value: string, ms: number | null]>([
    ['0', 0],
    ['120', 120_000],
    [' 7 ', 7_000],
    ['9'.repeat(400), Number.MAX_SAFE_INTEGER],
    ['Tue, 01 Jan 2030 00:01:00 GMT', 60_000],
    ['Tuesday, 01-Jan-30 00:02:00 GMT', 120_000],
    ['Mon, 31 Dec 2029 23:59:00 GMT', 0],
    ['Tue, 99 Jan 2030 00:00:00 GMT', null],
    ['1.5', null],
    ['-1', null],
    ['soon', null],
    ['2030-01-01T00:01:00Z', null],
    ['', null],
  ])('"%s" is %s ms', async (value, ms) => {
    const server = await openReceiver({ behaviour: { status: 429, headers: { 'retry-after': value } } })
    const sent = openTransport({ clock: manualClock(now) }).send(request(server.url()))
    expect(await sent).toMatchObject({ statusCode: 429, retryAfterMs: ms })
  })
})

describe('connections', () => {
  test('one is used again and again', async () => {
    const server = await openReceiver({ behaviour: { status: 200, body: 'ok' } })
    const transport = openTransport()
    for (let turn = 0; turn < 20; turn++) await transport.send(request(server.url(`/${turn}`)))
    expect([server.count, server.connections]).toEqual([20, 1])
  })

  test('E9 a slow path does not delay another on the same host and port', async () => {
    const clock = manualClock()
    const server = await openReceiver({ behaviour: 'hang' })
    server.behave('/healthy', 200)
    const transport = openTransport({ clock })
    const slow = Array.from({ length: 12 * 20 }, (_, index) =>
      transport.send(request(server.url(`/slow/${index % 12}`), at(30_000))),
    )
    // With no wait for the slow ones: the clock stands still, so a request that waited for one of them would wait for ever.
    for (let turn = 0; turn < 3; turn++) {
      expect(await transport.send(request(server.url('/healthy'), at(30_000)))).toMatchObject({
        kind: 'answered',
        statusCode: 200,
      })
    }
    await server.waitFor(240 + 3)
    await clock.advance(30_050)
    expect(new Set((await Promise.all(slow)).map(({ kind }) => kind))).toEqual(new Set(['timeout']))
    expect(server.mostOpen).toBe(241)
  })

  test('each of those under way at once has its own, and later ones use them again', async () => {
    const clock = manualClock()
    const server = await openReceiver({ behaviour: { kind: 'slow', afterMs: 1_000, clock } })
    const transport = openTransport({ clock })
    for (let wave = 1; wave <= 3; wave++) {
      const sent = Promise.all(Array.from({ length: 30 }, () => transport.send(request(server.url()))))
      await server.waitFor(wave * 30)
      await clock.advance(1_000)
      expect((await sent).filter(({ kind }) => kind === 'answered')).toHaveLength(30)
    }
    expect([server.count, server.connections, server.mostOpen]).toEqual([90, 30, 30])
  })

  test('no more idle ones of an origin are kept than its bound', async () => {
    const clock = manualClock()
    const server = await openReceiver({ behaviour: { kind: 'slow', afterMs: 1_000, clock } })
    const transport = openTransport({ clock, mostIdlePerOrigin: 3 })
    for (let wave = 1; wave <= 2; wave++) {
      const sent = Promise.all(Array.from({ length: 5 }, () => transport.send(request(server.url()))))
      await server.waitFor(wave * 5)
      await clock.advance(1_000)
      await sent
    }
    expect(server.connections).toBe(5 + 2)
  })

  test('one that was closed while idle takes no place among those that are kept', async () => {
    const [kept, ended, third] = [await openReceiver(), await openReceiver(), await openReceiver()]
    const { connect, closed } = watchedConnect(ended.port)
    const transport = openTransport({ connect, mostIdle: 2 })
    await transport.send(request(kept.url()))
    await transport.send(request(ended.url()))
    ended.endIdle()
    await closed
    await transport.send(request(third.url()))
    await transport.send(request(kept.url()))
    expect([kept, ended, third].map(({ connections }) => connections)).toEqual([1, 1, 1])
  })

  test('one that the other side closed while idle is no failure, even if that was not read yet', async () => {
    const answer = 'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'
    let requests = 0
    const sockets: Socket[] = []
    const server = createServer((socket) => {
      sockets.push(socket)
      socket.on('error', () => undefined)
      socket.on('data', () => (requests++, socket.write(answer)))
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const transport = openTransport()
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
    expect(await transport.send(request(url))).toMatchObject({ statusCode: 200 })
    // The next request is given in the very turn in which the server's socket is gone: its end has arrived, and nobody has looked.
    const second = new Promise((resolve) => {
      sockets[0]?.once('close', () => resolve(transport.send(request(url)))).destroy()
    })
    expect(await second).toMatchObject({ statusCode: 200 })
    expect([requests, sockets.length]).toEqual([2, 2])
  })

  test('a request that was written and not answered is never repeated', async () => {
    const server = await openReceiver({ behaviour: [200, { raw: '' }, 200] })
    const transport = openTransport()
    expect(await transport.send(request(server.url()))).toMatchObject({ statusCode: 200 })
    expect(await transport.send(request(server.url()))).toMatchObject({ kind: 'reset' })
    expect(server.count).toBe(2)
  })

  test('the idle ones that were used longest ago are closed, never those in use', async () => {
    const clock = manualClock()
    const hung = await openReceiver({ behaviour: 'hang' })
    const [first, second, third] = [await openReceiver(), await openReceiver(), await openReceiver()]
    const transport = openTransport({ clock, mostIdle: 2 })
    const sent = transport.send(request(hung.url()))
    await hung.waitFor(1)
    await transport.send(request(first.url()))
    await transport.send(request(second.url()))
    await transport.send(request(first.url()))
    await transport.send(request(third.url())) // Closes that of the second.
    await transport.send(request(first.url()))
    await transport.send(request(second.url())) // Closes that of the third.
    await transport.send(request(first.url()))
    expect([first, second, third, hung].map(({ connections }) => connections)).toEqual([1, 2, 1, 1])
    await transport.close()
    expect(await sent).toMatchObject({ kind: 'reset' })
  })
})
