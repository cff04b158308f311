import type { Health } from '../endpoint/health.ts'
import type { Limits } from './limits.ts'
import type { Instant } from '../time.ts'
import { shareOf } from './shares.ts'

/** How many deliveries one worker may start for an endpoint, in all lanes together, in one tick of the ramp after a hold or a pause. */
export interface RampStep {
  /** Ticks since the hold or pause ended. */
  readonly tick: number
  readonly allowance: number
}

/** The worker that asks, and the number of workers by which it divides. */
interface RampWorker {
  readonly sharers: number
  readonly startedAt: Instant
}

const mostDoublings = 20
const mostBlamedShare = 0.1

/**
 * Deliveries kept back leave in growing steps: the retries of one tick, then twice as many, and so on, divided among the workers.
 * Null if there is no ramp. A clock that is slightly behind gets the first step. A worker takes one of a step that is older than itself: a
 * worker that has ended since may have used it up.
 */
export function rampStep(
  { rampFrom }: Pick<Health, 'rampFrom'>,
  limits: Pick<Limits, 'pollMs' | 'retriesPerEndpoint'>,
  { sharers, startedAt }: RampWorker,
  now: Instant,
): RampStep | null {
  if (rampFrom === null) return null
  const tick = Math.max(Math.floor((now - rampFrom) / limits.pollMs), 0)
  if (rampFrom + tick * limits.pollMs < startedAt) return { tick, allowance: 1 }
  return { tick, allowance: shareOf(limits.retriesPerEndpoint * 2 ** Math.min(tick, mostDoublings), sharers) }
}

/** True if so many of a tick's attempts blamed the endpoint that the next step must not be larger. */
export function isRough(begun: number, blamed: number): boolean {
  return blamed > begun * mostBlamedShare
}

/** Keeps the ramp at the step of an earlier tick; null if another worker has changed it since, whose change then counts. */
export function repeatStep(health: Health, from: Instant, ticksSince: number, pollMs: number): Health | null {
  return health.rampFrom === from ? { ...health, rampFrom: from + ticksSince * pollMs } : null
}
