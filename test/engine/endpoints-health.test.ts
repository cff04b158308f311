import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from '@photostructure/sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Outcome } from '../../src/core/delivery/attempt.ts'
import { healthy } from '../../src/core/endpoint/health.ts'
import { day, hour } from '../../src/core/time.ts'
import { sqlite } from '../../src/stores/sqlite/index.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { makeGate } from './gate.ts'
import { engineWorld, inStatus, leased, settled, urlOf } from './world.ts'
import type { EngineWorld } from './world.ts'

describe('the breaker', () => {
  test('opens after ten failures, holds without using attempts, probes once, doubles, probes again, closes and ramps', async () => {
    const world = engineWorld()
    const { id } = await world.endpoint('hook')
    world.transport.answer(urlOf('hook'), 503)
    await world.send('hook', 100)
    const startedAt = world.clock.now()
    await world.posthorn.start()
    await world.posthorn.idle()

    const [opened] = world.heard('breaker.opened')
    expect(world.heard('breaker.opened')).toHaveLength(1)
    expect(opened?.webhook_id).toBe(id)
    expectBetween((opened?.held_until ?? 0) - startedAt, 48_000, 72_000)
    const before = world.sentTo('hook')
    expectBetween(before, 10, 14) // Ten in a row, and what was under way beside the tenth.
    expect(leased(await world.rows())).toBe(0)

    await world.poll((opened?.held_until ?? 0) - 1 - world.clock.now())
    expect(world.sentTo('hook')).toBe(before)
    expect(await attemptsCounted(world)).toBe(before)

    const probedAt = world.clock.now()
    await world.poll(5_001)
    expect(world.sentTo('hook')).toBe(before + 1)
    expect(world.heard('breaker.opened')).toHaveLength(2)
    const secondHold = world.heard('breaker.opened')[1]?.held_until ?? 0
    expectBetween(secondHold - probedAt, 96_000, 149_001)

    world.transport.answer(urlOf('hook'), 200, { delayMs: 50 })
    await world.poll(secondHold - 1 - world.clock.now())
    expect(world.sentTo('hook')).toBe(before + 1)
    for (let step = 0; step < 200 && world.sentTo('hook') === before + 1; step += 1) await world.clock.advance(40)
    expect(world.sentTo('hook')).toBe(before + 2)
    expect(world.heard('breaker.closed')).toEqual([])
    await world.clock.advance(50)
    expect(world.heard('breaker.closed')).toMatchObject([{ webhook_id: id }])
    const atOnce: number[] = []
    for (let step = 0; step < 3; step += 1) {
      await settled()
      atOnce.push(world.transport.open(urlOf('hook')))
      await world.clock.advance(50)
    }
    expect(atOnce).toEqual([5, 10, 20])
    await world.poll(1_000_000)
    expect(inStatus(await world.rows(), 'delivered')).toBe(100)
    expect(await attemptsCounted(world)).toBe(world.sentTo('hook'))
  })

  test('is not wedged by a worker that ends during its probe: after a lease another one probes', async () => {
    const inner = memoryStore()
    const world = engineWorld({}, inner)
    await world.endpoint('hook')
    const heldUntil = await open(world)
    world.transport.hold(urlOf('hook'))
    const before = world.sentTo('hook')
    await world.clock.advance(heldUntil - world.clock.now() + 5_000)
    expect(world.sentTo('hook')).toBe(before + 1)

    const burial = makeGate()
    world.store.bend = () => burial.opened.then(() => Promise.reject(new Error('The worker is dead.')))
    const transport = scriptedTransport(world.clock)
    const hold = transport.hold(urlOf('hook'))
    const second = world.second({ transport, store: inner })
    const closed: unknown[] = []
    second.on('breaker.closed', (event) => closed.push(event))
    await second.start()
    await world.clock.advance(20_000)
    expect(transport.requests).toEqual([])
    await world.clock.advance(15_000)
    // One, although this worker has seen no failure and its window is wide open.
    expect(transport.requests).toHaveLength(1)
    hold.release()
    await second.idle()
    expect(closed).toHaveLength(1)
    expect(transport.requests.length).toBeGreaterThan(1)
    burial.open()
  })

  test('holds for the other workers, too, and lets only one of them probe', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    const second = world.second()
    const heldUntil = await open(world)
    await second.start()
    await second.idle()
    const before = world.sentTo('hook')
    await world.clock.advance(heldUntil - 1 - world.clock.now())
    await second.idle()
    expect(world.sentTo('hook')).toBe(before)
    world.transport.hold(urlOf('hook'))
    await world.clock.advance(5_001)
    expect(world.sentTo('hook')).toBe(before + 1)
  })

  test('lets one of two probe that find its hold over at the same moment', async () => {
    const world = engineWorld()
    const { id } = await world.endpoint('hook')
    await world.send('hook', 5)
    await world.store.queue.saveHealth(id, { ...healthy, holds: 1, heldUntil: world.clock.now(), generation: 1 })
    world.transport.hold(urlOf('hook'))
    await Promise.all([world.posthorn.start(), world.second().start()])
    await settled()
    expect(world.sentTo('hook')).toBe(1)
  })

  test('is not opened by answers that only refuse the message', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    world.transport.answer(urlOf('hook'), 404)
    await world.send('hook', 30)
    await world.posthorn.start()
    await world.posthorn.idle()
    expect(world.sentTo('hook')).toBe(30)
    expect(world.heard('breaker.opened')).toEqual([])
  })

  test('harms only its own endpoint', async () => {
    const world = engineWorld()
    for (const name of ['broken', 'healthy']) await world.endpoint(name)
    world.transport.answer(urlOf('broken'), 500)
    await world.posthorn.start()
    await Promise.all([world.send('broken', 50), world.send('healthy', 50)])
    await world.posthorn.idle()
    expect(inStatus(await world.rows('healthy'), 'delivered')).toBe(50)
    expect(world.heard('breaker.opened')).toHaveLength(1)
  })
})

describe('Retry-After', () => {
  test.each([
    ['two minutes', 120_000, 120_000, 120_000],
    ['two hours, of which the endpoint is held for 15 minutes', 7_200_000, 7_200_000, 900_000],
    ['a second, which is less than the policy waits', 1_000, 48_000, 1_000],
  ])('of %s keeps the delivery and the endpoint waiting', async (_, retryAfterMs, leastMs, heldMs) => {
    const world = engineWorld()
    await world.endpoint('hook')
    world.transport.answer(urlOf('hook'), { kind: 'answered', statusCode: 429, responseBody: '', retryAfterMs })
    await world.posthorn.start()
    await world.send('hook')
    await world.posthorn.idle()
    const [first] = await world.rows()
    expect((first?.nextRetryAt ?? 0) - world.clock.now()).toBeGreaterThanOrEqual(leastMs)

    world.transport.answer(urlOf('hook'), 200)
    await world.send('hook')
    await world.poll(heldMs - 1)
    expect(world.sentTo('hook')).toBe(1)
    await world.poll(5_001)
    expect(world.sentTo('hook')).toBeGreaterThanOrEqual(2)
    expect(world.heard('breaker.opened')).toEqual([])
  })
})

describe('an endpoint that is gone for good', () => {
  test('is disabled by 410, which is told; nothing more is sent', async () => {
    const world = engineWorld()
    const { id } = await world.endpoint('hook')
    world.transport.answer(urlOf('hook'), 410)
    await world.posthorn.start()
    await world.send('hook')
    await world.posthorn.idle()
    await settled()
    expect(world.heard('endpoint.disabled')).toMatchObject([{ webhook_id: id, reason: 'it answered 410 Gone' }])
    expect(await world.posthorn.endpoints.get(id)).toMatchObject({
      status: 'disabled',
      statusReason: 'it answered 410 Gone',
    })
    await world.send('hook')
    await world.poll(600_000)
    expect(world.sentTo('hook')).toBe(1)
    expect(await world.rows()).toMatchObject([{ status: 'failed', attemptCount: 1 }])
  })

  test('is warned about after a day of nothing but failures, again the day before, and disabled after five', async () => {
    const world = engineWorld({ breaker: false, pollMs: 600_000 })
    const { id } = await world.endpoint('hook')
    world.transport.answer(urlOf('hook'), 500)
    await world.posthorn.start()
    const startedAt = world.clock.now()
    await everySixHours(world, 19)
    expect(world.heard('endpoint.failing')[0]).toMatchObject({ webhook_id: id, failing_since: startedAt })
    expectBetween((world.heard('endpoint.failing')[0]?.at ?? 0) - startedAt, day, day + 6 * hour)
    expect((await world.posthorn.endpoints.get(id)).status).toBe('active')
    await world.poll(5 * day - (world.clock.now() - startedAt) - 600_001)
    expect(world.heard('endpoint.disabled')).toEqual([])
    await everySixHours(world, 2)
    expect(world.heard('endpoint.disabled')).toMatchObject([
      { webhook_id: id, reason: 'it has only failed for five days' },
    ])
    const disabledAt = startedAt + 5 * day
    expect(world.heard('endpoint.failing')).toMatchObject([
      { disabled_at: disabledAt, is_last: false },
      { disabled_at: disabledAt, is_last: true },
    ])
    expectBetween((world.heard('endpoint.failing')[1]?.at ?? 0) - startedAt, 4 * day, 4 * day + 6 * hour)
    expect((await world.posthorn.endpoints.get(id)).status).toBe('disabled')
  })

  test('is given its five days again by one success', async () => {
    const world = engineWorld({ breaker: false, pollMs: 600_000 })
    const { id } = await world.endpoint('hook')
    world.transport.answer(urlOf('hook'), 500)
    await world.posthorn.start()
    await everySixHours(world, 18)
    world.transport.answer(urlOf('hook'), 200)
    await everySixHours(world, 1)
    world.transport.answer(urlOf('hook'), 500)
    await everySixHours(world, 18)
    expect(world.heard('endpoint.disabled')).toEqual([])
    expect(world.heard('endpoint.failing')).toMatchObject(
      [false, true, false, true].map((isLast) => ({ is_last: isLast })),
    )
    expect((await world.posthorn.endpoints.get(id)).status).toBe('active')
  })

  test('is not disabled after five days with fewer than ten attempts', async () => {
    const world = engineWorld({ breaker: false, pollMs: 600_000, maxRetries: 0 })
    await world.endpoint('hook')
    world.transport.answer(urlOf('hook'), 500)
    await world.posthorn.start()
    for (let message = 0; message < 9; message += 1) {
      await world.send('hook')
      await world.poll(day)
    }
    expect(world.heard('endpoint.disabled')).toEqual([])
    await world.send('hook')
    await world.poll()
    expect(world.heard('endpoint.disabled')).toHaveLength(1)
  })
})

describe('under a gateway preset', () => {
  test.each<[string, number | Outcome]>([
    ['Retry-After', { kind: 'answered', statusCode: 503, responseBody: '', retryAfterMs: 3_600_000 }],
    ['410', 410],
    ['ten failures', 500],
  ])('%s changes nothing but the delivery', async (_, answer) => {
    const world = engineWorld({ preset: 'gateway' })
    const { id } = await world.endpoint('hook')
    world.transport.answer(urlOf('hook'), answer)
    await world.send('hook', 12)
    await world.posthorn.start()
    for (let tick = 0; tick < 4; tick += 1) await world.poll()
    expect(world.sentTo('hook')).toBe(12)
    for (const { nextRetryAt, lastAttemptedAt } of await world.rows())
      expect((nextRetryAt ?? 0) - (lastAttemptedAt ?? 0)).toBe(30_000)
    expect((await world.posthorn.endpoints.get(id)).status).toBe('active')
    expect(world.heard('breaker.opened')).toEqual([])
  })
})

test('an endpoint whose secret cannot be opened keeps its rows, is told once, and harms no other', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'posthorn-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  const file = join(folder, 'webhooks.db')
  const world = engineWorld({}, sqlite(file))
  const names = Array.from({ length: 9 }, (_, index) => `hook-${index}`)
  const endpoints = []
  for (const name of names) {
    endpoints.push(await world.endpoint(name))
    await world.send(name)
  }
  const database = new DatabaseSync(file)
  const damage = database.prepare(
    "update posthorn_endpoint_secrets set sealed = substr(sealed, 1, length(sealed) - 8) || 'AAAAAAA=' where endpoint_id = ?",
  )
  expect(damage.run(endpoints[4]?.id ?? '').changes).toBe(1)
  database.close()

  const second = world.second()
  const warnings: string[] = []
  second.on(
    'warning',
    ({ code, message }) =>
      void (code === 'secrets_key' && message.includes('could not be read') && warnings.push(message)),
  )
  await second.start()
  await second.idle()
  await world.clock.advance(20_000)
  await second.idle()
  expect(names.map((name) => world.sentTo(name))).toEqual([1, 1, 1, 1, 0, 1, 1, 1, 1])
  expect(await world.rows('hook-4')).toMatchObject([{ status: 'pending', attemptCount: 0, leaseOwner: null }])
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain(endpoints[4]?.id)
})

test('what another process has changed about an endpoint counts from the next claim on', async () => {
  const world = engineWorld({ fastPath: false })
  const { id } = await world.endpoint('hook')
  await world.posthorn.start()
  await world.send('hook')
  await world.posthorn.idle()
  const other = world.second()
  await other.endpoints.update(id, { url: urlOf('moved') })
  await world.clock.advance(1_000)
  await world.send('hook')
  await world.posthorn.idle()
  expect([world.sentTo('hook'), world.sentTo('moved')]).toEqual([1, 1])
  await other.endpoints.pause(id)
  await world.clock.advance(1_000)
  await world.send('hook')
  await world.poll()
  expect([world.sentTo('hook'), world.sentTo('moved')]).toEqual([1, 1])
})

/** Starts, opens the endpoint's breaker, and leaves rows behind it; answers with the end of the hold. */
async function open(world: EngineWorld): Promise<number> {
  world.transport.answer(urlOf('hook'), 503)
  await world.send('hook', 30)
  await world.posthorn.start()
  await world.posthorn.idle()
  return world.heard('breaker.opened')[0]?.held_until ?? 0
}

async function everySixHours(world: EngineWorld, times: number): Promise<void> {
  for (let time = 0; time < times; time += 1) {
    await world.send('hook')
    await world.poll(6 * hour)
  }
}

async function attemptsCounted(world: EngineWorld): Promise<number> {
  return (await world.rows()).reduce((sum, { attemptCount }) => sum + attemptCount, 0)
}

function expectBetween(value: number, least: number, most: number): void {
  expect(value).toBeGreaterThanOrEqual(least)
  expect(value).toBeLessThanOrEqual(most)
}
