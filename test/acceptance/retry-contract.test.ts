import { Posthorn, presets, settingsFromEnvironment } from 'posthorn'
import type { Endpoint, OutgoingRequest, PosthornOptions, RetryPolicy, Store } from 'posthorn'
import { describe, expect, test } from 'vitest'
import { plannedDelays } from '../../src/core/delivery/retry-policy.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import type { ScriptedTransport } from '../../src/testing/scripted-transport.ts'
import { databases } from './databases.ts'
import type { Database, Row } from './databases.ts'
import { makeWorld } from './world.ts'
import type { World } from './world.ts'

const second = 1_000
const message = { application: 'acme', type: 'invoice.paid', data: { id: 7 } }

/** What the broken release did: a fixed delay of 5 s, no jitter, eight sends. */
const brokenPolicy: Omit<RetryPolicy, 'name'> = {
  delays: { kind: 'list', delaysMs: Array.from({ length: 7 }, () => 5 * second) },
  jitterShare: 0,
  maxAttempts: 8,
}

describe.each(databases)('$name', (database) => {
  test('RR-3.2-defaults an empty environment gives the contract, each name changes its own number, nonsense is refused by name', async () => {
    const defaults = { timeoutMs: 30 * second, maxRetries: 5, retriesPerEndpoint: 100, pool: 20 }
    expect(settingsFromEnvironment({})).toMatchObject(defaults)
    expect(settingsFromEnvironment({ HTTP_POOL_SIZE: '' })).toMatchObject(defaults)
    const names = [
      ['WEBHOOK_TIMEOUT_SECONDS', '7', { timeoutMs: 7 * second }],
      ['MAX_RETRY_ATTEMPTS', '8', { maxRetries: 8 }],
      ['RETRY_BATCH_SIZE', '500', { retriesPerEndpoint: 500 }],
      ['HTTP_POOL_SIZE', '50', { pool: 50 }],
    ] as const
    for (const [name, text, changed] of names) {
      expect(settingsFromEnvironment({ [name]: text })).toEqual({ ...settingsFromEnvironment({}), ...changed })
      for (const nonsense of ['abc', '-1', '1.5', '1e3', '30s', '0x10', '999999999']) {
        expect(() => settingsFromEnvironment({ [name]: nonsense })).toThrow(new RegExp(`\`${name}\`.*"${nonsense}"`))
      }
    }
    for (const name of ['WEBHOOK_TIMEOUT_SECONDS', 'RETRY_BATCH_SIZE', 'HTTP_POOL_SIZE']) {
      expect(() => settingsFromEnvironment({ [name]: '0' })).toThrow(`\`${name}\``)
    }

    // The defaults are in force without any setting, and the environment's numbers where they are handed in.
    expect(await obeyed(database, {}, 101)).toEqual({
      timeoutMs: 30 * second,
      begunInTick: 100,
      mostOpen: 20,
      ends: 'failed',
    })
    const environment = {
      WEBHOOK_TIMEOUT_SECONDS: '7',
      MAX_RETRY_ATTEMPTS: '1',
      RETRY_BATCH_SIZE: '4',
      HTTP_POOL_SIZE: '2',
    }
    const settings = settingsFromEnvironment({ ...environment, POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8' })
    expect(await obeyed(database, settings, 6)).toEqual({
      timeoutMs: 7 * second,
      begunInTick: 4,
      mostOpen: 2,
      ends: 'dead',
    })
  })

  test('RR-3.4-guard a delay under 30 s refuses to start before any I/O, and 30 s passes', async () => {
    const { store } = await database.open()
    const { touched, watched } = watch(store())
    const unsafe: [string, RetryPolicy['delays']][] = [
      ['29', { kind: 'exponential', baseMs: 29 * second, capMs: null }],
      ['10', { kind: 'exponential', baseMs: 60 * second, capMs: 10 * second }],
      ['5', { kind: 'list', delaysMs: [60 * second, 5 * second, 120 * second] }],
      ['29.999', { kind: 'list', delaysMs: [29_999] }],
    ]
    for (const [seconds, delays] of unsafe) {
      const policies = { hasty: { delays, jitterShare: 0.2, maxAttempts: 2 } }
      const refusal = caught(() => new Posthorn({ store: watched, policies }))
      expect(refusal).toMatchObject({ code: 'unsafe_retry_delay' })
      expect(refusal.message).toContain(`"hasty" has a delay of ${seconds}s`)
      expect(refusal.message).toContain('under 30s risk overwhelming customer endpoints')
      expect(refusal.message).toContain('docs/architecture.md')
      expect(refusal.message).toContain('POSTHORN_ALLOW_UNSAFE_RETRY_DELAYS=1')
    }
    // What ships is held to the same, whichever preset the process uses: a delivery keeps the name of its policy.
    for (const { name, policy } of Object.values(presets)) {
      for (const [, delays] of unsafe) {
        const refusal = tampered(policy, delays, () => caught(() => new Posthorn({ store: watched })))
        expect(refusal).toMatchObject({
          code: 'unsafe_retry_delay',
          message: expect.stringContaining(`"${name}" has a delay of `),
        })
      }
    }
    expect(touched).toEqual([])

    const world = await makeWorld(database, {
      policies: {
        exponential: {
          delays: { kind: 'exponential', baseMs: 30 * second, capMs: 30 * second },
          jitterShare: 0.2,
          maxAttempts: 6,
        },
        listed: { delays: { kind: 'list', delaysMs: [30 * second] }, jitterShare: 0, maxAttempts: 2 },
      },
    })
    await world.start()
    expect(world.heard('warning')).toEqual([])
  })

  test('RR-1-table the values of the broken release are no preset, and start only under the override, with a warning each time', async () => {
    const { store } = await database.open()
    for (const name of ['standard', 'quick']) {
      expect(caught(() => new Posthorn({ store: store(), policies: { [name]: brokenPolicy } }))).toMatchObject({
        code: 'unsafe_retry_delay',
      })
    }
    for (const { policy } of Object.values(presets)) {
      expect(Math.min(...plannedDelays(policy))).toBeGreaterThanOrEqual(30 * second)
      expect(policy.maxAttempts === 8 && policy.jitterShare === 0).toBe(false)
    }

    // The environment can bring back its other numbers, but not its delays: no name sets them.
    const restored = {
      WEBHOOK_TIMEOUT_SECONDS: '10',
      MAX_RETRY_ATTEMPTS: '8',
      RETRY_BATCH_SIZE: '500',
      HTTP_POOL_SIZE: '50',
      BASE_RETRY_DELAY: '5',
    }
    const environment = settingsFromEnvironment({ ...restored, POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8' })
    const careful = await makeWorld(database, environment)
    careful.receiver.behave('/hook', 500)
    const id = await careful.insert()
    await careful.start()
    expect(await careful.row(id)).toMatchObject({ status: 'failed', next_retry_at: careful.clock.now() + 60 * second })

    const { allowUnsafeRetryDelays } = settingsFromEnvironment({ POSTHORN_ALLOW_UNSAFE_RETRY_DELAYS: '1' })
    const careless = await makeWorld(database, { policies: { standard: brokenPolicy }, allowUnsafeRetryDelays })
    await careless.start()
    expect(careless.heard('warning')).toEqual([
      expect.objectContaining({ code: 'unsafe_retry_delays', message: expect.stringContaining('"standard"') }),
    ])
  })

  test('RR-3.2-envelope a delivery that always fails gets 6 sends over 1860 s and is dead, and 9 over 15300 s with 8 retries', async () => {
    const planned = [0, 60, 180, 420, 900, 1860]
    expect(await sendTimes(await makeWorld(database))).toEqual(planned)

    const eight = settingsFromEnvironment({ MAX_RETRY_ATTEMPTS: '8', POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8' })
    expect(await sendTimes(await makeWorld(database, eight))).toEqual([...planned, 3780, 7620, 15300])
  })

  test('RR-batch 250 due retries of an endpoint leave 100, 100 and 50 per tick, 20 at once, whatever other endpoints have, and delay nobody else', async () => {
    const { world, transport, url } = await scriptedWorld(database)
    const otherUrl = 'https://other.test/hook'
    await world.posthorn.endpoints.create({ application: 'other', url: otherUrl })
    // A second endpoint of the same application with as much to do: the 100 are for each, and not for all together.
    const twin = await world.posthorn.endpoints.create({ application: 'acme', url: 'https://second.test/hook' })
    const urls = [url, twin.url]
    for (const each of urls) transport.answer(each, 200, { delayMs: 100 })
    await world.start()
    // Fifteen successes widen the window of the slow start from 5 to 20.
    await world.posthorn.send(Array.from({ length: 15 }, () => message))
    await world.clock.advance(second)
    await world.posthorn.idle()
    expect(transport.requests).toHaveLength(30)
    for (const endpoint of [world.endpoint, twin]) await insertRetries(world, 250, endpoint)

    const tick = world.clock.now() + 4 * second
    await world.clock.advance(4 * second + 250)
    for (const each of urls) expect(transport.open(each)).toBe(20)
    const sent = await world.posthorn.send({ ...message, application: 'other' })
    await world.clock.advance(0)
    expect(transport.requests.at(-1)).toMatchObject({
      url: otherUrl,
      at: tick + 250,
      headers: { 'webhook-id': sent.id },
    })
    for (const each of urls) expect(transport.open(each)).toBe(20)

    await world.clock.advance(20 * second)
    await world.posthorn.idle()
    for (const each of urls) {
      const begun = transport.requests.slice(30).filter((request) => request.url === each)
      const perTick = Array.from(
        { length: 4 },
        (_, index) => begun.filter(({ at }) => Math.floor(((at ?? 0) - tick) / (5 * second)) === index).length,
      )
      expect(perTick).toEqual([100, 100, 50, 0])
      expect(transport.mostOpen(each)).toBe(20)
    }
    expect(await world.query('select status, count(*) as count from webhook_deliveries group by status')).toEqual([
      { status: 'delivered', count: 531 },
    ])
  })

  test('RR-timeout an answer after 29 s is a delivery, and one after 31 s comes too late', async () => {
    const world = await makeWorld(database)
    await world.start()
    world.receiver.behave('/hook', [
      { kind: 'slow', afterMs: 29 * second, clock: world.clock },
      { kind: 'slow', afterMs: 31 * second, clock: world.clock },
    ])
    const inTime = await world.posthorn.send(message)
    await world.receiver.waitFor(1)
    await world.poll(29 * second)
    expect(await attemptsOf(world, inTime.id)).toEqual([
      { status: 'delivered', attempt_count: 1, outcome: 'answered', took_ms: 29 * second },
    ])

    const tooLate = await world.posthorn.send(message)
    await world.receiver.waitFor(2)
    await world.clock.advance(30 * second - 1)
    expect(
      await world.query('select status, lease_owner from webhook_deliveries where message_id = ?', tooLate.id),
    ).toEqual([{ status: 'pending', lease_owner: world.posthorn.workerId }])
    // The transport looks at its deadlines every 50 ms.
    await world.poll(100)
    const [attempt] = await attemptsOf(world, tooLate.id)
    expect(attempt).toMatchObject({ status: 'failed', attempt_count: 1, outcome: 'timeout' })
    expect(attempt?.['took_ms']).toBeGreaterThanOrEqual(30 * second)
    await world.poll(second)
    expect(await attemptsOf(world, tooLate.id)).toEqual([attempt])
  })

  test('RR-breaker it opens after ten failures, holds without using attempts, probes once, closes and ramps; a crashed probe wedges nothing', async () => {
    const { world, transport, url } = await scriptedWorld(database)
    transport.answer(url, 500)
    await world.start()
    await world.posthorn.send(Array.from({ length: 30 }, () => message))
    await world.posthorn.idle()
    expect(transport.requests).toHaveLength(10)
    expect(world.heard('breaker.opened')).toEqual([
      expect.objectContaining({ webhook_id: world.endpoint.id, held_until: world.clock.now() + 60 * second }),
    ])

    // Held: what comes in waits with the rest, and no row is touched.
    await world.posthorn.send(message)
    const held = await world.rows()
    expect(attemptCounts(held)).toEqual({ 0: 21, 1: 10 })
    await world.poll(55 * second)
    expect(transport.requests).toHaveLength(10)
    expect(await world.rows()).toEqual(held)

    // The first probe fails, and the hold doubles.
    await world.poll(5 * second)
    expect(transport.requests).toHaveLength(11)
    expect(attemptCounts(await world.rows())).toEqual({ 0: 21, 1: 9, 2: 1 })
    expect(world.heard('breaker.opened').at(-1)).toMatchObject({ held_until: world.clock.now() + 120 * second })
    await world.poll(115 * second)
    expect(transport.requests).toHaveLength(11)

    // The second one finds the endpoint well: it closes, and the window grows with every success.
    transport.answer(url, 200, { delayMs: 100 })
    const open: number[] = []
    await world.clock.advance(5 * second)
    for (let wave = 0; wave < 4; wave += 1) {
      open.push(transport.open(url))
      await world.clock.advance(99)
      expect(transport.open(url)).toBe(open.at(-1))
      expect(world.heard('breaker.closed')).toHaveLength(wave === 0 ? 0 : 1)
      await world.clock.advance(1)
    }
    expect(open).toEqual([1, 5, 10, 15])
    await world.posthorn.idle()
    expect(attemptCounts((await world.rows()).filter((row) => row['status'] === 'delivered'))).toEqual({
      1: 21,
      2: 9,
      3: 1,
    })

    await probeCrashes(database)
  })
})

/** Works while a policy that ships has other delays than it should; puts it back before anything else can see it. */
function tampered<Result>(policy: RetryPolicy, delays: RetryPolicy['delays'], work: () => Result): Result {
  const { delays: shipped } = policy
  Object.assign(policy, { delays })
  try {
    return work()
  } finally {
    Object.assign(policy, { delays: shipped })
  }
}

/** A worker freezes with its probe on the wire: another probes once the lease has passed, and the frozen one's news changes nothing. */
async function probeCrashes(database: Database): Promise<void> {
  const { world, transport, url } = await scriptedWorld(database)
  transport.answer(url, 500)
  await world.start()
  await world.posthorn.send(Array.from({ length: 12 }, () => message))
  await world.posthorn.idle()
  const probe = transport.hold(url)
  await world.clock.advance(60 * second)
  expect(probe.waiting).toBe(1)

  const clock = manualClock(world.clock.now())
  const otherTransport = scriptedTransport(clock)
  const other = world.second({ clock, transport: otherTransport })
  await other.start()
  await clock.advance(29 * second)
  await other.idle()
  expect(otherTransport.requests).toEqual([])

  const slow = otherTransport.hold(url)
  await clock.advance(6 * second)
  expect(otherTransport.requests).toHaveLength(1)
  slow.release()
  // The row of the probe itself was leased by the frozen worker: it is among those that leave now.
  await clock.advance(5 * second)
  await other.idle()
  const delivered = await world.rows()
  expect(new Set(delivered.map((row) => row['status']))).toEqual(new Set(['delivered']))

  probe.release()
  await world.posthorn.idle()
  await clock.advance(5 * second)
  expect(await world.rows()).toEqual(delivered)
  expect(await world.query('select failures, held_until, holds from posthorn_endpoint_health')).toEqual([
    { failures: 0, held_until: null, holds: 0 },
  ])
  await other.send(message)
  await other.idle()
  expect(otherTransport.requests).toHaveLength(13)
}

interface ScriptedWorld {
  readonly world: World
  readonly transport: ScriptedTransport
  readonly url: string
}

/** A world whose network is a script: what is open at which instant is exact. */
async function scriptedWorld(database: Database, options: Partial<PosthornOptions> = {}): Promise<ScriptedWorld> {
  const clock = manualClock()
  const transport = scriptedTransport(clock)
  const world = await makeWorld(database, { ...options, clock, transport })
  return { world, transport, url: world.endpoint.url }
}

/** What a process does in its first tick with due retries that all fail their second attempt after 100 ms. */
async function obeyed(database: Database, options: Partial<PosthornOptions>, retries: number): Promise<unknown> {
  const { world, transport, url } = await scriptedWorld(database, { ...options, breaker: false, slowStart: false })
  let timeoutMs = 0
  const refuse = (request: OutgoingRequest): number => {
    timeoutMs = request.timeoutMs
    return 500
  }
  transport.answer(url, refuse, { delayMs: 100 })
  await insertRetries(world, retries)
  await world.posthorn.start()
  await world.clock.advance(4 * second)
  await world.posthorn.idle()
  const [row] = await world.query('select distinct status from webhook_deliveries where attempt_count = 2')
  return { timeoutMs, begunInTick: transport.requests.length, mostOpen: transport.mostOpen(url), ends: row?.['status'] }
}

/** Due retries of an endpoint, the world's unless said otherwise, by plain SQL and in one statement. */
async function insertRetries(
  world: World,
  count: number,
  { id: endpointId, url }: Pick<Endpoint, 'id' | 'url'> = world.endpoint,
): Promise<void> {
  const now = world.clock.now()
  const first = await world.row(
    await world.insert({
      webhook_id: endpointId,
      target_url: url,
      status: 'failed',
      attempt_count: 1,
      last_attempted_at: now,
    }),
  )
  const rows = Array.from({ length: count - 1 }, (_, index): Row => ({ ...first, id: `${first['id']}-${index}` }))
  const names = Object.keys(first)
  const places = `(${names.map(() => '?').join(', ')})`
  await world.query(
    `insert into webhook_deliveries (${names.join(', ')}) values ${rows.map(() => places).join(', ')}`,
    ...rows.flatMap((row) => names.map((name) => row[name] ?? null)),
  )
}

/** Sends one message to an endpoint that always fails: the seconds from the first attempt to each, until it is dead and stays so. */
async function sendTimes(world: World): Promise<number[]> {
  world.receiver.behave('/hook', 500)
  await world.start()
  const { id } = await world.posthorn.send(message)
  await world.posthorn.idle()
  const row = async (): Promise<Row> =>
    (await world.query('select * from webhook_deliveries where message_id = ?', id))[0] ?? {}
  for (let now = await row(); now['status'] === 'failed'; now = await row()) {
    await world.leap(Number(now['next_retry_at']) - 5 * second - world.clock.now())
    await world.poll()
  }

  const sends = await world.query('select started_at from posthorn_attempts order by epoch')
  expect(await row()).toMatchObject({
    status: 'dead',
    reason: 'exhausted',
    attempt_count: sends.length,
    next_retry_at: null,
  })
  await world.leap(3_600 * second)
  expect(world.receiver.count).toBe(sends.length)
  expect(world.heard('delivery.dead')).toHaveLength(1)
  return sends.map(({ started_at: at }) => (Number(at) - Number(sends[0]?.['started_at'])) / second)
}

function attemptsOf(world: World, messageId: string): Promise<Row[]> {
  const statement = `select d.status, d.attempt_count, a.outcome, a.took_ms
from webhook_deliveries d
join posthorn_attempts a on a.delivery_id = d.id
where d.message_id = ?`
  return world.query(statement, messageId)
}

function attemptCounts(rows: readonly Row[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const row of rows) counts[Number(row['attempt_count'])] = (counts[Number(row['attempt_count'])] ?? 0) + 1
  return counts
}

/** A store that remembers which of its parts were asked for. */
function watch(store: Store): { touched: string[]; watched: Store } {
  const touched: string[] = []
  const watched = new Proxy(store, {
    get(target, name, receiver) {
      touched.push(String(name))
      return Reflect.get(target, name, receiver) as unknown
    },
  })
  return { touched, watched }
}

function caught(work: () => unknown): Error {
  try {
    work()
  } catch (error) {
    if (error instanceof Error) return error
  }
  return expect.unreachable('nothing was thrown')
}
