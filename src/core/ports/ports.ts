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

/** Time as the engine sees it; `posthorn/testing` has one that a test moves by hand. */
export interface Clock {
  now(): Instant
  /** Calls back once after the given time; returns a function that cancels it. */
  after(ms: number, callback: () => void): () => void
}

/** Sends requests to endpoints. It never throws: every end is an outcome. It has no queue: every request leaves at once. */
export interface Transport {
  send(request: OutgoingRequest): Promise<Outcome>
  /** Ends all open requests at once, with the outcome `reset`. */
  close(): Promise<void>
}

export interface OutgoingRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** From the first lookup, including that of a token endpoint, to the head of the response; the body gets one more second, but not beyond this. */
  readonly timeoutMs: number
  /** What must be proven beyond headers: fetched tokens and certificates. Within the same time limit. */
  readonly authentication?: TransportAuthentication | null
  /** Called before an unsuccessful request ends, with what is known about it; the last call counts. */
  readonly observe?: ((wire: Wire) => void) | undefined
}

/** A store: the engine's half, the operators' half, and a lifecycle. */
export interface Store {
  /** The name of its kind, for people. */
  readonly kind?: 'sqlite' | 'postgres' | 'memory'
  readonly queue: Queue
  readonly directory: Directory
  /** Opens the store, migrating it if necessary; safe to call again. Returns what a person should know. */
  open(): Promise<readonly string[]>
  /** Announces a worker that will claim. Refused with `store_in_use` if only one process may. */
  attach(worker: Worker): Promise<void>
  detach(workerId: string): Promise<void>
  /** Says that a worker is alive, and removes those not seen for long; returns all live ones, including itself. Refused with `newer_database` once a later release has changed the store. */
  beat(worker: Worker, sighting: Sighting): Promise<SeenWorker[]>
  /** The time that all workers on this store share; absent if the machine's own clock is good enough. */
  time?(): Promise<Instant>
  close(): Promise<void>
  /** Access through the application's own transaction, if this store supports it; refused if `tx` is not a usable one. */
  within?(tx: unknown): Promise<StoreTransaction>
  /** The same for databases that answer synchronously: the message is part of the transaction when the call returns. */
  withinSync?(tx: unknown): SyncStoreTransaction
  /** The same store, reporting its calls to a meter; absent if not supported. A wrapper must wrap this, too, or leave it out. */
  metered?(meter: Meter): Store
  /** How another thread of this process opens the same store; absent if it cannot, as in memory. A wrapper leaves it out. */
  readonly recipe?: StoreRecipe
  /** The file system it is on; absent if that belongs to another machine, null if it is on none. */
  disk?(): Promise<Disk | null>
  /** Seals all values that are not sealed with the newest key, batch by batch, during normal operation; absent if nothing is sealed. */
  reseal?(options?: {
    onBatch?: ((progress: Resealed) => void) | undefined
    signal?: AbortSignal | undefined
  }): Promise<Resealed>
  /** How many sealed values `reseal` would find. */
  countStaleSecrets?(): Promise<number>
  /** How often an idle worker looks for other processes' commits; null or absent if there can be none. */
  readonly lookMs?: number | null
  /**
   * Calls back as soon as it listens, and then whenever others may have committed something to send. Only a hint.
   * Ends with the signal, and fails when it can no longer listen.
   */
  listen?(onHint: (hint: Hint) => void, signal: AbortSignal): Promise<void>
}

/** The endpoints that have new deliveries; null if they are unknown. */
export type Hint = readonly string[] | null

/** The call that creates a store, in a form that can be sent to another thread. */
export interface StoreRecipe {
  /** The URL of the module. */
  readonly module: string
  /** The name of the exported function. */
  readonly name: string
  readonly given: readonly unknown[]
}

/** The progress of `reseal`. */
export interface Resealed {
  /** Values that were not sealed with the newest key at the start. */
  readonly total: number
  readonly done: number
  /** Values that no key of the ring opens; they stay unchanged. */
  readonly unreadable: number
  /** Some of the endpoints that they belong to. */
  readonly endpointIds: readonly string[]
}

/** What `send` needs from a store. Every statement runs in one transaction, and no conflict aborts it. */
export interface StoreTransaction {
  readonly queue: Pick<Queue, 'enqueue'>
  /** Everything that matching needs about these applications, given by id or uid. Runs first: refused if `tx` is not in a transaction. */
  look(applications: readonly string[]): Promise<TransactionLook>
  /** Returns the application unchanged if it already exists. */
  readonly createApplication: Directory['createApplication']
}

/** What a transaction sees, its own changes included. */
interface TransactionLook {
  /** The store's time; null if the machine's own clock is good enough. */
  readonly time: Instant | null
  /** By the name that was given; missing ones are left out. */
  readonly applications: ReadonlyMap<string, MatchedApplication>
}

export interface MatchedApplication {
  readonly applicationId: string
  readonly endpointsVersion: number
  readonly endpoints: readonly Subscriber[]
}

/** The same as `StoreTransaction`, but synchronous. The transaction keeps others from writing, so a match cannot be stale. */
export interface SyncStoreTransaction {
  enqueue(request: EnqueueRequest): Enqueued[]
  application(idOrUid: string): Application | null
  createApplication(application: Application, by?: Actor): Application
  matching(applicationId: string): { endpointsVersion: number; endpoints: Subscriber[] } | null
}
