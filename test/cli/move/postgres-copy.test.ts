import { rm } from 'node:fs/promises'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { Posthorn } from 'posthorn'
import { copy } from '../../../src/stores/move/copy.ts'
import type { CopyOptions } from '../../../src/stores/move/copy.ts'
import { copiedTables, copyRules } from '../../../src/stores/move/tables.ts'
import { run } from '../run.ts'
import { allRows, inFile, sourceFile, targetKey, targetSchema } from './places.ts'
import type { SourceFile, TargetSchema } from './places.ts'

test('copies every table, with leases and schedules as they were', async () => {
  const [source, target] = [await sourceFile(), targetSchema()]
  const before = await allRows(source.rows, inFile)
  expect(Object.entries(before).filter(([, rows]) => rows.length === 0)).toEqual([])

  const { code, lines, stderr } = await run(['copy', '--from', source.url], target.environment)

  expect({ code, last: lines.at(-1) }).toMatchObject({
    code: 0,
    last: expect.stringMatching(/^copied sqlite:.* to postgres:.*: \d+ rows; counts equal, \d+ rows compared$/),
  })
  expect(stderr).toContain('webhook_deliveries 6 of 6')
  expect(stderr).not.toContain(new URL(target.url).password)
  expect(
    await allRows(
      (sql) => target.query(sql),
      (name) => name,
    ),
  ).toEqual(before)
  expect(before['webhook_deliveries']?.filter((row) => String(row).includes('"lease_owner":"gone"'))).toHaveLength(2)
})

test('seals the secrets with the key of the target', async () => {
  const [source, target] = [await sourceFile(), targetSchema()]
  expect((await run(['copy', '--from', source.url], target.environment)).code).toBe(0)
  const posthorn = new Posthorn({ store: target.store() })
  onTestFinished(() => posthorn.stop())
  const { secrets, headers } = await posthorn.endpoints.get(source.endpointId)
  expect(secrets).toHaveLength(2)
  expect({ secret: secrets[0]?.value, headers }).toEqual({ secret: source.secret, headers: { 'x-shop': 'nord' } })
  const stored = await target.query(
    'select sealed as text from endpoint_secrets union all select headers from endpoints',
  )
  expect(stored.filter(({ text }) => [source.secret, 'nord'].some((clear) => String(text).includes(clear)))).toEqual([])
})

test('has a rule for every table of both databases, and for no others', async () => {
  const [source, target] = [await sourceFile(), targetSchema()]
  await run(['migrate'], target.environment)
  const ruled = Object.keys(copyRules)
  const ofFile = source.rows(`select name from sqlite_master where type = 'table' and name not like 'sqlite_%'`)
  const ofSchema = await target.query(`select tablename as name from pg_tables where schemaname = $1`, [target.schema])
  for (const [tables, nameOf] of [
    [ofFile, inFile],
    [ofSchema, (name: string) => name],
  ] as const) {
    const names = tables.map(({ name }) => String(name))
    expect(names.filter((name) => !ruled.map(nameOf).includes(name))).toEqual([])
    expect(copiedTables.map(({ name }) => nameOf(name)).filter((name) => !names.includes(name))).toEqual([])
  }
})

test('nothing opens the file again until it is taken back, nor the target until it is whole', async () => {
  const [source, target] = [await sourceFile(), targetSchema()]
  expect(await interruptedAt(source, target, 'messages')).toMatchObject({ isWhole: false, isResumed: false })

  expect(await refusalOf(source.store().open())).toMatch(/is being copied to postgres:.* would be sent twice/)
  expect(await refusalOf(target.store().open())).toMatch(/to be whole, got one that is being copied into/)

  expect((await run(['copy', '--from', source.url, '--cancel'], target.environment)).lines).toEqual([
    `${source.url} can be used again`,
  ])
  const store = source.store()
  onTestFinished(() => store.close())
  await store.open()
  // What it has done since would be missing.
  const { code, stderr } = await run(['copy', '--from', source.url], target.environment)
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('taken back into use since') })
})

test('a worker that opened the target before the copy began does not start on it', async () => {
  const [source, target] = [await sourceFile(), targetSchema()]
  const store = target.store()
  onTestFinished(() => store.close())
  await store.open()
  await interruptedAt(source, target, 'messages')
  const worker = { id: 'w', pid: 1, host: 'here', startedAt: Date.now() }
  expect(await refusalOf(store.attach(worker))).toMatch(/that is being copied into/)
  expect(await target.query('select id from workers')).toEqual([])
})

test.each([
  ['applications', 2],
  ['messages', 1_200],
  ['webhook_deliveries', 1_200],
  ['audit', 2],
] as const)('interrupted in %s, the same command goes on with the next batch', async (table, messages) => {
  const [source, target] = [await sourceFile(messages), targetSchema()]
  const before = await allRows(source.rows, inFile)
  await interruptedAt(source, target, table)
  const { code, lines, stderr } = await run(['copy', '--from', source.url, '--json'], target.environment)
  expect({ code, lines }, stderr).toEqual({ code: 0, lines: [expect.stringContaining('"isResumed":true')] })
  expect(
    await allRows(
      (sql) => target.query(sql),
      (name) => name,
    ),
  ).toEqual(before)
  const progress = `select 1 from pg_tables where tablename = 'copy_progress' and schemaname = $1`
  expect(await target.query(progress, [target.schema])).toEqual([])
})

test('ended between the last two steps, the same command only opens the target', async () => {
  const [source, target] = [await sourceFile(), targetSchema()]
  await interruptedAt(source, target, 'audit')
  source.exec('update posthorn_moved_to set finished_at = 1')
  expect((await run(['copy', '--from', source.url], target.environment)).code).toBe(0)
  const store = target.store()
  onTestFinished(() => store.close())
  await expect(store.open()).resolves.toEqual([])
  const { code, stderr } = await run(['copy', '--from', source.url], target.environment)
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('already. Nothing was done.') })
})

test('refuses a target that is not empty, and leaves both as they were', async () => {
  const [source, target] = [await sourceFile(), targetSchema()]
  const posthorn = new Posthorn({ store: target.store() })
  await posthorn.applications.create({ uid: 'other', name: 'Other' })
  await posthorn.stop()
  const { code, lines, stderr } = await run(['copy', '--from', source.url], target.environment)
  expect({ code, lines }).toEqual({ code: 1, lines: [] })
  expect(stderr).toContain(`Expected the schema "${target.schema}" to be empty, got rows in applications.`)
  expect(await target.query('select uid from applications')).toEqual([{ uid: 'other' }])
  await opens(source)
})

test('refuses a target that a worker waits on', async () => {
  const [source, target] = [await sourceFile(), targetSchema()]
  const posthorn = new Posthorn({ store: target.store() })
  onTestFinished(() => posthorn.stop())
  await posthorn.start()
  const { code, stderr } = await run(['copy', '--from', source.url], target.environment)
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('to have no workers yet, got 1') })
  expect(await target.query('select id from applications')).toEqual([])
  await opens(source)
})

test('refuses a file that an engine runs on', async () => {
  const [source, target] = [await sourceFile(), targetSchema()]
  const posthorn = new Posthorn({ store: source.store() })
  onTestFinished(() => posthorn.stop())
  await posthorn.start()
  const { code, stderr } = await run(['copy', '--from', source.url], target.environment)
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('to have no engine, got one in process'),
  })
})

test('keeps a process that had the file open before from storing what would not be copied', async () => {
  const [source, target] = [await sourceFile(), targetSchema()]
  const posthorn = new Posthorn({ store: source.store() })
  onTestFinished(() => posthorn.stop())
  await posthorn.applications.list()
  const refused: string[] = []
  await copy({
    ...optionsOf(source, target),
    onProgress({ table }) {
      if (table !== 'audit') return
      // Another connection, as another process has it; one that does not wait.
      const other = new DatabaseSync(source.file, { timeout: 0 })
      try {
        other.exec(`update posthorn_applications set name = 'changed'`)
      } catch (thrown) {
        refused.push(String(thrown))
      } finally {
        other.close()
      }
    },
  })
  expect(refused).toEqual([expect.stringContaining('database is locked')])
})

test.each([
  ['a source of a later release', 'source', 'Expected a database of version'],
  ['a target of a later release', 'target', 'Expected a database of version'],
])('refuses %s', async (_, side, sentence) => {
  const [source, target] = [await sourceFile(), targetSchema()]
  await run(['migrate'], target.environment)
  if (side === 'source') source.exec('insert into posthorn_migrations (version) values (999)')
  else await target.query('insert into migrations (version) values (999)')
  const { code, stderr } = await run(['copy', '--from', source.url], target.environment)
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(sentence) })
  expect(source.rows(`select 1 from sqlite_master where name = 'posthorn_moved_to'`)).toEqual([])
})

test('refuses to go on into another target, and a target that another file goes to', async () => {
  const [source, target, second] = [await sourceFile(), targetSchema(), targetSchema()]
  await interruptedAt(source, target, 'messages')
  const other = await run(['copy', '--from', source.url], second.environment)
  expect(other).toMatchObject({ code: 1, stderr: expect.stringContaining('to be copied nowhere else') })
  const third = await sourceFile()
  const beside = await run(['copy', '--from', third.url], target.environment)
  expect(beside).toMatchObject({ code: 1, stderr: expect.stringContaining(`that ${source.file} is being copied into`) })
  await opens(third)
})

test('needs the key of the source, and says where to put it', async () => {
  const [source, target] = [await sourceFile(), targetSchema()]
  await rm(`${source.file}.key`)
  const { code, stderr } = await run(['copy', '--from', source.url], target.environment)
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`Put it into ${source.file}.key.`),
  })
})

test('names the row that PostgreSQL does not take, and goes on once it is repaired', async () => {
  const [source, target] = [await sourceFile(), targetSchema()]
  source.exec(`update posthorn_audit set count = 'many' where id = (select max(id) from posthorn_audit)`)
  const { code, stderr } = await run(['copy', '--from', source.url], target.environment)
  expect(code).toBe(1)
  expect(stderr).toMatch(/row \["aud_\w+"\] of audit: Expected values that PostgreSQL can keep/)
  source.exec(`update posthorn_audit set count = 1 where count = 'many'`)
  expect((await run(['copy', '--from', source.url], target.environment)).code).toBe(0)
})

test('takes bodies that were inserted as text', async () => {
  const [source, target] = [await sourceFile(), targetSchema()]
  source.exec(`insert into posthorn_messages (id, body) values ('msg_by_hand', '{"path":"C:\\\\temp"}')`)
  expect((await run(['copy', '--from', source.url], target.environment)).code).toBe(0)
  const [message] = await target.query(`select body from messages where id = 'msg_by_hand'`)
  expect(String(message?.['body'])).toBe('{"path":"C:\\\\temp"}')
})

test('compares: a row that is not as it was keeps the target closed', async () => {
  const [source, target] = [await sourceFile(), targetSchema()]
  await interruptedAt(source, target, 'webhook_deliveries')
  await target.query(
    `update webhook_deliveries set next_retry_at = 7 where id = (select min(id) from webhook_deliveries)`,
  )
  const { code, stderr } = await run(['copy', '--from', source.url], target.environment)
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('next_retry_at is not') })
  expect(await refusalOf(target.store().open())).toMatch(/that is being copied into/)
  await target.query('delete from webhook_deliveries where id = (select min(id) from webhook_deliveries)')
  expect((await run(['copy', '--from', source.url], target.environment)).stderr).toContain(
    'Expected 6 rows of webhook_deliveries',
  )
})

test.each([
  [[], 'expected --from'],
  [['--from', 'postgres://me:secret@127.0.0.1:1/db'], 'expected --from to be a SQLite file'],
  [['--from', 'mysql://me:secret@host/db'], 'expected --from to be a SQLite file'],
  [['--from', 'sqlite:/nowhere/posthorn.db', '--to', 'postgres://me:secret@127.0.0.1:1/db'], 'a file that exists'],
])('posthorn copy %j is wrong usage', async (args, sentence) => {
  const { code, stderr } = await run(['copy', ...args])
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) })
  expect(stderr).not.toContain('secret')
})

test('posthorn copy to another file is wrong usage', async () => {
  const source = await sourceFile()
  const { code, stderr } = await run(['copy', '--from', source.url, '--to', 'sqlite:other.db'])
  expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining('expected --to') })
  expect(await run(['copy', '--from', source.url, '--cancel'])).toMatchObject({ code: 3 })
})

/** Copies until the first batch of a table is stored. */
function interruptedAt(source: SourceFile, target: TargetSchema, wanted: string): ReturnType<typeof copy> {
  const interruption = new AbortController()
  return copy({
    ...optionsOf(source, target),
    signal: interruption.signal,
    onProgress({ table }) {
      if (table === wanted) interruption.abort()
    },
  })
}

function optionsOf({ file }: SourceFile, { url, schema }: TargetSchema): CopyOptions {
  const { password } = new URL(url)
  return {
    from: { path: file },
    to: { url, schema, prepare: true, secretsKey: targetKey },
    shownTarget: `${url.replace(`:${password}@`, '@')} (schema ${schema})`,
    now: () => Date.now(),
    signal: new AbortController().signal,
    onProgress: () => undefined,
  }
}

/** Why it was refused. */
function refusalOf(call: Promise<unknown>): Promise<string> {
  return call.then(
    () => 'It was not refused.',
    (thrown: unknown) => String(thrown),
  )
}

async function opens({ store }: SourceFile): Promise<void> {
  const opened = store()
  await opened.open()
  await opened.close()
}
