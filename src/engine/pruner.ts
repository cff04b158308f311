import { messageOf } from '../core/errors.ts'
import { day, hour, minute } from '../core/time.ts'
import { tellEnded } from './bus.ts'
import type { EngineParts } from './parts.ts'

/** Forgets history and ends what was held for too long, in bites, so that live traffic never waits for it; on one worker at a time. */
export interface Pruner {
  start(): void
  stop(): Promise<void>
}

const everyMs = hour
const firstMs = 60_000
const biteRows = 1_000
const mostBites = 10_000
const heldMs = 30 * day
// Longer than an hour: whoever has the turn keeps it for the next round.
const turnMs = 90 * minute

export function makePruner({ queue, clock, bus, settings }: EngineParts): Pruner {
  let running = false
  let disarm: (() => void) | null = null
  let round: Promise<void> = Promise.resolve()
  let hasTurn = false

  async function prune(): Promise<void> {
    try {
      await inBites(async () => (await expire()).length)
      const now = clock.now()
      await inBites(() => queue.prune({ before: now - settings.historyMs, now, limit: biteRows }))
    } catch (error) {
      bus.warn('store_error', `History was not pruned this time; it will be in an hour: ${messageOf(error)}`)
    }
    if (running) arm(everyMs)
  }

  async function inBites(bite: () => Promise<number>): Promise<void> {
    for (let count = 0; count < mostBites && running; count += 1) if (!(await takeTurn(turnMs)) || (await bite()) < biteRows) return
  }

  async function takeTurn(leaseMs: number): Promise<boolean> {
    hasTurn = await queue.takeTurn({ name: 'pruner', owner: settings.owner, now: clock.now(), leaseMs })
    return hasTurn
  }

  async function expire(): Promise<{ id: string }[]> {
    const now = clock.now()
    const filter = { status: ['pending', 'failed'], unchangedSince: now - heldMs } as const
    const ended = await queue.cancel({ filter, as: 'expired', now, limit: biteRows, by: { name: 'posthorn', reason: 'held for 30 days' } })
    tellEnded(bus, ended, 'expired')
    return ended
  }

  function arm(ms: number): void {
    disarm = clock.after(ms, () => {
      disarm = null
      round = prune()
    })
  }

  return {
    start() {
      running = true
      arm(firstMs)
    },
    async stop() {
      running = false
      disarm?.()
      disarm = null
      await round
      // If it cannot be given back it runs out.
      if (hasTurn) await takeTurn(0).catch(() => undefined)
    },
  }
}
