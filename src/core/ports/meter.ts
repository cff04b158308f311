import type { ErrorCode } from '../errors.ts'
import type { Instant } from '../time.ts'
import type { EventOf, EventType } from './events.ts'
import type { EndpointHealthCounts } from './figures.ts'
import type { Overview } from './overview.ts'
import type { Claim, Marked, SettledAttempt } from './queue.ts'

/**
 * Counts what the engine and the store do and no event reports. It may be null; then nothing is even timed.
 * It is called between two deliveries: it must not throw, and must not take long.
 */
export interface Meter {
  /** For durations only: unrelated to the time of day. */
  nowMs(): number
  /** Called once, by the Posthorn whose parts report to it. */
  attach(source: MeterSource): void
  /** The store is open: it may be sampled. */
  opened(): void
  /** Stops sampling; resolves when no sample is being taken any more. */
  stopped(): Promise<void>

  /** Stored; or, within a caller's transaction, handed over: whether that commits is not known here. */
  messageAccepted(way: 'send' | 'transaction'): void
  messagesRefused(code: ErrorCode, count: number): void
  /** One claim, with what it found. */
  claimed(claims: readonly Pick<Claim, 'tookOver'>[], tookMs: number): void
  /** The mark of an attempt was stored, or refused because the lease was another's. */
  marked(claim: MeteredClaim, settled: MeteredMark, marked: Marked): void
  /** An attempt was on the wire when its delivery was given back, and is recorded as such. */
  interrupted(): void
  leasesRenewed(count: number): void

  storeCalled(call: string, tookMs: number): void
  storeFailed(call: string, code: ErrorCode, tookMs: number): void
  /** This many rows shared one statement and its commit. */
  committed(call: string, rows: number): void
}

/** What is counted of a delivery: no more than can be sent between threads cheaply. */
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

/** What a meter can read from the Posthorn that it is attached to. */
export interface MeterSource {
  readonly version: string
  readonly database: string
  now(): Instant
  after(ms: number, callback: () => void): () => void
  on<Type extends EventType>(type: Type, listener: (event: EventOf<Type>) => unknown): () => void
  /** Deliveries under a lease of this process. */
  inFlight(): number
  /** How many of those requests are open. */
  openRequests(): number
  streamReaders(): number
  /** The state of the store. The cost grows with the endpoints, not with the rows; still too much for every scrape. */
  sample(): Promise<StoreSample>
}

export interface StoreSample extends Pick<Overview, 'at' | 'queue' | 'deadLetterRate'> {
  readonly endpoints: EndpointHealthCounts
  /** Live workers. */
  readonly workers: number
  /** If the database is a file on this machine; null otherwise. */
  readonly disk: Disk | null
}

/** The file system of a database. */
export interface Disk {
  readonly freeBytes: number
  readonly sizeBytes: number
}
