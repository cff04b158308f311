import { randomBytes } from 'node:crypto'
import { Pool } from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/core/ports/ports.ts'
import { migrations } from '../../src/stores/shared/schema/migrations.ts'
import { postgres } from '../../src/stores/postgres/index.ts'
import type { PostgresOptions } from '../../src/stores/postgres/index.ts'
import { makeWorld } from '../../src/testing/store-suite/world.ts'
import { freshSchema } from '../postgres.ts'
import type { TestSchema } from '../postgres.ts'

const secretsKey = randomBytes(32)

describe('migrations', () => {
  test('twenty starters at once make one schema, and all of them can use it', async () => {
    const schema = fresh()
    const stores = Array.from({ length: 20 }, () => storeIn(schema))
    await Promise.all(stores.map((store) => store.open()))
    expect(await schema.query('select version from migrations order by version')).toEqual(
      migrations.map(({ version }) => ({ version })),
    )
    await Promise.all(stores.map((store) => store.directory.listApplications({ limit: 1, after: null })))
  })

  test('everything is in the schema, the indexes too, and nothing outside of it', async () => {
    const schema = fresh()
    const outside = () =>
      schema.query(
        `select count(*) as count from pg_class c join pg_namespace n on n.oid = c.relnamespace where nspname = 'public'`,
      )
    const before = await outside()
    await storeIn(schema).open()
    const names = (
      await schema.query('select relname from pg_class where relnamespace = $1::regnamespace', [schema.schema])
    ).map(({ relname }) => relname)
    expect(names).toEqual(
      expect.arrayContaining(['webhook_deliveries', 'webhook_deliveries_fresh', 'posthorn_endpoints_uid', 'messages']),
    )
    expect(await outside()).toEqual(before)
  })

  test('a start that dies half-way leaves nothing, and the next one begins anew', async () => {
    const schema = fresh()
    // A foreign index name in the way ends the step near its end.
    await schema.query(`create schema ${schema.schema}`)
    await schema.query(`create table ${schema.schema}.other (id text)`)
    await schema.query(`create index webhook_deliveries_dead on ${schema.schema}.other (id)`)
    await expect(storeIn(schema).open()).rejects.toMatchObject({ code: 'store_failed' })
    expect(await schema.query('select tablename from pg_tables where schemaname = $1', [schema.schema])).toEqual([
      { tablename: 'other' },
    ])
    await schema.query('drop index webhook_deliveries_dead')
    await storeIn(schema).open()
  })

  test('a database of a later release is refused', async () => {
    const schema = fresh()
    await storeIn(schema).open()
    await schema.query('insert into migrations (version) values (99)')
    await expect(storeIn(schema).open()).rejects.toMatchObject({
      code: 'newer_database',
      message: expect.stringContaining('upgrade'),
    })
  })

  test('a schema that is up to date needs no right to change it', async () => {
    const schema = fresh()
    await storeIn(schema).open()
    const role = await roleIn(schema)
    await schema.query(`grant usage on schema ${schema.schema} to ${role.name}`)
    await schema.query(`grant select, insert, update, delete on all tables in schema ${schema.schema} to ${role.name}`)
    const store = storeIn(schema, {}, role.url)
    await store.open()
    expect(await makeWorld(store).endpoint()).toMatchObject({ status: 'active' })
  })

  test('names that must be quoted are', async () => {
    const schema = fresh()
    const name = `${schema.schema} "Odd' $1`
    onTestFinished(async () => {
      await schema.query(`drop schema "${name.replaceAll('"', '""')}" cascade`)
    })
    const store = storeIn(schema, { schema: name })
    await store.open()
    const world = makeWorld(store)
    const endpoint = await world.endpoint()
    await world.sendOne(endpoint)
    expect(await world.claim({ from: endpoint })).toHaveLength(1)
  })
})

describe('what cannot be opened says why, and what to do', () => {
  test('an unreachable host', async () => {
    await expect(postgres('postgres://postgres@127.0.0.1:1/x', { secretsKey }).open()).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringMatching(/got "connect ECONNREFUSED.*Is it running/),
    })
  })

  test('a database that does not exist', async () => {
    const url = new URL(fresh().url)
    url.pathname = '/not_there'
    await expect(postgres(url.href, { secretsKey }).open()).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining('createdb'),
    })
  })

  test('a user that does not exist', async () => {
    const url = new URL(fresh().url)
    url.username = 'nobody_we_know'
    await expect(postgres(url.href, { secretsKey }).open()).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining('user and password'),
    })
  })

  test('missing rights', async () => {
    const schema = fresh()
    await storeIn(schema).open()
    const role = await roleIn(schema)
    await expect(storeIn(schema, {}, role.url).open()).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining('grant'),
    })
  })

  test('a user that may only read', async () => {
    const schema = fresh()
    const role = await roleIn(schema)
    await schema.query(`alter role ${role.name} set default_transaction_read_only = on`)
    await expect(storeIn(schema, {}, role.url).open()).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining('primary'),
    })
  })

  test('a schema with tables of another program', async () => {
    const schema = fresh()
    await schema.query(`create schema ${schema.schema}`)
    await schema.query(`create table ${schema.schema}.messages (id integer)`)
    await expect(storeIn(schema).open()).rejects.toMatchObject({
      code: 'store_failed',
      message: expect.stringContaining('Give another `schema`'),
    })
  })

  test('no key for the secrets', async () => {
    await expect(postgres(fresh().url, {}).open()).rejects.toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('openssl rand -base64 32'),
    })
  })

  test('another key than the one that the secrets were sealed with', async () => {
    const schema = fresh()
    const store = storeIn(schema)
    await store.open()
    await makeWorld(store).endpoint()
    const [row] = await schema.query('select sealed from endpoint_secrets')
    expect(row?.['sealed']).toMatch(/^v1\./)
    await expect(storeIn(schema, { secretsKey: randomBytes(32) }).open()).rejects.toMatchObject({
      code: 'secrets_unreadable',
    })
  })

  test.each<[string, unknown, PostgresOptions, string]>([
    ['a url of another kind', 'mysql://me:secret@host/x', {}, 'postgres://'],
    ['no url', undefined, {}, 'a `Pool` of pg'],
    ['a pool that waits for ever', new Pool(), {}, 'connectionTimeoutMillis'],
    ['an empty schema', 'postgres://host/x', { schema: '' }, 'schema'],
    ['a schema of the system', 'postgres://host/x', { schema: 'pg_temp' }, 'pg_'],
    ['no deadline', 'postgres://host/x', { timeoutMs: 0 }, 'timeoutMs'],
  ])('%s', (_what, target, options, hint) => {
    const make = () => postgres(target as string, options)
    expect(make).toThrow(hint)
    expect(make).not.toThrow('secret')
  })
})

describe('a pool that the application hands in', () => {
  test('is used, shared, and left open', async () => {
    const schema = fresh()
    const pool = new Pool({ connectionString: schema.url, max: 2, connectionTimeoutMillis: 10_000 })
    onTestFinished(() => pool.end())
    const store = postgres(pool, { schema: schema.schema, secretsKey })
    await store.open()
    const listeners = pool.listenerCount('error')
    await Promise.all(
      Array.from({ length: 10 }, () => makeWorld(store).directory.listApplications({ limit: 1, after: null })),
    )
    await store.close()
    expect(pool.listenerCount('error')).toBe(listeners - 1)
    expect(pool.idleCount).toBe(pool.totalCount)
    expect((await pool.query('select 1 as one')).rows).toEqual([{ one: 1 }])
  })

  test('serves two schemas at once, each with its own statements', async () => {
    const [one, two] = [fresh(), fresh()]
    const pool = new Pool({ connectionString: one.url, max: 1, connectionTimeoutMillis: 10_000 })
    onTestFinished(() => pool.end())
    for (const schema of [one, two]) {
      const store = postgres(pool, { schema: schema.schema, secretsKey })
      await store.open()
      const world = makeWorld(store)
      const endpoint = await world.endpoint()
      await world.sendOne(endpoint)
      expect(await world.claim({ from: endpoint })).toHaveLength(1)
      await store.close()
    }
  })
})

describe('prepared statements', () => {
  test.each([
    [true, 6],
    [false, 0],
  ])(
    'prepare: %s leaves %i on a connection that has enqueued, claimed, renewed, marked and released',
    async (prepare, wanted) => {
      const schema = fresh()
      const pool = new Pool({ connectionString: schema.url, max: 1, connectionTimeoutMillis: 10_000 })
      onTestFinished(() => pool.end())
      const store = postgres(pool, { schema: schema.schema, secretsKey, prepare })
      await store.open()
      await wholeLife(store)
      await store.close()
      expect((await pool.query('select name from pg_prepared_statements')).rows).toHaveLength(wanted)
      expect(
        (await pool.query(`select 1 from pg_locks where locktype = 'advisory' and pid = pg_backend_pid()`)).rows,
      ).toEqual([])
    },
  )
})

test('the store tells the time of its database', async () => {
  const schema = fresh()
  const store = storeIn(schema)
  await store.open()
  const clock = async () =>
    Number((await schema.query('select extract(epoch from clock_timestamp()) * 1000 as time'))[0]?.['time'])
  const before = await clock()
  const told = (await store.time?.()) ?? 0
  expect(told).toBeGreaterThanOrEqual(Math.floor(before))
  expect(told).toBeLessThanOrEqual(await clock())
})

test('a NUL never reaches a text, and stands for itself in a body', async () => {
  const store = storeIn(fresh())
  await store.open()
  const world = makeWorld(store)
  const endpoint = await world.endpoint({ description: 'a\0b' })
  const body = Buffer.from('a\0b')
  await world.sendOne(endpoint, { message: { body, sessionId: 's\0s' }, key: 'k\0' })
  const claim = await world.claimOne({ from: endpoint })
  expect(body.equals(claim.message.body)).toBe(true)
  expect(claim.delivery.sessionId).toBe('s\uFFFDs')
  expect((await store.directory.endpoint(null, endpoint.id))?.description).toBe('a\uFFFDb')
  expect(await store.directory.application('a\0b')).toBeNull()
})

async function wholeLife(store: Store): Promise<void> {
  const world = makeWorld(store)
  const endpoint = await world.endpoint()
  await world.sendOne(endpoint)
  const { delivery } = await world.claimOne({ from: endpoint })
  const leases = [{ deliveryId: delivery.id, epoch: delivery.leaseEpoch }]
  expect(await store.queue.renew({ owner: 'anna', now: delivery.createdAt, leaseMs: 30_000, leases })).toEqual([
    delivery.id,
  ])
  expect(await store.queue.release({ owner: 'anna', now: delivery.createdAt, leases })).toEqual([delivery.id])
  const mark = { status: 'delivered', reason: null, attemptCount: 1, nextRetryAt: null, errorDetail: null } as const
  expect(
    await world.mark([{ deliveryId: delivery.id, epoch: 1, endpointId: endpoint.id, mark, attempt: null }]),
  ).toEqual(['lost'])
}

function fresh(): TestSchema {
  const schema = freshSchema()
  onTestFinished(() => schema.drop())
  return schema
}

function storeIn(schema: TestSchema, options: PostgresOptions = {}, url = schema.url): Store {
  const store = postgres(url, { schema: schema.schema, secretsKey, ...options })
  onTestFinished(() => store.close())
  return store
}

/** A user without any rights. */
async function roleIn(schema: TestSchema): Promise<{ name: string; url: string }> {
  const name = `role_${schema.schema}`
  const password = 'of-no-use'
  await schema.query(`create role ${name} login password '${password}'`)
  onTestFinished(async () => {
    await schema.query(`drop owned by ${name}`)
    await schema.query(`drop role ${name}`)
  })
  const url = new URL(schema.url)
  url.username = name
  url.password = password
  return { name, url: url.href }
}
