import { Posthorn } from 'posthorn'
import type { MessageInput, PosthornError } from 'posthorn'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { scriptedTransport } from '../../src/testing/scripted-transport.ts'
import { testPosthorn } from '../../src/testing/test-posthorn.ts'
import { databases } from '../acceptance/databases.ts'
import { gate, makeWorld } from '../acceptance/world.ts'
import { refusal } from './refusal.ts'

const second = 1_000
const day = 86_400 * second
const paid = { application: 'acme', type: 'invoice.paid', data: { id: 7 } } as const

describe.each(databases)('send ($name)', (database) => {
  test('one message leaves in the Standard Webhooks envelope under the id that send answered with', async () => {
    const world = await makeWorld(database)
    await world.start()
    const sent = await world.posthorn.send(paid)
    await world.posthorn.idle()
    expect(sent).toEqual({ id: expect.stringMatching(/^msg_/), deliveries: 1, repeated: false })
    const [receipt] = world.receiver.receipts
    expect(receipt?.id).toBe(sent.id)
    expect(receipt?.headers['content-type']).toBe('application/json')
    const timestamp = new Date(world.clock.now()).toISOString()
    expect(receipt?.body.toString()).toBe(`{"type":"invoice.paid","timestamp":"${timestamp}","data":{"id":7}}`)
    expect(world.heard('message.enqueued')).toEqual([
      expect.objectContaining({
        message_id: sent.id,
        application_id: world.endpoint.applicationId,
        event_type: 'invoice.paid',
        deliveries: 1,
      }),
    ])
  })

  test('many messages are answered in the order given, and none of none', async () => {
    const world = await makeWorld(database)
    await world.start()
    const sent = await world.posthorn.send([0, 1, 2].map((id) => ({ ...paid, data: { id } })))
    await world.posthorn.idle()
    expect(new Set(sent.map(({ id }) => id)).size).toBe(3)
    const bodies = new Map(
      world.receiver.receipts.map(({ id, body }) => [id, JSON.parse(body.toString()) as { data: unknown }]),
    )
    expect(sent.map(({ id }) => bodies.get(id)?.data)).toEqual([{ id: 0 }, { id: 1 }, { id: 2 }])
    expect(await world.posthorn.send([])).toEqual([])
  })

  test('a message whose check fails keeps the others of its call from being stored', async () => {
    const world = await makeWorld(database)
    await expect(world.posthorn.send([paid, { ...paid, type: 'not a type' }])).rejects.toMatchObject({
      code: 'invalid_event_type',
    })
    expect(await world.rows()).toEqual([])
  })

  test('the same idempotency key stores a message once, also when it is repeated later', async () => {
    const world = await makeWorld(database)
    await world.start()
    const first = await world.posthorn.send({ ...paid, idempotencyKey: 'invoice-7' })
    await world.clock.advance(10 * second)
    const again = await world.posthorn.send({ ...paid, idempotencyKey: 'invoice-7' })
    await world.posthorn.idle()
    expect(again).toEqual({ id: first.id, deliveries: 1, repeated: true })
    expect(world.receiver.count).toBe(1)
    expect(world.heard('message.enqueued')).toHaveLength(1)

    // Another application's key is another key, and after a day it is forgotten.
    const elsewhere = await world.posthorn.send({ ...paid, application: 'umbrella', idempotencyKey: 'invoice-7' })
    expect(elsewhere).toMatchObject({ repeated: false, deliveries: 0 })
    await world.leap(day)
    const muchLater = await world.posthorn.send({ ...paid, idempotencyKey: 'invoice-7' })
    expect(muchLater).toMatchObject({ repeated: false, deliveries: 1 })
    expect(muchLater.id).not.toBe(first.id)
  })

  test.each([
    ['data', { data: { id: 8 } }],
    ['type', { type: 'invoice.sent' }],
    ['channels', { channels: ['eu'] }],
  ])('the same idempotency key with another %s is refused', async (_, change) => {
    const world = await makeWorld(database)
    await world.posthorn.send({ ...paid, idempotencyKey: 'invoice-7' })
    const error = await refusal(() => world.posthorn.send({ ...paid, ...change, idempotencyKey: 'invoice-7' }))
    expect(error).toMatchObject({
      code: 'idempotency_conflict',
      message: expect.stringMatching(/^Expected `idempotencyKey` to be new.*, got "msg_/),
    })
    expect(await world.rows()).toHaveLength(1)
  })

  test('a thousand sends in parallel under one key are one message', async () => {
    const world = await makeWorld(database)
    await world.start()
    const sent = await Promise.all(
      Array.from({ length: 1_000 }, () => world.posthorn.send({ ...paid, idempotencyKey: 'invoice-7' })),
    )
    await world.posthorn.idle()
    expect(new Set(sent.map(({ id }) => id)).size).toBe(1)
    expect(sent.filter(({ repeated }) => !repeated)).toHaveLength(1)
    expect(await world.query('select count(*) as count from posthorn_messages')).toEqual([{ count: 1 }])
    expect(await world.rows()).toHaveLength(1)
    expect(world.receiver.count).toBe(1)
  })

  test('a message goes to the endpoints that want its type and one of its channels', async () => {
    const world = await makeWorld(database)
    const { endpoints } = world.posthorn
    await endpoints.delete(world.endpoint.id)
    const add = (path: string, wants: { types?: string[]; channels?: string[] }) =>
      endpoints.create({ application: 'acme', url: world.receiver.url(path), ...wants })
    await add('/all', {})
    await add('/exact', { types: ['invoice.paid'] })
    await add('/below', { types: ['invoice.*'] })
    await add('/eu', { channels: ['eu'] })
    await add('/eu-invoices', { types: ['invoice.*'], channels: ['eu', 'us'] })
    await endpoints.create({ application: 'umbrella', url: world.receiver.url('/stranger') })
    await world.start()

    const table: [Partial<MessageInput>, string[]][] = [
      [{}, ['/all', '/below', '/exact']],
      [{ channels: ['eu'] }, ['/all', '/below', '/eu', '/eu-invoices', '/exact']],
      [{ channels: ['us', 'asia'] }, ['/all', '/below', '/eu-invoices', '/exact']],
      [{ type: 'invoice.paid.late' }, ['/all', '/below']],
      [{ type: 'invoices.paid' }, ['/all']],
      [{ type: 'invoice' }, ['/all']],
      [{ type: 'user.made', channels: ['eu'] }, ['/all', '/eu']],
    ]
    for (const [change, paths] of table) {
      const { id, deliveries } = await world.posthorn.send({ ...paid, ...change } as MessageInput)
      await world.posthorn.idle()
      const reached = world.receiver.receipts.filter((receipt) => receipt.id === id).map(({ path }) => path)
      expect(reached.toSorted(), JSON.stringify(change)).toEqual(paths)
      expect(deliveries).toBe(paths.length)
    }
  })

  test.each([
    ['a number', (at: number) => at],
    ['a Date', (at: number) => new Date(at)],
  ])('deliverAt, as %s, holds a message until then', async (_, given) => {
    const world = await makeWorld(database)
    await world.start()
    const dueAt = world.clock.now() + 3_600 * second
    await world.posthorn.send({ ...paid, deliverAt: given(dueAt) })
    await world.leap(3_600 * second - 1)
    expect(world.receiver.count).toBe(0)
    expect(await world.rows()).toMatchObject([{ status: 'pending', next_retry_at: dueAt, lease_owner: null }])
    await world.poll()
    expect(world.receiver.count).toBe(1)
    expect(await world.rows()).toMatchObject([{ status: 'delivered' }])
  })

  test('a deliverAt in the past delivers at once', async () => {
    const world = await makeWorld(database)
    await world.start()
    await world.posthorn.send({ ...paid, deliverAt: world.clock.now() - day })
    await world.posthorn.idle()
    expect(world.receiver.count).toBe(1)
  })

  test('a payload travels byte for byte under its content type', async () => {
    const world = await makeWorld(database)
    const bytes = Buffer.from(Array.from({ length: 512 }, (_, index) => index % 256))
    // A view into a larger buffer: only the view is the payload.
    await world.posthorn.send({
      application: 'acme',
      type: 'file.made',
      payload: Buffer.concat([Buffer.from('before'), bytes]).subarray(6),
      contentType: 'application/octet-stream',
    })
    await world.posthorn.send({
      application: 'acme',
      type: 'file.made',
      payload: '<é id="7"/>\n',
      contentType: 'text/xml; charset=utf-8',
    })
    await world.posthorn.send({ application: 'acme', type: 'file.made', payload: '' })
    await world.start()
    const received = new Map(world.receiver.receipts.map(({ headers, body }) => [headers['content-type'], body]))
    expect(received.get('application/octet-stream')).toEqual(bytes)
    expect(received.get('text/xml; charset=utf-8')?.toString()).toBe('<é id="7"/>\n')
    expect(received.get('application/json')).toEqual(Buffer.alloc(0))
  })

  test('what the caller changes after the call is no part of the message', async () => {
    const world = await makeWorld(database)
    const payload = Buffer.from('as it was')
    const data = { id: 7 }
    const sending = world.posthorn.send([
      { application: 'acme', type: 'file.made', payload },
      { ...paid, data },
    ])
    payload.fill('x')
    data.id = 8
    await sending
    await world.start()
    const bodies = world.receiver.receipts.map(({ body }) => body.toString())
    expect(bodies.toSorted()).toEqual(['as it was', expect.stringContaining('"data":{"id":7}')])
  })

  test('the session id of a message is in the events of its deliveries', async () => {
    const world = await makeWorld(database)
    world.receiver.behave('/hook', [500, 200])
    await world.start()
    await world.posthorn.send({ ...paid, sessionId: 'session-7' })
    await world.posthorn.idle()
    await world.poll(60 * second)
    await world.poll()
    expect(world.heard('delivery.failed')).toMatchObject([
      { session_id: 'session-7', attempt_count: 1, error_detail: 'HTTP 500' },
    ])
    expect(world.heard('delivery.delivered')).toMatchObject([{ session_id: 'session-7', attempt_count: 2 }])
  })

  test('an application is made on first use, by send or by its first endpoint, and is known by id and by uid', async () => {
    const world = await makeWorld(database)
    const { posthorn } = world
    expect(await posthorn.send({ ...paid, application: 'umbrella' })).toMatchObject({ deliveries: 0, repeated: false })
    const made = await posthorn.applications.get('umbrella')
    expect(made).toMatchObject({ uid: 'umbrella', id: expect.stringMatching(/^app_/) })

    await posthorn.endpoints.create({ application: 'umbrella', url: world.receiver.url('/umbrella') })
    expect(await posthorn.send({ ...paid, application: 'umbrella' })).toMatchObject({ deliveries: 1 })
    expect(await posthorn.send({ ...paid, application: made.id })).toMatchObject({ deliveries: 1 })
    await posthorn.endpoints.create({ application: made.id, url: world.receiver.url('/by-id') })
    expect(await posthorn.send({ ...paid, application: 'umbrella' })).toMatchObject({ deliveries: 2 })
    expect(await posthorn.applications.list()).toHaveLength(2)
  })

  test('what waits to be stored is bounded, and the one too many hears that it was not stored', async () => {
    const world = await makeWorld(database)
    const results = await Promise.allSettled(
      Array.from({ length: 10_001 }, () => world.posthorn.send({ application: 'nobody', type: 'a', payload: '' })),
    )
    const refused = results.filter((result) => result.status === 'rejected')
    expect(refused.map(({ reason }) => (reason as PosthornError).code)).toEqual(['overloaded'])
    expect(String(refused[0]?.reason)).toMatch(
      /Expected `send queue` to be under 10000 .*, got 10000\. Nothing of this message was stored/,
    )
    expect(await world.query('select count(*) as count from posthorn_messages')).toEqual([{ count: 10_000 }])
    // It was a moment's trouble.
    expect(await world.posthorn.send(paid)).toMatchObject({ deliveries: 1 })
  })

  test('one that is not started only stores; another that is started delivers', async () => {
    const world = await makeWorld(database)
    await world.posthorn.send(paid)
    await world.posthorn.idle()
    expect(world.receiver.count).toBe(0)
    const worker = world.second()
    await worker.start()
    await worker.idle()
    expect(world.receiver.count).toBe(1)
  })
})

describe.each(databases)('a life ($name)', (database) => {
  test('after a stop everything is refused, and stopping again is no error', async () => {
    const world = await makeWorld(database)
    const { posthorn } = world
    await world.start()
    await posthorn.stop()
    await posthorn.stop()
    const calls: (() => Promise<unknown>)[] = [
      () => posthorn.send(paid),
      () => posthorn.start(),
      () => posthorn.endpoints.list(),
      () => posthorn.overview(),
      () => posthorn.requeue({}),
    ]
    for (const call of calls)
      expect(await refusal(call)).toMatchObject({
        code: 'stopped',
        message: expect.stringContaining('Create a new one'),
      })
    expect(world.clock.pending()).toBe(0)
  })

  test('a send that is being stored when a stop comes is stored and answered', async () => {
    const [reached, released] = [gate(), gate()]
    const world = await makeWorld(database, {}, (store) => ({
      ...store,
      queue: {
        ...store.queue,
        async enqueue(request) {
          reached.open()
          await released.opened
          return store.queue.enqueue(request)
        },
      },
    }))
    await world.start()
    const sending = world.posthorn.send(paid)
    await reached.opened
    const stopping = world.posthorn.stop()
    released.open()
    await expect(sending).resolves.toMatchObject({ deliveries: 1 })
    await stopping
    expect(await world.rows()).toHaveLength(1)
  })

  test('leaving its scope stops it', async () => {
    const world = await makeWorld(database)
    const made = world.second()
    {
      await using scoped = made
      await scoped.start()
      await scoped.send(paid)
    }
    await expect(made.send(paid)).rejects.toMatchObject({ code: 'stopped' })
    expect(world.receiver.count).toBe(1)
    expect(await world.rows()).toMatchObject([{ status: 'delivered' }])
  })

  test('a listener that throws harms only itself, and one that was taken off hears nothing', async () => {
    const world = await makeWorld(database)
    const heard: string[] = []
    world.posthorn.on('delivery.delivered', () => {
      throw new Error('out of paper')
    })
    world.posthorn.on('delivery.delivered', () => Promise.reject(new Error('out of ink')))
    const off = world.posthorn.on('delivery.delivered', ({ message_id }) => heard.push(message_id))
    await world.start()
    const { id } = await world.posthorn.send(paid)
    await world.posthorn.idle()
    off()
    await world.posthorn.send(paid)
    await world.posthorn.idle()
    expect(heard).toEqual([id])
    expect(world.heard('warning').map(({ message }) => message)).toEqual(
      expect.arrayContaining([expect.stringContaining('out of paper'), expect.stringContaining('out of ink')]),
    )
    expect(await world.rows()).toMatchObject([{ status: 'delivered' }, { status: 'delivered' }])
  })
})

describe('declared events', () => {
  const events = {
    'invoice.paid': z.object({ id: z.number(), sum: z.number().optional() }),
    'user.made': z.object({ name: z.string().min(1) }),
  }

  test('data that fits its schema is sent as given', async () => {
    const { posthorn, sent, settled } = await testPosthorn({ events })
    await posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/hooks' })
    await posthorn.send({ application: 'acme', type: 'user.made', data: { name: 'Kim', extra: 1 } as { name: string } })
    await posthorn.send({ application: 'acme', type: 'invoice.paid', payload: 'raw, and so not checked' })
    await settled()
    const bodies = sent().map(({ body }) => body)
    expect(bodies).toHaveLength(2)
    // A schema checks and does not rewrite: what it does not know is not cut off.
    expect(bodies.find((body) => body.startsWith('{'))).toContain('"data":{"name":"Kim","extra":1}')
    await posthorn.stop()
  })

  test('data that does not fit, and a type that was not declared, are refused by name', async () => {
    const posthorn = new Posthorn({ store: memoryStore(), transport: scriptedTransport(), events })
    const data = { id: 'seven' }
    // @ts-expect-error the schema wants a number
    const mismatch = await refusal(() => posthorn.send({ application: 'acme', type: 'invoice.paid', data }))
    expect(mismatch).toMatchObject({
      code: 'schema_mismatch',
      message: expect.stringMatching(
        /^Expected `data` to be what the schema of invoice\.paid allows, got "id: .*expected number/,
      ),
    })
    // @ts-expect-error not among the declared events
    const unknown = await refusal(() => posthorn.send({ application: 'acme', type: 'invoice.lost', data: {} }))
    expect(unknown).toMatchObject({
      code: 'unknown_event_type',
      message: expect.stringMatching(
        /^Expected `type` to be one of the declared events \(invoice\.paid, user\.made\), got "invoice\.lost"/,
      ),
    })
    // @ts-expect-error a name of Object.prototype is no declared event either
    const inherited = await refusal(() => posthorn.send({ application: 'acme', type: 'constructor', data: {} }))
    expect(inherited).toMatchObject({ code: 'unknown_event_type' })
    await posthorn.stop()
  })
})
