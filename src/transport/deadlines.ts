import type { Clock } from '../core/ports/ports.ts'

/** Something with a deadline. It is linked into its list through its own fields, so that a request allocates nothing here. */
export interface Timed {
  deadline: number
  /** Neighbours in the list; itself while in none. */
  before: Timed
  behind: Timed
  /** Called once when the deadline has passed. */
  expire(): void
}

export const tickMs = 50
const slotCount = 1024
// A wall clock can be set. A longer step, or one backwards, counts as one tick: it must neither end every request nor keep one for ever.
const longestStepMs = 60_000

/** All deadlines of a transport on one coarse timer (hashed by tick), which runs only while there are any. */
export class Deadlines {
  /** The time source. */
  readonly clock: Clock
  private readonly slots = Array.from({ length: slotCount }, () => makeTimed(() => undefined))
  private time = 0
  private lastReading: number
  private cursor = 0
  private count = 0
  private stopTimer: (() => void) | null = null

  constructor(clock: Clock) {
    this.clock = clock
    this.lastReading = clock.now()
  }

  /** Returns the time from which it counts, as `now` does. */
  add(timed: Timed, ms: number): number {
    const now = this.advance()
    timed.deadline = now + ms
    link(timed, this.slotOf(Math.floor(timed.deadline / tickMs)))
    this.count++
    if (this.stopTimer !== null) return now
    this.cursor = Math.floor(this.time / tickMs)
    this.arm()
    return now
  }

  /** A monotonic time in ms, from an arbitrary origin. */
  now(): number {
    return this.advance()
  }

  /** Brings a deadline forward to this long from now. A nearer one stays, and without one nothing changes. Returns the same as `add`. */
  shorten(timed: Timed, ms: number): number {
    const now = this.advance()
    const deadline = now + ms
    if (timed.before === timed || deadline >= timed.deadline) return now
    unlink(timed)
    timed.deadline = deadline
    link(timed, this.slotOf(Math.floor(deadline / tickMs)))
    return now
  }

  /** Safe without a deadline. */
  remove(timed: Timed): void {
    if (timed.before === timed) return
    unlink(timed)
    this.count--
    if (this.count > 0) return
    this.stopTimer?.()
    this.stopTimer = null
  }

  private arm(): void {
    this.stopTimer ??= this.clock.after(tickMs, () => this.tick())
  }

  private advance(): number {
    const reading = this.clock.now()
    const step = reading - this.lastReading
    this.lastReading = reading
    if (step !== 0) this.time += step > 0 && step <= longestStepMs ? step : tickMs
    return this.time
  }

  private tick(): void {
    this.stopTimer = null
    const current = Math.floor(this.advance() / tickMs)
    const due: Timed[] = []
    for (let turn = Math.max(this.cursor, current - slotCount + 1); turn <= current; turn++)
      this.collect(this.slotOf(turn), due)
    this.cursor = current
    // Ending one request may end another that is due, too: hence two steps, and a second look.
    for (const timed of due) {
      if (timed.before === timed) continue
      this.remove(timed)
      timed.expire()
    }
    if (this.count > 0) this.arm()
  }

  private slotOf(turn: number): Timed {
    const slot = this.slots[turn % slotCount]
    if (slot === undefined) throw new RangeError(`Expected a whole number of ticks, got ${turn}.`)
    return slot
  }

  private collect(slot: Timed, due: Timed[]): void {
    for (let timed = slot.behind; timed !== slot; timed = timed.behind) {
      if (timed.deadline <= this.time) due.push(timed)
    }
  }
}

/** For callers without an object of their own. */
export function makeTimed(expire: () => void): Timed {
  return new Alarm(expire)
}

class Alarm implements Timed {
  deadline = 0
  before: Timed = this
  behind: Timed = this
  readonly expire: () => void

  constructor(expire: () => void) {
    this.expire = expire
  }
}

function link(timed: Timed, slot: Timed): void {
  const last = slot.before
  timed.before = last
  timed.behind = slot
  last.behind = timed
  slot.before = timed
}

function unlink(timed: Timed): void {
  timed.before.behind = timed.behind
  timed.behind.before = timed.before
  timed.before = timed
  timed.behind = timed
}
