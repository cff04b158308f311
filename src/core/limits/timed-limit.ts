import type { Instant } from '../time.ts'
import type { SharedLimit } from './shared-limit.ts'

/** A shared limit of things that end by themselves after a time that is the same for all of them. */
export class TimedLimit {
  readonly #limit: SharedLimit
  // In the order in which they end.
  readonly #taken = new Map<string, { readonly holder: string; readonly until: Instant }>()

  constructor(limit: SharedLimit) {
    this.#limit = limit
  }

  /** Takes one for a holder, under a name, until a time; false if the holder has as many as are still free. */
  take(holder: string, name: string, until: Instant, now: Instant): boolean {
    this.#releaseEnded(now)
    if (!this.#limit.take(holder)) return false
    this.#taken.set(name, { holder, until })
    return true
  }

  /** Before its time, or never: what is not known is ignored. */
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
