import { describe, expect, test } from 'vitest'
import type { Transport } from '../../src/core/ports/ports.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { makeGuard } from '../../src/transport/guard.ts'
import type { HttpTransportOptions } from '../../src/transport/http.ts'
import { readProxy } from '../../src/transport/proxy/proxy.ts'
import { makeCertificate } from './certificate.ts'
import { openForwardProxy } from './forward-proxy.ts'
import { errorWithCode, openReceiver, openTransport, request, scriptedLookup } from './world.ts'

const authority = makeCertificate({ name: 'Test authority', isAuthority: true })
const certificate = makeCertificate({ name: 'receiver', hosts: ['receiver.test', '127.0.0.1'], issuer: authority })

/** Knows no name: as behind a proxy, in a network of its own. */
const lookup = scriptedLookup({})
const closed = makeGuard({ allowHttp: true })

function through(
  port: number,
  more: Partial<HttpTransportOptions> & { credentials?: string; scheme?: string } = {},
): Transport {
  const { credentials = '', scheme = 'http', ...options } = more
  const proxy = readProxy(`${scheme}://${credentials}127.0.0.1:${port}`)
  return openTransport({ lookup, guard: closed, ca: [authority.cert], proxy, ...options })
}

describe('through a proxy', () => {
  test('https goes end to end: the proxy learns the name, and nothing else', async () => {
    const [proxy, receiver] = [await openForwardProxy(), await openReceiver({ tls: certificate })]
    const transport = through(proxy.port)
    for (let turn = 0; turn < 2; turn += 1)
      expect(await transport.send(request(`https://receiver.test:${receiver.port}/hook`))).toMatchObject({
        statusCode: 200,
      })
    const target = `receiver.test:${receiver.port}`
    expect(proxy.asked).toEqual([`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n\r\n`])
    expect(receiver.receipts.map(({ path }) => path)).toEqual(['/hook', '/hook'])
  })

  test('http goes the same way, and credentials go to the proxy only', async () => {
    const [proxy, receiver] = [await openForwardProxy(), await openReceiver()]
    const transport = through(proxy.port, { credentials: 'us:p%40ss@' })
    expect(await transport.send(request(`http://receiver.test:${receiver.port}/`))).toMatchObject({ statusCode: 200 })
    expect(proxy.asked[0]).toContain(`proxy-authorization: Basic ${Buffer.from('us:p@ss').toString('base64')}\r\n`)
    expect(receiver.receipts[0]?.headers['proxy-authorization']).toBeUndefined()
  })

  test('one that is reached by https itself carries https inside', async () => {
    const [proxy, receiver] = [await openForwardProxy({ tls: certificate }), await openReceiver({ tls: certificate })]
    const transport = through(proxy.port, { scheme: 'https' })
    expect(await transport.send(request(`https://receiver.test:${receiver.port}/`))).toMatchObject({ statusCode: 200 })
  })

  test.each([
    ['a literal', 'http://169.254.169.254/'],
    ['an IPv6 literal', 'http://[::1]/'],
    ['a name of this machine', 'http://db.localhost/'],
    ['a name that leads inwards as far as we know', 'http://db.internal.test/'],
  ])('%s is refused before the proxy is asked', async (_what, url) => {
    const proxy = await openForwardProxy()
    const known = scriptedLookup({ 'db.internal.test': [['10.0.0.5']] })
    expect(await through(proxy.port, { lookup: known }).send(request(url))).toMatchObject({ kind: 'forbidden' })
    expect(proxy.asked).toEqual([])
  })
})

const smokescreen = (status: string, said: string): string =>
  `HTTP/1.1 ${status}\r\nX-Smokescreen-Error: ${said}\r\ncontent-length: 0\r\n\r\n`

describe('a proxy that', () => {
  test.each<[what: string, answer: string, outcome: object]>([
    [
      'is Smokescreen and denies the address',
      smokescreen('407 Request rejected by proxy', "host 'a' denied by rule 'Deny: Private Range'"),
      {
        kind: 'forbidden',
        reason: "The name has no public address (our proxy refused it: host 'a' denied by rule 'Deny: Private Range')",
      },
    ],
    [
      'is Smokescreen and does not find the name',
      smokescreen('502 Bad gateway', 'Failed to resolve remote hostname'),
      {
        kind: 'dns',
        reason: 'The name has no public address (our proxy did not find it: Failed to resolve remote hostname)',
      },
    ],
    [
      'is Smokescreen and cannot connect',
      smokescreen('502 Bad gateway', 'Failed to connect to remote host'),
      { kind: 'connect', reason: 'connection failed, through our proxy (HTTP 502)' },
    ],
    [
      'is Smokescreen and is in trouble',
      smokescreen('500 Internal server error', 'oops'),
      { kind: 'proxy', reason: 'our forward proxy failed (it answered HTTP 500)' },
    ],
    [
      'forbids the target',
      'HTTP/1.1 403 Forbidden\r\n\r\n',
      { kind: 'forbidden', reason: 'The name has no public address (our proxy refused it: HTTP 403)' },
    ],
    [
      'waits for the target in vain',
      'HTTP/1.1 504 Gateway timeout\r\n\r\n',
      { kind: 'timeout', reason: 'no connection in time, through our proxy (HTTP 504)' },
    ],
    [
      'does not know us',
      'HTTP/1.1 407 Proxy authentication required\r\n\r\n',
      { kind: 'proxy', reason: 'our forward proxy failed (it does not accept our credentials: HTTP 407)' },
    ],
    [
      'is none',
      'SSH-2.0-x\r\n\r\n',
      { kind: 'proxy', reason: 'our forward proxy failed (it does not answer in HTTP)' },
    ],
    [
      'never ends its answer',
      `HTTP/1.1 200 OK\r\nx: ${'x'.repeat(17_000)}`,
      { kind: 'proxy', reason: 'our forward proxy failed (it does not answer in HTTP)' },
    ],
    [
      'speaks for the endpoint',
      'HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n',
      { kind: 'proxy', reason: 'our forward proxy failed (it sent more than an answer to CONNECT)' },
    ],
    ['hangs up', '', { kind: 'proxy', reason: 'our forward proxy failed (it closed the connection)' }],
  ])('%s is understood', async (_what, answer, outcome) => {
    const proxy = await openForwardProxy({ answer })
    expect(await through(proxy.port).send(request('https://receiver.test/'))).toEqual(outcome)
  })

  test('is away has a sentence of its own', async () => {
    const receiver = await openReceiver()
    const { port } = receiver
    await receiver.close()
    expect(await through(port).send(request('https://receiver.test/'))).toEqual({
      kind: 'proxy',
      reason: 'our forward proxy failed (connection refused (ECONNREFUSED))',
    })
  })

  test('has a name that is not found says so', async () => {
    const proxy = readProxy('http://proxy.internal:4750')
    const unknown = scriptedLookup({ 'proxy.internal': [errorWithCode('ENOTFOUND')] })
    const outcome = await openTransport({ lookup: unknown, guard: closed, proxy }).send(request('https://a.test/'))
    expect(outcome).toMatchObject({ kind: 'proxy', reason: expect.stringContaining('ENOTFOUND') })
  })

  test('has a certificate that nobody knows is not used', async () => {
    const proxy = await openForwardProxy({ tls: makeCertificate({ name: 'x', hosts: ['127.0.0.1'] }) })
    const outcome = await through(proxy.port, { scheme: 'https' }).send(request('https://a.test/'))
    expect(outcome).toMatchObject({ kind: 'proxy', reason: expect.stringContaining('certificate refused') })
    expect(proxy.asked).toEqual([])
  })

  test.each([
    ['is not reached in time is to blame itself', 'https', 'proxy'],
    ['was reached, and waits for the endpoint, is not to blame', 'http', 'timeout'],
  ])('%s', async (_what, scheme, kind) => {
    const clock = manualClock()
    // As https this one is never reached: it does not answer the handshake either.
    const proxy = await openForwardProxy({ answer: 'hang' })
    const sent = through(proxy.port, { clock, scheme }).send(request('https://a.test/', { timeoutMs: 1_000 }))
    await proxy.firstAsked
    await clock.advance(1_050)
    expect(await sent).toMatchObject({ kind })
    expect(clock.pending()).toBe(0)
  })
})

test.each(['', 'proxy:4750', 'socks5://proxy', 'http://proxy/path', 'http://proxy/?a=b', 'ftp://user:s3cr3t@proxy'])(
  'the proxy URL "%s" is refused without being repeated',
  (text) => {
    expect(() => readProxy(text)).toThrow(/^Expected `proxyUrl` to be the http\(s\) URL of a forward proxy/)
    expect(() => readProxy(text)).not.toThrow(/s3cr3t/)
  },
)
