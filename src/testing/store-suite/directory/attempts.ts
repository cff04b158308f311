import assert from 'node:assert/strict'
import type { Endpoint } from '../../../core/endpoint/endpoint.ts'
import { attemptId } from '../../../core/ids.ts'
import type { AttemptFilter, AttemptOfDelivery } from '../../../core/ports/directory/deliveries.ts'
import type { Page, Scan } from '../../../core/ports/directory/page.ts'
import { minute } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import { dead, delivered, failed, tookMs } from '../queue/marks.ts'
import { copies, has, leaseMs, only, start, times } from '../world.ts'
import type { World } from '../world.ts'

// More than a store reads of a list in one call.
const manyDeliveries = 1_300

export const attemptCases = [
  storeCase(
    'attempts are listed by delivery and epoch, either way round, page by page, and end with null',
    async (world) => {
      const { endpoint, attempts } = await fourAttempts(world)
      for (const order of ['descending', 'ascending', undefined] as const) {
        const wanted = order === 'ascending' ? attempts : attempts.toReversed()
        for (const limit of [1, 3, 4]) {
          const pages = await allPages(world, { endpointId: endpoint.id }, { limit, order })
          assert.deepEqual(pages.flat(), wanted)
          assert.equal(pages.length, Math.ceil(wanted.length / limit))
        }
      }
    },
  ),

  storeCase('a listed attempt comes with its number and its whole delivery', async (world) => {
    const { endpoint, attempts } = await fourAttempts(world)
    const { items } = await world.directory.listAttempts(
      { endpointId: endpoint.id, succeeded: true },
      { limit: 10, after: null },
    )
    const retry = items.find(({ attempt }) => attempt.id === attempts[1])
    assert.deepEqual(retry?.delivery, await world.delivery(retry?.delivery.id ?? ''))
    assert.deepEqual(retry?.attempt, (await world.directory.attempts(retry?.delivery.id ?? ''))[1])
    has(retry?.attempt, { number: 2, epoch: 2, statusCode: 200 })
  }),

  storeCase('a list of attempts is of what all given conditions pick', async (world) => {
    const { endpoint, messageId, attempts } = await fourAttempts(world)
    const [first = '', retry = '', broken = '', unanswered = ''] = attempts
    const endpointId = endpoint.id
    const table: [AttemptFilter, string[]][] = [
      [{ endpointId }, attempts],
      [{ messageId }, [first, retry]],
      [{ endpointId, messageId }, [first, retry]],
      [{ endpointId: world.id('ep'), messageId }, []],
      [{ endpointId, succeeded: true }, [retry]],
      [{ endpointId, succeeded: false }, [first, broken, unanswered]],
      [{ endpointId, statusCodeClass: 200 }, [retry]],
      [{ endpointId, statusCodeClass: 500 }, [first, broken]],
      [{ endpointId, statusCodeClass: 0 }, [unanswered]],
      [{ endpointId, types: ['order.made'] }, [broken]],
      [{ endpointId, types: [] }, []],
      [{ endpointId, channel: 'eu' }, [first, retry]],
      [{ endpointId, since: start + minute - tookMs }, [retry, broken, unanswered]],
      [{ endpointId, until: start + minute - tookMs }, [first]],
      [{ endpointId, since: start + minute - tookMs, until: start + 2 * minute + 1, succeeded: false }, [broken]],
    ]
    for (const [filter, wanted] of table) {
      const { items, next } = await world.directory.listAttempts(filter, { limit: 10, after: null })
      assert.deepEqual(idsOf(items), wanted.toReversed(), JSON.stringify(filter))
      assert.equal(next, null)
    }
  }),

  storeCase('an attempt among many deliveries that were never sent is found in steps', async (world) => {
    const endpoint = await world.endpoint()
    const early = await world.settled(endpoint, delivered)
    const envelopes = copies(world, await world.envelope([endpoint], { at: start + 1 }), manyDeliveries)
    await world.queue.enqueue({ owner: 'anna', leaseMs, now: start, envelopes })
    const late = await world.settled(endpoint, delivered, { at: start + 60 * minute })
    const wanted = [attemptId(late, 1), attemptId(early, 1)]
    assert.deepEqual((await allPages(world, { endpointId: endpoint.id }, { limit: 10 })).flat(), wanted)
    assert.deepEqual(
      (await allPages(world, { endpointId: endpoint.id }, { limit: 10, order: 'ascending' })).flat(),
      wanted.toReversed(),
    )
  }),

  storeCase('an erased attempt keeps everything but the answer', async (world) => {
    const deliveryId = await world.settled(await world.endpoint(), delivered)
    const before = only(await world.directory.attempts(deliveryId))
    assert.equal(before.responseBody, 'ok')
    assert.equal(await world.directory.eraseAttempt({ deliveryId, epoch: before.epoch, now: start }), true)
    assert.deepEqual(await world.directory.attempts(deliveryId), [{ ...before, responseBody: null }])
    const refused = await world.settled(await world.endpoint(), failed)
    assert.equal(await world.directory.eraseAttempt({ deliveryId: refused, epoch: 1, now: start }), true)
    has(only(await world.directory.attempts(refused)), { responseBody: null, diagnostics: null, statusCode: 500 })
    assert.equal(await world.directory.eraseAttempt({ deliveryId, epoch: 7, now: start }), false)
    assert.equal(await world.directory.eraseAttempt({ deliveryId: world.id('dlv'), epoch: 1, now: start }), false)
  }),

  storeCase('the counts of an endpoint are by what became of its deliveries, within a time', async (world) => {
    const [endpoint, other] = [await world.endpoint(), await world.endpoint()]
    await world.settled(other, delivered)
    for (const settle of [delivered, delivered, dead]) await world.settled(endpoint, settle)
    await world.settled(endpoint, failed)
    await world.sendOne(endpoint, { leasedBy: 'anna' })
    await times(2, () => world.sendOne(endpoint))
    const gone = await world.sendOne(endpoint)
    await world.queue.cancel({ filter: { ids: [gone] }, as: 'cancelled', now: start, limit: 1, by: { name: 'maria' } })
    const later = start + 10 * minute
    await world.settled(endpoint, delivered, { at: later })
    await world.sendOne(endpoint, { at: later })

    const { id } = endpoint
    const early = { delivered: 2, dead: 1, cancelled: 1, fresh: 2, retrying: 2 }
    assert.deepEqual(await world.directory.endpointCounts(id, start, later), early)
    assert.deepEqual(await world.directory.endpointCounts(id, later, later + minute), {
      delivered: 1,
      dead: 0,
      cancelled: 0,
      fresh: 1,
      retrying: 0,
    })
    assert.deepEqual(await world.directory.endpointCounts(id, start, later + minute), {
      ...early,
      delivered: 3,
      fresh: 3,
    })
    assert.deepEqual(await world.directory.endpointCounts(world.id('ep'), start, later), {
      delivered: 0,
      dead: 0,
      cancelled: 0,
      fresh: 0,
      retrying: 0,
    })
  }),
]

/** One that failed and then succeeded, one that failed, one without a response; oldest first. And one of another endpoint. */
async function fourAttempts(world: World): Promise<{ endpoint: Endpoint; messageId: string; attempts: string[] }> {
  const endpoint = await world.endpoint()
  const retried = await world.settled(endpoint, failed, { message: { channels: ['eu'] } })
  const claim = await world.claimOne({ from: endpoint, lane: 'retries', at: start + minute })
  await world.mark([delivered(claim, start + minute)], { at: start + minute })
  const broken = await world.settled(endpoint, dead, { at: start + 2 * minute, message: { type: 'order.made' } })
  const unanswered = await world.settled(
    endpoint,
    (held, at) => {
      const settled = failed(held, at)
      return {
        ...settled,
        attempt:
          settled.attempt === null
            ? null
            : { ...settled.attempt, outcome: 'timeout', statusCode: null, responseBody: null },
      }
    },
    { at: start + 3 * minute },
  )
  await world.settled(await world.endpoint(), delivered)
  await world.sendOne(endpoint, { at: start + 4 * minute })
  const { messageId } = await world.delivery(retried)
  return {
    endpoint,
    messageId,
    attempts: [attemptId(retried, 1), attemptId(retried, 2), attemptId(broken, 1), attemptId(unanswered, 1)],
  }
}

/** Pages until there are no more; a store may return an empty page before. */
async function allPages(world: World, filter: AttemptFilter, page: Omit<Page, 'after'>): Promise<string[][]> {
  const pages: string[][] = []
  let after: string | null = null
  for (let asked = 0; asked < 20; asked += 1) {
    const scan: Scan<AttemptOfDelivery> = await world.directory.listAttempts(filter, { ...page, after })
    assert.ok(scan.items.length <= page.limit)
    pages.push(idsOf(scan.items))
    if (scan.next === null) return pages
    after = scan.next
  }
  return assert.fail('the list comes to an end')
}

function idsOf(items: readonly AttemptOfDelivery[]): string[] {
  return items.map(({ attempt }) => attempt.id)
}
