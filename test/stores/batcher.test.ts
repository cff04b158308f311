import { describe, expect, test } from 'vitest'
import { PosthornError } from '../../src/core/errors.ts'
import type { Enqueued, EnqueueRequest, Envelope, Marked, Queue, SettledAttempt } from '../../src/core/ports/queue.ts'
import { batched } from '../../src/stores/shared/batching/batcher.ts'
import { loopTurns } from '../../src/stores/shared/batching/lane.ts'
import { memoryStore } from '../../src/testing/memory/store.ts'

const refused = new PosthornError('data_refused', 'It cannot be kept.')
const away = new PosthornError('store_failed', 'The store is away.')
const unknown = new PosthornError('outcome_unknown', 'The answer was lost.')

describe('messages that are sent at the same time', () => {
  test('are stored with one statement, and everyone is answered in order', async () => {
    const { queue, statements } = recorded()
    expect(await Promise.all(['a', 'b', 'c'].map((id) => queue.enqueue(send(id))))).toEqual([
      stored('a'),
      stored('b'),
      stored('c'),
    ])
    expect(statements).toEqual(['enqueue a b c'])
  })

  test('while one statement runs go into the next', async () => {
    const gate = makeGate()
    const { queue, statements } = recorded({
      before: async (statement) => (statement === 'enqueue a' ? gate.opened : undefined),
    })
    const early = queue.enqueue(send('a'))
    await turns(3)
    const late = ['b', 'c'].map((id) => queue.enqueue(send(id)))
    await turns(3)
    expect(statements).toEqual(['enqueue a'])
    gate.open()
    expect(await Promise.all([early, ...late])).toEqual([stored('a'), stored('b'), stored('c')])
    expect(statements).toEqual(['enqueue a', 'enqueue b c'])
  })

  test('are never two statements side by side, nor more than 500 in one', async () => {
    const { queue, statements, mostOpen } = recorded()
    const ids = Array.from({ length: 1_100 }, (_, index) => `m${index}`)
    expect(await Promise.all(ids.map((id) => queue.enqueue(send(id))))).toEqual(ids.map(stored))
    expect(statements.map((statement) => statement.split(' ').length - 1)).toEqual([500, 500, 100])
    expect(mostOpen()).toBe(1)
  })

  test('are waited for as long as every turn brings more, at most eight', async () => {
    let turn = 0
    const arriving: Promise<Enqueued[]>[] = []
    const { queue, statements } = recorded({
      turn: async () => void (turn < 20 ? arriving.push(queue.enqueue(send(`t${(turn += 1)}`))) : undefined),
    })
    await queue.enqueue(send('first'))
    expect(statements[0]).toBe('enqueue first t1 t2 t3 t4 t5 t6 t7 t8')
    await Promise.all(arriving)
  })

  test('a flood of one tenant waits for itself: whoever has little to store goes with the next statement', async () => {
    const gate = makeGate()
    const { queue, statements } = recorded({
      before: async (statement) => (statement === 'enqueue first' ? gate.opened : undefined),
    })
    const answers = [queue.enqueue(send('first'))]
    await turns(3)
    answers.push(...Array.from({ length: 300 }, (_, index) => queue.enqueue(of('flood', `f${index}`))))
    answers.push(...['c0', 'c1'].map((id) => queue.enqueue(of('calm', id))))
    gate.open()
    await Promise.all(answers)
    // Not all of the flood, which would take long; once it is alone again, all that is left.
    expect(statements.map((statement) => statement.split(' ').length - 1)).toEqual([1, 128 + 2, 300 - 128])
    expect(statements[1]).toMatch(/ c0 c1$/)
  })

  test('of a long queue, only what goes into the statement is looked at', async () => {
    const gate = makeGate()
    let looks = 0
    const { queue, statements } = recorded({
      before: async (statement) => (statement === 'enqueue first' ? gate.opened : undefined),
    })
    const first = queue.enqueue(send('first'))
    await turns(3)
    const watched = (tenant: string, id: string): EnqueueRequest => {
      const { envelopes, ...request } = of(tenant, id)
      return {
        ...request,
        get envelopes() {
          looks += 1
          return envelopes
        },
      }
    }
    const behind = Array.from({ length: 2_000 }, (_, index) => queue.enqueue(watched('behind', `b${index}`)))
    const flood = Array.from({ length: 20 }, (_, index) => queue.enqueue(watched('flood', `f${index}`)))
    looks = 0
    gate.open()
    await Promise.all([first, ...flood])
    const places = statements[1]?.split(' ').slice(1) ?? []
    expect(places.filter((id) => id.startsWith('b'))).toHaveLength(128)
    expect(looks).toBeLessThan(1_000)
    await Promise.all(behind)
  })

  test('by different owners, or with leases of different lengths, never share a statement', async () => {
    const { queue, statements } = recorded()
    const requests = [
      send('a'),
      send('b', { owner: 'bert' }),
      send('c'),
      send('d', { leaseMs: 7 }),
      send('e', { owner: 'bert' }),
    ]
    await Promise.all(requests.map((request) => queue.enqueue(request)))
    expect(statements).toEqual(['enqueue a c', 'enqueue b e', 'enqueue d'])
  })

  test('are stored at the latest of their times', async () => {
    const times: number[] = []
    const { queue } = recorded({ enqueued: ({ now }) => void times.push(now) })
    await Promise.all([
      queue.enqueue(send('a', { now: 5 })),
      queue.enqueue(send('b', { now: 9 })),
      queue.enqueue(send('c', { now: 7 })),
    ])
    expect(times).toEqual([9])
  })

  test('several in one request are answered together', async () => {
    const { queue, statements } = recorded()
    const [one, two] = await Promise.all([
      queue.enqueue({ ...send('a'), envelopes: [envelope('a'), envelope('b')] }),
      queue.enqueue(send('c')),
    ])
    expect([one, two]).toEqual([[...stored('a'), ...stored('b')], stored('c')])
    expect(statements).toEqual(['enqueue a b c'])
  })

  test('whoever does not want to begin is asked once, right before the statement, and nothing is written for it', async () => {
    const gate = makeGate()
    const asked: string[] = []
    const { queue, statements } = recorded({
      before: async (statement) => (statement === 'enqueue first' ? gate.opened : undefined),
    })
    const first = queue.enqueue(send('first'))
    await turns(3)
    const [yes, no] = [true, false].map((answer) =>
      queue.enqueue({ ...send(String(answer)), begins: () => (asked.push(String(answer)), answer) }),
    )
    await turns(3)
    expect(asked).toEqual([])
    gate.open()
    expect(await Promise.all([first, yes, no])).toEqual([stored('first'), stored('true'), [{ kind: 'withdrawn' }]])
    expect(statements).toEqual(['enqueue first', 'enqueue true'])
    expect(asked).toEqual(['true', 'false'])
  })
})

describe('a batch that fails', () => {
  test('E6 what was stored is answered as stored though a neighbour was refused', async () => {
    const { queue, statements } = recorded({
      before: async (statement) => refuseIf(statement.includes('bad'), refused),
    })
    const results = await Promise.allSettled(['a', 'b', 'c', 'bad', 'd', 'e'].map((id) => queue.enqueue(send(id))))
    expect(results.map((result) => (result.status === 'fulfilled' ? result.value : result.reason))).toEqual([
      stored('a'),
      stored('b'),
      stored('c'),
      refused,
      stored('d'),
      stored('e'),
    ])
    // By halves; and whatever was stored is stored once.
    expect(statements).toEqual([
      'enqueue a b c bad d e',
      'enqueue a b c',
      'enqueue bad d e',
      'enqueue bad d',
      'enqueue bad',
      'enqueue d',
      'enqueue e',
    ])
  })

  test('an id that is in use is the fault of one, too', async () => {
    const taken = new PosthornError('already_exists', 'It is in use.')
    const { queue } = recorded({ before: async (statement) => refuseIf(statement.includes('bad'), taken) })
    const results = await Promise.allSettled(['a', 'bad', 'c'].map((id) => queue.enqueue(send(id))))
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
  })

  test('nobody is asked again whether to begin when a batch is split', async () => {
    let asked = 0
    const { queue } = recorded({ before: async (statement) => refuseIf(statement.includes('bad'), refused) })
    await Promise.allSettled(
      ['a', 'b', 'bad', 'c'].map((id) => queue.enqueue({ ...send(id), begins: () => (asked += 1) > 0 })),
    )
    expect(asked).toBe(4)
  })

  test.each([
    ['away', away],
    ['unknown', unknown],
  ])('E7 a dead store answers five hundred senders at once (%s)', async (_, error) => {
    const { queue, statements } = recorded({ before: () => Promise.reject(error) })
    const results = await Promise.allSettled(
      Array.from({ length: 500 }, (__, index) => queue.enqueue(send(`m${index}`))),
    )
    expect(new Set(results.map((result) => (result.status === 'rejected' ? result.reason : 'stored')))).toEqual(
      new Set([error]),
    )
    expect(statements).toHaveLength(1)
  })

  test('and while it is split the store dies: the rest is answered at once, and no more statements are sent', async () => {
    const { queue, statements } = recorded({
      before: async (statement) => refuseIf(true, statement.split(' ').length > 5 ? refused : away),
    })
    const results = await Promise.allSettled(Array.from({ length: 8 }, (_, index) => queue.enqueue(send(`m${index}`))))
    expect(new Set(results.map((result) => (result.status === 'rejected' ? result.reason : 'stored')))).toEqual(
      new Set([away]),
    )
    expect(statements).toHaveLength(2)
  })

  test('is forgotten by the next', async () => {
    const { queue } = recorded({ before: async (statement) => refuseIf(statement.includes('bad'), away) })
    await expect(queue.enqueue(send('bad'))).rejects.toBe(away)
    expect(await queue.enqueue(send('good'))).toEqual(stored('good'))
  })

  test('one whose question throws is answered with that, and the others are stored', async () => {
    const { queue } = recorded()
    const broken = queue.enqueue({
      ...send('a'),
      begins: () => {
        throw new TypeError('on the way')
      },
    })
    const other = queue.enqueue(send('b'))
    await expect(broken).rejects.toThrow('on the way')
    expect(await other).toEqual(stored('b'))
  })
})

describe('what is written under leases', () => {
  test('goes one statement at a time, marks first; messages are stored beside it', async () => {
    const { queue, statements, mostOpen } = recorded()
    const lease = { deliveryId: 'r', epoch: 1 }
    await Promise.all([
      queue.release({ owner: 'anna', now: 1, leases: [lease] }),
      queue.renew({ owner: 'anna', now: 1, leaseMs: 9, leases: [lease] }),
      queue.start({ owner: 'anna', now: 1, starts: [{ ...lease, url: 'https://a.example' }] }),
      queue.mark({ owner: 'anna', now: 1, marks: [markOf('m1')] }),
      queue.mark({ owner: 'anna', now: 1, marks: [markOf('m2')] }),
    ])
    expect(statements).toEqual(['mark m1 m2', 'start r', 'renew r', 'release r'])
    expect(mostOpen()).toBe(1)

    const gate = makeGate()
    const beside = recorded({ before: async (statement) => (statement.startsWith('mark') ? gate.opened : undefined) })
    const marking = beside.queue.mark({ owner: 'anna', now: 1, marks: [markOf('m1')] })
    expect(await beside.queue.enqueue(send('a'))).toEqual(stored('a'))
    gate.open()
    await marking
  })

  test('a heartbeat is not kept waiting by marks that never end', async () => {
    const marks: Promise<Marked[]>[] = []
    const { queue, statements } = recorded({
      before: async (statement) => {
        if (statement.startsWith('mark') && marks.length < 9) markAgain()
      },
    })
    function markAgain(): void {
      marks.push(queue.mark({ owner: 'anna', now: 1, marks: [markOf(`m${marks.length}`)] }))
    }
    markAgain()
    await queue.renew({ owner: 'anna', now: 1, leaseMs: 9, leases: [{ deliveryId: 'r', epoch: 1 }] })
    expect(statements).toEqual(['mark m0', 'renew r'])
    await Promise.all(marks)
  })

  test('each is answered with its own, in order, and two about one row come one after the other', async () => {
    const { queue, statements } = recorded({ mark: (id) => (id === 'm2' ? 'lost' : 'marked'), lost: new Set(['b']) })
    const answers = await Promise.all([
      queue.mark({ owner: 'anna', now: 1, marks: [markOf('m1'), markOf('m2')] }),
      queue.mark({ owner: 'anna', now: 1, marks: [markOf('m3')] }),
      queue.mark({ owner: 'anna', now: 1, marks: [markOf('m1')] }),
    ])
    expect(answers).toEqual([['marked', 'lost'], ['marked'], ['marked']])
    const released = await Promise.all(
      [['a', 'b'], ['c'], ['b', 'd']].map((ids) =>
        queue.release({ owner: 'anna', now: 1, leases: ids.map((deliveryId) => ({ deliveryId, epoch: 1 })) }),
      ),
    )
    expect(released).toEqual([['a'], ['c'], ['d']])
    expect(statements).toEqual(['mark m1 m2 m3', 'mark m1', 'release a b c', 'release b d'])
  })

  test('owners do not wait for each other', async () => {
    const gate = makeGate()
    const { queue } = recorded({ before: async (statement) => (statement === 'mark slow' ? gate.opened : undefined) })
    const slow = queue.mark({ owner: 'anna', now: 1, marks: [markOf('slow')] })
    expect(await queue.mark({ owner: 'bert', now: 1, marks: [markOf('quick')] })).toEqual(['marked'])
    gate.open()
    await slow
  })

  test('a refused mark harms only itself, and a renewal that failed harms nobody', async () => {
    const { queue } = recorded({
      before: async (statement) =>
        refuseIf(/bad|renew/.test(statement), statement.startsWith('renew') ? away : refused),
    })
    const renewal = queue.renew({ owner: 'anna', now: 1, leaseMs: 9, leases: [] })
    const results = await Promise.allSettled(
      ['m1', 'bad', 'm3'].map((id) => queue.mark({ owner: 'anna', now: 1, marks: [markOf(id)] })),
    )
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    await expect(renewal).rejects.toBe(away)
    expect(await queue.mark({ owner: 'anna', now: 1, marks: [markOf('m4')] })).toEqual(['marked'])
  })
})

interface Script {
  readonly turn?: () => Promise<void>
  /** Runs before each statement, and may refuse it. */
  readonly before?: (statement: string) => Promise<void>
  readonly enqueued?: (request: EnqueueRequest) => void
  readonly mark?: (deliveryId: string) => Marked
  /** Deliveries whose lease is another's. */
  readonly lost?: ReadonlySet<string>
}

/** A batched queue over one that writes down its statements. */
function recorded({
  turn,
  before = async () => undefined,
  enqueued = () => undefined,
  mark = () => 'marked',
  lost = new Set(),
}: Script = {}) {
  const statements: string[] = []
  let open = 0
  let most = 0

  async function statement(kind: string, ids: readonly string[]): Promise<string[]> {
    const text = [kind, ...ids].join(' ')
    statements.push(text)
    open += 1
    most = Math.max(most, open)
    try {
      await Promise.resolve()
      await before(text)
    } finally {
      open -= 1
    }
    return ids.filter((id) => !lost.has(id))
  }

  const inner: Queue = {
    ...memoryStore().queue,
    async enqueue(request) {
      enqueued(request)
      const ids = await statement(
        'enqueue',
        request.envelopes.map(({ message }) => message.id),
      )
      return ids.flatMap(stored)
    },
    async mark({ marks }) {
      return (
        await statement(
          'mark',
          marks.map(({ deliveryId }) => deliveryId),
        )
      ).map(mark)
    },
    start: ({ starts }) =>
      statement(
        'start',
        starts.map(({ deliveryId }) => deliveryId),
      ),
    renew: ({ leases }) =>
      statement(
        'renew',
        leases.map(({ deliveryId }) => deliveryId),
      ),
    release: ({ leases }) =>
      statement(
        'release',
        leases.map(({ deliveryId }) => deliveryId),
      ),
  }
  return { queue: batched(inner, { next: turn ?? loopTurns.next, nowMs: () => 0 }), statements, mostOpen: () => most }
}

/** Answers differ by message, so that nobody can be given another's. */
function stored(id: string): Enqueued[] {
  return [{ kind: 'taken', messageId: id }]
}

function send(id: string, change: Partial<EnqueueRequest> = {}): EnqueueRequest {
  return { owner: 'anna', leaseMs: 30_000, now: 1, envelopes: [envelope(id)], ...change }
}

/** A message of an application. */
function of(applicationId: string, id: string): EnqueueRequest {
  const one = envelope(id)
  return send(id, { envelopes: [{ ...one, message: { ...one.message, applicationId } }] })
}

function envelope(id: string): Envelope {
  const message = {
    id,
    applicationId: 'app_1',
    type: 't',
    eventId: null,
    body: Buffer.from(''),
    contentType: 'text/plain',
    sessionId: null,
    channels: [],
    createdAt: 1,
    traceContext: null,
    erasedAt: null,
  }
  return { message, idempotencyKey: null, bodyHash: 'hash', endpointsVersion: 1, reliesOn: [], deliveries: [] }
}

function markOf(deliveryId: string): SettledAttempt {
  const mark = { status: 'delivered', reason: null, attemptCount: 1, nextRetryAt: null, errorDetail: null } as const
  return { deliveryId, epoch: 1, endpointId: 'ep_1', mark, attempt: null }
}

function refuseIf(condition: boolean, error: PosthornError): void {
  if (condition) throw error
}

function makeGate(): { readonly opened: Promise<void>; open(): void } {
  const waiters: (() => void)[] = []
  const opened = new Promise<void>((resolve) => waiters.push(resolve))
  return { opened, open: () => waiters.forEach((resolve) => resolve()) }
}

async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve))
}
