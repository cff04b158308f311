import { messageOf } from '../../core/errors.ts'
import type { Activity } from '../activity.ts'
import type { Claimer } from './claim.ts'
import type { Cycle } from './cycle.ts'
import type { EngineParts } from '../parts.ts'
import type { Walk } from './walk.ts'

export interface LookoutParts {
  readonly engine: EngineParts
  readonly activity: Activity
  readonly cycle: Cycle
  readonly walk: Walk
  readonly claimer: Claimer
}

const firstPauseMs = 1_000
const longestPauseMs = 30_000

/** Checks between ticks for rows committed by other processes and transactions: at an interval, and at once when the store sends a notification. */
export class Lookout {
  readonly #parts: LookoutParts
  #running = false
  #again = false
  #looking: Promise<void> | null = null
  #disarmLook: (() => void) | null = null
  #ending: AbortController | null = null
  #listening: Promise<void> = Promise.resolve()
  #disarmListen: (() => void) | null = null
  #pauseMs = firstPauseMs

  constructor(parts: LookoutParts) {
    this.#parts = parts
  }

  start(): void {
    // If rows leave on the tick only, there is nothing to look for in between.
    this.#running = this.#parts.engine.settings.limits.perCycle === null
    this.#armLook()
    if (!this.#running || this.#parts.engine.listen === null) return
    this.#ending = new AbortController()
    this.#listening = this.#listen(this.#ending.signal)
  }

  async stop(): Promise<void> {
    this.#running = false
    this.#ending?.abort()
    this.#disarmLook?.()
    this.#disarmListen?.()
    this.#disarmLook = this.#disarmListen = null
    await Promise.all([this.#looking, this.#listening])
  }

  #armLook(): void {
    const { lookMs, clock } = this.#parts.engine
    if (this.#running && lookMs !== null) this.#disarmLook = clock.after(lookMs, () => this.#look())
  }

  /** One look at a time: all requests during a look share the next one. */
  #look(): void {
    if (!this.#running) return
    if (this.#looking !== null) {
      this.#again = true
      return
    }
    this.#disarmLook?.()
    this.#disarmLook = null
    this.#looking = this.#parts.activity
      .during(() => this.#lookOnce())
      .then(() => {
        this.#looking = null
        if (!this.#again) return this.#armLook()
        this.#again = false
        this.#look()
      })
  }

  async #lookOnce(): Promise<void> {
    const { cycle, walk, claimer } = this.#parts
    try {
      await cycle.ended()
      await walk.look()
      await claimer.claimSafely()
    } catch {
      // The cycle reports a store that does not answer; a warning four times a second would be noise.
    }
  }

  async #expect(endpointIds: readonly string[]): Promise<void> {
    try {
      await this.#parts.walk.expect(endpointIds)
    } catch {
      // The next look finds them.
    }
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const { listen, bus, clock } = this.#parts.engine
    try {
      await listen?.((hint) => {
        this.#pauseMs = firstPauseMs
        if (hint === null) this.#look()
        else void this.#parts.activity.during(() => this.#expect(hint))
      }, signal)
    } catch (error) {
      if (signal.aborted) return
      // Once per lost connection: the failed retries that follow would only repeat it.
      if (this.#pauseMs === firstPauseMs)
        bus.warn(
          'store_error',
          `Hints of the store do not arrive for now; what others commit is still found: ${messageOf(error)}`,
        )
      this.#disarmListen = clock.after(this.#pauseMs, () => {
        this.#disarmListen = null
        this.#listening = this.#listen(signal)
      })
      this.#pauseMs = Math.min(this.#pauseMs * 2, longestPauseMs)
    }
  }
}
