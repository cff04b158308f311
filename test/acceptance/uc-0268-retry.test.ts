import { createHmac } from 'node:crypto'
import { verify, verifyBodySignature } from 'posthorn'
import type { Store } from 'posthorn'
import { Webhook } from 'standardwebhooks'
import { describe, expect, onTestFinished, test } from 'vitest'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { receiver } from '../../src/testing/receiver.ts'
import type { Lookup } from '../../src/transport/lookup/lookup.ts'
import { makeGuard } from '../../src/transport/guard.ts'
import { httpTransport } from '../../src/transport/http.ts'
import { makeCertificate } from '../transport/certificate.ts'
import { databases } from './databases.ts'
import { makeWorld, waitsUntilDead } from './world.ts'
import type { World } from './world.ts'

const second = 1_000

describe.each(databases)('$name', (database) => {
  test('UC-0268-S1 the first failure is retried 30 seconds after it, and says why', async () => {
    const world = await makeWorld(database, { preset: 'gateway' })
    // The failure comes two seconds after the cycle began: the wait counts from the failure.
    const answer = { status: 500, body: 'out of order' }
    world.receiver.behave('/hook', { kind: 'slow', afterMs: 2 * second, clock: world.clock, answer })
    const id = await world.insert({ status: 'pending', attempt_count: 0 })
    await world.posthorn.start()
    await world.receiver.waitFor(1)
    await world.poll(2 * second)

    const failedAt = world.clock.now()
    expect(await world.row(id)).toMatchObject({
      status: 'failed',
      attempt_count: 1,
      next_retry_at: failedAt + 30 * second,
      last_attempted_at: failedAt,
      error_detail: 'HTTP 500: out of order',
    })
    expect(world.heard('delivery.failed')).toHaveLength(1)

    // What the endpoint asks for changes nothing: not later, and not never again.
    const asking = [
      { status: 503, headers: { 'retry-after': '3600' } },
      { status: 429, headers: { 'retry-after': '1' } },
      { status: 410 },
    ]
    for (const behaviour of asking) {
      world.receiver.behave('/hook', behaviour)
      const other = await world.insert()
      await world.poll()
      const row = await world.row(other)
      expect(row).toMatchObject({
        status: 'failed',
        attempt_count: 1,
        next_retry_at: Number(row['last_attempted_at']) + 30 * second,
      })
    }
    const { status } = await world.posthorn.endpoints.get(world.endpoint.id)
    expect(status).toBe('active')
  })

  test('UC-0268-S2 the fifth failure is the last, and says so once', async () => {
    const world = await makeWorld(database, { preset: 'gateway' })
    world.receiver.behave('/hook', 500)
    const id = await world.insert({ status: 'failed', attempt_count: 4, session_id: 'session-7' })
    await world.start()

    const dead = await world.row(id)
    expect(dead).toMatchObject({ status: 'dead', attempt_count: 5, next_retry_at: null, reason: 'exhausted' })
    const event = {
      topic: 'gateway:webhooks',
      webhook_delivery_id: id,
      webhook_id: world.endpoint.id,
      session_id: 'session-7',
    }
    expect(world.heard('delivery.dead')).toEqual([expect.objectContaining(event)])
    expect(world.heard('delivery.failed')).toEqual([])

    for (let cycle = 0; cycle < 3; cycle += 1) await world.poll()
    await world.leap(3_600 * second)
    expect(world.receiver.count).toBe(1)
    expect(await world.row(id)).toEqual(dead)
    expect(world.heard('delivery.dead')).toHaveLength(1)
  })

  test('UC-0268-schedule the waits are 30, 120, 600 and 3600 seconds, and 21600 with gateway-6', async () => {
    const wanted = [30, 120, 600, 3_600]
    for (const [preset, waits] of [
      ['gateway', wanted],
      ['gateway-6', [...wanted, 21_600]],
    ] as const) {
      const world = await makeWorld(database, { preset })
      world.receiver.behave('/hook', 500)
      const id = await world.insert()
      await world.start()
      expect(await waitsUntilDead(world, id)).toEqual(waits)
      expect(await world.row(id)).toMatchObject({
        status: 'dead',
        attempt_count: waits.length + 1,
        next_retry_at: null,
      })
      expect(world.receiver.count).toBe(waits.length + 1)
    }

    // Nothing holds an endpoint back that fails again and again: each row keeps its own schedule.
    const world = await makeWorld(database, { preset: 'gateway' })
    world.receiver.behave('/hook', 500)
    await inserted(world, 15)
    await world.start()
    for (const sent of [5, 10, 15, 15, 15, 15, 20, 25, 30, 30]) {
      expect(world.receiver.count).toBe(sent)
      await world.poll()
    }
    expect(world.heard('breaker.opened')).toEqual([])
  })

  test('UC-0268-A1 a 2xx delivers, whatever its body does, and nothing is scheduled', async () => {
    const world = await makeWorld(database, { preset: 'gateway' })
    world.receiver.behave('/hook', [204, 'cut', 'huge', 'endless'])
    const ids = await inserted(world, 4)
    await world.start()

    const now = world.clock.now()
    const rows = await world.rows()
    const delivered = {
      status: 'delivered',
      attempt_count: 1,
      last_attempted_at: now,
      next_retry_at: null,
      error_detail: null,
      lease_owner: null,
    }
    expect(rows).toEqual(ids.toSorted().map((id) => expect.objectContaining({ id, ...delivered })))
    expect(
      world
        .heard('delivery.delivered')
        .map((event) => event.webhook_delivery_id)
        .toSorted(),
    ).toEqual(ids.toSorted())
    expect(world.events.filter(({ type }) => type === 'delivery.failed' || type === 'delivery.dead')).toEqual([])
    const attempts = await Promise.all(ids.map((id) => world.posthorn.deliveries.attempts(id)))
    expect(
      attempts
        .flat()
        .map(({ statusCode }) => String(statusCode))
        .toSorted(),
    ).toEqual(['200', '200', '200', '204'])

    await world.poll(30 * second)
    await world.leap(3_600 * second)
    expect(world.receiver.count).toBe(4)
    expect(await world.rows()).toEqual(rows)
  })

  test('UC-0268-sign every send is a POST whose signatures are right for its exact bytes and for no others', async () => {
    // Of today, because the independent verifier reads the machine's clock.
    const world = await makeWorld(database, { preset: 'gateway', clock: manualClock(Date.now()) })
    const payload = Buffer.from('{ "name":"é\\u00e9\u{1f4ef}" ,"sum":1.0}\r\n\0 ')
    await world.posthorn.send({ application: 'acme', type: 'invoice.paid', payload })
    await world.start()
    const [receipt] = await world.receiver.waitFor(1)

    expect(receipt?.method).toBe('POST')
    expect(receipt?.body).toEqual(payload)
    const { headers, body } = receipt!
    const secret = world.endpoint.secrets[0]!.value
    const key = Buffer.from(secret.slice('whsec_'.length), 'base64')
    const signed = {
      'webhook-id': String(headers['webhook-id']),
      'webhook-timestamp': String(headers['webhook-timestamp']),
      'webhook-signature': String(headers['webhook-signature']),
    }
    const now = world.clock.now()
    expect(headers['x-webhook-signature']).toBe(`sha256=${createHmac('sha256', key).update(payload).digest('hex')}`)
    new Webhook(secret).verify(body, signed, { jsonParse: false })
    expect(verify(body, headers, secret, { now })).toEqual({
      messageId: receipt?.id,
      timestamp: Math.floor(now / second),
    })
    verifyBodySignature(body, headers, secret)

    for (const index of body.keys()) {
      const changed = Buffer.from(body)
      changed[index]! ^= 1
      expect(() => verify(changed, headers, secret, { now })).toThrow(/matches/)
      expect(() => verifyBodySignature(changed, headers, secret)).toThrow(/matches/)
      expect(() => new Webhook(secret).verify(changed, signed, { jsonParse: false })).toThrow(/signature/)
    }
  })

  test('UC-0268-8 a row is kept until its update is stored; the mark is repeated, and nothing is sent twice', async () => {
    const marks = breakable()
    const world = await makeWorld(database, { preset: 'gateway', leaseMs: 9 * second }, marks.wrap)
    world.receiver.behave('/hook', 500)
    const leased = { status: 'pending', attempt_count: 0, lease_owner: world.posthorn.workerId }
    const marked = { status: 'failed', attempt_count: 1, lease_owner: null }

    const brief = marks.break('before')
    const once = await world.insert()
    await world.posthorn.start()
    await brief.failed
    marks.mend()
    const failedAt = world.clock.now()
    expect(await world.row(once)).toMatchObject(leased)
    expect(world.heard('delivery.failed')).toEqual([])
    await world.poll()
    expect(await world.row(once)).toMatchObject({ ...marked, next_retry_at: failedAt + 30 * second })

    // For longer than a lease: the row stays in the same hands.
    const outage = marks.break('before')
    const long = await world.insert()
    await world.clock.advance(5 * second)
    await outage.failed
    await world.clock.advance(15 * second)
    const held = await world.row(long)
    expect(held).toMatchObject(leased)
    expect(held['lease_until']).toBeGreaterThan(world.clock.now())
    marks.mend()
    await world.poll(2 * second)
    expect(await world.row(long)).toMatchObject(marked)

    // The update was stored, and only the answer got lost: it is not counted again.
    await world.posthorn.cancel(once)
    const deaf = marks.break('after')
    const lost = await world.insert()
    await world.clock.advance(5 * second)
    await deaf.failed
    marks.mend()
    await world.poll(2 * second)
    expect(await world.row(lost)).toMatchObject(marked)

    expect(world.receiver.count).toBe(3)
    expect(world.heard('delivery.failed').map((event) => event.webhook_delivery_id)).toEqual([once, long, lost])
    for (const id of [once, long, lost]) expect(await world.posthorn.deliveries.attempts(id)).toHaveLength(1)
  })

  test('UC-0268-network whatever breaks on the wire is a failed attempt with its reason, on the same schedule', async () => {
    const clock = manualClock()
    const transport = httpTransport({
      clock,
      guard: makeGuard({ allowedTargets: ['127.0.0.0/8', '*.test'] }),
      lookup: noSuchName,
    })
    const world = await makeWorld(database, { preset: 'gateway', clock, transport })
    world.receiver.behave('/reset', 'reset')
    world.receiver.behave('/hang', 'hang')

    const cases: [string, RegExp][] = [
      [`http://127.0.0.1:${await closedPort()}/hook`, /^connection refused \(ECONNREFUSED\)$/],
      [world.receiver.url('/reset'), /^connection (reset|closed before an answer) \(\w+\)$/],
      ['https://nowhere.test/hook', /^The name has no public address \(name not found, ENOTFOUND\)$/],
      [world.receiver.url('/hook').replace('http:', 'https:'), /^TLS handshake failed/],
      [`${await selfSigned()}/hook`, /^certificate refused/],
      [world.receiver.url('/hang'), /^no answer within 30000 ms$/],
    ]
    await world.start()
    for (const [url, reason] of cases) {
      const endpoint = await world.posthorn.endpoints.create({ application: 'acme', url })
      const id = await world.insert({ webhook_id: endpoint.id })
      for (const [attemptCount, wait] of [
        [1, 30],
        [2, 120],
      ] as const) {
        await nextAttempt(world, id)
        const row = await world.row(id)
        expect(row).toMatchObject({
          status: 'failed',
          attempt_count: attemptCount,
          error_detail: expect.stringMatching(reason),
        })
        expect(Number(row['next_retry_at']) - Number(row['last_attempted_at']), url).toBe(wait * second)
      }
      await world.posthorn.cancel(id)
    }
  })
})

async function inserted(world: World, count: number): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index += 1) ids.push(await world.insert())
  return ids
}

/** A store whose marks can be made to fail, before they are written or after. */
function breakable() {
  let mode: 'whole' | 'before' | 'after' = 'whole'
  const waiters: (() => void)[] = []

  return {
    /** Answers with the moment at which the first mark has failed. */
    break(how: 'before' | 'after'): { failed: Promise<void> } {
      mode = how
      return { failed: new Promise((resolve) => void waiters.push(resolve)) }
    },
    mend(): void {
      mode = 'whole'
    },
    wrap: (store: Store): Store => ({
      ...store,
      queue: {
        ...store.queue,
        async mark(request) {
          if (mode === 'whole') return store.queue.mark(request)
          if (mode === 'after') await store.queue.mark(request)
          for (const tell of waiters.splice(0)) tell()
          throw new Error('the disk is away')
        },
      },
    }),
  }
}

/** Lets time pass until the next attempt of a delivery has ended; one that hangs ends when its time is up. */
async function nextAttempt(world: World, id: string): Promise<void> {
  const { next_retry_at: dueAt, webhook_id: endpointId } = await world.row(id)
  const { url } = await world.posthorn.endpoints.get(String(endpointId))
  await world.poll(Math.max(Number(dueAt) - 1 - world.clock.now(), 0))
  const hung = world.receiver.receipts.filter(({ path }) => path === '/hang').length
  // A step is shorter than the timeout: what is under way in the real network must not run out of a time that is not real.
  await world.clock.advance(5 * second)
  if (url.endsWith('/hang')) {
    await world.receiver.waitFor(hung + 1, '/hang')
    await world.clock.advance(31 * second)
  }
  await world.posthorn.idle()
}

const noSuchName: Lookup = (_name, done) => {
  done(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), [])
  return () => undefined
}

/** A port that nobody listens on, because a server has just left it. */
async function closedPort(): Promise<number> {
  const { port, close } = await receiver()
  await close()
  return port
}

async function selfSigned(): Promise<string> {
  const secure = await receiver({ tls: makeCertificate({ name: 'nobody', hosts: ['127.0.0.1'] }) })
  onTestFinished(() => secure.close())
  return secure.url('')
}
