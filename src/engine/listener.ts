import { messageOf } from '../core/errors.ts'
import type { EngineParts } from './parts.ts'

/** Hears from the store that another process has committed something to send. Only a hint: the prober finds it without. */
export interface Listener {
  start(): void
  stop(): Promise<void>
}

const firstPauseMs = 1_000
const longestPauseMs = 30_000

export function makeListener({ clock, bus, settings, listen }: EngineParts, look: () => void): Listener {
  let ending: AbortController | null = null
  let listening: Promise<void> = Promise.resolve()
  let disarm: (() => void) | null = null
  let pauseMs = firstPauseMs

  async function hear(signal: AbortSignal): Promise<void> {
    try {
      await listen?.(heard, signal)
    } catch (error) {
      if (signal.aborted) return
      // Once for each loss: the tries that follow would only say the same.
      if (pauseMs === firstPauseMs) bus.warn('store_error', `Hints of the store are not heard for now; what others commit is still found: ${messageOf(error)}`)
      disarm = clock.after(pauseMs, () => {
        disarm = null
        listening = hear(signal)
      })
      pauseMs = Math.min(pauseMs * 2, longestPauseMs)
    }
  }

  function heard(): void {
    pauseMs = firstPauseMs
    look()
  }

  return {
    start() {
      // Where rows leave on the tick only, there is nothing to hear in between.
      if (listen === null || settings.pace.perCycle !== null) return
      ending = new AbortController()
      listening = hear(ending.signal)
    },
    async stop() {
      ending?.abort()
      disarm?.()
      disarm = null
      await listening
    },
  }
}
