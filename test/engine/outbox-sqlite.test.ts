import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import { Posthorn } from '../../src/posthorn.ts'
import type { PosthornOptions } from '../../src/posthorn.ts'
import { sqlite } from '../../src/stores/sqlite/index.ts'
import type { SqliteDriver } from '../../src/stores/sqlite/index.ts'
import { manualClock } from '../../src/testing/manual-clock.ts'
import type { ManualClock } from '../../src/testing/manual-clock.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import type { ScriptedTransport } from '../../src/testing/scripted-transport.ts'
import { freshPath } from '../stores/sqlite-folder.ts'
import { StrictDriver } from '../stores/strict-driver.ts'
import { refusal } from './refusal.ts'

const url = 'https://acme.example/hook'
const paid = { application: 'acme', type: 'invoice.paid', data: { id: 7 } }

interface World {
  readonly path: string
  readonly posthorn: Posthorn
  readonly clock: ManualClock
  readonly transport: ScriptedTransport
  /** The application's own connection. */
  readonly db: SqliteDriver
  count(table: string): number
}

async function makeWorld(
  Driver: new (path: string) => SqliteDriver = DatabaseSync,
  options: Partial<PosthornOptions> = {},
): Promise<World> {
  const path = await freshPath()
  const clock = manualClock()
  const transport = scriptedTransport(clock)
  const posthorn = new Posthorn({
    store: sqlite({ open: () => new Driver(path), synchronous: 'off', plaintextSecrets: true }),
    clock,
    transport,
    ...options,
  })
  onTestFinished(() => posthorn.stop({ graceMs: 0 }))
  await posthorn.endpoints.create({ application: 'acme', url })
  const db = new Driver(path)
  onTestFinished(() => void db.close())
  db.exec('pragma synchronous = off')
  db.exec('create table invoices (id integer primary key)')
  return {
    path,
    posthorn,
    clock,
    transport,
    db,
    count: (table) => (db.prepare(`select count(*) as count from ${table}`).get() as { count: number }).count,
  }
}

describe.each([
  ['DatabaseSync', DatabaseSync],
  ['a driver as strict as better-sqlite3', StrictDriver],
])('send(message, { tx }) on SQLite, with %s', (_name, Driver) => {
  test('is part of the transaction when the call returns, and leaves after the commit', async () => {
    const { posthorn, clock, transport, db, count } = await makeWorld(Driver)
    await posthorn.start()
    await posthorn.idle()
    db.exec('begin immediate')
    db.exec('insert into invoices values (7)')
    const sending = posthorn.send(paid, { tx: db })
    db.exec('commit')
    expect([count('invoices'), count('posthorn_messages'), count('webhook_deliveries')]).toEqual([1, 1, 1])
    expect(await sending).toMatchObject({ deliveries: 1, repeated: false })
    await clock.advance(10)
    await transport.sent(1)
    await posthorn.idle()
    expect(db.prepare('select status from webhook_deliveries').all()).toMatchObject([{ status: 'delivered' }])
  })

  test('after a rollback nothing was sent: no message, no delivery, no key, no application', async () => {
    const { posthorn, clock, transport, db, count } = await makeWorld(Driver)
    await posthorn.start()
    db.exec('begin immediate')
    await posthorn.send({ ...paid, application: 'newcomer', idempotencyKey: 'k' }, { tx: db })
    expect(await posthorn.send([paid, paid], { tx: db })).toHaveLength(2)
    db.exec('rollback')
    expect(
      ['posthorn_messages', 'webhook_deliveries', 'posthorn_idempotency_keys', 'posthorn_applications'].map(count),
    ).toEqual([0, 0, 0, 1])
    await clock.advance(5_000)
    expect(transport.requests).toHaveLength(0)
  })

  test('a repeated key answers with the first message, another content is refused, and neither ends the transaction', async () => {
    const { posthorn, db, count } = await makeWorld(Driver)
    const first = await posthorn.send({ ...paid, idempotencyKey: 'k' })
    db.exec('begin immediate')
    expect(await posthorn.send({ ...paid, idempotencyKey: 'k' }, { tx: db })).toEqual({ ...first, repeated: true })
    expect(await refusal(() => posthorn.send({ ...paid, data: 8, idempotencyKey: 'k' }, { tx: db }))).toMatchObject({
      code: 'idempotency_conflict',
    })
    db.exec('insert into invoices values (7)')
    db.exec('commit')
    expect([count('invoices'), count('posthorn_messages')]).toEqual([1, 1])
  })

  test('a transaction that must not write any more is told so, and keeps nothing of the message', async () => {
    const { posthorn, db, count } = await makeWorld(Driver)
    db.exec('begin')
    count('invoices')
    // Whoever writes in between makes what this transaction has read too old to write upon.
    await posthorn.endpoints.create({ application: 'acme', url })
    const error = await refusal(() => posthorn.send(paid, { tx: db }))
    expect(error).toMatchObject({ code: 'store_locked' })
    db.exec('commit')
    expect(count('posthorn_messages')).toBe(0)
  })
})

test('transactions of the application and of the engine never meet, however they are mixed', async () => {
  const { posthorn, db, count } = await makeWorld()
  await posthorn.start()
  // Neither side waits for a lock here: whoever met the other would be refused.
  db.exec('pragma busy_timeout = 0')
  const changes = Array.from({ length: 200 }, () => posthorn.endpoints.create({ application: 'other', url }))
  let ended = false
  const all = Promise.all(changes).finally(() => (ended = true))
  for (let id = 0; !ended; id += 1) {
    // Whoever awaits an answer goes on in the same turn of the loop as the engine, sooner or later than it.
    await posthorn.deliveries.list()
    for (let tick = 0; tick < id % 40; tick += 1) await Promise.resolve()
    db.exec('begin immediate')
    db.exec(`insert into invoices values (${id})`)
    await posthorn.send({ ...paid, idempotencyKey: String(id) }, { tx: db })
    db.exec('commit')
  }
  await all
  expect(count('posthorn_messages')).toBe(count('invoices'))
  expect(count('posthorn_endpoints')).toBe(201)
})

test('a transaction that stays open holds the engine up for a moment only, and what it marks is marked later', async () => {
  const { posthorn, clock, transport, db } = await makeWorld()
  await posthorn.start()
  await posthorn.send(paid)
  await transport.sent(1)
  db.exec('begin immediate')
  await posthorn.send(paid, { tx: db })
  const error = await refusal(() => posthorn.endpoints.create({ application: 'acme', url }))
  expect(error).toMatchObject({ code: 'store_locked', message: expect.stringContaining('end its transaction') })
  db.exec('commit')
  await clock.advance(10_000)
  await transport.sent(2)
  await posthorn.idle()
  expect(db.prepare('select distinct status from webhook_deliveries').all()).toMatchObject([{ status: 'delivered' }])
})

describe('refuses', () => {
  test('a connection that is in no transaction', async () => {
    const { posthorn, db, count } = await makeWorld()
    expect(await refusal(() => posthorn.send(paid, { tx: db }))).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('Begin one first'),
    })
    expect(count('posthorn_messages')).toBe(0)
  })

  test('a connection of another copy of SQLite', async () => {
    const { posthorn, path } = await makeWorld()
    const tx = new StrictDriver(path)
    onTestFinished(() => void tx.close())
    tx.exec('begin')
    expect(await refusal(() => posthorn.send(paid, { tx }))).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('another copy of SQLite'),
    })
  })

  test('a connection to another file', async () => {
    const { posthorn } = await makeWorld()
    const tx = new DatabaseSync(await freshPath())
    onTestFinished(() => tx.close())
    tx.exec('begin')
    expect(await refusal(() => posthorn.send(paid, { tx }))).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('outside its own file'),
    })
  })

  test.each([undefined, null, 'tx', {}, { query: () => [] }])('%j', async (tx) => {
    const { posthorn } = await makeWorld()
    expect(await refusal(() => posthorn.send(paid, { tx }))).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('`tx`'),
    })
  })

  test('to wait for a store that is not open, and for a schema that takes its time', async () => {
    const path = await freshPath()
    const slow = {
      '~standard': { version: 1, vendor: 'test', validate: async (value: unknown) => ({ value }) },
    } as const
    const posthorn = new Posthorn({
      store: sqlite({ open: () => new DatabaseSync(path) }),
      events: { 'invoice.paid': slow },
    })
    onTestFinished(() => posthorn.stop())
    const tx = new DatabaseSync(path)
    onTestFinished(() => tx.close())
    tx.exec('begin')
    const given = { ...paid, type: 'invoice.paid' } as const
    expect(await refusal(() => posthorn.send(given, { tx }))).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('answers at once'),
    })
    expect(
      await refusal(() => posthorn.send({ application: 'acme', type: 'invoice.paid', payload: '' }, { tx })),
    ).toMatchObject({ code: 'stopped', message: expect.stringContaining('start()') })
  })

  test.each<[string, (path: string) => unknown, string]>([
    ['one connection for both', (path) => [new DatabaseSync(path)], 'the same connection twice'],
    ['a database in memory', () => null, 'in memory'],
    ['no connection', () => ['db'], 'a new connection'],
  ])('an `open` that gives %s', async (_what, kept, hint) => {
    const [same] = (kept(await freshPath()) ?? []) as [unknown?]
    onTestFinished(() => (same instanceof DatabaseSync ? same.close() : undefined))
    const open = (): SqliteDriver => (same ?? new DatabaseSync(':memory:')) as SqliteDriver
    expect(await refusal(() => sqlite({ open }).open())).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining(hint),
    })
  })

  test('a driver whose SQLite may lose what was committed', async () => {
    const path = await freshPath()
    class Old extends StrictDriver {
      override prepare(text: string): ReturnType<StrictDriver['prepare']> {
        return super.prepare(text.replace('sqlite_version()', `'3.51.2'`))
      }
    }
    expect(await refusal(() => sqlite({ open: () => new Old(path) }).open())).toMatchObject({
      code: 'store_too_old',
      message: expect.stringContaining('got 3.51.2'),
    })
  })
})
