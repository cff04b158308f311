import { describe, expect, test } from 'vitest'
import type { PosthornOptions } from '../../src/posthorn.ts'
import { healthy } from '../../src/core/endpoint/health.ts'
import { day, hour, minute, second } from '../../src/core/time.ts'
import type { Disk } from '../../src/core/ports/meter.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'
import { stores, worldOn } from './stores.ts'
import type { StoreKind } from './stores.ts'
import { engineWorld, urlOf } from './world.ts'
import type { EngineWorld } from './world.ts'

const round = 15 * second
const target = 'https://ops.example/hook'
/** Every message has one attempt, so that an answer of 500 is a dead letter at once. */
const oneAttempt = { maxRetries: 0, breaker: false }

describe.each(stores)('alarms on $name', (kind) => {
  test('a dead letter is raised once, repeated once per cooldown, and resolved when none came for a window', async () => {
    const world = await alarmWorld(kind, { ...oneAttempt, alarmCooldownMs: minute })
    await world.endpoint('hook')
    world.transport.answer(urlOf('hook'), 500)
    await world.send('hook')
    await world.poll(round)
    expect(raised(world)).toEqual([['dead-letter', false]])
    expect(await world.posthorn.alarms.list()).toMatchObject([
      { id: 'dead-letter', severity: 'warning', endpointId: null, message: '1 dead letter in the last 5 minutes.' },
    ])
    await world.poll(minute - 1)
    expect(raised(world)).toHaveLength(1)
    await world.poll(round)
    expect(raised(world)).toEqual([
      ['dead-letter', false],
      ['dead-letter', true],
    ])
    expect(world.heard('alarm.resolved')).toEqual([])
    await world.poll(6 * minute)
    expect(world.heard('alarm.resolved')).toMatchObject([
      { alarm_id: 'dead-letter', message: 'No dead letter in the last 5 minutes.' },
    ])
    expect(await world.posthorn.alarms.list()).toEqual([])
  })

  test('operational webhooks carry the notice, as JSON and as Slack takes it, and arrive once', async () => {
    const world = await alarmWorld(kind, oneAttempt)
    await world.posthorn.alarms.addTarget({ url: target })
    await world.posthorn.alarms.addTarget({
      url: 'https://slack.example/hook',
      shape: 'slack',
      types: ['alarm.raised'],
    })
    await world.endpoint('hook')
    world.transport.answer(urlOf('hook'), 500)
    await world.send('hook', 20)
    await world.poll(round)
    await world.poll(round)
    const notices = bodiesAt(world, target).filter(({ type }) => type === 'alarm.raised')
    expect(notices.map(({ data }) => [data['signal'], data['severity'], data['value']])).toEqual([
      ['dead-letter-rate', 'page', 100],
      ['dead-letter', 'warning', 20],
    ])
    expect(world.transport.requests.filter(({ url }) => url.includes('slack')).map(({ body }) => body)).toEqual([
      '{"text":"*Page: dead letter rate*\\n100 % of the deliveries that ended in the last 5 minutes are dead letters; the threshold is 5 %."}',
      '{"text":"*Warning: dead letter*\\n20 dead letters in the last 5 minutes."}',
    ])
  })

  test('a target that was added a moment ago gets the test, and one that was removed does not', async () => {
    const world = await alarmWorld(kind, oneAttempt)
    expect(await world.posthorn.alarms.test()).toBe(0)
    const { id } = await world.posthorn.alarms.addTarget({ url: target })
    expect(await world.posthorn.alarms.test()).toBe(1)
    await world.posthorn.alarms.removeTarget(id)
    expect(await world.posthorn.alarms.test()).toBe(0)
  })

  test('an operational endpoint that fails, dead-letters and is disabled raises nothing and sends nothing', async () => {
    const world = await alarmWorld(kind, oneAttempt)
    const { id } = await world.posthorn.alarms.addTarget({ url: target })
    world.transport.answer(target, 500)
    for (let time = 0; time < 40; time += 1) await world.posthorn.alarms.test()
    await world.poll(round)
    await world.store.queue.saveHealth(id, {
      ...healthy,
      failingSince: world.clock.now() - 2 * day,
      failedAttempts: 50,
    })
    await world.poll(round)
    const generation = (await world.store.queue.health([id])).get(id)?.generation ?? 0
    await world.store.queue.disable({
      endpointId: id,
      url: target,
      generation,
      reason: 'it has only failed for five days',
      now: world.clock.now(),
    })
    await world.poll(10 * minute)
    expect(world.heard('delivery.dead').length).toBe(40)
    expect(world.heard('alarm.raised')).toEqual([])
    expect(new Set(bodiesAt(world, target).map(({ type }) => type))).toEqual(new Set(['alarm.test']))
    expect(world.heard('message.enqueued')).toHaveLength(40)
  })

  test('an endpoint that only fails is raised after a day, again the day before it is disabled, and resolved by a success', async () => {
    const world = await alarmWorld(kind)
    await world.posthorn.alarms.addTarget({ url: target })
    const { id } = await world.endpoint('hook', { uid: 'mine' })
    const failingSince = world.clock.now()
    await world.store.queue.saveHealth(id, { ...healthy, failingSince, failedAttempts: 10 })
    await world.clock.leap(day - minute)
    await world.poll(2 * round)
    expect(raised(world)).toEqual([])
    await world.poll(minute)
    await world.poll(round)
    expect(world.heard('alarm.raised')).toMatchObject([{ alarm_id: `endpoint-failing:${id}`, subject: id }])
    const failSince = new Date(failingSince).toISOString()
    const disabledAt = new Date(failingSince + 5 * day).toISOString()
    const names = { appUid: 'hook', endpointId: id, endpointUid: 'mine', failSince, disabledAt }
    expect(of(world, 'endpoint.failing')).toMatchObject([{ ...names, isLast: false }])
    await world.clock.leap(3 * day)
    await world.poll(2 * round)
    expect(of(world, 'endpoint.failing')).toMatchObject([{ isLast: false }, { ...names, isLast: true }])
    await world.send('hook')
    await world.poll(2 * round)
    expect(world.heard('alarm.resolved')).toMatchObject([{ alarm_id: `endpoint-failing:${id}` }])
  })

  test('an endpoint that answers 410 is raised as disabled, told in the words of Svix, and resolved when it is enabled', async () => {
    const world = await alarmWorld(kind)
    await world.posthorn.alarms.addTarget({ url: target })
    const { id } = await world.endpoint('hook')
    world.transport.answer(urlOf('hook'), 410)
    const failSince = new Date(world.clock.now()).toISOString()
    await world.send('hook')
    await world.poll(round)
    await world.poll(round)
    expect(raised(world)).toEqual([[`endpoint-disabled:${id}`, false]])
    const [application] = await world.posthorn.applications.list()
    expect(of(world, 'endpoint.disabled')).toEqual([
      { appId: application?.id, appUid: 'hook', endpointId: id, endpointUid: null, failSince },
    ])
    await world.posthorn.endpoints.enable(id)
    await world.poll(round)
    expect(world.heard('alarm.resolved')).toMatchObject([{ alarm_id: `endpoint-disabled:${id}` }])
  })

  test('an endpoint that a person disabled is no alarm', async () => {
    const world = await alarmWorld(kind)
    const { id } = await world.endpoint('hook')
    await world.posthorn.endpoints.disable(id, { by: 'anna' })
    await world.poll(2 * round)
    expect(world.heard('alarm.raised')).toEqual([])
  })

  test('what is due and waits is raised as late and as a backlog, and resolved once it has left', async () => {
    const world = await alarmWorld(kind, {
      alarmOldestDueMs: minute,
      alarmBacklogRows: 30,
      timeoutMs: 300_000,
      leaseMs: hour,
    })
    await world.endpoint('hook')
    const hold = world.transport.hold(urlOf('hook'))
    await world.send('hook', 40)
    await world.clock.advance(minute + round)
    expect(raised(world)).toEqual([
      ['backlog', false],
      ['oldest-due', false],
    ])
    hold.release()
    await world.poll(2 * round)
    expect(world.heard('alarm.resolved').map(({ signal }) => signal)).toEqual(['backlog', 'oldest-due'])
  })

  test('a worker that ended without a word, and a lease that was lost, are raised by whoever has the turn', async () => {
    const world = await alarmWorld(kind)
    const { directory } = world.store
    await world.store.beat(
      { id: 'killed', pid: 1, host: 'there', startedAt: world.clock.now() },
      { now: world.clock.now(), goneBefore: 0, sharesAmong: 0, waits: [] },
    )
    await directory.noteAlarm({ signal: 'lease-lost', count: 3, now: world.clock.now() })
    await world.poll(2 * round)
    expect(world.heard('alarm.raised').map(({ signal, value }) => [signal, value])).toEqual([
      ['lease-lost', 3],
      ['worker-lost', 1],
    ])
    await world.poll(6 * minute)
    expect(world.heard('alarm.resolved').map(({ signal }) => signal)).toEqual(['lease-lost', 'worker-lost'])
  })

  test('a raise is neither lost nor sent twice when its worker ends after it was decided', async () => {
    const world = await alarmWorld(kind, oneAttempt)
    await world.posthorn.alarms.addTarget({ url: target })
    await world.endpoint('hook')
    world.transport.answer(urlOf('hook'), 500)
    await world.send('hook')
    // The first notice is stored, but nobody gets to know that it was.
    let cut = 0
    world.store.bend = async ({ method, request }, run) => {
      const notes = method === 'saveAlarms' && JSON.stringify(request).includes('"owed":null')
      if (!notes || cut > 0) return run()
      cut += 1
      throw new Error('the worker ended here')
    }
    await world.poll(round)
    expect(cut).toBe(1)
    expect(of(world, 'alarm.raised')).toHaveLength(1)
    await world.posthorn.stop()
    const other = world.second()
    await other.start()
    await world.clock.advance(6 * round)
    await other.idle()
    expect(of(world, 'alarm.raised')).toHaveLength(1)
    expect(await world.store.directory.alarms()).toMatchObject([{ id: 'dead-letter', level: 1, owed: null }])
    await other.stop()
  })

  test('deliveries go on while alarms cannot be stored, and a warning says so', async () => {
    const world = await alarmWorld(kind)
    await world.endpoint('hook')
    world.store.bend = async ({ method }, run) => {
      if (method === 'alarmReadings') throw new Error('no')
      return run()
    }
    await world.send('hook')
    await world.poll(round)
    expect(world.heard('delivery.delivered')).toHaveLength(1)
    expect(world.heard('warning')).toMatchObject([{ code: 'store_error', message: expect.stringContaining('alarms') }])
    world.store.bend = (_, run) => run()
    await world.poll(round)
    expect(world.heard('warning')).toHaveLength(1)
  })
})

describe('messages that fail', () => {
  const memory = stores[0] as StoreKind

  test('are told of at the fourth failure, at the last, and when they came through after all', async () => {
    const world = await alarmWorld(memory, { breaker: false })
    await world.posthorn.alarms.addTarget({ url: target, types: ['message.attempt.*'] })
    await world.endpoint('hook', { uid: 'mine' })
    await world.endpoint('saved')
    world.transport.answer(urlOf('hook'), 503)
    world.transport.answer(urlOf('saved'), 500)
    const { id: msgId } = await world.posthorn.send({ application: 'hook', type: 'a.b', data: 1, eventId: 'order-1' })
    await world.send('saved')
    await world.poll(20 * minute)
    world.transport.answer(urlOf('saved'), 204)
    await world.poll(hour)
    const told = bodiesAt(world, target)
    const counts = (type: string): number => told.filter((one) => one.type === type).length
    expect(['failing', 'exhausted', 'recovered', 'summary'].map((name) => counts(`message.attempt.${name}`))).toEqual([
      2, 1, 1, 0,
    ])
    const exhausted = of(world, 'message.attempt.exhausted')[0]
    const [row] = await world.rows('hook')
    const attempts = await world.posthorn.deliveries.attempts(row?.id ?? '')
    const last = attempts.at(-1)
    expect(exhausted).toMatchObject({
      appUid: 'hook',
      endpointUid: 'mine',
      msgId,
      msgEventId: 'order-1',
      lastAttempt: {
        id: last?.id,
        responseStatusCode: 503,
        timestamp: new Date(last?.startedAt ?? 0).toISOString(),
      },
    })
  })

  test('are told of one by one up to thirty a minute, and the rest in one sum', async () => {
    const world = await alarmWorld(memory, oneAttempt)
    await world.posthorn.alarms.addTarget({ url: target, types: ['message.attempt.*'] })
    await world.endpoint('hook')
    world.transport.answer(urlOf('hook'), 500)
    await world.send('hook', 200)
    await world.poll(minute - second)
    expect(bodiesAt(world, target).map(({ type }) => type)).toEqual(Array(30).fill('message.attempt.exhausted'))
    await world.poll(2 * second)
    const summary = bodiesAt(world, target).at(-1)
    expect(summary).toMatchObject({
      type: 'message.attempt.summary',
      data: { counts: { 'message.attempt.exhausted': 170 } },
    })
    await world.poll(5 * minute)
    expect(bodiesAt(world, target)).toHaveLength(31)
  })
})

test('without alarms nothing is evaluated', async () => {
  const world = await alarmWorld(stores[0] as StoreKind, { ...oneAttempt, alarms: false })
  await world.endpoint('hook')
  world.transport.answer(urlOf('hook'), 500)
  await world.send('hook')
  await world.poll(hour)
  expect(world.heard('delivery.dead')).toHaveLength(1)
  expect(world.heard('alarm.raised')).toEqual([])
  expect(world.store.calls.some(({ method }) => method === 'alarmReadings')).toBe(false)
})

test('a disk that fills up is raised, becomes a page, and is resolved once there is space; one that cannot be read changes nothing', async () => {
  let freeBytes: number | null = 50
  const disk = async (): Promise<Disk> => {
    if (freeBytes === null) throw new Error('no such disk')
    return { freeBytes, sizeBytes: 100 }
  }
  const world = engineWorld({}, { ...memoryStore(), disk })
  await world.posthorn.start()
  await world.poll(round)
  expect(world.heard('alarm.raised')).toEqual([])
  freeBytes = 9
  await world.poll(round)
  freeBytes = 4
  await world.poll(round)
  expect(world.heard('alarm.raised').map(({ severity, value }) => [severity, value])).toEqual([
    ['warning', 91],
    ['page', 96],
  ])
  freeBytes = null
  await world.poll(round)
  expect(world.heard('warning').map(({ message }) => message)).toEqual([
    'The disk of the database could not be read: no such disk',
  ])
  expect(await world.posthorn.alarms.list()).toHaveLength(1)
  freeBytes = 13
  await world.poll(round)
  expect(world.heard('alarm.resolved')).toHaveLength(1)
})

test('a lease that another has taken is raised by the worker that lost it', async () => {
  const world = await alarmWorld(stores[0] as StoreKind)
  const { id } = await world.endpoint('hook')
  const hold = world.transport.hold(urlOf('hook'))
  await world.send('hook')
  await world.transport.sent(1)
  await world.posthorn.cancel({ endpointId: id })
  await world.clock.advance(2 * round)
  expect(world.heard('lease.lost')).toHaveLength(1)
  expect(raised(world)).toEqual([['lease-lost', false]])
  hold.release()
})

test('of several workers one evaluates', async () => {
  const world = await alarmWorld(stores[0] as StoreKind)
  const other = world.second()
  await other.start()
  await world.clock.advance(10 * round)
  expect(world.store.calls.filter(({ method }) => method === 'alarmReadings')).toHaveLength(10)
  await other.stop()
})

test.each([
  [
    { alarmDeadLetterWarnPercent: 5 },
    '`alarmDeadLetterWarnPercent` to be less than `alarmDeadLetterPagePercent`, which is 5, got 5',
  ],
  [{ alarmDeadLetterWarnPercent: 0 }, '`alarmDeadLetterWarnPercent` to be over 0 and at most 100 percent, got 0'],
  [{ alarmDeadLetterPagePercent: 101 }, '`alarmDeadLetterPagePercent` to be over 0 and at most 100 percent, got 101'],
  [{ alarmDiskPercent: 100 }, '`alarmDiskPercent` to be over 0 and at most 99 percent, got 100'],
  [{ alarmBacklogRows: 0 }, '`alarmBacklogRows` to be a whole number from 1 to 1000000, got 0'],
])('thresholds that make no sense are refused before anything starts: %j', async (options, sentence) => {
  await expect(alarmWorld(stores[0] as StoreKind, options)).rejects.toThrow(`Expected ${sentence}`)
})

async function alarmWorld(kind: StoreKind, options: Partial<PosthornOptions> = {}): Promise<EngineWorld> {
  const world = await worldOn(kind, options)
  await world.posthorn.start()
  return world
}

function raised(world: EngineWorld): [string, boolean][] {
  return world.heard('alarm.raised').map(({ alarm_id: id, repeated }) => [id, repeated])
}

interface Body {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
}

function bodiesAt({ transport }: EngineWorld, url: string): Body[] {
  return transport.requests.filter((request) => request.url === url).map(({ body }): Body => JSON.parse(body))
}

/** The data of the operational webhooks of a type. */
function of(world: EngineWorld, type: string): Body['data'][] {
  return bodiesAt(world, target)
    .filter((body) => body.type === type)
    .map(({ data }) => data)
}
