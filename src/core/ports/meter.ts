import type { ErrorCode } from '../errors.ts'
import type { Instant } from '../time.ts'
import type { EventOf, EventType } from './events.ts'
import type { EndpointHealthCounts } from './figures.ts'
import type { Overview } from './overview.ts'
import type { Claim, Marked, SettledAttempt } from './queue.ts'

/**
 * Counts what the engine and the store do and no event says. Whoever reports to it has it or null; with null nothing is even timed.
 * It is called between a delivery and the next one: it must not throw, and must not take long.
 */
export interface Meter {
  /** For durations only: it has nothing to do with the time of day. */
  nowMs(): number
  /** Called once, by the Posthorn whose parts report to it. */
  attach(source: MeterSource): void
  /** The store is open: it may be sampled. */
  opened(): void
  /** Nothing is sampled after this; resolves when nothing is being sampled. */
  stopped(): Promise<void>

  /** Stored; or, within a transaction of the caller's, handed to it: whether that commits is not known here. */
  messageAccepted(way: 'send' | 'transaction'): void
  messagesRefused(code: ErrorCode, count: number): void
  /** One claim, with what it found. */
  claimed(claims: readonly Pick<Claim, 'tookOver'>[], tookMs: number): void
  /** The mark of an attempt was stored, or refused because the lease was another's. */
  marked(claim: MeteredClaim, settled: MeteredMark, marked: Marked): void
  /** An attempt was on the wire when it was given back, and is on record so. */
  interrupted(): void
  leasesRenewed(count: number): void

  storeCalled(call: string, tookMs: number): void
  storeFailed(call: string, code: ErrorCode, tookMs: number): void
  /** So many rows shared one statement, and so its commit. */
  committed(call: string, rows: number): void
}

/** What is counted of a delivery: no more than can be sent from thread to thread at little cost. */
export interface MeteredClaim {
  readonly delivery: Pick<Claim['delivery'], 'id' | 'endpointId' | 'createdAt'>
}

export interface MeteredMark {
  readonly mark: Pick<SettledAttempt['mark'], 'status'>
  readonly attempt: Pick<
    NonNullable<SettledAttempt['attempt']>,
    'epoch' | 'outcome' | 'statusCode' | 'startedAt' | 'tookMs'
  > | null
}

/** What a meter reads of the Posthorn that it is attached to, when somebody asks. */
export interface MeterSource {
  readonly version: string
  readonly database: string
  now(): Instant
  after(ms: number, callback: () => void): () => void
  on<Type extends EventType>(type: Type, listener: (event: EventOf<Type>) => unknown): () => void
  /** Deliveries under a lease of this process. */
  inFlight(): number
  /** Of those, the requests that are open. */
  openRequests(): number
  streamReaders(): number
  /** How things stand in the store. Its cost grows with the endpoints, not with the rows; still nothing to ask for with every scrape. */
  sample(): Promise<StoreSample>
}

export interface StoreSample extends Pick<Overview, 'at' | 'queue' | 'deadLetterRate'> {
  readonly endpoints: EndpointHealthCounts
  /** Workers that live. */
  readonly workers: number
  /** Where the database is a file of this machine; null elsewhere. */
  readonly disk: Disk | null
}

/** The file system that a database is on. */
export interface Disk {
  readonly freeBytes: number
  readonly sizeBytes: number
}
