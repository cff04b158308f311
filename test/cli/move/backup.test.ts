import { copyFileSync, existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { expect, onTestFinished, test } from 'vitest'
import { Posthorn } from 'posthorn'
import { sqlite } from 'posthorn/sqlite'
import { receiver } from 'posthorn/testing'
import { temporaryFolder } from '../folder.ts'
import { startProgram } from '../program.ts'
import { run } from '../run.ts'
import { shop } from '../shop.ts'

test('a backup that was taken with leases out loses nothing, and sends what was in flight once more', async () => {
  const folder = await temporaryFolder()
  const [file, saved] = [join(folder, 'posthorn.db'), join(folder, 'backup.db')]
  const url = `sqlite:${file}`
  const local = await receiver({ behaviour: 'hang' })
  const first = new Posthorn({ store: sqlite(file), allowedTargets: ['127.0.0.0/8'] })
  onTestFinished(async () => {
    await first.stop({ graceMs: 0 })
    await local.close()
  })
  await first.start()
  await first.endpoints.create({ application: 'acme', url: local.url('/hook') })
  const paused = await first.endpoints.create({ application: 'acme', url: local.url('/later') })
  await first.endpoints.pause(paused.id)
  const sent = await first.send([1, 2, 3].map((id) => ({ application: 'acme', type: 'invoice.paid', data: { id } })))
  const inFlight = (await local.waitFor(1, '/hook')).length

  const { code, lines } = await run(['backup', saved], { POSTHORN_DATABASE_URL: url })
  expect({ code, lines }).toEqual({ code: 0, lines: [expect.stringContaining('6 deliveries, 6 of them open, ')] })
  const leased = Number(/(\d+) in flight$/.exec(lines[0] ?? '')?.[1])
  expect(leased).toBeGreaterThanOrEqual(inFlight)
  for (const path of [saved, `${saved}.key`]) expect((statSync(path).mode & 0o777).toString(8)).toBe('600')

  // The machine is lost, and with it all that happened after the backup.
  await first.stop({ graceMs: 0 })
  for (const name of readdirSync(folder).filter((each) => each.startsWith('posthorn.db')))
    await rm(join(folder, name), { force: true })
  const before = local.count
  local.behave('*', 200)
  expect((await run(['restore', saved], { POSTHORN_DATABASE_URL: url })).lines).toEqual([
    `restored ${url} from ${saved}: 6 deliveries, 6 of them open, ${leased} in flight`,
  ])
  for (const path of [file, `${file}.key`]) expect((statSync(path).mode & 0o777).toString(8)).toBe('600')

  const second = new Posthorn({ store: sqlite(file), allowedTargets: ['127.0.0.0/8'], pollMs: 50 })
  onTestFinished(() => second.stop({ graceMs: 0 }))
  await second.start()
  await second.endpoints.resume(paused.id)
  const wanted = sent.flatMap(({ id }) => [`${id} /hook`, `${id} /later`])
  await local.waitFor(before + wanted.length)
  await second.stop()
  const got = local.receipts.slice(before).map(({ id, path }) => `${id} ${path}`)
  expect(got.toSorted()).toEqual(wanted.toSorted())
})

test('a backup goes on beside a process that writes all the time, and is one moment of it', async () => {
  const { folder, environment, endpointId } = await shop()
  const [saved, script] = [join(folder, 'saved.db'), join(folder, 'writer.cjs')]
  const driver = createRequire(import.meta.url).resolve('@photostructure/sqlite')
  writeFileSync(script, writer)
  const program = startProgram(script, [driver, join(folder, 'posthorn.db'), endpointId])
  await program.says(/^100$/)
  const { code } = await run(['backup', saved], environment)
  program.child.kill('SIGKILL')
  await program.ended
  expect(code).toBe(0)
  const database = new DatabaseSync(saved, { readOnly: true })
  onTestFinished(() => database.close())
  const counts = database.prepare(`select (select count(*) from webhook_deliveries) as deliveries,
  (select count(*) from posthorn_messages) as messages`)
  const { deliveries, messages } = counts.get() as { deliveries: number; messages: number }
  expect(deliveries).toBe(messages)
  expect(deliveries).toBeGreaterThanOrEqual(100)
})

/** Stores messages with a delivery each, one transaction after the other, until it is killed. */
const writer = `const { DatabaseSync } = require(process.argv[2])
const database = new DatabaseSync(process.argv[3], { timeout: 5_000 })
for (let index = 1; ; index += 1) {
  database.exec('begin immediate')
  database.exec(\`insert into posthorn_messages (id, body) values ('msg_\${index}', zeroblob(2000))\`)
  database.exec(\`insert into webhook_deliveries (id, webhook_id, message_id) values ('dlv_\${index}', '\${process.argv[4]}', 'msg_\${index}')\`)
  database.exec('commit')
  if (index === 100) process.stdout.write('100\\n')
}
`

test('a backup writes over nothing, and leaves nothing of one that fails', async () => {
  const { folder, environment } = await shop()
  const saved = join(folder, 'saved.db')
  writeFileSync(`${saved}.key`, 'mine')
  const { code, stderr } = await run(['backup', saved], environment)
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('one that does not exist yet') })
  expect(existsSync(saved)).toBe(false)
  const nowhere = await run(['backup', join(folder, 'nowhere', 'saved.db')], environment)
  expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining('Does its directory exist') })
  expect(readdirSync(folder).filter((name) => name.includes('partial'))).toEqual([])
})

test('without a key file the backup says which key to keep', async () => {
  const { folder, posthorn, environment } = await shop()
  await posthorn.stop()
  await rename(join(folder, 'posthorn.db.key'), join(folder, 'elsewhere'))
  const { code, stderr } = await run(['backup', join(folder, 'saved.db')], environment)
  expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('POSTHORN_SECRETS_KEY') })
})

test('backup and restore name the tools of PostgreSQL in one sentence', async () => {
  const environment = { POSTHORN_DATABASE_URL: 'postgres://me:secret@127.0.0.1:1/db', POSTHORN_SCHEMA: 'hooks' }
  for (const [command, tool] of [
    ['backup', 'pg_dump --format=custom --schema=hooks --file=saved.db'],
    ['restore', 'pg_restore'],
  ] as const) {
    const { code, stderr } = await run([command, 'saved.db'], environment)
    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(tool) })
    expect(stderr.trimEnd().split('\n')).toHaveLength(1)
    expect(stderr).not.toContain('secret')
  }
})

test('a backup of nothing is wrong usage', async () => {
  const folder = await temporaryFolder()
  const file = join(folder, 'none.db')
  expect(await run(['backup', join(folder, 'saved.db'), '--database', `sqlite:${file}`])).toMatchObject({ code: 2 })
  expect(readdirSync(folder)).toEqual([])
})

/** A backup of a shop, and an empty folder to restore it to. */
async function backedUp(): Promise<{ saved: string; url: string; file: string }> {
  const { folder, environment, send } = await shop()
  await send(2)
  const saved = join(folder, 'saved.db')
  await run(['backup', saved], environment)
  const file = join(await temporaryFolder(), 'posthorn.db')
  return { saved, file, url: `sqlite:${file}` }
}

test.each(['posthorn.db', 'posthorn.db-wal', 'posthorn.db.restoring'])('restore writes over no %s', async (name) => {
  const { saved, url, file } = await backedUp()
  writeFileSync(join(dirname(file), name), 'mine')
  const { code, stderr } = await run(['restore', saved, '--database', url])
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining('nothing is overwritten') })
  expect(readdirSync(dirname(file))).toEqual([name])
})

test('restore takes a key that is in its place already, and refuses another one', async () => {
  const { saved, url, file } = await backedUp()
  writeFileSync(`${file}.key`, Buffer.alloc(32, 1).toString('base64'))
  const { code, stderr } = await run(['restore', saved, '--database', url])
  expect({ code, stderr }).toMatchObject({
    code: 1,
    stderr: expect.stringContaining('another key than that of the backup'),
  })
  expect(existsSync(file)).toBe(false)
  // Kept apart from the backup, as it should be.
  copyFileSync(`${saved}.key`, `${file}.key`)
  await rm(`${saved}.key`)
  expect((await run(['restore', saved, '--database', url])).code).toBe(0)
})

test('restore refuses a backup whose key is missing', async () => {
  const { saved, url, file } = await backedUp()
  await rm(`${saved}.key`)
  const { code, stderr } = await run(['restore', saved, '--database', url])
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(`Put it into ${saved}.key`) })
  expect(readdirSync(dirname(file))).toEqual([])
})

test.each([
  ['of a later release', 'insert into posthorn_migrations (version) values (999)', 'Expected a database of version'],
  ['that is not of Posthorn', 'drop table posthorn_migrations', 'a database of another program'],
])('restore refuses a file %s, and leaves nothing behind', async (_, sql, sentence) => {
  const { saved, url, file } = await backedUp()
  const database = new DatabaseSync(saved)
  database.exec(sql)
  database.close()
  const { code, stderr } = await run(['restore', saved, '--database', url])
  expect({ code, stderr }).toMatchObject({ code: 1, stderr: expect.stringContaining(sentence) })
  expect(readdirSync(dirname(file))).toEqual([])
})

test('restore refuses what is no SQLite file, a live database, and a path that leads nowhere', async () => {
  const { saved, url, file } = await backedUp()
  writeFileSync(`${saved}-wal`, 'not yet in the file')
  expect((await run(['restore', saved, '--database', url])).stderr).toContain('a database with a log beside it')
  await rm(`${saved}-wal`)
  writeFileSync(saved, 'not a database, though it is long enough to be read as one')
  expect((await run(['restore', saved, '--database', url])).stderr).toContain('a SQLite file')
  expect((await run(['restore', `${saved}.gone`, '--database', url])).stderr).toContain('a backup that exists')
  expect(readdirSync(dirname(file))).toEqual([])
})
