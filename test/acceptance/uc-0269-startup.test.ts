import type { Store } from 'posthorn'
import { describe, expect, test } from 'vitest'
import { databases } from './databases.ts'
import type { Row } from './databases.ts'
import { gate, makeWorld } from './world.ts'
import type { World } from './world.ts'

const second = 1_000

describe.each(databases)('$name', (database) => {
  test('UC-0269-S1 overdue failed rows leave in the first cycle after a restart', async () => {
    const world = await makeWorld(database, { preset: 'gateway' })
    await world.start()
    await world.posthorn.stop()
    await world.clock.advance(3_600 * second)
    const ids = await inserted(world, 3, {
      status: 'failed',
      attempt_count: 2,
      next_retry_at: world.clock.now() - 1_800 * second,
    })
    expect(world.receiver.count).toBe(0)

    const restarted = world.second()
    const startedAt = world.clock.now()
    await restarted.start()
    await restarted.idle()
    // Time stood still: they left at once, which is within five seconds.
    expect(world.clock.now()).toBe(startedAt)
    expect(world.receiver.count).toBe(3)
    const after = { status: 'delivered', attempt_count: 3, last_attempted_at: startedAt, next_retry_at: null }
    expect(await world.rows()).toEqual(ids.toSorted().map((id) => expect.objectContaining({ id, ...after })))
  })

  test('UC-0269-S2 dead rows are neither sent nor changed by a start and the cycles after it', async () => {
    const world = await makeWorld(database, { preset: 'gateway' })
    const past = world.clock.now() - 3_600 * second
    await world.insert({
      status: 'dead',
      reason: 'exhausted',
      attempt_count: 5,
      next_retry_at: null,
      last_attempted_at: past,
    })
    // One whose time was never taken off it is dead all the same.
    await world.insert({
      status: 'dead',
      reason: 'exhausted',
      attempt_count: 5,
      next_retry_at: past,
      last_attempted_at: past,
    })
    const before = await world.rows()

    await world.start()
    for (let cycle = 0; cycle < 5; cycle += 1) await world.poll()
    await world.poll(120 * second)
    expect(world.receiver.count).toBe(0)
    expect(await world.rows()).toEqual(before)
  })

  test('UC-0269-init a start changes no row; what is due later leaves when it is due, and not before', async () => {
    const claims = heldClaims()
    const world = await makeWorld(database, { preset: 'gateway' }, claims.wrap)
    const now = world.clock.now()
    const overdue = await world.insert({ status: 'failed', attempt_count: 1, next_retry_at: now - 60 * second })
    const onTick = await world.insert({ status: 'failed', attempt_count: 1, next_retry_at: now + 10 * second })
    const justAfter = await world.insert({ status: 'failed', attempt_count: 1, next_retry_at: now + 10 * second + 1 })
    const before = await world.rows()

    await world.posthorn.start()
    await claims.reached
    expect(await world.rows()).toEqual(before)
    expect(world.receiver.count).toBe(0)

    claims.release()
    await world.posthorn.idle()
    expect(await delivered(world)).toEqual([overdue])
    const untouched = (await world.rows()).filter(({ id }) => id !== overdue)
    expect(untouched).toEqual(before.filter(({ id }) => id !== overdue))

    await world.poll()
    expect(await delivered(world)).toEqual([overdue])
    await world.poll()
    expect(await delivered(world)).toEqual([overdue, onTick].toSorted())
    await world.poll()
    expect(await delivered(world)).toEqual([overdue, onTick, justAfter].toSorted())
    expect(world.receiver.count).toBe(3)
  })

  test('UC-0269-cap of eight overdue rows the first cycle sends five', async () => {
    const world = await makeWorld(database, { preset: 'gateway' })
    const overdue = { next_retry_at: world.clock.now() - second }
    await inserted(world, 7, { status: 'failed', attempt_count: 1, ...overdue })
    await inserted(world, 1, overdue)
    const before = await world.rows()

    await world.start()
    expect(world.receiver.count).toBe(5)
    const sent = await delivered(world)
    expect(sent).toHaveLength(5)
    expect((await world.rows()).filter(({ id }) => !sent.includes(String(id)))).toEqual(
      before.filter(({ id }) => !sent.includes(String(id))),
    )
    await world.poll()
    expect(world.receiver.count).toBe(8)
  })

  test('UC-0269-A1 with nothing left to deliver the loop runs and sends nothing', async () => {
    const world = await makeWorld(database, { preset: 'gateway' })
    const past = world.clock.now() - second
    await world.insert({ status: 'delivered', attempt_count: 1, next_retry_at: null, last_attempted_at: past })
    await world.insert({
      status: 'dead',
      reason: 'exhausted',
      attempt_count: 5,
      next_retry_at: null,
      last_attempted_at: past,
    })
    const before = await world.rows()

    await world.start()
    for (let cycle = 0; cycle < 3; cycle += 1) await world.poll()
    expect(world.receiver.count).toBe(0)
    expect(await world.rows()).toEqual(before)

    // The loop does run: what comes later is found by it.
    const later = await world.insert()
    await world.poll()
    expect(world.receiver.count).toBe(1)
    expect(await world.row(later)).toMatchObject({ status: 'delivered' })
  })
})

async function inserted(world: World, count: number, row: Row): Promise<string[]> {
  const ids: string[] = []
  for (let index = 0; index < count; index += 1) ids.push(await world.insert(row))
  return ids
}

async function delivered(world: World): Promise<string[]> {
  const rows = await world.query(`select id from webhook_deliveries where status = 'delivered' order by id`)
  return rows.map(({ id }) => String(id))
}

/** Holds every claim until it is opened: all that a start does before its first claim has then been done. */
function heldClaims() {
  const [reached, released] = [gate(), gate()]
  return {
    reached: reached.opened,
    release: released.open,
    wrap: (store: Store): Store => ({
      ...store,
      queue: {
        ...store.queue,
        async claim(request) {
          reached.open()
          await released.opened
          return store.queue.claim(request)
        },
      },
    }),
  }
}
