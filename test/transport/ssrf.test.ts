import { describe, expect, test } from 'vitest'
import { makeGuard } from '../../src/transport/guard.ts'
import { divertedTo, errorWithCode, openReceiver, openTransport, request, scriptedLookup } from './world.ts'

const closed = makeGuard({ allowHttp: true })
const open = makeGuard({ allowHttp: true, allowedTargets: ['0.0.0.0/0', '::/0'] })

const bad = '127.0.0.1'
const good = '1.1.1.1'

describe('literals', () => {
  test.each([
    'http://127.0.0.1/',
    'http://2130706433/',
    'http://0177.0.0.1/',
    'http://0x7f000001/',
    'http://127.1/',
    'http://１２７.０.０.１/',
    'http://127%2e0%2e0%2e1/',
    'http://127.0.0.1./',
    'http://169.254.169.254/latest/',
    'http://10.0.0.1/',
    'http://[::1]/',
    'http://[::ffff:127.0.0.1]/',
    'http://[::127.0.0.1]/',
    'http://[64:ff9b::7f00:1]/',
    'http://[2002:7f00:1::]/',
    'http://[fd00::1]/',
  ])('%s reaches no socket, and does with the guard open', async (url) => {
    const canary = await openReceiver()
    const { connect, dialled } = divertedTo(canary.port)

    const refused = await openTransport({ guard: closed, connect }).send(request(url))
    expect(refused).toMatchObject({ kind: 'forbidden' })
    expect([dialled, canary.connections]).toEqual([[], 0])

    expect(await openTransport({ guard: open, connect }).send(request(url))).toMatchObject({
      kind: 'answered',
      statusCode: 200,
    })
    expect([dialled.length, canary.connections]).toEqual([1, 1])
  })
})

describe('names', () => {
  test.each([
    ['a private address', [[bad]]],
    ['a private address among public ones', [[good, bad]]],
    ['a public address after a private one', [[bad, good]]],
    ['a private IPv6 address among public ones', [[good, '::1']]],
    ['a mapped address', [['::ffff:127.0.0.1']]],
    ['the metadata service', [['169.254.169.254']]],
    ['something that is no address', [['localhost']]],
  ])('a name with %s is not called, and is with the guard open', async (_what, answers) => {
    const canary = await openReceiver()
    const { connect, dialled } = divertedTo(canary.port)
    const lookup = scriptedLookup({ 'rebound.test': answers })
    const trusting = makeGuard({ allowedTargets: ['rebound.test'] })

    const refused = await openTransport({ guard: closed, lookup, connect }).send(request('http://rebound.test/'))
    expect(refused).toMatchObject({ kind: 'forbidden' })
    expect([dialled, canary.connections]).toEqual([[], 0])

    expect(
      await openTransport({ guard: trusting, lookup, connect }).send(request('http://rebound.test/')),
    ).toMatchObject({ statusCode: 200 })
    expect([dialled, canary.connections]).toEqual([answers[0], 1])
  })

  test('a name that leads to our own port is not called, though its address is allowed', async () => {
    const canary = await openReceiver()
    const lookup = scriptedLookup({ 'hooks.test': [[bad], [bad]] })
    const options = { allowHttp: true, allowedTargets: ['127.0.0.0/8'] }
    const url = `http://hooks.test:${canary.port}/`
    const refused = await openTransport({ guard: makeGuard({ ...options, ownPort: canary.port }), lookup }).send(
      request(url),
    )
    expect([refused, canary.connections]).toEqual([{ kind: 'forbidden', reason: expect.any(String) }, 0])
    expect(await openTransport({ guard: makeGuard(options), lookup }).send(request(url))).toMatchObject({
      statusCode: 200,
    })
  })

  test('a name that is public at first and private later is judged at every connection', async () => {
    const canary = await openReceiver({ behaviour: { status: 200, headers: { connection: 'close' } } })
    const { connect, dialled } = divertedTo(canary.port)
    const lookup = scriptedLookup({ 'rebound.test': [[good], [bad]] })
    // The canary itself is on loopback; this guard looks away from the recheck only for the first, public, address.
    let isFirst = true
    const guard = {
      checkUrl: closed.checkUrl,
      allows: (address: string, hostname: string) => (address === bad && isFirst) || closed.allows(address, hostname),
    }
    const transport = openTransport({ guard, lookup, connect })

    expect(await transport.send(request('http://rebound.test/'))).toMatchObject({ statusCode: 200 })
    isFirst = false
    expect(await transport.send(request('http://rebound.test/'))).toEqual({
      kind: 'forbidden',
      reason: expect.stringMatching(/^The name has no public address \(/),
    })
    expect([dialled, canary.connections]).toEqual([[good], 1])
  })

  test('a name that is unknown at first and private later is not called', async () => {
    const canary = await openReceiver()
    const { connect, dialled } = divertedTo(canary.port)
    const lookup = scriptedLookup({ 'rebound.test': [errorWithCode('ENOTFOUND'), [bad]] })
    const transport = openTransport({ guard: closed, lookup, connect })

    expect(await transport.send(request('http://rebound.test/'))).toMatchObject({ kind: 'dns' })
    expect(await transport.send(request('http://rebound.test/'))).toMatchObject({ kind: 'forbidden' })
    expect([dialled, canary.connections]).toEqual([[], 0])
  })

  test('a vetted name is not looked up a second time for the connection', async () => {
    const canary = await openReceiver()
    let lookups = 0
    const transport = openTransport({
      lookup: (_hostname, done) => {
        lookups++
        done(null, [
          { address: '127.0.0.1', family: 4 },
          { address: '127.0.0.2', family: 4 },
        ])
        return () => undefined
      },
      guard: makeGuard({ allowedTargets: ['127.0.0.0/8', 'rebound.test'] }),
    })
    expect(await transport.send(request(`http://rebound.test:${canary.port}/`))).toMatchObject({ statusCode: 200 })
    expect(lookups).toBe(1)
  })
})

describe('connections', () => {
  test('not a byte is written to an address that was not vetted, whoever chose it', async () => {
    const canary = await openReceiver()
    const { connect } = divertedTo(canary.port)
    const lookup = scriptedLookup({ 'rebound.test': [[good]] })

    const refused = await openTransport({ guard: closed, lookup, connect }).send(request('http://rebound.test/'))
    expect(refused).toMatchObject({ kind: 'forbidden' })
    expect(canary.receipts).toEqual([])

    const trusting = makeGuard({ allowedTargets: ['rebound.test'] })
    expect(
      await openTransport({ guard: trusting, lookup, connect }).send(request('http://rebound.test/')),
    ).toMatchObject({ statusCode: 200 })
    expect(canary.receipts).toHaveLength(1)
  })

  test.each([301, 302, 303, 307, 308])('a redirect (%i) is an answer, and is not followed', async (status) => {
    const canary = await openReceiver()
    const origin = await openReceiver({ behaviour: { status, headers: { location: canary.url() } } })
    expect(await openTransport().send(request(origin.url()))).toMatchObject({ kind: 'answered', statusCode: status })
    expect(canary.connections).toBe(0)
  })

  test('proxy variables change nothing', async () => {
    const proxy = await openReceiver()
    const target = await openReceiver()
    const names = [
      'http_proxy',
      'HTTP_PROXY',
      'https_proxy',
      'HTTPS_PROXY',
      'all_proxy',
      'ALL_PROXY',
      'NODE_USE_ENV_PROXY',
    ]
    const before = names.map((name) => process.env[name])
    for (const name of names) process.env[name] = name === 'NODE_USE_ENV_PROXY' ? '1' : proxy.url()
    try {
      expect(await openTransport().send(request(target.url()))).toMatchObject({ statusCode: 200 })
    } finally {
      for (const [index, name] of names.entries()) {
        if (before[index] === undefined) delete process.env[name]
        else process.env[name] = before[index]
      }
    }
    expect([proxy.connections, target.connections]).toEqual([0, 1])
  })
})
