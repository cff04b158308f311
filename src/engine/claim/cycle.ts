import { messageOf } from '../../core/errors.ts'
import type { Activity } from '../activity.ts'
import type { Claimer } from './claim.ts'
import type { EngineParts } from '../parts.ts'
import type { Schedule } from './schedule.ts'
import type { Walk } from './walk.ts'

export interface CycleParts {
  readonly engine: EngineParts
  readonly activity: Activity
  readonly schedule: Schedule
  readonly walk: Walk
  readonly claimer: Claimer
}

/** The tick: new allowances, a walk over the endpoints with due rows, and a claim. It never waits for a send. */
export class Cycle {
  readonly #parts: CycleParts
  #running = false
  #cycling: Promise<void> = Promise.resolve()
  #disarm: (() => void) | null = null

  constructor(parts: CycleParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running = true
    this.#parts.walk.start()
    this.#parts.claimer.start()
    this.#begin()
  }

  /** Starts no further claim. */
  async stop(): Promise<void> {
    this.#running = false
    this.#disarm?.()
    this.#disarm = null
    this.#parts.walk.stop()
    await this.#parts.claimer.stop()
  }

  /** Resolves when no cycle is under way: the current one may have missed rows that were stored after it began. */
  ended(): Promise<void> {
    return this.#cycling
  }

  #begin(): void {
    this.#disarm = null
    this.#cycling = this.#parts.activity.during(() => this.#run())
  }

  async #run(): Promise<void> {
    const {
      schedule,
      walk,
      claimer,
      engine: { bus, clock, settings },
    } = this.#parts
    try {
      schedule.tick()
      await walk.all()
      await claimer.cycle()
    } catch (error) {
      bus.warn('store_error', `The store did not answer this cycle; the next one tries again: ${messageOf(error)}`)
    }
    // Re-armed after the cycle, so that cycles never overlap (UC-0270-poll).
    if (this.#running) this.#disarm = clock.after(settings.limits.pollMs, () => this.#begin())
  }
}
