import assert from 'node:assert/strict'
import { hour, minute } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import { dead, deadAs, delivered, failed, failedUntil, taking, unsent } from '../queue/marks.ts'
import { has, leaseMs, start, times } from '../world.ts'

const by = { name: 'test' }

export const overviewCases = [
  storeCase('the overview of an empty store is all zeroes', async (world) => {
    assert.deepEqual(await world.directory.overview({ now: start, windowMs: hour }), {
      at: start,
      windowMs: hour,
      attempts: 0,
      delivered: 0,
      failed: 0,
      dead: 0,
      deadLetterRate: 0,
      alarm: 'none',
      latencyP50Ms: null,
      latencyP95Ms: null,
      queue: { fresh: 0, retries: 0, held: 0, dead: 0, atLeast: false, oldestDueAt: null },
      minutes: [],
    })
  }),

  storeCase('the overview counts what was marked, over all endpoints, minute by minute', async (world) => {
    const [mine, yours] = [await world.endpoint(), await world.endpoint()]
    await world.settled(mine, delivered, { at: start + 10 * minute + 5 })
    await world.settled(yours, failed, { at: start + 2 * minute + 59_999 })
    await world.settled(yours, delivered, { at: start + 2 * minute })
    await world.settled(mine, delivered, { at: start + 2 * minute + 30_000 })
    await world.settled(mine, dead, { at: start + 10 * minute })
    const overview = await world.directory.overview({ now: start + 11 * minute, windowMs: hour })
    has(overview, { attempts: 5, delivered: 3, failed: 1, dead: 1, deadLetterRate: 0.25, alarm: 'alarm' })
    assert.deepEqual(
      overview.minutes.map(({ minute: at, delivered: good, failed: bad, dead: lost }) => ({
        minute: at,
        delivered: good,
        failed: bad,
        dead: lost,
      })),
      [
        { minute: start + 2 * minute, delivered: 2, failed: 1, dead: 0 },
        { minute: start + 10 * minute, delivered: 1, failed: 0, dead: 1 },
      ],
    )
  }),

  storeCase('the overview is of its window', async (world) => {
    const endpoint = await world.endpoint()
    await world.settled(endpoint, dead, { at: start })
    await world.settled(endpoint, delivered, { at: start + 30 * minute })
    const overview = await world.directory.overview({ now: start + 40 * minute + 1, windowMs: 20 * minute })
    has(overview, {
      at: start + 40 * minute + 1,
      windowMs: 20 * minute,
      attempts: 1,
      delivered: 1,
      dead: 0,
      deadLetterRate: 0,
    })
    assert.deepEqual(
      overview.minutes.map(({ minute: at, delivered: count }) => [at, count]),
      [[start + 30 * minute, 1]],
    )
  }),

  storeCase('what was lost, or marked already, is not counted', async (world) => {
    const endpoint = await world.endpoint()
    await times(2, () => world.send(endpoint))
    const [won, lost] = await world.claim({ from: endpoint })
    assert.ok(won !== undefined && lost !== undefined)
    for (const answer of ['marked', 'already']) assert.deepEqual(await world.mark([delivered(won, start)]), [answer])
    assert.deepEqual(await world.mark([dead(lost, start)], { owner: 'bert' }), ['lost'])
    has(await world.directory.overview({ now: start, windowMs: hour }), { attempts: 1, delivered: 1, dead: 0 })
  }),

  storeCase('only exhausted and crashed count as dead letters; what people end is no failure', async (world) => {
    const endpoint = await world.endpoint()
    for (const reason of ['exhausted', 'crashed', 'expired', 'gone', 'cancelled'] as const)
      await world.settled(endpoint, deadAs(reason))
    await world.settled(endpoint, delivered)
    await world.settled(endpoint, delivered)
    const cancelled = await world.sendOne(endpoint)
    await world.queue.cancel({ filter: { ids: [cancelled] }, as: 'cancelled', now: start, limit: 1, by })
    has(await world.directory.overview({ now: start, windowMs: hour }), {
      delivered: 2,
      failed: 0,
      dead: 2,
      deadLetterRate: 0.5,
    })
  }),

  storeCase('latencies are told by the bucket they fall in, and a mark without an attempt has none', async (world) => {
    const endpoint = await world.endpoint()
    for (const ms of [3, 3, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 40, 900, 900]) {
      await world.settled(endpoint, taking(ms, delivered))
    }
    await world.settled(endpoint, (claim, at) => unsent(deadAs('crashed')(claim, at)))
    has(await world.directory.overview({ now: start, windowMs: hour }), {
      attempts: 22,
      dead: 1,
      latencyP50Ms: 50,
      latencyP95Ms: 1000,
    })
  }),

  storeCase('the queue is told by lane, with the time of its oldest due row', async (world) => {
    const [mine, yours] = [await world.endpoint(), await world.endpoint()]
    await world.send([mine, mine], { at: start + 2 })
    await world.send(yours, { at: start + 1, leasedBy: 'anna', dueAt: start + 3 })
    await world.settled(yours, failedUntil(start + minute))
    const requeued = await world.settled(mine, dead)
    await world.settled(mine, delivered)
    await world.queue.requeue({ filter: { ids: [requeued] }, now: start + 9, limit: 1, by })
    const { queue } = await world.directory.overview({ now: start + leaseMs, windowMs: hour })
    assert.deepEqual(queue, { fresh: 3, retries: 2, held: 0, dead: 0, atLeast: false, oldestDueAt: start + 2 })
  }),

  storeCase('what waits for a paused endpoint is held, and not late', async (world) => {
    const [mine, paused] = [await world.endpoint(), await world.endpoint()]
    await world.send(paused, { at: start })
    await world.send(mine, { at: start + 5 })
    await world.directory.updateEndpoint(paused.id, { status: 'paused' }, start + 6)
    const { queue } = await world.directory.overview({ now: start + minute, windowMs: hour })
    assert.deepEqual(queue, { fresh: 1, retries: 0, held: 1, dead: 0, atLeast: false, oldestDueAt: start + 5 })
  }),
]
