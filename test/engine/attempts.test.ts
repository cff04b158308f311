import { describe, expect, test } from 'vitest'
import type { MarkRequest } from '../../src/core/ports/queue.ts'
import { makeGate } from './gate.ts'
import { engineWorld, inStatus, leased, settled, urlOf } from './world.ts'

test('the next deliveries are claimed while a window of them still waits, so that no place stays free until the claim is answered', async () => {
  const world = engineWorld({ slowStart: false })
  await world.endpoint('hook')
  await world.send('hook', 400)
  const waiting: number[] = []
  world.store.bend = ({ method }, run) => {
    if (method === 'claim') waiting.push(world.store.claims().length - world.sentTo('hook'))
    return run()
  }
  await world.posthorn.start()
  await world.posthorn.idle()
  // The first ones are small: nothing is known of the endpoint yet.
  expect(Math.min(...waiting.slice(3, -1))).toBeGreaterThanOrEqual(20)
})

describe('an endpoint that changes in mid-flight', () => {
  test.each(['pause', 'disable'] as const)(
    'after %s nothing more is sent: what is on the wire ends, what waits is given back',
    async (change) => {
      const world = engineWorld()
      const { id } = await world.endpoint('hook')
      const hold = world.transport.hold(urlOf('hook'))
      await world.send('hook', 60)
      await world.posthorn.start()
      await settled()
      await world.posthorn.endpoints[change](id)
      hold.release()
      await world.posthorn.idle()
      await world.poll()
      const rows = await world.rows()
      expect(world.sentTo('hook')).toBe(5)
      expect([inStatus(rows, 'delivered'), inStatus(rows, 'pending'), leased(rows)]).toEqual([5, 55, 0])

      await world.posthorn.endpoints[change === 'pause' ? 'resume' : 'enable'](id)
      await world.poll()
      expect(inStatus(await world.rows(), 'delivered')).toBe(60)
      expect(world.sentTo('hook')).toBe(60)
    },
  )

  test('keeps nothing that was claimed ahead for it once it has become slow', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    world.transport.answer(urlOf('hook'), 200, { delayMs: 1_000 })
    await world.send('hook', 100)
    await world.posthorn.start()
    await settled()
    expect(leased(await world.rows())).toBe(40)
    await world.clock.advance(1_000)
    await settled()
    // A window's worth, which has grown by one with each success.
    expect(leased(await world.rows())).toBe(10)
  })

  test('gets the next attempt at its new URL, and what waits for the wire too', async () => {
    const world = engineWorld({ breaker: false })
    const { id } = await world.endpoint('hook')
    const hold = world.transport.hold(urlOf('hook'))
    world.transport.answer(urlOf('hook'), 500)
    await world.send('hook', 8)
    await world.posthorn.start()
    await settled()
    await world.posthorn.endpoints.update(id, { url: urlOf('moved') })
    hold.release()
    await world.posthorn.idle()
    expect([world.sentTo('hook'), world.sentTo('moved')]).toEqual([5, 3])
    await world.poll(80_000)
    expect([world.sentTo('hook'), world.sentTo('moved')]).toEqual([5, 8])
    const rows = await world.rows()
    expect(rows.every(({ status, targetUrl }) => status === 'delivered' && targetUrl === urlOf('moved'))).toBe(true)
  })

  test.each(['pause', 'delete'] as const)(
    'by another process (%s) gets nothing of what waits for the wire: it was read over a second ago, and is read again',
    async (change) => {
      const { world, id, hold } = await readAlmostASecondAgo()
      await world.second().endpoints[change](id)
      await world.clock.advance(200)
      hold.release()
      await world.posthorn.idle()
      expect(world.sentTo('hook')).toBe(1 + 6)
    },
  )

  test('and cannot be read keeps what waits for the wire until it is given back', async () => {
    const { world, hold } = await readAlmostASecondAgo()
    world.store.bend = ({ method }, run) => (method === 'endpointsById' ? Promise.reject(new Error('cut off')) : run())
    await world.clock.advance(200)
    hold.release()
    await settled()
    expect([world.sentTo('hook'), leased(await world.rows())]).toEqual([1 + 6, 4])
    // Six answers have come in, but it is tried once.
    expect(world.heard('warning')).toHaveLength(1)
    await world.clock.advance(1_100)
    await settled()
    expect([world.sentTo('hook'), leased(await world.rows())]).toEqual([1 + 6, 0])
  })

  test('and is deleted keeps nothing: the row on the wire ends dead, gone, and its late mark changes nothing', async () => {
    const world = engineWorld()
    const { id } = await world.endpoint('hook')
    const hold = world.transport.hold(urlOf('hook'))
    await world.posthorn.start()
    await world.send('hook')
    await settled()
    await world.posthorn.endpoints.delete(id)
    await world.clock.advance(5_000)
    hold.release()
    await world.posthorn.idle()
    expect(await world.rows()).toMatchObject([{ status: 'dead', reason: 'gone' }])
    expect(world.heard('delivery.delivered')).toEqual([])
    expect(world.heard('delivery.dead')).toHaveLength(1)
  })
})

describe('a lease that ran out although its worker lives', () => {
  test('is taken up again by the same worker, which does not send twice', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    const hold = world.transport.hold(urlOf('hook'))
    let away = true
    world.store.bend = async ({ method }, run) => {
      if (method === 'renew' && away) throw new Error('The store is away.')
      return run()
    }
    await world.posthorn.start()
    await world.send('hook')
    await world.clock.advance(31_000)
    away = false
    await world.clock.advance(30_000)
    expect(await world.rows()).toMatchObject([{ leaseEpoch: 2, leaseOwner: world.posthorn.workerId }])
    expect(world.store.life().filter((call) => call === 'claim')).toHaveLength(1)
    hold.release()
    await world.posthorn.idle()
    const [row] = await world.rows()
    expect(row).toMatchObject({ status: 'delivered', attemptCount: 1, crashCount: 0, interruptions: 0 })
    expect(world.sentTo('hook')).toBe(1)
    expect(world.heard('delivery.delivered')).toHaveLength(1)
    // One send, one record: the outcome takes the place of what the takeover had written.
    expect(await world.posthorn.deliveries.attempts(row?.id ?? '')).toMatchObject([
      { outcome: 'answered', statusCode: 200, epoch: 1 },
    ])
  })

  test('is marked under its newer epoch if the mark of the older one came too late', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    let away = true
    world.store.bend = async ({ method }, run) => {
      if ((method === 'renew' || method === 'mark') && away) throw new Error('The store is away.')
      return run()
    }
    await world.posthorn.start()
    await world.send('hook')
    await world.clock.advance(36_000)
    expect(await world.rows()).toMatchObject([{ status: 'pending', leaseEpoch: 2 }])
    away = false
    await world.clock.advance(5_000)
    await world.posthorn.idle()
    expect(await world.rows()).toMatchObject([{ status: 'delivered', attemptCount: 1 }])
    expect(world.sentTo('hook')).toBe(1)
    expect(world.heard('delivery.delivered')).toHaveLength(1)
  })
})

test('a requeue is answered by a new attempt, not by one of before that is still under way', async () => {
  const world = engineWorld()
  await world.endpoint('hook')
  const hold = world.transport.hold(urlOf('hook'))
  const answers = [500]
  world.transport.answer(urlOf('hook'), () => answers.shift() ?? 200)
  let away = true
  world.store.bend = async ({ method }, run) => {
    if (away && ['renew', 'dueEndpoints'].includes(method)) throw new Error('The store is away.')
    return run()
  }
  await world.posthorn.start()
  await world.send('hook')
  await world.clock.advance(31_000)
  away = false
  const [row] = await world.rows()
  await world.posthorn.requeue(row?.id ?? '')
  await world.clock.advance(5_000)
  hold.release()
  await world.poll()
  expect(await world.rows()).toMatchObject([{ status: 'delivered', attemptCount: 1 }])
  const attempts = await world.posthorn.deliveries.attempts(row?.id ?? '')
  expect(attempts.map(({ statusCode, late }) => [statusCode, late])).toEqual([
    [500, true],
    [200, false],
  ])
})

test('an attempt keeps its lease for as long as the store does not take its mark: nobody else sends it', async () => {
  const world = engineWorld()
  await world.endpoint('hook')
  const marks = makeGate()
  world.store.bend = async ({ method, owner }, run) => {
    if (method === 'mark' && owner === world.posthorn.workerId) await marks.opened
    return run()
  }
  await world.posthorn.start()
  await world.send('hook')
  const other = world.second()
  await other.start()
  for (let tick = 0; tick < 14; tick += 1) await world.clock.advance(5_000)
  expect(world.sentTo('hook')).toBe(1)
  marks.open()
  await world.posthorn.idle()
  expect(await world.rows()).toMatchObject([{ status: 'delivered', attemptCount: 1, leaseEpoch: 1 }])
})

describe('a worker that was asleep for longer than its leases', () => {
  test('E12 sends nothing of what another has by now, and its one send is one attempt on record', async () => {
    const world = engineWorld({ pool: 1 })
    const { id: endpointId } = await world.endpoint('hook')
    world.transport.answer(urlOf('hook'), 200, { delayMs: 100 })
    await world.send('hook', 8)
    await world.posthorn.start()
    await settled()
    expect([world.sentTo('hook'), leased(await world.rows())]).toEqual([1, 8])
    const wants = [{ endpointId, lane: 'fresh', most: 8, mostBytes: 100_000 }] as const
    const taken = await world.store.queue.claim({
      owner: 'other',
      leaseMs: 60_000,
      now: world.clock.now() + 30_000,
      most: 8,
      wants,
    })
    expect(taken).toHaveLength(8)
    await world.clock.leap(60_000)
    await settled()
    expect(world.sentTo('hook')).toBe(1)
    await world.posthorn.idle()
    expect((await world.rows()).every(({ leaseOwner }) => leaseOwner === 'other')).toBe(true)
    const sent = world.transport.requests[0]?.headers['webhook-id']
    const row = (await world.rows()).find(({ messageId }) => messageId === sent)
    expect(await world.posthorn.deliveries.attempts(row?.id ?? '')).toMatchObject([
      { outcome: 'answered', epoch: 1, late: true },
    ])
  })

  test('E12 sends nothing of a claim whose answer it sees only when it wakes up', async () => {
    const world = engineWorld()
    const { id: endpointId } = await world.endpoint('hook')
    await world.send('hook', 8)
    const [found, answer] = [makeGate(), makeGate()]
    world.store.bend = async ({ method, owner }, run) => {
      const result = await run()
      if (method !== 'claim' || owner === 'other') return result
      found.open()
      await answer.opened
      return result
    }
    const starting = world.posthorn.start()
    await found.opened
    const wants = [{ endpointId, lane: 'fresh', most: 8, mostBytes: 100_000 }] as const
    const now = world.clock.now() + 30_000
    expect(await world.store.queue.claim({ owner: 'other', leaseMs: 60_000, now, most: 8, wants })).toHaveLength(8)
    await world.clock.leap(60_000)
    answer.open()
    await starting
    await settled()
    expect(world.sentTo('hook')).toBe(0)
    expect((await world.rows()).every(({ leaseOwner }) => leaseOwner === 'other')).toBe(true)
  })

  test('E12 gives back what nobody has taken yet, and sends it under a new lease', async () => {
    const world = engineWorld({ pool: 1 })
    await world.endpoint('hook')
    world.transport.answer(urlOf('hook'), 200, { delayMs: 100 })
    await world.send('hook', 8)
    await world.posthorn.start()
    await settled()
    await world.clock.leap(60_000)
    expect(world.store.life()).toContain('release')
    for (let step = 0; step < 20; step += 1) await world.clock.advance(5_000)
    await world.posthorn.idle()
    expect([inStatus(await world.rows(), 'delivered'), world.sentTo('hook')]).toEqual([8, 8])
  })
})

describe('events', () => {
  test('are emitted after the commit, never before', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    const marks = makeGate()
    world.store.bend = async ({ method }, run) => {
      if (method === 'mark') await marks.opened
      return run()
    }
    await world.posthorn.start()
    await world.send('hook')
    await settled()
    expect(world.sentTo('hook')).toBe(1)
    expect(world.heard('delivery.delivered')).toEqual([])
    marks.open()
    await world.posthorn.idle()
    expect(world.heard('delivery.delivered')).toHaveLength(1)
  })

  test('harm nobody if listeners throw or reject, which a warning says', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    world.posthorn.on('delivery.delivered', () => {
      throw new Error('listener broke')
    })
    world.posthorn.on('*', () => Promise.reject(new Error('listener rejected')))
    world.posthorn.on('warning', () => {
      throw new Error('even about warnings')
    })
    const heard: string[] = []
    world.posthorn.on('delivery.delivered', ({ webhook_delivery_id: id }) => heard.push(id))
    await world.posthorn.start()
    await world.send('hook', 10)
    await world.posthorn.idle()
    expect(inStatus(await world.rows(), 'delivered')).toBe(10)
    expect(heard).toHaveLength(10)
    const warnings = world
      .heard('warning')
      .filter(({ code }) => code === 'listener_threw')
      .map(({ message }) => message)
    expect(warnings.filter((message) => message.includes('listener broke'))).toHaveLength(10)
    expect(warnings.filter((message) => message.includes('listener rejected')).length).toBeGreaterThanOrEqual(10)
  })
})

test('a delivery whose policy is unknown follows that of its endpoint, with one warning for all', async () => {
  const twice = { delays: { kind: 'list', delaysMs: [90_000] }, jitterShare: 0, maxAttempts: 2 } as const
  const world = engineWorld({ policies: { forgotten: twice } })
  const { id } = await world.endpoint('hook', { policy: 'forgotten' })
  await world.send('hook', 3)
  await world.posthorn.endpoints.update(id, { policy: 'gateway' })
  world.transport.answer(urlOf('hook'), 500)

  const second = world.second({ policies: {} })
  const warnings: string[] = []
  second.on('warning', ({ code, message }) => void (code === 'unknown_policy' && warnings.push(message)))
  await second.start()
  await second.idle()
  const delays = (await world.rows()).map(
    ({ nextRetryAt, lastAttemptedAt }) => (nextRetryAt ?? 0) - (lastAttemptedAt ?? 0),
  )
  expect(delays).toEqual([30_000, 30_000, 30_000])
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain('"forgotten"')
})

test('a mark carries what was sent, and nothing of the body', async () => {
  const world = engineWorld()
  await world.endpoint('hook')
  world.transport.answer(
    urlOf('hook'),
    { kind: 'answered', statusCode: 500, responseBody: 'broken', retryAfterMs: null },
    { delayMs: 40 },
  )
  await world.posthorn.start()
  await world.send('hook')
  await world.clock.advance(40)
  await world.posthorn.idle()
  const requests = world.store.calls
    .filter(({ method }) => method === 'mark')
    .map(({ request }) => request[0] as MarkRequest)
  expect(requests.flatMap(({ marks }) => marks)).toMatchObject([
    {
      epoch: 1,
      mark: { status: 'failed', attemptCount: 1, errorDetail: 'HTTP 500: broken' },
      attempt: { tookMs: 40, statusCode: 500, url: urlOf('hook') },
    },
  ])
  expect(JSON.stringify(requests)).not.toContain('invoice.paid')
})

/** An endpoint that was read 900 ms ago, with six requests open, which is its window, and four deliveries that wait. */
async function readAlmostASecondAgo() {
  const world = engineWorld()
  const { id } = await world.endpoint('hook')
  await world.posthorn.start()
  await world.send('hook')
  await world.posthorn.idle()
  const hold = world.transport.hold(urlOf('hook'))
  await world.clock.advance(900)
  await world.send('hook', 10)
  await settled()
  expect([world.sentTo('hook'), leased(await world.rows())]).toEqual([1 + 6, 10])
  return { world, id, hold }
}
