import type { Delivery } from '../../../src/core/delivery/delivery.ts'
import type { Lease } from '../../../src/core/delivery/lease.ts'
import type { Queue } from '../../../src/core/ports/queue.ts'
import type { Store } from '../../../src/core/ports/ports.ts'
import type { State } from '../../../src/testing/memory/state.ts'
import type { SharedStore } from './store.ts'

/** What a world stands on: the rows, and how calls get at them. */
export interface Backing extends Pick<SharedStore, 'store' | 'apply' | 'forget'> {
  /** Resolves when no call is under way; null if none ever is between two events. */
  readonly settled: (() => Promise<void>) | null
}

/** A real database, which is open. */
export function realBacking(store: Store, state: State): Backing {
  const mirror = new Mirror(store, state)
  const lastBeats = new Map<string, Parameters<Store['beat']>>()
  return {
    store: {
      ...store,
      attach(worker) {
        lastBeats.set(worker.id, [worker, { now: worker.startedAt, goneBefore: 0, sharesAmong: 0, waits: [] }])
        return store.attach(worker)
      },
      beat(worker, sighting) {
        lastBeats.set(worker.id, [worker, { ...sighting, goneBefore: 0 }])
        return store.beat(worker, sighting)
      },
    },
    apply: (name, args, run, note) => mirror.apply(name, args, run, note),
    forget: (workerId) =>
      void mirror.apply('detach', [], () => dies(store, workerId, lastBeats), nothing).catch(nothing),
    settled: () => mirror.settled(),
  }
}

/** The lock of a process that was killed is free, but its row stays. Here it can only leave the orderly way, so its row is put back. */
async function dies(store: Store, workerId: string, lastBeats: Map<string, Parameters<Store['beat']>>): Promise<void> {
  const last = lastBeats.get(workerId)
  if (last === undefined) return
  await store.detach(workerId)
  await store.beat(...last)
}

function nothing(): void {}

/** What may change deliveries, and what endpoints and their health. */
const writesDeliveries = new Set([
  'enqueue',
  'claim',
  'start',
  'renew',
  'mark',
  'release',
  'requeue',
  'cancel',
  'addDelivery',
  'advanceJob',
  'eraseMessage',
])
const writesEndpoints = new Set(['saveHealth', 'disable', 'createEndpoint', 'updateEndpoint'])
const mostRows = 1_000
/** Of more than these, the whole list is read sooner than each. */
const mostNamed = 10
const namedLeases: Record<string, (request: unknown) => readonly Lease[]> = {
  start: (request) => (request as Parameters<Queue['start']>[0]).starts,
  renew: (request) => (request as Parameters<Queue['renew']>[0]).leases,
  mark: (request) => (request as Parameters<Queue['mark']>[0]).marks,
  release: (request) => (request as Parameters<Queue['release']>[0]).leases,
}

/**
 * Keeps a state in step with a real store, so that whoever judges a world sees rows change there as in a simulated one. One call at a
 * time: each is applied in one piece, and what it has changed is read before the next.
 */
class Mirror {
  readonly #store: Store
  readonly #state: State
  #last: Promise<unknown> = Promise.resolve()
  #underWay = 0

  constructor(store: Store, state: State) {
    this.#store = store
    this.#state = state
  }

  /** Runs a call of the store in its turn; `note` is called before anything that it has changed is shown. */
  apply<Answer>(name: string, args: readonly unknown[], run: () => Promise<Answer>, note: () => void): Promise<Answer> {
    this.#underWay += 1
    const answer = this.#last.then(async () => {
      try {
        return await run()
      } finally {
        if (writesDeliveries.has(name)) await this.#readDeliveries(name, args, note)
        if (writesEndpoints.has(name)) await this.#readEndpoints(note)
      }
    })
    const end = (): void => void (this.#underWay -= 1)
    this.#last = answer.then(end, end)
    return answer
  }

  /** Resolves when nothing is under way. */
  async settled(): Promise<void> {
    while (this.#underWay > 0) {
      await this.#last
      await new Promise((resolve) => {
        process.nextTick(resolve)
      })
    }
  }

  async #readDeliveries(name: string, args: readonly unknown[], note: () => void): Promise<void> {
    const { directory } = this.#store
    const named = deliveriesNamedBy(name, args)
    const deliveries = await this.#deliveries(named)
    const changed = deliveries.filter((row) => !isSame(this.#state.deliveries.get(row.id), row))
    // Of one that is named something may be put on record although its row stays as it is: a late mark.
    const asked = new Set([...changed.map(({ id }) => id), ...(named ?? [])])
    const attempts = await Promise.all([...asked].map(async (id) => ({ id, attempts: await directory.attempts(id) })))
    const messages = name === 'enqueue' ? await directory.messagesById(enqueued(args)) : []
    note()
    for (const message of messages) show(this.#state.messages, message.id, message)
    for (const record of attempts)
      if (record.attempts.length > 0) show(this.#state.attempts, record.id, record.attempts)
    for (const row of changed) show(this.#state.deliveries, row.id, row)
  }

  /** Those, or all. */
  async #deliveries(ids: readonly string[] | null): Promise<Delivery[]> {
    const { directory } = this.#store
    if (ids === null || ids.length > mostNamed)
      return directory.listDeliveries({}, { limit: mostRows, after: null, order: 'ascending' })
    const rows = await Promise.all(ids.map((id) => directory.delivery(id)))
    return rows.filter((row) => row !== null)
  }

  async #readEndpoints(note: () => void): Promise<void> {
    const { directory, queue } = this.#store
    const listed = await directory.listEndpoints({}, { limit: mostRows, after: null })
    // Those that were deleted are listed no more.
    const ids = [...new Set([...listed.map(({ id }) => id), ...this.#state.endpoints.keys()])]
    const [endpoints, health] = await Promise.all([directory.endpointsById(ids), queue.health(ids)])
    note()
    for (const endpoint of endpoints) show(this.#state.endpoints, endpoint.id, endpoint)
    for (const [id, known] of health) show(this.#state.health, id, known)
  }
}

/** The deliveries that a call can change, where it names them; null if it may change others. */
function deliveriesNamedBy(name: string, [request]: readonly unknown[]): string[] | null {
  const leases = namedLeases[name]?.(request)
  return leases === undefined ? null : [...new Set(leases.map(({ deliveryId }) => deliveryId))]
}

function enqueued([request]: readonly unknown[]): string[] {
  return (request as Parameters<Queue['enqueue']>[0]).envelopes.map(({ message }) => message.id)
}

function show<Value>(map: Map<string, Value>, key: string, value: Value): void {
  if (!isSame(map.get(key), value)) map.set(key, value)
}

function isSame(one: unknown, other: unknown): boolean {
  return one !== undefined && JSON.stringify(one) === JSON.stringify(other)
}
