import type { Hint, Store } from '../../../src/core/ports/ports.ts'
import type { Enqueued, EnqueueRequest } from '../../../src/core/ports/queue.ts'
import { endpointsForOthers, Notifier } from '../../../src/stores/postgres/notifier.ts'
import { hintIn } from '../../../src/stores/postgres/listen.ts'
import type { Draw } from '../draw.ts'
import type { Gate } from './gate.ts'
import type { SharedStore } from './store.ts'

type Listen = NonNullable<Store['listen']>

/** A worker's connection on which it listens. */
interface Listener {
  readonly gate: Gate
  readonly onHint: (hint: Hint) => void
}

const longestLateMs = 5_000
/** So long nobody may notice that a connection is dead. */
const longestDeafMs = 30_000
const fromAnotherRelease = 'v2'

/** Notifications, from whoever stores to whoever listens: at once, late, twice or never, and in other words than expected. */
export class Hints {
  readonly #shared: SharedStore
  readonly #draw: Draw
  readonly #listeners = new Set<Listener>()

  constructor(shared: SharedStore, draw: Draw) {
    this.#shared = shared
    this.#draw = draw
  }

  /** A store that notifies after its commits, as PostgreSQL does, and listens. */
  joined(store: Store, gate: Gate): Store {
    const { queue } = store
    const notifier = new Notifier((payload) => this.#notify(gate, payload))
    const enqueue = async (request: EnqueueRequest): Promise<Enqueued[]> => {
      const answers = await queue.enqueue(request)
      notifier.notify(endpointsForOthers(request, answers))
      return answers
    }
    return {
      ...store,
      queue: { ...queue, enqueue },
      async attach(worker) {
        await store.attach(worker)
        notifier.delivers = true
      },
      async detach(workerId) {
        notifier.delivers = false
        await store.detach(workerId)
      },
      listen: (onHint, signal) => this.#listen(gate, onHint, signal),
    }
  }

  /** A statement of its own, which may fail like any other. */
  #notify(gate: Gate, payload: string): Promise<void> {
    const { scheduler } = this.#shared
    return new Promise((resolve, reject) => {
      scheduler.at(this.#wayMs(), null, `${gate.name} notifies`, () => {
        if (gate.isCut) return reject(new Error('Expected to reach the store, did not.'))
        for (const listener of this.#listeners) this.#notifyOne(listener, payload)
        scheduler.at(this.#wayMs(), gate, 'notify answered', resolve)
      })
    })
  }

  #notifyOne(listener: Listener, payload: string): void {
    const { isCalm, history } = this.#shared
    if (isCalm) return this.#arrive(listener, payload, 0)
    const fate = this.#draw.next()
    if (fate < 0.1) return history.reach('notification lost')
    const text = fate < 0.2 ? fromAnotherRelease : fate < 0.3 ? `${payload} ${unknownLike(payload)}` : payload
    const lateMs = this.#draw.chance(0.1) ? this.#draw.between(0, longestLateMs) : 0
    this.#arrive(listener, text, lateMs)
    if (this.#draw.chance(0.1)) this.#arrive(listener, text, lateMs)
  }

  #arrive(listener: Listener, text: string, lateMs: number): void {
    const { scheduler, history } = this.#shared
    scheduler.at(this.#wayMs() + lateMs, listener.gate, 'is notified', () => {
      if (!this.#listeners.has(listener) || listener.gate.isCut) return
      history.reach('notified')
      listener.onHint(hintIn(text))
    })
  }

  #listen(gate: Gate, onHint: Listener['onHint'], signal: AbortSignal): ReturnType<Listen> {
    const { scheduler, isCalm, history } = this.#shared
    const listener = { gate, onHint }
    return new Promise((resolve, reject) => {
      const lose = (): void => {
        signal.removeEventListener('abort', stop)
        history.reach('no longer listening')
        reject(new Error('Expected the connection to last, it was closed.'))
      }
      const stop = (): void => {
        this.#listeners.delete(listener)
        resolve()
      }
      signal.addEventListener('abort', stop, { once: true })
      scheduler.at(this.#wayMs(), gate, 'listens', () => {
        if (signal.aborted) return
        if (gate.isCut) return lose()
        this.#listeners.add(listener)
        onHint(null)
      })
      if (isCalm || !this.#draw.chance(0.5)) return
      // The server gives up the connection first, and whoever listens hears of it later.
      scheduler.at(this.#draw.between(0, 60_000), null, `${gate.name} is not notified any more`, () => {
        this.#listeners.delete(listener)
        scheduler.at(this.#draw.between(0, longestDeafMs), gate, 'listens no more', lose)
      })
    })
  }

  #wayMs(): number {
    const { isCalm, plan } = this.#shared
    return isCalm ? 0 : this.#draw.next() * plan.latencyMs
  }
}

/** An endpoint that does not exist. */
function unknownLike(payload: string): string {
  return payload.slice(0, payload.indexOf('_') + 1) + payload.slice(-19).split('').toReversed().join('')
}
