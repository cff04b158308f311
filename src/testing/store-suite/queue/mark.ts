import assert from 'node:assert/strict'
import { attemptId } from '../../../core/ids.ts'
import { minute } from '../../../core/time.ts'
import { storeCase } from '../case.ts'
import { dead, deadAs, delivered, diagnostics, failed, sentTo, taking, tookMs, unsent } from './marks.ts'
import { has, ids, leaseMs, only, start, times } from '../world.ts'

const by = { name: 'test' }

export const markCases = [
  storeCase('a success closes the row, ends its lease, and is told whole', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint)
    const claim = await world.claimOne({ from: endpoint })
    const settled = taking(70, delivered)(claim, start + 500)
    assert.deepEqual(await world.mark([settled], { at: start + 600 }), ['marked'])
    has(await world.delivery(deliveryId), {
      status: 'delivered',
      reason: null,
      attemptCount: 1,
      nextRetryAt: null,
      lastAttemptedAt: (settled.attempt?.startedAt ?? 0) + 70,
      errorDetail: null,
      targetUrl: sentTo,
      leaseOwner: null,
      leaseUntil: null,
      leaseEpoch: 1,
      crashCount: 0,
      createdAt: start,
      updatedAt: start + 600,
    })
  }),

  storeCase('a failure keeps the row open until its next time, in the lane of the retries', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.settled(endpoint, failed)
    has(await world.delivery(deliveryId), {
      status: 'failed',
      reason: null,
      attemptCount: 1,
      nextRetryAt: start + minute,
      errorDetail: 'HTTP 500',
      leaseOwner: null,
      leaseUntil: null,
    })
    assert.deepEqual(await world.claim({ from: endpoint, lane: 'fresh', at: start + minute }), [])
    assert.deepEqual(await world.claim({ from: endpoint, lane: 'retries', at: start + minute - 1 }), [])
    assert.deepEqual(ids(await world.claim({ from: endpoint, lane: 'retries', at: start + minute })), [deliveryId])
  }),

  storeCase('the last failure makes it dead, with a reason', async (world) => {
    const endpoint = await world.endpoint()
    for (const reason of ['exhausted', 'crashed', 'expired', 'gone'] as const) {
      const deliveryId = await world.settled(endpoint, deadAs(reason))
      has(await world.delivery(deliveryId), {
        status: 'dead',
        reason,
        attemptCount: 1,
        nextRetryAt: null,
        errorDetail: 'HTTP 500',
      })
    }
  }),

  storeCase('a success after failures clears what they left behind', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.settled(endpoint, failed)
    const claim = await world.claimOne({ from: endpoint, lane: 'retries', at: start + minute })
    await world.mark([delivered(claim, start + minute)], { at: start + minute })
    has(await world.delivery(deliveryId), {
      status: 'delivered',
      attemptCount: 2,
      errorDetail: null,
      nextRetryAt: null,
    })
  }),

  storeCase('every attempt is on record, in order and as it was', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.settled(endpoint, failed)
    const second = await world.claimOne({ from: endpoint, lane: 'retries', at: start + minute })
    const settled = failed(second, start + minute)
    const attempt = {
      epoch: 2,
      startedAt: start + minute - 3000,
      tookMs: 3000,
      outcome: 'timeout' as const,
      statusCode: null,
      responseBody: null,
      url: 'https://other.example/ü',
      diagnostics: null,
    }
    await world.mark([{ ...settled, attempt }], { at: start + minute })

    assert.deepEqual(await world.directory.attempts(deliveryId), [
      {
        id: attemptId(deliveryId, 1),
        deliveryId,
        epoch: 1,
        number: 1,
        startedAt: start - tookMs,
        tookMs,
        outcome: 'answered',
        statusCode: 500,
        responseBody: 'ok',
        url: sentTo,
        late: false,
        diagnostics,
      },
      { id: attemptId(deliveryId, 2), deliveryId, number: 2, ...attempt, late: false },
    ])
    assert.deepEqual(await world.directory.attempts(world.id('dlv')), [])
  }),

  storeCase('attempts are numbered over the whole life, requeues included', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.settled(endpoint, dead)
    for (const round of [1, 2]) {
      const at = start + round * minute
      await world.queue.requeue({ filter: { ids: [deliveryId] }, now: at, limit: 1, by })
      await world.mark([dead(await world.claimOne({ from: endpoint, lane: 'retries', at }), at)], { at })
    }
    const attempts = await world.directory.attempts(deliveryId)
    assert.deepEqual(
      attempts.map(({ number }) => number),
      [1, 2, 3],
    )
    has(await world.delivery(deliveryId), { attemptCount: 1 })
  }),

  storeCase('answers and errors are kept with every character', async (world) => {
    const endpoint = await world.endpoint()
    const text = `"quotes" 'and' \\slashes\\ \n new lines, ümläute, 日本語, 🎺, $1 ?1 :name %s; --`
    const deliveryId = await world.sendOne(endpoint)
    const settled = failed(await world.claimOne({ from: endpoint }), start)
    assert.ok(settled.attempt !== null)
    await world.mark([
      { ...settled, mark: { ...settled.mark, errorDetail: text }, attempt: { ...settled.attempt, responseBody: text } },
    ])
    has(await world.delivery(deliveryId), { errorDetail: text })
    has(only(await world.directory.attempts(deliveryId)), { responseBody: text })
  }),

  storeCase('a mark without an attempt records none, and leaves time and place of the last one', async (world) => {
    const endpoint = await world.endpoint()
    const [never, once] = [await world.sendOne(endpoint), await world.settled(endpoint, failed)]
    const claims = [
      await world.claimOne({ from: endpoint }),
      await world.claimOne({ from: endpoint, lane: 'retries', at: start + minute }),
    ]
    const marks = claims.map((claim) => unsent(deadAs('crashed')(claim, start + minute)))
    assert.deepEqual(await world.mark(marks, { at: start + minute }), ['marked', 'marked'])

    has(await world.delivery(never), {
      status: 'dead',
      reason: 'crashed',
      lastAttemptedAt: null,
      targetUrl: endpoint.url,
    })
    has(await world.delivery(once), { status: 'dead', reason: 'crashed', lastAttemptedAt: start, targetUrl: sentTo })
    assert.deepEqual(await world.directory.attempts(never), [])
    assert.equal((await world.directory.attempts(once)).length, 1)
  }),

  storeCase('a lease that ran out still marks as long as nobody has taken the row', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint)
    const claim = await world.claimOne({ from: endpoint })
    assert.deepEqual(await world.mark([delivered(claim, start + 10 * leaseMs)], { at: start + 10 * leaseMs }), [
      'marked',
    ])
    has(await world.delivery(deliveryId), { status: 'delivered' })
  }),

  storeCase('a wrong owner has lost: the row stays, the attempt is recorded as late', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint)
    const claim = await world.claimOne({ from: endpoint, owner: 'anna' })
    const before = await world.delivery(deliveryId)
    assert.deepEqual(await world.mark([delivered(claim, start)], { owner: 'bert' }), ['lost'])
    assert.deepEqual(await world.delivery(deliveryId), before)
    has(only(await world.directory.attempts(deliveryId)), { epoch: 1, late: true, statusCode: 200 })
  }),

  storeCase('an old epoch has lost, and the new owner marks as if nothing had been', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint)
    const old = await world.claimOne({ from: endpoint, owner: 'anna' })
    // The same owner after a restart: the epoch alone tells them apart.
    const live = await world.claimOne({ from: endpoint, owner: 'anna', at: start + leaseMs })
    const before = await world.delivery(deliveryId)
    assert.deepEqual(await world.mark([delivered(old, start + leaseMs)]), ['lost'])
    assert.deepEqual(await world.delivery(deliveryId), before)

    assert.deepEqual(await world.mark([failed(live, start + leaseMs)]), ['marked'])
    has(await world.delivery(deliveryId), { status: 'failed', attemptCount: 1 })
    const attempts = await world.directory.attempts(deliveryId)
    assert.deepEqual(
      attempts.map(({ epoch, late }) => ({ epoch, late })),
      [
        { epoch: 1, late: true },
        { epoch: 2, late: false },
      ],
    )
    assert.deepEqual(new Set(attempts.map(({ number }) => number)), new Set([1, 2]))
  }),

  storeCase('a loser who repeats its mark has lost again, and is recorded once', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint)
    const old = await world.claimOne({ from: endpoint, owner: 'anna' })
    await world.claim({ from: endpoint, owner: 'bert', at: start + leaseMs })
    for (const _ of [1, 2]) assert.deepEqual(await world.mark([delivered(old, start)]), ['lost'])
    has(only(await world.directory.attempts(deliveryId)), { late: true })
  }),

  storeCase('a mark that is repeated after a lost answer is known already, and changes nothing', async (world) => {
    const endpoint = await world.endpoint()
    const settles = [delivered, failed, dead]
    const sent = await times(settles.length, () => world.sendOne(endpoint))
    const claims = await world.claim({ from: endpoint })
    const marks = settles.flatMap((settle, index) =>
      claims[index] === undefined ? [] : [settle(claims[index], start)],
    )
    assert.deepEqual(await world.mark(marks), ['marked', 'marked', 'marked'])
    const before = await Promise.all(sent.map((id) => world.delivery(id)))

    assert.deepEqual(await world.mark(marks, { at: start + 1000 }), ['already', 'already', 'already'])
    assert.deepEqual(await Promise.all(sent.map((id) => world.delivery(id))), before)
    for (const id of sent) has(only(await world.directory.attempts(id)), { late: false })
  }),

  storeCase('a mark that is repeated is known already even after the row went on to others', async (world) => {
    const endpoint = await world.endpoint()
    await world.sendOne(endpoint)
    const first = failed(await world.claimOne({ from: endpoint }), start)
    await world.mark([first])
    await world.claim({ from: endpoint, lane: 'retries', owner: 'bert', at: start + minute })
    assert.deepEqual(await world.mark([first], { at: start + minute }), ['already'])
  }),

  storeCase('the same mark twice, in one batch or at the same time, is marked once', async (world) => {
    const endpoint = await world.endpoint()
    await times(2, () => world.send(endpoint))
    const [one, two] = (await world.claim({ from: endpoint })).map((claim) => delivered(claim, start))
    assert.ok(one !== undefined && two !== undefined)
    assert.deepEqual(await world.mark([one, one]), ['marked', 'already'])
    const answers = await times(4, () => world.mark([two]))
    assert.deepEqual(answers.flat().toSorted(), ['already', 'already', 'already', 'marked'])
  }),

  storeCase('answers come in the order given, and one refusal spoils no other', async (world) => {
    const endpoint = await world.endpoint()
    await times(4, () => world.send(endpoint))
    const claims = await world.claim({ from: endpoint, owner: 'anna' })
    const marks = claims.map((claim) => delivered(claim, start))
    const [first, second, third, fourth] = marks
    assert.ok(first !== undefined && second !== undefined && third !== undefined && fourth !== undefined)
    await world.mark([third])
    await world.queue.cancel({ filter: { ids: [second.deliveryId] }, as: 'cancelled', now: start, limit: 1, by })
    assert.deepEqual(await world.mark([fourth, third, second, first]), ['marked', 'already', 'lost', 'marked'])
    assert.deepEqual(await world.mark([]), [])
  }),

  storeCase('a cancelled row stays cancelled whatever its attempt comes to', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint)
    const claim = await world.claimOne({ from: endpoint })
    await world.queue.cancel({ filter: { ids: [deliveryId] }, as: 'cancelled', now: start, limit: 1, by })
    assert.deepEqual(await world.mark([delivered(claim, start)]), ['lost'])
    has(await world.delivery(deliveryId), { status: 'dead', reason: 'cancelled', attemptCount: 0 })
    has(only(await world.directory.attempts(deliveryId)), { late: true, statusCode: 200 })
  }),

  storeCase('a requeued row is out of the hands of whoever had it', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint)
    const claim = await world.claimOne({ from: endpoint })
    assert.equal(await world.queue.requeue({ filter: { ids: [deliveryId] }, now: start + leaseMs, limit: 1, by }), 1)
    assert.deepEqual(await world.mark([failed(claim, start + leaseMs)]), ['lost'])
    has(await world.delivery(deliveryId), { status: 'pending', attemptCount: 0, nextRetryAt: start + leaseMs })
  }),

  storeCase('a released row is out of the hands of whoever had it', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint)
    const claim = await world.claimOne({ from: endpoint })
    await world.queue.release({ owner: 'anna', now: start, leases: [{ deliveryId, epoch: claim.delivery.leaseEpoch }] })
    assert.deepEqual(await world.mark([delivered(claim, start)]), ['lost'])
    has(await world.delivery(deliveryId), { status: 'pending' })
  }),

  storeCase('a mark of an unknown delivery is lost', async (world) => {
    const endpoint = await world.endpoint()
    await world.send(endpoint)
    const claim = await world.claimOne({ from: endpoint })
    assert.deepEqual(await world.mark([{ ...delivered(claim, start), deliveryId: world.id('dlv') }]), ['lost'])
  }),

  storeCase('a refused mark without an attempt leaves nothing behind', async (world) => {
    const endpoint = await world.endpoint()
    const deliveryId = await world.sendOne(endpoint)
    const claim = await world.claimOne({ from: endpoint })
    assert.deepEqual(await world.mark([unsent(dead(claim, start))], { owner: 'bert' }), ['lost'])
    assert.deepEqual(await world.directory.attempts(deliveryId), [])
  }),

  storeCase('a large batch is marked whole', async (world) => {
    const endpoint = await world.endpoint()
    await times(400, () => world.send(endpoint))
    const claims = await world.claim({ from: endpoint, each: 400 })
    const answers = await world.mark(claims.map((claim) => delivered(claim, start)))
    assert.deepEqual(new Set(answers), new Set(['marked']))
    assert.equal(await world.directory.countDeliveries({ status: 'delivered' }, 1000), 400)
  }),
]
