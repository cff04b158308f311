import type { Enqueued, EnqueueRequest, Envelope } from '../../../core/ports/queue.ts'
import { day } from '../../../core/time.ts'
import type { Instant } from '../../../core/time.ts'
import { toEndpointsVersion, toHealthVersion, toId, toUsedKey } from '../../shared/rows/rows.ts'
import type { Connection } from '../connection.ts'

const keyKeptMs = day

const selectVersion = `select endpoints_version
from posthorn_applications
where id = ?1`

const selectHealth = `select version
from posthorn_endpoint_health
where endpoint_id = ?1`

const selectKey = `select message_id, body_hash, deliveries
from posthorn_idempotency_keys
where application_id = ?1 and key = ?2 and expires_at > ?3`

const selectEvent = `select id
from posthorn_messages
where application_id = ?1 and event_id = ?2`

const upsertKey = `insert into posthorn_idempotency_keys (application_id, key, message_id, body_hash, deliveries, expires_at)
values (?1, ?2, ?3, ?4, ?5, ?6)
on conflict (application_id, key) do update
set message_id = excluded.message_id, body_hash = excluded.body_hash, deliveries = excluded.deliveries, expires_at = excluded.expires_at`

const insertMessage = `insert into posthorn_messages (id, application_id, type, content_type, session_id, channels, created_at, body, event_id, trace_context)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`

const insertDelivery = `insert into webhook_deliveries (
  id, webhook_id, application_id, message_id, event_type, session_id, target_url, next_retry_at, policy,
  created_at, updated_at, lease_owner, lease_until, lease_epoch)
values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?10, ?11, ?12, ?13)`

const stored: Enqueued = { kind: 'stored' }
const stale: Enqueued = { kind: 'stale' }
const withdrawn: Enqueued = { kind: 'withdrawn' }

/** Stores messages with their deliveries; runs inside the transaction of the turn. */
export function enqueue(connection: Connection, request: EnqueueRequest): Enqueued[] {
  if (request.begins?.() === false) return request.envelopes.map(() => withdrawn)
  const versions = new Map<string, number | null>()
  return request.envelopes.map((envelope) => {
    const { applicationId } = envelope.message
    let version = versions.get(applicationId)
    if (version === undefined) {
      version = versionOf(connection, applicationId)
      versions.set(applicationId, version)
    }
    if (version !== envelope.endpointsVersion || hasChanged(connection, envelope)) return stale

    const taken = takenEvent(connection, envelope, request.now)
    if (taken !== null) return taken
    const before = takeKey(connection, envelope, request.now)
    if (before !== null) return before
    store(connection, envelope, request)
    return stored
  })
}

function versionOf(connection: Connection, applicationId: string): number | null {
  const row = connection.prepare(selectVersion).get(applicationId)
  return row === undefined ? null : toEndpointsVersion(row)
}

/** True if a health that the envelope relies on is not the one that was read. */
function hasChanged(connection: Connection, { reliesOn }: Envelope): boolean {
  return reliesOn.some(({ endpointId, version }) => {
    const row = connection.prepare(selectHealth).get(endpointId)
    return (row === undefined ? 0 : toHealthVersion(row)) !== version
  })
}

/** Returns the other message that has the event id. If that message also has the idempotency key, this is a repeat, not a conflict. */
function takenEvent(connection: Connection, { message, idempotencyKey: key }: Envelope, now: Instant): Enqueued | null {
  if (message.eventId === null) return null
  const holder = connection.prepare(selectEvent).get(message.applicationId, message.eventId)
  if (holder === undefined) return null
  const used = key === null ? undefined : connection.prepare(selectKey).get(message.applicationId, key, now)
  const messageId = toId(holder)
  return used !== undefined && toUsedKey(used).messageId === messageId ? null : { kind: 'taken', messageId }
}

/** Takes the idempotency key for this message; if another message has it, returns that one. */
function takeKey(connection: Connection, envelope: Envelope, now: Instant): Enqueued | null {
  const { message, idempotencyKey: key, bodyHash } = envelope
  if (key === null) return null
  const taken = connection.prepare(selectKey).get(message.applicationId, key, now)
  if (taken === undefined) {
    connection
      .prepare(upsertKey)
      .run(message.applicationId, key, message.id, bodyHash, envelope.deliveries.length, now + keyKeptMs)
    return null
  }
  const used = toUsedKey(taken)
  if (used.bodyHash !== bodyHash) return { kind: 'conflict', messageId: used.messageId }
  return { kind: 'repeated', messageId: used.messageId, deliveries: used.deliveries }
}

function store(
  connection: Connection,
  { message, deliveries }: Envelope,
  { owner, leaseMs, now }: EnqueueRequest,
): void {
  const { id, applicationId, type, sessionId, channels } = message
  const channelsText = channels.length === 0 ? '[]' : JSON.stringify(channels)
  connection
    .prepare(insertMessage)
    .get(
      id,
      applicationId,
      type,
      message.contentType,
      sessionId,
      channelsText,
      message.createdAt,
      message.body,
      message.eventId,
      message.traceContext,
    )
  const insert = connection.prepare(insertDelivery)
  for (const delivery of deliveries) {
    const { leased } = delivery
    insert.get(
      delivery.id,
      delivery.endpointId,
      applicationId,
      id,
      type,
      sessionId,
      delivery.targetUrl,
      delivery.nextRetryAt,
      delivery.policy,
      now,
      leased ? owner : null,
      leased ? now + leaseMs : null,
      leased ? 1 : 0,
    )
  }
}
