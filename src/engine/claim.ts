import { lanes as laneNames } from '../core/delivery.ts'
import type { Lane } from '../core/delivery.ts'
import { messageOf } from '../core/errors.ts'
import { awaitsProbe, probeHold } from '../core/health.ts'
import type { Claim, Want } from '../core/queue.ts'
import { nextTokenMs } from '../core/rate-limit.ts'
import type { Instant } from '../core/time.ts'
import type { Verdict, WaitReason } from '../core/verdict.ts'
import type { Activity } from './activity.ts'
import type { Attempts } from './attempts.ts'
import { isUnproven } from './budget.ts'
import type { Budget } from './budget.ts'
import type { EndpointRecord, Endpoints } from './endpoints.ts'
import type { HealthKeeper } from './health.ts'
import type { EngineParts } from './parts.ts'
import { isRateLimited, returnTokens, slowestRate, takeTokens } from './rate-limits.ts'
import type { Schedule } from './schedule.ts'
import type { Shares } from './shares.ts'
import type { Walk } from './walk.ts'

export interface ClaimerParts {
  readonly engine: EngineParts
  readonly activity: Activity
  readonly endpoints: Endpoints
  readonly budget: Budget
  readonly health: HealthKeeper
  readonly schedule: Schedule
  readonly shares: Shares
  readonly walk: Walk
  readonly attempts: Attempts
}

/** What one endpoint is about to be asked for. */
interface Planned {
  readonly record: EndpointRecord
  lanes: Record<Lane, number>
  readonly probe: boolean
  /** Gives back what was set aside for it. */
  readonly unreserve: () => void
  /** Tokens of each of its rate limits; null if it has none. */
  granted: number | null
}

const mostAsked = 50
const mostPerClaim = 200

/** Claims rows of the endpoints that may take some, and hands them over. It never waits for a send. */
export class Claimer {
  readonly #parts: ClaimerParts
  #running = false
  #claiming: Promise<void> | null = null
  /** What the cycle leaves; where rows leave on the tick only, nothing leaves before the first one. */
  #cycleLeft: number

  constructor(parts: ClaimerParts) {
    this.#parts = parts
    this.#cycleLeft = parts.engine.settings.limits.perCycle === null ? Number.POSITIVE_INFINITY : 0
  }

  start(): void {
    this.#running = true
    this.#parts.schedule.start(() => void this.claimSafely())
  }

  /** No claim begins after this; resolves when none is under way. */
  async stop(): Promise<void> {
    this.#running = false
    this.#parts.schedule.stop()
    await this.#claiming?.catch(() => undefined)
  }

  /** A cycle's worth: what is not used of the cap is not saved for the next one. */
  async cycle(): Promise<void> {
    await this.#claiming?.catch(() => undefined)
    const { perCycle } = this.#parts.engine.settings.limits
    this.#cycleLeft = perCycle ?? Number.POSITIVE_INFINITY
    try {
      await this.#claim()
    } finally {
      if (perCycle !== null) this.#cycleLeft = 0
    }
  }

  async claimSafely(): Promise<void> {
    if (this.#claiming !== null || !this.#mayClaim()) return
    try {
      await this.#claim()
    } catch (error) {
      this.#parts.engine.bus.warn('store_error', `The store did not answer a claim; the next cycle tries again: ${messageOf(error)}`)
    }
  }

  #mayClaim(): boolean {
    const { schedule, budget } = this.#parts
    return this.#running && schedule.hasReady && Math.min(budget.rowsFree, this.#cycleLeft) > 0
  }

  /** Claims for as long as somebody may take something; one claim at a time. */
  #claim(): Promise<void> {
    this.#claiming ??= this.#parts.activity
      .during(() => this.#claimAll())
      .finally(() => (this.#claiming = null))
      // Whoever became ready while the last look ended must not wait for the tick.
      .then(() => void this.claimSafely())
    return this.#claiming
  }

  async #claimAll(): Promise<void> {
    while (this.#mayClaim()) {
      const most = Math.min(this.#parts.budget.rowsFree, this.#cycleLeft, mostPerClaim)
      const planned = await this.#plan(most)
      try {
        if (planned.length > 0 && this.#running) await this.#claimPlanned(planned, most)
      } finally {
        // Also after an error: what was set aside must not stay so.
        for (const { unreserve } of planned) unreserve()
        if (planned.length > 0) this.#freed()
      }
    }
  }

  /** What was set aside and not used may be what others wait for. */
  #freed(): void {
    this.#parts.schedule.budgetFreed()
    this.#parts.schedule.retriesFreed()
  }

  /** Asks the next endpoints in the ring what they may take. Whoever may take nothing waits until that changes. */
  async #plan(most: number): Promise<Planned[]> {
    const { schedule, endpoints } = this.#parts
    const asked = schedule.nextReady(mostAsked)
    await endpoints.refresh(asked.map(({ endpoint }) => endpoint.id))
    const planned: Planned[] = []
    const share = Math.ceil(most / Math.max(asked.length, 1))
    let left = most
    for (const record of asked) {
      const one = left > 0 ? this.#planOne(record, Math.min(share, left)) : null
      if (one === null) schedule.putBack(record)
      else if (one !== 'waits') {
        planned.push(one)
        left -= total(one.lanes)
      }
    }
    try {
      return await this.#withProbes(await this.#withTokens(planned))
    } catch (error) {
      // What was set aside must not stay so.
      for (const { unreserve } of planned) unreserve()
      throw error
    }
  }

  #planOne(record: EndpointRecord, share: number): Planned | 'waits' | null {
    const { schedule, budget, engine: { clock } } = this.#parts
    const verdict = schedule.verdictOn(record)
    if (verdict.kind === 'wait') return this.#keepWaiting(record, verdict.reason, verdict.until)
    // What is taken from a rate limit must leave at once, or it would come on top of what is gained meanwhile.
    const sendable = isRateLimited(record) ? Math.min(share, this.#wireFree(record)) : share
    if (sendable === 0) return this.#keepWaiting(record, 'window', null)
    const lanes = within(verdict.lanes, sendable)
    const unreserveRows = budget.reserve(record, total(lanes), isUnproven(record, clock.now()))
    const unreserveRetries = schedule.reserveRetries(lanes.retries + lanes.suspects)
    const unreserve = (): void => {
      unreserveRows()
      unreserveRetries()
    }
    return { record, lanes, probe: verdict.probe, unreserve, granted: null }
  }

  #keepWaiting(record: EndpointRecord, reason: WaitReason, until: Instant | null): 'waits' {
    this.#parts.schedule.keepWaiting(record, reason, until)
    return 'waits'
  }

  /** How many more requests to an endpoint could leave at once. */
  #wireFree(record: EndpointRecord): number {
    return Math.max(this.#parts.shares.windowOf(record) - record.onWire - record.waiting.length, 0)
  }

  /** Tokens of all rate limits come with one statement. */
  async #withTokens(planned: readonly Planned[]): Promise<Planned[]> {
    const limited = planned.filter(({ record }) => isRateLimited(record))
    if (limited.length === 0) return [...planned]
    const { queue, clock } = this.#parts.engine
    const now = clock.now()
    const grants = await takeTokens(queue, now, limited.map(({ record, lanes }) => ({ record, most: total(lanes) })))
    for (const [index, one] of limited.entries()) {
      one.granted = grants[index] ?? 0
      one.lanes = within(one.lanes, one.granted)
    }
    return planned.filter((one) => one.granted !== 0 || this.#leaveOut(one, 'rate_limit', now + nextTokenMs(slowestRate(one.record))))
  }

  /** The right to probe is one worker's: whoever does not get it waits. */
  async #withProbes(planned: readonly Planned[]): Promise<Planned[]> {
    const { health, engine: { clock, settings: { timeoutMs } } } = this.#parts
    const now = clock.now()
    const lost = new Set<Planned>()
    await Promise.all(planned.filter(({ probe }) => probe).map(async (one) => {
      const won = await health.change(one.record, (known) => (awaitsProbe(known, now) ? probeHold(known, now, timeoutMs) : null))
      if (!won) lost.add(one)
    }))
    await this.#returnTokens([...lost], [])
    return planned.filter((one) => !lost.has(one) || this.#leaveOut(one, 'held', one.record.health.heldUntil))
  }

  /** Gives back what was set aside for an endpoint that is not asked after all. */
  #leaveOut({ record, unreserve }: Planned, reason: WaitReason, until: Instant | null): false {
    unreserve()
    this.#parts.schedule.keepWaiting(record, reason, until)
    return false
  }

  async #claimPlanned(planned: readonly Planned[], most: number): Promise<void> {
    const { engine: { queue, clock, settings: { owner, leaseMs } }, schedule } = this.#parts
    const now = clock.now()
    const wants = planned.flatMap((one) => this.#wantsOf(one, planned.length))
    for (const { record, lanes } of planned) for (const lane of lanesOf(lanes)) schedule.asking(record, lane)
    const claims = await queue.claim({ owner, leaseMs, now, most, wants })
    for (const { unreserve } of planned) unreserve()
    if (this.#cycleLeft !== Number.POSITIVE_INFINITY) this.#cycleLeft -= claims.length
    const probes = new Set(planned.filter(({ probe }) => probe).map(({ record }) => record.endpoint.id))
    const refused = claims.filter((found) => !this.#handOver(found, now, probes.has(found.delivery.endpointId)))
    this.#conclude(wants, claims, claims.length >= most)
    this.#putBack(refused)
    await this.#returnTokens(planned, claims)
  }

  #wantsOf({ record, lanes }: Planned, planned: number): Want[] {
    const { engine: { clock }, budget, walk } = this.#parts
    const endpointId = record.endpoint.id
    const mostBytes = Math.max(Math.min(budget.bytesFor(record, clock.now()), Math.ceil(budget.bytesFree / planned)), 1)
    return lanesOf(lanes).map((lane) => ({ endpointId, lane, most: lanes[lane], mostBytes, dueFrom: walk.dueTimes.startOf(endpointId, lane) }))
  }

  /** False for a row that was requeued while an attempt of ours is still under way: that attempt is no answer to a person's request. */
  #handOver(found: Claim, leasedAt: Instant, probe: boolean): boolean {
    const { attempts, endpoints } = this.#parts
    const { id, endpointId, leaseEpoch } = found.delivery
    const record = endpoints.get(endpointId)
    if (record === undefined) return true
    const own = attempts.get(id)
    if (own === undefined) attempts.begin(attempts.take(found, record, leasedAt, probe))
    else if (found.tookOver === null || leaseEpoch !== own.leaseEpoch + 1) return false
    else attempts.adopt(own, leaseEpoch)
    return true
  }

  /** Looked for again with the next walk, not at once: what they wait for may take as long as a request. */
  #putBack(refused: readonly Claim[]): void {
    if (refused.length === 0) return
    const { engine: { queue, clock, settings: { owner } }, endpoints } = this.#parts
    for (const { delivery, lane } of refused) {
      const record = endpoints.get(delivery.endpointId)
      if (record !== undefined) record.due[lane] = false
    }
    const leases = refused.map(({ delivery }) => ({ deliveryId: delivery.id, epoch: delivery.leaseEpoch }))
    // If they cannot be given back they run out.
    queue.release({ owner, now: clock.now(), leases }).catch(() => undefined)
  }

  /** A lane that gave less than it was asked for has no more due rows, unless the claim as a whole, or the bytes, were cut off. */
  #conclude(wants: readonly Want[], claims: readonly Claim[], cutOff: boolean): void {
    const { schedule, endpoints } = this.#parts
    const found = new Map<string, { rows: number; bytes: number }>()
    for (const { delivery: { endpointId }, lane, message } of claims) {
      const { rows, bytes } = found.get(`${endpointId} ${lane}`) ?? { rows: 0, bytes: 0 }
      found.set(`${endpointId} ${lane}`, { rows: rows + 1, bytes: bytes + message.body.length })
    }
    for (const { endpointId, lane, most, mostBytes } of wants) {
      const { rows, bytes } = found.get(`${endpointId} ${lane}`) ?? { rows: 0, bytes: 0 }
      const record = endpoints.get(endpointId)
      if (record !== undefined) schedule.served(record, lane, rows, rows < most && !cutOff && bytes < mostBytes)
    }
  }

  async #returnTokens(planned: readonly Planned[], claims: readonly Claim[]): Promise<void> {
    const unused = planned.map(({ record, granted }) => ({
      record,
      count: (granted ?? 0) - claims.filter(({ delivery }) => delivery.endpointId === record.endpoint.id).length,
    }))
    await returnTokens(this.#parts.engine.queue, unused)
  }
}

/** The lanes that are asked at all. */
function lanesOf(counts: Readonly<Record<Lane, number>>): Lane[] {
  return laneNames.filter((lane) => counts[lane] > 0)
}

function total(lanes: Readonly<Record<Lane, number>>): number {
  return lanes.fresh + lanes.retries + lanes.suspects
}

/** The same lanes within a smaller number: what is few goes first, so that nothing starves. */
function within(lanes: Extract<Verdict, { kind: 'take' }>['lanes'], most: number): Record<Lane, number> {
  const suspects = Math.min(lanes.suspects, most)
  const retries = Math.min(lanes.retries, lanes.fresh > 0 ? Math.ceil((most - suspects) / 2) : most - suspects)
  return { suspects, retries, fresh: Math.min(lanes.fresh, most - suspects - retries) }
}
