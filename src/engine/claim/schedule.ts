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
// What has these reasons is over when something else happens; where only retries have used up their allowance, fresh rows may still go.
const wokenByEvents: ReadonlySet<WaitReason> = new Set(['window', 'budget', 'ramp', 'rate_limit'])
// Thousands may wait while thousands are freed in a second: each of these looks at a few.
const mostLookedAt = 10

/** Who has due rows, and who of them may go: each endpoint is idle, ready, or waiting for something. */
export class Schedule {
  readonly #parts: ScheduleParts
  readonly #ramps: Ramps
  readonly #ready = new ReadyRings()
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
    this.#ramps = new Ramps(parts)
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
    return this.#ready.has(ring)
  }

  /** A new tick: allowances that were not used up are not saved. */
  tick(): void {
    const { limits } = this.#parts.engine.settings
    this.#nextTickAt = this.#parts.engine.clock.now() + limits.pollMs
    this.#retriesLeft = limits.retriesPerTick
    for (const record of this.#parts.endpoints.all()) record.retriesLeft = limits.retriesPerEndpoint
    for (const record of this.#waiting) this.#makeReady(record)
  }

  /** Says that endpoints have due rows in a lane, nobody knows how many. */
  expect(records: readonly EndpointRecord[], lane: Lane): void {
    if (lane === 'fresh') for (const record of records) record.isBehind = true
    this.#expect(records, lane)
  }

  /** Says that a row was stored that could not leave at once. The endpoint may have caught up since that was decided. */
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
    if (reason === 'budget' || reason === 'held') this.#makeReady(record)
    // A claim for many costs little more than one for a single row: as long as a window's worth is at hand, nobody is asked for more.
    if (reason === 'window' && record.waiting.length < this.#parts.shares.windowOf(record)) this.#makeReady(record)
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
    // Suspects wait for the next walk: what kept one from being written ahead would keep it again at once.
    if (record.state === 'idle' && lane !== 'suspects') this.#makeReady(record)
  }

  /** Takes the next endpoints out of a ring; each must then be served, put back, kept waiting, or let go. */
  nextReady(ring: RingName, most: number): EndpointRecord[] {
    const next = this.#ready.take(ring, most)
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
        ramp: this.#ramps.of(record, now)?.left ?? Number.POSITIVE_INFINITY,
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
    if (record.isBehind || isRateLimited(record) || record.health.holds > 0 || record.health.rampFrom !== null)
      return false
    record.isBehind = this.#verdict(record, { ...record.due, fresh: true }).kind === 'wait'
    return !record.isBehind
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
    // Nothing new may take the place that these rows wait for.
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
    // Rows that were stored meanwhile are few, and asked for next: whatever comes now need not queue behind them.
    if (isEmpty && lane === 'fresh') record.isBehind = false
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

  /** Those that share the cap of a cycle, or the rate limit of their application, take turns in one ring. */
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

  /** Something else than more due rows must happen first, and says so. */
  #willBeWoken({ state, wait, health }: EndpointRecord): boolean {
    if (state !== 'waiting' || wait === null) return false
    return wait.reason === 'held' ? isHeld(health, this.#parts.engine.clock.now()) : wokenByEvents.has(wait.reason)
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
}

function* firstOf<Item>(items: Iterable<Item>, most: number): Iterable<Item> {
  let count = 0
  for (const item of items) {
    if (count === most) return
    count += 1
    yield item
  }
}
