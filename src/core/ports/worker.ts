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
  /** By how many workers it divides the pool of every endpoint, counting everything it has open; 0 until it has counted. */
  readonly sharesAmong: number
  /** Endpoints whose due deliveries it has kept waiting for more than a tick, and why. */
  readonly waits: readonly EndpointWait[]
}

/** When a worker was seen and what it reported, and since when the others must have been seen. */
export interface Sighting extends Pick<SeenWorker, 'sharesAmong' | 'waits'> {
  readonly now: Instant
  readonly goneBefore: Instant
}
