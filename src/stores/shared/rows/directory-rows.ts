import { auditActions } from '../../../core/ports/audit.ts'
import type { AuditEntry } from '../../../core/ports/audit.ts'
import type { EventTypeDefinition } from '../../../core/message/event-type.ts'
import type { StreamEvent } from '../../../core/ports/events.ts'
import type { Job, JobAction, JobState, JobWork } from '../../../core/delivery/job.ts'
import type { Access, ApiKey } from '../../../core/ports/key.ts'
import type { TakenReply } from '../../../core/ports/directory/replies.ts'
import { number, numberOrNull, text, textOrNull, word } from './columns.ts'
import type { Row } from '../sql/database.ts'
import type { Value } from '../sql/sql.ts'

// Rows that only people and the API read; the engine's rows are in rows.ts.

const accesses: readonly Access[] = ['read', 'write']
const jobActions: readonly JobAction[] = ['requeue', 'cancel', 'replay', 'erase']
const jobStates: readonly JobState[] = ['running', 'paused', 'done', 'cancelled']

export function toAuditEntry(row: Row): AuditEntry {
  return {
    id: text(row, 'id'),
    at: number(row, 'at'),
    actor: text(row, 'actor'),
    actorId: textOrNull(row, 'actor_id'),
    from: textOrNull(row, 'origin'),
    action: word(row, 'action', auditActions),
    target: text(row, 'target'),
    applicationId: textOrNull(row, 'application_id'),
    count: number(row, 'count'),
    reason: textOrNull(row, 'reason'),
    before: toFields(row, 'before_change'),
    after: toFields(row, 'after_change'),
  }
}

function toFields(row: Row, column: string): AuditEntry['before'] {
  const fields: AuditEntry['before'] = JSON.parse(textOrNull(row, column) ?? 'null')
  return fields
}

export function fromAuditEntry(entry: AuditEntry): Record<string, Value> {
  const { id, at, actor, actorId, from, action, target, applicationId, count, reason, before, after } = entry
  return {
    id,
    at,
    actor,
    actor_id: actorId,
    origin: from,
    action,
    target,
    application_id: applicationId,
    count,
    reason,
    before_change: before === null ? null : JSON.stringify(before),
    after_change: after === null ? null : JSON.stringify(after),
  }
}

export function toEventType(row: Row): EventTypeDefinition {
  return {
    name: text(row, 'name'),
    description: text(row, 'description'),
    schemas: toSchemas(row),
    archived: number(row, 'archived') === 1,
    deprecated: number(row, 'deprecated') === 1,
    featureFlag: textOrNull(row, 'feature_flag'),
    createdAt: number(row, 'created_at'),
    updatedAt: number(row, 'updated_at'),
  }
}

function toSchemas(row: Row): EventTypeDefinition['schemas'] {
  const schemas: EventTypeDefinition['schemas'] = JSON.parse(textOrNull(row, 'schemas') ?? 'null')
  return schemas
}

export function fromEventType(eventType: EventTypeDefinition): Record<string, Value> {
  const { name, description, schemas, archived, deprecated, featureFlag, createdAt, updatedAt } = eventType
  return {
    name,
    description,
    schemas: schemas === null ? null : JSON.stringify(schemas),
    archived: archived ? 1 : 0,
    deprecated: deprecated ? 1 : 0,
    feature_flag: featureFlag,
    created_at: createdAt,
    updated_at: updatedAt,
  }
}

export function toKey(row: Row): ApiKey {
  return {
    id: text(row, 'id'),
    name: text(row, 'name'),
    applicationId: textOrNull(row, 'application_id'),
    access: word(row, 'access', accesses),
    hash: text(row, 'hash'),
    hint: text(row, 'hint'),
    createdAt: number(row, 'created_at'),
    expiresAt: numberOrNull(row, 'expires_at'),
    revokedAt: numberOrNull(row, 'revoked_at'),
    createdFrom: textOrNull(row, 'created_from'),
    sessionOf: textOrNull(row, 'session_of'),
    portal: toPortal(row),
  }
}

function toPortal(row: Row): ApiKey['portal'] {
  const flags = textOrNull(row, 'portal_flags')
  return flags === null ? null : { featureFlags: JSON.parse(flags) }
}

export function fromKey(key: ApiKey): Record<string, Value> {
  const { id, name, applicationId, access, hash, hint, createdAt, expiresAt, revokedAt, sessionOf, portal } = key
  const portalFlags = portal === null ? null : JSON.stringify(portal.featureFlags)
  return {
    id,
    name,
    application_id: applicationId,
    access,
    hash,
    hint,
    created_at: createdAt,
    expires_at: expiresAt,
    revoked_at: revokedAt,
    created_from: key.createdFrom,
    session_of: sessionOf,
    portal_flags: portalFlags,
  }
}

export function toJob(row: Row): Job {
  return {
    id: text(row, 'id'),
    applicationId: textOrNull(row, 'application_id'),
    work: toJobWork(row),
    state: word(row, 'state', jobStates),
    matching: number(row, 'matching'),
    done: number(row, 'done'),
    skipped: number(row, 'skipped'),
    cursor: textOrNull(row, 'cursor'),
    actor: text(row, 'actor'),
    reason: textOrNull(row, 'reason'),
    createdAt: number(row, 'created_at'),
    updatedAt: number(row, 'updated_at'),
  }
}

function toJobWork(row: Row): JobWork {
  const action = word(row, 'action', jobActions)
  return { action, filter: JSON.parse(text(row, 'filter')) }
}

export function fromJob(job: Job): Record<string, Value> {
  const { id, applicationId, work, state, matching, done, skipped, cursor, actor, reason, createdAt, updatedAt } = job
  const { action, filter } = work
  return {
    id,
    application_id: applicationId,
    action,
    filter: JSON.stringify(filter),
    state,
    matching,
    done,
    skipped,
    cursor,
    actor,
    reason,
    created_at: createdAt,
    updated_at: updatedAt,
  }
}

/** A row that a batch of a job selected, null if it selected none, with the number of rows read and the id of the last one. */
export function toWalked(row: Row): { id: string | null; count: number; last: string | null } {
  return { id: textOrNull(row, 'id'), count: number(row, 'count'), last: textOrNull(row, 'last') }
}

export function fromEvent(
  origin: string,
  event: StreamEvent,
): { readonly id: string; readonly origin: string; readonly data: string } {
  return { id: event.id, origin, data: JSON.stringify(event) }
}

export function toEvent(row: Row): StreamEvent {
  const event: StreamEvent = JSON.parse(text(row, 'data'))
  return event
}

/** The reply stored under an idempotency key, if it belongs to the same request. */
export function toTakenReply(row: Row, requestHash: string): TakenReply {
  if (text(row, 'request_hash') !== requestHash) return { kind: 'conflict' }
  const status = numberOrNull(row, 'status')
  return status === null ? { kind: 'busy' } : { kind: 'kept', status, body: text(row, 'body') }
}
