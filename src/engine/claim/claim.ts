import { lanes as allLanes } from '../../core/delivery/delivery.ts'
import type { Lane } from '../../core/delivery/delivery.ts'
import { messageOf } from '../../core/errors.ts'
import type { Claim, Want } from '../../core/ports/queue.ts'
import type { Instant } from '../../core/time.ts'
import type { Activity } from '../activity.ts'
import type { Attempts } from '../attempt/attempts.ts'
import type { Budget } from '../endpoints/budget.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { EndpointRecord } from '../endpoints/records.ts'
import type { HealthKeeper } from '../endpoints/health.ts'
import type { EngineParts } from '../parts.ts'
import { Planner } from './plan.ts'
import type { Planned } from './plan.ts'
import { Portions } from './portions.ts'
import { rings } from './ready-rings.ts'
import type { RingName } from './ready-rings.ts'
import type { Schedule } from './schedule.ts'
import type { Shares } from '../endpoints/shares.ts'
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

const mostAsked = 50
const mostPerClaim = 200

/**
 * Claims rows for the endpoints that can take some, and hands them over. It never waits for a send. Each ring of the schedule claims separately,
 * one claim at a time, so that endpoints that were reached recently do not wait for the others.
 */
export class Claimer {
  readonly #parts: ClaimerParts
  readonly #planner: Planner
  readonly #claiming: Record<RingName, Promise<void> | null> = { proven: null, unproven: null }
  #running = false
  /** How many rows the current cycle may still claim. If rows leave on the tick only, none leaves before the first tick. */
  #cycleLeft: number
  readonly #portions = new Portions()
  /** Cancels the rest after a portion. */
  #disarmRest: (() => void) | null = null

  constructor(parts: ClaimerParts) {
    this.#parts = parts
    this.#planner = new Planner(parts)
    this.#cycleLeft = parts.engine.settings.limits.perCycle === null ? Number.POSITIVE_INFINITY : 0
  }

  start(): void {
    this.#running = true
    this.#parts.schedule.start(() => void this.claimSafely())
  }

  /** Starts no further claim; resolves when none is under way. */
  async stop(): Promise<void> {
    this.#running = false
    this.#disarmRest?.()
    this.#disarmRest = null
    this.#parts.schedule.stop()
    await this.#ended()
  }

  /** Claims for one cycle. An unused part of the cap does not carry over to the next one. */
  async cycle(): Promise<void> {
    await this.#ended()
    const { perCycle } = this.#parts.engine.settings.limits
    this.#cycleLeft = perCycle ?? Number.POSITIVE_INFINITY
    const claims = await Promise.allSettled(rings.map((ring) => this.#claim(ring)))
    if (perCycle !== null) this.#cycleLeft = 0
    for (const claim of claims) if (claim.status === 'rejected') throw claim.reason
  }

  /** Resolves when no claim is under way, whether it succeeded or failed. */
  async #ended(): Promise<void> {
    await Promise.allSettled(rings.map(async (ring) => this.#claiming[ring]))
  }

  async claimSafely(): Promise<void> {
    await Promise.all(rings.map((ring) => this.#claimSafely(ring)))
  }

  async #claimSafely(ring: RingName): Promise<void> {
    if (this.#claiming[ring] !== null || !this.#mayClaim(ring)) return
    try {
      await this.#claim(ring)
    } catch (error) {
      this.#parts.engine.bus.warn(
        'store_error',
        `The store did not answer a claim; the next cycle tries again: ${messageOf(error)}`,
      )
    }
  }

  #mayClaim(ring: RingName): boolean {
    const { schedule, budget } = this.#parts
    if (ring === 'unproven' && this.#disarmRest !== null) return false
    return this.#running && schedule.hasReady(ring) && Math.min(budget.rowsFree, this.#cycleLeft) > 0
  }

  /** Claims while an endpoint in the ring can take rows; one claim at a time. */
  #claim(ring: RingName): Promise<void> {
    const claiming =
      this.#claiming[ring] ??
      this.#parts.activity
        .during(() => this.#claimAll(ring))
        .finally(() => (this.#claiming[ring] = null))
        // An endpoint that became ready while the last claim was ending must not wait for the tick.
        .then(() => void this.#claimSafely(ring))
    this.#claiming[ring] = claiming
    return claiming
  }

  async #claimAll(ring: RingName): Promise<void> {
    const {
      schedule,
      budget,
      engine: { clock },
    } = this.#parts
    while (this.#mayClaim(ring)) {
      const begunAt = clock.now()
      const { size } = this.#portions
      const [mostEndpoints, mostRows] = ring === 'proven' ? [mostAsked, mostPerClaim] : [size, size]
      const asked = schedule.nextReady(ring, mostEndpoints)
      try {
        await this.#claimOnce(asked, Math.min(budget.rowsFree, this.#cycleLeft, mostRows))
      } finally {
        schedule.letGo(asked)
      }
      if (ring === 'unproven') this.#rest(this.#portions.took(clock.now() - begunAt))
    }
  }

  #rest(ms: number): void {
    if (ms === 0 || !this.#running) return
    this.#disarmRest = this.#parts.engine.clock.after(ms, () => {
      this.#disarmRest = null
      void this.#claimSafely('unproven')
    })
  }

  async #claimOnce(asked: readonly EndpointRecord[], most: number): Promise<void> {
    const planned = await this.#planner.plan(asked, most)
    try {
      if (planned.length > 0 && this.#running) await this.#claimPlanned(planned, most)
    } finally {
      // After an error, too: otherwise the reservations would never be released.
      for (const { unreserve } of planned) unreserve()
      if (planned.length > 0) this.#freed()
    }
  }

  /** Other endpoints may be waiting for reservations that were not used. */
  #freed(): void {
    this.#parts.schedule.budgetFreed()
    this.#parts.schedule.retriesFreed()
  }

  async #claimPlanned(planned: readonly Planned[], most: number): Promise<void> {
    const {
      engine: {
        queue,
        clock,
        meter,
        settings: { owner, leaseMs },
      },
      schedule,
    } = this.#parts
    const now = clock.now()
    const wants = planned.flatMap((one) => this.#wantsOf(one, planned.length))
    for (const { record, lanes } of planned) for (const lane of lanesOf(lanes)) schedule.asking(record, lane)
    const begunAtMs = meter?.nowMs() ?? 0
    const claims = await queue.claim({ owner, leaseMs, now, most, wants })
    meter?.claimed(claims, meter.nowMs() - begunAtMs)
    for (const { unreserve } of planned) unreserve()
    if (this.#cycleLeft !== Number.POSITIVE_INFINITY) this.#cycleLeft -= claims.length
    const probes = new Set(planned.filter(({ probe }) => probe).map(({ record }) => record.endpoint.id))
    const refused = claims.filter((found) => !this.#handOver(found, now, probes.has(found.delivery.endpointId)))
    this.#conclude(wants, claims, claims.length >= most)
    this.#putBack(refused)
    await this.#planner.returnTokens(planned, claims)
  }

  #wantsOf({ record, lanes }: Planned, planned: number): Want[] {
    const {
      engine: { clock },
      budget,
      walk,
    } = this.#parts
    const endpointId = record.endpoint.id
    const mostBytes = Math.max(Math.min(budget.bytesFor(record, clock.now()), Math.ceil(budget.bytesFree / planned)), 1)
    return lanesOf(lanes).map((lane) => ({
      endpointId,
      lane,
      most: lanes[lane],
      mostBytes,
      dueFrom: walk.dueTimes.startOf(endpointId, lane),
    }))
  }

  /** False for a row that was requeued while our attempt is still under way: that attempt does not count as the retry that a person asked for. */
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

  /** The next walk finds them again. Retrying at once is pointless: the attempt they wait for may take as long as a request. */
  #putBack(refused: readonly Claim[]): void {
    if (refused.length === 0) return
    const {
      engine: {
        queue,
        clock,
        settings: { owner },
      },
      endpoints,
    } = this.#parts
    for (const { delivery, lane } of refused) {
      const record = endpoints.get(delivery.endpointId)
      if (record !== undefined) record.due[lane] = false
    }
    const leases = refused.map(({ delivery }) => ({ deliveryId: delivery.id, epoch: delivery.leaseEpoch }))
    // If they cannot be given back, their leases expire.
    queue.release({ owner, now: clock.now(), leases }).catch(() => undefined)
  }

  /** A lane that returned fewer rows than requested has no more due rows, unless the row limit of the claim or the byte limit cut it off. */
  #conclude(wants: readonly Want[], claims: readonly Claim[], cutOff: boolean): void {
    const { schedule, endpoints } = this.#parts
    const found = new Map<string, { rows: number; bytes: number }>()
    for (const {
      delivery: { endpointId },
      lane,
      message,
    } of claims) {
      const { rows, bytes } = found.get(`${endpointId} ${lane}`) ?? { rows: 0, bytes: 0 }
      found.set(`${endpointId} ${lane}`, { rows: rows + 1, bytes: bytes + message.body.length })
    }
    for (const { endpointId, lane, most, mostBytes } of wants) {
      const { rows, bytes } = found.get(`${endpointId} ${lane}`) ?? { rows: 0, bytes: 0 }
      const record = endpoints.get(endpointId)
      if (record !== undefined) schedule.served(record, lane, rows, rows < most && !cutOff && bytes < mostBytes)
    }
  }
}

/** The lanes that a claim asks for. */
function lanesOf(counts: Readonly<Record<Lane, number>>): Lane[] {
  return allLanes.filter((lane) => counts[lane] > 0)
}
