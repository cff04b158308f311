import { shareOfFree } from '../../core/limits/shared-limit.ts'
import { mostBodyBytes } from '../../core/message/message.ts'
import type { Instant } from '../../core/time.ts'
import type { EndpointRecord, Held, Trust } from './records.ts'
import type { EngineSettings } from '../parts.ts'
import { trustIn } from './trust.ts'

interface Holding {
  rows: number
  bytes: number
  onWire: number
}

/** Endpoints whose capacity is limited together. Unproven ones may all be hung, so together they get half; doubtful ones get half of that. */
type Group = 'all' | 'unproven' | 'doubtful'
const partOf: Readonly<Record<Group, number>> = { all: 1, unproven: 1 / 2, doubtful: 1 / 4 }
const groupsOf: Readonly<Record<Trust, readonly Group[]>> = {
  proven: ['all'],
  unknown: ['all', 'unproven'],
  doubtful: ['all', 'unproven', 'doubtful'],
}

/** What one application, or all of them together, currently hold. */
type Holdings = Readonly<Record<Group, Holding>>

const mostBytes = 64 * mostBodyBytes
const timesFree = 4

/**
 * Divides this process's capacity (rows, bytes and open requests) by what is still free: nobody may hold more than four times
 * the free part. A single tenant gets most of it, and each one leaves a part for the next. About ten greedy tenants use it up.
 */
export class Budget {
  readonly #most: Readonly<Holding>
  readonly #held = noHoldings()
  readonly #applications = new Map<string, Holdings>()

  constructor({ maxLeased, limits }: EngineSettings) {
    this.#most = { rows: maxLeased, bytes: mostBytes, onWire: limits.openRequests }
  }

  /** How many more rows this endpoint may hold, whatever their size. */
  rowsFor(record: EndpointRecord, now: Instant): number {
    const rows = this.#least(record, now, 'rows', (ofApplication) => share(ofApplication, record.leased))
    // Thousands of endpoints may ask for rows again and again while there are none.
    return rows > 0 && this.bytesFor(record, now) > 0 ? rows : 0
  }

  /** How many more bytes of bodies this endpoint may hold. The last body may exceed it. */
  bytesFor(record: EndpointRecord, now: Instant): number {
    return this.#least(record, now, 'bytes', (ofApplication) => share(ofApplication, record.leasedBytes))
  }

  /** How many more requests may be opened to this endpoint within the limit for all of them together. */
  requestsFor(record: EndpointRecord, now: Instant): number {
    return this.#least(record, now, 'onWire', (ofApplication) => ofApplication)
  }

  /** The smallest part that any group of the endpoint leaves to it, given what the group leaves to its application. */
  #least(
    record: EndpointRecord,
    now: Instant,
    what: keyof Holding,
    ofEndpoint: (ofApplication: number) => number,
  ): number {
    const ofApplication = this.#applications.get(record.endpoint.applicationId)
    let least = Number.POSITIVE_INFINITY
    for (const group of groupsOf[trustIn(record, now)]) {
      const free = Math.ceil(this.#most[what] * partOf[group]) - this.#held[group][what]
      least = Math.min(least, ofEndpoint(share(free, ofApplication?.[group][what] ?? 0)))
    }
    return least
  }

  get requestsOpen(): number {
    return this.#held.all.onWire
  }

  get rowsFree(): number {
    return this.bytesFree === 0 ? 0 : Math.max(this.#most.rows - this.#held.all.rows, 0)
  }

  get bytesFree(): number {
    return Math.max(mostBytes - this.#held.all.bytes, 0)
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
    const ofApplication = this.#applications.get(record.endpoint.applicationId)
    for (const group of groupsOf[trust]) {
      this.#held[group].onWire += sign
      if (ofApplication !== undefined) ofApplication[group].onWire += sign
    }
  }

  #count({ record, bytes, trust }: Held, sign: 1 | -1): void {
    record.leasedBytes += sign * bytes
    this.#change(record, sign, sign * bytes, trust)
  }

  #change(record: EndpointRecord, rows: number, bytes: number, trust: Trust): void {
    record.leased += rows
    const { applicationId } = record.endpoint
    const ofApplication = this.#applications.get(applicationId) ?? noHoldings()
    for (const group of groupsOf[trust]) {
      for (const holding of [this.#held[group], ofApplication[group]]) {
        holding.rows += rows
        holding.bytes += bytes
      }
    }
    if (ofApplication.all.rows === 0) this.#applications.delete(applicationId)
    else this.#applications.set(applicationId, ofApplication)
  }
}

function noHoldings(): Holdings {
  return { all: nothing(), unproven: nothing(), doubtful: nothing() }
}

function nothing(): Holding {
  return { rows: 0, bytes: 0, onWire: 0 }
}

function share(free: number, held: number): number {
  return shareOfFree(free, held, timesFree)
}
