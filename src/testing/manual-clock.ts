import { expected } from '../core/errors.ts'
import type { Clock } from '../core/ports/ports.ts'
import type { Instant } from '../core/time.ts'
import { sortedList } from './memory/sorted-list.ts'

/** A clock that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /** Moves time on, firing each timer at its own instant; also those that are armed on the way. */
  advance(ms: number): Promise<void>
  /** Moves time on in one step, as for a machine that was asleep: a timer that has become due fires once, at the end. */
  leap(ms: number): Promise<void>
  /** Timers that are armed: 0 once everything has been stopped. */
  pending(): number
  /** Time waits for what is under way elsewhere, such as a question to a database server; null if nothing is. */
  attend(underWay: () => Promise<unknown> | null): void
}

interface Timer {
  readonly at: Instant
  /** Those of one instant fire in the order in which they were armed. */
  readonly turn: number
  readonly callback: () => void
}

// A callback starts work that goes on in promises and in turns of the loop: a group commit waits for one turn, its answer
// lets a claim begin that waits for the next, and so on. Promises settle wholly within a turn, however long their chain;
// every `setImmediate` on the way needs one more. The longest chain there is (send, commit, claim, attempt, mark, claim
// again) has six, and a bound is needed because a loop that always has work would never be still.
const settlingTurns = 10
const mostAnswersAtOneInstant = 100_000

// The longest wait that a real timer can keep: a longer one would fire at once, and a test should not hide that.
const longestTimerMs = 2 ** 31 - 1
const mostTimersAtOneInstant = 100_000

/** Makes a clock that a test moves by hand. Moves that overlap take their turns. */
export function manualClock(start: Instant = Date.UTC(2026, 0, 1)): ManualClock {
  let now = start
  let turns = 0
  const timers = sortedList(inTimeOrder)
  const attended: (() => Promise<unknown> | null)[] = []
  let moving: Promise<void> = Promise.resolve()

  async function move(ms: number): Promise<void> {
    const end = now + ms
    let firedAtOnce = 0
    await settle(attended)
    for (let timer = timers.first(); timer !== undefined && timer.at <= end; timer = timers.first()) {
      // After a leap a timer may be late; time does not go back for it.
      firedAtOnce = timer.at > now ? 1 : firedAtOnce + 1
      if (firedAtOnce > mostTimersAtOneInstant) {
        throw expected(
          'invalid_argument',
          'after',
          `used at most ${mostTimersAtOneInstant} times at one instant`,
          'more',
          'Is a timer of 0 ms armed in a circle?',
        )
      }
      timers.remove(timer)
      now = Math.max(now, timer.at)
      timer.callback()
      await settle(attended)
    }
    now = end
  }

  function inTurn(ms: number, go: () => Promise<void>): Promise<void> {
    if (!(ms >= 0 && ms < Infinity))
      return Promise.reject(expected('invalid_argument', 'ms', 'a time that does not go back', ms))
    const moved = moving.then(go)
    moving = moved.catch(() => {}) // Whoever asked hears of it; the next move begins anyhow.
    return moved
  }

  return {
    now: () => now,
    after(ms, callback) {
      if (!(ms <= longestTimerMs))
        throw expected('invalid_argument', 'ms', `at most ${longestTimerMs}, as for a real timer`, ms)
      turns += 1
      const timer = { at: now + Math.max(0, Math.ceil(ms)), turn: turns, callback }
      timers.add(timer)
      return () => void timers.remove(timer)
    },
    advance: (ms) => inTurn(ms, () => move(ms)),
    leap: (ms) =>
      inTurn(ms, async () => {
        await settle(attended)
        now += ms
        await move(0)
      }),
    pending: () => timers.size,
    attend: (underWay) => void attended.push(underWay),
  }
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
    // An answer lets more begin: the turns are counted anew.
    answers += 1
    turn = -1
  }
}
