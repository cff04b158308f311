import type { Actor } from './audit.ts'
import type { Outcome } from '../delivery/attempt.ts'
import type { Wire } from '../delivery/diagnostics.ts'
import type { Directory } from './directory.ts'
import type { TransportAuthentication } from '../endpoint/authentication.ts'
import type { Application } from '../endpoint/endpoint.ts'
import type { Disk, Meter } from './meter.ts'
import type { EnqueueRequest, Enqueued, Queue } from './queue.ts'
import type { Subscriber } from '../endpoint/subscribers.ts'
import type { Instant } from '../time.ts'
import type { SeenWorker, Sighting, Worker } from './worker.ts'

/** Time as the engine meets it; `posthorn/testing` has one that a test moves by hand. */
export interface Clock {
  now(): Instant
  /** Calls back once after the given time, and returns how to prevent that. */
  after(ms: number, callback: () => void): () => void
}

/** What sends requests to endpoints. It never throws: every end is an outcome. It has no queue: whatever it is given leaves at once. */
export interface Transport {
  send(request: OutgoingRequest): Promise<Outcome>
  /** Ends what is open at once; whatever was under way ends as `reset`. */
  close(): Promise<void>
}

export interface OutgoingRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** From the first look-up, also that of a token endpoint, to the head of the response; its body gets a second more, but not beyond this. */
  readonly timeoutMs: number
  /** What must be proven beyond headers: fetched tokens and certificates. Within the same time. */
  readonly authentication?: TransportAuthentication | null
  /** Called before the end of a request that does not succeed, with what is known of how it went; the last call counts. */
  readonly observe?: ((wire: Wire) => void) | undefined
}

/** A memory of some kind: the engine's half, the operators' half, and a lifetime. */
export interface Store {
  /** What it is, for people. */
  readonly kind?: 'sqlite' | 'postgres' | 'memory'
  readonly queue: Queue
  readonly directory: Directory
  /** Makes the store ready, migrating it if it must; safe to call again. Answers with what a person should know. */
  open(): Promise<readonly string[]>
  /** Announces a worker that will claim. Refused with `store_in_use` where only one process may. */
  attach(worker: Worker): Promise<void>
  detach(workerId: string): Promise<void>
  /** Says that a worker lives, and forgets those that were not seen for long; answers with all that live, itself included. Refused with `newer_database` once a later release has changed the store. */
  beat(worker: Worker, sighting: Sighting): Promise<SeenWorker[]>
  /** The time that all workers on this store share; absent where the machine's own is shared enough. */
  time?(): Promise<Instant>
  close(): Promise<void>
  /** A way in through a transaction of the application's own, if this store can; refused if `tx` is none, or not a good one. */
  within?(tx: unknown): Promise<StoreTransaction>
  /** The same where the database answers without a wait: what was sent is part of the transaction when the call returns. */
  withinSync?(tx: unknown): SyncStoreTransaction
  /** The same store, whose calls are reported to a meter; absent where they cannot be. Who wraps a store wraps this, too, or leaves it out. */
  metered?(meter: Meter): Store
  /** How another thread of this process opens the same store; absent where it cannot, as in memory. Who wraps a store leaves it out. */
  readonly recipe?: StoreRecipe
  /** The file system that it is on; absent where that is another machine's, null where it is on none. */
  disk?(): Promise<Disk | null>
  /** Seals with the newest key whatever is not, batch by batch, beside everything else; absent where nothing is sealed. */
  reseal?(options?: {
    onBatch?: ((progress: Resealed) => void) | undefined
    signal?: AbortSignal | undefined
  }): Promise<Resealed>
  /** How many sealed values `reseal` would find. */
  countStaleSecrets?(): Promise<number>
  /** How often an idle worker looks for what others have committed; null or absent where nobody else can. */
  readonly lookMs?: number | null
  /**
   * Calls back as soon as it listens, and then whenever others may have committed something to send. Only a hint.
   * Ends with the signal, and fails when it cannot listen any more.
   */
  listen?(onHint: () => void, signal: AbortSignal): Promise<void>
}

/** The call that makes a store. All of it can be sent to another thread. */
export interface StoreRecipe {
  /** The address of the module. */
  readonly module: string
  /** The function that it exports. */
  readonly name: string
  readonly given: readonly unknown[]
}

/** How far `reseal` has come. */
export interface Resealed {
  /** Values that were not sealed with the newest key when it began. */
  readonly total: number
  readonly done: number
  /** Values that no key of the ring opens; they stay as they are. */
  readonly unreadable: number
  /** Some of the endpoints that those belong to. */
  readonly endpointIds: readonly string[]
}

/** What `send` needs of a store. Every statement goes through one transaction, and no conflict aborts it. */
export interface StoreTransaction {
  readonly queue: Pick<Queue, 'enqueue'>
  /** All that matching needs of these applications, given by id or uid. The first statement: refused if `tx` is in no transaction. */
  look(applications: readonly string[]): Promise<TransactionLook>
  /** An application that is there already is answered as it is. */
  readonly createApplication: Directory['createApplication']
}

/** What a transaction sees, its own changes included. */
export interface TransactionLook {
  /** The store's time; null where the machine's own is shared enough. */
  readonly time: Instant | null
  /** By the name that was asked for; what is not there is left out. */
  readonly applications: ReadonlyMap<string, MatchedApplication>
}

export interface MatchedApplication {
  readonly applicationId: string
  readonly endpointsVersion: number
  readonly endpoints: readonly Subscriber[]
}

/** The same as `StoreTransaction`, at once. The transaction keeps others from writing, so what was matched cannot be stale. */
export interface SyncStoreTransaction {
  enqueue(request: EnqueueRequest): Enqueued[]
  application(idOrUid: string): Application | null
  createApplication(application: Application, by?: Actor): Application
  matching(applicationId: string): { endpointsVersion: number; endpoints: Subscriber[] } | null
}
