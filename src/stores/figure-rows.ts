import type { OutcomeKind } from '../core/attempt.ts'
import type { DeadReason } from '../core/delivery.ts'
import type { AttemptCount, DeadLetterGroup, EndpointFigures, HourCounts } from '../core/figures.ts'
import type { QueueDepth } from '../core/overview.ts'
import type { Instant } from '../core/time.ts'
import { number, numberOrNull, text, textOrNull, word } from './columns.ts'
import type { Row } from './database.ts'

// Figures about many rows at once, for people.

const deadReasons: readonly DeadReason[] = ['exhausted', 'cancelled', 'expired', 'crashed', 'gone']
const outcomes: readonly OutcomeKind[] = ['answered', 'timeout', 'dns', 'connect', 'tls', 'reset', 'protocol', 'forbidden']

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
  return { outcome: word(row, 'outcome', outcomes), statusCode: numberOrNull(row, 'status_code'), count: number(row, 'count') }
}

export function toHour(row: Row): HourCounts & { readonly endpointId: string } {
  return { endpointId: text(row, 'endpoint_id'), at: number(row, 'hour'), delivered: number(row, 'delivered'), failed: number(row, 'failed'), dead: number(row, 'dead') }
}

/** The backlog was counted up to one more than the bound. */
export function toFigures(row: Row, hours: readonly HourCounts[], mostCounted: number): EndpointFigures {
  const counted = [number(row, 'fresh'), number(row, 'retries')] as const
  const backlog = Math.min(counted[0], mostCounted) + Math.min(counted[1], mostCounted)
  const lastSuccessAt: Instant | null = numberOrNull(row, 'last_success_at')
  return { backlog, backlogAtLeast: Math.max(...counted) > mostCounted, lastSuccessAt, hours }
}

export function toQueueDepth(row: Row, mostCounted: number): QueueDepth {
  const [fresh, retries, dead] = [number(row, 'fresh'), number(row, 'retries'), number(row, 'dead')]
  const [heldFresh, heldRetries] = [number(row, 'held_fresh'), number(row, 'held_retries')]
  const oldest = [numberOrNull(row, 'oldest_fresh'), numberOrNull(row, 'oldest_retry')].filter((at) => at !== null)
  const most = (count: number): number => Math.min(count, mostCounted)
  return {
    fresh: most(fresh),
    retries: most(retries),
    held: most(heldFresh) + most(heldRetries),
    dead: most(dead),
    atLeast: Math.max(fresh, retries, dead, heldFresh, heldRetries) > mostCounted,
    oldestDueAt: oldest.length === 0 ? null : Math.min(...oldest),
  }
}
