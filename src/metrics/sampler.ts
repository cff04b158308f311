import type { MeterSource, StoreSample } from '../core/ports/meter.ts'
import { second } from '../core/time.ts'

const everyMs = 15 * second
/** The share of time that sampling may take: with very many endpoints samples are less frequent. */
const mostShare = 1 / 50

/** Samples the store in the background, so that a scrape need not. */
export class Sampler {
  readonly #source: MeterSource
  #last: StoreSample | null = null
  #isRunning = false
  #disarm: (() => void) | null = null
  #sampling: Promise<void> = Promise.resolve()

  constructor(source: MeterSource) {
    this.#source = source
  }

  /** Null until there is one. */
  get last(): StoreSample | null {
    return this.#last
  }

  get ageMs(): number | null {
    return this.#last === null ? null : Math.max(this.#source.now() - this.#last.at, 0)
  }

  start(): void {
    if (this.#isRunning) return
    this.#isRunning = true
    this.#begin()
  }

  async stop(): Promise<void> {
    this.#isRunning = false
    this.#disarm?.()
    this.#disarm = null
    await this.#sampling
  }

  #begin(): void {
    this.#disarm = null
    this.#sampling = this.#sample()
  }

  async #sample(): Promise<void> {
    const begunAt = this.#source.now()
    try {
      this.#last = await this.#source.sample()
    } catch {
      // The store's errors are counted where it is called, and the age of the last sample shows the rest.
    }
    if (!this.#isRunning) return
    const tookMs = this.#source.now() - begunAt
    this.#disarm = this.#source.after(Math.max(everyMs, tookMs / mostShare), () => this.#begin())
  }
}
