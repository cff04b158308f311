import type { Dispatcher } from './dispatcher.ts'
import type { EngineParts } from './parts.ts'

/** Looks between ticks for what other processes and transactions have committed: nobody has to tell this one. */
export interface Prober {
  start(): void
  stop(): Promise<void>
  /** Looks at once. One look at a time: whatever asks during one is served by one more. */
  look(): void
  readonly isBusy: boolean
}

export function makeProber({ clock, settings, probeMs }: EngineParts, dispatcher: Dispatcher, quiet: () => void): Prober {
  let running = false
  let again = false
  let probing: Promise<void> | null = null
  let disarm: (() => void) | null = null

  function arm(): void {
    if (running && probeMs !== null) disarm = clock.after(probeMs, look)
  }

  function look(): void {
    if (!running) return
    if (probing !== null) {
      again = true
      return
    }
    disarm?.()
    disarm = null
    probing = probe()
  }

  async function probe(): Promise<void> {
    // A store that does not answer is told of by the cycle; four times a second would be noise.
    await dispatcher.probe().catch(() => undefined)
    probing = null
    if (again) {
      again = false
      look()
    } else arm()
    quiet()
  }

  return {
    start() {
      // Where rows leave on the tick only, there is nothing to look for in between.
      running = settings.pace.perCycle === null
      arm()
    },
    async stop() {
      running = false
      disarm?.()
      disarm = null
      await probing
    },
    look,
    get isBusy() {
      return probing !== null
    },
  }
}
