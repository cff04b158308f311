import { describe, expect, test } from 'vitest'
import { attemptId } from '../../src/core/ids.ts'
import { verify } from '../../src/verify.ts'
import { refusal } from './refusal.ts'
import { stores, worldOn } from './stores.ts'
import { engineWorld, urlOf } from './world.ts'
import type { EngineWorld } from './world.ts'

const minute = 60_000
const paid = { application: 'acme', type: 'invoice.paid', data: { id: 7 } } as const

describe.each(stores)('messages on $name', (kind) => {
  test('are found by id or event id, in their own application only', async () => {
    const { posthorn, clock } = await worldOn(kind)
    const { id } = await posthorn.send({ ...paid, eventId: 'invoice-7', channels: ['eu'], sessionId: 's' })
    await posthorn.send({ ...paid, application: 'other' })
    const message = await posthorn.messages.get('acme', id)
    expect(message).toMatchObject({
      id,
      type: 'invoice.paid',
      eventId: 'invoice-7',
      channels: ['eu'],
      sessionId: 's',
      createdAt: clock.now(),
      erasedAt: null,
    })
    expect(JSON.parse(Buffer.from(message.body).toString())).toMatchObject({ type: 'invoice.paid', data: { id: 7 } })
    expect(await posthorn.messages.get(message.applicationId, 'invoice-7')).toEqual(message)
    for (const name of [id, 'invoice-7'])
      expect(await refusal(() => posthorn.messages.get('other', name))).toMatchObject({ code: 'not_found' })
    expect(await refusal(() => posthorn.messages.get('nobody', id))).toMatchObject({
      code: 'not_found',
      message: expect.stringContaining('`application`'),
    })
  })

  test('are listed in either order, and to the end', async () => {
    const { posthorn, clock } = await worldOn(kind)
    const sent: string[] = []
    for (let count = 0; count < 5; count += 1) {
      sent.push((await posthorn.send({ ...paid, type: count % 2 === 0 ? 'even' : 'odd' })).id)
      await clock.advance(1)
    }
    const { id: applicationId } = await posthorn.applications.get('acme')
    const newest = await posthorn.messages.list({ applicationId }, { limit: 2 })
    expect(newest.items.map(({ id }) => id)).toEqual(sent.toReversed().slice(0, 2))
    const all: string[] = []
    for (let after: string | null = null, pages = 0; pages < 10; pages += 1) {
      const { items, next } = await posthorn.messages.list(
        { applicationId, types: ['even'] },
        { limit: 1, order: 'ascending', after },
      )
      all.push(...items.map(({ id }) => id))
      if (next === null) break
      after = next
    }
    expect(all).toEqual([sent[0], sent[2], sent[4]])
  })

  test("have an event id once: the second is refused with the first one's id, and others go on", async () => {
    const { posthorn } = await worldOn(kind)
    const first = await posthorn.send({ ...paid, eventId: 'invoice-7' })
    const results = await Promise.allSettled([
      posthorn.send({ ...paid, eventId: 'invoice-7' }),
      posthorn.send({ ...paid, eventId: 'invoice-8' }),
      posthorn.send({ ...paid, application: 'other', eventId: 'invoice-7' }),
    ])
    expect(results.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'fulfilled'])
    expect(results[0]).toMatchObject({ reason: { code: 'already_exists', message: expect.stringContaining(first.id) } })
    const { id: applicationId } = await posthorn.applications.get('acme')
    expect((await posthorn.messages.list({ applicationId })).items).toHaveLength(2)
  })

  test('go to an application that is there if it must be, also right after it was deleted and made again', async () => {
    const { posthorn } = await worldOn(kind)
    const unknown = await refusal(() => posthorn.send(paid, { mustExist: true }))
    expect(unknown).toMatchObject({ code: 'not_found', message: expect.stringContaining('`application`') })
    expect(await posthorn.applications.list()).toEqual([])

    const { id } = await posthorn.applications.create({ uid: 'acme' })
    await posthorn.send(paid, { mustExist: true })
    await posthorn.send({ ...paid, application: id }, { mustExist: true })
    await posthorn.applications.delete('acme')
    for (const application of ['acme', id]) {
      expect(await refusal(() => posthorn.send({ ...paid, application }, { mustExist: true }))).toMatchObject({
        code: 'not_found',
      })
    }
    expect(await refusal(() => posthorn.send({ ...paid, application: id }))).toMatchObject({ code: 'not_found' })
    // Without the condition it is made anew, as on first use.
    await posthorn.send(paid)
    const again = await posthorn.applications.get('acme')
    expect(again.id).not.toBe(id)
    await posthorn.send(paid, { mustExist: true })
    expect((await posthorn.messages.list({ applicationId: again.id })).items).toHaveLength(2)
  })

  test('go to the application that has the name now, though another had it a moment ago', async () => {
    const { posthorn } = await worldOn(kind)
    const first = await posthorn.applications.create({ uid: 'acme' })
    await posthorn.send(paid)
    await posthorn.applications.update('acme', { uid: 'acme-before' })
    expect(await refusal(() => posthorn.send(paid, { mustExist: true }))).toMatchObject({ code: 'not_found' })
    const second = await posthorn.applications.create({ uid: 'acme' })
    await posthorn.send(paid)
    for (const { id } of [first, second])
      expect((await posthorn.messages.list({ applicationId: id })).items).toHaveLength(1)
  })

  test('for an application that is not there leave those that came with them alone', async () => {
    const { posthorn } = await worldOn(kind)
    await posthorn.send(paid)
    const results = await Promise.allSettled([
      posthorn.send({ ...paid, application: 'nobody' }, { mustExist: true }),
      ...Array.from({ length: 20 }, () => posthorn.send(paid, { mustExist: true })),
    ])
    expect(results.map(({ status }) => status)).toEqual(['rejected', ...Array.from({ length: 20 }, () => 'fulfilled')])
  })

  test('may be for one endpoint only, whatever it wants otherwise', async () => {
    const world = await worldOn(kind)
    const { posthorn } = world
    const chosen = await world.endpoint('acme', { types: ['other'] })
    await posthorn.endpoints.create({ application: 'acme', url: urlOf('bystander') })
    const stranger = await world.endpoint('stranger')
    await posthorn.start()
    // One that another process has made since the endpoints were last read.
    const late = await world.second().endpoints.create({ application: 'acme', url: urlOf('late') })
    expect(await posthorn.send(paid, { to: chosen.id })).toMatchObject({ deliveries: 1 })
    expect(await posthorn.send(paid, { to: late.id })).toMatchObject({ deliveries: 1 })
    await posthorn.idle()
    expect([world.sentTo('acme'), world.sentTo('late'), world.sentTo('bystander')]).toEqual([1, 1, 0])
    for (const to of [stranger.id, 'ep_0000000000000000001'])
      expect(await refusal(() => posthorn.send(paid, { to }))).toMatchObject({ code: 'not_found' })
    await posthorn.endpoints.disable(chosen.id)
    expect(await refusal(() => posthorn.send(paid, { to: chosen.id }))).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('Enable it first.'),
    })
    await posthorn.endpoints.enable(chosen.id)
    expect(await posthorn.send(paid, { to: chosen.id })).toMatchObject({ deliveries: 1 })
    await posthorn.endpoints.delete(chosen.id)
    expect(await refusal(() => posthorn.send(paid, { to: chosen.id }))).toMatchObject({ code: 'not_found' })
    const { id: applicationId } = await posthorn.applications.get('acme')
    expect((await posthorn.messages.list({ applicationId })).items).toHaveLength(3)
  })

  test('go to the endpoints whose filter takes their body', async () => {
    const world = await worldOn(kind)
    const { posthorn } = world
    await posthorn.start()
    const large = await world.endpoint('acme', {
      filter: {
        and: [
          { path: 'data.amount', greater: 100 },
          { path: 'type', prefix: 'invoice.' },
        ],
      },
    })
    expect((await posthorn.endpoints.get(large.id)).filter).toEqual(large.filter)
    const amounts = [50, 150]
    for (const amount of amounts) await posthorn.send({ ...paid, data: { amount } })
    await posthorn.send({ ...paid, payload: 'plain text', data: undefined })
    await posthorn.idle()
    expect(world.transport.requests.map(({ body }) => (JSON.parse(body) as { data: unknown }).data)).toEqual([
      { amount: 150 },
    ])
    await posthorn.endpoints.update(large.id, { filter: null })
    await posthorn.send({ ...paid, data: { amount: 1 } })
    await posthorn.idle()
    expect(world.sentTo('acme')).toBe(2)
  })

  test('are erased for good: what is open ends, and nothing of them is sent again', async () => {
    const world = await worldOn(kind, { maxRetries: 1 })
    const { posthorn, clock } = world
    const endpoint = await world.endpoint('acme')
    await posthorn.start()
    const delivered = await posthorn.send({ ...paid, eventId: 'one' })
    await posthorn.idle()
    await clock.advance(1)
    world.transport.answer(urlOf('acme'), 500)
    const failed = await posthorn.send({ ...paid, eventId: 'two' })
    await posthorn.idle()
    world.store.bend = async ({ method }, run) => {
      const result = await run()
      // At once: an empty body must not leave after the real one was erased.
      if (method === 'eraseMessage') expect(await posthorn.deliveries.count({ status: ['pending', 'failed'] })).toBe(0)
      return result
    }
    for (const name of ['two', 'one', 'two']) await posthorn.messages.erase('acme', name, { by: 'kim' })
    expect(await posthorn.audit({ action: 'message.erase' })).toMatchObject(
      Array.from({ length: 3 }, () => ({ actor: 'kim', applicationId: endpoint.applicationId })),
    )
    for (const { id } of [delivered, failed]) {
      const message = await posthorn.messages.get('acme', id)
      expect(message).toMatchObject({ type: 'invoice.paid', erasedAt: clock.now() })
      expect(message.body).toHaveLength(0)
    }
    const [cancelled, done] = await posthorn.deliveries.list({ endpointId: endpoint.id })
    expect([done, cancelled]).toMatchObject([{ status: 'delivered' }, { status: 'dead', reason: 'cancelled' }])
    expect(world.heard('delivery.dead')).toMatchObject([{ webhook_delivery_id: cancelled?.id, reason: 'cancelled' }])

    for (const delivery of [done, cancelled]) {
      expect(await refusal(() => posthorn.requeue(delivery?.id ?? ''))).toMatchObject({
        code: 'not_found',
        message: expect.stringContaining('erased'),
      })
    }
    expect(await posthorn.requeue({ endpointId: endpoint.id })).toBe(0)
    const job = await posthorn.jobs.create({ action: 'requeue', filter: {} })
    await world.poll(10 * minute)
    expect(await posthorn.jobs.get(job.id)).toMatchObject({ state: 'done', done: 0 })
    expect(world.sentTo('acme')).toBe(2)
    expect(await refusal(() => posthorn.messages.erase('acme', 'three'))).toMatchObject({ code: 'not_found' })
  })

  test('leave attempts that are listed, read one by one, and erased', async () => {
    const world = await worldOn(kind)
    const { posthorn } = world
    const endpoint = await world.endpoint('acme')
    world.transport.answer(urlOf('acme'), {
      kind: 'answered',
      statusCode: 500,
      responseBody: 'a secret',
      retryAfterMs: null,
    })
    await posthorn.start()
    const { id: messageId } = await posthorn.send(paid)
    await posthorn.idle()
    const { items, next } = await posthorn.deliveries.listAttempts({ messageId })
    expect(next).toBeNull()
    const [only] = items
    expect(only).toMatchObject({
      attempt: { number: 1, statusCode: 500, responseBody: 'a secret' },
      delivery: { messageId, endpointId: endpoint.id },
    })
    const id = only?.attempt.id ?? ''
    expect(id).toBe(attemptId(only?.delivery.id ?? '', only?.attempt.epoch ?? 0))
    expect(await posthorn.deliveries.attempt(id)).toEqual(only)
    expect((await posthorn.deliveries.listAttempts({ endpointId: endpoint.id, succeeded: true })).items).toEqual([])

    await posthorn.deliveries.eraseAttempt(id)
    expect((await posthorn.deliveries.attempt(id)).attempt).toMatchObject({ statusCode: 500, responseBody: null })
    const unknown = attemptId('dlv_0000000000000000001', 1)
    for (const call of [posthorn.deliveries.attempt, posthorn.deliveries.eraseAttempt]) {
      expect(await refusal(() => call(unknown))).toMatchObject({ code: 'not_found' })
      expect(await refusal(() => call('7'))).toMatchObject({ code: 'invalid_id' })
    }
    expect(await refusal(() => posthorn.deliveries.listAttempts({}))).toMatchObject({ code: 'invalid_argument' })
  })

  test('are counted by endpoint', async () => {
    const world = await worldOn(kind)
    const { posthorn, clock } = world
    const { id } = await world.endpoint('acme')
    await posthorn.start()
    await world.send('acme', 3)
    await posthorn.idle()
    world.transport.answer(urlOf('acme'), 500)
    await world.send('acme', 2)
    await posthorn.idle()
    const range = { since: clock.now() - minute, until: clock.now() + minute }
    expect(await posthorn.endpoints.counts(id, range)).toEqual({
      delivered: 3,
      dead: 0,
      cancelled: 0,
      fresh: 0,
      retrying: 2,
    })
    await posthorn.cancel({ endpointId: id })
    expect(await posthorn.endpoints.counts(id, range)).toMatchObject({ delivered: 3, cancelled: 2, retrying: 0 })
  })
})

describe('an example', () => {
  test.each<[string, unknown, string]>([
    ['the first of the examples', { examples: [{ id: 1 }, { id: 2 }] }, '{"id":1}'],
    ['the older form of it', { example: { id: 3 } }, '{"id":3}'],
    ['something harmless if there is none', { type: 'object' }, '{"success":true}'],
    ['something harmless if there is no schema', null, '{"success":true}'],
  ])('is %s, and goes to that endpoint only', async (_, schema, body) => {
    const world = engineWorld({ enforceSchemas: true })
    const { posthorn, transport } = world
    await posthorn.eventTypes.create({
      name: 'invoice.paid',
      description: '',
      schemas: schema === null ? null : { 1: false, 2: schema },
    })
    const { id } = await world.endpoint('acme', { types: ['user.made'] })
    await posthorn.endpoints.create({ application: 'acme', url: urlOf('other') })
    await posthorn.start()
    const message = await posthorn.endpoints.sendExample(id, 'invoice.paid')
    await posthorn.idle()
    expect(message).toMatchObject({ type: 'invoice.paid' })
    expect(transport.requests).toMatchObject([{ url: urlOf('acme'), body }])
    expect(Buffer.from(message.body).toString()).toBe(body)
  })

  test('of an event type that nobody has defined is harmless, and of what is none refused', async () => {
    const world = engineWorld()
    const { id } = await world.endpoint('acme')
    expect(Buffer.from((await world.posthorn.endpoints.sendExample(id, 'any.type')).body).toString()).toBe(
      '{"success":true}',
    )
    expect(await refusal(() => world.posthorn.endpoints.sendExample(id, 'no type'))).toMatchObject({
      code: 'invalid_event_type',
    })
    await world.posthorn.endpoints.disable(id)
    expect(await refusal(() => world.posthorn.endpoints.sendExample(id, 'any.type'))).toMatchObject({
      code: 'invalid_argument',
    })
  })
})

describe('the headers of the signature', () => {
  test.each(['webhook', 'svix', 'acme-hooks'])('begin with %s if that is set, and verify', async (headerPrefix) => {
    const world = engineWorld({ headerPrefix: headerPrefix.toUpperCase() })
    const { secrets } = await world.endpoint('acme')
    await world.posthorn.start()
    const { id } = await world.posthorn.send(paid)
    await world.posthorn.idle()
    const [request] = world.transport.requests
    const { headers = {}, body = '' } = request ?? {}
    expect(Object.keys(headers).filter((name) => name.endsWith('-signature'))).toEqual([`${headerPrefix}-signature`])
    expect(
      verify(body, headers, secrets[0]?.value ?? '', { now: world.clock.now(), prefix: headerPrefix }),
    ).toMatchObject({ messageId: id })
    expect(await refusal(() => world.endpoint('bad', { headers: { [`${headerPrefix}-id`]: '1' } }))).toMatchObject({
      code: 'invalid_header',
    })
  })

  test('cannot begin with just anything', async () => {
    expect(await refusal(() => engineWorld({ headerPrefix: 'a b' }))).toMatchObject({
      code: 'invalid_argument',
      message: expect.stringContaining('`headerPrefix`'),
    })
  })
})

describe('applications', () => {
  test.each(stores)('keep what was set on $name', async (kind) => {
    const { posthorn, clock } = await worldOn(kind)
    const made = await posthorn.applications.create({
      uid: 'acme',
      name: 'Acme',
      metadata: { plan: 'gold' },
      ratePerSecond: 5,
    })
    expect(made).toMatchObject({ uid: 'acme', name: 'Acme', metadata: { plan: 'gold' }, ratePerSecond: 5 })
    expect(await posthorn.applications.get('acme')).toEqual(made)
    await clock.advance(1)
    const changed = await posthorn.applications.update('acme', { uid: null, metadata: {}, ratePerSecond: null })
    expect(changed).toEqual({ ...made, uid: null, metadata: {}, ratePerSecond: null, updatedAt: clock.now() })
    expect(await refusal(() => posthorn.applications.get('acme'))).toMatchObject({ code: 'not_found' })
    expect(await posthorn.applications.list({ order: 'descending' })).toEqual([changed])
  })

  test.each<[string, object, string]>([
    ['metadata that is no table', { metadata: [] }, '`metadata`'],
    ['metadata that is no text', { metadata: { a: 1 } }, '`metadata`'],
    ['a rate of nothing', { ratePerSecond: 0 }, '`ratePerSecond`'],
    ['a name that is none', { name: 7 }, '`name`'],
    ['a bad uid', { uid: 'a b' }, '`uid`'],
  ])('refuse %s', async (_, input, place) => {
    const { posthorn } = engineWorld()
    await posthorn.applications.create({ uid: 'acme' })
    expect((await refusal(() => posthorn.applications.create(input))).message).toContain(place)
    expect((await refusal(() => posthorn.applications.update('acme', input))).message).toContain(place)
  })
})

test('the name of an event is refused within a transaction, where two could take it', async () => {
  const { posthorn } = engineWorld()
  const error = await refusal(() => posthorn.send({ ...paid, eventId: 'invoice-7' }, { tx: {} }))
  expect(error).toMatchObject({
    code: 'invalid_argument',
    message: expect.stringContaining('Expected `eventId` to be left out within a transaction'),
  })
})

test.each([
  ['', 'text'],
  ['x'.repeat(257), 'text'],
  [7, 'text'],
  ['msg_0000000000000000001', "Posthorn's own ids"],
])('%j is no event id', async (eventId, place) => {
  const { posthorn } = engineWorld()
  expect((await refusal(() => posthorn.send({ ...paid, eventId: eventId as string }))).message).toContain(place)
})

test('a page in an order that is none is refused', async () => {
  const { posthorn }: EngineWorld = engineWorld()
  expect(await refusal(() => posthorn.applications.list({ order: 'random' as never }))).toMatchObject({
    code: 'invalid_argument',
  })
})
