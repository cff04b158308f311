import type { Alarm } from '../../../src/core/alarms/alarm.ts'
import type { Outcome, OutcomeKind } from '../../../src/core/delivery/attempt.ts'
import type { Delivery } from '../../../src/core/delivery/delivery.ts'
import type { Endpoint } from '../../../src/core/endpoint/endpoint.ts'
import type { PosthornEvent } from '../../../src/core/ports/events.ts'
import type { Health } from '../../../src/core/endpoint/health.ts'
import type { Instant } from '../../../src/core/time.ts'
import type { KeptAttempt, State } from '../../../src/testing/memory/state.ts'

/** A request that an endpoint got: the oracle. */
export interface Call {
  readonly at: Instant
  /** When its sender heard the outcome; null if it never did. */
  endedAt: Instant | null
  outcome: Outcome | null
  /** What the endpoint did, whether or not its sender lived to hear it. */
  readonly answered: Outcome
  readonly answeredAt: Instant
  readonly process: string
  readonly endpointId: string
  readonly revision: number
  readonly messageId: string
  readonly body: string
  /** Null if this process was never given a lease for it. */
  readonly deliveryId: string | null
  readonly epoch: number
  /** The row as it was when the request left. */
  readonly row: Delivery | null
}

/** A row that was written. */
export interface RowChange {
  readonly at: Instant
  readonly process: string
  readonly method: string
  readonly before: Delivery | null
  readonly after: Delivery
}

/** What is on record of a delivery's attempts, after one was added or changed. */
export interface RecordChange {
  readonly at: Instant
  readonly deliveryId: string
  readonly after: readonly KeptAttempt[]
}

export interface HealthChange {
  readonly at: Instant
  readonly process: string
  readonly endpointId: string
  readonly before: Health | null
  readonly after: Health
}

export interface EndpointChange {
  readonly at: Instant
  readonly process: string
  readonly before: Endpoint | null
  readonly after: Endpoint
}

/** One message that was given to `send`. */
export interface SendRecord {
  readonly at: Instant
  readonly process: string
  readonly application: number
  readonly body: string
  readonly idempotencyKey: string | null
  readonly eventId: string | null
  /** Null outside a transaction. */
  readonly tx: { readonly commits: boolean; committedAt: Instant | null } | null
  readonly dueAt: Instant
  endedAt: Instant | null
  /** What the caller was told; null if nothing yet. */
  answer:
    | { readonly kind: 'sent'; readonly id: string; readonly deliveries: number; readonly repeated: boolean }
    | { readonly kind: 'refused'; readonly code: string }
    | null
}

/** Something bad that was done to a process (null: to all), and for how long. */
export interface Disturbance {
  readonly process: string | null
  readonly kind: string
  readonly from: Instant
  to: Instant
}

export interface Life {
  readonly process: string
  readonly role: 'worker' | 'sender' | 'operator'
  readonly bornAt: Instant
  workerId: string
  attachedAt: Instant | null
  readonly beats: Instant[]
  endedAt: Instant | null
  ended: 'killed' | 'left' | null
}

export interface AlarmChange {
  readonly at: Instant
  readonly before: Alarm | null
  readonly after: Alarm
}

/** A delivery as the store had it, with all that decides when it leaves. */
export interface Situation {
  readonly at: Instant
  readonly delivery: Delivery
  readonly endpoint: Endpoint | null
  readonly health: Health | null
}

/** An answer of `why`, with how things stood when it was asked for and when it came. */
export interface Explanation {
  readonly code: string
  readonly asked: Situation
  readonly answered: Situation
}

/** An attempt as its worker has counted it. */
export interface Counted {
  readonly process: string
  readonly deliveryId: string
  readonly epoch: number
  readonly outcome: OutcomeKind
  /** Its mark ended the delivery with success. */
  readonly isDelivered: boolean
}

/** What an endpoint is like, from a time on. */
export interface Phase {
  readonly at: Instant
  readonly endpointId: string
  readonly revision: number
  /** Answers 200 to everything, quickly. */
  readonly isInOrder: boolean
  /** Of the requests; 1 if it is slow. */
  readonly failsShare: number
}

/** Everything that was seen from outside, in order: what the invariants judge. */
export class History {
  readonly calls: Call[] = []
  readonly rows: RowChange[] = []
  readonly records: RecordChange[] = []
  readonly health: HealthChange[] = []
  readonly endpoints: EndpointChange[] = []
  readonly alarms: AlarmChange[] = []
  readonly sends: SendRecord[] = []
  readonly disturbances: Disturbance[] = []
  /** By the name of their process. */
  readonly lives = new Map<string, Life>()
  readonly phases: Phase[] = []
  readonly explanations: Explanation[] = []
  readonly events: { readonly at: Instant; readonly process: string; readonly event: PosthornEvent }[] = []
  readonly counted: Counted[] = []
  /** Applications that somebody deleted: what was stored of them may be gone. */
  readonly erased = new Set<number>()
  /** Interesting states, with how often each was reached. */
  readonly reached = new Map<string, number>()
  /** Deliveries by message and endpoint: mostly one. */
  readonly deliveriesOf = new Map<string, string[]>()
  /** The newest lease that each worker was given of each delivery. */
  readonly grants = new Map<string, { readonly at: Instant; readonly deliveryId: string; readonly epoch: number }>()
  healedAt: Instant = Number.POSITIVE_INFINITY
  /** Who writes, and with which method. */
  #writer: { readonly process: string; readonly method: string } = { process: '', method: '' }
  readonly #now: () => Instant

  constructor(state: State, now: () => Instant) {
    this.#now = now
    watch(state.deliveries, (before, after) => this.#rowChanged(before, after))
    watch(state.attempts, (_, after, deliveryId) => void this.records.push({ at: now(), deliveryId, after }))
    watch(
      state.health,
      (before, after, endpointId) =>
        void this.health.push({ at: now(), process: this.#writer.process, endpointId, before, after }),
    )
    watch(state.alarms, (before, after) => void this.alarms.push({ at: now(), before, after }))
    watch(
      state.endpoints,
      (before, after) => void this.endpoints.push({ at: now(), process: this.#writer.process, before, after }),
    )
  }

  life(process: string): Life | undefined {
    return this.lives.get(process)
  }

  attached(process: string): void {
    const life = this.lives.get(process)
    if (life !== undefined) life.attachedAt ??= this.#now()
  }

  reach(state: string): void {
    this.reached.set(state, (this.reached.get(state) ?? 0) + 1)
  }

  /** Whatever is written from now on is written by this call. The memory store does all of it before it returns. */
  writes(process: string, method: string): void {
    this.#writer = { process, method }
  }

  #rowChanged(before: Delivery | null, after: Delivery): void {
    const at = this.#now()
    if (before === null) this.#index(after)
    this.rows.push({ at, ...this.#writer, before, after })
    if (after.leaseOwner !== null && after.leaseEpoch !== before?.leaseEpoch) {
      this.grants.set(`${after.leaseOwner} ${after.id}`, { at, deliveryId: after.id, epoch: after.leaseEpoch })
    }
  }

  #index({ id, messageId, endpointId }: Delivery): void {
    const key = `${messageId} ${endpointId}`
    this.deliveriesOf.set(key, [...(this.deliveriesOf.get(key) ?? []), id])
  }

  /** How much a process has written so far. */
  writesOf(process: string): number {
    return [this.rows, this.health, this.endpoints].reduce(
      (sum, changes) => sum + changes.filter((change) => change.process === process).length,
      0,
    )
  }

  disturb(process: string | null, kind: string, from: Instant, forMs = 0): Disturbance {
    const disturbance = { process, kind, from, to: from + forMs }
    this.disturbances.push(disturbance)
    return disturbance
  }
}

/** Tells of every value that a map is given. Kept values are replaced, never changed, so this misses nothing. */
function watch<Value>(
  map: Map<string, Value>,
  changed: (before: Value | null, after: Value, key: string) => void,
): void {
  const set = map.set.bind(map)
  map.set = (key, value) => {
    const before = map.get(key) ?? null
    set(key, value)
    if (before !== value) changed(before, value, key)
    return map
  }
}
