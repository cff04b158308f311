import type { Lane } from '../delivery/delivery.ts'
import type { EndpointStatus } from './endpoint.ts'
import { awaitsProbe, isHeld } from './health.ts'
import type { Health } from './health.ts'
import type { Limits } from '../limits/limits.ts'
import type { Instant } from '../time.ts'

/** What an endpoint's due deliveries wait for. */
export type WaitReason =
  | 'paused'
  | 'disabled'
  | 'deleted'
  /** The breaker is open, or the endpoint asked for a wait. */
  | 'held'
  /** As many requests are open to it as may be. */
  | 'window'
  /** The process, its application or the endpoint holds as many deliveries or bytes as it may. */
  | 'budget'
  /** It has had its retries of this tick, or all endpoints together have. */
  | 'allowance'
  /** A hold or pause has ended, and what was kept back leaves in steps. */
  | 'ramp'
  /** Its rate limit, or its application's. */
  | 'rate_limit'

/** An endpoint that a worker has kept waiting, as the others learn of it. */
export interface EndpointWait {
  readonly endpointId: string
  readonly reason: WaitReason
  readonly since: Instant
}

/** May an endpoint take more deliveries; if not, why, and until when at the least. */
export type Verdict =
  | { readonly kind: 'take'; readonly lanes: Readonly<Record<Lane, number>>; readonly probe: boolean }
  | { readonly kind: 'wait'; readonly reason: WaitReason; readonly until: Instant | null }

export interface VerdictInput {
  readonly status: EndpointStatus
  readonly health: Pick<Health, 'heldUntil' | 'holds'>
  readonly limits: Pick<Limits, 'breaker' | 'heedsEndpoint'>
  readonly now: Instant
  /** Lanes that are believed to hold due deliveries. */
  readonly due: Readonly<Record<Lane, boolean>>
  /** How many more may be held: within the endpoint's window, within the budget, and of suspects. */
  readonly free: { readonly window: number; readonly budget: number; readonly suspects: number }
  /** How many more may begin: retries of this tick, and all lanes while a ramp lasts. */
  readonly allowance: { readonly retries: number; readonly ramp: number }
  /** When the next tick brings new allowances. */
  readonly nextTickAt: Instant | null
}

/** The one place where it is decided whether an endpoint's deliveries may leave. */
export function verdictOf(input: VerdictInput): Verdict {
  const { status, health, limits, free, now } = input
  if (status !== 'active') return { kind: 'wait', reason: status, until: null }
  if (limits.heedsEndpoint && isHeld(health, now)) return { kind: 'wait', reason: 'held', until: health.heldUntil }
  if (free.budget <= 0) return { kind: 'wait', reason: 'budget', until: null }
  if (limits.breaker && awaitsProbe(health, now)) return probe(input)
  if (free.window <= 0) return { kind: 'wait', reason: 'window', until: null }
  const lanes = byLane(input)
  if (lanes.fresh + lanes.retries + lanes.suspects > 0) return { kind: 'take', lanes, probe: false }
  return { kind: 'wait', reason: input.allowance.ramp <= 0 ? 'ramp' : 'allowance', until: input.nextTickAt }
}

/** One delivery goes to see whether a hold may end: any will do, but a suspect could end its worker instead. */
function probe({ due, free, nextTickAt }: VerdictInput): Verdict {
  const lane: Lane = due.retries ? 'retries' : due.fresh ? 'fresh' : 'suspects'
  if (lane === 'suspects' && free.suspects <= 0) return { kind: 'wait', reason: 'allowance', until: nextTickAt }
  return { kind: 'take', lanes: { fresh: 0, retries: 0, suspects: 0, [lane]: 1 }, probe: true }
}

/** The lanes share what an endpoint may take: none starves another. Suspects count as retries. */
function byLane({ due, free, allowance }: VerdictInput): Record<Lane, number> {
  const most = Math.max(Math.min(free.window, free.budget, allowance.ramp), 0)
  // Endpoints that are asked together may have taken more than the tick had left: that is no credit for the other lanes.
  const retriesLeft = Math.max(allowance.retries, 0)
  const suspects = due.suspects ? Math.min(free.suspects, retriesLeft, most) : 0
  const left = most - suspects
  const retries = due.retries ? Math.min(retriesLeft - suspects, due.fresh ? Math.ceil(left / 2) : left) : 0
  return { fresh: due.fresh ? left - retries : 0, retries, suspects }
}
