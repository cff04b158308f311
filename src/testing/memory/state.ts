import type { Alarm } from '../../core/alarms/alarm.ts'
import type { RecordedOutcome } from '../../core/delivery/attempt.ts'
import type { Delivery, Status } from '../../core/delivery/delivery.ts'
import type { Application, Endpoint } from '../../core/endpoint/endpoint.ts'
import type { EventTypeDefinition } from '../../core/message/event-type.ts'
import type { StreamEvent } from '../../core/ports/events.ts'
import { makeId } from '../../core/ids.ts'
import { changedFields, hasEffect } from '../../core/ports/audited-fields.ts'
import type { Job } from '../../core/delivery/job.ts'
import type { ApiKey } from '../../core/ports/key.ts'
import type { Lease } from '../../core/delivery/lease.ts'
import type { Health } from '../../core/endpoint/health.ts'
import type { Message } from '../../core/message/message.ts'
import type { Actor, AuditEntry } from '../../core/ports/audit.ts'
import type { SeenWorker } from '../../core/ports/worker.ts'
import type { DeliveryFilter, SettledAttempt } from '../../core/ports/queue.ts'
import type { TokenBucket } from '../../core/limits/rate-limit.ts'
import type { Instant } from '../../core/time.ts'
import { openRows } from './queue/open-rows.ts'
import type { OpenRows } from './queue/open-rows.ts'
import { MemoryRollups } from './rollups.ts'
import type { Rollups } from './rollups.ts'

/** Everything that a memory store knows. Stored values are never changed, only replaced, so they may be handed out. */
export interface State {
  readonly applications: Map<string, KeptApplication>
  readonly endpoints: Map<string, Endpoint>
  readonly eventTypes: Map<string, EventTypeDefinition>
  /** Changed only by `replaceMessage` and `forgetMessage`, which keep the event ids in step. */
  readonly messages: Map<string, Message>
  /** When bodies are to be erased, by message. */
  readonly payloadExpiries: Map<string, Instant>
  /** The messages that have one, by application and event id. */
  readonly eventIds: Map<string, string>
  /** Changed only by `insert`, `replace` and `forget`, which keep the open rows in step. */
  readonly deliveries: Map<string, Delivery>
  /** Open deliveries by endpoint and lane, in due order, for claims. */
  readonly open: OpenRows
  /** By delivery. */
  readonly attempts: Map<string, readonly KeptAttempt[]>
  /** By application and idempotency key. */
  readonly keys: Map<string, KeptKey>
  readonly jobs: Map<string, Job>
  /** The jobs that erase applications, by application: their data is hidden. */
  readonly erasures: Map<string, { readonly jobId: string; readonly erasedAt: Instant | null }>
  readonly apiKeys: Map<string, ApiKey>
  /** Responses by the idempotency key of their request. */
  readonly replies: Map<string, KeptReply>
  readonly health: Map<string, Health>
  /** By the id of the endpoint or application that they limit. */
  readonly rateLimits: Map<string, TokenBucket>
  readonly rollups: Rollups
  readonly audit: AuditEntry[]
  readonly workers: Map<string, SeenWorker>
  /** True if only one process may deliver: a lease then ends with its worker. */
  readonly soleProcess: boolean
  /** Workers of this process. */
  readonly attached: Set<string>
  /** Events that one process has relayed to the others, by id. */
  readonly events: Map<string, { readonly origin: string; readonly event: StreamEvent }>
  readonly alarms: Map<string, Alarm>
  /** By the name of the work that one worker does at a time. */
  readonly turns: Map<string, { readonly owner: string; readonly until: Instant }>
}

interface KeptApplication {
  readonly application: Application
  readonly endpointsVersion: number
}

export type KeptAttempt = Omit<NonNullable<SettledAttempt['attempt']>, 'outcome'> & {
  readonly outcome: RecordedOutcome
  readonly late: boolean
}

interface KeptKey {
  readonly bodyHash: string
  readonly messageId: string
  readonly deliveries: number
  readonly expiresAt: Instant
}

/** Without a response while the request is being processed. */
interface KeptReply {
  readonly requestHash: string
  readonly applicationId: string | null
  readonly answer: { readonly status: number; readonly body: string } | null
  readonly expiresAt: Instant
}

export function emptyState(soleProcess: boolean): State {
  const deliveries = new Map<string, Delivery>()
  return {
    applications: new Map(),
    endpoints: new Map(),
    eventTypes: new Map(),
    messages: new Map(),
    payloadExpiries: new Map(),
    eventIds: new Map(),
    deliveries,
    open: openRows(deliveries),
    attempts: new Map(),
    keys: new Map(),
    jobs: new Map(),
    erasures: new Map(),
    apiKeys: new Map(),
    replies: new Map(),
    health: new Map(),
    rateLimits: new Map(),
    rollups: new MemoryRollups(),
    audit: [],
    workers: new Map(),
    soleProcess,
    attached: new Set(),
    turns: new Map(),
    events: new Map(),
    alarms: new Map(),
  }
}

/** Writes a message, new or changed. */
export function replaceMessage(state: State, message: Message): void {
  state.messages.set(message.id, message)
  if (message.eventId !== null) state.eventIds.set(eventName(message.applicationId, message.eventId), message.id)
}

export function forgetMessage(state: State, { id, applicationId, eventId }: Message): void {
  state.messages.delete(id)
  if (eventId !== null) state.eventIds.delete(eventName(applicationId, eventId))
}

/** Erases a body for good, with the responses to it; the rows stay. */
export function eraseBody(state: State, messageId: string, now: Instant): void {
  state.payloadExpiries.delete(messageId)
  const message = state.messages.get(messageId)
  if (message === undefined) return
  replaceMessage(state, { ...message, body: new Uint8Array(), erasedAt: message.erasedAt ?? now })
  for (const delivery of select(state, { messageId })) {
    const kept = state.attempts.get(delivery.id) ?? []
    state.attempts.set(
      delivery.id,
      kept.map((attempt) =>
        attempt.statusCode === null ? attempt : { ...attempt, responseBody: null, diagnostics: null },
      ),
    )
    const errorDetail = delivery.errorDetail?.replace(/^(HTTP \d{3}): [^]*$/, '$1') ?? null
    const leaseEpoch = delivery.leaseEpoch + 1
    if (errorDetail !== delivery.errorDetail) replace(state, delivery, { ...delivery, errorDetail, leaseEpoch })
  }
}

/** The message of an application that has an event id. */
export function messageOfEvent(state: State, applicationId: string, eventId: string): string | undefined {
  return state.eventIds.get(eventName(applicationId, eventId))
}

function eventName(applicationId: string, eventId: string): string {
  return `${applicationId} ${eventId}`
}

/** Writes a new delivery. */
export function insert(state: State, delivery: Delivery): void {
  state.open.move(null, delivery)
  state.deliveries.set(delivery.id, delivery)
}

/** Replaces a delivery by its new state. */
export function replace(state: State, before: Delivery, after: Delivery): void {
  state.open.move(before, after)
  state.deliveries.set(after.id, after)
}

/** Deletes a delivery with its attempts. */
export function forget(state: State, delivery: Delivery): void {
  state.open.move(delivery, null)
  state.deliveries.delete(delivery.id)
  state.attempts.delete(delivery.id)
}

/** The delivery of a lease, if it still belongs to this owner in this epoch: the fence before every write under a lease. */
export function heldBy(state: State, owner: string, held: Lease): Delivery | undefined {
  const delivery = state.deliveries.get(held.deliveryId)
  return delivery?.leaseOwner === owner && delivery.leaseEpoch === held.epoch ? delivery : undefined
}

/** The record of an attempt, if there is one. */
export function attemptOf(state: State, deliveryId: string, epoch: number): KeptAttempt | undefined {
  return state.attempts.get(deliveryId)?.find((attempt) => attempt.epoch === epoch)
}

/** Writes the record of an attempt, replacing an earlier one. */
export function recordAttempt(state: State, deliveryId: string, attempt: KeptAttempt): void {
  const others = state.attempts.get(deliveryId)?.filter(({ epoch }) => epoch !== attempt.epoch) ?? []
  state.attempts.set(deliveryId, [...others, attempt])
}

interface Note extends Pick<AuditEntry, 'action' | 'target' | 'at'> {
  readonly by: Actor
  readonly count?: number
  readonly applicationId?: string | null | undefined
  readonly before?: object | null
  readonly after?: object | null
}

/** Stores an audit entry. Entries are numbered instead of random, so that those of one instant stay in order. */
export function note(state: State, { action, target, at, by, ...about }: Note): string {
  const { count = 1, applicationId = null, before = null, after = null } = about
  const id = makeId('aud', at, () => state.audit.length / 2 ** 50)
  const who = { actor: by.name, actorId: by.keyId ?? null, from: by.from ?? null }
  const what = { action, target, applicationId, count, reason: by.reason ?? null }
  const entry = { id, at, ...who, ...what, ...changedFields(before, after) }
  if (hasEffect(entry)) state.audit.push(entry)
  return id
}

/** False for data of an application that is being erased. */
export function isVisible(state: State, { applicationId }: { readonly applicationId: string }): boolean {
  return !state.erasures.has(applicationId)
}

/** The deliveries that match a filter, in no order; those given by id are looked up, otherwise every row is checked. */
export function* select(state: State, filter: DeliveryFilter): Iterable<Delivery> {
  const named =
    filter.ids === undefined ? undefined : [...new Set(filter.ids)].flatMap((id) => state.deliveries.get(id) ?? [])
  for (const delivery of named ?? state.deliveries.values()) if (matches(delivery, filter)) yield delivery
}

function matches(delivery: Delivery, filter: DeliveryFilter): boolean {
  return (
    isIn(filter.status, delivery.status) &&
    isWanted(filter.reason, delivery.reason) &&
    isWanted(filter.endpointId, delivery.endpointId) &&
    isWanted(filter.applicationId, delivery.applicationId) &&
    isWanted(filter.messageId, delivery.messageId) &&
    isWanted(filter.type, delivery.eventType) &&
    isWithin(delivery.createdAt, filter.since, filter.until) &&
    isWithin(delivery.updatedAt, undefined, filter.unchangedSince)
  )
}

function isIn(wanted: DeliveryFilter['status'], status: Status): boolean {
  return wanted === undefined || (typeof wanted === 'string' ? wanted === status : wanted.includes(status))
}

/** A condition that is not given matches anything. */
function isWanted<Value>(wanted: Value | undefined, value: Value): boolean {
  return wanted === undefined || wanted === value
}

function isWithin(at: Instant, since: Instant | undefined, until: Instant | undefined): boolean {
  return (since === undefined || at >= since) && (until === undefined || at < until)
}
