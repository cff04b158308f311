import { messageOf, PosthornError } from '../../core/errors.ts'
import type { Worker } from '../../core/ports/worker.ts'
import { second } from '../../core/time.ts'
import type { Instant } from '../../core/time.ts'
import type { EngineParts } from '../parts.ts'
import type { Schedule } from '../claim/schedule.ts'
import type { Shares } from '../endpoints/shares.ts'

export interface PresenceParts {
  readonly engine: EngineParts
  readonly shares: Shares
  readonly schedule: Schedule
  /** A later release has migrated the store: this worker must stop claiming. */
  readonly outdated: (error: PosthornError) => Promise<void>
}

// As often as the tick, so that a new worker soon gets its share; but not so often that a short tick becomes a burden.
const leastMs = second / 4
// However often this worker beats: the others may have a slower tick.
const leastGoneMs = 10 * second

/** Renews this worker's row at an interval, with what it is doing, and learns which other workers are alive. */
export class Presence {
  readonly #parts: PresenceParts
  readonly #everyMs: number
  #running = false
  #disarm: (() => void) | null = null
  #beating: Promise<void> = Promise.resolve()
  #seenAt: Instant | null = null

  constructor(parts: PresenceParts) {
    this.#parts = parts
    this.#everyMs = Math.max(parts.engine.settings.limits.pollMs, leastMs)
  }

  /** Resolves after the first beat, so that a new worker knows the others before it claims. */
  async start(worker: Worker): Promise<void> {
    this.#running = true
    this.#beating = this.#beat(worker)
    await this.#beating
  }

  async stop(): Promise<void> {
    this.#running = false
    this.#disarm?.()
    this.#disarm = null
    await this.#beating
  }

  async #beat(worker: Worker): Promise<void> {
    const {
      engine: { beat, clock, bus },
      shares,
      schedule,
      outdated,
    } = this.#parts
    const now = clock.now()
    const goneAfterMs = Math.max(2 * this.#everyMs, leastGoneMs)
    // Counted from our own last beat: while the store was unreachable no worker could beat, and none is gone because of that.
    const goneBefore = (this.#seenAt ?? now) - goneAfterMs
    try {
      shares.count(await beat(worker, { now, goneBefore, sharesAmong: shares.sharesAmong, waits: schedule.waits() }))
      this.#seenAt = now
    } catch (error) {
      if (error instanceof PosthornError && error.code === 'newer_database') return outdated(error)
      bus.warn(
        'store_error',
        `The store did not learn that this worker lives; the next beat says so again: ${messageOf(error)}`,
      )
    }
    if (!this.#running) return
    this.#disarm = clock.after(this.#everyMs, () => void (this.#beating = this.#beat(worker)))
  }
}
