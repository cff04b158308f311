import { recordedOutcomes } from '../../../core/delivery/attempt.ts'
import type { Attempt } from '../../../core/delivery/attempt.ts'
import type { Diagnostics } from '../../../core/delivery/diagnostics.ts'
import { lanes, statuses } from '../../../core/delivery/delivery.ts'
import type { DeadReason, Delivery, Lane } from '../../../core/delivery/delivery.ts'
import { attemptId } from '../../../core/ids.ts'
import type { Lease } from '../../../core/delivery/lease.ts'
import type { Cancelled, Claim, Marked } from '../../../core/ports/queue.ts'
import type { Instant } from '../../../core/time.ts'
import { bytes, number, numberOrNull, text, textOrNull, word, wordOrNull } from './columns.ts'
import type { Row } from '../sql/database.ts'

// Deliveries, their leases and their attempts; the engine's other rows are in rows.ts.

const deadReasons: readonly DeadReason[] = ['exhausted', 'cancelled', 'expired', 'crashed', 'gone']
const takeovers = ['interrupted', 'crashed'] as const

export const deliveryColumns = [
  'id',
  'webhook_id',
  'application_id',
  'message_id',
  'event_type',
  'session_id',
  'target_url',
  'status',
  'reason',
  'attempt_count',
  'next_retry_at',
  'last_attempted_at',
  'error_detail',
  'policy',
  'lease_owner',
  'lease_until',
  'lease_epoch',
  'interruptions',
  'crash_count',
  'requeued_at',
  'created_at',
  'updated_at',
].join(', ')

export function toDelivery(row: Row): Delivery {
  return {
    id: text(row, 'id'),
    endpointId: text(row, 'webhook_id'),
    applicationId: text(row, 'application_id'),
    messageId: text(row, 'message_id'),
    eventType: text(row, 'event_type'),
    sessionId: textOrNull(row, 'session_id'),
    targetUrl: text(row, 'target_url'),
    status: word(row, 'status', statuses),
    reason: wordOrNull(row, 'reason', deadReasons),
    attemptCount: number(row, 'attempt_count'),
    nextRetryAt: numberOrNull(row, 'next_retry_at'),
    lastAttemptedAt: numberOrNull(row, 'last_attempted_at'),
    errorDetail: textOrNull(row, 'error_detail'),
    policy: text(row, 'policy'),
    leaseOwner: textOrNull(row, 'lease_owner'),
    leaseUntil: numberOrNull(row, 'lease_until'),
    leaseEpoch: number(row, 'lease_epoch'),
    interruptions: number(row, 'interruptions'),
    crashCount: number(row, 'crash_count'),
    requeuedAt: numberOrNull(row, 'requeued_at'),
    createdAt: number(row, 'created_at'),
    updatedAt: number(row, 'updated_at'),
  }
}

/** A claim, from the delivery as it is after the claim, joined with its message. */
export function toClaim(row: Row, lane: Lane, tookOver: Claim['tookOver']): Claim {
  const messageId = text(row, 'message_id')
  return {
    delivery: {
      id: text(row, 'id'),
      endpointId: text(row, 'webhook_id'),
      messageId,
      eventType: text(row, 'event_type'),
      sessionId: textOrNull(row, 'session_id'),
      attemptCount: number(row, 'attempt_count'),
      policy: text(row, 'policy'),
      interruptions: number(row, 'interruptions'),
      crashCount: number(row, 'crash_count'),
      leaseEpoch: number(row, 'lease_epoch'),
      createdAt: number(row, 'created_at'),
    },
    message: {
      id: messageId,
      body: bytes(row, 'body'),
      contentType: text(row, 'content_type'),
      traceContext: textOrNull(row, 'trace_context'),
    },
    lane,
    tookOver,
  }
}

/** A lease that a claim takes over. */
export interface TakenOver extends Lease {
  readonly leaseUntil: Instant
  readonly url: string
}

/** Null if the delivery had no lease. The epoch is the one before this claim. */
export function toTakenOver(row: Row): TakenOver | null {
  if (textOrNull(row, 'lease_owner') === null) return null
  return {
    deliveryId: text(row, 'id'),
    epoch: number(row, 'lease_epoch') - 1,
    leaseUntil: number(row, 'lease_until'),
    url: text(row, 'target_url'),
  }
}

export function toBodyBytes(row: Row): number {
  return bytes(row, 'body').length
}

/** A claim from a row that includes its lane and the lease it took over. */
export function toClaimIn(row: Row): Claim {
  return toClaim(row, word(row, 'lane', lanes), wordOrNull(row, 'took_over', takeovers))
}

/** From the recorded attempt: marked in time by an earlier try, or late. */
export function toLateMark(row: Row | undefined): Marked {
  return row !== undefined && number(row, 'late') === 0 ? 'already' : 'lost'
}

export function toCancelled(row: Row): Cancelled {
  return {
    id: text(row, 'id'),
    endpointId: text(row, 'webhook_id'),
    applicationId: text(row, 'application_id'),
    messageId: text(row, 'message_id'),
    sessionId: textOrNull(row, 'session_id'),
  }
}

/** An attempt, from a row that includes its number. */
export function toAttempt(row: Row): Attempt {
  const deliveryId = text(row, 'delivery_id')
  const epoch = number(row, 'epoch')
  return {
    id: attemptId(deliveryId, epoch),
    deliveryId,
    epoch,
    number: number(row, 'number'),
    startedAt: number(row, 'started_at'),
    tookMs: number(row, 'took_ms'),
    outcome: word(row, 'outcome', recordedOutcomes),
    statusCode: numberOrNull(row, 'status_code'),
    // The column keeps its original name: workers of an earlier release may still be finishing, and write to it by that name.
    responseBody: textOrNull(row, 'excerpt'),
    url: text(row, 'url'),
    late: number(row, 'late') === 1,
    diagnostics: toDiagnostics(row),
  }
}

function toDiagnostics(row: Row): Diagnostics | null {
  const diagnostics: Diagnostics | null = JSON.parse(textOrNull(row, 'diagnostics') ?? 'null')
  return diagnostics
}

/** The stored form; null, not JSON, for every attempt that succeeded. */
export function fromDiagnostics(attempt: { readonly diagnostics: Diagnostics | null } | null): string | null {
  return attempt === null || attempt.diagnostics === null ? null : JSON.stringify(attempt.diagnostics)
}

export function toLease(row: Row): Lease {
  return { deliveryId: text(row, 'id'), epoch: number(row, 'lease_epoch') }
}

export function toDueEndpoint(row: Row): { endpointId: string; dueAt: number } {
  return { endpointId: text(row, 'webhook_id'), dueAt: number(row, 'due_at') }
}
