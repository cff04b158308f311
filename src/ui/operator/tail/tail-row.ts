import type { EventLabels, EventType, PosthornEvent } from '../../../core/ports/events.ts'
import type { Delivery } from '../../api/answers.ts'
import { counted, firstLine, shortUrl } from '../../text/format.ts'

/** One event as a row; a missing value is null. */
export interface TailRow {
  readonly key: number
  readonly at: string
  readonly type: EventType
  /** A delivery that ended because a person cancelled it. */
  readonly isCancelled: boolean
  /** The type of the message that it is about. */
  readonly eventType: string | null
  readonly customer: string | null
  readonly endpoint: string | null
  readonly code: string | null
  readonly latencyMs: number | null
  readonly detail: string
  /** The page with more about it. */
  readonly to: string | null
}

/** On the wire times are text, and the event has the ids and names as further fields. */
export type StreamedEvent = PosthornEvent &
  Partial<EventLabels> & { readonly applicationId?: string | null; readonly endpointId?: string | null }

export function rowOf(event: StreamedEvent, key: number): TailRow {
  const { applicationName, endpointUrl } = event
  const attempt = 'status_code' in event ? event : null
  return {
    key,
    at: new Date(event.at).toISOString(),
    type: event.type,
    isCancelled: isCancellation(event),
    eventType: 'event_type' in event ? event.event_type : null,
    customer: applicationName ?? event.applicationId ?? null,
    endpoint: typeof endpointUrl === 'string' ? shortUrl(endpointUrl) : null,
    code: attempt === null ? null : codeOf(attempt.status_code, 'outcome' in attempt ? attempt.outcome : null),
    latencyMs: attempt?.took_ms ?? null,
    detail: detailOf(event),
    to: pageOf(event),
  }
}

function isCancellation(event: StreamedEvent): boolean {
  return event.type === 'delivery.dead' && event.reason === 'cancelled'
}

/** The last state of a delivery from before the tail was opened. `lastAttempt` and the name are there if the list has them. */
export type ListedDelivery = Delivery & {
  readonly applicationName?: string | undefined
  readonly lastAttempt?: {
    readonly outcome: string
    readonly statusCode: number | null
    readonly tookMs: number
  } | null
}

export function rowOfDelivery(delivery: ListedDelivery, key: number): TailRow {
  const { id, status, reason, eventType, applicationId, applicationName, targetUrl, errorDetail, lastAttempt } =
    delivery
  return {
    key,
    at: delivery.lastAttemptedAt ?? delivery.updatedAt,
    type: statusEvents[status],
    isCancelled: reason === 'cancelled',
    eventType,
    customer: applicationName ?? applicationId,
    endpoint: shortUrl(targetUrl),
    code:
      lastAttempt === undefined || lastAttempt === null
        ? codeIn(errorDetail)
        : codeOf(lastAttempt.statusCode, lastAttempt.outcome),
    latencyMs: lastAttempt?.tookMs ?? null,
    detail: firstLine(errorDetail ?? (reason === 'cancelled' ? '' : reason) ?? ''),
    to: `deliveries/${id}`,
  }
}

const statusEvents: Readonly<Record<Delivery['status'], EventType>> = {
  pending: 'message.enqueued',
  failed: 'delivery.failed',
  delivered: 'delivery.delivered',
  dead: 'delivery.dead',
}

/** A status code, or a word for why there is none. */
function codeOf(statusCode: number | null, outcome: string | null): string | null {
  return statusCode === null ? (outcome === 'answered' ? null : outcome) : String(statusCode)
}

function codeIn(errorDetail: string | null): string | null {
  return /^HTTP (\d{3})/.exec(errorDetail ?? '')?.[1] ?? null
}

function pageOf(event: StreamedEvent): string | null {
  if ('webhook_delivery_id' in event) return `deliveries/${event.webhook_delivery_id}`
  const endpointId = event.endpointId ?? ('webhook_id' in event ? event.webhook_id : null)
  if (endpointId !== null) return `endpoints/${endpointId}`
  return 'message_id' in event ? `deliveries?message=${event.message_id}` : null
}

// oxlint-disable-next-line eslint/complexity -- One case per type of event: apart, nobody would see which are missing.
function detailOf(event: StreamedEvent): string {
  switch (event.type) {
    case 'message.enqueued':
      return counted(event.deliveries, 'delivery')
    case 'delivery.delivered':
      return event.attempt_count === 1 ? '' : `on attempt ${event.attempt_count}`
    case 'delivery.failed':
      return `attempt ${event.attempt_count}: ${firstLine(event.error_detail)}`
    case 'delivery.dead':
      if (event.reason === 'cancelled') return firstLine(event.error_detail ?? '')
      return `${event.reason}: ${firstLine(event.error_detail ?? 'without a response')}`
    case 'endpoint.failing':
      return 'every attempt failed for a day or longer'
    case 'endpoint.disabled':
      return event.reason
    case 'breaker.opened':
      return 'on hold after ten failures in a row'
    case 'breaker.closed':
      return 'it responds again'
    case 'lease.lost':
      return `${event.code} by ${event.worker_id}`
    case 'alarm.raised':
    case 'alarm.resolved':
    case 'warning':
      return event.message
  }
}
