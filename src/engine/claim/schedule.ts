import { lanes } from '../../core/delivery/delivery.ts'
import type { Lane } from '../../core/delivery/delivery.ts'
import { isHeld } from '../../core/endpoint/health.ts'
import { isRough, rampStep, repeatStep } from '../../core/limits/ramp.ts'
import type { RampStep } from '../../core/limits/ramp.ts'
import type { Instant } from '../../core/time.ts'
import { verdictOf } from '../../core/endpoint/verdict.ts'
import type { EndpointWait, Verdict, WaitReason } from '../../core/endpoint/verdict.ts'
import { isUnproven } from '../endpoints/budget.ts'
import type { Budget } from '../endpoints/budget.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { EndpointRecord, Ramp } from '../endpoints/records.ts'
import type { HealthKeeper } from '../endpoints/health.ts'
import type { EngineParts } from '../parts.ts'
import { isRateLimited } from './rate-limits.ts'
import { Ring } from './ring.ts'
import type { Shares } from '../endpoints/shares.ts'

export interface ScheduleParts {
  readonly engine: EngineParts
  readonly endpoints: Endpoints
  readonly budget: Budget
  readonly health: HealthKeeper
  readonly shares: Shares
}

/** Those that something reached lately, and those that it did not: the second may all be hung or dead, and must not keep the first waiting. */
export const rings = ['proven', 'unproven'] as const
export type RingName = (typeof rings)[number]

const mostWaitsTold = 100
// Thousands may wait while thousands are freed in a second: each of these looks at a few.
const mostLookedAt = 10

/** Who has due rows, and who of them may go: each endpoint is idle, ready, or waiting for something. */
export class Schedule {
  readonly #parts: ScheduleParts
  readonly #ready: Readonly<Record<RingName, Ring>> = { proven: new Ring(), unproven: new Ring() }
  readonly #waiting = new Set<EndpointRecord>()
  /** Of the waiting, those that a freed place may help: first come, first served. */
  readonly #waitingForBudget = new Set<EndpointRecord>()
  /** Of the waiting, those that only the retries of all endpoints together keep. */
  readonly #waitingForRetries = new Set<EndpointRecord>()
  /** Of the waiting, those that rate limits keep. */
  readonly #waitingForTokens = new Set<EndpointRecord>()
  #disarmTokens: (() => void) | null = null
  #startedAt: Instant | null = null
  #nextTickAt: Instant | null = null
  #retriesLeft = 0
  #onReady: () => void = () => undefined

  constructor(parts: ScheduleParts) {
    this.#parts = parts
  }

  /** Calls back whenever somebody may be asked who could not before. */
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
    return this.#ready[ring].size > 0
  }

  /** A new tick: allowances that were not used up are not saved. */
  tick(): void {
    const { limits } = this.#parts.engine.settings
    this.#nextTickAt = this.#parts.engine.clock.now() + limits.pollMs
    this.#retriesLeft = limits.retriesPerTick
    for (const record of this.#parts.endpoints.all()) record.retriesLeft = limits.retriesPerEndpoint
    for (const record of this.#waiting) this.#makeReady(record)
  }

  /** Says that endpoints have due rows in a lane. */
  expect(records: readonly EndpointRecord[], lane: Lane): void {
    let isNews = false
    for (const record of records) {
      record.due[lane] = record.dueSinceClaim[lane] = true
      if (record.state === 'ready' || record.state === 'asked' || this.#willBeWoken(record)) continue
      this.#makeReady(record)
      isNews = true
    }
    // Only now, so that they are asked together.
    if (isNews) this.#onReady()
  }

  /** Says that an endpoint was changed: whatever it waited for may be over. */
  reconsider(record: EndpointRecord): void {
    if (record.state !== 'waiting') return
    this.#makeReady(record)
    this.#onReady()
  }

  /** Says that something of an endpoint has ended. */
  freed(record: EndpointRecord): void {
    const reason = record.state === 'waiting' ? record.wait?.reason : undefined
    // What ended may have been the probe that a hold waited for.
    if (reason === 'window' || reason === 'budget' || reason === 'held') this.#makeReady(record)
    this.budgetFreed()
    if (rings.some((ring) => this.hasReady(ring))) this.#onReady()
  }

  /** Says that there may be a place for one that had found none. Whoever still finds none goes to the end of the queue. */
  budgetFreed(): void {
    const {
      engine: { clock },
      budget,
    } = this.#parts
    const now = clock.now()
    for (const record of firstOf(this.#waitingForBudget, mostLookedAt)) {
      if (budget.rowsFree <= 0) return
      if (budget.rowsFor(record, now) > 0) return this.#makeReady(record)
      this.#waitingForBudget.delete(record)
      this.#waitingForBudget.add(record)
    }
  }

  /** Rows went back unsent: what they had taken of the allowances is theirs again. */
  givenBack(record: EndpointRecord, lane: Lane): void {
    record.due[lane] = record.dueSinceClaim[lane] = true
    if (lane !== 'fresh') {
      const { retriesPerEndpoint, retriesPerTick } = this.#parts.engine.settings.limits
      record.retriesLeft = Math.min(record.retriesLeft + 1, retriesPerEndpoint)
      this.#retriesLeft = Math.min(this.#retriesLeft + 1, retriesPerTick)
    }
    // Not for rows that were leased before this step began.
    if (record.ramp !== null && record.ramp.begun > 0) {
      record.ramp.left += 1
      record.ramp.begun -= 1
    }
    // Suspects wait for the next walk: what kept one from being written ahead would keep it again at once.
    if (record.state === 'idle' && lane !== 'suspects') this.#makeReady(record)
  }

  /** Takes the next endpoints out of a ring; each must then be served, put back, kept waiting, or let go. */
  nextReady(ring: RingName, most: number): EndpointRecord[] {
    const next = this.#ready[ring].take(most)
    for (const record of next) record.state = 'asked'
    return next
  }

  /** Of those taken out, the ones that nothing came of, as after an error: the next walk finds them. */
  letGo(records: readonly EndpointRecord[]): void {
    for (const record of records) if (record.state === 'asked') record.state = 'idle'
  }

  /** Of those taken out, one whose turn did not come. */
  putBack(record: EndpointRecord): void {
    this.#makeReady(record)
  }

  /** May this endpoint take more, and if not, why. */
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
        ramp: this.#rampOf(record, now)?.left ?? Number.POSITIVE_INFINITY,
      },
      nextTickAt: this.#nextTickAt,
    })
  }

  /** The fast path: true if a delivery may be stored under a lease of ours, to leave once it is stored. */
  mayLeaveAtOnce(record: EndpointRecord): boolean {
    const {
      engine: {
        clock,
        settings: { limits },
      },
      endpoints,
    } = this.#parts
    if (this.#startedAt === null || !limits.fastPath || !endpoints.isFresh(record, clock.now())) return false
    if (record.due.fresh || isRateLimited(record) || record.health.holds > 0 || record.health.rampFrom !== null)
      return false
    return this.#verdict(record, { ...record.due, fresh: true }).kind === 'take'
  }

  /** Sets retries of the tick aside for a claim that is about to be made: endpoints that are asked together share them. */
  reserveRetries(count: number): () => void {
    let reserved = count
    this.#retriesLeft -= reserved
    return () => {
      this.#retriesLeft += reserved
      reserved = 0
    }
  }

  /** Says that retries may be left that were set aside for others. */
  retriesFreed(): void {
    if (this.#retriesLeft > 0) for (const record of this.#waitingForRetries) this.#makeReady(record)
  }

  keepWaiting(record: EndpointRecord, reason: WaitReason, until: Instant | null): void {
    const now = this.#parts.engine.clock.now()
    const since = record.wait?.reason === reason ? record.wait.since : now
    this.#removeReady(record)
    record.state = 'waiting'
    record.wait = { reason, since, until }
    this.#waiting.add(record)
    if (reason === 'budget') this.#waitingForBudget.add(record)
    if (reason === 'allowance' && record.retriesLeft > 0) this.#waitingForRetries.add(record)
    if (reason !== 'rate_limit' || until === null || !this.isRunning) return
    this.#waitingForTokens.add(record)
    this.#disarmTokens ??= this.#parts.engine.clock.after(Math.max(until - now, 1), () => this.#askForTokensAgain())
  }

  /** Says that a claim begins to ask for rows of an endpoint. */
  asking(record: EndpointRecord, lane: Lane): void {
    record.dueSinceClaim[lane] = false
  }

  /** Counts what was begun, and goes on with the endpoint if it has more. */
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
    if (record.state === 'asked') record.state = 'idle'
    if (record.state === 'idle' && lanes.some((each) => record.due[each])) this.#makeReady(record)
  }

  /** Endpoints that were kept waiting for over a tick, for people to see. */
  waits(): EndpointWait[] {
    const {
      clock,
      settings: { limits },
    } = this.#parts.engine
    const longAgo = clock.now() - limits.pollMs
    const waits: EndpointWait[] = []
    for (const { endpoint, wait } of this.#waiting) {
      if (waits.length === mostWaitsTold) break
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
    this.#ready[this.#ringOf(record)].add(record)
  }

  /** Those that share the cap of a cycle, or the rate limit of their application, take turns in one ring. */
  #ringOf(record: EndpointRecord): RingName {
    const {
      clock,
      settings: { limits },
    } = this.#parts.engine
    if (limits.perCycle !== null || record.applicationRatePerSecond !== null) return 'proven'
    return isUnproven(record, clock.now()) ? 'unproven' : 'proven'
  }

  #removeReady(record: EndpointRecord): void {
    if (record.state !== 'ready') return
    this.#ready.proven.delete(record)
    this.#ready.unproven.delete(record)
  }

  /** Something else than more due rows must happen first, and says so. */
  #willBeWoken({ state, wait, health }: EndpointRecord): boolean {
    if (state !== 'waiting' || wait === null) return false
    switch (wait.reason) {
      case 'paused':
      case 'disabled':
      case 'deleted':
        return false
      case 'held':
        return isHeld(health, this.#parts.engine.clock.now())
      // Fresh rows may go where retries must wait.
      case 'allowance':
        return false
      case 'window':
      case 'budget':
      case 'ramp':
      case 'rate_limit':
        return true
    }
  }

  #askForTokensAgain(): void {
    this.#disarmTokens = null
    for (const record of this.#waitingForTokens) this.#makeReady(record)
    if (rings.some((ring) => this.hasReady(ring))) this.#onReady()
  }

  /** A quarter of the window, only what can leave at once, and only in a process that has outlived a lease: one that ends sooner proves nothing. */
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

  #rampOf(record: EndpointRecord, now: Instant): Ramp | null {
    const {
      engine: {
        settings: { limits },
      },
      shares,
    } = this.#parts
    const { rampFrom } = record.health
    const step = rampStep(record.health, limits, shares.workers, now)
    const before = record.ramp
    if (step === null || rampFrom === null) return (record.ramp = null)
    if (before !== null && before.from === rampFrom && before.tick === step.tick) {
      // Workers may have joined since it was dealt out, perhaps while the hold still lasted.
      before.left = Math.min(before.left, Math.max(step.allowance - before.begun, 0))
      return before
    }
    if (before !== null && before.from === rampFrom && isRough(before.begun, before.blamed))
      return this.#repeatStep(record, before, step)
    return (record.ramp = { from: rampFrom, tick: step.tick, left: step.allowance, begun: 0, blamed: 0 })
  }

  /** Too many failed for a larger step: the other workers learn of it from the health. */
  #repeatStep(record: EndpointRecord, before: Ramp, { tick, allowance }: RampStep): Ramp {
    const ticks = tick - before.tick
    const repeated = repeatStep(record.health, before.from, ticks, this.#parts.engine.settings.limits.pollMs)
    if (repeated !== null) this.#parts.health.remember(record, repeated)
    record.ramp = {
      from: repeated?.rampFrom ?? before.from,
      tick: before.tick,
      left: Math.ceil(allowance / 2 ** ticks),
      begun: 0,
      blamed: 0,
    }
    return record.ramp
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
