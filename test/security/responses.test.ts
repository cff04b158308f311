import { once } from 'node:events'
import { connect as connectTcp, createServer } from 'node:net'
import type { AddressInfo, Socket } from 'node:net'
import { createServer as createSecureServer } from 'node:tls'
import { Client } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Outcome } from '../../src/core/delivery/attempt.ts'
import type { Connect } from '../../src/transport/place.ts'
import { routesWorld } from '../server/routes/world.ts'
import { databases } from '../server/world.ts'
import { makeCertificate } from '../transport/certificate.ts'
import { openTransport, request } from '../transport/world.ts'
import { defence } from './defence.ts'

// Whoever closes the connection, it is not for its age.
const ok = 'HTTP/1.1 200 OK\r\nkeep-alive: timeout=600\r\ncontent-length: 2\r\n\r\nok'
const kilobyte = 1024
const certificate = makeCertificate({ name: 'receiver', hosts: ['127.0.0.1'] })

interface RawServer {
  readonly url: string
  /** All connections that ever came. */
  readonly sockets: Socket[]
  /** Resolves with the next request's bytes. */
  asked(): Promise<unknown>
}

/** A server that writes whatever a test tells it to, and nothing by itself. */
async function rawServer(onRequest: (socket: Socket) => void, isSecure = false): Promise<RawServer> {
  const sockets: Socket[] = []
  const accept = (socket: Socket): void => {
    sockets.push(socket)
    socket.on('error', () => undefined)
    socket.on('data', () => {
      onRequest(socket)
      server.emit('asked')
    })
  }
  const server = isSecure ? createSecureServer(certificate, accept) : createServer(accept)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const url = `${isSecure ? 'https' : 'http'}://127.0.0.1:${port}`
  return { url, sockets, asked: () => once(server, 'asked') }
}

const trusting = { ca: [certificate.cert] }

describe('bytes that arrive on an idle connection', () => {
  test.each([
    ['an answer to nothing', ok, false],
    ['line ends', '\r\n\r\n', false],
    ['one byte', 'H', false],
    ['line ends, over TLS', '\r\n\r\n', true],
    ['an answer to nothing, over TLS', ok, true],
  ])('close it: %s', async (_what, bytes, isSecure) => {
    const server = await rawServer((socket) => socket.write(ok), isSecure)
    const { opened, connect } = watchedConnect()
    const transport = openTransport({ ...trusting, connect })
    expect(await transport.send(request(server.url))).toMatchObject({ responseBody: 'ok' })
    const [[first], [own]] = [server.sockets, opened]
    // TLS reads from below the socket, which is silent then.
    const isClosedAtOnce = isSecure ? closed(own).then(() => true) : destroyedByNextBytes(own)
    first?.write(bytes)
    expect(await isClosedAtOnce).toBe(true)
    expect(await transport.send(request(server.url))).toMatchObject({ responseBody: 'ok' })
    expect(server.sockets).toHaveLength(2)
  })

  test('that follow an answer at once are not the answer to the next request', async () => {
    const poison = 'HTTP/1.1 200 OK\r\ncontent-length: 6\r\n\r\npoison'
    const server = await rawServer((socket) => socket.write(server.sockets.length === 1 ? ok + poison : ok))
    const transport = openTransport()
    for (let turn = 0; turn < 3; turn += 1)
      expect(await transport.send(request(server.url))).toMatchObject({ responseBody: 'ok' })
  })

  // Undici alone ignores line ends: they cost nobody anything, but whoever sends them is not waiting for a request.
  defence('are ignored, and the connection is used again', async (isOn) => {
    const server = await rawServer((socket) => socket.write(ok))
    const send = isOn ? ours(server.url) : alone(server.url)
    await send()
    const [first] = server.sockets
    if (first === undefined) return false
    await new Promise<void>((written) => void first.write('\r\n', () => written()))
    await (isOn ? closed(first) : send())
    await send()
    return server.sockets.length === 1
  })
})

describe('an answer', () => {
  const head = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'
  const floods: [what: string, first: string, flood: string, outcome: Partial<Outcome>][] = [
    [
      'of informational heads only',
      '',
      `HTTP/1.1 103 Early Hints\r\nlink: <${'a'.repeat(4 * kilobyte)}>\r\n\r\n`,
      { kind: 'protocol', reason: 'answer too large' },
    ],
    [
      'with a chunk extension without end',
      `${head}1;`,
      'x'.repeat(4 * kilobyte),
      { kind: 'answered', statusCode: 200 },
    ],
    [
      'of small chunks with long extensions',
      head,
      `1;${'x'.repeat(4 * kilobyte)}\r\na\r\n`,
      { kind: 'answered', statusCode: 200 },
    ],
    ['with trailers without end', `${head}0\r\n`, 'x: y\r\n'.repeat(700), { statusCode: 200 }],
  ]

  test.each(floods.flatMap((each) => [each, [`${each[0]}, over TLS`, ...each.slice(1), true] as never]))(
    'is cut after 80 KiB at the latest: %s',
    async (_what, first, flood, outcome, isSecure = false) => {
      const server = await rawServer((socket) => {
        if (first !== '') socket.write(first)
        pour(socket, flood)
      }, isSecure)
      const { opened, connect } = watchedConnect()
      expect(await openTransport({ ...trusting, connect }).send(request(server.url))).toMatchObject(outcome)
      const [socket] = opened
      expect(opened).toHaveLength(1)
      await closed(socket)
      // What a system hands over at once is read at once, and TLS has a handshake.
      expect(socket?.bytesRead).toBeLessThan((80 + 128) * kilobyte)
    },
  )

  defence('costs as much reading as its sender likes, by chunk extensions', async (isOn) => {
    // More than the buffers of both systems could keep.
    const most = 64 * 1024 * kilobyte
    let poured: (() => number) | null = null
    const server = await rawServer((socket) => {
      socket.write(`${head}1;`)
      poured = pour(socket, 'x'.repeat(64 * kilobyte), most)
    })
    await (isOn ? ours(server.url) : alone(server.url))()
    await closed(server.sockets[0])
    return (poured as (() => number) | null)?.() === most
  })
})

/** Writes the same again and again, as fast as it is read, up to so many bytes; answers with how to ask how many. */
function pour(socket: Socket, text: string, most = Number.POSITIVE_INFINITY): () => number {
  let written = 0
  const more = (): void => {
    for (let hasRoom = true; hasRoom && !socket.destroyed && written < most; written += text.length)
      hasRoom = socket.write(text)
    if (written >= most) socket.end()
  }
  socket.on('drain', more)
  more()
  return () => written
}

/** A connector whose sockets a test can look at. */
function watchedConnect(): { readonly opened: Socket[]; readonly connect: Connect } {
  const opened: Socket[] = []
  const connect: Connect = ({ port }) => {
    const socket = connectTcp({ host: '127.0.0.1', port })
    opened.push(socket)
    return socket
  }
  return { opened, connect }
}

/** Whether the next bytes that come in end a socket. */
function destroyedByNextBytes(socket: Socket | undefined): Promise<boolean> {
  return new Promise((resolve) => {
    socket?.once('readable', () => setImmediate(() => resolve(socket.destroyed)))
  })
}

/** Resolves once a socket is closed, however that comes about. */
async function closed(socket: Socket | undefined): Promise<void> {
  if (socket === undefined || socket.closed) return
  await new Promise<void>((resolve) => void socket.once('close', () => resolve()))
}

/** Sends with our transport. */
function ours(url: string): () => Promise<unknown> {
  const transport = openTransport()
  return () => transport.send(request(url))
}

/** Sends with what our transport is built on, and nothing around it. */
function alone(url: string): () => Promise<unknown> {
  const client = new Client(url)
  onTestFinished(() => client.destroy())
  return async () => {
    try {
      const { body } = await client.request({ path: '/', method: 'POST', body: '{}' })
      return await body.text()
    } catch {
      return null
    }
  }
}

const pages = (id: string): string[] => [
  `/delivery/${id}`,
  '/delivery',
  '/dead-letter',
  '/app/acme/attempt/endpoint/hooks',
  '/endpoint',
]

describe.each(databases)('a name without a public address on %s', (database) => {
  const inside: Outcome = { kind: 'forbidden', reason: 'The name has no public address (10.0.0.5 is not allowed)' }
  const unknown: Outcome = { kind: 'dns', reason: 'The name has no public address (name not found, ENOTFOUND)' }
  /** What a caller reads about a delivery that ended so, without what differs anyway. */
  async function readBy(kind: 'portal' | 'application' | 'operator', outcome: Outcome): Promise<string> {
    const { ask, transport, message, token, posthorn, endpointId } = await routesWorld(database, true)
    transport.answer(() => true, outcome)
    const failed = new Promise((resolve) => void posthorn.on('delivery.failed', resolve))
    await message()
    await failed
    await posthorn.idle()
    const portal = { portal: { featureFlags: [] } }
    const key = await token(kind === 'operator' ? {} : { application: 'acme', ...(kind === 'portal' ? portal : {}) })
    const [{ id = '' } = {}] = (await ask(200, 'GET', '/delivery', undefined, { token: key }))['data'] as {
      id?: string
    }[]
    const texts: string[] = []
    for (const path of [...pages(id), `/endpoint/${endpointId}`])
      texts.push(JSON.stringify(await ask(200, 'GET', path, undefined, { token: key })))
    return texts.join('\n')
  }

  test.each(['portal', 'application'] as const)(
    'reads the same to a key of kind %s, wherever it leads',
    async (kind) => {
      for (const outcome of [inside, unknown]) {
        const text = await readBy(kind, outcome)
        expect(text).toContain('The name has no public address')
        expect(text).not.toMatch(/10\.0\.0\.5|ENOTFOUND|"dns"/)
      }
    },
  )

  test('is explained to operators', async () => {
    expect(await readBy('operator', inside)).toContain('(10.0.0.5 is not allowed)')
    expect(await readBy('operator', unknown)).toContain('(name not found, ENOTFOUND)')
  })

  defence('tells a tenant which names there are inside', async (isOn) => {
    const caller = isOn ? 'portal' : 'operator'
    const [one, other] = [await readBy(caller, inside), await readBy(caller, unknown)]
    return /ENOTFOUND|"dns"/.test(other) && !/ENOTFOUND|"dns"/.test(one)
  })
})
