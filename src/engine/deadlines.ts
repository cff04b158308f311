import { PosthornError } from '../core/errors.ts'
import type { Clock } from '../core/ports.ts'
import type { Instant } from '../core/time.ts'

/** The time limit of one call. */
export interface Deadline {
  /** Rejects when the time has passed: with what is known then. */
  readonly passed: Promise<never>
  /** Asked right before something is written: false if the time has passed, and the caller was told that nothing was. */
  mayBegin(): boolean
  end(): void
}

interface Limited extends Deadline {
  readonly at: Instant
  expire(): void
}

/** Time limits of equal length: the oldest is the first to pass, so one timer serves them all. */
export class Deadlines {
  readonly #clock: Clock
  readonly #ms: number
  readonly #limited = new Set<Limited>()
  #disarm: (() => void) | null = null

  constructor(clock: Clock, ms: number) {
    this.#clock = clock
    this.#ms = ms
  }

  begin(): Deadline {
    const limited = this.#limit()
    this.#limited.add(limited)
    this.#disarm ??= this.#clock.after(this.#ms, () => this.#expire())
    return limited
  }

  #limit(): Limited {
    const seconds = this.#ms / 1_000
    let hasBegun = false
    let isOver = false
    let expire: (() => void) | undefined
    const passed = new Promise<never>((_, reject) => {
      expire = () => {
        isOver = true
        reject(hasBegun ? unknown(seconds) : withdrawn(seconds))
      }
    })
    // Whoever ended in time no longer listens.
    passed.catch(() => undefined)
    const limited: Limited = {
      at: this.#clock.now() + this.#ms,
      passed,
      mayBegin: () => (hasBegun = !isOver),
      end: () => this.#end(limited),
      expire: () => expire?.(),
    }
    return limited
  }

  #end(limited: Limited): void {
    this.#limited.delete(limited)
    if (this.#limited.size > 0) return
    this.#disarm?.()
    this.#disarm = null
  }

  #expire(): void {
    this.#disarm = null
    for (const limited of this.#limited) {
      const leftMs = limited.at - this.#clock.now()
      if (leftMs > 0) {
        this.#disarm = this.#clock.after(leftMs, () => this.#expire())
        return
      }
      this.#limited.delete(limited)
      limited.expire()
    }
  }
}

function withdrawn(seconds: number): PosthornError {
  return new PosthornError('store_failed', `Expected the store to take the message within ${seconds} s, got no answer. Nothing was stored: send it again.`)
}

function unknown(seconds: number): PosthornError {
  const advice = 'Send it again under the same idempotency key.'
  return new PosthornError('outcome_unknown', `Expected the store to answer within ${seconds} s, got nothing: the message may or may not be stored. ${advice}`)
}
