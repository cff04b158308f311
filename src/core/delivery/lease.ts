import { expected } from '../errors.ts'

/** The right to send one delivery: the store compares owner and epoch before every write under it. */
export interface Lease {
  readonly deliveryId: string
  readonly epoch: number
}

const shortestHeartbeatMs = 100

/** A third of the lease, at least 100 ms (LH-interval). */
export function heartbeatMs(leaseMs: number): number {
  return Math.max(Math.floor(leaseMs / 3), shortestHeartbeatMs)
}

/** Refuses leases that are too short for the heartbeat. */
export function checkLeaseMs(leaseMs: number): void {
  if (Number.isInteger(leaseMs) && leaseMs > shortestHeartbeatMs && leaseMs <= 3_600_000) return
  throw expected(
    'invalid_argument',
    'leaseMs',
    `whole milliseconds over ${shortestHeartbeatMs} and up to an hour`,
    leaseMs,
  )
}

/** Until when a failing renewal is retried: a third of the lease must be left, so that two owners never overlap. */
export function renewalGivesUpAt(renewedAt: number, leaseMs: number): number {
  return renewedAt + leaseMs - Math.floor(leaseMs / 3)
}
