import { mostBodyBytes } from '../core/message.ts'
import { shareOfPool } from '../core/pace.ts'
import type { Instant } from '../core/time.ts'
import type { Parcel } from './deliver.ts'
import type { Target } from './targets.ts'

/** Counts what this process holds, so that no endpoint, and no outage of many, can take all of it. */
export interface Room {
  /** Tells how many workers there are: they share the pool of each endpoint. */
  shareAmong(workers: number): void
  /** How many requests this process may have open to an endpoint. */
  window(target: Target): number
  /** How many more requests to an endpoint could leave at once. */
  forWire(target: Target): number
  /** How many more rows may be leased for an endpoint now. */
  forTarget(target: Target, now: Instant): number
  /** How many more rows endpoints without a recent success may hold together. */
  forUnproven(): number
  /** How many more rows may be leased in all. */
  inAll(): number
  /** How many more bytes of bodies may be in flight; the last claim may pass it by one body. */
  inBytes(): number
  take(target: Target, bodyBytes: number, unproven: boolean): void
  free(parcel: Pick<Parcel, 'target' | 'claim' | 'unproven'>): void
  readonly leased: number
}

const mostBytesInFlight = 64 * mostBodyBytes
const recentMs = 60_000

export function makeRoom(maxLeased: number, pool: number): Room {
  let share = pool
  let leased = 0
  let unprovenLeased = 0
  let bytes = 0

  /** At most half: hung endpoints cannot starve the healthy. */
  function forUnproven(): number {
    return Math.max(Math.ceil(maxLeased / 2) - unprovenLeased, 0)
  }

  function window(target: Target): number {
    return Math.min(target.window.size, share)
  }

  return {
    shareAmong: (workers) => void (share = shareOfPool(pool, workers)),
    window,
    forWire: (target) => Math.max(window(target) - target.onWire - target.waiting.length, 0),
    forUnproven,
    forTarget(target, now) {
      const own = window(target) * target.depth - target.leased
      const shared = isUnproven(target, now) ? forUnproven() : maxLeased - leased
      return Math.max(Math.min(own, shared, maxLeased - leased), 0)
    },
    inAll: () => (bytes >= mostBytesInFlight ? 0 : Math.max(maxLeased - leased, 0)),
    inBytes: () => Math.max(mostBytesInFlight - bytes, 0),
    take(target, bodyBytes, unproven) {
      target.leased += 1
      leased += 1
      bytes += bodyBytes
      if (unproven) unprovenLeased += 1
    },
    free({ target, claim, unproven }) {
      target.leased -= 1
      leased -= 1
      bytes -= claim.message.body.length
      if (unproven) unprovenLeased -= 1
    },
    get leased() {
      return leased
    },
  }
}

/** True if no delivery reached the endpoint lately: it may be hung. */
export function isUnproven(target: Target, now: Instant): boolean {
  return target.succeededAt === null || target.succeededAt < now - recentMs
}
