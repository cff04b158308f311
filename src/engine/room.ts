import { mostBodyBytes } from '../core/message.ts'
import type { Instant } from '../core/time.ts'
import type { Parcel } from './deliver.ts'
import type { Target } from './targets.ts'

/** Counts what this process holds, so that no endpoint, and no outage of many, can take all of it. */
export interface Room {
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

export function makeRoom(maxLeased: number): Room {
  let leased = 0
  let unprovenLeased = 0
  let bytes = 0

  /** At most half: hung endpoints cannot starve the healthy. */
  function forUnproven(): number {
    return Math.max(Math.ceil(maxLeased / 2) - unprovenLeased, 0)
  }

  return {
    forUnproven,
    forTarget(target, now) {
      const own = target.window.size * target.depth - target.leased
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
