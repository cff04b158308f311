import type { Instant } from '../time.ts'
import type { SharedLimit } from './shared-limit.ts'

/** A shared limit for things that expire, all after the same time. */
export class TimedLimit {
  readonly #limit: SharedLimit
  // In the order in which they expire.
  readonly #taken = new Map<string, { readonly holder: string; readonly until: Instant }>()

  constructor(limit: SharedLimit) {
    this.#limit = limit
  }

  /** Takes one for a holder, under a name, until a time; false if the holder already has as many as are free. */
  take(holder: string, name: string, until: Instant, now: Instant): boolean {
    this.#releaseEnded(now)
    if (!this.#limit.take(holder)) return false
    this.#taken.set(name, { holder, until })
    return true
  }

  /** May be called early or never: unknown names are ignored. */
  release(name: string): void {
    const taken = this.#taken.get(name)
    if (taken === undefined) return
    this.#taken.delete(name)
    this.#limit.release(taken.holder)
  }

  heldBy(holder: string): number {
    return this.#limit.heldBy(holder)
  }

  #releaseEnded(now: Instant): void {
    for (const [name, { until }] of this.#taken) {
      if (until > now) return
      this.release(name)
    }
  }
}
