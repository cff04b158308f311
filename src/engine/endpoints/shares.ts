import type { SeenWorker } from '../../core/ports/worker.ts'
import { nextSharers, notYetSharing, shareOf, sharesAmong } from '../../core/limits/shares.ts'
import type { Endpoints } from './endpoints.ts'
import type { EndpointRecord } from './records.ts'
import type { EngineParts } from '../parts.ts'

/** This worker's share of what all workers on a store divide: the pool of each endpoint, and the steps of a ramp. */
export class Shares {
  readonly #pool: number
  readonly #owner: string
  readonly #endpoints: Endpoints
  #workers = 1
  #sharers = notYetSharing

  constructor({ settings }: EngineParts, endpoints: Endpoints) {
    this.#pool = settings.limits.pool
    this.#owner = settings.owner
    this.#endpoints = endpoints
  }

  /** The number of workers by which this one divides. */
  get sharers(): number {
    return this.#sharers
  }

  /** How many requests this process may have open to an endpoint. */
  windowOf(record: EndpointRecord): number {
    return Math.min(record.window.size, shareOf(this.#pool, this.#sharers))
  }

  /** Updates the share from the workers that are alive. */
  count(seen: readonly SeenWorker[]): void {
    const own = seen.find(({ id }) => id === this.#owner)
    const others = seen.filter((worker) => worker !== own)
    this.#workers = others.length + 1
    this.#sharers = nextSharers(
      this.#sharers,
      own?.sharesAmong ?? this.#workers,
      others.map((other) => other.sharesAmong),
    )
  }

  /** The number of workers that this one divides the pool among, given the requests it has open now. */
  get sharesAmong(): number {
    let mostOpen = 0
    for (const { onWire } of this.#endpoints.all()) mostOpen = Math.max(mostOpen, onWire)
    return sharesAmong(this.#pool, this.#workers, mostOpen)
  }
}
