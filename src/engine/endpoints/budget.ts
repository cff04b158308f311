import { shareOfFree } from '../../core/limits/shared-limit.ts'
import { mostBodyBytes } from '../../core/message/message.ts'
import type { Instant } from '../../core/time.ts'
import type { EndpointRecord, Held, Trust } from './records.ts'
import type { EngineSettings } from '../parts.ts'
import { trustIn } from './trust.ts'

/** What one application, or all endpoints with the same trust, currently hold. */
interface Holding {
  rows: number
  bytes: number
  onWire: number
}

const mostBytes = 64 * mostBodyBytes
const timesFree = 4

/**
 * Divides this process's capacity (rows, bytes and open requests) by what is still free: nobody may hold more than four times
 * the free part. A single tenant gets most of it, and each one leaves a part for the next. About ten greedy tenants use it up.
 */
export class Budget {
  readonly #settings: EngineSettings
  readonly #applications = new Map<string, Holding>()
  readonly #byTrust: Readonly<Record<Trust, Holding>> = {
    proven: nothing(),
    unknown: nothing(),
    doubtful: nothing(),
  }

  constructor(settings: EngineSettings) {
    this.#settings = settings
  }

  /** How many more rows this endpoint may hold, whatever their size. */
  rowsFor(record: EndpointRecord, now: Instant): number {
    if (this.bytesFor(record, now) <= 0) return 0
    const { maxLeased } = this.#settings
    const free = maxLeased - this.#held('rows')
    const ofApplication = share(free, this.#applications.get(record.endpoint.applicationId)?.rows ?? 0)
    const ofEndpoint = share(ofApplication, record.leased)
    return Math.max(Math.min(ofEndpoint, free, this.#leftFor(trustIn(record, now), 'rows', maxLeased)), 0)
  }

  /** How many more bytes of bodies this endpoint may hold. The last body may exceed it. */
  bytesFor(record: EndpointRecord, now: Instant): number {
    const free = mostBytes - this.#held('bytes')
    const ofApplication = share(free, this.#applications.get(record.endpoint.applicationId)?.bytes ?? 0)
    const ofEndpoint = share(ofApplication, record.leasedBytes)
    return Math.max(Math.min(ofEndpoint, this.#leftFor(trustIn(record, now), 'bytes', mostBytes)), 0)
  }

  /** How many more requests may be opened to this endpoint within the limit for all of them together. */
  requestsFor(record: EndpointRecord, now: Instant): number {
    const { openRequests } = this.#settings.limits
    const free = openRequests - this.#held('onWire')
    const ofApplication = share(free, this.#applications.get(record.endpoint.applicationId)?.onWire ?? 0)
    return Math.max(Math.min(ofApplication, this.#leftFor(trustIn(record, now), 'onWire', openRequests)), 0)
  }

  /** Unproven endpoints may all be hung, so together they get half; doubtful ones get half of that. */
  #leftFor(trust: Trust, what: keyof Holding, most: number): number {
    const { proven, unknown, doubtful } = this.#byTrust
    const unproven = unknown[what] + doubtful[what]
    if (trust === 'proven') return most - proven[what] - unproven
    const ofUnproven = Math.ceil(most / 2) - unproven
    return trust === 'unknown' ? ofUnproven : Math.min(ofUnproven, Math.ceil(most / 4) - doubtful[what])
  }

  #held(what: keyof Holding): number {
    const { proven, unknown, doubtful } = this.#byTrust
    return proven[what] + unknown[what] + doubtful[what]
  }

  get requestsOpen(): number {
    return this.#held('onWire')
  }

  get rowsFree(): number {
    return this.#held('bytes') >= mostBytes ? 0 : Math.max(this.#settings.maxLeased - this.#held('rows'), 0)
  }

  get bytesFree(): number {
    return Math.max(mostBytes - this.#held('bytes'), 0)
  }

  take(held: Held): void {
    this.#count(held, 1)
  }

  free(held: Held): void {
    this.#count(held, -1)
  }

  /** Reserves rows for the claim that follows, so that nobody else takes them in the meantime. */
  reserve(record: EndpointRecord, rows: number, trust: Trust): () => void {
    let reserved = rows
    this.#change(record, rows, 0, trust)
    return () => {
      this.#change(record, -reserved, 0, trust)
      reserved = 0
    }
  }

  opened(held: Held): void {
    this.#countOnWire(held, 1)
  }

  closed(held: Held): void {
    this.#countOnWire(held, -1)
  }

  /** A request on the wire always holds a row, so its application is known here. */
  #countOnWire({ record, trust }: Held, sign: 1 | -1): void {
    this.#byTrust[trust].onWire += sign
    const holding = this.#applications.get(record.endpoint.applicationId)
    if (holding !== undefined) holding.onWire += sign
  }

  #count({ record, bytes, trust }: Held, sign: 1 | -1): void {
    record.leasedBytes += sign * bytes
    this.#change(record, sign, sign * bytes, trust)
  }

  #change(record: EndpointRecord, rows: number, bytes: number, trust: Trust): void {
    record.leased += rows
    this.#byTrust[trust].rows += rows
    this.#byTrust[trust].bytes += bytes
    const { applicationId } = record.endpoint
    const holding = this.#applications.get(applicationId) ?? nothing()
    holding.rows += rows
    holding.bytes += bytes
    if (holding.rows === 0) this.#applications.delete(applicationId)
    else this.#applications.set(applicationId, holding)
  }
}

function nothing(): Holding {
  return { rows: 0, bytes: 0, onWire: 0 }
}

function share(free: number, held: number): number {
  return shareOfFree(free, held, timesFree)
}
