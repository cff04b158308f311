import { expected } from '../core/errors.ts'
import type { PosthornError } from '../core/errors.ts'
import type { Clock } from '../core/ports/ports.ts'
import type { Instant } from '../core/time.ts'
import { SortedList } from './memory/sorted-list.ts'

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Moves time forward, firing each timer at its own instant, including timers set on the way. */
  advance(ms: number): Promise<void>
  /** Moves time forward in one step, as for a machine that was asleep: timers that have become due fire once, at the end. */
  leap(ms: number): Promise<void>
  /** Timers that are set: 0 once everything has been stopped. */
  pending(): number
  /** Time waits for what is under way elsewhere, such as a query to a database server; null if nothing is. */
  attend(underWay: () => Promise<unknown> | null): void
}

interface Timer {
  readonly at: Instant
  /** Timers of one instant fire in the order in which they were set. */
  readonly turn: number
  readonly callback: () => void
}

// A callback starts work that continues in promises and in turns of the event loop: a group commit waits for one turn, its answer
// lets a claim begin that waits for the next, and so on. Promises settle completely within a turn, however long their chain;
// every `setImmediate` on the way needs one more. The longest chain there is (send, commit, claim, attempt, mark, claim
// again) has six, and a bound is needed because a loop that always has work would never be idle.
const settlingTurns = 10
const mostAnswersAtOneInstant = 100_000

// The longest delay of a real timer: a longer one would fire at once, and a test should not hide that.
const longestTimerMs = 2 ** 31 - 1
const mostTimersAtOneInstant = 100_000

/** Creates a clock that a test moves by hand. Overlapping moves run one after the other. */
export function manualClock(start: Instant = Date.UTC(2026, 0, 1)): ManualClock {
  return new StandingClock(start)
}

class StandingClock implements ManualClock {
  #now: Instant
  #armed = 0
  readonly #timers = new SortedList(inTimeOrder)
  readonly #attended: (() => Promise<unknown> | null)[] = []
  #moving: Promise<void> = Promise.resolve()

  constructor(start: Instant) {
    this.#now = start
  }

  now(): Instant {
    return this.#now
  }

  after(ms: number, callback: () => void): () => void {
    if (!(ms <= longestTimerMs))
      throw expected('invalid_argument', 'ms', `at most ${longestTimerMs}, as for a real timer`, ms)
    this.#armed += 1
    const timer = { at: this.#now + Math.max(0, Math.ceil(ms)), turn: this.#armed, callback }
    this.#timers.add(timer)
    return () => void this.#timers.remove(timer)
  }

  advance(ms: number): Promise<void> {
    return this.#inTurn(ms, () => this.#move(ms))
  }

  leap(ms: number): Promise<void> {
    return this.#inTurn(ms, async () => {
      await settle(this.#attended)
      this.#now += ms
      await this.#move(0)
    })
  }

  pending(): number {
    return this.#timers.size
  }

  attend(underWay: () => Promise<unknown> | null): void {
    this.#attended.push(underWay)
  }

  #inTurn(ms: number, go: () => Promise<void>): Promise<void> {
    if (!(ms >= 0 && ms < Infinity))
      return Promise.reject(expected('invalid_argument', 'ms', 'a time that does not go back', ms))
    const moved = this.#moving.then(go)
    this.#moving = moved.catch(() => {}) // The caller gets the error; the next move begins anyhow.
    return moved
  }

  async #move(ms: number): Promise<void> {
    const end = this.#now + ms
    let firedAtOnce = 0
    await settle(this.#attended)
    for (let timer = this.#timers.first(); timer !== undefined && timer.at <= end; timer = this.#timers.first()) {
      firedAtOnce = timer.at > this.#now ? 1 : firedAtOnce + 1
      if (firedAtOnce > mostTimersAtOneInstant) throw armedInACircle()
      this.#timers.remove(timer)
      // After a leap a timer may be late; time does not go back for it.
      this.#now = Math.max(this.#now, timer.at)
      timer.callback()
      await settle(this.#attended)
    }
    this.#now = end
  }
}

function armedInACircle(): PosthornError {
  const wanted = `used at most ${mostTimersAtOneInstant} times at one instant`
  return expected('invalid_argument', 'after', wanted, 'more', 'Is a timer of 0 ms armed in a circle?')
}

function inTimeOrder(left: Timer, right: Timer): number {
  return left.at - right.at || left.turn - right.turn
}

async function settle(attended: readonly (() => Promise<unknown> | null)[]): Promise<void> {
  let answers = 0
  for (let turn = 0; turn < settlingTurns; turn += 1) {
    await new Promise<void>((resolve) => setImmediate(resolve))
    const underWay = attended.flatMap((ask) => ask() ?? [])
    if (underWay.length === 0 || answers === mostAnswersAtOneInstant) continue
    await Promise.allSettled(underWay)
    // An answer lets more begin: the turns are counted again.
    answers += 1
    turn = -1
  }
}
