import { Pool } from 'pg'
import type { PoolClient } from 'pg'
import { afterAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/core/ports/ports.ts'
import { Posthorn } from '../../src/posthorn.ts'
import type { PosthornOptions } from '../../src/posthorn.ts'
import { postgres } from '../../src/stores/postgres/index.ts'
import { sqlite } from '../../src/stores/sqlite/index.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import type { ManualClock } from '../../src/testing/manual-clock.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import type { ScriptedTransport } from '../../src/testing/scripted-transport.ts'
import { countedStore } from '../acceptance/counted-store.ts'
import { freshSchema, isFast } from '../postgres.ts'
import { refusal } from './refusal.ts'

const secretsKey = Buffer.alloc(32, 7)
const url = 'https://acme.example/hook'
const paid = { application: 'acme', type: 'invoice.paid', data: { id: 7 } }

describe.skipIf(isFast)('send(message, { tx }) on PostgreSQL', () => {
  const schema = isFast ? null : freshSchema()
  const businesses =
    schema === null
      ? null
      : new Pool({
          connectionString: schema.url,
          connectionTimeoutMillis: 10_000,
          options: `-c search_path=${schema.schema}`,
        })
  afterAll(async () => {
    await businesses?.end()
    await schema?.drop()
  })

  let store: Store
  let clock: ManualClock
  let transport: ScriptedTransport
  let posthorn: Posthorn

  beforeEach(async () => {
    await schema?.empty().catch(() => undefined)
    clock = manualClock()
    transport = scriptedTransport(clock)
    store = make(postgres(schema?.url ?? '', { schema: schema?.schema, secretsKey }))
    posthorn = worker()
    await posthorn.endpoints.create({ application: 'acme', url })
  })

  /** The store with a clock that waits for its answers. */
  function make(inner: Store): Store {
    const counted = countedStore(inner)
    clock.attend(counted.underWay)
    return counted.store
  }

  function worker(options: Partial<PosthornOptions> = {}): Posthorn {
    const made = new Posthorn({ store, clock, transport, ...options })
    onTestFinished(() => made.stop({ graceMs: 0 }))
    return made
  }

  async function begin(how = 'begin'): Promise<PoolClient> {
    if (businesses === null) throw new Error('no database')
    const tx = await businesses.connect()
    onTestFinished(() => tx.release(true))
    await tx.query(how)
    return tx
  }

  async function count(table: string): Promise<number> {
    const [row] = (await schema?.query(`select count(*) as count from ${table}`)) ?? []
    return Number(row?.['count'])
  }

  describe('with the transaction', () => {
    test('nothing was sent if it is rolled back: no message, no delivery, no key, no application', async () => {
      const tx = await begin()
      const sent = await posthorn.send({ ...paid, application: 'newcomer', idempotencyKey: 'k' }, { tx })
      expect(sent).toMatchObject({ deliveries: 0, repeated: false })
      expect(await posthorn.send(paid, { tx })).toMatchObject({ deliveries: 1 })
      await tx.query('rollback')
      expect([
        await count('messages'),
        await count('webhook_deliveries'),
        await count('idempotency_keys'),
        await count('applications'),
      ]).toEqual([0, 0, 0, 1])
    })

    test('a batch is stored by its commit, without a lease, and nobody is told', async () => {
      const told: string[] = []
      posthorn.on('*', ({ type }) => told.push(type))
      await posthorn.start()
      const tx = await begin()
      const sent = await posthorn.send([paid, { ...paid, type: 'invoice.sent' }], { tx })
      expect(await count('messages')).toBe(0)
      await tx.query('commit')
      const rows = await schema?.query('select message_id, lease_owner from webhook_deliveries')
      expect(rows).toHaveLength(2)
      expect(rows).toEqual(expect.arrayContaining(sent.map(({ id }) => ({ message_id: id, lease_owner: null }))))
      expect(told).not.toContain('message.enqueued')
    })

    test('endpoints that it has made by plain SQL are seen, and only those that match', async () => {
      const tx = await begin()
      await tx.query(`insert into applications (id, uid) values ('app_plain', 'plain')`)
      await tx.query(
        `insert into endpoints (id, application_id, url, types) values ('ep_1', 'app_plain', $1, '["invoice.*"]'), ('ep_2', 'app_plain', $1, '["user.*"]')`,
        [url],
      )
      expect(await posthorn.send({ ...paid, application: 'plain' }, { tx })).toMatchObject({ deliveries: 1 })
      await tx.query(`update endpoints set status = 'disabled' where id = 'ep_1'`)
      expect(await posthorn.send({ ...paid, application: 'plain' }, { tx })).toMatchObject({ deliveries: 0 })
      await tx.query('commit')
    })

    test('the bytes, quotes, backslashes and missing values arrive as they were', async () => {
      const payload = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte))
      const tx = await begin()
      const given = {
        application: 'acme',
        type: 'file.made',
        payload,
        contentType: 'application/x-"odd"; a=\\{},null',
        channels: [],
      }
      const { id } = await posthorn.send({ ...given, sessionId: `"quoted" \\ 'single' {null,}` }, { tx })
      const { id: second } = await posthorn.send({ ...given, payload: '' }, { tx })
      await tx.query('commit')
      const message = await store.directory.message(id)
      expect(Buffer.from(message?.body ?? [])).toEqual(payload)
      expect(message).toMatchObject({ contentType: given.contentType, sessionId: `"quoted" \\ 'single' {null,}` })
      expect(await store.directory.message(second)).toMatchObject({ sessionId: null })
    })

    test.each(['begin isolation level repeatable read', 'begin isolation level serializable'])(
      'it works in %s',
      async (how) => {
        const tx = await begin(how)
        await tx.query('select 1')
        await posthorn.endpoints.create({ application: 'acme', url })
        expect(await posthorn.send({ ...paid, idempotencyKey: 'k' }, { tx })).toMatchObject({ deliveries: 1 })
        expect(await posthorn.send({ ...paid, idempotencyKey: 'k' }, { tx })).toMatchObject({ repeated: true })
        await tx.query('commit')
        expect(await count('messages')).toBe(1)
      },
    )

    test('the only connection of a pool is enough, though it is in the transaction', async () => {
      const pool = new Pool({ connectionString: schema?.url, max: 1, connectionTimeoutMillis: 10_000 })
      onTestFinished(() => pool.end())
      const sender = new Posthorn({ store: postgres(pool, { schema: schema?.schema, secretsKey }), transport })
      onTestFinished(() => sender.stop())
      await sender.overview()
      const tx = await pool.connect()
      await tx.query('begin')
      await sender.send({ ...paid, application: 'newcomer', idempotencyKey: 'k' }, { tx })
      expect(pool.waitingCount).toBe(0)
      await tx.query('commit')
      tx.release()
      expect(await count('messages')).toBe(1)
    })
  })

  describe('its idempotency key', () => {
    test('a repeat is answered with the first message, and the transaction goes on', async () => {
      const first = await posthorn.send({ ...paid, idempotencyKey: 'k' })
      const tx = await begin()
      const repeat = await posthorn.send({ ...paid, idempotencyKey: 'k' }, { tx })
      expect(repeat).toEqual({ id: first.id, deliveries: 1, repeated: true })
      await posthorn.send(paid, { tx })
      await tx.query('commit')
      expect(await count('messages')).toBe(2)
    })

    test('another content under it is refused, and the transaction goes on', async () => {
      await posthorn.send({ ...paid, idempotencyKey: 'k' })
      const tx = await begin()
      expect(await refusal(() => posthorn.send({ ...paid, data: 8, idempotencyKey: 'k' }, { tx }))).toMatchObject({
        code: 'idempotency_conflict',
      })
      await posthorn.send(paid, { tx })
      await tx.query('commit')
      expect(await count('messages')).toBe(2)
    })

    test('counts within one batch, and one that has expired may be used again', async () => {
      await posthorn.send({ ...paid, idempotencyKey: 'k' })
      await clock.advance(25 * 3_600_000)
      const tx = await begin()
      const [first, second] = await posthorn.send(
        [
          { ...paid, idempotencyKey: 'k' },
          { ...paid, idempotencyKey: 'k' },
        ],
        { tx },
      )
      await tx.query('commit')
      expect(first).toMatchObject({ repeated: false })
      expect(second).toEqual({ ...first, repeated: true })
      expect(await count('messages')).toBe(2)
    })

    test('a transaction that repeats another that is still open waits for it, and hears what it has stored', async () => {
      const [one, other] = [await begin(), await begin()]
      const first = await posthorn.send({ ...paid, idempotencyKey: 'k' }, { tx: one })
      const repeat = posthorn.send({ ...paid, idempotencyKey: 'k' }, { tx: other })
      await untilOneWaits()
      await one.query('commit')
      expect(await repeat).toEqual({ ...first, repeated: true })
      await posthorn.send(paid, { tx: other })
      await other.query('commit')
      expect(await count('messages')).toBe(2)
    })

    test('a key in use takes no lock: the next to use it does not wait for the transaction', async () => {
      await posthorn.send({ ...paid, idempotencyKey: 'k' })
      const tx = await begin()
      await posthorn.send({ ...paid, idempotencyKey: 'k' }, { tx })
      expect(await posthorn.send({ ...paid, idempotencyKey: 'k' })).toMatchObject({ repeated: true })
      await tx.query('commit')
    })
  })

  /** A transaction in which the business may have written before, and what was asked of it since. */
  async function watched(hasWritten: boolean) {
    const tx = await begin()
    if (hasWritten) await tx.query('create temporary table business (id integer) on commit drop')
    const asked: string[] = []
    const query = (text: string, values: unknown[]): Promise<unknown> => {
      asked.push(text)
      return tx.query(text, values)
    }
    return { tx, asked, watched: { query } }
  }

  test('after a write of the business a send takes two round trips, with a key, too; before any, two more to see that there is a transaction', async () => {
    const after = await watched(true)
    await posthorn.send(paid, { tx: after.watched })
    expect(after.asked).toHaveLength(2)
    await posthorn.send([paid, { ...paid, idempotencyKey: 'k' }], { tx: after.watched })
    expect(after.asked).toHaveLength(4)
    await after.tx.query('commit')
    const before = await watched(false)
    await posthorn.send(paid, { tx: before.watched })
    expect(before.asked).toHaveLength(4)
    await before.tx.query('commit')
    expect(await count('messages')).toBe(4)
  })

  test('no send reads a secret', async () => {
    const { tx, asked, watched: within } = await watched(true)
    await posthorn.send({ ...paid, application: 'newcomer' }, { tx: within })
    await posthorn.send(paid, { tx: within })
    expect(asked.filter((text) => text.includes('secret'))).toEqual([])
    await tx.query('commit')
  })

  test('a key that has expired is used anew, and what is sent beside it is stored once', async () => {
    const keyed = { ...paid, idempotencyKey: 'k' }
    const first = await begin()
    const [old] = await posthorn.send([keyed], { tx: first })
    await first.query('commit')
    await schema?.query('update idempotency_keys set expires_at = 1')
    const { tx, watched: within } = await watched(true)
    const sent = await posthorn.send([paid, keyed], { tx: within })
    await tx.query('commit')
    expect(sent.map(({ repeated }) => repeated)).toEqual([false, false])
    expect(sent[1]?.id).not.toBe(old?.id)
    expect([await count('messages'), await count('idempotency_keys')]).toEqual([3, 1])
  })

  test('two transactions that use a new application first make it once', async () => {
    const [one, other] = [await begin(), await begin()]
    await posthorn.send({ ...paid, application: 'newcomer' }, { tx: one })
    const second = posthorn.send({ ...paid, application: 'newcomer' }, { tx: other })
    await untilOneWaits()
    await one.query('commit')
    await second
    await other.query('commit')
    expect(await schema?.query('select distinct application_id from messages')).toHaveLength(1)
  })

  async function untilOneWaits(): Promise<void> {
    const waiting = `select 1 from pg_locks l join pg_stat_activity a on a.pid = l.pid where not l.granted and a.query like $1`
    while ((await schema?.query(waiting, [`%"${schema.schema}"%`]))?.length === 0);
  }

  describe('on its way', () => {
    test('this process looks again after 10, 40, 160 and 640 ms', async () => {
      // Without probes, so that only the looks can find it.
      await posthorn.stop()
      posthorn = worker({
        store: { ...make(postgres(schema?.url ?? '', { schema: schema?.schema, secretsKey })), lookMs: null },
      })
      await posthorn.start()
      await posthorn.idle()
      const tx = await begin()
      await posthorn.send(paid, { tx })
      await clock.advance(159)
      expect(transport.requests).toHaveLength(0)
      await tx.query('commit')
      await clock.advance(1)
      await transport.sent(1)
      await clock.advance(1_000)
      await posthorn.idle()
      expect(transport.requests).toHaveLength(1)
    })

    test('another process has sent it within 250 ms after the commit', async () => {
      const sender = worker({ store: make(postgres(schema?.url ?? '', { schema: schema?.schema, secretsKey })) })
      await posthorn.start()
      await posthorn.idle()
      const tx = await begin()
      await sender.send(paid, { tx })
      await clock.advance(1_000)
      await posthorn.idle()
      expect(transport.requests).toHaveLength(0)
      const committedAt = clock.now()
      await tx.query('commit')
      await clock.advance(250)
      await transport.sent(1)
      expect(clock.now()).toBe(committedAt + 250)
    })

    test('what is to be sent later is not looked for, and a stop leaves no timer', async () => {
      await posthorn.start()
      await posthorn.idle()
      const before = clock.pending()
      const tx = await begin()
      await posthorn.send({ ...paid, deliverAt: new Date(clock.now() + 60_000) }, { tx })
      expect(clock.pending()).toBe(before)
      await posthorn.send(paid, { tx })
      expect(clock.pending()).toBe(before + 4)
      await posthorn.stop()
      expect(clock.pending()).toBe(0)
      await tx.query('rollback')
    })
  })

  describe('refuses', () => {
    test('a connection that is in no transaction', async () => {
      const tx = await begin('select 1')
      const error = await refusal(() => posthorn.send(paid, { tx }))
      expect(error).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining('Begin one first') })
      expect(await count('messages')).toBe(0)
    })

    test('a transaction that is aborted', async () => {
      const tx = await begin()
      await tx.query('select 1 / 0').catch(() => undefined)
      const error = await refusal(() => posthorn.send(paid, { tx }))
      expect(error).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining('Roll it back') })
    })

    test('a pool', async () => {
      expect(await refusal(() => posthorn.send(paid, { tx: businesses }))).toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('pool.connect()'),
      })
    })

    test.each([undefined, null, 'tx', {}, { query: 'select' }, () => undefined])('%s', async (tx) => {
      expect(await refusal(() => posthorn.send(paid, { tx }))).toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('`tx`'),
      })
    })

    test('an executor that does not answer with rows', async () => {
      const tx = { query: async () => 'done' }
      expect(await refusal(() => posthorn.send(paid, { tx }))).toMatchObject({
        code: 'invalid_argument',
        message: expect.stringContaining('{ rows }'),
      })
    })
  })

  test('a library may answer with bare rows, rename columns, read bigints as such, and wrap errors', async () => {
    const client = await begin()
    const seen: unknown[] = []
    const tx = {
      async query(text: string, values: unknown[]) {
        seen.push(...values)
        const { rows } = await client
          .query(text, values)
          .catch((cause: unknown) => Promise.reject(new Error('wrapped', { cause })))
        return (rows as Record<string, unknown>[]).map((row) =>
          Object.fromEntries(Object.entries(row).map(([name, value]) => [camelCased(name), grown(value)])),
        )
      },
    }
    const first = await posthorn.send({ ...paid, idempotencyKey: 'k' }, { tx })
    expect(await posthorn.send({ ...paid, idempotencyKey: 'k' }, { tx })).toEqual({ ...first, repeated: true })
    expect(seen.filter((value) => typeof value === 'object' && value !== null)).toEqual([])
    await client.query('commit')
    expect(await refusal(() => posthorn.send(paid, { tx }))).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('Begin one first'),
    })
  })
})

test.each([
  ['memory', () => memoryStore()],
  ['SQLite', () => sqlite(':memory:')],
])('the store in %s says which one can join a transaction', async (_name, makeStore) => {
  const posthorn = new Posthorn({ store: makeStore() })
  onTestFinished(() => posthorn.stop())
  const error = await refusal(() => posthorn.send(paid, { tx: {} }))
  expect(error).toMatchObject({ code: 'invalid_argument', message: expect.stringContaining('posthorn/postgres') })
})

function camelCased(name: string): string {
  return name.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())
}

function grown(value: unknown): unknown {
  return typeof value === 'string' && /^\d+$/.test(value) ? BigInt(value) : value
}
