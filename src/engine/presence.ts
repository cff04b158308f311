import { messageOf, PosthornError } from '../core/errors.ts'
import type { Worker } from '../core/ports.ts'
import { second } from '../core/time.ts'
import type { Instant } from '../core/time.ts'
import type { EngineParts } from './parts.ts'

/** Says again and again that this worker lives, and learns from that how many there are. */
export interface Presence {
  /** Resolves after the first beat, so that a newcomer knows of the others before it claims. */
  start(worker: Worker): Promise<void>
  stop(): Promise<void>
}

export interface PresenceHooks {
  counted(workers: number): void
  /** A later release has changed the store: this worker must claim nothing more. */
  outdated(error: PosthornError): Promise<void>
}

// As often as the tick, so that a newcomer is soon given its share; but a quick tick must not become a burden.
const leastMs = second / 4
// However often this one beats: the others may have a slower tick.
const leastGoneMs = 10 * second

export function makePresence({ beat, clock, bus, settings }: EngineParts, { counted, outdated }: PresenceHooks): Presence {
  const everyMs = Math.max(settings.pace.pollMs, leastMs)
  const goneAfterMs = Math.max(2 * everyMs, leastGoneMs)
  let running = false
  let disarm: (() => void) | null = null
  let beating: Promise<void> = Promise.resolve()
  let seenAt: Instant | null = null

  async function show(worker: Worker): Promise<void> {
    const now = clock.now()
    // Counted from our own last beat: while the store was away nobody could be seen, and nobody is gone for that.
    const goneBefore = (seenAt ?? now) - goneAfterMs
    try {
      counted(await beat(worker, { now, goneBefore }))
      seenAt = now
    } catch (error) {
      if (error instanceof PosthornError && error.code === 'newer_database') return outdated(error)
      bus.warn('store_error', `The store did not hear that this worker lives; it is told again with the next beat: ${messageOf(error)}`)
    }
    if (running) disarm = clock.after(everyMs, () => void (beating = show(worker)))
  }

  return {
    async start(worker) {
      running = true
      beating = show(worker)
      await beating
    },
    async stop() {
      running = false
      disarm?.()
      disarm = null
      await beating
    },
  }
}
