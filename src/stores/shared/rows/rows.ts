import type { Application, Endpoint, EndpointStatus, EndpointWithLimits } from '../../../core/endpoint/endpoint.ts'
import type { Health } from '../../../core/endpoint/health.ts'
import type { Message } from '../../../core/message/message.ts'
import type { MinuteCounts } from '../../../core/ports/overview.ts'
import type { PayloadFilter } from '../../../core/message/payload-filter.ts'
import type { EndpointCounts } from '../../../core/ports/directory/endpoints.ts'
import type { SeenWorker, Worker } from '../../../core/ports/worker.ts'
import type { Enqueued, Envelope } from '../../../core/ports/queue.ts'
import { fullBucket } from '../../../core/limits/rate-limit.ts'
import type { TokenBucket } from '../../../core/limits/rate-limit.ts'
import type { Secret, SignatureScheme } from '../../../core/signing/signature.ts'
import type { Subscriber } from '../../../core/endpoint/subscribers.ts'
import type { Instant } from '../../../core/time.ts'
import { bytes, number, numberOrNull, text, textList, textOrNull, textRecord, word } from './columns.ts'
import type { Row } from '../sql/database.ts'
import { latencyColumns } from '../schema/latency-columns.ts'
import type { Value } from '../sql/sql.ts'

// Only this file and the other row files convert between columns and fields.

const endpointStatuses: readonly EndpointStatus[] = ['active', 'paused', 'disabled', 'deleted']
const signatureSchemes: readonly SignatureScheme[] = ['standard', 'body']

export function toApplication(row: Row): Application {
  return {
    id: text(row, 'id'),
    uid: textOrNull(row, 'uid'),
    name: text(row, 'name'),
    metadata: textRecord(row, 'metadata'),
    ratePerSecond: numberOrNull(row, 'rate_per_second'),
    createdAt: number(row, 'created_at'),
    updatedAt: number(row, 'updated_at'),
  }
}

export function fromApplication(application: Application): Record<string, Value> {
  const { id, uid, name, metadata, ratePerSecond, createdAt, updatedAt } = application
  return {
    id,
    uid,
    name,
    metadata: JSON.stringify(metadata),
    rate_per_second: ratePerSecond,
    created_at: createdAt,
    updated_at: updatedAt,
  }
}

export function toEndpoint(row: Row, secrets: readonly Secret[]): Endpoint {
  return {
    id: text(row, 'id'),
    applicationId: text(row, 'application_id'),
    uid: textOrNull(row, 'uid'),
    url: text(row, 'url'),
    description: text(row, 'description'),
    status: word(row, 'status', endpointStatuses),
    statusReason: textOrNull(row, 'status_reason'),
    statusSince: number(row, 'status_since'),
    types: textList(row, 'types'),
    channels: textList(row, 'channels'),
    filter: toFilter(row),
    headers: textRecord(row, 'headers'),
    authentication: toAuthentication(row),
    metadata: textRecord(row, 'metadata'),
    policy: text(row, 'policy'),
    signature: word(row, 'signature', signatureSchemes),
    bodyHeader: text(row, 'body_header'),
    ratePerSecond: numberOrNull(row, 'rate_per_second'),
    secrets,
    createdAt: number(row, 'created_at'),
    updatedAt: number(row, 'updated_at'),
  }
}

export function toSubscriber(row: Row): Subscriber {
  return {
    id: text(row, 'id'),
    url: text(row, 'url'),
    status: word(row, 'status', endpointStatuses),
    types: textList(row, 'types'),
    channels: textList(row, 'channels'),
    filter: toFilter(row),
    policy: text(row, 'policy'),
  }
}

export function toEndpointWithLimits(row: Row, secrets: readonly Secret[]): EndpointWithLimits {
  return { ...toEndpoint(row, secrets), applicationRatePerSecond: numberOrNull(row, 'application_rate_per_second') }
}

function toFilter(row: Row): PayloadFilter | null {
  const filter: PayloadFilter | null = JSON.parse(textOrNull(row, 'filter') ?? 'null')
  return filter
}

function toAuthentication(row: Row): Endpoint['authentication'] {
  const authentication: Endpoint['authentication'] = JSON.parse(textOrNull(row, 'authentication') ?? 'null')
  return authentication
}

/** Everything except the secrets, which have their own table. */
export function fromEndpoint(endpoint: Endpoint): Record<string, Value> {
  return {
    id: endpoint.id,
    application_id: endpoint.applicationId,
    uid: endpoint.uid,
    url: endpoint.url,
    description: endpoint.description,
    status: endpoint.status,
    status_reason: endpoint.statusReason,
    status_since: endpoint.statusSince,
    types: JSON.stringify(endpoint.types),
    channels: JSON.stringify(endpoint.channels),
    filter: endpoint.filter === null ? null : JSON.stringify(endpoint.filter),
    headers: JSON.stringify(endpoint.headers),
    authentication: endpoint.authentication === null ? null : JSON.stringify(endpoint.authentication),
    metadata: JSON.stringify(endpoint.metadata),
    policy: endpoint.policy,
    signature: endpoint.signature,
    body_header: endpoint.bodyHeader,
    rate_per_second: endpoint.ratePerSecond,
    created_at: endpoint.createdAt,
    updated_at: endpoint.updatedAt,
  }
}

/** A secret as stored: its endpoint and its sealed value. */
export interface SealedSecret extends Secret {
  readonly endpointId: string
}

export function toSealedSecret(row: Row): SealedSecret {
  return {
    id: text(row, 'id'),
    endpointId: text(row, 'endpoint_id'),
    value: text(row, 'sealed'),
    createdAt: number(row, 'created_at'),
    expiresAt: numberOrNull(row, 'expires_at'),
  }
}

export function sealedOf(row: Row): string {
  return text(row, 'sealed')
}

export function fromSealedSecret(secret: SealedSecret): Record<string, Value> {
  const { id, endpointId, value, createdAt, expiresAt } = secret
  return { id, endpoint_id: endpointId, sealed: value, created_at: createdAt, expires_at: expiresAt }
}

export function toMessage(row: Row): Message {
  return {
    id: text(row, 'id'),
    applicationId: text(row, 'application_id'),
    type: text(row, 'type'),
    eventId: textOrNull(row, 'event_id'),
    body: bytes(row, 'body'),
    contentType: text(row, 'content_type'),
    sessionId: textOrNull(row, 'session_id'),
    channels: textList(row, 'channels'),
    traceContext: textOrNull(row, 'trace_context'),
    createdAt: number(row, 'created_at'),
    erasedAt: numberOrNull(row, 'erased_at'),
  }
}

/** An idempotency key that is in use. */
export function toUsedKey(row: Row): { messageId: string; bodyHash: string; deliveries: number } {
  return { messageId: text(row, 'message_id'), bodyHash: text(row, 'body_hash'), deliveries: number(row, 'deliveries') }
}

/**
 * The result for an envelope, from the message that now has its event id or idempotency key; without a key, that is the envelope's own
 * message.
 */
export function toEnqueued(row: Row, envelope: Envelope | undefined): Enqueued {
  if (row['taken_by'] !== null) return { kind: 'taken', messageId: text(row, 'taken_by') }
  if (row['found'] !== true) return { kind: 'stale' }
  const { messageId, bodyHash, deliveries } = toUsedKey(row)
  if (messageId === envelope?.message.id) return { kind: 'stored' }
  return bodyHash === envelope?.bodyHash ? { kind: 'repeated', messageId, deliveries } : { kind: 'conflict', messageId }
}

/** The id of a row of any table. */
export function toId(row: Row): string {
  return text(row, 'id')
}

export function toTime(row: Row): Instant {
  return number(row, 'time')
}

export function toApplicationId(row: Row): string {
  return text(row, 'application_id')
}

/** The tokens of a rate limit; a limit that was never used has one second's worth. */
export function toTokenBucket(row: Row | undefined): TokenBucket {
  return row === undefined ? fullBucket : { tokens: number(row, 'tokens'), at: number(row, 'at') }
}

/** How many tokens a limit granted. */
export function toGrant(row: Row): { id: string; granted: number } {
  return { id: text(row, 'id'), granted: number(row, 'granted') }
}

export function toEndpointId(row: Row): string {
  return text(row, 'webhook_id')
}

export function toEndpointCounts(row: Row): EndpointCounts {
  return {
    delivered: number(row, 'delivered'),
    dead: number(row, 'dead'),
    cancelled: number(row, 'cancelled'),
    fresh: number(row, 'fresh'),
    retrying: number(row, 'retrying'),
  }
}

export function toEndpointsVersion(row: Row): number {
  return number(row, 'endpoints_version')
}

export function toHealthVersion(row: Row): number {
  return number(row, 'version')
}

export function toHealthOf(row: Row): [endpointId: string, health: Health] {
  return [text(row, 'endpoint_id'), toHealth(row)]
}

function toHealth(row: Row): Health {
  return {
    failures: number(row, 'failures'),
    heldUntil: numberOrNull(row, 'held_until'),
    holds: number(row, 'holds'),
    failingSince: numberOrNull(row, 'failing_since'),
    failedAttempts: number(row, 'failed_attempts'),
    warnings: number(row, 'warned'),
    generation: number(row, 'generation'),
    rampFrom: numberOrNull(row, 'ramp_from'),
    version: number(row, 'version'),
  }
}

export function fromHealth(endpointId: string, health: Health): Record<string, Value> {
  return {
    endpoint_id: endpointId,
    failures: health.failures,
    held_until: health.heldUntil,
    holds: health.holds,
    failing_since: health.failingSince,
    failed_attempts: health.failedAttempts,
    warned: health.warnings,
    generation: health.generation,
    ramp_from: health.rampFrom,
    version: health.version,
  }
}

export function toMinute(row: Row): MinuteCounts {
  return {
    minute: number(row, 'minute'),
    delivered: number(row, 'delivered'),
    failed: number(row, 'failed'),
    dead: number(row, 'dead'),
    latencies: latencyColumns.map((column) => number(row, column)),
  }
}

export function toWorker(row: Row): Worker {
  return { id: text(row, 'id'), pid: number(row, 'pid'), host: text(row, 'host'), startedAt: number(row, 'started_at') }
}

export function toSeenWorker(row: Row): SeenWorker {
  return {
    ...toWorker(row),
    seenAt: number(row, 'seen_at'),
    sharesAmong: number(row, 'shares_among'),
    waits: toWaits(row),
  }
}

function toWaits(row: Row): SeenWorker['waits'] {
  const waits: SeenWorker['waits'] = JSON.parse(text(row, 'waits'))
  return waits
}

export function fromWorker({ id, pid, host, startedAt }: Worker, seenAt: Instant = startedAt): Record<string, Value> {
  return { id, pid, host, started_at: startedAt, seen_at: seenAt }
}
