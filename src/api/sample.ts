import type { StoreSample } from '../core/ports/meter.ts'
import type { MinuteCounts } from '../core/ports/overview.ts'
import type { Store } from '../core/ports/ports.ts'
import { minute, second } from '../core/time.ts'
import type { Instant } from '../core/time.ts'

const windowMs = 15 * minute
// A mark may take as long to be written as a statement may take.
const lateMs = minute
const leastUnseenMs = 15 * second

type Ended = Pick<MinuteCounts, 'delivered' | 'dead'>

/**
 * The state of a store, as a meter samples it every few seconds. The minutes of the dead-letter rate are read once, and then only
 * the latest ones: with ten thousand endpoints, reading a quarter of an hour takes a third of a second.
 */
export class StoreSamples {
  readonly #store: Store
  readonly #unseenMs: number
  readonly #minutes = new Map<Instant, Ended>()
  #readAt = 0

  constructor(store: Store, pollMs: number) {
    this.#store = store
    this.#unseenMs = Math.max(3 * pollMs, leastUnseenMs)
  }

  async take(now: Instant): Promise<StoreSample> {
    const { directory } = this.#store
    // One after the other: on SQLite each of them blocks the event loop while it runs.
    const unreadMs = Math.min(now - this.#readAt + lateMs, windowMs)
    const { at, queue, minutes } = await directory.overview({ now, windowMs: unreadMs })
    const endpoints = await directory.endpointHealthCounts(now)
    const workers = await directory.workers()
    const disk = (await this.#store.disk?.()) ?? null
    this.#remember(minutes, now)
    return {
      at,
      queue,
      deadLetterRate: this.#deadLetterRate(),
      endpoints,
      workers: workers.filter(({ seenAt }) => seenAt >= now - this.#unseenMs).length,
      disk,
    }
  }

  #remember(read: readonly MinuteCounts[], now: Instant): void {
    for (const { minute: start, delivered, dead } of read) this.#minutes.set(start, { delivered, dead })
    for (const start of this.#minutes.keys()) if (start <= now - windowMs) this.#minutes.delete(start)
    this.#readAt = now
  }

  #deadLetterRate(): number {
    let ended = 0
    let died = 0
    for (const { delivered, dead } of this.#minutes.values()) {
      ended += delivered + dead
      died += dead
    }
    return ended === 0 ? 0 : died / ended
  }
}
