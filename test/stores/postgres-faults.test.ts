import { randomBytes } from 'node:crypto'
import { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/core/ports/ports.ts'
import { connections } from '../../src/stores/postgres/connections.ts'
import { postgresDatabase, postgresDialect } from '../../src/stores/postgres/database.ts'
import { postgres } from '../../src/stores/postgres/index.ts'
import { sql, table } from '../../src/stores/shared/sql/sql.ts'
import { makeWorld, start } from '../../src/testing/store-suite/world.ts'
import { freshSchema } from '../postgres.ts'
import { proxyTo } from './postgres-proxy.ts'
import type { Proxy } from './postgres-proxy.ts'

const schema = freshSchema()
beforeAll(async () => {
  const store = postgres(schema.url, { schema: schema.schema, plaintextSecrets: true })
  await store.open()
  await store.close()
})
beforeEach(() => schema.empty())
afterAll(() => schema.drop())

describe('a database that is away for a while', () => {
  test('a black hole ends every call at its deadline, and the store goes on when the wire is healed', async () => {
    const { store, proxy } = await throughProxy({ timeoutMs: 500 })
    const world = makeWorld(store)
    const endpoint = await world.endpoint()
    proxy.blackHole()
    const calls = [
      store.queue.claim({
        owner: 'anna',
        leaseMs: 30_000,
        now: start,
        most: 1,
        wants: [{ endpointId: endpoint.id, lane: 'fresh', most: 1, mostBytes: 1 }],
      }),
      store.queue.dueEndpoints({ lane: 'fresh', after: '', limit: 10 }),
      store.directory.listApplications({ limit: 1, after: null }),
      store.directory.createApplication({
        id: world.id('app'),
        uid: null,
        name: '',
        metadata: {},
        ratePerSecond: null,
        createdAt: start,
        updatedAt: start,
      }),
    ]
    for (const ended of await Promise.allSettled(calls)) {
      expect(ended).toMatchObject({ status: 'rejected', reason: { name: 'PosthornError', code: 'store_failed' } })
    }
    proxy.heal()
    await world.sendOne(endpoint)
    expect(await world.claim({ from: endpoint })).toHaveLength(1)
  })

  test('after one deadline all silent connections are given up: none of them costs another', async () => {
    const { store, proxy } = await throughProxy({ timeoutMs: 500 })
    const list = () => store.directory.listApplications({ limit: 1, after: null })
    await Promise.all(Array.from({ length: 8 }, list))
    proxy.blackHole()
    await expect(list()).rejects.toMatchObject({ code: 'store_failed' })
    proxy.heal()
    for (let call = 0; call < 8; call++) expect(await list()).toEqual([])
  })

  test('a send whose answer is lost is unknown, with the advice to repeat it; under its key it is stored once', async () => {
    const { store, proxy } = await throughProxy({ timeoutMs: 500 })
    const world = makeWorld(store)
    const endpoint = await world.endpoint()
    const first = await world.envelope([endpoint], { key: 'once' })
    const again = await world.envelope([endpoint], { key: 'once' })
    const enqueue = (envelope: typeof first) =>
      store.queue.enqueue({ owner: 'anna', leaseMs: 30_000, now: start, envelopes: [envelope] })
    proxy.swallowAnswersTo('insert into')
    await expect(enqueue(first)).rejects.toMatchObject({
      code: 'outcome_unknown',
      message: expect.stringContaining('same idempotency key'),
    })
    proxy.heal()
    expect(await enqueue(again)).toEqual([{ kind: 'repeated', messageId: first.message.id, deliveries: 1 }])
  })

  test('a commit whose answer is lost is unknown, though it may well have happened', async () => {
    const { store, proxy } = await throughProxy({ timeoutMs: 500 })
    const application = await makeWorld(store).application()
    proxy.swallowAnswersTo('commit\0')
    await expect(store.directory.updateApplication(application.id, { name: 'new' }, start)).rejects.toMatchObject({
      code: 'outcome_unknown',
    })
    expect(await namesOf()).toEqual([{ name: 'new' }])
  })

  test('a transaction that is cut off before its commit has failed, and left nothing behind', async () => {
    const { store, proxy } = await throughProxy({ timeoutMs: 500 })
    const application = await makeWorld(store).application()
    proxy.swallowAnswersTo('endpoints_version = endpoints_version + 1')
    await expect(store.directory.updateApplication(application.id, { name: 'new' }, start)).rejects.toMatchObject({
      code: 'store_failed',
    })
    expect(await namesOf()).toEqual([{ name: 'Acme' }])
  })

  test('a reset connection fails its call, and the next one has a new connection', async () => {
    const { store, proxy } = await throughProxy({})
    proxy.reset()
    const list = () => store.directory.listApplications({ limit: 1, after: null })
    await list().catch((error: unknown) => expect(error).toMatchObject({ code: 'store_failed' }))
    expect(await list()).toEqual([])
  })

  test('terminated backends end no process, neither idle nor at work', async () => {
    const { store } = await throughProxy({})
    const world = makeWorld(store)
    const application = await world.application()
    const holder = new Pool({ connectionString: schema.url, max: 1 })
    onTestFinished(() => holder.end())
    await holder.query('begin')
    await holder.query(`select from ${schema.schema}.applications where id = $1 for update`, [application.id])
    const ended = expect(
      store.directory.updateApplication(application.id, { name: 'new' }, start),
    ).rejects.toMatchObject({ code: 'store_failed' })
    await waiting(1)
    await schema.query(
      `select pg_terminate_backend(pid) from pg_stat_activity
where application_name = 'posthorn' and query like $1`,
      [`%${schema.schema}%`],
    )
    await ended
    await holder.query('rollback')
    expect(await namesOf()).toEqual([{ name: 'Acme' }])
    expect(await store.directory.listApplications({ limit: 10, after: null })).toHaveLength(1)
  })
})

test('a statement that waits too long is given up by the server: nothing was stored, and that is certain', async () => {
  const store = await opened({ timeoutMs: 1_000 })
  const world = makeWorld(store)
  const endpoint = await world.endpoint()
  const envelope = await world.envelope([endpoint], { key: 'once' })
  const holder = new Pool({ connectionString: schema.url, max: 1 })
  onTestFinished(() => holder.end())
  await holder.query('begin')
  await holder.query(`insert into ${schema.schema}.idempotency_keys values ($1, 'once', 'm', 'h', 0, 0)`, [
    endpoint.applicationId,
  ])
  const sent = store.queue.enqueue({ owner: 'anna', leaseMs: 30_000, now: start, envelopes: [envelope] })
  await expect(sent).rejects.toMatchObject({
    code: 'store_failed',
    message: expect.stringContaining('Nothing was stored'),
  })
  await holder.query('rollback')
  expect(await store.directory.message(envelope.message.id)).toBeNull()
})

test('of messages that are stored together, one that the server refuses harms no other', async () => {
  const store = await opened({})
  const world = makeWorld(store)
  const endpoint = await world.endpoint()
  // Longer than an entry of an index may be, and nothing that could be compressed.
  const keys = ['short', randomBytes(9_000).toString('hex'), 'also short']
  const envelopes = await Promise.all(keys.map((key) => world.envelope([endpoint], { key })))
  const results = await Promise.allSettled(
    envelopes.map((envelope) =>
      store.queue.enqueue({ owner: 'anna', leaseMs: 30_000, now: start, envelopes: [envelope] }),
    ),
  )
  expect(results).toMatchObject([
    { status: 'fulfilled', value: [{ kind: 'stored' }] },
    { status: 'rejected', reason: { code: 'data_refused', message: expect.stringContaining('too long') } },
    { status: 'fulfilled', value: [{ kind: 'stored' }] },
  ])
  expect(await world.claim({ from: endpoint })).toHaveLength(2)
})

test('of two transactions that wait for each other one is repeated, and both are done', async () => {
  const pool = connections(schema.url, { timeoutMs: 10_000, prepare: true })
  const database = postgresDatabase(pool, postgresDialect(schema.schema))
  onTestFinished(() => database.close())
  const ids = ['app_a', 'app_b']
  for (const id of ids) await schema.query('insert into applications (id) values ($1)', [id])
  const bothHold = gate(2)
  let tries = 0
  const raiseIn = (order: readonly string[]) =>
    database.transaction(async (tx) => {
      tries += 1
      for (const id of order) {
        await tx.run(
          sql`update ${table('applications')} set endpoints_version = endpoints_version + 1 where id = ${id}`,
        )
        await bothHold()
      }
    })
  await Promise.all([raiseIn(ids), raiseIn(ids.toReversed())])
  expect(await schema.query('select endpoints_version as version from applications')).toEqual([
    { version: 3 },
    { version: 3 },
  ])
  // The one that is repeated may meet the other once more.
  expect(tries).toBeGreaterThanOrEqual(3)
})

/** Opens for all once so many have come. */
function gate(count: number): () => Promise<void> {
  const waiters: (() => void)[] = []
  return () =>
    new Promise((resolve) => {
      waiters.push(resolve)
      if (waiters.length >= count) for (const go of waiters) go()
    })
}

async function opened(options: { timeoutMs?: number }, url = schema.url): Promise<Store> {
  const store = postgres(url, { schema: schema.schema, plaintextSecrets: true, ...options })
  await store.open()
  onTestFinished(() => store.close())
  return store
}

async function throughProxy(options: { timeoutMs?: number }): Promise<{ store: Store; proxy: Proxy }> {
  const proxy = await proxyTo(schema.url)
  onTestFinished(() => proxy.close())
  return { store: await opened(options, proxy.url), proxy }
}

/** Until so many statements on this schema wait for a lock. */
async function waiting(count: number): Promise<void> {
  for (;;) {
    const rows = await schema.query(`select 1 from pg_stat_activity where wait_event_type = 'Lock' and query like $1`, [
      `%${schema.schema}%`,
    ])
    if (rows.length >= count) return
  }
}

function namesOf(): Promise<Record<string, unknown>[]> {
  return schema.query('select name from applications')
}
