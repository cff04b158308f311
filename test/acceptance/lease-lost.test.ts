import { PosthornError } from 'posthorn'
import type { EventOf } from 'posthorn'
import { describe, expect, test } from 'vitest'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { builtPackage } from '../cli/built.ts'
import { startProgram } from '../cli/program.ts'
import type { Program } from '../cli/program.ts'
import { databases } from './databases.ts'
import type { Database } from './databases.ts'
import { beatMs, leaseMs, renewalTimes, takeOver, watchedWorld } from './watched-world.ts'
import { makeWorld } from './world.ts'
import type { World } from './world.ts'

const built = builtPackage()

describe.each(databases)('$name', (database) => {
  test(
    'LH-lost a renewal that is refused, or that throws, is emitted and logged once, and attempt and mark go on',
    { timeout: 60_000 },
    async () => {
      await refusedInTheLibrary(database)
      await erringInTheLibrary(database)
      await Promise.all((['serve', 'worker'] as const).map((command) => bothInAProcess(database, command)))
    },
  )
})

async function refusedInTheLibrary(database: Database): Promise<void> {
  const { world, store } = await watchedWorld(database)
  const taken = await world.onTheWire()
  const owner = await takeOver(world, taken, world.clock.now() + 10 * leaseMs)
  // On SQLite a lease ends with its process: the new owner must be there.
  await store.attach({ id: owner, pid: 1, host: 'here', startedAt: world.clock.now() })
  await world.clock.advance(leaseMs)
  await world.answer(200)
  expect(await world.posthorn.deliveries.attempts(taken)).toMatchObject([{ late: true }])
  expectOneLost(world, taken, { code: 'lost', store_code: null })
}

async function erringInTheLibrary(database: Database): Promise<void> {
  const { world, store } = await watchedWorld(database)
  store.bend = async ({ method }, run) => {
    if (method === 'renew') throw new PosthornError('store_locked', 'The store is away.')
    return run()
  }
  const kept = await world.onTheWire()
  const startedAt = world.clock.now()
  await world.clock.advance(leaseMs - 1)
  // Asked again and again, but no longer once a third of the lease is left.
  const asked = renewalTimes(store).map((at) => at - startedAt)
  expect(asked[0]).toBe(beatMs)
  expect(asked.length).toBeGreaterThan(2)
  expect(asked.at(-1)).toBe(2 * beatMs)
  await world.answer(200)
  expect(await world.row(kept)).toMatchObject({ status: 'delivered', attempt_count: 1 })
  expectOneLost(world, kept, { code: 'renewal_failed', store_code: 'store_locked' })
}

/** What is emitted of a lost lease is fixed, field by field: no body and no secret can hide in it. */
function expectOneLost(world: World, id: string, codes: Pick<EventOf<'lease.lost'>, 'code' | 'store_code'>): void {
  expect(world.heard('lease.lost')).toEqual([
    {
      type: 'lease.lost',
      topic: 'gateway:webhooks',
      at: expect.any(Number),
      webhook_delivery_id: id,
      worker_id: world.posthorn.workerId,
      ...codes,
    },
  ])
  expectNothingPrivate(world, JSON.stringify(world.events))
}

/** One line for each lease that is lost, and none of anything that was sent. */
async function bothInAProcess(database: Database, command: 'serve' | 'worker'): Promise<void> {
  const { world, program, end } = await processWorld(database, command)
  const [taken, kept] = await world.query('select id, lease_owner from webhook_deliveries order by id')
  // In its own name, because nobody else can be attached to its process: the epoch is another's all the same.
  await takeOver(world, String(taken?.['id']), Date.now() + 3_600_000, String(taken?.['lease_owner']))
  const before = await world.row(String(taken?.['id']))
  await expectLines(program, 1)
  const storeCode = await world.database.refuseRenewals()
  await expectLines(program, 2)
  await end()

  expect(lostIn(program).map((line) => JSON.parse(line) as unknown)).toEqual([
    lostLine({ delivery_id: taken?.['id'], worker_id: taken?.['lease_owner'], code: 'lost', store_code: null }),
    lostLine({
      delivery_id: kept?.['id'],
      worker_id: kept?.['lease_owner'],
      code: 'renewal_failed',
      store_code: storeCode,
    }),
  ])
  expectNothingPrivate(world, `${program.lines.join('\n')}\n${program.stderr}`)
  expect(await world.row(String(taken?.['id']))).toEqual(before)
  expect(await world.row(String(kept?.['id']))).toMatchObject({ status: 'delivered', attempt_count: 1 })
  expect(await world.query('select status_code, late from posthorn_attempts order by late')).toEqual([
    { status_code: 200, late: 0 },
    { status_code: 200, late: 1 },
  ])
}

/** Every field of the line: none besides these. */
function lostLine(fields: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { level: 'warn', time: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/), event: 'lease.lost', ...fields }
}

/** An assertion, and not only a wait: a line that never comes is what this is about. */
function expectLines(program: Program, count: number): Promise<void> {
  return expect.poll(() => lostIn(program).length).toBe(count)
}

function lostIn(program: Program): string[] {
  return [...program.lines, ...program.stderr.split('\n')].filter((line) => line.includes('lease.lost'))
}

interface ProcessWorld {
  readonly world: World
  readonly program: Program
  /** Lets the receiver answer, and ends the process in order. */
  end(): Promise<void>
}

/** A process of its own with two requests open. */
async function processWorld(database: Database, command: 'serve' | 'worker'): Promise<ProcessWorld> {
  const world = await makeWorld(database)
  // The receiver answers when this clock moves.
  const gate = manualClock()
  world.receiver.behave('/hook', { kind: 'slow', afterMs: 1, clock: gate })
  for (let row = 0; row < 2; row += 1) await world.insert()
  const program = startProgram(built.path('cli/main.js'), [command], {
    ...world.database.environment,
    POSTHORN_ADMIN_KEY: 'an-admin-key-of-the-test',
    POSTHORN_ALLOWED_TARGETS: '127.0.0.0/8',
    POSTHORN_LEASE_MS: '3000',
    POSTHORN_POLL_MS: '50',
    POSTHORN_PORT: '0',
  })
  await world.receiver.waitFor(2)
  return {
    world,
    program,
    async end() {
      await gate.advance(1)
      program.child.kill('SIGTERM')
      expect(await program.ended).toEqual({ code: 0, signal: null })
    },
  }
}

function expectNothingPrivate(world: World, text: string): void {
  for (const secret of world.endpoint.secrets) expect(text).not.toContain(secret.value)
  expect(text).not.toContain('"id":7')
}
