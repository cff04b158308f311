import { EnvHttpProxyAgent, fetch as undiciFetch } from 'undici'
import { describe, expect, test } from 'vitest'
import { makeGuard } from '../../src/transport/guard.ts'
import { divertedTo, openReceiver, openTransport, request, scriptedLookup } from '../transport/world.ts'
import { closedIpv4, ipv4Text, ipv6Text, specialIpv6, unassignedIpv6 } from './address-oracle.ts'
import type { Block } from './address-oracle.ts'
import { defence } from './defence.ts'
import { guarded, openNetwork, unguarded } from './network.ts'
import { withVariables } from './variables.ts'

const [good, bad] = ['1.1.1.1', '127.0.0.1']

defence('SSRF: a public URL by plain http, without being asked for', async (isOn) => {
  const network = await openNetwork()
  const lookup = scriptedLookup({ 'hooks.test': [[good]] })
  const guard = makeGuard({ allowHttp: !isOn })
  const outcome = await openTransport({ guard, lookup, connect: network.connect }).send(request('http://hooks.test/'))
  return outcome.kind === 'answered'
})

defence('SSRF: a second look-up, after the first was vetted', async (isOn) => {
  const network = await openNetwork()
  const lookup = scriptedLookup({ 'rebound.test': [[good], [bad]] })
  await openTransport({
    guard: guarded,
    lookup,
    connect(to) {
      if (isOn) return network.connect(to)
      // What connects by the name looks it up once more, and gets another answer.
      let again = to.addresses
      lookup('rebound.test', (_error, addresses) => (again = addresses))
      return network.connect({ ...to, addresses: again })
    },
  }).send(request('http://rebound.test/'))
  return (await network.connections()) - network.internet.connections > 0
})

defence('SSRF: a connection that ends elsewhere than at the vetted address', async (isOn) => {
  const canary = await openReceiver()
  const { connect } = divertedTo(canary.port)
  const lookup = scriptedLookup({ 'hooks.test': [[good]] })
  const guard = isOn ? guarded : unguarded
  await openTransport({ guard, lookup, connect }).send(request('http://hooks.test/'))
  return canary.receipts.length > 0
})

for (const status of [301, 302, 303, 307, 308]) {
  defence(`SSRF: a redirect inwards (${status})`, async (isOn) => {
    const canary = await openReceiver()
    const origin = await openReceiver({ behaviour: { status, headers: { location: canary.url() } } })
    if (isOn) await openTransport().send(request(origin.url()))
    // A client that follows redirects, as most do unless they are told not to.
    else await fetch(origin.url(), { method: 'POST', body: '{}', headers: { connection: 'close' } })
    return canary.connections > 0
  })
}

defence('SSRF: a proxy that only a variable of the environment names', async (isOn) => {
  const [proxy, target] = [await openReceiver(), await openReceiver()]
  const put = new Map(['http_proxy', 'HTTP_PROXY', 'all_proxy', 'ALL_PROXY'].map((name) => [name, proxy.url()]))
  const exceptions = [
    ['no_proxy', ''],
    ['NO_PROXY', ''],
  ] as const
  return withVariables(new Map([...put, ...exceptions, ['NODE_USE_ENV_PROXY', '1']]), async () => {
    if (isOn) await openTransport().send(request(target.url()))
    else {
      // A client that heeds the environment, as curl does.
      const dispatcher = new EnvHttpProxyAgent({ proxyTunnel: false })
      await undiciFetch(target.url(), { dispatcher, headers: { connection: 'close' } })
      await dispatcher.destroy()
    }
    return proxy.connections > 0
  })
})

defence('SSRF: our own port, on an address that is allowed', async (isOn) => {
  const canary = await openReceiver()
  const lookup = scriptedLookup({ 'hooks.test': [[bad]] })
  const ownPort = isOn ? canary.port : null
  const guard = makeGuard({ allowHttp: true, allowedTargets: ['127.0.0.0/8'], ownPort })
  await openTransport({ guard, lookup }).send(request(`http://hooks.test:${canary.port}/`))
  return canary.connections > 0
})

defence('SSRF: outcomes that tell what listens inside and what does not', async (isOn) => {
  const network = await openNetwork()
  const closed = await openReceiver()
  await closed.close()
  const lookup = scriptedLookup({ 'open.test': [['10.0.0.1']], 'shut.test': [['10.0.0.2']] })
  const transport = openTransport({
    guard: isOn ? guarded : unguarded,
    lookup,
    connect: (to) =>
      to.addresses[0]?.address === '10.0.0.2' ? divertedTo(closed.port).connect(to) : network.connect(to),
  })
  const outcomes = [
    await transport.send(request('http://open.test/')),
    await transport.send(request('http://shut.test/')),
    await transport.send(request('http://192.168.0.1/')),
  ]
  return new Set(outcomes.map(({ kind }) => kind)).size > 1
})

for (const block of [...closedIpv4, ...unassignedIpv6, ...specialIpv6]) {
  defence(`address list: ${block.text}, by a name that leads there`, async (isOn) => {
    const network = await openNetwork()
    const [first, last] = endsOf(block)
    const lookup = scriptedLookup({ 'first.test': [[first]], 'last.test': [[last]] })
    const guard = isOn ? guarded : makeGuard({ allowHttp: true, allowedTargets: [block.text] })
    const transport = openTransport({ guard, lookup, connect: network.connect })
    for (const name of ['first.test', 'last.test']) await transport.send(request(`http://${name}/`))
    const connections = await network.connections()
    return isOn ? connections > 0 : connections === 2
  })
}

describe('what is vetted', () => {
  test('is called without a second look-up, at each of its addresses in turn', async () => {
    const server = await openReceiver()
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
    expect(await transport.send(request(`http://rebound.test:${server.port}/`))).toMatchObject({ statusCode: 200 })
    expect(lookups).toBe(1)
  })

  test.each([301, 302, 303, 307, 308])('may redirect (%i), and that is its answer', async (status) => {
    const origin = await openReceiver({ behaviour: { status, headers: { location: 'http://127.0.0.1:1/' } } })
    expect(await openTransport().send(request(origin.url()))).toMatchObject({ kind: 'answered', statusCode: status })
  })
})

function endsOf({ family, first, last }: Block): [string, string] {
  const write = family === 4 ? ipv4Text : ipv6Text
  return [write(first), write(last)]
}
