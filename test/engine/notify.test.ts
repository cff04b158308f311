import { Client, Pool } from 'pg'
import type { PoolClient } from 'pg'
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { systemRandom } from '../../src/clock.ts'
import { makeId } from '../../src/core/ids.ts'
import type { EventOf } from '../../src/core/ports/events.ts'
import type { Store } from '../../src/core/ports/ports.ts'
import { Posthorn } from '../../src/posthorn.ts'
import type { PosthornOptions } from '../../src/posthorn.ts'
import { postgres } from '../../src/stores/postgres/index.ts'
import type { PostgresOptions } from '../../src/stores/postgres/index.ts'
import { channelOf, payloadOf } from '../../src/stores/postgres/listen.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import type { ManualClock } from '../../src/testing/manual-clock.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import type { ScriptedTransport } from '../../src/testing/scripted-transport.ts'
import { countedStore } from '../acceptance/counted-store.ts'
import { freshSchema, isFast } from '../postgres.ts'
import { proxyTo } from '../stores/postgres-proxy.ts'

const secretsKey = Buffer.alloc(32, 7)
const paid = { application: 'acme', type: 'invoice.paid', data: { id: 7 } }
const listeners = `select pid from pg_stat_activity where application_name = 'posthorn listener' and query = $1`

// The clock stands still unless a test moves it: no tick and no probe can find what leaves.
describe.skipIf(isFast)('LISTEN and NOTIFY', () => {
  const schema = isFast ? null : freshSchema()
  const channel = channelOf(schema?.schema ?? '')
  const businesses =
    schema === null ? null : new Pool({ connectionString: schema.url, max: 2, connectionTimeoutMillis: 10_000 })
  afterAll(async () => {
    await businesses?.end()
    await schema?.drop()
  })

  let clock: ManualClock
  let transport: ScriptedTransport
  let worker: Posthorn
  let sender: Posthorn

  beforeEach(async () => {
    await schema?.empty().catch(() => undefined)
    clock = manualClock()
    transport = scriptedTransport(clock)
    sender = posthorn()
    await sender.endpoints.create({ application: 'acme', url: 'https://acme.example/hook' })
    worker = posthorn()
  })

  function storeAt(target: string | Pool, options: PostgresOptions = {}): Store {
    const counted = countedStore(postgres(target, { schema: schema?.schema, secretsKey, ...options }))
    clock.attend(counted.underWay)
    return counted.store
  }

  function posthorn(options: Partial<PosthornOptions> = {}): Posthorn {
    const made = new Posthorn({ store: storeAt(schema?.url ?? ''), clock, transport, ...options })
    onTestFinished(() => made.stop({ graceMs: 0 }))
    return made
  }

  async function startListening(): Promise<void> {
    await worker.start()
    await untilListeners(1)
    await worker.idle()
  }

  async function untilListeners(count: number): Promise<number[]> {
    for (;;) {
      const rows = (await schema?.query(listeners, [`listen "${channel}"`])) ?? []
      if (rows.length === count) return rows.map(({ pid }) => Number(pid))
    }
  }

  /** Answers, once it is asked, with what was heard until then. */
  async function listenOn(name: string): Promise<() => Promise<(string | undefined)[]>> {
    const ear = new Client({ connectionString: schema?.url })
    await ear.connect()
    onTestFinished(() => ear.end())
    const heard: (string | undefined)[] = []
    const last = new Promise<void>((resolve) => {
      ear.on('notification', ({ payload }) => {
        if (payload === 'the end') resolve()
        else heard.push(payload)
      })
    })
    await ear.query(`listen "${name}"`)
    return async () => {
      await schema?.query(`select pg_notify($1, 'the end')`, [name])
      await last
      return heard
    }
  }

  async function begin(): Promise<PoolClient> {
    if (businesses === null) throw new Error('no database')
    const tx = await businesses.connect()
    onTestFinished(() => tx.release(true))
    await tx.query('begin')
    return tx
  }

  test('what another process commits in a transaction leaves at once with `notify: true`', async () => {
    sender = posthorn({ store: storeAt(schema?.url ?? '', { notify: true }) })
    await startListening()
    const tx = await begin()
    await sender.send(paid, { tx })
    expect(transport.requests).toHaveLength(0)
    await tx.query('commit')
    await transport.sent(1)
  })

  test('without it a transaction of the application carries no notice, and is found by the next look', async () => {
    await startListening()
    const heard = await listenOn(channel)
    const tx = await begin()
    await sender.send(paid, { tx })
    await tx.query('commit')
    expect(await heard()).toEqual([])
    expect(transport.requests).toHaveLength(0)
    await clock.advance(250)
    await transport.sent(1)
  })

  test.each(['off', 'behind a pooler'])('%s, nobody listens, and the next look finds what was stored', async (how) => {
    const proxy = await proxyTo(schema?.url ?? '')
    onTestFinished(() => proxy.close())
    proxy.hideProcesses()
    const store = how === 'off' ? storeAt(schema?.url ?? '', { notify: false }) : storeAt(proxy.url)
    await store.listen?.(() => expect.fail('It got a hint.'), new AbortController().signal)
    worker = posthorn({ store })
    const warnings: string[] = []
    worker.on('warning', ({ message }) => warnings.push(message))
    await worker.start()
    await worker.idle()
    await sender.send(paid)
    expect(await untilListeners(0)).toEqual([])
    await clock.advance(250)
    await transport.sent(1)
    expect(warnings).toEqual([])
  })

  test('what is stored while a notice is under way shares the next', async () => {
    const heard = await listenOn(channel)
    await Promise.all(Array.from({ length: 50 }, () => sender.send(paid)))
    await sender.send(paid)
    const notices = (await heard()).length
    expect(notices).toBeGreaterThan(0)
    expect(notices).toBeLessThan(10)
  })

  test('what a process stores that only enqueues leaves at once', async () => {
    await startListening()
    await sender.send(paid)
    await transport.sent(1)
    await sender.send([paid, paid])
    await transport.sent(3)
    expect(transport.requests).toHaveLength(3)
  })

  test('a notice names the endpoints: the worker does not search for them', async () => {
    const store = storeAt(schema?.url ?? '')
    let searches = 0
    const dueEndpoints: typeof store.queue.dueEndpoints = (request) => {
      searches += 1
      return store.queue.dueEndpoints(request)
    }
    worker = posthorn({ store: { ...store, queue: { ...store.queue, dueEndpoints } } })
    await startListening()
    const heard = await listenOn(channel)
    const { id } = await sender.endpoints.create({ application: 'acme', url: 'https://acme.example/other' })
    const before = searches
    await sender.send(paid)
    await transport.sent(2)
    expect(searches).toBe(before)
    const [notice = ''] = await heard()
    expect(notice.split(' ')).toHaveLength(2)
    expect(notice).toContain(id)
  })

  test.each(['', 'what is this?', `ep_${'0'.repeat(23)} msg_${'0'.repeat(23)}`])(
    'a notice that names no endpoints ("%s") makes the worker look',
    async (payload) => {
      await startListening()
      const tx = await begin()
      await sender.send(paid, { tx })
      await tx.query('commit')
      await schema?.query('select pg_notify($1, $2)', [channel, payload])
      await transport.sent(1)
      expect(transport.requests).toHaveLength(1)
    },
  )

  test('an endpoint that does not exist is ignored', async () => {
    await startListening()
    await schema?.query('select pg_notify($1, $2)', [channel, makeId('ep', clock.now(), systemRandom)])
    await sender.send(paid)
    await transport.sent(1)
    expect(transport.requests).toHaveLength(1)
  })

  test('a pool of one connection is enough: listening takes none of it', async () => {
    const pool = new Pool({ connectionString: schema?.url, max: 1, connectionTimeoutMillis: 10_000 })
    worker = posthorn({ store: storeAt(pool) })
    onTestFinished(async () => {
      await worker.stop({ graceMs: 0 })
      await pool.end()
    })
    await startListening()
    await sender.send(paid)
    await transport.sent(1)
    expect(pool.totalCount).toBe(1)
  })

  test('a connection that is terminated is only a hint less, and is replaced after a second', async () => {
    const warnings: EventOf<'warning'>[] = []
    const lost = new Promise<void>((resolve) => worker.on('warning', (event) => (warnings.push(event), resolve())))
    await startListening()
    await schema?.query(
      'select pg_terminate_backend(pid) from pg_stat_activity where pid = $1',
      await untilListeners(1),
    )
    await lost
    await sender.send(paid)
    await clock.advance(250)
    await transport.sent(1)
    expect(await untilListeners(0)).toEqual([])

    await clock.advance(750)
    await untilListeners(1)
    await worker.idle()
    await sender.send(paid)
    await transport.sent(2)
    expect(warnings).toEqual([
      expect.objectContaining({ code: 'store_error', message: expect.stringContaining('still found') }),
    ])
  })

  test('a database that is away is tried again after 1, 2, 4, … 30 s, is told of once, and keeps nobody from stopping', async () => {
    const proxy = await proxyTo(schema?.url ?? '')
    const store = storeAt(schema?.url ?? '')
    const deaf = postgres(proxy.url, { schema: schema?.schema, secretsKey, timeoutMs: 60_000 }).listen
    if (deaf === undefined) throw new Error('not listening')
    const tries: number[] = []
    const listen: typeof deaf = async (...call) => {
      tries.push(clock.now())
      if (tries.length > 7) return deaf(...call)
      throw new Error('away')
    }
    worker = posthorn({ store: { ...store, listen } })
    const warnings: string[] = []
    worker.on('warning', ({ message }) => warnings.push(message))
    await worker.start()
    await worker.idle()
    proxy.blackHole()
    for (let seconds = 0; seconds < 91; seconds += 1) await clock.leap(1_000)
    expect(tries.slice(1).map((at, index) => at - (tries[index] ?? 0))).toEqual([
      1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000,
    ])
    expect(warnings.filter((message) => message.includes('away'))).toHaveLength(1)
    // The last try hangs for a minute, on a wire that says nothing.
    await worker.stop()
    await proxy.close()
    expect(clock.pending()).toBe(0)
  })

  test('stopping closes the connection', async () => {
    await startListening()
    await worker.stop()
    expect(await untilListeners(0)).toEqual([])
  })

  test('what this process sends itself, or what is to be sent later, is told to nobody', async () => {
    const heard = await listenOn(channel)
    await worker.start()
    await worker.idle()
    await worker.send(paid)
    await sender.send({ ...paid, deliverAt: clock.now() + 60_000 })
    await sender.send({ ...paid, application: 'nobody' })
    expect(await heard()).toEqual([])
  })

  test('under a preset whose rows leave on the tick only, nobody listens', async () => {
    let isAsked = false
    worker = posthorn({
      preset: 'gateway',
      store: { ...storeAt(schema?.url ?? ''), listen: async () => void (isAsked = true) },
    })
    await worker.start()
    await worker.idle()
    await sender.send(paid)
    await clock.advance(4_999)
    expect([transport.requests.length, isAsked]).toEqual([0, false])
  })
})

test('a notice fits into what PostgreSQL takes, however many endpoints have new deliveries', () => {
  const ids = Array.from({ length: 201 }, () => makeId('ep', 1_700_000_000_000, systemRandom))
  expect(payloadOf(new Set(ids.slice(1))).split(' ')).toEqual(ids.slice(1))
  expect(Buffer.byteLength(payloadOf(new Set(ids.slice(1))))).toBeLessThan(8_000)
  expect(payloadOf(new Set(ids))).toBe('')
})

test('behind a pooler that changes connections it is refused, with the reason', () => {
  expect(() => postgres('postgres://host/x', { notify: true, prepare: false })).toThrow(
    /`notify` to be left out together with `prepare: false`.*lets nobody listen/,
  )
})
