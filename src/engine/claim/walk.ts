import { lanes } from '../../core/delivery/delivery.ts'
import type { Lane } from '../../core/delivery/delivery.ts'
import { isHeld } from '../../core/endpoint/health.ts'
import type { Queue } from '../../core/ports/queue.ts'
import type { Instant } from '../../core/time.ts'
import { emitEnded } from '../bus.ts'
import { DueTimes } from './due-times.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { EndpointRecord } from '../endpoints/records.ts'
import type { HealthKeeper } from '../endpoints/health.ts'
import type { EngineParts } from '../parts.ts'
import type { Schedule } from './schedule.ts'

type DueEndpoint = Awaited<ReturnType<Queue['dueEndpoints']>>[number]

export interface WalkParts {
  readonly engine: EngineParts
  readonly endpoints: Endpoints
  readonly health: HealthKeeper
  readonly schedule: Schedule
}

const slice = 100
const mostSlices = 200
const endedAtOnce = 1_000

/** Finds the endpoints that have due rows: all of them on the tick, and newly committed rows in between. */
export class Walk {
  readonly dueTimes = new DueTimes()
  readonly #parts: WalkParts
  readonly #cursors: Record<Lane | 'look', string> = { fresh: '', retries: '', suspects: '', look: '' }
  #running = false

  constructor(parts: WalkParts) {
    this.#parts = parts
  }

  start(): void {
    this.#running = true
  }

  stop(): void {
    this.#running = false
  }

  /** Walks all endpoints with open rows, lane by lane and slice by slice. A very long walk continues at the next tick. */
  async all(): Promise<void> {
    for (const lane of lanes) await this.#lane(lane)
    this.#endRamps()
  }

  /** Looks for fresh rows between ticks, one slice of endpoints at a time. Only rows that the last walk has not seen count. */
  async look(): Promise<void> {
    if (this.#running) await this.#slice('fresh', 'look', this.dueTimes.unseenFrom('fresh'))
  }

  /** Endpoints got new rows, as another process says. An endpoint that does not exist is ignored. */
  async expect(endpointIds: readonly string[]): Promise<void> {
    if (!this.#running) return
    await this.#know(endpointIds)
    this.#expect(endpointIds, 'fresh')
  }

  async #lane(lane: Lane): Promise<void> {
    for (let count = 0; count < mostSlices && this.#running; count += 1) {
      if (this.#cursors[lane] === '') this.dueTimes.begin(lane, this.#parts.engine.clock.now())
      this.dueTimes.note(lane, await this.#slice(lane, lane, 0))
      if (this.#cursors[lane] === '') return this.dueTimes.end(lane)
    }
  }

  async #slice(lane: Lane, cursor: Lane | 'look', dueFrom: Instant): Promise<DueEndpoint[]> {
    const {
      engine: { queue, clock },
      endpoints,
    } = this.#parts
    const found = await queue.dueEndpoints({ lane, after: this.#cursors[cursor], limit: slice, dueFrom })
    const now = clock.now()
    const due = found.filter(({ dueAt }) => dueAt <= now).map(({ endpointId }) => endpointId)
    await this.#know(due)
    for (const id of due) if (endpoints.isGone(id)) await this.#endDeleted(id, now)
    this.#expect(due, lane)
    this.#cursors[cursor] = found.length < slice ? '' : (found.at(-1)?.endpointId ?? '')
    return found
  }

  /** Known endpoints are refreshed when they are asked. */
  #know(endpointIds: readonly string[]): Promise<void> {
    const { endpoints } = this.#parts
    return endpoints.refresh(endpointIds.filter((id) => endpoints.get(id) === undefined))
  }

  #expect(endpointIds: readonly string[], lane: Lane): void {
    const { endpoints, schedule } = this.#parts
    schedule.expect(
      endpointIds.flatMap((id) => endpoints.get(id) ?? []),
      lane,
    )
  }

  /** Ends the rows of a deleted endpoint as dead, a batch per tick. */
  async #endDeleted(endpointId: string, now: Instant): Promise<void> {
    const { queue, bus } = this.#parts.engine
    const filter = { endpointId, status: ['pending', 'failed'] } as const
    const ended = await queue.cancel({
      filter,
      as: 'gone',
      now,
      limit: endedAtOnce,
      by: { name: 'posthorn', reason: 'endpoint deleted' },
    })
    emitEnded(bus, ended, 'gone')
  }

  /** A ramp ends once a walk finds no row of its endpoint that is overdue by more than a tick. */
  #endRamps(): void {
    const now = this.#parts.engine.clock.now()
    for (const record of this.#parts.endpoints.all()) if (this.#isCaughtUp(record, now)) this.#endRamp(record)
  }

  #isCaughtUp({ endpoint: { id }, health }: EndpointRecord, now: Instant): boolean {
    const { pollMs } = this.#parts.engine.settings.limits
    if (health.rampFrom === null || now < health.rampFrom + pollMs || health.holds > 0 || isHeld(health, now))
      return false
    return lanes.every((lane) => this.dueTimes.firstSeen(id, lane) >= now - pollMs)
  }

  #endRamp(record: EndpointRecord): void {
    const from = record.health.rampFrom
    this.#parts.health
      .change(record, (health) => (health.rampFrom === from ? { ...health, rampFrom: null } : null))
      .catch(() => undefined)
  }
}
