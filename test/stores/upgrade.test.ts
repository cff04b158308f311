import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Store } from '../../src/core/ports/ports.ts'
import { recordOf } from '../../src/stores/shared/schema/migrate.ts'
import { migrations } from '../../src/stores/shared/schema/migrations.ts'
import { postgres } from '../../src/stores/postgres/index.ts'
import { migrateDatabase } from '../../src/stores/postgres/migrate.ts'
import { postgresDialect } from '../../src/stores/postgres/database.ts'
import { render, sql, table } from '../../src/stores/shared/sql/sql.ts'
import type { Dialect, Sql } from '../../src/stores/shared/sql/sql.ts'
import { openConnection } from '../../src/stores/sqlite/connection.ts'
import { sqlite } from '../../src/stores/sqlite/index.ts'
import { freshSchema, isFast } from '../postgres.ts'

/** What a database of the first version held, in its own words. */
const firstVersion: readonly Sql[] = [
  sql`create table ${table('migrations')} (version integer primary key not null)`,
  ...migrations.filter(({ version }) => version === 1).flatMap(({ statements }) => statements),
  recordOf(1),
  sql`insert into ${table('applications')} (id, uid, name) values ('app_1', 'acme', 'Acme')`,
  sql`insert into ${table('endpoints')} (id, application_id, url) values ('ep_1', 'app_1', 'https://acme.example')`,
  sql`insert into ${table('messages')} (id, application_id, type, body) values ('msg_1', 'app_1', 'invoice.paid', '{}')`,
  sql`insert into ${table('messages')} (id, application_id, type, body) values ('msg_2', 'app_1', 'invoice.paid', '{}')`,
  sql`insert into ${table('webhook_deliveries')} (id, webhook_id, message_id, crash_count) values ('dlv_1', 'ep_1', 'msg_1', 4)`,
  sql`insert into ${table('webhook_deliveries')} (id, webhook_id, message_id, status, crash_count) values ('dlv_2', 'ep_1', 'msg_1', 'dead', 5)`,
]

test('a SQLite file of the first version goes on with what it held', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'posthorn-upgrade-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const path = join(folder, 'posthorn.db')
  const connection = openConnection(path)
  for (const statement of firstVersion) connection.run(statement)
  connection.close()
  await expectWhole(sqlite(path, { plaintextSecrets: true }))
})

test.skipIf(isFast)(
  'a PostgreSQL schema of the first version is refused until it is migrated, and goes on with what it held',
  async () => {
    const { url, schema, query, drop } = freshSchema()
    onTestFinished(drop)
    await query(`create schema ${schema}`)
    for (const statement of firstVersion) await query(textOf(statement, postgresDialect(schema)))
    const store = postgres(url, { schema, plaintextSecrets: true })
    await expect(store.open()).rejects.toMatchObject({
      code: 'older_database',
      message: expect.stringContaining('posthorn migrate'),
    })
    expect(await migrateDatabase(url, { schema, prepare: true })).toEqual({ from: 1, to: migrations.at(-1)?.version })
    await expectWhole(store)
  },
)

async function expectWhole(store: Store): Promise<void> {
  await store.open()
  onTestFinished(() => store.close())
  const { directory } = store
  expect(await directory.application('acme')).toMatchObject({ id: 'app_1', metadata: {}, ratePerSecond: null })
  expect(await directory.endpoint('app_1', 'ep_1')).toMatchObject({ filter: null, metadata: {} })
  const { items } = await directory.listMessages({ applicationId: 'app_1' }, { limit: 10, after: null })
  expect(items.map(({ id, eventId, erasedAt }) => ({ id, eventId, erasedAt }))).toEqual([
    { id: 'msg_2', eventId: null, erasedAt: null },
    { id: 'msg_1', eventId: null, erasedAt: null },
  ])
  // What counted as a crash then may never have been sent.
  expect(await directory.delivery('dlv_1')).toMatchObject({ interruptions: 0, crashCount: 0 })
  expect(await directory.delivery('dlv_2')).toMatchObject({ interruptions: 0, crashCount: 5 })
  const wants = [{ endpointId: 'ep_1', lane: 'fresh' as const, most: 10, mostBytes: 1_000 }]
  expect(await store.queue.claim({ owner: 'anna', leaseMs: 1_000, now: 1, most: 10, wants })).toMatchObject([
    { delivery: { id: 'dlv_1' } },
  ])
  const worker = { id: 'anna', pid: 1, host: 'here', startedAt: 1 }
  await store.attach(worker)
  expect(await store.beat(worker, { now: 2, goneBefore: 0, sharesAmong: 1, waits: [] })).toEqual([
    { ...worker, seenAt: 2, sharesAmong: 1, waits: [] },
  ])
}

function textOf(statement: Sql, dialect: Dialect): string {
  return render(statement, dialect).text
}
