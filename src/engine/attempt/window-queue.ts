import { messageOf } from '../../core/errors.ts'
import type { Budget } from '../endpoints/budget.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { EndpointRecord, InFlight } from '../endpoints/records.ts'
import type { Shares } from '../endpoints/shares.ts'
import type { EngineParts } from '../parts.ts'

export interface WindowQueueParts {
  readonly engine: EngineParts
  readonly endpoints: Endpoints
  readonly budget: Budget
  readonly shares: Shares
}

/** What becomes of deliveries that have waited. */
export interface AfterWaiting {
  send(waited: InFlight): void
  giveBack(waited: readonly InFlight[]): void
}

const mostWaitMs = 1_000
const sweepMs = 250

/** Deliveries under our lease that wait until their endpoint's window allows another request; none for much longer than a second. */
export class WindowQueue {
  readonly #parts: WindowQueueParts
  readonly #after: AfterWaiting
  /** Endpoints with deliveries that wait. */
  readonly #crowded = new Set<EndpointRecord>()
  /** Endpoints that are read before what waits for them may leave. */
  readonly #readFirst = new Set<EndpointRecord>()
  #disarmSweep: (() => void) | null = null

  constructor(parts: WindowQueueParts, after: AfterWaiting) {
    this.#parts = parts
    this.#after = after
  }

  /** True if the window allows another request right now. */
  hasPlace(record: EndpointRecord): boolean {
    const { budget, shares, engine } = this.#parts
    return record.onWire < shares.windowOf(record) && budget.requestsFor(record, engine.clock.now()) > 0
  }

  add(waiting: InFlight): void {
    waiting.record.waiting.push(waiting)
    this.#crowded.add(waiting.record)
    this.#disarmSweep ??= this.#parts.engine.clock.after(sweepMs, () => this.#sweep())
  }

  /** Sends what the window allows. While it waited, another process may have closed or moved the endpoint: it must have been read within the last second. */
  sendNext(record: EndpointRecord): void {
    if (record.waiting.length > 0 && !this.#isFresh(record)) return void this.#sendOnceRead(record)
    while (record.waiting.length > 0 && this.hasPlace(record)) {
      const next = record.waiting.shift()
      if (next !== undefined) this.#after.send(next)
    }
    if (record.waiting.length === 0) this.#crowded.delete(record)
  }

  /** Takes out what waits for an endpoint, or what was leased before a time. */
  take(record: EndpointRecord, leasedBefore = Number.POSITIVE_INFINITY): InFlight[] {
    const count = record.waiting.findIndex(({ leasedAt }) => leasedAt >= leasedBefore)
    const taken = record.waiting.splice(0, count === -1 ? record.waiting.length : count)
    if (record.waiting.length === 0) this.#crowded.delete(record)
    return taken
  }

  /** Takes out everything. */
  takeAll(): InFlight[] {
    this.#disarmSweep?.()
    this.#disarmSweep = null
    return [...this.#crowded].flatMap((record) => this.take(record))
  }

  /** If the endpoint cannot be read, its deliveries go on waiting, and are given back if that lasts. */
  async #sendOnceRead(record: EndpointRecord): Promise<void> {
    const { endpoints, engine } = this.#parts
    if (this.#readFirst.has(record)) return
    this.#readFirst.add(record)
    try {
      await endpoints.refresh([record.endpoint.id])
    } catch (error) {
      engine.bus.warn(
        'store_error',
        `Endpoint ${record.endpoint.id} could not be read, and its deliveries wait: ${messageOf(error)}`,
      )
    }
    this.#readFirst.delete(record)
    if (endpoints.isClosed(record)) this.#after.giveBack(this.take(record))
    else if (this.#isFresh(record)) this.sendNext(record)
  }

  #isFresh(record: EndpointRecord): boolean {
    return this.#parts.endpoints.isFresh(record, this.#parts.engine.clock.now())
  }

  /** Gives back deliveries that could not start within a second, so that another worker, or a later claim, can take them. */
  #sweep(): void {
    this.#disarmSweep = null
    const leasedBefore = this.#parts.engine.clock.now() - mostWaitMs
    for (const record of this.#crowded) {
      const late = this.take(record, leasedBefore)
      if (late.length > 0) record.depth = 1
      this.#after.giveBack(late)
    }
    if (this.#crowded.size > 0) this.#disarmSweep = this.#parts.engine.clock.after(sweepMs, () => this.#sweep())
  }
}
