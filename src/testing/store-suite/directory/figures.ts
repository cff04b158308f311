import assert from 'node:assert/strict'
import { healthy } from '../../../core/endpoint/health.ts'
import type { SettledAttempt } from '../../../core/ports/queue.ts'
import { hour, minute } from '../../../core/time.ts'
import type { Instant } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import { dead, deadAs, delivered, failed, failedUntil } from '../queue/marks.ts'
import type { Held } from '../queue/marks.ts'
import { start, times } from '../world.ts'

const by = { name: 'kim', reason: 'asked to' }

export const figureCases = [
  storeCase('an endpoint is told by its backlog, its hours and its last success, in the order asked', async (world) => {
    const [busy, quiet] = [await world.endpoint(), await world.endpoint()]
    await world.settled(busy, delivered, { at: start + 61_000 })
    await world.settled(busy, delivered, { at: start + hour })
    await world.settled(busy, dead, { at: start + hour + 59 * minute })
    await world.settled(busy, failed, { at: start + 2 * hour })
    await world.send([busy, busy], { at: start + 2 * hour })
    assert.deepEqual(await world.directory.endpointFigures([quiet.id, busy.id], start + hour), [
      { backlog: 0, backlogAtLeast: false, lastSuccessAt: null, hours: [] },
      {
        backlog: 3,
        backlogAtLeast: false,
        lastSuccessAt: start + hour,
        hours: [
          { at: start + hour, delivered: 1, failed: 0, dead: 1 },
          { at: start + 2 * hour, delivered: 0, failed: 1, dead: 0 },
        ],
      },
    ])
    assert.deepEqual(await world.directory.endpointFigures([], start), [])
  }),

  storeCase('endpoints that only fail come worst first, of one application or of all', async (world) => {
    const [bad, worse, gone, well] = await times(4, () => world.endpoint())
    assert.ok(bad !== undefined && worse !== undefined && gone !== undefined && well !== undefined)
    for (const [endpoint, failedAttempts] of [
      [bad, 3],
      [worse, 20],
      [gone, 90],
    ] as const) {
      assert.equal(await world.queue.saveHealth(endpoint.id, { ...healthy, failingSince: start, failedAttempts }), true)
    }
    assert.equal(await world.queue.saveHealth(well.id, { ...healthy, failures: 3 }), true)
    await world.change(gone, { status: 'deleted' })
    const list = async (filter: { applicationId?: string }, limit = 10): Promise<string[]> =>
      (await world.directory.failingEndpoints(filter, limit)).map(({ id }) => id)
    assert.deepEqual(await list({}), [worse.id, bad.id])
    assert.deepEqual(await list({}, 1), [worse.id])
    assert.deepEqual(await list({ applicationId: bad.applicationId }), [bad.id])
  }),

  storeCase('endpoints are counted by their health, and deleted ones not at all', async (world) => {
    const none = { active: 0, failing: 0, held: 0, paused: 0, disabled: 0 }
    assert.deepEqual(await world.directory.endpointHealthCounts(start), none)
    const [well, failing, held, paused, gone] = await times(5, () => world.endpoint())
    assert.ok(well !== undefined && failing !== undefined && held !== undefined && paused !== undefined)
    assert.ok(gone !== undefined)
    await world.queue.saveHealth(well.id, { ...healthy, failures: 3 })
    await world.queue.saveHealth(failing.id, { ...healthy, failingSince: start, failedAttempts: 3 })
    await world.queue.saveHealth(held.id, { ...healthy, heldUntil: start + 5, failingSince: start })
    await world.queue.saveHealth(paused.id, { ...healthy, heldUntil: start + 5 })
    await world.change(paused, { status: 'paused' })
    await world.change(gone, { status: 'deleted' })
    assert.deepEqual(await world.directory.endpointHealthCounts(start), {
      ...none,
      active: 1,
      failing: 1,
      held: 1,
      paused: 1,
    })
    await world.change(well, { status: 'disabled' })
    assert.deepEqual(await world.directory.endpointHealthCounts(start + 5), {
      ...none,
      failing: 2,
      paused: 1,
      disabled: 1,
    })
  }),

  storeCase('how the newest attempts failed is counted by outcome, and successes are not', async (world) => {
    const endpoint = await world.endpoint()
    await world.settled(endpoint, timedOut, { at: start })
    for (const at of [start + 1, start + 2]) await world.settled(endpoint, failed, { at })
    await world.settled(endpoint, delivered, { at: start + 3 })
    assert.deepEqual(await world.directory.failuresOf(endpoint.id, 10), [
      { outcome: 'answered', statusCode: 500, count: 2 },
      { outcome: 'timeout', statusCode: null, count: 1 },
    ])
    assert.deepEqual(await world.directory.failuresOf(endpoint.id, 2), [
      { outcome: 'answered', statusCode: 500, count: 1 },
    ])
  }),

  storeCase('dead letters are grouped by endpoint, reason and first line, the largest group first', async (world) => {
    const [mine, yours] = [await world.endpoint(), await world.endpoint()]
    await world.settled(mine, saying('HTTP 500: down\nat noon'), { at: start })
    await world.settled(mine, saying('HTTP 500: down\nat one'), { at: start + 5 })
    await world.settled(mine, saying(null), { at: start + 1 })
    await world.settled(yours, deadAs('crashed'), { at: start + 2 })
    await world.settled(yours, delivered)
    const about = { endpointId: mine.id, applicationId: mine.applicationId, reason: 'exhausted' } as const
    const groups = [
      { ...about, errorDetail: 'HTTP 500: down', count: 2, newestAt: start + 5 },
      { ...about, errorDetail: null, count: 1, newestAt: start + 1 },
    ]
    const crashed = {
      endpointId: yours.id,
      applicationId: yours.applicationId,
      reason: 'crashed',
      errorDetail: 'HTTP 500',
      count: 1,
      newestAt: start + 2,
    } as const
    assert.deepEqual(await world.directory.deadLetters({}, 10), [groups[0], crashed, groups[1]])
    assert.deepEqual(await world.directory.deadLetters({ endpointId: mine.id }, 10), groups)
    assert.deepEqual(await world.directory.deadLetters({ applicationId: yours.applicationId }, 10), [crashed])
    assert.deepEqual(
      (await world.directory.deadLetters({ endpointId: mine.id }, 1)).map(({ count }) => count),
      [1],
    )
  }),

  storeCase('how many retries go before one is told by the order of a claim', async (world) => {
    const [endpoint, other] = [await world.endpoint(), await world.endpoint()]
    const first = await world.settled(endpoint, failedUntil(start + 5), { at: start })
    const second = await world.settled(endpoint, failedUntil(start + 5), { at: start + 1 })
    const last = await world.settled(endpoint, failedUntil(start + 9), { at: start })
    await world.settled(other, failedUntil(start), { at: start })
    await world.send(endpoint, { at: start })
    const before = async (id: string, most = 10): Promise<number> =>
      world.directory.dueBefore(await world.delivery(id), most)
    assert.deepEqual(
      [await before(first), await before(second), await before(last), await before(last, 1)],
      [0, 1, 2, 1],
    )
  }),

  storeCase('the overview of one application is that of its own', async (world) => {
    const [mine, yours] = [await world.endpoint(), await world.endpoint()]
    await world.settled(mine, delivered)
    await world.settled(yours, dead)
    await world.send([yours, yours])
    const {
      delivered: done,
      dead: lost,
      queue,
    } = await world.directory.overview({ now: start, windowMs: hour, applicationId: yours.applicationId })
    assert.deepEqual(
      { done, lost, queue },
      { done: 0, lost: 1, queue: { fresh: 2, retries: 0, held: 0, dead: 1, atLeast: false, oldestDueAt: start } },
    )
    assert.equal(
      (await world.directory.overview({ now: start, windowMs: hour, applicationId: mine.applicationId })).queue
        .oldestDueAt,
      null,
    )
  }),

  storeCase('what waits at endpoints that are paused, disabled or held counts as held', async (world) => {
    const [open, paused, disabled, held] = await times(4, () => world.endpoint())
    assert.ok(open !== undefined && paused !== undefined && disabled !== undefined && held !== undefined)
    for (const endpoint of [open, paused, disabled, held]) {
      await world.send(endpoint)
      await world.settled(endpoint, failed)
    }
    await world.change(paused, { status: 'paused' })
    await world.change(disabled, { status: 'disabled' })
    await world.queue.saveHealth(held.id, { ...healthy, heldUntil: start + minute })
    const depth = async (now: number): Promise<number[]> => {
      const { queue } = await world.directory.overview({ now, windowMs: hour })
      return [queue.fresh, queue.retries, queue.held]
    }
    assert.deepEqual(await depth(start), [1, 1, 6])
    assert.deepEqual(await depth(start + minute), [2, 2, 4])
  }),

  storeCase(
    'endpoints are found by a text in url, description or uid, whatever its case, and a pattern is only text',
    async (world) => {
      const { id: applicationId } = await world.application()
      const [byUrl, byWords, byName] = [
        await world.endpoint({ applicationId, url: 'https://Shop.example/a_b' }),
        await world.endpoint({ applicationId, description: 'For the SHOP, 100% of it' }),
        await world.endpoint({ applicationId, uid: 'shop-1' }),
      ]
      await world.endpoint({ applicationId, url: 'https://other.example/axb' })
      const found = async (text: string): Promise<string[]> =>
        (await world.directory.listEndpoints({ applicationId, text }, { limit: 10, after: null }))
          .map(({ id }) => id)
          .toSorted()
      assert.deepEqual(await found('shop'), [byUrl.id, byWords.id, byName.id].toSorted())
      assert.deepEqual(await found('a_b'), [byUrl.id])
      assert.deepEqual(await found('0%'), [byWords.id])
      assert.deepEqual(await found('!'), [])
    },
  ),

  storeCase('who did what is noted with what was done, and not with what was not', async (world) => {
    const endpoint = await world.endpoint()
    const key = {
      id: world.id('key'),
      name: '',
      applicationId: null,
      access: 'write',
      hash: 'h',
      hint: '',
      createdAt: start,
      expiresAt: null,
      revokedAt: null,
      createdFrom: null,
      sessionOf: null,
      portal: null,
    } as const
    await world.directory.updateEndpoint(endpoint.id, { status: 'paused' }, start + 1, { action: 'pause', by })
    await world.directory.updateEndpoint(world.id('ep'), { status: 'paused' }, start + 1, { action: 'pause', by })
    await world.directory.updateEndpoint(endpoint.id, { description: 'x' }, start + 1)
    await world.directory.rotateSecret({
      endpointId: endpoint.id,
      secret: { id: world.id('sec'), value: `whsec_${'a'.repeat(40)}`, createdAt: start, expiresAt: null },
      othersEndAt: start,
      now: start + 2,
      by,
    })
    await world.directory.createKey(key, { action: 'key.create', by })
    for (const at of [start + 4, start + 5]) await world.directory.revokeKey(key.id, at, { action: 'key.revoke', by })
    await world.directory.note({ action: 'reveal', by, target: endpoint.id, at: start + 6 })
    const audit = (await world.directory.audit({}, { limit: 10, after: null, order: 'ascending' })).map(
      ({ action, actor, target, count, reason }) => [action, actor, target, count, reason],
    )
    assert.deepEqual(
      audit.toSorted(([one], [other]) => (String(one) < String(other) ? -1 : 1)),
      [
        ['key.create', 'kim', key.id, 1, 'asked to'],
        ['key.revoke', 'kim', key.id, 1, 'asked to'],
        ['pause', 'kim', endpoint.id, 1, 'asked to'],
        ['reveal', 'kim', endpoint.id, 1, 'asked to'],
        ['rotate', 'kim', endpoint.id, 1, 'asked to'],
      ],
    )
  }),

  storeCase('a session is a key that no list shows', async (world) => {
    const session = {
      id: world.id('key'),
      name: 'kim',
      applicationId: null,
      access: 'read',
      hash: 'h',
      hint: 'phs_',
      createdAt: start,
      expiresAt: start + hour,
      revokedAt: null,
      createdFrom: null,
      sessionOf: world.id('key'),
      portal: null,
    } as const
    await world.directory.createKey(session)
    assert.deepEqual(await world.directory.key(session.id), session)
    assert.deepEqual(await world.directory.keyByHash('h'), session)
    assert.equal(await world.directory.key(session.sessionOf), null)
    assert.deepEqual(await world.directory.listKeys({ livingAt: start }, { limit: 10, after: null }), [])
  }),

  storeCase('messages are read by their ids; what is not there is left out', async (world) => {
    const endpoint = await world.endpoint()
    const [one, other] = [
      await world.delivery(await world.sendOne(endpoint)),
      await world.delivery(await world.sendOne(endpoint)),
    ]
    const found = await world.directory.messagesById([one.messageId, world.id('msg'), other.messageId, one.messageId])
    assert.deepEqual(found.map(({ id }) => id).toSorted(), [one.messageId, other.messageId].toSorted())
    assert.deepEqual(await world.directory.messagesById([]), [])
  }),

  storeCase('processes tell each other while somebody watches, in order, and forget it soon', async (world) => {
    assert.equal(await world.directory.areEventsWatched(start), false)
    await world.directory.watchEvents(start + 10)
    await world.directory.watchEvents(start + 5)
    assert.deepEqual(
      [await world.directory.areEventsWatched(start + 9), await world.directory.areEventsWatched(start + 10)],
      [true, false],
    )
    const tell = (at: number) =>
      ({
        id: world.id('evt', at),
        type: 'breaker.closed',
        at,
        applicationId: 'app_1',
        endpointId: 'ep_1',
        event: { type: 'breaker.closed', topic: 'gateway:webhooks', at, webhook_id: 'ep_1' },
      }) as const
    const [first, second, third] = [tell(start), tell(start + 1), tell(start + 2)]
    await world.directory.addEvents('anna', [second, first], start)
    await world.directory.addEvents('bert', [third], start)
    assert.deepEqual(await world.directory.eventsFrom(first.id, 'carl', 10), [first, second, third])
    assert.deepEqual(await world.directory.eventsFrom(second.id, 'bert', 10), [second])
    assert.deepEqual(await world.directory.eventsFrom(first.id, 'carl', 1), [first])
    await world.directory.addEvents('bert', [third], start + 2)
    assert.deepEqual(await world.directory.eventsFrom(first.id, 'carl', 10), [third])
  }),
]

function timedOut(claim: Held, at: Instant): SettledAttempt {
  const { attempt, ...rest } = failed(claim, at)
  return { ...rest, attempt: attempt === null ? null : { ...attempt, outcome: 'timeout', statusCode: null } }
}

function saying(errorDetail: string | null): (claim: Held, at: Instant) => SettledAttempt {
  return (claim, at) => {
    const end = dead(claim, at)
    return { ...end, mark: { ...end.mark, errorDetail } }
  }
}
