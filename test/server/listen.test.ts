import { connect } from 'node:net'
import { once } from 'node:events'
import { describe, expect, onTestFinished, test } from 'vitest'
import { manualClock } from 'posthorn/testing'
import { systemClock } from '../../src/clock.ts'
import { startHttpServer } from '../../src/server/http/http-server.ts'
import type { HttpServer, HttpServerOptions } from '../../src/server/http/http-server.ts'
import { mostRequestBytes, readBody } from '../../src/server/http/request-body.ts'
import { makeGate } from '../engine/gate.ts'

async function listening(options: Partial<HttpServerOptions> = {}): Promise<HttpServer> {
  const server = await startHttpServer({ host: '127.0.0.1', port: 0, clock: systemClock, ...options })
  onTestFinished(() => server.close())
  return server
}

const ok = async (): Promise<Response> => new Response('ok')
const well = async (): Promise<undefined> => undefined

async function statusOf(url: string): Promise<number> {
  const response = await fetch(url, { headers: { connection: 'close' } })
  await response.arrayBuffer()
  return response.status
}

/** Says something over a socket, and resolves with all that came back once the other side has closed it. */
async function talk(port: number, ...said: readonly (string | Uint8Array)[]): Promise<string> {
  const socket = connect(port, '127.0.0.1')
  let heard = ''
  socket.setEncoding('utf8').on('data', (text: string) => (heard += text))
  // A server that has heard enough may close while we still speak.
  socket.on('error', () => undefined)
  for (const part of said) socket.write(part)
  await once(socket, 'close')
  return heard
}

describe('a server', () => {
  test('is alive before it is ready, and ready only while it is well', async () => {
    const server = await listening()
    let isWell = true
    expect([
      await statusOf(`${server.url}/livez`),
      await statusOf(`${server.url}/readyz`),
      await statusOf(server.url),
    ]).toEqual([200, 503, 503])
    server.serve(ok, () => (isWell ? Promise.resolve() : Promise.reject(new Error('gone'))))
    expect([await statusOf(`${server.url}/readyz`), await statusOf(server.url)]).toEqual([200, 200])
    isWell = false
    expect([await statusOf(`${server.url}/livez`), await statusOf(`${server.url}/readyz`)]).toEqual([200, 503])
  })

  test('that is retired is not ready, and still answers', async () => {
    const server = await listening()
    server.serve(ok, well)
    server.retire()
    expect([
      await statusOf(`${server.url}/livez`),
      await statusOf(`${server.url}/readyz`),
      await statusOf(server.url),
    ]).toEqual([200, 503, 200])
  })

  test('keeps an idle connection longer than load balancers do', async () => {
    const server = await listening()
    server.serve(ok, well)
    const { headers } = await fetch(server.url)
    expect(headers.get('keep-alive')).toBe('timeout=75')
  })

  test('fails its readiness first, then takes no more, and answers what is under way', async () => {
    const clock = manualClock()
    const server = await listening({ clock })
    const [asked, gate] = [makeGate(), makeGate()]
    server.serve(async ({ url }) => {
      if (!url.endsWith('/slow')) return new Response('quick')
      asked.open()
      await gate.opened
      return new Response('slow')
    }, well)
    const slow = fetch(`${server.url}/slow`)
    await asked.opened

    const drained = server.drain(35_000)
    expect([
      await statusOf(`${server.url}/readyz`),
      await statusOf(`${server.url}/livez`),
      await statusOf(server.url),
    ]).toEqual([503, 200, 200])
    await clock.advance(1_000)
    await expect(fetch(server.url)).rejects.toThrow('fetch failed')
    gate.open()
    const response = await slow
    expect([await response.text(), response.headers.get('connection')]).toEqual(['slow', 'close'])
    await drained
  })

  test('cuts what has not ended within the grace', async () => {
    const clock = manualClock()
    const server = await listening({ clock })
    const asked = makeGate()
    server.serve(() => {
      asked.open()
      return new Promise(() => undefined)
    }, well)
    const cut = fetch(server.url).catch((error: unknown) => error)
    await asked.opened
    const drained = server.drain(5_000)
    await clock.advance(1_000)
    await clock.advance(4_000)
    await drained
    expect(await cut).toBeInstanceOf(TypeError)
  })

  test('cuts a request whose head drips in', async () => {
    const server = await listening({ headersMs: 100, requestMs: 200 })
    server.serve(ok, well)
    expect(await talk(server.port, 'GET / HTTP/1.1\r\nhost: x\r\nx-a: ')).toContain('408 Request Timeout')
  })

  test('cuts a request whose body drips in', async () => {
    const server = await listening({ headersMs: 100, requestMs: 200 })
    server.serve(async (request) => new Response(await request.text()), well)
    const heard = await talk(server.port, 'POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{')
    expect(heard).toContain('408 Request Timeout')
  })

  test('reads no more of an endless body than it may', async () => {
    const server = await listening()
    server.serve(async (request) => {
      const body = await readBody(request)
      return body instanceof Response ? body : new Response('read')
    }, well)
    const chunk = `10000\r\n${'x'.repeat(0x10000)}\r\n`
    const chunks = Array.from({ length: Math.ceil(mostRequestBytes / 0x10000) + 1 }, () => chunk)
    expect(
      await talk(
        server.port,
        'POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ntransfer-encoding: chunked\r\n\r\n',
        ...chunks,
      ),
    ).toContain('413')
    expect(
      await talk(
        server.port,
        `POST / HTTP/1.1\r\nhost: x\r\nconnection: close\r\ncontent-length: ${mostRequestBytes + 1}\r\n\r\n`,
      ),
    ).toContain('413')
  })

  test('refuses a port that is taken, and an address that is not its own, in words', async () => {
    const { port } = await listening()
    await expect(listening({ port })).rejects.toThrow(
      `Expected \`POSTHORN_PORT\` to be a port that is free, got ${port}.`,
    )
    await expect(listening({ host: '203.0.113.1' })).rejects.toThrow('Change POSTHORN_HOST or POSTHORN_PORT.')
  })
})
