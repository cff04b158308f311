import type { Attempt, Outcome } from './attempt.ts'
import type { DeadReason, Delivery, Lane, Mark, Status } from './delivery.ts'
import type { AttemptCount, DeadLetterGroup, EndpointFigures } from './figures.ts'
import type { Application, Endpoint, EndpointSettings, EndpointStatus } from './endpoint.ts'
import type { EventTypeDefinition } from './event-type.ts'
import type { StreamEvent } from './events.ts'
import type { Job, JobState } from './job.ts'
import type { ApiKey } from './key.ts'
import type { Lease } from './lease.ts'
import type { Message } from './message.ts'
import type { Overview } from './overview.ts'
import type { Health } from './pace.ts'
import type { Secret } from './signature.ts'
import type { Instant } from './time.ts'

/** Time as the engine meets it; `posthorn/testing` has one that a test moves by hand. */
export interface Clock {
  now(): Instant
  /** Calls back once after the given time, and returns how to prevent that. */
  after(ms: number, callback: () => void): () => void
}

/** What knocks on the customer's door. It never throws: every end is an outcome. */
export interface Transport {
  send(request: OutgoingRequest): Promise<Outcome>
  /** Ends what is open at once; whatever was under way ends as `reset`. */
  close(): Promise<void>
}

export interface OutgoingRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Uint8Array
  /** From the first byte of the look-up to the end of the answer. */
  readonly timeoutMs: number
}

/** A memory of some kind: the engine's half, the operators' half, and a lifetime. */
export interface Store {
  /** What it is, for people. */
  readonly kind?: 'sqlite' | 'postgres' | 'memory'
  readonly queue: Queue
  readonly directory: Directory
  /** Makes the store ready, migrating it if it must; safe to call again. Answers with what a person should be told. */
  open(): Promise<readonly string[]>
  /** Announces a worker that will claim. Refused with `store_in_use` where only one process may. */
  attach(worker: Worker): Promise<void>
  detach(workerId: string): Promise<void>
  /** Says that a worker lives, and forgets those that were not seen for long; answers with how many there are, itself included. Refused with `newer_database` once a later release has changed the store. */
  beat(worker: Worker, sighting: Sighting): Promise<number>
  /** The time that all workers on this store share; absent where the machine's own is shared enough. */
  time?(): Promise<Instant>
  close(): Promise<void>
  /** A way in through a transaction of the application's own, if this store can; refused if `tx` is none, or not a good one. */
  within?(tx: unknown): Promise<Outlet>
  /** The same where the database answers without a wait: what was sent is part of the transaction when the call returns. */
  withinSync?(tx: unknown): SyncOutlet
  /** How often an idle worker looks for what others have committed; null or absent where nobody else can. */
  readonly probeMs?: number | null
  /**
   * Calls back as soon as it can hear, and then whenever others may have committed something to send. Only a hint.
   * Ends with the signal, and fails when it cannot hear any more.
   */
  listen?(heard: () => void, signal: AbortSignal): Promise<void>
}

/** What `send` needs of a store. Every statement goes through one transaction, and no conflict aborts it. */
export interface Outlet {
  readonly queue: Pick<Queue, 'enqueue'>
  /** Endpoints come with their secrets still sealed. An application that is there already is answered as it is. */
  readonly directory: Pick<Directory, 'application' | 'createApplication' | 'matching'>
}

/** The same as `Outlet`, at once. The transaction keeps others from writing, so what was matched cannot be stale. */
export interface SyncOutlet {
  enqueue(request: EnqueueRequest): Enqueued[]
  application(idOrUid: string): Application | null
  createApplication(application: Application): Application
  matching(applicationId: string): { endpointsVersion: number; endpoints: Endpoint[] } | null
}

export interface Worker {
  readonly id: string
  readonly pid: number
  readonly host: string
  readonly startedAt: Instant
}

export interface SeenWorker extends Worker {
  readonly seenAt: Instant
}

/** When a worker was seen, and since when the others must have been. */
export interface Sighting {
  readonly now: Instant
  readonly goneBefore: Instant
}

/** The engine's half of a store. Every write under a lease names owner and epoch; requeue and cancel raise the epoch. */
export interface Queue {
  /** Stores messages with their deliveries in one transaction; answers in the order given. */
  enqueue(request: EnqueueRequest): Promise<Enqueued[]>
  /**
   * Endpoints with open rows in a lane, in id order from `after` on; `dueAt` is when the first of them is due.
   * What is due before `dueFrom` is known already, and may be left out.
   */
  dueEndpoints(request: { lane: Lane; after: string; limit: number; dueFrom?: Instant | undefined }): Promise<{ endpointId: string; dueAt: Instant }[]>
  /** Leases due rows of the wanted endpoints, within the bounds; oldest due first within an endpoint. */
  claim(request: ClaimRequest): Promise<Claim[]>
  /** Prolongs leases; answers with the deliveries whose lease was still ours. */
  renew(request: LeaseRequest & { leaseMs: number }): Promise<string[]>
  /** Writes outcomes and records attempts; answers in the order given. */
  mark(request: MarkRequest): Promise<Marked[]>
  /** Gives leases back unused; answers with the deliveries whose lease was still ours. */
  release(request: LeaseRequest): Promise<string[]>
  /** Back to `pending`, count 0, due now; not under a live lease. Answers with how many. */
  requeue(request: OperatorRequest): Promise<number>
  /** To `dead`, also under a live lease (whose mark will then be refused). Answers with those it ended. */
  cancel(request: OperatorRequest & { as: DeadReason }): Promise<Cancelled[]>
  /**
   * Forgets closed deliveries that ended before a time, with attempts, and messages no delivery is left of; of what ends by
   * itself, whatever is over `now`. Answers with how many it forgot of what there may be many of.
   */
  prune(request: PruneRequest): Promise<number>
  /** The health of endpoints; those without trouble are absent. */
  health(endpointIds: readonly string[]): Promise<Map<string, Health>>
  /** Writes the health of an endpoint if its version is still the one given; false if another worker was first. */
  saveHealth(endpointId: string, health: Health): Promise<boolean>
  /** Takes, or keeps, the turn at work that one worker does at a time; false if it is another's. A lease of 0 gives it back. */
  takeTurn(request: TurnRequest): Promise<boolean>
}

export interface TurnRequest {
  /** Of the work. */
  readonly name: string
  readonly owner: string
  readonly now: Instant
  readonly leaseMs: number
}

export interface EnqueueRequest {
  readonly owner: string
  readonly leaseMs: number
  readonly now: Instant
  readonly envelopes: readonly Envelope[]
}

export interface Envelope {
  readonly message: Message
  readonly idempotencyKey: string | null
  /** Of body, type and channels: another body under the same key is refused by it. */
  readonly bodyHash: string
  /** The version of the application's endpoints that the deliveries were matched against. */
  readonly endpointsVersion: number
  readonly deliveries: readonly NewDelivery[]
}

export interface NewDelivery {
  readonly id: string
  readonly endpointId: string
  readonly targetUrl: string
  readonly policy: string
  readonly nextRetryAt: Instant
  /** Inserted under a lease of epoch 1, for the fast path. */
  readonly leased: boolean
}

export type Enqueued =
  | { readonly kind: 'stored' }
  /** The idempotency key was used before, for the same body. */
  | { readonly kind: 'repeated'; readonly messageId: string; readonly deliveries: number }
  /** The idempotency key was used before, for another body. */
  | { readonly kind: 'conflict'; readonly messageId: string }
  /** Another message of the application has this event id. */
  | { readonly kind: 'taken'; readonly messageId: string }
  /** The endpoints have changed since they were matched: nothing of this envelope was written. */
  | { readonly kind: 'stale' }

export interface ClaimRequest {
  readonly owner: string
  readonly leaseMs: number
  readonly now: Instant
  readonly most: number
  /** Nothing more is taken once the bodies taken amount to this. */
  readonly mostBytes: number
  readonly wants: readonly Want[]
}

export interface Want {
  readonly endpointId: string
  readonly lane: Lane
  readonly most: number
  /** Nothing is known to be due before this; what is may be left out. */
  readonly dueFrom?: Instant | undefined
}

/** A delivery that this worker may now send, with the message it carries. */
export interface Claim {
  readonly delivery: Pick<
    Delivery,
    'id' | 'endpointId' | 'messageId' | 'eventType' | 'sessionId' | 'attemptCount' | 'policy' | 'crashCount' | 'leaseEpoch' | 'createdAt'
  >
  readonly message: Pick<Message, 'id' | 'body' | 'contentType'>
  /** The lane it was claimed from. */
  readonly lane: Lane
}

export interface LeaseRequest {
  readonly owner: string
  readonly now: Instant
  readonly leases: readonly Lease[]
}

export interface MarkRequest {
  readonly owner: string
  readonly now: Instant
  readonly marks: readonly SettledAttempt[]
}

/** A mark, with the attempt that led to it (null if nothing was sent). */
export interface SettledAttempt extends Lease {
  readonly endpointId: string
  readonly mark: Mark
  readonly attempt: Pick<Attempt, 'startedAt' | 'tookMs' | 'outcome' | 'statusCode' | 'excerpt' | 'url'> | null
}

/** `marked` now; `already`, by an earlier try whose answer was lost; `lost` to another owner, recorded as late. */
export type Marked = 'marked' | 'already' | 'lost'

export interface OperatorRequest {
  readonly filter: DeliveryFilter
  readonly now: Instant
  readonly limit: number
  /** Who did it, and why: kept in the audit log. */
  readonly by: Actor
}

export interface PruneRequest {
  readonly before: Instant
  readonly now: Instant
  readonly limit: number
}

export interface Actor {
  readonly name: string
  readonly reason?: string | undefined
}

/** What a person did, for the audit log: noted in the transaction that does it. */
export interface Deed {
  readonly action: AuditAction
  readonly by: Actor
}

export type Cancelled = Pick<Delivery, 'id' | 'endpointId' | 'messageId' | 'sessionId'>

/** All given conditions must hold. Times are those of creation. */
export interface DeliveryFilter {
  readonly ids?: readonly string[] | undefined
  readonly status?: Status | readonly Status[] | undefined
  readonly reason?: DeadReason | undefined
  readonly endpointId?: string | undefined
  readonly applicationId?: string | undefined
  readonly messageId?: string | undefined
  readonly type?: string | undefined
  readonly since?: Instant | undefined
  readonly until?: Instant | undefined
  /** Nothing was written to it since: no attempt, no requeue. */
  readonly unchangedSince?: Instant | undefined
}

export interface Page {
  readonly limit: number
  /** The id that the last page ended with; null for the first page. */
  readonly after: string | null
  /** Of ids, which begin with their time; each list has its own usual one. */
  readonly order?: Order | undefined
}

export type Order = 'ascending' | 'descending'

/** The operators' half of a store: everything that people and the API read and write. */
export interface Directory extends ApplicationDirectory, EndpointDirectory, EventTypeDirectory, MessageDirectory, DeliveryDirectory, JobDirectory, KeyDirectory, ReplyDirectory, EventDirectory {
  /** Of all applications, or of one. */
  overview(request: { now: Instant; windowMs: number; applicationId?: string | undefined }): Promise<Overview>
  audit(page: Page): Promise<AuditEntry[]>
  /** Notes what changed nothing in the store: that somebody was shown a secret. */
  note(deed: Deed, target: string, now: Instant): Promise<void>
  workers(): Promise<SeenWorker[]>
}

export interface ApplicationDirectory {
  createApplication(application: Application): Promise<Application>
  /** By id or uid; null if there is none. */
  application(idOrUid: string): Promise<Application | null>
  listApplications(page: Page): Promise<Application[]>
  updateApplication(id: string, change: ApplicationChange, now: Instant): Promise<Application | null>
  /** Deletes the application and, softly, its endpoints. */
  deleteApplication(id: string, now: Instant): Promise<boolean>
}

export type ApplicationChange = Partial<Pick<Application, 'name' | 'uid' | 'metadata' | 'ratePerSecond'>>

export interface EndpointDirectory {
  createEndpoint(endpoint: Endpoint): Promise<Endpoint>
  /** Within an application by id or uid; among all (null) by id only, because two applications may use the same uid. */
  endpoint(applicationId: string | null, idOrUid: string): Promise<Endpoint | null>
  /** `text` is looked for in url, description and uid. */
  listEndpoints(filter: { applicationId?: string | undefined; text?: string | undefined }, page: Page): Promise<Endpoint[]>
  updateEndpoint(id: string, change: EndpointChange, now: Instant, deed?: Deed): Promise<Endpoint | null>
  /** Adds a secret; those before it end at the given time. */
  rotateSecret(endpointId: string, secret: Secret, othersEndAt: Instant, now: Instant, by?: Actor): Promise<Endpoint | null>
  /** Endpoints with their secrets, by id, for the engine; deleted ones included. */
  endpointsById(ids: readonly string[]): Promise<Endpoint[]>
  /** An application's endpoints with the version that `enqueue` checks. */
  matching(applicationId: string): Promise<{ endpointsVersion: number; endpoints: Endpoint[] } | null>
  /** What came of an endpoint's deliveries in a time: ended ones from the rollups, open ones counted up to a bound. */
  endpointCounts(endpointId: string, since: Instant, until: Instant): Promise<EndpointCounts>
  /** How endpoints are doing, in the order given; the hours are those with something in them. */
  endpointFigures(endpointIds: readonly string[], since: Instant): Promise<EndpointFigures[]>
  /** The endpoints that only fail since some time, the longest streak first. */
  failingEndpoints(filter: { applicationId?: string | undefined }, limit: number): Promise<Endpoint[]>
  /** How the newest attempts at an endpoint ended that failed, the most frequent first; reads at most so many. */
  failuresOf(endpointId: string, most: number): Promise<AttemptCount[]>
}

export interface EndpointCounts {
  readonly delivered: number
  readonly dead: number
  readonly cancelled: number
  /** Open and never attempted. */
  readonly fresh: number
  /** Open after an attempt or under a lease: on its way, or waiting for a retry. */
  readonly retrying: number
}

export interface EventTypeDirectory {
  /** Refused with `already_exists` if there is one of that name. */
  createEventType(eventType: EventTypeDefinition): Promise<EventTypeDefinition>
  eventType(name: string): Promise<EventTypeDefinition | null>
  /** By name. `after` is a name. */
  listEventTypes(filter: { archived: boolean }, page: Page): Promise<EventTypeDefinition[]>
  updateEventType(name: string, change: EventTypeChange, now: Instant): Promise<EventTypeDefinition | null>
  deleteEventType(name: string): Promise<boolean>
}

export type EventTypeChange = Partial<Omit<EventTypeDefinition, 'name' | 'createdAt' | 'updatedAt'>>

export interface MessageDirectory {
  message(id: string): Promise<Message | null>
  /** Those of the ids that are kept, in no order. */
  messagesById(ids: readonly string[]): Promise<Message[]>
  /** Within an application, by id or event id. */
  messageOf(applicationId: string, idOrEventId: string): Promise<Message | null>
  /** Newest first. Reads at most a bounded number of rows: `next` is where to go on, null at the end. */
  listMessages(filter: MessageFilter, page: Page): Promise<Scan<Message>>
  countMessages(filter: MessageFilter, most: number): Promise<number>
  /** Erases the body for good. Nothing is requeued, resent or replayed of the message from then on. */
  eraseMessage(id: string, now: Instant): Promise<boolean>
}

/** All given conditions must hold. */
export interface MessageFilter {
  readonly applicationId: string
  readonly types?: readonly string[] | undefined
  readonly channel?: string | undefined
  readonly since?: Instant | undefined
  readonly until?: Instant | undefined
}

/** Some of a list that is filtered as it is read: perhaps fewer than asked for, though there are more. */
export interface Scan<Item> {
  readonly items: readonly Item[]
  /** The id to go on after; null if all was read. */
  readonly next: string | null
}

export interface DeliveryDirectory {
  delivery(id: string): Promise<Delivery | null>
  /** Newest first. */
  listDeliveries(filter: DeliveryFilter, page: Page): Promise<Delivery[]>
  countDeliveries(filter: DeliveryFilter, most: number): Promise<number>
  /** Dead letters by endpoint, reason and error, of at most so many. */
  deadLetters(filter: { endpointId?: string | undefined; applicationId?: string | undefined }, most: number): Promise<DeadLetterGroup[]>
  /** How many retries of its endpoint are due before this one, counted up to a bound. */
  dueBefore(delivery: Delivery, most: number): Promise<number>
  attempts(deliveryId: string): Promise<Attempt[]>
  /** Newest delivery first, within it newest attempt first; `after` is the id of an attempt. Bounded, as `listMessages` is. */
  listAttempts(filter: AttemptFilter, page: Page): Promise<Scan<AttemptOfDelivery>>
  /** Erases what is kept of the answer for good. */
  eraseAttempt(deliveryId: string, epoch: number): Promise<boolean>
  /** A new delivery of an old message: a resend, or a replay to an endpoint that never got it. It counts as requeued now. */
  addDelivery(delivery: NewDelivery & { messageId: string }, now: Instant, by: Actor): Promise<Delivery | null>
}

/** Of one endpoint, or of one message (or of both); all other given conditions must hold. */
export interface AttemptFilter {
  readonly endpointId?: string | undefined
  readonly messageId?: string | undefined
  readonly succeeded?: boolean | undefined
  /** 200 for 200 to 299; 0 for no answer. */
  readonly statusCodeClass?: number | undefined
  readonly types?: readonly string[] | undefined
  readonly channel?: string | undefined
  readonly since?: Instant | undefined
  readonly until?: Instant | undefined
}

export interface AttemptOfDelivery {
  readonly attempt: Attempt
  readonly delivery: Delivery
}

export interface JobDirectory {
  createJob(job: Job): Promise<Job>
  job(id: string): Promise<Job | null>
  /** Newest first. */
  listJobs(filter: { applicationId?: string | undefined }, page: Page): Promise<Job[]>
  /** The oldest job that is running; null if none is. */
  runningJob(): Promise<Job | null>
  /** Only if its state is still the one given, so that nobody resumes what another has cancelled. */
  changeJob(id: string, from: JobState, to: JobState, now: Instant, deed?: Deed): Promise<Job | null>
  /** One bite of a requeue or cancel, and its progress, in one transaction; `done` once nothing is left. Null if it runs no more. */
  advanceJob(id: string, limit: number, now: Instant): Promise<AdvancedJob | null>
  /** One bite of a replay: new deliveries of messages up to `cursor`, and the progress, in one transaction. Null if it runs no more, or not from there. */
  advanceReplay(bite: ReplayBite, now: Instant): Promise<Job | null>
}

export interface AdvancedJob {
  readonly job: Job
  /** Those that this bite ended, for the bus. */
  readonly cancelled: readonly Cancelled[]
  /** Endpoints with rows that are due now. */
  readonly endpointIds: readonly string[]
}

export interface ReplayBite {
  readonly jobId: string
  /** The job's cursor when the bite was read: if it has moved since, another worker was first, and nothing is written. */
  readonly from: string | null
  /** Kept as requeued ones are: they leave among the retries, so that a long replay never stands before what is fresh. */
  readonly deliveries: readonly (NewDelivery & { readonly messageId: string })[]
  /** Messages that this bite dealt with, whether they got a delivery or not. */
  readonly done: number
  /** The last message read; null once there are no more. */
  readonly cursor: string | null
}

export interface KeyDirectory {
  createKey(key: ApiKey, by?: Actor): Promise<ApiKey>
  key(id: string): Promise<ApiKey | null>
  keyByHash(hash: string): Promise<ApiKey | null>
  /** Newest first, without sessions, and without those that have expired or were revoked before `livingAt`. */
  listKeys(filter: { applicationId?: string | undefined; livingAt: Instant }, page: Page): Promise<ApiKey[]>
  /** Null if there is none; one that was revoked before stays as it is. */
  revokeKey(id: string, now: Instant, by?: Actor): Promise<ApiKey | null>
}

/** What the processes on one store tell each other while somebody watches the stream. */
export interface EventDirectory {
  /** Says that somebody watches, until a time. */
  watchEvents(until: Instant): Promise<void>
  areEventsWatched(now: Instant): Promise<boolean>
  /** Adds what one process has to tell, and forgets what was told before a time. */
  addEvents(origin: string, events: readonly StreamEvent[], before: Instant): Promise<void>
  /** What others told from an id on, in the order of the ids. */
  eventsFrom(id: string, notOf: string, limit: number): Promise<StreamEvent[]>
}

/** Answers of the HTTP API under an idempotency key, so that a repeat is answered as the first was. */
export interface ReplyDirectory {
  /** Takes the key for this request until `until`; or answers with what is kept under it, or that another is at it. */
  takeReply(reply: { key: string; requestHash: string; now: Instant; until: Instant }): Promise<TakenReply>
  /** Keeps the answer until `expiresAt`. */
  saveReply(reply: { key: string; status: number; body: string; expiresAt: Instant }): Promise<void>
  /** Gives the key back, because nothing was done under it. */
  dropReply(key: string): Promise<void>
}

export type TakenReply =
  | { readonly kind: 'taken' }
  | { readonly kind: 'kept'; readonly status: number; readonly body: string }
  | { readonly kind: 'busy' }
  /** The key was used for another request. */
  | { readonly kind: 'conflict' }

export type EndpointChange = Partial<EndpointSettings> & {
  readonly status?: EndpointStatus | undefined
  readonly statusReason?: string | null | undefined
}

export const auditActions = [
  'requeue', 'cancel', 'resend', 'replay', 'pause', 'resume', 'enable', 'disable', 'delete', 'rotate', 'reveal', 'job.pause', 'job.resume', 'job.cancel', 'key.create', 'key.revoke',
] as const
export type AuditAction = (typeof auditActions)[number]

export interface AuditEntry {
  readonly id: string
  readonly at: Instant
  readonly actor: string
  readonly action: AuditAction
  readonly target: string
  readonly count: number
  readonly reason: string | null
}
