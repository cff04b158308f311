import { describe, expect, onTestFinished, test } from 'vitest'
import { Posthorn } from 'posthorn'
import { postgres } from 'posthorn/postgres'
import { handler } from 'posthorn/server'
import { manualClock, scriptedTransport } from 'posthorn/testing'
import { freshSchema, isFast } from '../postgres.ts'
import { adminKey, databases, serverWorld } from './world.ts'
import type { ServerWorld } from './world.ts'

interface Told {
  readonly id: string | null
  readonly event: string
  readonly data: Record<string, unknown>
}

interface Listening {
  /** The next thing said, an event or a comment. */
  next(): Promise<Told>
  readonly status: number
}

async function listen(
  world: ServerWorld,
  query = '',
  headers: Readonly<Record<string, string>> = {},
  token = adminKey,
): Promise<Listening> {
  const answer = handler(world.posthorn, { adminKey })
  const response = await answer(
    new Request(`http://posthorn.test/api/v1/stream${query}`, {
      headers: { authorization: `Bearer ${token}`, ...headers },
    }),
  )
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader()
  onTestFinished(() => reader?.cancel().catch(() => undefined))
  let rest = ''
  const listening = {
    status: response.status,
    async next(): Promise<Told> {
      while (!rest.includes('\n\n')) {
        const { value, done } = await (reader?.read() ?? Promise.resolve({ value: undefined, done: true }))
        if (done) return { id: null, event: 'end', data: {} }
        rest += value ?? ''
      }
      const end = rest.indexOf('\n\n')
      const lines = rest.slice(0, end).split('\n')
      rest = rest.slice(end + 2)
      const field = (name: string): string | null =>
        lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2) ?? null
      return {
        id: field('id'),
        event: field('event') ?? `:${lines[0]?.slice(1) ?? ''}`,
        data: JSON.parse(field('data') ?? '{}') as Record<string, unknown>,
      }
    },
  }
  if (response.status === 200) expect((await listening.next()).event).toBe(': open')
  return listening
}

async function streamWorld(
  database: 'sqlite' | 'postgres',
): Promise<ServerWorld & { acme: string; other: string; send(application: string): Promise<void> }> {
  const world = await serverWorld({}, database)
  const acme = await world.posthorn.endpoints.create({ application: 'acme', url: 'https://acme.example/hooks' })
  const other = await world.posthorn.endpoints.create({ application: 'other', url: 'https://other.example/hooks' })
  await world.posthorn.start()
  return {
    ...world,
    acme: acme.id,
    other: other.id,
    async send(application) {
      await world.posthorn.send({ application, type: 'invoice.paid', data: {} })
      await world.posthorn.idle()
    },
  }
}

describe.each(databases)('the stream on %s', (database) => {
  test('tells what happens, in order, whose it is, and when', async () => {
    const world = await streamWorld(database)
    const { next } = await listen(world)
    await world.send('acme')
    const enqueued = await next()
    expect(enqueued).toMatchObject({
      event: 'message.enqueued',
      id: expect.stringMatching(/^evt_/),
      data: { type: 'message.enqueued', at: expect.stringMatching(/^2026-.*Z$/), endpointId: null, deliveries: 1 },
    })
    const delivered = await next()
    expect(delivered).toMatchObject({
      event: 'delivery.delivered',
      data: {
        endpointId: world.acme,
        webhook_id: world.acme,
        attempt_count: 1,
        event_type: expect.any(String),
        status_code: 200,
        applicationName: expect.stringMatching(/^acme$/i),
        endpointUrl: expect.stringMatching(/^https:/),
      },
    })
    expect(delivered.data['applicationId']).toBe(enqueued.data['applicationId'])
  })

  test('goes on after what was read last', async () => {
    const world = await streamWorld(database)
    const first = await listen(world)
    await world.send('acme')
    const { id } = await first.next()
    await world.send('other')
    const again = await listen(world, '', { 'last-event-id': id ?? '' })
    expect([(await again.next()).event, (await again.next()).event]).toEqual(['delivery.delivered', 'message.enqueued'])
  })

  test('says that something may be missing when nobody knows what was read last', async () => {
    const world = await streamWorld(database)
    const { next } = await listen(world, '', { 'last-event-id': 'evt_of-long-ago' })
    expect(await next()).toMatchObject({ event: 'gap', data: { missed: null } })
    await world.send('acme')
    expect((await next()).event).toBe('message.enqueued')
  })

  test('tells of a type, an endpoint or an application only, if asked', async () => {
    const world = await streamWorld(database)
    const [byType, byEndpoint, byApplication] = [
      await listen(world, '?type=delivery.delivered'),
      await listen(world, `?endpoint=${world.other}`),
      await listen(world, '?application=other'),
    ]
    await world.send('acme')
    await world.send('other')
    expect((await byType.next()).data['endpointId']).toBe(world.acme)
    expect((await byType.next()).data['endpointId']).toBe(world.other)
    expect(await byEndpoint.next()).toMatchObject({ event: 'delivery.delivered', data: { endpointId: world.other } })
    expect([(await byApplication.next()).event, (await byApplication.next()).data['endpointId']]).toEqual([
      'message.enqueued',
      world.other,
    ])
  })

  test("an application's key hears of its own only, and nothing of workers or warnings", async () => {
    const world = await streamWorld(database)
    const token = await world.token({ application: 'other' })
    expect((await listen(world, '?application=acme', {}, token)).status).toBe(404)
    expect((await listen(world, `?endpoint=${world.acme}`, {}, token)).status).toBe(404)
    const { next } = await listen(world, '', {}, token)
    await world.send('acme')
    await world.send('other')
    expect([(await next()).event, (await next()).data['endpointId']]).toEqual(['message.enqueued', world.other])
  })

  test('says every fifteen seconds that it lives, and ends with the server', async () => {
    const world = await streamWorld(database)
    const { next } = await listen(world)
    const comment = next()
    await world.clock.advance(15_000)
    expect((await comment).event).toBe(': quiet')
    const end = next()
    await world.posthorn.stop()
    expect((await end).event).toBe('end')
  })
})

test('a reader that is too slow is told how many it missed; the others are not held up', async () => {
  const world = await streamWorld('sqlite')
  const [slow, quick] = [
    await world.posthorn.stream.open({}),
    await world.posthorn.stream.open({ types: ['breaker.closed'] }),
  ]
  // Each enqueues and delivers: more than the ring keeps.
  const messages = Array.from({ length: 1_000 }, () => ({ application: 'acme', type: 'a', data: {} }))
  for (let round = 0; round < 6; round += 1) {
    await world.posthorn.send(messages)
    await world.posthorn.idle()
  }
  const first = await slow.next()
  expect(first?.kind).toBe('gap')
  const missed = first?.kind === 'gap' ? (first.missed ?? 0) : 0
  let read = 0
  for (let item = await slow.next(); item?.kind === 'event'; item = await slow.next()) {
    read += 1
    if (read + missed === 12_000) break
  }
  expect(read).toBeLessThanOrEqual(11_000)
  expect(read + missed).toBe(12_000)
  expect(await quick.next()).toEqual({ kind: 'gap', missed: null })
})

test.skipIf(isFast)(
  'on PostgreSQL a reader hears of what other processes do, each thing once, and they write nothing while nobody reads',
  async () => {
    const { url, schema, drop, query } = freshSchema()
    onTestFinished(drop)
    const clock = manualClock()
    const process = (): Posthorn => {
      const posthorn = new Posthorn({
        store: postgres(url, { schema, plaintextSecrets: true }),
        clock,
        transport: scriptedTransport(clock),
      })
      onTestFinished(() => posthorn.stop())
      return posthorn
    }
    const [server, worker] = [process(), process()]
    await worker.endpoints.create({ application: 'acme', url: 'https://acme.example/hooks' })
    await worker.start()
    async function send(): Promise<string> {
      const { id } = await worker.send({ application: 'acme', type: 'invoice.paid', data: {} })
      await worker.idle()
      return id
    }
    /** The database has its own time: the clock waits for it, so that nothing is forgotten before it could be read. */
    async function pass(ms: number): Promise<void> {
      await clock.advance(ms)
      await query('select 1')
    }
    /** Goes on until it has what it waits for: the database answers in its own time. */
    async function until<Value>(wanted: Promise<Value>): Promise<Value> {
      let isHere = false
      void wanted.finally(() => (isHere = true))
      while (!isHere) await pass(250)
      return wanted
    }
    async function nextEvent(): Promise<unknown> {
      for (;;) {
        const item = await reader.next()
        if (item?.kind === 'event') return item.event.event
      }
    }

    await send()
    await clock.advance(1_000)
    expect(await query('select id from events')).toEqual([])
    const reader = await server.stream.open({ types: ['delivery.delivered'] })
    let first: unknown = null
    const heard = nextEvent().then((event) => (first = event))
    while (first === null) {
      await send()
      await pass(1_000)
    }
    await heard
    const last = await send()
    const ids: unknown[] = [(first as { message_id: string }).message_id]
    while (ids.at(-1) !== last) ids.push(((await until(nextEvent())) as { message_id: string }).message_id)
    expect(new Set(ids).size).toBe(ids.length)
  },
)
