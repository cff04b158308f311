import { describe, expect, test } from 'vitest'
import { seededRandom } from '../../src/testing/seeded-random.ts'
import { builtPackage } from '../cli/built.ts'
import { startProgram } from '../cli/program.ts'
import type { Program } from '../cli/program.ts'
import { databases } from './databases.ts'
import type { Database } from './databases.ts'
import { watchedWorld } from './watched-world.ts'
import { makeWorld } from './world.ts'
import type { World } from './world.ts'

const built = builtPackage()
const messages = 250
const paths = ['/hook', '/b', '/c', '/d']
const rows = messages * paths.length

describe.each(databases)('$name', (database) => {
  test(
    'LH-two two workers share 1000 due rows, and none is claimed twice while its lease lives',
    { timeout: 60_000 },
    async () => {
      // A file of SQLite has one process that delivers; PostgreSQL any number.
      if (database.name === 'postgres') await twoProcesses(database)
      else await twoEngines(database)
    },
  )
})

async function twoEngines(database: Database): Promise<void> {
  const { world, store } = await watchedWorld(database, { random: seededRandom(1) })
  const second = world.second()
  await makeRows(world)
  await Promise.all([world.posthorn.start(), second.start()])
  await world.receiver.waitFor(rows)
  await Promise.all([world.posthorn.idle(), second.idle()])

  // The clock stands still: every lease lives until its mark, after which nobody may claim the row.
  const claimed = store.claims()
  expect(claimed).toHaveLength(rows)
  expect(new Set(claimed.map(({ claim }) => claim.delivery.id)).size).toBe(rows)
  expect(new Set(claimed.map(({ owner }) => owner))).toEqual(new Set([world.posthorn.workerId, second.workerId]))
  await expectEachOnce(world)
}

async function twoProcesses(database: Database): Promise<void> {
  const world = await makeWorld(database)
  const endpoints = await makeRows(world)
  await recordClaims(world)
  world.receiver.behave('*', { kind: 'slow', afterMs: 20 })
  // Nothing leaves before both are there.
  for (const id of endpoints) await world.posthorn.endpoints.pause(id)
  const workers = await Promise.all([worker(world), worker(world)])
  await Promise.all(endpoints.map((id) => world.posthorn.endpoints.resume(id)))
  await world.receiver.waitFor(rows)
  for (const program of workers) {
    program.child.kill('SIGTERM')
    expect(await program.ended).toEqual({ code: 0, signal: null })
  }

  const owners = workers.map(({ lines }) => lines[0]?.split(' ')[2])
  const claims = await world.query('select owner, count(*) as count from claims group by owner')
  expect(new Set(claims.map(({ owner }) => owner))).toEqual(new Set(owners))
  expect(await world.query('select count(distinct delivery_id) as count from claims')).toEqual([{ count: rows }])
  expect(await world.query('select * from claims where was_held')).toEqual([])
  await expectEachOnce(world)
}

/** Due rows for four endpoints; answers with their ids. */
async function makeRows(world: World): Promise<string[]> {
  const others = await Promise.all(
    paths
      .slice(1)
      .map((path) => world.posthorn.endpoints.create({ application: 'acme', url: world.receiver.url(path) })),
  )
  const sent = await world.posthorn.send(
    Array.from({ length: messages }, (_, id) => ({ application: 'acme', type: 'invoice.paid', data: { id } })),
  )
  expect(sent.every(({ deliveries }) => deliveries === paths.length)).toBe(true)
  return [world.endpoint.id, ...others.map(({ id }) => id)]
}

/** The database itself notes who claims what, and whether somebody's lease was alive at that moment. */
async function recordClaims(world: World): Promise<void> {
  await world.query('create table claims (delivery_id text, owner text, was_held boolean)')
  await world.query(`create function note_claim() returns trigger language plpgsql set search_path from current as $$ begin
  insert into claims values (new.id, new.lease_owner,
    old.lease_owner is not null and old.lease_until > extract(epoch from clock_timestamp()) * 1000);
  return new;
end $$`)
  await world.query(`create trigger note_claim before update on webhook_deliveries
for each row when (new.lease_epoch > old.lease_epoch and new.lease_owner is not null) execute function note_claim()`)
}

async function worker(world: World): Promise<Program> {
  const environment = { ...world.database.environment, POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8', POSTHORN_POLL_MS: '50' }
  const program = startProgram(built.path('cli/main.js'), ['worker'], environment)
  await program.says(/^posthorn worker /)
  return program
}

async function expectEachOnce(world: World): Promise<void> {
  expect(world.receiver.count).toBe(rows)
  expect(
    await world.query(
      'select status, attempt_count, count(*) as count from webhook_deliveries group by status, attempt_count',
    ),
  ).toEqual([{ status: 'delivered', attempt_count: 1, count: rows }])
  expect(await world.query('select late, count(*) as count from posthorn_attempts group by late')).toEqual([
    { late: 0, count: rows },
  ])
}
