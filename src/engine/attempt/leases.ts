import { PosthornError } from '../../core/errors.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { heartbeatMs, renewalGivesUpAt } from '../../core/delivery/lease.ts'
import type { Lease } from '../../core/delivery/lease.ts'
import type { Instant } from '../../core/time.ts'
import type { EngineParts } from '../parts.ts'

interface Held extends Lease {
  renewedAt: Instant
}

/** Renews the leases of everything in flight: all in one batch, every third of a lease. */
export class Leases {
  readonly #parts: EngineParts
  readonly #intervalMs: number
  readonly #held = new Map<string, Held>()
  #disarm: (() => void) | null = null
  #beating = false

  constructor(parts: EngineParts) {
    this.#parts = parts
    this.#intervalMs = heartbeatMs(parts.settings.leaseMs)
  }

  hold({ deliveryId, epoch }: Lease, leasedAt: Instant): void {
    this.#held.set(deliveryId, { deliveryId, epoch, renewedAt: leasedAt })
    this.#arm(this.#intervalMs)
  }

  /** False once a lease is lost, or has expired while this process was suspended: another worker may hold it by now. */
  isLive(deliveryId: string): boolean {
    const held = this.#held.get(deliveryId)
    return held !== undefined && this.#parts.clock.now() < held.renewedAt + this.#parts.settings.leaseMs
  }

  drop(deliveryId: string): void {
    this.#held.delete(deliveryId)
    if (this.#held.size > 0) return
    this.#disarm?.()
    this.#disarm = null
  }

  #arm(ms: number): void {
    if (this.#disarm !== null || this.#beating || this.#held.size === 0) return
    this.#disarm = this.#parts.clock.after(ms, () => void this.#beat())
  }

  async #beat(): Promise<void> {
    const {
      queue,
      clock,
      meter,
      settings: { owner, leaseMs },
    } = this.#parts
    this.#disarm = null
    this.#beating = true
    const startedAt = clock.now()
    const leases = [...this.#held.values()]
    let nextMs = this.#intervalMs
    try {
      const ours = new Set(await queue.renew({ owner, leaseMs, now: startedAt, leases }))
      meter?.leasesRenewed(ours.size)
      for (const lease of leases) {
        if (ours.has(lease.deliveryId)) lease.renewedAt = startedAt
        else this.#lose(lease, 'lost', null)
      }
    } catch (error) {
      const storeCode = error instanceof PosthornError ? error.code : 'store_failed'
      // The store may be back in a moment: retry soon, and give up only when a third of the lease is left.
      nextMs = this.#intervalMs / 4
      for (const lease of leases)
        if (clock.now() >= renewalGivesUpAt(lease.renewedAt, leaseMs)) this.#lose(lease, 'renewal_failed', storeCode)
    }
    this.#beating = false
    this.#arm(Math.max(startedAt + nextMs - clock.now(), 1))
  }

  /** The attempt continues: its mark decides whose state stands (LH-flow3). */
  #lose(lease: Held, code: 'lost' | 'renewal_failed', storeCode: ErrorCode | null): void {
    // It may have been marked and dropped, or leased again, during the renewal.
    if (this.#held.get(lease.deliveryId) !== lease) return
    this.drop(lease.deliveryId)
    const {
      bus,
      settings: { owner },
    } = this.#parts
    bus.emit({
      type: 'lease.lost',
      webhook_delivery_id: lease.deliveryId,
      worker_id: owner,
      code,
      store_code: storeCode,
    })
  }
}
