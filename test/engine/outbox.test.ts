import { describe, expect, test } from 'vitest'
import { PosthornError } from '../../src/core/errors.ts'
import { healthy } from '../../src/core/endpoint/health.ts'
import type { Endpoint } from '../../src/core/endpoint/endpoint.ts'
import type { Health } from '../../src/core/endpoint/health.ts'
import type { Enqueued, EnqueueRequest } from '../../src/core/ports/queue.ts'
import { mostBodyBytes } from '../../src/core/message/message.ts'
import { sqlite } from '../../src/stores/sqlite/index.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { makeGate } from './gate.ts'
import { engineWorld, inStatus, leased, settled, urlOf } from './world.ts'
import type { EngineWorld } from './world.ts'

describe('the fast path', () => {
  test('stores a delivery under our lease and sends it without a claim', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    await world.posthorn.start()
    await world.posthorn.idle()
    await world.send('hook')
    await world.posthorn.idle()
    expect(world.store.life()).toEqual(['mark'])
    expect(envelopesOf(world)).toMatchObject([[{ deliveries: [{ leased: true }] }]])
    expect(await world.rows()).toMatchObject([{ status: 'delivered', leaseEpoch: 1, attemptCount: 1 }])
  })

  test.each<[string, (world: EngineWorld, id: string) => Promise<unknown>]>([
    ['the process does not dispatch', async () => undefined],
    [
      'the endpoint is paused',
      async (world, id) => [await world.posthorn.start(), await world.posthorn.endpoints.pause(id)],
    ],
    [
      'the endpoint has a rate limit',
      async (world, id) => [
        await world.posthorn.start(),
        await world.posthorn.endpoints.update(id, { ratePerSecond: 5 }),
      ],
    ],
    [
      'the breaker of the endpoint awaits its probe',
      async (world, id) => [
        await unwell(world, id, { holds: 1, heldUntil: world.clock.now() - 1 }),
        await world.posthorn.start(),
      ],
    ],
    [
      'a hold of the endpoint has ended, and what it kept back leaves in steps',
      async (world, id) => [await unwell(world, id, { rampFrom: world.clock.now() }), await world.posthorn.start()],
    ],
    [
      'the endpoint has a backlog',
      async (world) => [
        await world.send('hook', 300),
        world.transport.hold(urlOf('hook')),
        await world.posthorn.start(),
        await settled(),
      ],
    ],
  ])('is not taken if %s', async (_, prepare) => {
    const world = engineWorld()
    const { id } = await world.endpoint('hook')
    await prepare(world, id)
    await world.posthorn.send({ application: 'hook', type: 'invoice.paid', data: 'the last' })
    expect(envelopesOf(world).at(-1)).toMatchObject([{ deliveries: [{ leased: false }] }])
  })

  test('reads an endpoint once, and again only when it has changed', async () => {
    const world = engineWorld()
    const { id } = await world.endpoint('hook')
    const worker = world.second()
    await worker.start()
    const reads = async (): Promise<number> => {
      const before = readsOf(world)
      await worker.send({ application: 'hook', type: 'invoice.paid', data: {} })
      await worker.idle()
      await world.clock.advance(2_000)
      return readsOf(world) - before
    }
    expect([await reads(), await reads(), await reads()]).toEqual([1, 0, 0])
    await world.store.queue.saveHealth(id, { ...healthy, failures: 1, failingSince: world.clock.now() })
    expect([await reads(), await reads()]).toEqual([1, 0])
    await world.posthorn.endpoints.update(id, { url: urlOf('moved') })
    expect([await reads(), await reads()]).toEqual([1, 0])
    expect([world.sentTo('hook'), world.sentTo('moved')]).toEqual([5, 2])
  })

  test('sends with the settings that another process has stored, although only a sibling was read since', async () => {
    const world = engineWorld()
    const create = (name: string, types: string[]): Promise<Endpoint> =>
      world.posthorn.endpoints.create({ application: 'hook', url: urlOf(name), types })
    const [{ id }] = [await create('hook', ['invoice.paid']), await create('sibling', ['order.made'])]
    const worker = world.second()
    await worker.start()
    const send = async (type: string): Promise<void> => {
      await worker.send({ application: 'hook', type, data: {} })
      await worker.idle()
    }
    await send('invoice.paid')
    await world.clock.advance(2_000)
    await world.posthorn.endpoints.update(id, { headers: { 'x-tenant': '8' } })
    await send('order.made')
    await send('invoice.paid')
    expect(world.transport.requests.map(({ headers }) => headers['x-tenant'])).toEqual([undefined, undefined, '8'])
  })

  test('takes no more than the endpoint has room for; the rest is claimed when there is', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    await world.posthorn.start()
    const hold = world.transport.hold(urlOf('hook'))
    await world.send('hook', 100)
    await settled()
    expect(leased(await world.rows())).toBe(40)
    hold.release()
    await world.posthorn.idle()
    expect(inStatus(await world.rows(), 'delivered')).toBe(100)
    expect(world.sentTo('hook')).toBe(100)
  })

  test('is taken again as soon as a claim has found all there was, although more was stored meanwhile', async () => {
    const world = engineWorld()
    const { id } = await world.endpoint('hook')
    await world.posthorn.start()
    await world.posthorn.idle()
    const [found, answer, next] = [makeGate(), makeGate(), makeGate()]
    let claims = 0
    world.store.bend = async ({ method }, run) => {
      if (method === 'claim' && (claims += 1) > 1) await next.opened
      const result = await run()
      if (method !== 'claim') return result
      found.open()
      await answer.opened
      return result
    }
    // A change makes the worker look for rows. While it does, nobody knows how many there are, and one more must queue.
    await world.posthorn.endpoints.update(id, { description: 'changed' })
    await found.opened
    await world.send('hook')
    answer.open()
    await settled()
    await world.send('hook')
    next.open()
    await world.posthorn.idle()
    expect(envelopesOf(world)).toMatchObject([
      [{ deliveries: [{ leased: false }] }],
      [{ deliveries: [{ leased: true }] }],
    ])
    expect(inStatus(await world.rows(), 'delivered')).toBe(2)
  })

  test('sends nothing if the commit fails, and gives its room back', async () => {
    const world = engineWorld({ maxLeased: 4 })
    await world.endpoint('hook')
    await world.posthorn.start()
    await world.send('hook')
    await world.posthorn.idle()
    world.store.bend = failing('enqueue')
    for (let time = 0; time < 20; time += 1) await expect(world.send('hook')).rejects.toThrow('The store is away.')
    expect(world.sentTo('hook')).toBe(1)
    world.store.bend = (_, run) => run()
    await world.send('hook', 10)
    await world.posthorn.idle()
    expect(world.sentTo('hook')).toBe(11)
  })

  test('sends nothing if the answer of the commit is lost; the lease runs out, and then it is sent once', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    await world.posthorn.start()
    world.store.bend = async ({ method }, run) => {
      const answer = await run()
      if (method === 'enqueue') throw new Error('The answer was lost.')
      return answer
    }
    await expect(world.send('hook')).rejects.toThrow('The answer was lost.')
    await world.poll(29_999)
    expect(world.sentTo('hook')).toBe(0)
    await world.poll()
    expect(world.sentTo('hook')).toBe(1)
    expect(await world.rows()).toMatchObject([{ status: 'delivered', attemptCount: 1, leaseEpoch: 2 }])
  })
})

describe('storing', () => {
  test('resolves only when the message is stored, and tells of it then', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    const commit = makeGate()
    world.store.bend = async ({ method }, run) => {
      if (method === 'enqueue') await commit.opened
      return run()
    }
    let resolved = false
    const sent = world.send('hook').then(() => (resolved = true))
    await settled()
    expect([resolved, world.heard('message.enqueued').length]).toEqual([false, 0])
    commit.open()
    await sent
    expect(world.heard('message.enqueued')).toHaveLength(1)
  })

  test('keeps one bad message from harming others that are sent with it', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    const stranger = `app_${'0'.repeat(19)}`
    const applications = ['hook', stranger, 'hook']
    const results = await Promise.allSettled(
      applications.map((application) => world.posthorn.send({ application, type: 'invoice.paid', data: 1 })),
    )
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect(await world.rows()).toHaveLength(2)
  })

  test('of a message nobody wants is no error', async () => {
    const world = engineWorld()
    expect(await world.posthorn.send({ application: 'lonely', type: 'invoice.paid', data: 1 })).toMatchObject({
      deliveries: 0,
      repeated: false,
    })
  })

  test('makes an application once, however many send to it at the same time', async () => {
    const world = engineWorld()
    const other = world.second()
    await Promise.all(
      [world.posthorn, other].flatMap((posthorn) =>
        Array.from({ length: 20 }, () => posthorn.send({ application: 'new', type: 'invoice.paid', data: 1 })),
      ),
    )
    expect(await world.posthorn.applications.list()).toHaveLength(1)
  })

  test('does not send before its time what is to be delivered later', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    await world.posthorn.start()
    await world.posthorn.send({
      application: 'hook',
      type: 'invoice.paid',
      data: 1,
      deliverAt: world.clock.now() + 60_000,
    })
    await world.poll(59_999)
    expect(world.sentTo('hook')).toBe(0)
    await world.poll()
    expect(world.sentTo('hook')).toBe(1)
  })
})

describe('matching', () => {
  test('sees endpoints that another process has just made, changed or removed', async () => {
    const world = engineWorld()
    const { id } = await world.endpoint('hook')
    const other = world.second()
    await world.send('hook')
    const added = await other.endpoints.create({ application: 'hook', url: urlOf('added') })
    await world.send('hook')
    await other.endpoints.delete(id)
    await world.send('hook')
    await other.endpoints.disable(added.id)
    await world.send('hook')
    const targets = (await world.rows()).length
    expect(targets).toBe(1 + 2 + 1)
    expect(await world.posthorn.deliveries.list({ endpointId: added.id })).toHaveLength(2)
  })

  test('gives up, and says so, if the endpoints change faster than they can be read', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    let tries = 0
    world.store.bend = async ({ method, request }, run) => {
      if (method !== 'enqueue') return run()
      tries += 1
      return (request[0] as EnqueueRequest).envelopes.map((): Enqueued => ({ kind: 'stale' }))
    }
    await expect(world.send('hook')).rejects.toMatchObject({ code: 'store_failed' })
    expect(tries).toBe(5)
    expect(await world.rows()).toEqual([])
  })
})

describe.each([
  ['memory', memoryStore],
  ['sqlite', () => sqlite(':memory:', { plaintextSecrets: true })],
])('an idempotency key on %s', (_, makeStore) => {
  test('used 1,000 times at once stores one message', async () => {
    const world = engineWorld({}, makeStore())
    await world.endpoint('hook')
    await world.posthorn.start()
    const message = { application: 'hook', type: 'invoice.paid', data: { id: 7 }, idempotencyKey: 'once' }
    const sent = await Promise.all(Array.from({ length: 1_000 }, () => world.posthorn.send(message)))
    await world.posthorn.idle()
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1)
    expect(sent.filter(({ repeated }) => !repeated)).toHaveLength(1)
    expect(sent.every(({ deliveries }) => deliveries === 1)).toBe(true)
    expect(world.sentTo('hook')).toBe(1)
    expect(world.heard('message.enqueued')).toHaveLength(1)
  })

  test('used for another body is refused, and holds no room', async () => {
    const world = engineWorld({ maxLeased: 2 }, makeStore())
    await world.endpoint('hook')
    await world.posthorn.start()
    const message = { application: 'hook', type: 'invoice.paid', idempotencyKey: 'once' }
    await world.posthorn.send({ ...message, data: 1 })
    for (let time = 0; time < 10; time += 1)
      await expect(world.posthorn.send({ ...message, data: 2 })).rejects.toMatchObject({ code: 'idempotency_conflict' })
    await world.send('hook', 5)
    await world.posthorn.idle()
    expect(world.sentTo('hook')).toBe(6)
  })
})

describe('a send queue that is full', () => {
  test('of messages refuses the next one, and stores all that it took', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    const release = stuck(world)
    const sending = Promise.allSettled(
      Array.from({ length: 10_001 }, (_, data) =>
        world.posthorn.send({ application: 'hook', type: 'invoice.paid', data }),
      ),
    )
    await settled()
    release()
    const refused = (await sending).filter((result) => result.status === 'rejected')
    expect(refused).toHaveLength(1)
    expect(refused[0]?.reason).toBeInstanceOf(PosthornError)
    expect(refused[0]?.reason).toMatchObject({ code: 'overloaded' })
    expect(await world.rows()).toHaveLength(10_000)
    await world.send('hook')
  })

  test('of bytes refuses the next one', async () => {
    const world = engineWorld()
    await world.endpoint('hook')
    const release = stuck(world)
    const payload = Buffer.alloc(mostBodyBytes, 'x')
    const sending = Promise.allSettled(
      Array.from({ length: 65 }, () => world.posthorn.send({ application: 'hook', type: 'invoice.paid', payload })),
    )
    await settled()
    release()
    expect((await sending).filter(({ status }) => status === 'rejected')).toMatchObject([
      { reason: { code: 'overloaded' } },
    ])
  })
})

function envelopesOf(world: EngineWorld): EnqueueRequest['envelopes'][] {
  return world.store.calls
    .filter(({ method }) => method === 'enqueue')
    .map(({ request }) => (request[0] as EnqueueRequest).envelopes)
}

function failing(wanted: string): EngineWorld['store']['bend'] {
  return async ({ method }, run) => {
    if (method === wanted) throw new Error('The store is away.')
    return run()
  }
}

/** Keeps every commit of messages waiting, until it is called. */
function stuck(world: EngineWorld): () => void {
  const commit = makeGate()
  world.store.bend = async ({ method }, run) => {
    if (method === 'enqueue') await commit.opened
    return run()
  }
  return commit.open
}

/** How often the settings of endpoints were read to send to them. */
function readsOf({ store }: EngineWorld): number {
  return store.calls.filter(({ method }) => method === 'endpointsById').length
}

async function unwell(world: EngineWorld, endpointId: string, trouble: Partial<Health>): Promise<void> {
  await world.store.queue.saveHealth(endpointId, { ...healthy, generation: 1, ...trouble })
}
