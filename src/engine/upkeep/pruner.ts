import { messageOf } from '../../core/errors.ts'
import type { PrunePlace } from '../../core/ports/queue.ts'
import { day, hour, minute } from '../../core/time.ts'
import { emitEnded } from '../bus.ts'
import type { EngineParts } from '../parts.ts'

const everyMs = hour
const firstMs = minute
const batchRows = 1_000
const mostBatches = 10_000
const heldMs = 30 * day
// Longer than an hour: the worker that has the turn keeps it for the next round.
const turnMs = 90 * minute

/** Deletes old history and expires deliveries held for too long, on one worker at a time, and in batches, so that live traffic never waits. */
export class Pruner {
  readonly #parts: EngineParts
  #running = false
  #disarm: (() => void) | null = null
  #round: Promise<void> = Promise.resolve()
  #hasTurn = false

  constructor(parts: EngineParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running = true
    this.#arm(firstMs)
  }

  async stop(): Promise<void> {
    this.#running = false
    this.#disarm?.()
    this.#disarm = null
    await this.#round
    // If it cannot be given back, it expires.
    if (this.#hasTurn) await this.#takeTurn(0).catch(() => undefined)
  }

  #arm(ms: number): void {
    this.#disarm = this.#parts.clock.after(ms, () => {
      this.#disarm = null
      this.#round = this.#prune()
    })
  }

  async #prune(): Promise<void> {
    const { bus } = this.#parts
    try {
      await this.#inBatches(() => this.#expire())
      await this.#forget()
    } catch (error) {
      bus.warn('store_error', `History was not pruned this time; it will be in an hour: ${messageOf(error)}`)
    }
    if (this.#running) this.#arm(everyMs)
  }

  /** Each batch starts where the last one ended: rows that are kept longer are read once per round. */
  async #forget(): Promise<void> {
    const { queue, clock, settings } = this.#parts
    const now = clock.now()
    const ages = {
      before: now - settings.historyMs,
      deadBefore: now - settings.deadLetterMs,
      auditBefore: now - settings.auditMs,
    }
    let from: PrunePlace | null = null
    await this.#inBatches(async () => {
      from = (await queue.prune({ ...ages, now, limit: batchRows, from })).next
      return from !== null
    })
  }

  /** Repeats until a batch reports that nothing is left. */
  async #inBatches(batch: () => Promise<boolean>): Promise<void> {
    for (let count = 0; count < mostBatches && this.#running; count += 1) {
      if (!(await this.#takeTurn(turnMs)) || !(await batch())) return
    }
  }

  async #takeTurn(leaseMs: number): Promise<boolean> {
    const {
      queue,
      clock,
      settings: { owner },
    } = this.#parts
    this.#hasTurn = await queue.takeTurn({ name: 'pruner', owner, now: clock.now(), leaseMs })
    return this.#hasTurn
  }

  async #expire(): Promise<boolean> {
    const { queue, clock, bus } = this.#parts
    const now = clock.now()
    const filter = { status: ['pending', 'failed'], unchangedSince: now - heldMs } as const
    const ended = await queue.cancel({
      filter,
      as: 'expired',
      now,
      limit: batchRows,
      by: { name: 'posthorn', reason: 'held for 30 days' },
    })
    emitEnded(bus, ended, 'expired')
    return ended.length === batchRows
  }
}
