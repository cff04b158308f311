import { lanes } from '../../core/delivery/delivery.ts'
import type { Lane } from '../../core/delivery/delivery.ts'
import { isHeld } from '../../core/endpoint/health.ts'
import type { Instant } from '../../core/time.ts'
import { verdictOf } from '../../core/endpoint/verdict.ts'
import type { EndpointWait, Verdict, WaitReason } from '../../core/endpoint/verdict.ts'
import type { Budget } from '../endpoints/budget.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { EndpointRecord, Trust } from '../endpoints/records.ts'
import type { HealthKeeper } from '../endpoints/health.ts'
import type { EngineParts } from '../parts.ts'
import { Ramps } from './ramps.ts'
import { isRateLimited } from './rate-limits.ts'
import { ReadyRings, rings } from './ready-rings.ts'
import type { RingName } from './ready-rings.ts'
import type { Shares } from '../endpoints/shares.ts'
import { trustIn } from '../endpoints/trust.ts'

export interface ScheduleParts {
  readonly engine: EngineParts
  readonly endpoints: Endpoints
  readonly budget: Budget
  readonly health: HealthKeeper
  readonly shares: Shares
}

const mostWaitsListed = 100
// An endpoint that waits for one of these is woken by an event. One that waits because its retries are used up can still send fresh rows.
const wokenByEvents: ReadonlySet<WaitReason> = new Set(['window', 'budget', 'ramp', 'rate_limit'])
// Thousands may wait while thousands of places are freed per second, so each freed place checks only a few.
const mostLookedAt = 10

/** Tracks which endpoints have due rows and which of them may send: each is idle, ready, asked, or waiting for something. */
export class Schedule {
  readonly #parts: ScheduleParts
  readonly #ramps: Ramps
  readonly #ready = new ReadyRings()
  readonly #waiting = new Set<EndpointRecord>()
  /** Endpoints that wait for a place in the budget: first come, first served. */
  readonly #waitingForBudget = new Set<EndpointRecord>()
  /** Endpoints that wait only for the process-wide retry allowance. */
  readonly #waitingForRetries = new Set<EndpointRecord>()
  /** Endpoints that wait for their rate limits. */
  readonly #waitingForTokens = new Set<EndpointRecord>()
  #disarmTokens: (() => void) | null = null
  #startedAt: Instant | null = null
  #nextTickAt: Instant | null = null
  #retriesLeft = 0
  #onReady: () => void = () => undefined

  constructor(parts: ScheduleParts) {
    this.#parts = parts
    this.#ramps = new Ramps(parts)
  }

  /** Calls `onReady` whenever an endpoint becomes ready for a claim. */
  start(onReady: () => void): void {
    this.#startedAt = this.#parts.engine.clock.now()
    this.#onReady = onReady
  }

  stop(): void {
    this.#startedAt = null
    this.#onReady = () => undefined
    this.#disarmTokens?.()
    this.#disarmTokens = null
  }

  get isRunning(): boolean {
    return this.#startedAt !== null
  }

  hasReady(ring: RingName): boolean {
    return this.#ready.has(ring)
  }

  /** A new tick. Unused allowances do not carry over. */
  tick(): void {
    const { limits } = this.#parts.engine.settings
    this.#nextTickAt = this.#parts.engine.clock.now() + limits.pollMs
    this.#retriesLeft = limits.retriesPerTick
    for (const record of this.#parts.endpoints.all()) record.retriesLeft = limits.retriesPerEndpoint
    for (const record of this.#waiting) this.#makeReady(record)
  }

  /** Endpoints have due rows in this lane; how many is not known. */
  expect(records: readonly EndpointRecord[], lane: Lane): void {
    if (lane === 'fresh') for (const record of records) record.isBehind = true
    this.#expect(records, lane)
  }

  /** A row was stored that could not leave at once. The endpoint may have caught up since then. */
  stored(record: EndpointRecord): void {
    this.#expect([record], 'fresh')
  }

  #expect(records: readonly EndpointRecord[], lane: Lane): void {
    let isNews = false
    for (const record of records) {
      record.due[lane] = record.dueSinceClaim[lane] = true
      if (record.state === 'ready' || record.state === 'asked' || this.#willBeWoken(record)) continue
      this.#makeReady(record)
      isNews = true
    }
    // After the loop, so that one claim asks them all.
    if (isNews) this.#onReady()
  }

  /** The endpoint has changed: it may no longer have to wait. */
  reconsider(record: EndpointRecord): void {
    if (record.state !== 'waiting') return
    this.#makeReady(record)
    this.#onReady()
  }

  /** A delivery of this endpoint is no longer in flight. */
  freed(record: EndpointRecord): void {
    const reason = record.state === 'waiting' ? record.wait?.reason : undefined
    // It may have been the probe that the hold was waiting for.
    if (reason === 'budget' || reason === 'held') this.#makeReady(record)
    // A claim for many rows costs little more than for one, but it takes its time: the next ones are claimed once half of what may wait is sent.
    if (reason === 'window' && record.waiting.length < (this.#parts.shares.windowOf(record) * record.depth) / 2)
      this.#makeReady(record)
    this.budgetFreed()
    if (rings.some((ring) => this.hasReady(ring))) this.#onReady()
  }

  /** The budget may have a place for an endpoint that is waiting for one. An endpoint that still finds none goes to the end of the queue. */
  budgetFreed(): void {
    const {
      engine: { clock },
      budget,
    } = this.#parts
    if (this.#waitingForBudget.size === 0) return
    const now = clock.now()
    for (const record of firstOf(this.#waitingForBudget, mostLookedAt)) {
      if (budget.rowsFree <= 0) return
      if (budget.rowsFor(record, now) > 0) return this.#makeReady(record)
      this.#waitingForBudget.delete(record)
      this.#waitingForBudget.add(record)
    }
  }

  /** Rows were given back unsent: their allowances are restored. */
  givenBack(record: EndpointRecord, lane: Lane): void {
    record.due[lane] = record.dueSinceClaim[lane] = true
    if (lane === 'fresh') record.isBehind = true
    else {
      const { retriesPerEndpoint, retriesPerTick } = this.#parts.engine.settings.limits
      record.retriesLeft = Math.min(record.retriesLeft + 1, retriesPerEndpoint)
      this.#retriesLeft = Math.min(this.#retriesLeft + 1, retriesPerTick)
    }
    // Not for rows that were leased before this step began.
    if (record.ramp !== null && record.ramp.begun > 0) {
      record.ramp.left += 1
      record.ramp.begun -= 1
    }
    // Suspects wait for the next walk: if one could not be written ahead, it would fail again right away.
    if (record.state === 'idle' && lane !== 'suspects') this.#makeReady(record)
  }

  /** Takes the next endpoints out of a ring. Each must then be served, put back, kept waiting, or let go. */
  nextReady(ring: RingName, most: number): EndpointRecord[] {
    const next = this.#ready.take(ring, most)
    for (const record of next) record.state = 'asked'
    return next
  }

  /** Releases endpoints that were taken out but not served, for example after an error. The next walk finds them. */
  letGo(records: readonly EndpointRecord[]): void {
    for (const record of records) if (record.state === 'asked') record.state = 'idle'
  }

  /** Returns an endpoint that was taken out but did not get its turn. */
  putBack(record: EndpointRecord): void {
    this.#makeReady(record)
  }

  /** Decides whether this endpoint can take more rows, and if not, why. */
  verdictOn(record: EndpointRecord): Verdict {
    return this.#verdict(record, record.due)
  }

  #verdict(record: EndpointRecord, due: EndpointRecord['due']): Verdict {
    const {
      engine: {
        clock,
        settings: { limits },
      },
      budget,
      shares,
    } = this.#parts
    const now = clock.now()
    return verdictOf({
      status: record.endpoint.status,
      health: record.health,
      limits,
      now,
      due,
      free: {
        window: shares.windowOf(record) * record.depth - record.leased,
        budget: budget.rowsFor(record, now),
        suspects: this.#suspectsFree(record, now),
      },
      allowance: {
        retries: Math.min(record.retriesLeft, this.#retriesLeft),
        ramp: this.#ramps.of(record, now, this.#startedAt ?? now)?.left ?? Number.POSITIVE_INFINITY,
      },
      nextTickAt: this.#nextTickAt,
    })
  }

  /** The fast path: true if, as far as we know, a delivery can be stored under our own lease and sent as soon as it is stored. */
  mayLeaveAtOnce(record: EndpointRecord): boolean {
    const { limits } = this.#parts.engine.settings
    if (this.#startedAt === null || !limits.fastPath) return false
    if (record.isBehind || isRateLimited(record) || record.health.holds > 0 || record.health.rampFrom !== null)
      return false
    record.isBehind = this.#verdict(record, { ...record.due, fresh: true }).kind === 'wait'
    return !record.isBehind
  }

  /** Reserves retries of this tick for the claim that follows: endpoints in one claim share the allowance. */
  reserveRetries(count: number): () => void {
    let reserved = count
    this.#retriesLeft -= reserved
    return () => {
      this.#retriesLeft += reserved
      reserved = 0
    }
  }

  /** Retries that were reserved for other endpoints may be available again. */
  retriesFreed(): void {
    if (this.#retriesLeft > 0) for (const record of this.#waitingForRetries) this.#makeReady(record)
  }

  keepWaiting(record: EndpointRecord, reason: WaitReason, until: Instant | null): void {
    const now = this.#parts.engine.clock.now()
    const since = record.wait?.reason === reason ? record.wait.since : now
    this.#removeReady(record)
    record.state = 'waiting'
    record.wait = { reason, since, until }
    // New rows must not overtake the ones that are waiting.
    record.isBehind ||= record.due.fresh
    this.#waiting.add(record)
    if (reason === 'budget') this.#waitingForBudget.add(record)
    if (reason === 'allowance' && record.retriesLeft > 0) this.#waitingForRetries.add(record)
    if (reason === 'rate_limit' && until !== null && this.isRunning) this.#awaitTokens(record, until - now)
  }

  #awaitTokens(record: EndpointRecord, ms: number): void {
    this.#waitingForTokens.add(record)
    this.#disarmTokens ??= this.#parts.engine.clock.after(Math.max(ms, 1), () => this.#askForTokensAgain())
  }

  /** A claim is about to read this lane of the endpoint. */
  asking(record: EndpointRecord, lane: Lane): void {
    record.dueSinceClaim[lane] = false
  }

  /** Counts the rows that were begun, and keeps the endpoint ready if it has more. */
  served(record: EndpointRecord, lane: Lane, begun: number, isEmpty: boolean): void {
    if (lane !== 'fresh') {
      record.retriesLeft -= begun
      this.#retriesLeft -= begun
    }
    if (record.ramp !== null) {
      record.ramp.left -= begun
      record.ramp.begun += begun
    }
    if (begun > 0) record.wait = null
    if (isEmpty) record.due[lane] = record.dueSinceClaim[lane]
    // Rows stored during the claim are few, and the next claim takes them: new rows need not queue behind them.
    if (isEmpty && lane === 'fresh') record.isBehind = false
    if (record.state === 'asked') record.state = 'idle'
    if (record.state === 'idle' && lanes.some((each) => record.due[each])) this.#makeReady(record)
  }

  /** Endpoints that have been waiting for more than a tick, for display. */
  waits(): EndpointWait[] {
    const {
      clock,
      settings: { limits },
    } = this.#parts.engine
    const longAgo = clock.now() - limits.pollMs
    const waits: EndpointWait[] = []
    for (const { endpoint, wait } of this.#waiting) {
      if (waits.length === mostWaitsListed) break
      if (wait !== null && wait.since <= longAgo)
        waits.push({ endpointId: endpoint.id, reason: wait.reason, since: wait.since })
    }
    return waits
  }

  #makeReady(record: EndpointRecord): void {
    this.#waiting.delete(record)
    this.#waitingForBudget.delete(record)
    this.#waitingForRetries.delete(record)
    this.#waitingForTokens.delete(record)
    this.#removeReady(record)
    record.state = 'ready'
    this.#ready.add(record, this.#trustIn(record))
  }

  /** Endpoints that share the cap of a cycle or the rate limit of an application take turns in one ring. */
  #trustIn(record: EndpointRecord): Trust {
    const {
      clock,
      settings: { limits },
    } = this.#parts.engine
    if (limits.perCycle !== null || record.applicationRatePerSecond !== null) return 'proven'
    return trustIn(record, clock.now())
  }

  #removeReady(record: EndpointRecord): void {
    if (record.state === 'ready') this.#ready.delete(record)
  }

  /** True if more due rows change nothing: the endpoint waits for an event that will wake it. */
  #willBeWoken({ state, wait, health }: EndpointRecord): boolean {
    if (state !== 'waiting' || wait === null) return false
    return wait.reason === 'held' ? isHeld(health, this.#parts.engine.clock.now()) : wokenByEvents.has(wait.reason)
  }

  #askForTokensAgain(): void {
    this.#disarmTokens = null
    for (const record of this.#waitingForTokens) this.#makeReady(record)
    if (rings.some((ring) => this.hasReady(ring))) this.#onReady()
  }

  /** A quarter of the window, and only what can leave at once. None until the process has outlived a lease: it has not proven itself before. */
  #suspectsFree(record: EndpointRecord, now: Instant): number {
    const {
      engine: {
        settings: { limits, leaseMs },
      },
      shares,
    } = this.#parts
    if (!limits.suspects) return Number.POSITIVE_INFINITY
    if (this.#startedAt === null || now - this.#startedAt <= leaseMs) return 0
    const window = shares.windowOf(record)
    return Math.max(
      Math.min(
        Math.max(Math.floor(window / 4), 1) - record.suspectsLeased,
        window - record.onWire - record.waiting.length,
      ),
      0,
    )
  }
}

function* firstOf<Item>(items: Iterable<Item>, most: number): Iterable<Item> {
  let count = 0
  for (const item of items) {
    if (count === most) return
    count += 1
    yield item
  }
}
