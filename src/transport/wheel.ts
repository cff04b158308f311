import type { Clock } from '../core/ports.ts'

/** Something with a deadline. It is linked into the wheel through its own fields, so that a request costs no allocation here. */
export interface Timed {
  deadline: number
  /** Neighbours in the wheel; itself while it is not in it. */
  before: Timed
  behind: Timed
  /** Called once when the deadline has passed. */
  expire(): void
}

/** All deadlines of a transport on one coarse timer, which is armed only while there are any. */
export interface Wheel {
  add(timed: Timed, ms: number): void
  /** Safe for what is not in it. */
  remove(timed: Timed): void
}

export const tickMs = 50
const slotCount = 1024
// A wall clock can be set. A longer step, or one back, counts as one tick: it must neither end every request nor keep one for ever.
const longestStepMs = 60_000

export function makeWheel(clock: Clock): Wheel {
  const heads = Array.from({ length: slotCount }, () => makeTimed(() => undefined))
  let time = 0
  let lastReading = clock.now()
  let cursor = 0
  let count = 0
  let stopTimer: (() => void) | null = null

  function advance(): number {
    const reading = clock.now()
    const step = reading - lastReading
    lastReading = reading
    if (step !== 0) time += step > 0 && step <= longestStepMs ? step : tickMs
    return time
  }

  function add(timed: Timed, ms: number): void {
    timed.deadline = advance() + ms
    link(timed, slotOf(Math.floor(timed.deadline / tickMs)))
    count++
    if (stopTimer !== null) return
    cursor = Math.floor(time / tickMs)
    stopTimer = clock.after(tickMs, tick)
  }

  function remove(timed: Timed): void {
    if (timed.before === timed) return
    unlink(timed)
    count--
    if (count > 0) return
    stopTimer?.()
    stopTimer = null
  }

  function tick(): void {
    stopTimer = null
    const current = Math.floor(advance() / tickMs)
    const due: Timed[] = []
    for (let slot = Math.max(cursor, current - slotCount + 1); slot <= current; slot++) collect(slotOf(slot), due)
    cursor = current
    // Ending one request may end another that is due too: hence in two steps, and a second look.
    for (const timed of due) {
      if (timed.before === timed) continue
      remove(timed)
      timed.expire()
    }
    if (count > 0) stopTimer ??= clock.after(tickMs, tick)
  }

  function slotOf(turn: number): Timed {
    const head = heads[turn % slotCount]
    if (head === undefined) throw new RangeError(`Expected a whole number of ticks, got ${turn}.`)
    return head
  }

  function collect(head: Timed, due: Timed[]): void {
    for (let timed = head.behind; timed !== head; timed = timed.behind) {
      if (timed.deadline <= time) due.push(timed)
    }
  }

  return { add, remove }
}

/** For what has no object of its own to be timed with. */
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

function link(timed: Timed, head: Timed): void {
  const last = head.before
  timed.before = last
  timed.behind = head
  last.behind = timed
  head.before = timed
}

function unlink(timed: Timed): void {
  timed.before.behind = timed.behind
  timed.behind.before = timed.before
  timed.before = timed
  timed.behind = timed
}
