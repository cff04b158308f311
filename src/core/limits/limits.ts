import { expected } from '../errors.ts'
import { minute } from '../time.ts'

/** How much may leave, and when. Every limit applies to one process, except for the pool, which all workers on a store share. */
export interface Limits {
  readonly pollMs: number
  /** Rows of all lanes together that may leave per cycle; null lets fresh rows leave whenever the other limits allow. */
  readonly perCycle: number | null
  /** Retries that one endpoint may get per tick. */
  readonly retriesPerEndpoint: number
  /** Retries that all endpoints together may get per tick. */
  readonly retriesPerTick: number
  /** Requests that may be open to one endpoint at once, across all workers. */
  readonly pool: number
  /** Requests that one process may have open at once. */
  readonly openRequests: number
  readonly slowStart: boolean
  readonly breaker: boolean
  readonly fastPath: boolean
  /** Honours Retry-After and 410, and disables endpoints that only fail. */
  readonly heedsEndpoint: boolean
  /** Sends deliveries that were interrupted twice with extra precautions, and ends them after five crashes. */
  readonly suspects: boolean
}

/** Refuses limits that no process could keep. */
export function checkLimits(limits: Limits): void {
  checkCount('pollMs', limits.pollMs, 10, 10 * minute)
  checkCount('retriesPerEndpoint', limits.retriesPerEndpoint, 1, 100_000)
  checkCount('retriesPerTick', limits.retriesPerTick, 1, 1_000_000)
  checkCount('pool', limits.pool, 1, 1_000)
  checkCount('openRequests', limits.openRequests, 1, 100_000)
  if (limits.perCycle !== null) checkCount('perCycle', limits.perCycle, 1, 100_000)
}

export function checkCount(name: string, value: unknown, least: number, most: number): void {
  if (typeof value === 'number' && Number.isInteger(value) && value >= least && value <= most) return
  throw expected('invalid_argument', name, `a whole number from ${least} to ${most}`, value)
}
