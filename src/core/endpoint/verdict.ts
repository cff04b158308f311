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
  /** The endpoint has as many open requests as it may have. */
  | 'window'
  /** The process, the application or the endpoint holds as many deliveries or bytes as it may. */
  | 'budget'
  /** The endpoint has used up its retries for this tick, or all endpoints together have. */
  | 'allowance'
  /** A hold or pause has ended, and deliveries kept back leave in steps. */
  | 'ramp'
  /** The rate limit of the endpoint or of its application. */
  | 'rate_limit'

/** An endpoint that a worker keeps waiting, as reported to the other workers. */
export interface EndpointWait {
  readonly endpointId: string
  readonly reason: WaitReason
  readonly since: Instant
}

/** Whether an endpoint may take more deliveries; if not, why, and until when at least. */
export type Verdict =
  | { readonly kind: 'take'; readonly lanes: Readonly<Record<Lane, number>>; readonly probe: boolean }
  | { readonly kind: 'wait'; readonly reason: WaitReason; readonly until: Instant | null }

export interface VerdictInput {
  readonly status: EndpointStatus
  readonly health: Pick<Health, 'heldUntil' | 'holds'>
  readonly limits: Pick<Limits, 'breaker' | 'heedsEndpoint'>
  readonly now: Instant
  /** Lanes that may have due deliveries. */
  readonly due: Readonly<Record<Lane, boolean>>
  /** How many more it may hold: within its window, within the budget, and as suspects. */
  readonly free: { readonly window: number; readonly budget: number; readonly suspects: number }
  /** How many more may start: retries of this tick, and all lanes during a ramp. */
  readonly allowance: { readonly retries: number; readonly ramp: number }
  /** When the next tick brings new allowances. */
  readonly nextTickAt: Instant | null
}

/** The only place that decides whether an endpoint's deliveries may leave. */
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

/** One delivery probes whether a hold may end. Any will do, but a suspect might crash its worker instead. */
function probe({ due, free, nextTickAt }: VerdictInput): Verdict {
  const lane: Lane = due.retries ? 'retries' : due.fresh ? 'fresh' : 'suspects'
  if (lane === 'suspects' && free.suspects <= 0) return { kind: 'wait', reason: 'allowance', until: nextTickAt }
  return { kind: 'take', lanes: { fresh: 0, retries: 0, suspects: 0, [lane]: 1 }, probe: true }
}

/** The lanes share what an endpoint may take, so that none starves another. Suspects count as retries. */
function byLane({ due, free, allowance }: VerdictInput): Record<Lane, number> {
  const most = Math.max(Math.min(free.window, free.budget, allowance.ramp), 0)
  // Endpoints claimed together may have taken more than the tick had left: the other lanes get no credit for that.
  const retriesLeft = Math.max(allowance.retries, 0)
  const suspects = due.suspects ? Math.min(free.suspects, retriesLeft, most) : 0
  const left = most - suspects
  const retries = due.retries ? Math.min(retriesLeft - suspects, due.fresh ? Math.ceil(left / 2) : left) : 0
  return { fresh: due.fresh ? left - retries : 0, retries, suspects }
}
