import { shareOfFree } from '../../core/limits/shared-limit.ts'
import { mostBodyBytes } from '../../core/message/message.ts'
import type { Instant } from '../../core/time.ts'
import type { EndpointRecord, Held } from './records.ts'
import type { EngineSettings } from '../parts.ts'

/** What one application holds. */
interface Holding {
  rows: number
  bytes: number
  onWire: number
}

const mostBytes = 64 * mostBodyBytes
const timesFree = 4
const recentMs = 60_000

/**
 * Shares what this process can hold, in rows, bytes and open requests, by what is still free: nobody may hold more than four times
 * that. One tenant alone gets most of it, and each leaves a part of the rest for the next; about ten that take all they may use it up.
 */
export class Budget {
  readonly #settings: EngineSettings
  readonly #applications = new Map<string, Holding>()
  #rows = 0
  #bytes = 0
  #unprovenRows = 0
  #unprovenBytes = 0
  #onWire = 0
  #unprovenOnWire = 0

  constructor(settings: EngineSettings) {
    this.#settings = settings
  }

  /** How many more rows this endpoint may hold; a row may be of any size. */
  rowsFor(record: EndpointRecord, now: Instant): number {
    if (this.bytesFor(record, now) <= 0) return 0
    const { maxLeased } = this.#settings
    const free = maxLeased - this.#rows
    const ofApplication = share(free, this.#applications.get(record.endpoint.applicationId)?.rows ?? 0)
    const ofEndpoint = share(ofApplication, record.leased)
    // Endpoints without a recent success may all be hung: together they get half.
    const unproven = isUnproven(record, now) ? Math.ceil(maxLeased / 2) - this.#unprovenRows : free
    return Math.max(Math.min(ofEndpoint, unproven, free), 0)
  }

  /** How many more bytes of bodies this endpoint may hold; the last one may pass it. */
  bytesFor(record: EndpointRecord, now: Instant): number {
    const free = mostBytes - this.#bytes
    const ofApplication = share(free, this.#applications.get(record.endpoint.applicationId)?.bytes ?? 0)
    const unproven = isUnproven(record, now) ? mostBytes / 2 - this.#unprovenBytes : free
    return Math.max(Math.min(share(ofApplication, record.leasedBytes), unproven), 0)
  }

  /** How many more requests to an endpoint may be opened, as far as all of them together are concerned. */
  requestsFor(record: EndpointRecord, now: Instant): number {
    const { openRequests } = this.#settings.limits
    const free = openRequests - this.#onWire
    const ofApplication = share(free, this.#applications.get(record.endpoint.applicationId)?.onWire ?? 0)
    const unproven = isUnproven(record, now) ? Math.ceil(openRequests / 2) - this.#unprovenOnWire : free
    return Math.max(Math.min(ofApplication, unproven), 0)
  }

  get requestsOpen(): number {
    return this.#onWire
  }

  get rowsFree(): number {
    return this.#bytes >= mostBytes ? 0 : Math.max(this.#settings.maxLeased - this.#rows, 0)
  }

  get bytesFree(): number {
    return Math.max(mostBytes - this.#bytes, 0)
  }

  take(held: Held): void {
    this.#count(held, 1)
  }

  free(held: Held): void {
    this.#count(held, -1)
  }

  /** Sets rows aside for a claim that is about to be made, so that nobody else takes them meanwhile. */
  reserve(record: EndpointRecord, rows: number, unproven: boolean): () => void {
    let reserved = rows
    this.#change(record, rows, 0, unproven)
    return () => {
      this.#change(record, -reserved, 0, unproven)
      reserved = 0
    }
  }

  opened(held: Held): void {
    this.#countOnWire(held, 1)
  }

  closed(held: Held): void {
    this.#countOnWire(held, -1)
  }

  /** Whatever is on the wire holds a row. */
  #countOnWire({ record, unproven }: Held, sign: 1 | -1): void {
    this.#onWire += sign
    if (unproven) this.#unprovenOnWire += sign
    const holding = this.#applications.get(record.endpoint.applicationId)
    if (holding !== undefined) holding.onWire += sign
  }

  #count({ record, bytes, unproven }: Held, sign: 1 | -1): void {
    record.leasedBytes += sign * bytes
    this.#bytes += sign * bytes
    if (unproven) this.#unprovenBytes += sign * bytes
    this.#change(record, sign, sign * bytes, unproven)
  }

  #change(record: EndpointRecord, rows: number, bytes: number, unproven: boolean): void {
    record.leased += rows
    this.#rows += rows
    if (unproven) this.#unprovenRows += rows
    const { applicationId } = record.endpoint
    const holding = this.#applications.get(applicationId) ?? { rows: 0, bytes: 0, onWire: 0 }
    holding.rows += rows
    holding.bytes += bytes
    if (holding.rows === 0) this.#applications.delete(applicationId)
    else this.#applications.set(applicationId, holding)
  }
}

function share(free: number, held: number): number {
  return shareOfFree(free, held, timesFree)
}

/** True if no delivery reached the endpoint lately, or one took a second or more since: it may be hung. */
export function isUnproven({ succeededAt }: EndpointRecord, now: Instant): boolean {
  return succeededAt === null || succeededAt < now - recentMs
}
