import type { Dispatcher } from './dispatcher.ts'
import type { EngineParts } from './parts.ts'

/** Looks between ticks for what other processes and transactions have committed: nobody tells this one. */
export interface Prober {
  start(): void
  stop(): Promise<void>
  readonly isBusy: boolean
}

export function makeProber({ clock, settings, probeMs }: EngineParts, dispatcher: Dispatcher, quiet: () => void): Prober {
  let running = false
  let probing: Promise<void> | null = null
  let disarm: (() => void) | null = null

  function arm(): void {
    if (!running || probeMs === null) return
    disarm = clock.after(probeMs, () => {
      disarm = null
      probing = probe()
    })
  }

  async function probe(): Promise<void> {
    // A store that does not answer is told of by the cycle; four times a second would be noise.
    await dispatcher.probe().catch(() => undefined)
    probing = null
    arm()
    quiet()
  }

  return {
    start() {
      running = true
      // Where rows leave on the tick only, there is nothing to look for in between.
      if (settings.pace.perCycle === null) arm()
    },
    async stop() {
      running = false
      disarm?.()
      disarm = null
      await probing
    },
    get isBusy() {
      return probing !== null
    },
  }
}
