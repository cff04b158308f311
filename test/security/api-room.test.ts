import { describe, expect, test } from 'vitest'
import { manualClock, memoryStore, seededRandom } from 'posthorn/testing'
import { makeKeys } from '../../src/api/keys.ts'
import { makeStream } from '../../src/api/stream/stream.ts'
import { SharedLimit } from '../../src/core/limits/shared-limit.ts'
import { mostBodyBytes } from '../../src/core/message/message.ts'
import { hour } from '../../src/core/time.ts'
import { makeRateLimit } from '../../src/server/http/rate-limit.ts'
import { mostRequestBytes, parseJson } from '../../src/server/http/request-body.ts'
import { applicationOperations } from '../../src/server/routes/svix/applications.ts'
import { sessionOperations } from '../../src/server/routes/operator/session.ts'
import { networkOf } from '../../src/server/request/actor.ts'
import { serverWorld } from '../server/world.ts'
import { adminKey, apiWorld } from './api-world.ts'
import type { ApiWorld, Unfinished } from './api-world.ts'
import { defence } from './defence.ts'
import { UnsharedLimit } from './unshared-limit.ts'

function limitOf(most: number, isOn: boolean): SharedLimit {
  return isOn ? new SharedLimit(most) : new UnsharedLimit(most)
}

/** Begins many requests, and waits until each of them is under way or answered. */
async function flood(
  requests: SharedLimit,
  count: number,
  begin: (index: number) => Unfinished,
): Promise<Unfinished[]> {
  const begun = Array.from({ length: count }, (_, index) => begin(index))
  const held = (): number => requests.most - requests.free
  await expect.poll(() => held() + begun.filter((each) => each.status() !== null).length).toBe(count)
  return begun
}

async function statusOf(world: ApiWorld, path: string, init: RequestInit, token = adminKey): Promise<number> {
  const response = await fetch(`${world.url}${path}`, {
    ...init,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' },
  })
  await response.arrayBuffer()
  return response.status
}

describe('unfinished requests', () => {
  defence('unfinished bodies of one portal key refuse nobody else', async (isOn) => {
    const requests = limitOf(40, isOn)
    const world = await apiWorld({ requests })
    const token = await world.portalKey('acme')
    const begun = await flood(requests, 41, () =>
      world.begin({ path: '/api/v1/app/acme/endpoint', token, length: 100, part: '{' }),
    )
    const refused = begun.filter((each) => each.status() !== null)
    expect(refused.map((each) => each.status())).toEqual(refused.map(() => (isOn ? 429 : 503)))
    const calls = await Promise.all(Array.from({ length: 20 }, () => statusOf(world, '/api/v1/app', {})))
    return calls.includes(503)
  })

  defence('sessions of one portal key have one share, not one each', async (isOn) => {
    const requests = new SharedLimit(20)
    const world = await apiWorld({ requests })
    const token = await world.portalKey('acme')
    const sessions = await Promise.all(
      // Off: each session is of a key of its own, as if sessions were callers by themselves.
      Array.from({ length: 4 }, async () => {
        const { keys } = world.posthorn
        const own = isOn ? await keys.find(token) : (await keys.create({ name: 'acme', application: 'acme' })).key
        const { token: session } = await keys.openSession(own ?? expect.unreachable())
        return `posthorn-session=${session}`
      }),
    )
    const begun = await flood(requests, 40, (index) => {
      const headers = { cookie: sessions[index % sessions.length] ?? '', 'sec-fetch-site': 'same-origin' }
      return world.begin({ path: '/api/v1/app/acme/endpoint', headers, length: 100, part: '{' })
    })
    return begun.filter((each) => each.status() === null).length > 10
  })

  defence('announced bodies of one key leave bytes for others', async (isOn) => {
    const requests = new SharedLimit(1_000)
    const bodyBytes = limitOf(16 * mostBodyBytes, isOn)
    const world = await apiWorld({ requests, bodyBytes })
    const token = await world.portalKey('acme')
    await flood(requests, 40, () =>
      world.begin({ path: '/api/v1/app/acme/endpoint', token, length: mostBodyBytes, part: '{' }),
    )
    const body = JSON.stringify({ name: 'x'.repeat(100), metadata: {} }).padEnd(mostBodyBytes / 2)
    return (await statusOf(world, '/api/v1/app', { method: 'POST', body })) === 503
  })

  defence('bytes that come in chunks, without a length, are bounded too', async (isOn) => {
    const requests = new SharedLimit(1_000)
    const bodyBytes = new SharedLimit((isOn ? 4 : 400) * mostBodyBytes)
    const world = await apiWorld({ requests, bodyBytes })
    const token = await world.portalKey('acme')
    const size = mostBodyBytes - 1_024
    const part = `${size.toString(16)}\r\n${' '.repeat(size)}\r\n`
    const begun = Array.from({ length: 10 }, () =>
      world.begin({ path: '/api/v1/app/acme/endpoint', token, length: null, part }),
    )
    const held = (): number => bodyBytes.most - bodyBytes.free
    const refused = (): number => begun.filter((each) => each.status() === 429).length
    await expect.poll(() => refused() * size + held()).toBeGreaterThanOrEqual(9 * size)
    return held() > 4 * mostBodyBytes
  })

  defence('a body beyond the limit is refused by what it says of itself', async (isOn) => {
    const create = applicationOperations.find(({ id }) => id === 'v1.application.create') ?? expect.unreachable()
    const requests = new SharedLimit(10)
    const bodyBytes = new SharedLimit(1_000 * mostBodyBytes)
    const unbounded = { ...create, mostBytes: Number.POSITIVE_INFINITY }
    const world = await apiWorld({ requests, bodyBytes }, {}, isOn ? create : unbounded)
    const begin = (): Unfinished =>
      world.begin({ path: '/api/v1/app', token: adminKey, length: 100 * mostBodyBytes, part: '{' })
    const [begun] = await flood(requests, 1, begin)
    return begun?.status() !== 413
  })

  defence('a body of more than 64 levels is refused before anything looks into it', async (isOn) => {
    const bytes = new TextEncoder().encode(`${'['.repeat(10_000)}${']'.repeat(10_000)}`)
    return !((isOn ? parseJson(bytes) : parseJson(bytes, Number.POSITIVE_INFINITY)) instanceof Response)
  })

  defence('calls of one key beyond its rate are refused, and say when to go on', async (isOn) => {
    const world = await apiWorld({}, { rateLimitPerSecond: isOn ? 5 : 0 })
    const statuses: number[] = []
    for (let count = 0; count < 10; count += 1) statuses.push(await statusOf(world, '/api/v1/app', {}))
    return !statuses.includes(429)
  })

  test('a request of somebody unknown is refused before its body has come', async () => {
    const world = await apiWorld()
    const begun = world.begin({ path: '/api/v1/app', token: 'phk_nobody', length: mostBodyBytes, part: '{' })
    await expect.poll(() => begun.status()).toBe(401)
  })

  test('a request that its caller gives up is a line for whoever debugs, and no defect', async () => {
    const requests = new SharedLimit(10)
    const world = await apiWorld({ requests })
    for (const length of [1_000, null]) {
      const begun = world.begin({
        path: '/api/v1/app',
        token: adminKey,
        length,
        part: length === null ? '1\r\n{\r\n' : '{',
      })
      await expect.poll(() => requests.free).toBe(9)
      begun.socket.destroy()
      await expect.poll(() => requests.free).toBe(10)
    }
    expect(world.incidents).toEqual([])
    expect(world.answered).toMatchObject([
      { operation: 'v1.application.create', status: 499 },
      { operation: 'v1.application.create', status: 499 },
    ])
  })
})

describe('sign-in, for which no key is needed', () => {
  const openSession = sessionOperations.find(({ id }) => id === 'v1.session.open') ?? expect.unreachable()
  const unlimitedRate = makeRateLimit(0, () => 0)

  defence('takes no body larger than a key', async (isOn) => {
    const { mostBytes = mostRequestBytes, ...unbounded } = openSession
    const world = await apiWorld({}, {}, isOn ? openSession : unbounded)
    const signIns = Array.from({ length: 10 }, () =>
      world.begin({ path: '/api/v1/session', length: mostBodyBytes, part: '{'.padEnd(mostBytes + 1) }),
    )
    await expect.poll(() => signIns.every(({ socket }) => socket.writableLength === 0)).toBe(true)
    if (isOn) await expect.poll(() => signIns.map((each) => each.status())).toEqual(signIns.map(() => 413))
    return signIns.every((each) => each.status() === null)
  })

  defence('of one address, unfinished, leaves room for those of others', async (isOn) => {
    const signIns = limitOf(20, isOn)
    const world = await apiWorld({ signIns, signInRate: unlimitedRate })
    await flood(signIns, 21, () => world.begin({ path: '/api/v1/session', length: 100, part: '{' }))
    const body = JSON.stringify({ key: adminKey })
    const other = world.begin({ path: '/api/v1/session', length: body.length, part: body, from: '127.0.0.2' })
    await expect.poll(() => other.status()).not.toBeNull()
    return other.status() === 503
  })

  defence('of one address is limited per second, and that of others is not', async (isOn) => {
    const world = await apiWorld(isOn ? {} : { signInRate: unlimitedRate })
    const body = JSON.stringify({ key: 'phk_nobody' })
    const statuses: number[] = []
    for (let count = 0; count < 30; count += 1)
      statuses.push(await statusOf(world, '/api/v1/session', { method: 'POST', body }))
    const other = world.begin({ path: '/api/v1/session', length: body.length, part: body, from: '127.0.0.2' })
    await expect.poll(() => other.status()).toBe(401)
    return !statuses.includes(429)
  })

  defence('with one key leaves sessions for other keys', async (isOn) => {
    const store = memoryStore()
    await store.open()
    const clock = manualClock()
    const keys = makeKeys({ ...store, ready: async () => undefined, clock, random: seededRandom(1) }, limitOf(10, isOn))
    const [greedy, other] = [await keys.create({ name: 'greedy' }), await keys.create({ name: 'other' })]
    let opened = 0
    for (let tries = 0; tries < 20; tries += 1)
      await keys.openSession(greedy.key).then(
        () => (opened += 1),
        (error: unknown) =>
          expect(error).toMatchObject({ code: isOn || opened < 10 ? 'share_exceeded' : 'overloaded' }),
      )
    expect(opened).toBe(isOn ? 5 : 10)
    return keys.openSession(other.key).then(
      () => false,
      () => true,
    )
  })
})

test.each([
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
])('whoever signs in from %s is under the limits of %s', (remoteAddress, network) => {
  expect(networkOf({ incoming: { socket: { remoteAddress } } })).toBe(network)
})

test('a session that ends, by itself or by its reader, makes way for another', async () => {
  const store = memoryStore()
  await store.open()
  const clock = manualClock()
  const parts = { ...store, ready: async () => undefined, clock, random: seededRandom(1) }
  const keys = makeKeys(parts, new SharedLimit(2))
  const { key } = await keys.create({ name: 'kim' })
  const open = (): Promise<unknown> => keys.openSession(key)
  const first = await keys.openSession(key)
  await expect(open()).rejects.toMatchObject({ code: 'share_exceeded', message: expect.stringContaining('1 sessions') })
  await keys.endSession(first.key.id)
  await open()
  await expect(open()).rejects.toMatchObject({ code: 'share_exceeded' })
  await clock.advance(12 * hour)
  await open()
})

describe('the stream', () => {
  defence('one key does not take all readers', async (isOn) => {
    const store = memoryStore()
    await store.open()
    const parts = { ...store, ready: async () => undefined, clock: manualClock(), random: seededRandom(1) }
    const stream = makeStream(
      { ...parts, subscribe: () => () => undefined, owner: 'test', isShared: false },
      limitOf(1_000, isOn),
    )
    let opened = 0
    for (let tries = 0; tries < 1_001; tries += 1)
      await stream.open({}, null, 'key_greedy').then(
        () => (opened += 1),
        () => undefined,
      )
    expect(opened).toBe(isOn ? 500 : 1_000)
    const isRefused = await stream.open({}, null, 'key_other').then(
      () => false,
      () => true,
    )
    stream.close()
    return isRefused
  })

  test('over HTTP a key has as many readers as are still free, and gets them back', async () => {
    const world = await serverWorld({ rateLimitPerSecond: 0 })
    const token = await world.token()
    const other = await world.token()
    const open = (key: string): Promise<Response> =>
      world.answer(new Request('http://posthorn.test/api/v1/stream', { headers: { authorization: `Bearer ${key}` } }))
    const readers: Response[] = []
    for (let count = 0; count < 500; count += 1) readers.push(await open(token))
    const refused = await open(token)
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'share_exceeded' }])
    expect(refused.headers.get('retry-after')).toBe('1')
    const theirs = await open(other)
    expect(theirs.status).toBe(200)
    for (const { body } of [...readers, theirs]) await body?.cancel()
    expect(world.posthorn.stream.readers).toBe(0)
  })

  test('a reader that leaves before it is answered is closed', async () => {
    const world = await serverWorld()
    const leaving = new AbortController()
    const request = new Request('http://posthorn.test/api/v1/stream', {
      headers: { authorization: `Bearer ${await world.token()}` },
      signal: leaving.signal,
    })
    await world.answer(request)
    expect(world.posthorn.stream.readers).toBe(1)
    leaving.abort()
    expect(world.posthorn.stream.readers).toBe(0)
  })
})
