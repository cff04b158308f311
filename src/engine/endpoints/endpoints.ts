import type { Endpoint, EndpointWithLimits } from '../../core/endpoint/endpoint.ts'
import { healthy, isHeld } from '../../core/endpoint/health.ts'
import type { Health } from '../../core/endpoint/health.ts'
import type { Instant } from '../../core/time.ts'
import { startWindow } from '../../core/limits/window.ts'
import type { EndpointRecord } from './records.ts'
import { relearnt } from './relearn.ts'
import type { EngineParts } from '../parts.ts'

export const mostDepth = 8
const freshMs = 1_000
const mostRecords = 50_000

/** The endpoints this process works with. Whenever a request leaves, the data about its endpoint is at most a second old. */
export class Endpoints {
  readonly #parts: EngineParts
  readonly #records = new Map<string, EndpointRecord>()
  /** Endpoints whose secrets cannot be decrypted. */
  readonly #unreadable = new Set<string>()

  constructor(parts: EngineParts) {
    this.#parts = parts
  }

  get(endpointId: string): EndpointRecord | undefined {
    return this.#records.get(endpointId)
  }

  all(): Iterable<EndpointRecord> {
    return this.#records.values()
  }

  isFresh(record: EndpointRecord, now: Instant): boolean {
    return record.readAt > now - freshMs
  }

  /**
   * True if a request may rely on it: it was read within the last second, or the store confirms this version of its application's endpoints,
   * to which its settings belong, and its health, which has a version of its own.
   */
  isUsable(endpointId: string, now: Instant, confirmed: number | null): boolean {
    const record = this.#records.get(endpointId)
    if (record === undefined) return false
    return (
      this.isFresh(record, now) || (record.readAt > 0 && confirmed !== null && record.endpointsVersion === confirmed)
    )
  }

  /** True if nothing may be sent to it: it is not active, or on hold. */
  isClosed({ endpoint, health }: EndpointRecord): boolean {
    const { clock, settings } = this.#parts
    if (endpoint.status !== 'active') return true
    // Few endpoints are held: for all others the clock need not be read.
    return settings.limits.heedsEndpoint && health.heldUntil !== null && isHeld(health, clock.now())
  }

  /** The store has found it unchanged: that is as good as a read. */
  confirm(endpointId: string, now: Instant): void {
    const record = this.#records.get(endpointId)
    // Somebody may have asked for a read in the meantime.
    if (record !== undefined && record.readAt > 0) record.readAt = Math.max(record.readAt, now)
  }

  /** Updates the records with endpoints that were just read. */
  know(endpoints: readonly Endpoint[]): void {
    for (const endpoint of endpoints) {
      const record = this.#records.get(endpoint.id)
      if (record === undefined) this.#records.set(endpoint.id, newRecord(endpoint, this.#parts))
      else if (endpoint.updatedAt >= record.endpoint.updatedAt) record.endpoint = endpoint
    }
    if (this.#records.size > mostRecords) this.#forgetIdle()
  }

  /** Rereads the endpoints that were read more than a second ago. The version is that of their application's endpoints, if it is known. */
  async refresh(endpointIds: readonly string[], endpointsVersion: number | null = null): Promise<void> {
    const now = this.#parts.clock.now()
    const reads = new Set<Promise<void>>()
    const stale: string[] = []
    for (const id of endpointIds) {
      const record = this.#records.get(id)
      if (record !== undefined && record.reading !== null) reads.add(record.reading)
      else if (record === undefined || !this.isFresh(record, now)) stale.push(id)
    }
    if (stale.length > 0) reads.add(this.#read(stale, now, endpointsVersion))
    await Promise.all(reads)
  }

  /** True if it was deleted, as of the last read. */
  isGone(endpointId: string): boolean {
    const record = this.#records.get(endpointId)
    return record === undefined ? !this.#unreadable.has(endpointId) : record.endpoint.status === 'deleted'
  }

  /** Makes the next refresh reread this endpoint. */
  forgetAge(endpointId: string): void {
    const record = this.#records.get(endpointId)
    if (record !== undefined) record.readAt = 0
  }

  #read(ids: readonly string[], now: Instant, endpointsVersion: number | null): Promise<void> {
    const reading = this.#readAll(ids, now, endpointsVersion).finally(() => {
      for (const id of ids) {
        const record = this.#records.get(id)
        if (record !== undefined) record.reading = null
      }
    })
    for (const id of ids) {
      const record = this.#records.get(id)
      if (record !== undefined) record.reading = reading
    }
    return reading
  }

  async #readAll(ids: readonly string[], now: Instant, endpointsVersion: number | null): Promise<void> {
    const [endpoints, health] = await Promise.all([this.#readEndpoints(ids), this.#parts.queue.health(ids)])
    this.know(endpoints)
    for (const { id, applicationRatePerSecond } of endpoints) {
      const record = this.#records.get(id)
      if (record === undefined) continue
      record.readAt = now
      record.endpointsVersion = endpointsVersion ?? record.endpointsVersion
      record.applicationRatePerSecond = applicationRatePerSecond
      takeOver(record, health.get(id) ?? healthy)
    }
  }

  /** Leaves out endpoints whose secrets cannot be decrypted: their deliveries wait, and the next walk reads them again. */
  async #readEndpoints(ids: readonly string[]): Promise<EndpointWithLimits[]> {
    const endpoints = await this.#parts.directory.endpointsById(ids)
    const reasons = new Map(
      endpoints.flatMap(({ id, unreadable }) => (unreadable === undefined ? [] : [[id, unreadable]])),
    )
    for (const id of ids) {
      const reason = reasons.get(id)
      if (reason === undefined) this.#unreadable.delete(id)
      else this.#noteUnreadable(id, reason)
    }
    return endpoints.filter(({ id }) => !reasons.has(id))
  }

  #noteUnreadable(id: string, reason: string): void {
    if (this.#unreadable.has(id)) return
    this.#unreadable.add(id)
    this.#parts.bus.warn('secrets_key', `Endpoint ${id} could not be read, and its deliveries wait: ${reason}`)
  }

  #forgetIdle(): void {
    for (const [id, record] of this.#records) {
      if (record.leased === 0 && !record.savingHealth && record.state === 'idle') this.#records.delete(id)
      if (this.#records.size <= mostRecords / 2) return
    }
  }
}

/** Memory may be ahead of the store, because not every change is worth a write. Only a write by another worker is newer. */
function takeOver(record: EndpointRecord, stored: Health): void {
  if (stored.version <= record.health.version) return
  if (!record.savingHealth) record.health = stored
  // Our own write may hang for a long time. The start or end of a hold, which begins a generation, still applies at once.
  else if (stored.generation > record.health.generation) record.health = relearnt(record, stored)
}

function newRecord(endpoint: Endpoint, { settings: { limits } }: EngineParts): EndpointRecord {
  return {
    endpoint,
    applicationRatePerSecond: null,
    readAt: 0,
    endpointsVersion: null,
    reading: null,
    health: healthy,
    savingHealth: false,
    unsavedLessons: [],
    lastHealthWrite: Promise.resolve(),
    window: startWindow(limits),
    depth: mostDepth,
    onWire: 0,
    leased: 0,
    leasedBytes: 0,
    suspectsLeased: 0,
    waiting: [],
    succeededAt: null,
    wasSlow: false,
    due: { fresh: false, retries: false, suspects: false },
    dueSinceClaim: { fresh: false, retries: false, suspects: false },
    isBehind: false,
    state: 'idle',
    wait: null,
    retriesLeft: limits.retriesPerEndpoint,
    ramp: null,
  }
}
