import type { Clock, Store } from 'posthorn'
import { describe, expect, test } from 'vitest'
import { manualClock } from '../../src/testing/manual-clock.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { databases } from './databases.ts'
import { isFast } from '../postgres.ts'
import type { Database, Row } from './databases.ts'
import { gate, makeWorld, waitsUntilDead } from './world.ts'
import type { World } from './world.ts'

const second = 1_000
// A fast run is content with a tenth.
const rowCount = isFast ? 100_000 : 1_000_000

describe.each(databases)('$name', (database) => {
  test('UC-0270-S1 of twelve due rows a cycle sends five and touches no other; then five, then two', async () => {
    const world = await makeWorld(database, { preset: 'gateway' })
    // Over three endpoints: the cap is one for all of them.
    const endpoints = [world.endpoint.id]
    for (const path of ['/second', '/third'])
      endpoints.push((await world.posthorn.endpoints.create({ application: 'acme', url: world.receiver.url(path) })).id)
    for (let index = 0; index < 12; index += 1) {
      await world.insert({
        status: 'pending',
        webhook_id: endpoints[index % 3] ?? '',
        next_retry_at: world.clock.now() - (12 - index) * second,
      })
    }

    const before = await world.rows()

    await world.start()
    for (const [sent, left] of [
      [5, 7],
      [10, 2],
      [12, 0],
      [12, 0],
    ] as const) {
      expect(world.receiver.count).toBe(sent)
      const untouched = await pending(world)
      expect(untouched).toHaveLength(left)
      expect(untouched).toEqual(before.filter(({ id }) => untouched.some((row) => row['id'] === id)))
      await world.poll()
    }

    await boundedByTheCapAlone(database)
  })

  test('UC-0270-S2 a dead row that is set back leaves in the next cycle, with the whole schedule before it', async () => {
    const world = await makeWorld(database, { preset: 'gateway' })
    world.receiver.behave('/hook', 500)
    await world.start()
    const setBack: ((id: string) => Promise<unknown>)[] = [
      (id) => world.posthorn.requeue(id, { by: 'kim' }),
      (id) => world.query(`update webhook_deliveries set status = 'pending', attempt_count = 0 where id = ?`, id),
    ]
    for (const reset of setBack) {
      await retriedFromTheStart(world, reset, [30, 120, 600, 3_600])
    }
  })

  test('UC-0270-A2 with gateway-6 a row that is set back has six sends', async () => {
    const world = await makeWorld(database, { preset: 'gateway-6' })
    world.receiver.behave('/hook', 500)
    await world.start()
    await retriedFromTheStart(world, (id) => world.posthorn.requeue(id), [30, 120, 600, 3_600, 21_600])
  })

  test('UC-0270-poll a cycle comes every five seconds, armed when the last one has ended, or as often as set', async () => {
    const clock = manualClock()
    const cycles = cycleWatch(clock)
    const world = await makeWorld(database, { preset: 'gateway', clock }, cycles.wrap)
    const start = clock.now()
    await world.start()
    for (let cycle = 0; cycle < 3; cycle += 1) await world.poll()
    expect(cycles.begunAt.map((at) => at - start)).toEqual([0, 5_000, 10_000, 15_000])

    // One that lasts for twelve seconds: none begins beside it, and the next comes five seconds after its end.
    const release = cycles.hold()
    await clock.advance(5 * second)
    await clock.advance(12 * second)
    expect(cycles.begunAt.map((at) => at - start).slice(4)).toEqual([20_000])
    release()
    await world.posthorn.idle()
    await clock.advance(5 * second - 1)
    expect(cycles.begunAt).toHaveLength(5)
    await world.poll(1)
    expect(cycles.begunAt.map((at) => at - start).slice(4)).toEqual([20_000, 37_000])
    expect(cycles.mostAtOnce).toBe(1)

    const quickClock = manualClock()
    const quick = cycleWatch(quickClock)
    const other = await makeWorld(database, { preset: 'gateway', clock: quickClock, pollMs: 250 }, quick.wrap)
    await other.start()
    for (let cycle = 0; cycle < 3; cycle += 1) await other.poll(250)
    expect(quick.begunAt.map((at) => at - start)).toEqual([0, 250, 500, 750])
  })

  test('UC-0270-A1 fewer than five due rows all leave, and the next cycle is as any other', async () => {
    const world = await makeWorld(database, { preset: 'gateway' })
    for (let index = 0; index < 3; index += 1) await world.insert()
    await world.start()
    expect(world.receiver.count).toBe(3)

    // What was not used of the cap is not saved up.
    for (let index = 0; index < 6; index += 1) await world.insert()
    await world.posthorn.idle()
    expect(world.receiver.count).toBe(3)
    await world.poll()
    expect(world.receiver.count).toBe(8)
    await world.poll()
    expect(world.receiver.count).toBe(9)

    // Nor does what comes in by the API leave before its cycle.
    await world.posthorn.send(
      Array.from({ length: 6 }, () => ({ application: 'acme', type: 'invoice.paid', data: {} })),
    )
    await world.posthorn.idle()
    expect(world.receiver.count).toBe(9)
    await world.poll()
    expect(world.receiver.count).toBe(14)
  })

  test('UC-0270-F1 a transport that throws fails one row, and the other rows of the cycle go on', async () => {
    const transport = scriptedTransport()
    const world = await makeWorld(database, { preset: 'gateway', transport })
    const ids: string[] = []
    for (let index = 0; index < 5; index += 1)
      ids.push(await world.insert({ next_retry_at: world.clock.now() - (5 - index) * second }))
    const [, bad = ''] = ids
    const { message_id: messageId } = await world.row(bad)
    transport.answer(
      ({ headers }) => headers['webhook-id'] === messageId,
      () => {
        throw new Error('the socket fell out of the wall')
      },
    )

    await world.start()
    expect(transport.requests).toHaveLength(5)
    expect(transport.requests[1]?.headers['webhook-id']).toBe(messageId)
    expect(await world.row(bad)).toMatchObject({
      status: 'failed',
      attempt_count: 1,
      next_retry_at: world.clock.now() + 30 * second,
      error_detail: 'the socket fell out of the wall',
      lease_owner: null,
    })
    for (const id of ids)
      if (id !== bad) expect(await world.row(id)).toMatchObject({ status: 'delivered', attempt_count: 1 })
    await world.poll()
    expect(transport.requests).toHaveLength(5)
  })

  test('UC-0270-index due rows are found by an index among a million, and one is on status and next_retry_at', async () => {
    const world = await makeWorld(database, { preset: 'gateway' })
    const { indexes, searches, dueStatements } = world.database
    expect(await indexes()).toContainEqual(['status', 'next_retry_at'])

    await world.query(`with recursive numbers (n) as (
  select 1
  union all
  select n + 1 from numbers where n < ${rowCount}
)
insert into webhook_deliveries (id, webhook_id, message_id, status, next_retry_at)
select 'dlv_' || (${rowCount} + n), 'ep_' || (n / 10000 + 100), 'msg_' || (${rowCount} + n),
  case when n % 10 = 0 then 'pending' when n % 10 = 1 then 'failed' else 'delivered' end, n
from numbers`)
    await world.query('analyze')
    expect(await world.query('select count(*) as count from webhook_deliveries')).toEqual([{ count: rowCount }])

    const used = (await Promise.all(dueStatements.map(searches))).flat()
    expect(used).toEqual(expect.arrayContaining(['webhook_deliveries_fresh', 'webhook_deliveries_retries']))
    expect(used).not.toContain('whole table')
    // The question as the use case asks it.
    const asked = `select * from webhook_deliveries where status in ('pending', 'failed') and next_retry_at <= 1000 limit 5`
    expect(await searches(asked)).toEqual(['webhook_deliveries_status_next_retry_at'])
    // The same test finds it out if there is none to help.
    expect(await searches(`select * from webhook_deliveries where error_detail = 'x'`)).toEqual(['whole table'])
  }, 60_000)
})

/** What bounds the requests that are open at once is five for each cycle: a cycle never waits for what it sent. */
async function boundedByTheCapAlone(database: Database): Promise<void> {
  const transport = scriptedTransport()
  const world = await makeWorld(database, { preset: 'gateway', transport })
  const endpoints = [world.endpoint]
  for (const name of ['second', 'third'])
    endpoints.push(await world.posthorn.endpoints.create({ application: 'acme', url: `https://${name}.test/hook` }))
  const hung = endpoints.map(({ url }) => transport.hold(url))
  const open = (): number => endpoints.reduce((sum, { url }) => sum + transport.open(url), 0)
  for (let index = 0; index < 12; index += 1) {
    const { id, url } = endpoints[index % 3] ?? world.endpoint
    await world.insert({ webhook_id: id, target_url: url, next_retry_at: world.clock.now() - (12 - index) * second })
  }

  await world.posthorn.start()
  await world.clock.advance(0)
  for (const count of [5, 10, 12, 12]) {
    expect(open()).toBe(count)
    expect(await world.query('select count(*) as count from webhook_deliveries where lease_owner is not null')).toEqual(
      [{ count }],
    )
    // Nothing leaves between two cycles.
    await world.clock.advance(5 * second - 1)
    expect(open()).toBe(count)
    await world.clock.advance(1)
  }
  for (const { release } of hung) release()
  await world.posthorn.idle()
  expect(await pending(world)).toEqual([])
}

async function pending(world: World): Promise<Row[]> {
  return world.query(`select * from webhook_deliveries where status = 'pending' order by id`)
}

async function retriedFromTheStart(
  world: World,
  reset: (id: string) => Promise<unknown>,
  waits: readonly number[],
): Promise<void> {
  const past = world.clock.now() - 3_600 * second
  const id = await world.insert({
    status: 'dead',
    reason: 'exhausted',
    attempt_count: 5,
    next_retry_at: null,
    last_attempted_at: past,
  })
  await world.poll()
  const sent = world.receiver.count
  await reset(id)
  expect(await world.row(id)).toMatchObject({ status: 'pending', attempt_count: 0 })
  await world.poll()
  expect(world.receiver.count).toBe(sent + 1)
  expect(await world.row(id)).toMatchObject({ status: 'failed', attempt_count: 1 })

  expect(await waitsUntilDead(world, id)).toEqual(waits)
  expect(await world.row(id)).toMatchObject({
    status: 'dead',
    reason: 'exhausted',
    attempt_count: waits.length + 1,
    next_retry_at: null,
  })
  expect(world.receiver.count).toBe(sent + waits.length + 1)
}

/** Notes when cycles begin, by their first question to the store, and can hold its answer back. */
function cycleWatch(clock: Clock) {
  const begunAt: number[] = []
  let held: Promise<void> | null = null
  let atOnce = 0
  let mostAtOnce = 0
  return {
    begunAt,
    get mostAtOnce() {
      return mostAtOnce
    },
    hold(): () => void {
      const { opened, open } = gate()
      held = opened
      return open
    },
    wrap: (store: Store): Store => ({
      ...store,
      queue: {
        ...store.queue,
        async dueEndpoints(request) {
          if (request.lane === 'fresh') begunAt.push(clock.now())
          atOnce += 1
          mostAtOnce = Math.max(mostAtOnce, atOnce)
          await held
          const found = await store.queue.dueEndpoints(request)
          atOnce -= 1
          return found
        },
      },
    }),
  }
}
