import { outcomeKinds, recordedOutcomes } from '../../../core/delivery/attempt.ts'
import type { DeadReason } from '../../../core/delivery/delivery.ts'
import type { EndpointStatus } from '../../../core/endpoint/endpoint.ts'
import type {
  AttemptCount,
  DeadLetterGroup,
  EndpointFigures,
  EndpointHealthCounts,
  HourCounts,
  LastAttempt,
  LastFailure,
  NextRetry,
} from '../../../core/ports/figures.ts'
import type { OwnedEndpoint } from '../../../core/ports/directory/endpoints.ts'
import type { MessageProgress } from '../../../core/ports/directory/messages.ts'
import type { QueueDepth } from '../../../core/ports/overview.ts'
import type { Instant } from '../../../core/time.ts'
import { number, numberOrNull, text, textOrNull, word } from './columns.ts'
import type { Row } from '../sql/database.ts'

// Statistics over many rows, for people.

const endpointStatuses: readonly EndpointStatus[] = ['active', 'paused', 'disabled', 'deleted']
const deadReasons: readonly DeadReason[] = ['exhausted', 'cancelled', 'expired', 'crashed', 'gone']

export function toDeadLetterGroup(row: Row): DeadLetterGroup {
  return {
    endpointId: text(row, 'webhook_id'),
    applicationId: text(row, 'application_id'),
    reason: word(row, 'reason', deadReasons),
    errorDetail: textOrNull(row, 'detail'),
    count: number(row, 'count'),
    newestAt: number(row, 'newest_at'),
  }
}

export function toAttemptCount(row: Row): AttemptCount {
  return {
    outcome: word(row, 'outcome', outcomeKinds),
    statusCode: numberOrNull(row, 'status_code'),
    count: number(row, 'count'),
  }
}

export function toOwnedEndpoint(row: Row): OwnedEndpoint {
  return {
    id: text(row, 'id'),
    applicationId: text(row, 'application_id'),
    status: word(row, 'status', endpointStatuses),
    statusReason: textOrNull(row, 'status_reason'),
    statusSince: number(row, 'status_since'),
    among: number(row, 'among'),
  }
}

export function toMessageProgress(row: Row): MessageProgress {
  return {
    messageId: text(row, 'message_id'),
    pending: number(row, 'pending'),
    failed: number(row, 'failed'),
    delivered: number(row, 'delivered'),
    dead: number(row, 'dead'),
  }
}

export function toLastAttempt(row: Row): LastAttempt {
  return {
    deliveryId: text(row, 'delivery_id'),
    startedAt: number(row, 'started_at'),
    tookMs: number(row, 'took_ms'),
    outcome: word(row, 'outcome', recordedOutcomes),
    statusCode: numberOrNull(row, 'status_code'),
  }
}

export function toLastFailure(row: Row): LastFailure {
  return { ...toLastAttempt(row), eventType: text(row, 'event_type'), errorDetail: textOrNull(row, 'error_detail') }
}

export function toNextRetry(row: Row): NextRetry {
  return { deliveryId: text(row, 'id'), at: number(row, 'next_retry_at') }
}

/** One row per kind that occurs. */
export function toHealthCounts(rows: readonly Row[]): EndpointHealthCounts {
  const counts = new Map(rows.map((row) => [text(row, 'health'), number(row, 'count')]))
  const of = (health: string): number => counts.get(health) ?? 0
  return {
    active: of('active'),
    failing: of('failing'),
    held: of('held'),
    paused: of('paused'),
    disabled: of('disabled'),
  }
}

export function toHour(row: Row): HourCounts & { readonly endpointId: string } {
  return {
    endpointId: text(row, 'endpoint_id'),
    at: number(row, 'hour'),
    delivered: number(row, 'delivered'),
    failed: number(row, 'failed'),
    dead: number(row, 'dead'),
  }
}

/** The backlog is counted up to one more than the bound. */
export function toFigures(row: Row, hours: readonly HourCounts[], mostCounted: number): EndpointFigures {
  const counted = ['fresh', 'retries', 'suspects'].map((lane) => number(row, lane))
  const backlog = counted.reduce((sum, count) => sum + Math.min(count, mostCounted), 0)
  const lastSuccessAt: Instant | null = numberOrNull(row, 'last_success_at')
  return { backlog, backlogAtLeast: Math.max(...counted) > mostCounted, lastSuccessAt, hours }
}

export function toQueueDepth(row: Row, mostCounted: number): QueueDepth {
  const counted = (...columns: string[]): number =>
    columns.reduce((sum, column) => sum + Math.min(number(row, column), mostCounted), 0)
  const columns = ['fresh', 'retries', 'suspects', 'held_fresh', 'held_retries', 'held_suspects', 'dead']
  const oldest = ['oldest_fresh', 'oldest_retry', 'oldest_suspect']
    .map((column) => numberOrNull(row, column))
    .filter((at) => at !== null)
  return {
    fresh: counted('fresh'),
    // Suspects count as retries: to people, the wait is the same.
    retries: counted('retries', 'suspects'),
    held: counted('held_fresh', 'held_retries', 'held_suspects'),
    dead: counted('dead'),
    atLeast: columns.some((column) => number(row, column) > mostCounted),
    oldestDueAt: oldest.length === 0 ? null : Math.min(...oldest),
  }
}
