import { describe, expect, test } from 'vitest'
import type { Outcome } from '../../src/core/delivery/attempt.ts'
import { healthy } from '../../src/core/endpoint/health.ts'
import { day, minute } from '../../src/core/time.ts'
import { engineWorld, inStatus, settled, urlOf } from './world.ts'
import type { EngineWorld } from './world.ts'

const tenMinutes: Outcome = { kind: 'answered', statusCode: 503, responseBody: '', retryAfterMs: 10 * minute }

describe('a hold', () => {
  test.each([
    ['successes', 200],
    ['refusals', 404],
  ])('E4 of ten minutes that an endpoint asked for outlasts the %s that were under way', async (_, statusCode) => {
    const world = engineWorld({ slowStart: false })
    await world.endpoint('hook')
    const hold = world.transport.hold(urlOf('hook'))
    const answers: (number | Outcome)[] = [tenMinutes]
    world.transport.answer(urlOf('hook'), () => answers.shift() ?? statusCode)
    await world.posthorn.start()
    await world.send('hook', 20)
    await settled()
    expect(world.transport.open(urlOf('hook'))).toBe(20)
    hold.release()
    await world.posthorn.idle()
    world.transport.answer(urlOf('hook'), 200)
    await world.send('hook', 30)
    await world.poll(10 * minute - 1)
    expect(world.sentTo('hook')).toBe(20)
    await world.poll(5_001)
    expect(world.sentTo('hook')).toBeGreaterThan(20)
  })

  test('E21 that one worker was asked for keeps the other from sending, on its fast path, too', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    const second = world.second()
    await world.posthorn.start()
    await second.start()
    const send = (data: number): Promise<unknown> => second.send({ application: 'hook', type: 'invoice.paid', data })
    await send(0)
    await second.idle()
    expect(world.sentTo('hook')).toBe(1)
    world.transport.answer(urlOf('hook'), tenMinutes)
    await world.send('hook')
    await world.posthorn.idle()
    world.transport.answer(urlOf('hook'), 200)
    await world.clock.advance(1_000)
    for (let message = 1; message <= 60; message += 1) await send(message)
    await world.clock.advance(10 * minute - 2_000)
    expect(world.sentTo('hook')).toBe(2)
    await world.clock.advance(minute)
    expect(inStatus(await world.rows(), 'delivered')).toBe(62)
  })

  test('of a probe lasts a second longer than the probe may, and is lost with its worker', async () => {
    const world = engineWorld({ timeoutMs: 12_000 })
    const { id } = await world.endpoint('hook')
    await world.send('hook')
    await world.store.queue.saveHealth(id, { ...healthy, holds: 1, heldUntil: world.clock.now(), generation: 1 })
    world.transport.hold(urlOf('hook'))
    await world.posthorn.start()
    await settled()
    expect(world.sentTo('hook')).toBe(1)
    const health = (await world.store.queue.health([id])).get(id)
    expect(health).toMatchObject({ heldUntil: world.clock.now() + 13_000, holds: 1, generation: 1 })
  })
})

describe('another URL', () => {
  test('E5 is not disabled by a 410 of the one before, whose delivery is settled all the same', async () => {
    const { world, id, hold } = await movedInFlight(410)
    hold.release()
    await world.posthorn.idle()
    await settled()
    expect((await world.posthorn.endpoints.get(id)).status).toBe('active')
    expect(world.heard('endpoint.disabled')).toEqual([])
    expect(await world.rows()).toMatchObject([{ status: 'failed', attemptCount: 1 }])
  })

  test('E5 is not held by a wait that the one before asks for', async () => {
    const { world, hold } = await movedInFlight(tenMinutes)
    hold.release()
    await world.posthorn.idle()
    await world.send('hook', 5)
    await world.posthorn.idle()
    expect(world.sentTo('moved')).toBe(5)
  })

  test('E5 starts healthy: no hold is left, and its first failure is not the last of five days', async () => {
    const world = engineWorld({ breaker: false })
    const { id } = await world.endpoint('hook')
    await world.send('hook', 2)
    const trouble = { failures: 9, holds: 3, failedAttempts: 90, warnings: 1 }
    await world.store.queue.saveHealth(id, {
      ...healthy,
      ...trouble,
      failingSince: world.clock.now() - 6 * day,
      heldUntil: world.clock.now() + 15 * minute,
      generation: 3,
    })
    await world.posthorn.start()
    await world.poll()
    expect(world.transport.requests).toEqual([])
    world.transport.answer(urlOf('moved'), 503)
    await world.posthorn.endpoints.update(id, { url: urlOf('moved') })
    await world.posthorn.idle()
    expect(world.sentTo('moved')).toBe(2)
    expect((await world.posthorn.endpoints.get(id)).status).toBe('active')
  })
})

test('a person who enables an endpoint is not overruled by failures from before', async () => {
  const world = engineWorld({ breaker: false })
  const { id } = await world.endpoint('hook')
  await world.store.queue.saveHealth(id, {
    ...healthy,
    failedAttempts: 90,
    warnings: 1,
    failingSince: world.clock.now() - 6 * day,
    generation: 3,
  })
  const hold = world.transport.hold(urlOf('hook'))
  world.transport.answer(urlOf('hook'), 503)
  await world.posthorn.start()
  await world.send('hook')
  await settled()
  const other = world.second()
  await other.endpoints.disable(id)
  await other.endpoints.enable(id)
  hold.release()
  await world.posthorn.idle()
  await settled()
  expect((await world.posthorn.endpoints.get(id)).status).toBe('active')
  expect(world.heard('endpoint.disabled')).toEqual([])
})

/** A delivery that is on the wire to an endpoint whose URL is then changed; the old one answers so. */
async function movedInFlight(
  answer: number | Outcome,
): Promise<{ world: EngineWorld; id: string; hold: { release(): void } }> {
  const world = engineWorld()
  const { id } = await world.endpoint('hook')
  const hold = world.transport.hold(urlOf('hook'))
  world.transport.answer(urlOf('hook'), answer)
  await world.posthorn.start()
  await world.send('hook')
  await settled()
  await world.posthorn.endpoints.update(id, { url: urlOf('moved') })
  return { world, id, hold }
}
