import type { LineLevel } from '../../config/settings/logs.ts'
import type { Clock } from '../../core/ports/ports.ts'
import { second } from '../../core/time.ts'

/** How many lines of one event were dropped within a second. */
interface Suppressed {
  readonly level: LineLevel
  readonly event: string
  readonly count: number
}

interface Window {
  readonly since: number
  admitted: number
  readonly suppressed: Map<LineLevel, number>
  disarm(): void
}

/** Lets a number of lines per event and second through, and counts the rest: nothing is dropped silently. */
export class LineLimit {
  readonly #clock: Clock
  readonly #mostPerSecond: number
  readonly #say: (suppressed: Suppressed) => void
  readonly #windows = new Map<string, Window>()

  constructor(clock: Clock, mostPerSecond: number, say: (suppressed: Suppressed) => void) {
    this.#clock = clock
    this.#mostPerSecond = mostPerSecond
    this.#say = say
  }

  admits(level: LineLevel, event: string): boolean {
    const window = this.#windowOf(event)
    if (window.admitted < this.#mostPerSecond) {
      window.admitted += 1
      return true
    }
    if (window.suppressed.size === 0) window.disarm = this.#clock.after(second, () => this.#end(event))
    window.suppressed.set(level, (window.suppressed.get(level) ?? 0) + 1)
    return false
  }

  close(): void {
    for (const event of this.#windows.keys()) this.#end(event)
  }

  #windowOf(event: string): Window {
    const now = this.#clock.now()
    const known = this.#windows.get(event)
    // A window with dropped lines ends by its timer; a clock that was set back also starts a new one.
    if (known !== undefined && (known.suppressed.size > 0 || Math.abs(now - known.since) < second)) return known
    const window = { since: now, admitted: 0, suppressed: new Map<LineLevel, number>(), disarm: () => undefined }
    this.#windows.set(event, window)
    return window
  }

  #end(event: string): void {
    const window = this.#windows.get(event)
    this.#windows.delete(event)
    window?.disarm()
    for (const [level, count] of window?.suppressed ?? []) this.#say({ level, event, count })
  }
}
