import type { Instant } from '../time.ts'
import type { EndpointWait } from '../endpoint/verdict.ts'

/** A process that delivers. */
export interface Worker {
  readonly id: string
  readonly pid: number
  readonly host: string
  readonly startedAt: Instant
}

export interface SeenWorker extends Worker {
  readonly seenAt: Instant
  /** Among how many workers it shares the pool of every endpoint, with all it has open; 0 until it has counted. */
  readonly sharesAmong: number
  /** Endpoints whose due deliveries it has kept waiting for over a tick, and why. */
  readonly waits: readonly EndpointWait[]
}

/** When a worker was seen and what it had to say, and since when the others must have been seen. */
export interface Sighting extends Pick<SeenWorker, 'sharesAmong' | 'waits'> {
  readonly now: Instant
  readonly goneBefore: Instant
}
