import { followingClock, steadyClock } from '../../../src/clock.ts'
import type { FollowingClock } from '../../../src/clock.ts'
import type { Clock } from '../../../src/core/ports/ports.ts'
import type { Instant } from '../../../src/core/time.ts'
import { worldStartsAt } from './scheduler.ts'
import type { Owner, ScheduledEvent, Scheduler } from './scheduler.ts'

/** How a call of the store goes wrong. */
export type FaultMode =
  /** Refused at once, nothing was done. */
  | 'before'
  /** Done, and the answer was lost. */
  | 'after'
  /** Nothing was done, and nobody says so for ten seconds. */
  | 'silent'
  /** Done at some time, perhaps after its caller has given up at ten seconds. */
  | 'hang'
  /** Done and answered, late. */
  | 'slow'
  /** Done, and the caller ends before it hears of it. */
  | 'dies'

export interface PendingFault {
  /** The name of the method, or `*`. */
  readonly call: string
  readonly mode: FaultMode
  readonly delayMs: number
  times: number
}

/** One life of one process: everything that it does and hears goes through here. */
export class Gate implements Owner {
  state: Owner['state'] = 'running'
  readonly kept: ScheduledEvent[] = []
  readonly name: string
  readonly faults: PendingFault[] = []
  /** Until when no call of the store gets through, and how that looks from here. */
  cut: { readonly until: Instant; readonly mode: 'before' | 'silent' } | null = null
  offsetMs: number
  /** Ends the process that this is a life of, and starts it again after a while. */
  die: () => void = () => undefined
  readonly #rate: number
  readonly #scheduler: Scheduler

  constructor(
    name: string,
    scheduler: Scheduler,
    { offsetMs, driftPpm }: { readonly offsetMs: number; readonly driftPpm: number },
  ) {
    this.name = name
    this.#scheduler = scheduler
    this.offsetMs = offsetMs
    this.#rate = 1 + driftPpm / 1e6
  }

  /** The machine's own clock: it may be wrong, drift, and be set. */
  localClock(): Clock {
    return {
      now: () => Math.floor(worldStartsAt + this.#scheduler.sinceMs * this.#rate + this.offsetMs),
      after: (ms, callback) => {
        const event = this.#scheduler.at(ms, this, 'timer', callback)
        return () => void (event.isOff = true)
      },
    }
  }

  /** The clock of production where the machine's own is the only one. */
  steadyClock(): Clock {
    return steadyClock(() => this.#scheduler.sinceMs * this.#rate, this.localClock())
  }

  /** The clock of production for a store with a time of its own. */
  followingClock(read: () => Promise<Instant>): FollowingClock {
    return followingClock(read, () => this.#scheduler.sinceMs * this.#rate, this.localClock())
  }

  get isCut(): boolean {
    return this.cut !== null && this.cut.until > this.#scheduler.now
  }

  /** The fault that waits for this call, used up by it. */
  takeFault(method: string): PendingFault | null {
    if (this.isCut && this.cut !== null) return { call: '*', mode: this.cut.mode, delayMs: 0, times: 1 }
    const index = this.faults.findIndex(({ call }) => call === '*' || call === method)
    const fault = this.faults[index]
    if (fault === undefined) return null
    fault.times -= 1
    if (fault.times <= 0) this.faults.splice(index, 1)
    return fault
  }
}
