import type { Severity, Signal } from '../alarms/signals.ts'
import type { OutcomeKind } from '../delivery/attempt.ts'
import type { DeadReason } from '../delivery/delivery.ts'
import { expected } from '../errors.ts'
import type { ErrorCode } from '../errors.ts'
import { didYouMean } from '../nearest.ts'
import type { Instant } from '../time.ts'

/** The topic that every event carries; its name comes from the gateway's use cases. */
export const topic = 'gateway:webhooks'

interface About {
  readonly topic: typeof topic
  readonly at: Instant
}

interface AboutDelivery extends About {
  readonly webhook_delivery_id: string
  /** The endpoint. */
  readonly webhook_id: string
  readonly message_id: string
  readonly session_id: string | null
}

interface AboutAttempt extends AboutDelivery {
  readonly event_type: string
  readonly attempt_count: number
  /** The status code of the response; null if there was none. */
  readonly status_code: number | null
  readonly took_ms: number
}

interface AboutEndpoint extends About {
  readonly webhook_id: string
}

interface AboutAlarm extends About {
  readonly alarm_id: string
  readonly signal: Signal
  /** The endpoint's id; empty if the alarm is about all of them. */
  readonly subject: string
  readonly severity: Severity
  readonly value: number
  readonly threshold: number
  readonly raised_at: Instant
  readonly message: string
}

/** What the bus emits, after the commit. Fields are in snake case, because events are data that leaves the process. */
export type PosthornEvent =
  | (About & {
      readonly type: 'message.enqueued'
      readonly message_id: string
      readonly application_id: string
      readonly event_type: string
      readonly deliveries: number
    })
  | (AboutAttempt & { readonly type: 'delivery.delivered' })
  | (AboutAttempt & {
      readonly type: 'delivery.failed'
      readonly outcome: OutcomeKind
      readonly error_detail: string
      readonly next_retry_at: Instant
    })
  /** The `WebhookDLQEvent` of UC-0268. */
  | (AboutDelivery & {
      readonly type: 'delivery.dead'
      readonly reason: DeadReason
      readonly error_detail: string | null
      /** The attempt that it ended with; null if it ended without one. */
      readonly event_type: string | null
      readonly status_code: number | null
      readonly took_ms: number | null
    })
  /** After a day of nothing but failures, and again a day before the endpoint is disabled. */
  | (AboutEndpoint & {
      readonly type: 'endpoint.failing'
      readonly failing_since: Instant
      /** When it will be disabled, unless a delivery succeeds before. */
      readonly disabled_at: Instant
      readonly is_last: boolean
    })
  | (AboutEndpoint & { readonly type: 'endpoint.disabled'; readonly reason: string })
  | (AboutEndpoint & { readonly type: 'breaker.opened'; readonly held_until: Instant })
  | (AboutEndpoint & { readonly type: 'breaker.closed' })
  /** A lease was lost while its attempt was under way: `lost` to another owner, or `renewal_failed`. */
  | (About & {
      readonly type: 'lease.lost'
      readonly webhook_delivery_id: string
      readonly worker_id: string
      readonly code: 'lost' | 'renewal_failed'
      /** The store's last error; null if it answered that another owner has the lease. */
      readonly store_code: ErrorCode | null
    })
  /** Emitted by the one worker that evaluates the alarms. `repeated` if it was raised before and lasts. */
  | (AboutAlarm & { readonly type: 'alarm.raised'; readonly repeated: boolean })
  | (AboutAlarm & { readonly type: 'alarm.resolved' })
  /** Something people should know that is not about a delivery: an override, a fallback, a failing store. */
  | (About & { readonly type: 'warning'; readonly code: WarningCode; readonly message: string })

export type WarningCode =
  | 'unsafe_retry_delays'
  | 'unknown_policy'
  | 'store_error'
  | 'newer_database'
  | 'listener_threw'
  | 'secrets_key'
  | 'job_stopped'
  | 'engine_thread_ended'
  | 'events_dropped'

export type EventType = PosthornEvent['type']
export type EventOf<Type extends EventType> = Extract<PosthornEvent, { readonly type: Type }>

// A table, so that the compiler reports a missing one.
const eventTypes: Readonly<Record<EventType, true>> = {
  'message.enqueued': true,
  'delivery.delivered': true,
  'delivery.failed': true,
  'delivery.dead': true,
  'endpoint.failing': true,
  'endpoint.disabled': true,
  'breaker.opened': true,
  'breaker.closed': true,
  'lease.lost': true,
  'alarm.raised': true,
  'alarm.resolved': true,
  warning: true,
}

/** Refuses to listen for an event that does not exist. */
export function checkEventName(type: unknown): void {
  if (typeof type === 'string' && (type === '*' || Object.hasOwn(eventTypes, type))) return
  const known = Object.keys(eventTypes)
  throw expected(
    'invalid_argument',
    'type',
    `* or one of ${known.join(', ')}`,
    type,
    typeof type === 'string' ? didYouMean(type, known).trim() : '',
  )
}

/** One event of the bus as a reader of the stream gets it. */
export interface StreamEvent {
  /** The position to continue from. */
  readonly id: string
  readonly type: EventType
  readonly at: Instant
  /** Null if the event belongs to no application. */
  readonly applicationId: string | null
  readonly endpointId: string | null
  readonly event: PosthornEvent
}

/** The application's name and the endpoint's URL, for people; null if there is none, or it was deleted. */
export interface EventLabels {
  readonly applicationName: string | null
  readonly endpointUrl: string | null
}

/** All given conditions must hold. */
export interface StreamFilter {
  readonly types?: readonly string[] | undefined
  readonly applicationId?: string | undefined
  readonly endpointId?: string | undefined
}

export type StreamItem =
  | { readonly kind: 'event'; readonly event: StreamEvent }
  /** The reader was too slow, or away for too long; `missed` is null if the number is unknown. */
  | { readonly kind: 'gap'; readonly missed: number | null }
  /** Nothing has come for a while. */
  | { readonly kind: 'quiet' }
