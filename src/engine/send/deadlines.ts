import { PosthornError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports/ports.ts'
import type { Instant } from '../../core/time.ts'

/** The time limit of one call. */
export class Deadline {
  readonly at: Instant
  readonly #passed: (hasBegun: boolean) => void
  #hasBegun = false
  #isOver = false

  constructor(at: Instant, passed: (hasBegun: boolean) => void) {
    this.at = at
    this.#passed = passed
  }

  /** Called right before a write. False if the time has passed: the caller has already been answered that nothing was written. */
  mayBegin(): boolean {
    this.#hasBegun = !this.#isOver
    return this.#hasBegun
  }

  expire(): void {
    this.#isOver = true
    this.#passed(this.#hasBegun)
  }
}

/** Deadlines of equal length: the oldest always passes first, so one timer is enough. */
export class Deadlines {
  readonly #clock: Clock
  readonly #ms: number
  readonly #limited = new Set<Deadline>()
  #disarm: (() => void) | null = null

  constructor(clock: Clock, ms: number) {
    this.#clock = clock
    this.#ms = ms
  }

  /** Calls back with an error if the time passes before `end`: it says whether the write had begun. */
  begin(passed: (error: PosthornError) => void): Deadline {
    const seconds = this.#ms / 1_000
    const deadline = new Deadline(this.#clock.now() + this.#ms, (hasBegun) =>
      passed(hasBegun ? unknown(seconds) : withdrawn(seconds)),
    )
    this.#limited.add(deadline)
    this.#disarm ??= this.#clock.after(this.#ms, () => this.#expire())
    return deadline
  }

  end(deadline: Deadline): void {
    this.#limited.delete(deadline)
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
  return new PosthornError(
    'store_failed',
    `Expected the store to take the message within ${seconds} s, got no answer. Nothing was stored: send it again.`,
  )
}

function unknown(seconds: number): PosthornError {
  const advice = 'Send it again under the same idempotency key.'
  return new PosthornError(
    'outcome_unknown',
    `Expected the store to answer within ${seconds} s, got nothing: the message may or may not be stored. ${advice}`,
  )
}
