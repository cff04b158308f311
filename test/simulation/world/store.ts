import { PosthornError } from '../../../src/core/errors.ts'
import { textOf } from '../../../src/core/message/message.ts'
import type { MatchedApplication, StoreTransaction, Store } from '../../../src/core/ports/ports.ts'
import type { Delivery, Lane } from '../../../src/core/delivery/delivery.ts'
import type { Enqueued, EnqueueRequest } from '../../../src/core/ports/queue.ts'
import { batched } from '../../../src/stores/shared/batching/batcher.ts'
import type { State } from '../../../src/testing/memory/state.ts'
import type { Draw } from '../draw.ts'
import type { StorePlan } from '../scenario.ts'
import type { FaultMode, Gate } from './gate.ts'
import type { Hints } from './hints.ts'
import type { History } from './history.ts'
import type { Scheduler } from './scheduler.ts'

/** What the stores of all processes have in common: the rows, and the way there. */
export interface SharedStore {
  readonly store: Store
  readonly plan: StorePlan
  readonly scheduler: Scheduler
  readonly history: History
  readonly draw: Draw
  /** Calls on their way, oldest first: a single connection serves them in order. */
  readonly inOrder: (() => void)[]
  /** Applies a call in one piece; `note` is called before what it changes can be seen. */
  readonly apply: (
    name: string,
    args: readonly unknown[],
    run: () => Promise<unknown>,
    note: () => void,
  ) => Promise<unknown>
  /** A worker ended without a word, where its lock says so. */
  readonly forget: (workerId: string) => void
  /** All has healed: calls are answered at once, so that hours of waiting cost little. */
  isCalm: boolean
}

/** A transaction of an application: what was sent within it is stored when it commits. */
export interface SimulatedTransaction {
  readonly requests: EnqueueRequest[]
}

type Method = (...args: unknown[]) => Promise<unknown>

const givesUpAfterMs = 10_000
/** A body with this is one that the store cannot keep. */
export const unstorable = '"unstorable"'
const headBytes = 100
const never = new Promise<never>(() => undefined)

/** The store as one process meets it: each call leaves, is applied at some instant in one piece, and is answered at another. */
export function simulatedStore(shared: SharedStore, gate: Gate, hints: Hints | null): Store {
  const { store, plan, scheduler } = shared
  const call = (name: string, run: () => Promise<unknown>, args: readonly unknown[] = []): Promise<unknown> =>
    new Call(shared, gate, name, run, args).result
  const turn = (): Promise<void> => new Promise((resolve) => void scheduler.at(0, gate, 'turn', () => resolve()))
  const own: Store = {
    kind: 'memory',
    lookMs: plan.lookMs,
    queue: guarded(store.queue, call),
    directory: guarded(store.directory, call),
    open: async () => [],
    attach: (worker) => call('attach', () => store.attach(worker)) as Promise<void>,
    detach: (workerId) => call('detach', () => store.detach(workerId)) as Promise<void>,
    beat: (worker, sighting) => call('beat', () => store.beat(worker, sighting)) as ReturnType<Store['beat']>,
    close: async () => undefined,
    within: async (tx) => transactionOf(guarded(store.directory, call), tx as SimulatedTransaction),
    ...(plan.kind === 'shared' ? { time: () => call('time', async () => scheduler.now) as Promise<number> } : {}),
  }
  const joined = hints === null ? own : hints.joined(own, gate)
  return { ...joined, queue: batched(joined.queue, { next: turn, nowMs: () => 0 }) }
}

/** A store that cannot keep everything: a statement with a message of which it says so is refused as a whole. */
export function refusing(store: Store): Store {
  const enqueue: Store['queue']['enqueue'] = async (request) => {
    const refused = request.envelopes.some(({ message }) =>
      textOf(message.body.subarray(0, headBytes)).includes(unstorable),
    )
    if (refused)
      throw new PosthornError(
        'data_refused',
        'Expected values that the store can keep, got others. Nothing of it was stored.',
      )
    return store.queue.enqueue(request)
  }
  return { ...store, queue: { ...store.queue, enqueue } }
}

/** A store that leaves out whatever it may: rows that were due before the time from which on its caller knows of none. */
export function heeding(state: State): { readonly state: State; readonly wrap: (store: Store) => Store } {
  const from = new Map<string, number>()
  const { open } = state
  function* due(endpointId: string, lane: Lane, now: number): Iterable<Delivery> {
    for (const row of open.due(endpointId, lane, now))
      if ((row.nextRetryAt ?? 0) >= (from.get(`${endpointId} ${lane}`) ?? 0)) yield row
  }
  function firstDue(endpointId: string, lane: Lane, dueFrom: number): number | undefined {
    for (const { nextRetryAt } of open.due(endpointId, lane, Number.POSITIVE_INFINITY))
      if ((nextRetryAt ?? 0) >= dueFrom) return nextRetryAt ?? 0
    return undefined
  }
  const wrap = (store: Store): Store => ({
    ...store,
    queue: {
      ...store.queue,
      async dueEndpoints(request) {
        const found = await store.queue.dueEndpoints(request)
        const { lane, dueFrom = 0 } = request
        if (dueFrom === 0) return found
        return found.flatMap(({ endpointId }) => {
          const dueAt = firstDue(endpointId, lane, dueFrom)
          return dueAt === undefined ? [] : [{ endpointId, dueAt }]
        })
      },
      async claim(request) {
        for (const { endpointId, lane, dueFrom = 0 } of request.wants) from.set(`${endpointId} ${lane}`, dueFrom)
        const claims = store.queue.claim(request)
        from.clear()
        return claims
      },
    },
  })
  return { state: { ...state, open: { ...open, due } }, wrap }
}

/** Commits what was sent within a transaction; the rows keep the times that they were given when they were written. */
export async function commit(shared: SharedStore, process: string, { requests }: SimulatedTransaction): Promise<void> {
  for (const request of requests) {
    const envelopes = await Promise.all(
      request.envelopes.map(async (envelope) => {
        const matching = await shared.store.directory.matching(envelope.message.applicationId)
        return { ...envelope, endpointsVersion: matching?.endpointsVersion ?? envelope.endpointsVersion }
      }),
    )
    const whole = { ...request, envelopes }
    await shared.apply(
      'enqueue',
      [whole],
      () => shared.store.queue.enqueue(whole),
      () => shared.history.writes(process, 'commit'),
    )
  }
}

function transactionOf(directory: Store['directory'], tx: SimulatedTransaction): StoreTransaction {
  return {
    createApplication: (given, by) => directory.createApplication(given, by),
    look: async (names) => {
      const found = await Promise.all(names.map((name) => directory.application(name)))
      const applications = new Map<string, MatchedApplication>()
      for (const [index, application] of found.entries()) {
        const read = application === null ? null : await directory.matching(application.id)
        if (application !== null && read !== null)
          applications.set(names[index] ?? '', { applicationId: application.id, ...read })
      }
      return { time: null, applications }
    },
    queue: {
      enqueue: async (request) => {
        const current = await Promise.all(
          request.envelopes.map(({ message }) => directory.matching(message.applicationId)),
        )
        const isStale = request.envelopes.some(
          ({ endpointsVersion }, index) => current[index]?.endpointsVersion !== endpointsVersion,
        )
        if (isStale) return request.envelopes.map(() => ({ kind: 'stale' }))
        tx.requests.push(request)
        return request.envelopes.map(() => ({ kind: 'stored' }))
      },
    },
  }
}

function guarded<Port extends object>(
  port: Port,
  call: (name: string, run: () => Promise<unknown>, args: readonly unknown[]) => Promise<unknown>,
): Port {
  const methods = new Map<PropertyKey, Method>()
  return new Proxy(port, {
    get(target, key) {
      const known = methods.get(key)
      if (known !== undefined) return known
      const method: unknown = Reflect.get(target, key)
      if (typeof method !== 'function') return method
      const run: Method = (...args) =>
        call(String(key), () => Reflect.apply(method, target, args) as Promise<unknown>, args)
      methods.set(key, run)
      return run
    },
  })
}

/** One call on its way to the store and back. */
class Call {
  readonly result: Promise<unknown>
  readonly #shared: SharedStore
  readonly #gate: Gate
  readonly #name: string
  readonly #run: () => Promise<unknown>
  readonly #args: readonly unknown[]
  readonly #leftAt: number
  #resolve: (answer: unknown) => void = () => undefined
  #reject: (error: unknown) => void = () => undefined

  constructor(shared: SharedStore, gate: Gate, name: string, run: () => Promise<unknown>, args: readonly unknown[]) {
    this.#shared = shared
    this.#gate = gate
    this.#name = name
    this.#run = run
    this.#args = args
    this.#leftAt = shared.scheduler.now
    this.result = gate.state === 'dead' ? never : this.#start()
  }

  #start(): Promise<unknown> {
    const { isCalm, history } = this.#shared
    if (isCalm) return this.#apply()
    const fault = this.#gate.takeFault(this.#name)
    if (fault !== null) {
      history.reach(`store call: ${fault.mode}`)
      if (fault.mode !== 'dies')
        history.disturb(
          this.#gate.name,
          `${this.#name} ${fault.mode}`,
          this.#leftAt,
          fault.mode === 'before' ? 0 : givesUpAfterMs,
        )
      this.#shared.scheduler.note(`${this.#name} will fail: ${fault.mode}`, this.#gate)
    }
    return new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
      this.#leave(fault?.mode ?? null, fault?.delayMs ?? 0)
    })
  }

  #leave(mode: FaultMode | null, delayMs: number): void {
    const { draw, plan } = this.#shared
    const wayMs = draw.next() * plan.latencyMs
    switch (mode) {
      case 'before':
        return this.#fail(wayMs, 'store_failed')
      case 'silent':
        return this.#fail(givesUpAfterMs, 'store_failed')
      case 'after':
        this.#arrive(wayMs, () => this.#fail(wayMs, this.#lostCode()))
        return
      case 'hang':
        this.#fail(givesUpAfterMs, this.#lostCode())
        return this.#arrive(draw.next() * givesUpAfterMs * 1.2, () => undefined)
      case 'dies':
        return this.#arriveOrDie(wayMs)
      case 'slow':
        return this.#arrive(delayMs, (answer) => this.#answer(wayMs, answer))
      case null:
        return this.#arrive(wayMs, (answer) => this.#answer(draw.next() * plan.latencyMs, answer))
    }
  }

  /** The store acts when the call gets there, even if its caller has died meanwhile. */
  #arrive(afterMs: number, then: (answer: Promise<unknown>) => void, first: () => void = () => undefined): void {
    const { scheduler, inOrder, plan, draw, history } = this.#shared
    const arrive = (): void => {
      if (this.#gate.state === 'dead') {
        if (draw.chance(0.5)) return
        history.reach('applied after its caller died')
      }
      first()
      then(this.#apply())
    }
    if (plan.kind === 'shared')
      return void scheduler.at(afterMs, null, `${this.#gate.name} ${this.#name} applied`, arrive)
    inOrder.push(arrive)
    scheduler.at(afterMs, null, `${this.#gate.name} ${this.#name} applied`, () => inOrder.shift()?.())
  }

  /** Whoever dies must leave something behind: a call that wrote nothing is answered, and the next one is awaited. */
  #arriveOrDie(afterMs: number): void {
    const { history, draw, plan } = this.#shared
    const before = { writes: 0 }
    this.#arrive(
      afterMs,
      (answer) => {
        const dieOrGoOn = (): void => {
          if (history.writesOf(this.#gate.name) > before.writes) return this.#gate.die()
          this.#gate.faults.push({ call: this.#name, mode: 'dies', times: 1, delayMs: 0 })
          this.#answer(draw.next() * plan.latencyMs, answer)
        }
        answer.then(dieOrGoOn, dieOrGoOn)
      },
      () => void (before.writes = history.writesOf(this.#gate.name)),
    )
  }

  #apply(): Promise<unknown> {
    const { scheduler, history } = this.#shared
    const answer = this.#shared.apply(this.#name, this.#args, this.#run, () =>
      history.writes(this.#gate.name, this.#name),
    )
    // Whoever asked may never hear of it.
    answer.catch(() => undefined)
    if (this.#name === 'beat') history.life(this.#gate.name)?.beats.push(scheduler.now)
    if (this.#name === 'attach') history.attached(this.#gate.name)
    if (this.#name === 'mark') this.#note(answer, (marked) => this.#noteMarks(marked as readonly string[]))
    if (this.#name === 'enqueue') this.#note(answer, (enqueued) => this.#noteReliance(enqueued as readonly Enqueued[]))
    return answer
  }

  #note(answer: Promise<unknown>, note: (value: unknown) => void): void {
    void answer.then(note, () => undefined)
  }

  #noteMarks(marked: readonly string[]): void {
    if (marked.includes('lost')) this.#shared.history.reach('stale mark refused')
    if (marked.includes('already')) this.#shared.history.reach('mark repeated after a lost answer')
  }

  #noteReliance(enqueued: readonly Enqueued[]): void {
    const [{ envelopes }] = this.#args as readonly [EnqueueRequest]
    for (const [index, { reliesOn }] of envelopes.entries()) {
      if (reliesOn.length === 0) continue
      if (enqueued[index]?.kind === 'stored') this.#shared.history.reach('old health confirmed')
      if (enqueued[index]?.kind === 'stale') this.#shared.history.reach('old health not confirmed')
    }
  }

  #answer(afterMs: number, answer: Promise<unknown>): void {
    answer.then(
      (value) => this.#settle(afterMs, 'answered', () => this.#resolve(value)),
      (error: unknown) => this.#settle(afterMs, 'refused', () => this.#reject(error)),
    )
  }

  #settle(afterMs: number, how: string, settle: () => void): void {
    this.#shared.scheduler.at(afterMs, this.#gate, `${this.#name} ${how}`, () => {
      // An answer cannot get through either: its caller gives up in the end.
      if (this.#gate.isCut)
        this.#fail(Math.max(this.#leftAt + givesUpAfterMs - this.#shared.scheduler.now, 0), this.#lostCode())
      else settle()
    })
  }

  #fail(afterMs: number, code: 'store_failed' | 'outcome_unknown'): void {
    const error = new PosthornError(code, `Expected the store to answer ${this.#name}, got nothing. Try again.`)
    this.#shared.scheduler.at(afterMs, this.#gate, `${this.#name} failed`, () => this.#reject(error))
  }

  #lostCode(): 'store_failed' | 'outcome_unknown' {
    return this.#name === 'enqueue' ? 'outcome_unknown' : 'store_failed'
  }
}
