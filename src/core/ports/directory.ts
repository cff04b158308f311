import type { AlarmDirectory } from './alarms.ts'
import type { Attempt } from '../delivery/attempt.ts'
import type { Actor, AuditEntry, AuditFilter, AuditNote, Noted } from './audit.ts'
import type { Delivery } from '../delivery/delivery.ts'
import type {
  Application,
  Endpoint,
  EndpointSettings,
  EndpointStatus,
  EndpointWithLimits,
} from '../endpoint/endpoint.ts'
import type { EventTypeDefinition } from '../message/event-type.ts'
import type { SchemaChange } from '../message/schema-change.ts'
import type { StreamEvent } from './events.ts'
import type {
  AttemptCount,
  DeadLetterGroup,
  EndpointFigures,
  EndpointHealthCounts,
  LastAttempt,
  LastFailure,
  NextRetry,
} from './figures.ts'
import type { Job, JobState } from '../delivery/job.ts'
import type { ApiKey } from './key.ts'
import type { Message } from '../message/message.ts'
import type { MinuteCounts, Overview } from './overview.ts'
import type { SearchDirectory } from './search.ts'
import type { SeenWorker } from './worker.ts'
import type { Cancelled, DeliveryFilter, NewDelivery } from './queue.ts'
import type { Secret } from '../signing/signature.ts'
import type { Subscriber } from '../endpoint/subscribers.ts'
import type { Instant } from '../time.ts'

export interface Page {
  readonly limit: number
  /** The id that the last page ended with; null for the first page. */
  readonly after: string | null
  /** Of ids, which begin with their time; each list has its own usual one. */
  readonly order?: Order | undefined
}

export type Order = 'ascending' | 'descending'

/** The operators' half of a store: everything that people and the API read and write. */
export interface Directory
  extends
    ApplicationDirectory,
    EndpointDirectory,
    EventTypeDirectory,
    MessageDirectory,
    DeliveryDirectory,
    JobDirectory,
    KeyDirectory,
    ReplyDirectory,
    EventDirectory,
    AlarmDirectory,
    SearchDirectory {
  /** Of all applications, or of one. */
  overview(request: { now: Instant; windowMs: number; applicationId?: string | undefined }): Promise<Overview>
  /** Newest first. */
  audit(filter: AuditFilter, page: Page): Promise<AuditEntry[]>
  /** Answers with the id of the entry. */
  note(noted: Noted): Promise<string>
  /** Says that what an entry says happened so many times more. */
  countNote(id: string, more: number): Promise<void>
  workers(): Promise<SeenWorker[]>
}

export interface ApplicationDirectory {
  createApplication(application: Application, by?: Actor): Promise<Application>
  /** By id or uid; null if there is none. */
  application(idOrUid: string): Promise<Application | null>
  /** Those of customers: the one that operational webhooks belong to is none. `text` is looked for in name, uid and id. */
  listApplications(page: Page, text?: string): Promise<Application[]>
  updateApplication(id: string, change: ApplicationChange, now: Instant, by?: Actor): Promise<Application | null>
  /**
   * Deletes an application, hides all that it had, and stores the job that erases it; one that is at it already is answered as it
   * is. Also for what is left of one that was deleted before; null if there is nothing of it.
   */
  eraseApplication(job: ErasureJob, by?: Actor): Promise<Job | null>
  /** Those of the ids that are applications', in no order. */
  applicationsAmong(ids: readonly string[]): Promise<string[]>
}

/** A job that erases an application. */
export type ErasureJob = Job & { readonly applicationId: string }

export type ApplicationChange = Partial<Pick<Application, 'name' | 'uid' | 'metadata' | 'ratePerSecond'>>

export interface EndpointDirectory {
  createEndpoint(endpoint: Endpoint, by?: Actor): Promise<Endpoint>
  /** Within an application by id or uid; among all (null) by id only, because two applications may use the same uid. */
  endpoint(applicationId: string | null, idOrUid: string): Promise<Endpoint | null>
  /** `text` is looked for in url, description and uid. */
  listEndpoints(
    filter: { applicationId?: string | undefined; text?: string | undefined },
    page: Page,
  ): Promise<Endpoint[]>
  /** Endpoints of applications, at most so many of each, oldest first, with how many it has in all. */
  endpointsOf(applicationIds: readonly string[], mostEach: number): Promise<OwnedEndpoint[]>
  /** Another URL, or a status that is set to active, begins a new generation of the endpoint's health, with nothing against it. */
  updateEndpoint(id: string, change: EndpointChange, now: Instant, audited?: AuditNote): Promise<Endpoint | null>
  /** Adds a secret; those before it end at the given time. */
  rotateSecret(rotation: SecretRotation): Promise<Endpoint | null>
  /** Endpoints with their secrets, by id, for the engine; deleted ones included. */
  endpointsById(ids: readonly string[]): Promise<EndpointWithLimits[]>
  /** An application's endpoints, as far as matching needs them, with the version that `enqueue` checks. */
  matching(applicationId: string): Promise<{ endpointsVersion: number; endpoints: Subscriber[] } | null>
  /** What came of an endpoint's deliveries in a time: ended ones from the rollups, open ones counted up to a bound. */
  endpointCounts(endpointId: string, since: Instant, until: Instant): Promise<EndpointCounts>
  /** How endpoints are doing, in the order given; the hours are those with something in them. */
  endpointFigures(endpointIds: readonly string[], since: Instant): Promise<EndpointFigures[]>
  /** The endpoints that only fail since some time, the longest streak first. */
  failingEndpoints(filter: { applicationId?: string | undefined }, limit: number): Promise<Endpoint[]>
  /** How many endpoints are well, and how many are not; counted up to a bound. */
  endpointHealthCounts(now: Instant): Promise<EndpointHealthCounts>
  /** How the newest attempts at an endpoint ended that failed, the most frequent first; reads at most so many. */
  failuresOf(endpointId: string, most: number): Promise<AttemptCount[]>
  /** Of the newest attempts at an endpoint, the one that failed last; null if none did. Reads at most so many. */
  lastFailureOf(endpointId: string, most: number): Promise<LastFailure | null>
  /** The retry of an endpoint that is due first; null if none waits. */
  nextRetryOf(endpointId: string): Promise<NextRetry | null>
  /** What came of attempts at an endpoint, summed over stretches of time (`minute` is their start), oldest first; empty ones are left out. */
  endpointBuckets(endpointId: string, since: Instant, bucketMs: number): Promise<MinuteCounts[]>
}

/** An endpoint as far as a summary of its application needs it. */
export interface OwnedEndpoint extends Pick<
  Endpoint,
  'id' | 'applicationId' | 'status' | 'statusReason' | 'statusSince'
> {
  /** How many endpoints the application has. */
  readonly among: number
}

export interface SecretRotation {
  readonly endpointId: string
  readonly secret: Secret
  readonly othersEndAt: Instant
  readonly now: Instant
  readonly by?: Actor | undefined
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
  createEventType(eventType: EventTypeDefinition, by?: Actor): Promise<EventTypeDefinition>
  eventType(name: string): Promise<EventTypeDefinition | null>
  /** By name. `after` is a name. */
  listEventTypes(filter: EventTypeFilter, page: Page): Promise<EventTypeDefinition[]>
  updateEventType(name: string, change: EventTypeChange, now: Instant, by?: Actor): Promise<EventTypeDefinition | null>
  /** Changes one version under the lock of the type, so that none of two at the same time is lost; refused with `wrong_state` if it is not as it was read. */
  setEventTypeSchema(name: string, change: SchemaChange, now: Instant, by?: Actor): Promise<EventTypeDefinition | null>
  deleteEventType(name: string, now: Instant, by?: Actor): Promise<boolean>
}

export interface EventTypeFilter {
  /** Whether archived ones are listed, too; `only` leaves the others out. */
  readonly archived: boolean | 'only'
  /** Part of the name or the description, whatever its case. */
  readonly text?: string | undefined
}

export type EventTypeChange = Partial<Omit<EventTypeDefinition, 'name' | 'createdAt' | 'updatedAt'>>

export interface MessageDirectory {
  message(id: string): Promise<Message | null>
  /** Those of the ids that are kept, in no order. */
  messagesById(ids: readonly string[]): Promise<Message[]>
  /** Within an application, by id or event id. */
  messageOf(applicationId: string, idOrEventId: string): Promise<Message | null>
  /** Ids of messages whose id, event id or idempotency key is exactly this, of one application or of all; at most so many. */
  messagesNamed(name: string, applicationId: string | undefined, most: number): Promise<string[]>
  /** How many deliveries of messages have each status; messages without any are left out. */
  messageProgress(messageIds: readonly string[]): Promise<MessageProgress[]>
  /** Newest first. Reads at most a bounded number of rows: `next` is where to go on, null at the end. */
  listMessages(filter: MessageFilter, page: Page): Promise<Scan<Message>>
  countMessages(filter: MessageFilter, most: number): Promise<number>
  /**
   * Erases the body and the answers to it for good, and ends what is open; answers with that, or null if there is none. Nothing
   * is requeued, resent or replayed of the message from then on.
   */
  eraseMessage(id: string, now: Instant, by?: Actor): Promise<Cancelled[] | null>
  /** Notes when bodies are to be erased, before their messages are stored; `prune` does it once nothing of them is on its way. */
  expirePayloads(expiries: readonly PayloadExpiry[]): Promise<void>
}

export interface PayloadExpiry {
  readonly messageId: string
  readonly eraseAt: Instant
}

/** What came of a message so far: its deliveries by status. */
export interface MessageProgress {
  readonly messageId: string
  readonly pending: number
  readonly failed: number
  readonly delivered: number
  readonly dead: number
}

/** All given conditions must hold. */
export interface MessageFilter {
  /** All applications, if none is given. */
  readonly applicationId?: string | undefined
  /** An endpoint: only messages that it has no delivery of, and that can still be sent. */
  readonly missingAt?: string | undefined
  readonly types?: readonly string[] | undefined
  readonly channel?: string | undefined
  /** Part of the id or event id, whatever its case. */
  readonly text?: string | undefined
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
  deadLetters(
    filter: { endpointId?: string | undefined; applicationId?: string | undefined },
    most: number,
  ): Promise<DeadLetterGroup[]>
  /** How many retries of its endpoint are due before this one, counted up to a bound. */
  dueBefore(delivery: Delivery, most: number): Promise<number>
  /** Open deliveries whose lease ended before a time, and that nobody has taken up since; counted up to a bound. */
  endedLeases(before: Instant, most: number): Promise<number>
  attempts(deliveryId: string): Promise<Attempt[]>
  /** The last attempt of each delivery that was attempted, in no order. */
  lastAttempts(deliveryIds: readonly string[]): Promise<LastAttempt[]>
  /** Newest delivery first, within it newest attempt first; `after` is the id of an attempt. Bounded, as `listMessages` is. */
  listAttempts(filter: AttemptFilter, page: Page): Promise<Scan<AttemptOfDelivery>>
  /** Erases what is kept of the answer for good. */
  eraseAttempt(attempt: { deliveryId: string; epoch: number; now: Instant; by?: Actor }): Promise<boolean>
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
  createJob(job: Job, by?: Actor): Promise<Job>
  job(id: string): Promise<Job | null>
  /** Newest first. */
  listJobs(filter: { applicationId?: string | undefined }, page: Page): Promise<Job[]>
  /** The oldest job that is running, of those made after the given one (all, if it is empty); null if none is. */
  runningJob(after: string): Promise<Job | null>
  /** Only if its state is still the one given, so that nobody resumes what another has cancelled. */
  changeJob(change: JobChange): Promise<Job | null>
  /** One batch of a requeue, cancel or erasure, and its progress, in one transaction; `done` once nothing is left. Null if it runs no more. */
  advanceJob(id: string, limit: number, now: Instant): Promise<AdvancedJob | null>
  /** One batch of a replay: new deliveries of messages up to `cursor`, and how many were made, in one transaction. Null if it runs no more, or not from there. */
  advanceReplay(batch: ReplayBatch, now: Instant): Promise<Job | null>
}

export interface JobChange {
  readonly id: string
  readonly from: JobState
  readonly to: JobState
  readonly now: Instant
  readonly audited?: AuditNote | undefined
}

export interface AdvancedJob {
  readonly job: Job
  /** Those that this batch ended, for the bus. */
  readonly cancelled: readonly Cancelled[]
  /** Endpoints with rows that are due now. */
  readonly endpointIds: readonly string[]
}

export interface ReplayBatch {
  readonly jobId: string
  /** The job's cursor when the batch was read: if it has moved since, another worker was first, and nothing is written. */
  readonly from: string | null
  /** Kept as requeued ones are: they leave among the retries, so that a long replay never stands before what is fresh. */
  readonly deliveries: readonly (NewDelivery & { readonly messageId: string })[]
  /** The last message read; null once there are no more. */
  readonly cursor: string | null
}

export interface KeyDirectory {
  createKey(key: ApiKey, audited?: AuditNote): Promise<ApiKey>
  key(id: string): Promise<ApiKey | null>
  keyByHash(hash: string): Promise<ApiKey | null>
  /** Newest first, without sessions, and without those that have expired or were revoked before `livingAt`. */
  listKeys(filter: { applicationId?: string | undefined; livingAt: Instant }, page: Page): Promise<ApiKey[]>
  /** Sessions that live at a time, and whose key does; newest first, of one key or of all. */
  listSessions(filter: SessionFilter, page: Page): Promise<ApiKey[]>
  /** Ends all living sessions of a key at once; answers with them. */
  endSessions(of: string, now: Instant, audited?: AuditNote): Promise<ApiKey[]>
  /** Null if there is none; one that was revoked before stays as it is. */
  revokeKey(id: string, now: Instant, audited?: AuditNote): Promise<ApiKey | null>
}

export interface SessionFilter {
  /** The key in whose place they stand. */
  readonly of?: string | undefined
  readonly livingAt: Instant
}

/** What the processes on one store relay to each other while somebody watches the stream. */
export interface EventDirectory {
  /** Says that somebody watches, until a time. */
  watchEvents(until: Instant): Promise<void>
  areEventsWatched(now: Instant): Promise<boolean>
  /** Adds what one process has emitted, and forgets what was emitted before a time. */
  addEvents(origin: string, events: readonly StreamEvent[], before: Instant): Promise<void>
  /** What others emitted from an id on, in the order of the ids. */
  eventsFrom(id: string, notOf: string, limit: number): Promise<StreamEvent[]>
}

/** Answers of the HTTP API under an idempotency key, so that a repeat is answered as the first was. */
export interface ReplyDirectory {
  /** Takes the key for this request until `until`; or answers with what is kept under it, or that another is at it. */
  takeReply(reply: ReplyRequest): Promise<TakenReply>
  /** Keeps the answer until `expiresAt`. */
  saveReply(reply: SavedReply): Promise<void>
  /** Gives the key back, because nothing was done under it. */
  dropReply(key: string): Promise<void>
}

export interface SavedReply {
  readonly key: string
  readonly status: number
  readonly body: string
  /** Whose it is, if that was not known before. */
  readonly applicationId?: string | null | undefined
  readonly expiresAt: Instant
}

export interface ReplyRequest {
  readonly key: string
  readonly requestHash: string
  /** Whose it is: it is erased with the application. */
  readonly applicationId?: string | null | undefined
  readonly now: Instant
  readonly until: Instant
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
