import type { LineLevel } from '../../config/settings/logs.ts'
import type { EventOf, EventType, PosthornEvent, WarningCode } from '../../core/ports/events.ts'
import { isoTime } from '../../core/time.ts'
import type { Posthorn } from '../../posthorn.ts'
import type { Fields, Log } from './log.ts'

/** Logs the events of a Posthorn. Events below the log's level are not even listened for. */
export function logEvents(posthorn: Pick<Posthorn, 'on'>, log: Log): void {
  for (const [type, { level, levelOf, fields }] of Object.entries(lines) as [PosthornEvent['type'], Line<EventType>][])
    if (log.isOn(level) || levelOf !== undefined)
      posthorn.on(type, (event) => log.write(levelOf?.(event) ?? level, type, () => fields(event)))
}

/** Logs warnings that are not about a delivery, except for codes that do not matter here. */
export function logWarnings(posthorn: Pick<Posthorn, 'on'>, log: Log, ignored: readonly WarningCode[] = []): void {
  posthorn.on('warning', ({ code, message }) => {
    if (ignored.includes(code)) return
    log.write(errorCodes.has(code) ? 'error' : 'warn', `warning.${code}`, () => ({ msg: oneLine(message) }))
  })
}

export function oneLine(text: string): string {
  return text.replaceAll(/\s+/g, ' ')
}

const errorCodes: ReadonlySet<WarningCode> = new Set(['store_error', 'listener_threw', 'engine_thread_ended'])

interface Line<Type extends EventType> {
  readonly level: LineLevel
  /** For an event that is sometimes worse. */
  levelOf?(event: EventOf<Type>): LineLevel
  /** Only ids, reasons and times: bodies, secrets and URLs do not belong in a log. */
  fields(event: EventOf<Type>): Fields
}

// A table, so that the compiler reports a missing one.
const lines: { readonly [Type in Exclude<EventType, 'warning'>]: Line<Type> } = {
  'message.enqueued': {
    level: 'debug',
    fields: ({ message_id, application_id, event_type, deliveries }) => ({
      message_id,
      application_id,
      event_type,
      deliveries,
    }),
  },
  'delivery.delivered': {
    level: 'debug',
    fields: (event) => ({ ...idsOf(event), attempt: event.attempt_count, duration_ms: event.took_ms }),
  },
  'delivery.failed': {
    level: 'info',
    fields: (event) => ({
      ...idsOf(event),
      attempt: event.attempt_count,
      outcome: event.outcome,
      error: withoutBody(event.error_detail),
      duration_ms: event.took_ms,
      next_retry_at: isoTime(event.next_retry_at),
    }),
  },
  'delivery.dead': {
    level: 'warn',
    fields: (event) => ({ ...idsOf(event), reason: event.reason, error: withoutBody(event.error_detail) }),
  },
  'endpoint.failing': {
    level: 'warn',
    fields: ({ webhook_id, failing_since }) => ({ endpoint_id: webhook_id, failing_since: isoTime(failing_since) }),
  },
  'endpoint.disabled': {
    level: 'warn',
    fields: ({ webhook_id, reason }) => ({ endpoint_id: webhook_id, reason: withoutBody(reason) }),
  },
  'breaker.opened': {
    level: 'info',
    fields: ({ webhook_id, held_until }) => ({ endpoint_id: webhook_id, held_until: isoTime(held_until) }),
  },
  'breaker.closed': { level: 'info', fields: ({ webhook_id }) => ({ endpoint_id: webhook_id }) },
  'lease.lost': {
    level: 'warn',
    fields: ({ webhook_delivery_id, worker_id, code, store_code }) => ({
      delivery_id: webhook_delivery_id,
      worker_id,
      code,
      store_code,
    }),
  },
  'alarm.raised': {
    level: 'warn',
    levelOf: ({ severity }) => (severity === 'page' ? 'error' : 'warn'),
    fields: ({ alarm_id, severity, value, threshold, message }) => ({
      alarm_id,
      severity,
      value,
      threshold,
      msg: oneLine(message),
    }),
  },
  'alarm.resolved': {
    level: 'info',
    fields: ({ alarm_id, message }) => ({ alarm_id, msg: oneLine(message) }),
  },
}

function idsOf(event: { readonly webhook_delivery_id: string; webhook_id: string; message_id: string }): Fields {
  return { delivery_id: event.webhook_delivery_id, endpoint_id: event.webhook_id, message_id: event.message_id }
}

const mostErrorLength = 200

/** Only the status of a response: what follows it is the body. */
function withoutBody(detail: string | null): string | null {
  return detail === null ? null : (/^HTTP \d+/.exec(detail)?.[0] ?? oneLine(detail).slice(0, mostErrorLength))
}
