import { EventEmitter, once } from 'node:events'
import { mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Clock } from '../../src/core/ports/ports.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { makeGuard } from '../../src/transport/guard.ts'
import { HostsFile, parseHosts } from '../../src/transport/lookup/hosts-file.ts'
import { systemLookup } from '../../src/transport/lookup/system-lookup.ts'
import type { LookedUp, Lookup } from '../../src/transport/lookup/lookup.ts'
import { nameServerLookup } from '../../src/transport/lookup/name-servers.ts'
import { SharedLookups } from '../../src/transport/lookup/shared-lookups.ts'
import { openNameServer } from './name-server.ts'
import type { NameAnswer } from './name-server.ts'
import { divertedTo, errorWithCode, openReceiver, openTransport, request } from './world.ts'

const loopback: NameAnswer = { addresses: ['127.0.0.1'] }

/** The answer of a look-up in short: its addresses, or the code of its error. */
function answerOf(lookup: Lookup, hostname: string): Promise<readonly string[] | string> {
  return new Promise((resolve) => {
    lookup(hostname, (error, addresses) =>
      resolve(error === null ? addresses.map(({ address }) => address) : String('code' in error ? error.code : error)),
    )
  })
}

/** A hosts file of the test's own, so that none of the machine's is read. */
function hostsFile(text: string): string {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-hosts-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'hosts'), text)
  return join(folder, 'hosts')
}

test('E8 twenty names that never resolve leave look-ups of healthy names alone', async () => {
  const clock = manualClock()
  const nameServer = await openNameServer((name, family) =>
    name.startsWith('silent') ? null : family === 'A' ? loopback : 'no data',
  )
  const server = await openReceiver()
  const lookup = systemLookup({ clock, nameServers: [nameServer.address], hostsPath: hostsFile('') })
  const transport = openTransport({ clock, guard: makeGuard({ allowedTargets: ['*.test'] }), lookup })

  const silent = Array.from({ length: 200 }, (_, index) =>
    transport.send(request(`http://silent-${index % 20}.test:${server.port}/`, { timeoutMs: 30_000 })),
  )
  await nameServer.waitFor(2 * 20)
  // The clock stands still, so a look-up that waited for another would wait for ever.
  for (let turn = 0; turn < 10; turn++) {
    expect(await transport.send(request(`http://healthy-${turn}.test:${server.port}/`))).toMatchObject({
      kind: 'answered',
      statusCode: 200,
    })
  }
  await clock.advance(3_050)
  expect(new Set((await Promise.all(silent)).map(({ kind }) => kind))).toEqual(new Set(['dns']))
  expect(clock.pending()).toBe(0)
})

describe('name servers', () => {
  test.each<[what: string, ipv4: NameAnswer, ipv6: NameAnswer, answer: readonly string[] | string]>([
    ['an address of each family', loopback, { addresses: ['::1'] }, ['127.0.0.1', '::1']],
    [
      'several addresses',
      { addresses: ['127.0.0.1', '127.0.0.2'] },
      { addresses: ['::1', '2001:db8::7'] },
      ['127.0.0.1', '127.0.0.2', '::1', '2001:db8::7'],
    ],
    ['no IPv6 address', loopback, 'no data', ['127.0.0.1']],
    ['no IPv4 address', 'no data', { addresses: ['::1'] }, ['::1']],
    ['IPv6 denied', loopback, 'no such name', ['127.0.0.1']],
    ['IPv6 out of order', loopback, 'failure', ['127.0.0.1']],
    ['no address at all', 'no data', 'no data', []],
    ['no such name', 'no such name', 'no such name', 'ENOTFOUND'],
    ['no such name, and no data', 'no data', 'no such name', 'ENOTFOUND'],
    ['servers out of order', 'failure', 'failure', 'ESERVFAIL'],
    ['nobody who knows all', 'no data', 'failure', 'ESERVFAIL'],
    [
      'more addresses than anybody needs',
      { addresses: Array.from({ length: 20 }, (_, index) => `127.0.0.${index + 1}`) },
      'no data',
      Array.from({ length: 16 }, (_, index) => `127.0.0.${index + 1}`),
    ],
  ])('%s', async (_what, ipv4, ipv6, answer) => {
    const nameServer = await openNameServer((_name, family) => (family === 'A' ? ipv4 : ipv6))
    expect(await answerOf(nameServerLookup(manualClock(), [nameServer.address]), 'hooks.test')).toEqual(answer)
  })

  test.each<[what: string, ipv4: NameAnswer, ipv6: NameAnswer, ttlSeconds: number]>([
    [
      'the shortest of all records',
      { addresses: ['127.0.0.1'], ttlSeconds: 30 },
      { addresses: ['::1'], ttlSeconds: 20 },
      20,
    ],
    ['that of the family which has addresses', { addresses: ['127.0.0.1'], ttlSeconds: 30 }, 'no data', 30],
    ['none when a family is missing', { addresses: ['127.0.0.1'], ttlSeconds: 30 }, 'failure', 0],
  ])('an answer lasts for %s', async (_what, ipv4, ipv6, ttlSeconds) => {
    const nameServer = await openNameServer((_name, family) => (family === 'A' ? ipv4 : ipv6))
    const lookup = nameServerLookup(manualClock(), [nameServer.address])
    expect(await new Promise((resolve) => lookup('hooks.test', (_error, _addresses, ttl) => resolve(ttl)))).toBe(
      ttlSeconds,
    )
  })

  test.each<[silent: 'A' | 'AAAA', answer: string]>([
    ['AAAA', '127.0.0.1'],
    ['A', '::1'],
  ])('silence for %s is waited for half a second, and no longer', async (silent, answer) => {
    const manual = manualClock()
    const events = new EventEmitter()
    const clock: Clock = {
      now: () => manual.now(),
      after: (ms, callback) => (events.emit('armed', ms), manual.after(ms, callback)),
    }
    const nameServer = await openNameServer((_name, family) => (family === silent ? null : { addresses: [answer] }))
    const armed = once(events, 'armed')
    const answered = answerOf(nameServerLookup(clock, [nameServer.address]), 'hooks.test')
    expect(await armed).toEqual([500])
    await manual.advance(500)
    expect(await answered).toEqual([answer])
  })

  test.each(['a..test', `${'a'.repeat(64)}.test`, `${'a.'.repeat(130)}test`])(
    'a name that cannot be asked for (%s) is a failure',
    async (name) => {
      const nameServer = await openNameServer(() => loopback)
      expect(await answerOf(nameServerLookup(manualClock(), [nameServer.address]), name)).toBe('EBADNAME')
    },
  )

  test('what is cancelled does not call back, and leaves nothing behind', async () => {
    const manual = manualClock()
    const nameServer = await openNameServer((name, family) =>
      name === 'silent.test' ? null : family === 'A' ? loopback : 'no data',
    )
    const lookup = nameServerLookup(manual, [nameServer.address])
    let calls = 0
    const cancel = lookup('silent.test', () => calls++)
    await nameServer.waitFor(2)
    cancel()
    cancel()
    expect(await answerOf(nameServerLookup(manualClock(), [nameServer.address]), 'after.test')).toEqual(['127.0.0.1'])
    expect([calls, manual.pending()]).toEqual([0, 0])
  })
})

/** A look-up that a test answers by hand. */
function handLookup(): {
  ask: Lookup
  asked: string[]
  cancelled: string[]
  answer: (...answer: Parameters<LookedUp>) => void
} {
  const asked: string[] = []
  const cancelled: string[] = []
  let latest: LookedUp | null = null
  const ask: Lookup = (hostname, done) => {
    asked.push(hostname)
    latest = done
    return () => void cancelled.push(hostname)
  }
  return { ask, asked, cancelled, answer: (...answer) => latest?.(...answer) }
}

describe('an answer', () => {
  const found = [{ address: '127.0.0.1', family: 4 }]

  test.each<[what: string, answer: Parameters<LookedUp>, lastsMs: number]>([
    ['for as long as its owner says', [null, found, 30], 30_000],
    ['for a second at least', [null, found, 0], 1_000],
    ['for a second if nobody says how long', [null, found], 1_000],
    ['for a minute at most', [null, found, 86_400], 60_000],
    ['for a second if it is a failure', [errorWithCode('ENOTFOUND'), []], 1_000],
    ['for a second if there is no address', [null, [], 30], 1_000],
  ])('is kept %s', async (_what, answer, lastsMs) => {
    const clock = manualClock()
    const { ask, asked, answer: reply } = handLookup()
    const shared = new SharedLookups(clock, ask)
    const seen: unknown[] = []
    const lookUp = (): void => void shared.lookUp('hooks.test', (error, addresses) => seen.push([error, addresses]))
    lookUp()
    reply(...answer)
    await clock.advance(lastsMs - 1)
    lookUp()
    expect([asked.length, seen]).toEqual([1, [answer.slice(0, 2), answer.slice(0, 2)]])
    await clock.advance(1)
    lookUp()
    expect([asked.length, seen.length]).toEqual([2, 2])
  })

  test('is not kept by a clock that was set back', () => {
    let now = 1_000_000
    const { ask, asked, answer } = handLookup()
    const shared = new SharedLookups({ now: () => now, after: () => () => undefined }, ask)
    shared.lookUp('hooks.test', () => undefined)
    answer(null, found, 60)
    now -= 1
    shared.lookUp('hooks.test', () => undefined)
    expect(asked).toHaveLength(2)
  })

  test('that is forgotten because there are too many costs no other one', () => {
    const { ask, asked, answer } = handLookup()
    const shared = new SharedLookups(manualClock(), ask, 2)
    for (const name of ['a.test', 'b.test', 'c.test']) {
      shared.lookUp(name, () => undefined)
      answer(null, found, 60)
    }
    for (const name of ['b.test', 'c.test', 'a.test']) shared.lookUp(name, () => undefined)
    expect(asked).toEqual(['a.test', 'b.test', 'c.test', 'a.test'])
  })

  test('is for all who asked meanwhile', () => {
    const { ask, asked, answer } = handLookup()
    const shared = new SharedLookups(manualClock(), ask)
    const seen: number[] = []
    for (let turn = 0; turn < 3; turn++) shared.lookUp('hooks.test', () => seen.push(turn))
    expect([asked, seen]).toEqual([['hooks.test'], []])
    answer(null, found)
    answer(null, found)
    expect(seen).toEqual([0, 1, 2])
  })

  test('that somebody still waits for is not cancelled; one that nobody does is', () => {
    const { ask, asked, cancelled, answer } = handLookup()
    const shared = new SharedLookups(manualClock(), ask)
    const seen: string[] = []
    const [first, second] = ['first', 'second'].map((who) => shared.lookUp('hooks.test', () => seen.push(who)))
    first?.()
    first?.()
    expect(cancelled).toEqual([])
    second?.()
    expect(cancelled).toEqual(['hooks.test'])
    answer(null, found) // Too late: nobody hears it, and nothing is kept.
    const third = shared.lookUp('hooks.test', () => seen.push('third'))
    expect([asked.length, seen]).toEqual([2, []])
    answer(null, found)
    third()
    expect([seen, cancelled.length]).toEqual([['third'], 1])
  })

  test('that is remembered is judged again at every connection', async () => {
    const canary = await openReceiver({ behaviour: { status: 200, headers: { connection: 'close' } } })
    const { connect, dialled } = divertedTo(canary.port)
    const asked: string[] = []
    const shared = new SharedLookups(manualClock(), (name, done) => {
      asked.push(name)
      done(
        null,
        [
          { address: '1.1.1.1', family: 4 },
          { address: '1.0.0.1', family: 4 },
        ],
        60,
      )
      return () => undefined
    })
    const judged: string[] = []
    let forbidden = ''
    const guard = {
      checkUrl: () => undefined,
      allows: (address: string) => (judged.push(address), address !== forbidden),
    }
    const transport = openTransport({ guard, connect, lookup: (name, done) => shared.lookUp(name, done) })
    expect(await transport.send(request('http://hooks.test/'))).toMatchObject({ statusCode: 200 })
    forbidden = '1.0.0.1'
    expect(await transport.send(request('http://hooks.test/'))).toEqual({
      kind: 'forbidden',
      reason: expect.stringMatching(/^The name has no public address \(/),
    })
    expect([asked, dialled, judged]).toEqual([
      ['hooks.test'],
      ['1.1.1.1', '1.0.0.1'],
      ['1.1.1.1', '1.0.0.1', '127.0.0.1', '1.1.1.1', '1.0.0.1'],
    ])
  })
})

describe('the hosts file', () => {
  test.each<[what: string, text: string, name: string, addresses: readonly string[] | undefined]>([
    ['a name', '127.0.0.1 hooks.test', 'hooks.test', ['127.0.0.1']],
    ['an alias after tabs', '127.0.0.1\thooks.test \t alias', 'alias', ['127.0.0.1']],
    ['both families', '127.0.0.1 a\n::1 a', 'a', ['127.0.0.1', '::1']],
    ['the same line twice', '127.0.0.1 a a\n127.0.0.1 a', 'a', ['127.0.0.1']],
    ['capitals', '127.0.0.1 Hooks.Test', 'hooks.test', ['127.0.0.1']],
    ['a comment behind it', '127.0.0.1 a # b', 'a', ['127.0.0.1']],
    ['lines as Windows ends them', '127.0.0.1 a\r\n127.0.0.2 b\r\n', 'b', ['127.0.0.2']],
    ['what stands in a comment', '# 127.0.0.1 a\n127.0.0.1 b # a', 'a', undefined],
    ['something that is no address', 'localhost a\n300.0.0.1 a', 'a', undefined],
    ['an address without a name', '127.0.0.1\n\n', '', undefined],
  ])('has %s', (_what, text, name, addresses) => {
    expect(
      parseHosts(text)
        .get(name)
        ?.map(({ address }) => address),
    ).toEqual(addresses)
  })

  test('is read again when it has changed, and looked at once a second', async () => {
    const clock = manualClock()
    const path = hostsFile('127.0.0.1 hooks.test')
    const hosts = new HostsFile(clock, path)
    const address = (): string | undefined => hosts.addressesOf('hooks.test')?.[0]?.address
    expect(address()).toBe('127.0.0.1')
    writeFileSync(path, '127.0.0.2 hooks.test')
    utimesSync(path, 1, 1) // Whatever the resolution of its times: another one.
    await clock.advance(999)
    expect(address()).toBe('127.0.0.1')
    await clock.advance(1)
    expect(address()).toBe('127.0.0.2')
    rmSync(path)
    await clock.advance(1_000)
    expect(address()).toBeUndefined()
    writeFileSync(path, '127.0.0.3 hooks.test')
    await clock.advance(1_000)
    expect(address()).toBe('127.0.0.3')
  })

  test.each<[name: string, answer: readonly string[]]>([
    ['hosts.test', ['127.0.0.7']],
    ['HOSTS.test.', ['127.0.0.7']],
    ['localhost', ['127.0.0.8']],
    ['api.localhost', ['127.0.0.1', '::1']],
    ['api.localhost.', ['127.0.0.1', '::1']],
    ['other.test', ['127.0.0.9']],
    ['notlocalhost', ['127.0.0.9']],
  ])('comes before name servers, which never hear of localhost: %s', async (name, answer) => {
    const nameServer = await openNameServer((_name, family) =>
      family === 'A' ? { addresses: ['127.0.0.9'] } : 'no data',
    )
    const lookup = systemLookup({
      clock: manualClock(),
      nameServers: [nameServer.address],
      hostsPath: hostsFile('127.0.0.7 hosts.test\n127.0.0.8 localhost'),
    })
    expect(await answerOf(lookup, name)).toEqual(answer)
    expect(nameServer.questions).toHaveLength(answer[0] === '127.0.0.9' ? 2 : 0)
  })

  test('leads a transport that is given no other look-up to this machine', async () => {
    const server = await openReceiver()
    expect(await openTransport().send(request(`http://localhost:${server.port}/`))).toMatchObject({ statusCode: 200 })
  })

  test('without it localhost is this machine all the same', async () => {
    const lookup = systemLookup({
      clock: manualClock(),
      nameServers: ['127.0.0.1:1'],
      hostsPath: join(tmpdir(), 'posthorn-no-such-file'),
    })
    expect(await answerOf(lookup, 'localhost')).toEqual(['127.0.0.1', '::1'])
  })
})
