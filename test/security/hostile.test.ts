import { afterAll, describe, expect, test } from 'vitest'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { manualClock } from 'posthorn/testing'
import { systemClock } from '../../src/clock.ts'
import type { Outcome } from '../../src/core/delivery/attempt.ts'
import type { Guard } from '../../src/transport/guard.ts'
import type { Lookup } from '../../src/transport/lookup/lookup.ts'
import { systemLookup } from '../../src/transport/lookup/system-lookup.ts'
import { openNameServer } from '../transport/name-server.ts'
import { openTransport, request, scriptedLookup } from '../transport/world.ts'
import { defence } from './defence.ts'
import { families, inwardNames } from './hostile-urls.ts'
import { guarded, isPublic, openNetwork, unguarded } from './network.ts'
import { rebindings } from './rebinding.ts'
import type { Rebinding } from './rebinding.ts'

const seen = { hostile: 0, refused: 0, connections: 0 }
afterAll(() => console.log(`hostile ${seen.hostile} refused ${seen.refused} connections ${seen.connections}`))

describe('a hostile URL', () => {
  test('is one of at least 400, and none is there twice', () => {
    const urls = families.flatMap((each) => each.urls)
    expect(urls.length).toBeGreaterThanOrEqual(400)
    expect(new Set(urls).size).toBe(urls.length)
  })

  test.each(families)('is refused, and nobody connects: $name', async ({ urls }) => {
    const { refused, connections, dialled } = await callAll(urls, guarded)
    seen.hostile += urls.length
    seen.refused += refused.length
    seen.connections += connections
    expect(urls.filter((url) => !refused.includes(url))).toEqual([])
    expect({ connections, dialled }).toEqual({ connections: 0, dialled: [] })
  })

  test.each(families.filter(({ name }) => name !== 'a name that leads inwards'))(
    'does not become the URL of an endpoint: $name',
    async ({ urls }) => {
      await using posthorn = new Posthorn({ store: sqlite(':memory:', { plaintextSecrets: true }), allowHttp: true })
      const taken: string[] = []
      for (const url of urls) {
        const made = await posthorn.endpoints.create({ application: 'acme', url }).catch(String)
        if (typeof made !== 'string' || !made.startsWith('PosthornError: Expected `url` to be ')) taken.push(url)
      }
      expect(taken).toEqual([])
    },
  )
})

for (const { name, urls } of families.filter(({ stoppedBy }) => stoppedBy === 'guard')) {
  defence(`URL tricks: ${name}`, async (isOn) => {
    const { connections } = await callAll(urls, isOn ? guarded : unguarded)
    // With the defence on one connection is too many; with it off each of them must get through, or it was no attack.
    return isOn ? connections > 0 : connections === urls.length
  })
}

describe('a name whose answers change', () => {
  test('is one of at least 12', () => {
    expect(new Set(rebindings.map(({ what }) => what)).size).toBeGreaterThanOrEqual(12)
  })

  test.each(rebindings)('leads nobody inwards: $what', async ({ answers }) => {
    const { refused, inwards, outwards } = await rebind({ answers }, guarded)
    const publicOnly = answers.filter((answer) => isPublicAnswer(answer)).length
    seen.hostile += 1
    seen.refused += refused.length === answers.length - publicOnly ? 1 : 0
    seen.connections += inwards
    expect(inwards).toBe(0)
    // The guard is no wall either: what is public is called.
    expect(outwards).toBe(publicOnly)
    expect(refused).toHaveLength(answers.length - publicOnly)
  })

  test('leads nobody inwards when real packets of a name server say so', async () => {
    const turns = ['1.1.1.1', '127.0.0.1']
    const clock = manualClock()
    const nameServer = await openNameServer((_name, family) =>
      family === 'A' ? { addresses: [turns.shift() ?? '127.0.0.1'], ttlSeconds: 0 } : 'no data',
    )
    const network = await openNetwork()
    const lookup = systemLookup({ clock, nameServers: [nameServer.address] })
    const transport = openTransport({ guard: guarded, lookup, connect: network.connect })
    expect(await transport.send(request('http://rebound.test/'))).toMatchObject({ statusCode: 200 })
    await clock.advance(1_000) // An answer is kept for a second, whatever it says of itself.
    expect(await transport.send(request('http://rebound.test/'))).toMatchObject({ kind: 'forbidden' })
    expect([network.dialled, network.canary.connections]).toEqual([['1.1.1.1'], 0])
  })
})

for (const { what, answers } of rebindings) {
  defence(`URL tricks: a name that is ${what}`, async (isOn) => {
    const { inwards } = await rebind({ answers }, isOn ? guarded : unguarded)
    return inwards > 0
  })
}

/** Calls each, on a network where nothing leaves the machine, and says which were refused. */
async function callAll(
  urls: readonly string[],
  guard: Guard,
): Promise<{ refused: string[]; connections: number; dialled: readonly string[] }> {
  const network = await openNetwork()
  const answers = Object.fromEntries(Object.entries(inwardNames).map(([name, addresses]) => [name, [addresses]]))
  const scripted = scriptedLookup({ 'example.com': [['1.1.1.1']], ...answers })
  // The names of this machine lead to it by every resolver.
  const system = systemLookup({ clock: systemClock, nameServers: ['127.0.0.1:1'] })
  const lookup: Lookup = (name, done) => (/localhost\.*$/.test(name) ? system : scripted)(name, done)
  const transport = openTransport({ guard, lookup, connect: network.connect })
  const refused: string[] = []
  for (const url of urls) {
    const outcome = await transport.send(request(url))
    if (outcome.kind === 'forbidden' || outcome.kind === 'protocol') refused.push(url)
  }
  return { refused, connections: await network.connections(), dialled: network.dialled }
}

/** Makes one attempt per answer, each on a connection of its own. */
async function rebind(
  { answers }: Pick<Rebinding, 'answers'>,
  guard: Guard,
): Promise<{ refused: Outcome[]; inwards: number; outwards: number }> {
  const network = await openNetwork()
  const lookup = scriptedLookup({ 'rebound.test': answers })
  const transport = openTransport({ guard, lookup, connect: network.connect })
  const outcomes: Outcome[] = []
  while (outcomes.length < answers.length) outcomes.push(await transport.send(request('http://rebound.test/')))
  const connections = await network.connections()
  const outwards = network.internet.connections
  return { refused: outcomes.filter(({ kind }) => kind !== 'answered'), inwards: connections - outwards, outwards }
}

function isPublicAnswer(answer: Rebinding['answers'][number]): boolean {
  return !(answer instanceof Error) && answer.length > 0 && answer.every(isPublic)
}
