import type { Lane } from '../../core/delivery/delivery.ts'
import { awaitsProbe, probeHold } from '../../core/endpoint/health.ts'
import type { Claim } from '../../core/ports/queue.ts'
import { nextTokenMs } from '../../core/limits/rate-limit.ts'
import type { Instant } from '../../core/time.ts'
import type { Verdict, WaitReason } from '../../core/endpoint/verdict.ts'
import type { Budget } from '../endpoints/budget.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { EndpointRecord } from '../endpoints/records.ts'
import type { HealthKeeper } from '../endpoints/health.ts'
import type { EngineParts } from '../parts.ts'
import { isRateLimited, returnTokens, slowestRate, takeTokens } from './rate-limits.ts'
import type { Schedule } from './schedule.ts'
import type { Shares } from '../endpoints/shares.ts'
import { trustIn } from '../endpoints/trust.ts'

export interface PlannerParts {
  readonly engine: EngineParts
  readonly endpoints: Endpoints
  readonly budget: Budget
  readonly health: HealthKeeper
  readonly schedule: Schedule
  readonly shares: Shares
}

/** What a claim will request for one endpoint. */
export interface Planned {
  readonly record: EndpointRecord
  lanes: Record<Lane, number>
  readonly probe: boolean
  /** Releases what was reserved for it. */
  readonly unreserve: () => void
  /** Tokens taken from each of its rate limits; null if it has none. */
  granted: number | null
}

/** Plans a claim: decides how many rows each endpoint can take, and reserves everything they need. */
export class Planner {
  readonly #parts: PlannerParts

  constructor(parts: PlannerParts) {
    this.#parts = parts
  }

  /** An endpoint that can take nothing is left out, and waits until that changes. */
  async plan(asked: readonly EndpointRecord[], most: number): Promise<Planned[]> {
    await this.#parts.endpoints.refresh(asked.map(({ endpoint }) => endpoint.id))
    const planned = this.#planEach(asked, most)
    try {
      return await this.#withProbes(await this.#withTokens(planned))
    } catch (error) {
      // Otherwise the reservations would never be released.
      for (const { unreserve } of planned) unreserve()
      throw error
    }
  }

  /** Returns the tokens that no claimed row used. */
  async returnTokens(planned: readonly Planned[], claims: readonly Claim[]): Promise<void> {
    const unused = planned.map(({ record, granted }) => ({
      record,
      count: (granted ?? 0) - claims.filter(({ delivery }) => delivery.endpointId === record.endpoint.id).length,
    }))
    await returnTokens(this.#parts.engine.queue, unused)
  }

  #planEach(asked: readonly EndpointRecord[], most: number): Planned[] {
    const planned: Planned[] = []
    const shareOf = sharesByApplication(asked, most)
    let left = most
    for (const record of asked) {
      const one = left > 0 ? this.#planOne(record, Math.min(shareOf(record), left)) : null
      if (one === null) this.#parts.schedule.putBack(record)
      else if (one !== 'waits') {
        planned.push(one)
        left -= total(one.lanes)
      }
    }
    return planned
  }

  #planOne(record: EndpointRecord, share: number): Planned | 'waits' | null {
    const {
      schedule,
      budget,
      engine: { clock },
    } = this.#parts
    const verdict = schedule.verdictOn(record)
    if (verdict.kind === 'wait') return this.#keepWaiting(record, verdict.reason, verdict.until)
    // Rows that take a token must leave at once. Otherwise they would later leave on top of the tokens gained in the meantime.
    const sendable = isRateLimited(record) ? Math.min(share, this.#wireFree(record)) : share
    if (sendable === 0) return this.#keepWaiting(record, 'window', null)
    const lanes = within(verdict.lanes, sendable)
    const unreserveRows = budget.reserve(record, total(lanes), trustIn(record, clock.now()))
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

  /** How many more requests to an endpoint could start right now. */
  #wireFree(record: EndpointRecord): number {
    return Math.max(this.#parts.shares.windowOf(record) - record.onWire - record.waiting.length, 0)
  }

  /** Takes the tokens of all rate limits with one statement. */
  async #withTokens(planned: readonly Planned[]): Promise<Planned[]> {
    const limited = planned.filter(({ record }) => isRateLimited(record))
    if (limited.length === 0) return [...planned]
    const { queue, clock } = this.#parts.engine
    const now = clock.now()
    const grants = await takeTokens(
      queue,
      now,
      limited.map(({ record, lanes }) => ({ record, most: total(lanes) })),
    )
    for (const [index, one] of limited.entries()) {
      one.granted = grants[index] ?? 0
      one.lanes = within(one.lanes, one.granted)
    }
    return planned.filter(
      (one) => one.granted !== 0 || this.#leaveOut(one, 'rate_limit', now + nextTokenMs(slowestRate(one.record))),
    )
  }

  /** Only one worker may probe an endpoint; the others wait. */
  async #withProbes(planned: readonly Planned[]): Promise<Planned[]> {
    const {
      health,
      engine: {
        clock,
        settings: { timeoutMs },
      },
    } = this.#parts
    const now = clock.now()
    const lost = new Set<Planned>()
    await Promise.all(
      planned
        .filter(({ probe }) => probe)
        .map(async (one) => {
          const won = await health.change(one.record, (known) =>
            awaitsProbe(known, now) ? probeHold(known, now, timeoutMs) : null,
          )
          if (!won) lost.add(one)
        }),
    )
    await this.returnTokens([...lost], [])
    return planned.filter((one) => !lost.has(one) || this.#leaveOut(one, 'held', one.record.health.heldUntil))
  }

  /** Releases what was reserved for an endpoint that will not be asked after all. */
  #leaveOut({ record, unreserve }: Planned, reason: WaitReason, until: Instant | null): false {
    unreserve()
    this.#parts.schedule.keepWaiting(record, reason, until)
    return false
  }
}

/** Equal shares per application, then per endpoint within it: an application with many endpoints gets no more than one with a single endpoint. */
function sharesByApplication(asked: readonly EndpointRecord[], most: number): (record: EndpointRecord) => number {
  const counts = new Map<string, number>()
  for (const { endpoint } of asked) counts.set(endpoint.applicationId, (counts.get(endpoint.applicationId) ?? 0) + 1)
  const ofApplication = Math.ceil(most / Math.max(counts.size, 1))
  return ({ endpoint }) => Math.ceil(ofApplication / (counts.get(endpoint.applicationId) ?? 1))
}

function total(lanes: Readonly<Record<Lane, number>>): number {
  return lanes.fresh + lanes.retries + lanes.suspects
}

/** Shrinks the lanes to a smaller total. Suspects and retries are few and go first, so that no lane starves. */
function within(lanes: Extract<Verdict, { kind: 'take' }>['lanes'], most: number): Record<Lane, number> {
  const suspects = Math.min(lanes.suspects, most)
  const retries = Math.min(lanes.retries, lanes.fresh > 0 ? Math.ceil((most - suspects) / 2) : most - suspects)
  return { suspects, retries, fresh: Math.min(lanes.fresh, most - suspects - retries) }
}
