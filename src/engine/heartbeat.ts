import { PosthornError } from '../core/errors.ts'
import type { ErrorCode } from '../core/errors.ts'
import { heartbeatMs, renewalGivesUpAt } from '../core/lease.ts'
import type { Lease } from '../core/lease.ts'
import type { Clock } from '../core/ports.ts'
import type { Instant } from '../core/time.ts'

/** Keeps the leases of everything in flight, all of them in one batch every third of a lease. */
export interface Heartbeat {
  hold(lease: Lease, leasedAt: Instant): void
  drop(deliveryId: string): void
  stop(): void
}

export interface HeartbeatParts {
  readonly clock: Clock
  readonly leaseMs: number
  /** Answers with the deliveries whose lease was still ours. */
  readonly renew: (leases: readonly Lease[]) => Promise<string[]>
  readonly lost: (deliveryId: string, code: 'lost' | 'renewal_failed', storeCode: ErrorCode | null) => void
}

interface Held extends Lease {
  renewedAt: Instant
}

export function makeHeartbeat({ clock, leaseMs, renew, lost }: HeartbeatParts): Heartbeat {
  const intervalMs = heartbeatMs(leaseMs)
  const held = new Map<string, Held>()
  let disarm: (() => void) | null = null
  let beating = false

  function arm(ms: number): void {
    if (disarm === null && !beating && held.size > 0) disarm = clock.after(ms, () => void beat())
  }

  async function beat(): Promise<void> {
    disarm = null
    beating = true
    const startedAt = clock.now()
    const leases = [...held.values()]
    let nextMs = intervalMs
    try {
      const ours = new Set(await renew(leases))
      for (const lease of leases) keepOrLose(lease, ours.has(lease.deliveryId), startedAt)
    } catch (thrown) {
      // The store may be back in a moment: ask again soon, and give up only when a third of the lease is left.
      nextMs = intervalMs / 4
      for (const lease of leases) giveUpIfLate(lease, thrown instanceof PosthornError ? thrown.code : 'store_failed')
    }
    beating = false
    arm(Math.max(startedAt + nextMs - clock.now(), 1))
  }

  function keepOrLose(lease: Held, ours: boolean, renewedAt: Instant): void {
    if (ours) lease.renewedAt = renewedAt
    else lose(lease, 'lost', null)
  }

  function giveUpIfLate(lease: Held, storeCode: ErrorCode): void {
    if (clock.now() >= renewalGivesUpAt(lease.renewedAt, leaseMs)) lose(lease, 'renewal_failed', storeCode)
  }

  function lose(lease: Held, code: 'lost' | 'renewal_failed', storeCode: ErrorCode | null): void {
    // It may have been marked and dropped, or leased anew, while the renewal was under way.
    if (held.get(lease.deliveryId) !== lease) return
    drop(lease.deliveryId)
    lost(lease.deliveryId, code, storeCode)
  }

  function drop(deliveryId: string): void {
    held.delete(deliveryId)
    if (held.size === 0) stop()
  }

  function stop(): void {
    disarm?.()
    disarm = null
  }

  return {
    hold({ deliveryId, epoch }, leasedAt) {
      held.set(deliveryId, { deliveryId, epoch, renewedAt: leasedAt })
      arm(intervalMs)
    },
    drop,
    stop,
  }
}
