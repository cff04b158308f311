import type { EventOf, EventType, PosthornEvent } from '../../core/ports/events.ts'
import { isoTime } from '../../core/time.ts'
import { duration, printable, secondsUntil } from './text.ts'
import type { Labels, View, ViewParts } from './view.ts'

/** Without a terminal: one line per event, with time, id, endpoint, status and reason. */
export function lineView({ terminal, posthorn, labels, title, hint }: ViewParts): View {
  // Names may have to be read first; the lines stay in the order of the events.
  let printed = Promise.resolve()
  const stopListening = posthorn.on('*', (event) => {
    printed = printed.then(() => print(event))
    return printed
  })

  async function print(event: PosthornEvent): Promise<void> {
    // Without a name, the id will do.
    if ('webhook_id' in event) await labels.learn([event.webhook_id]).catch(() => undefined)
    const line = lineOf(event, labels)
    if (line !== null) terminal.output.write(`${line}\n`)
  }

  terminal.say(title)
  if (hint !== '') terminal.say(hint)
  return {
    note: (text) => terminal.say(text),
    async close() {
      stopListening()
      await printed
    },
  }
}

/** One event as one line; null for warnings, which are messages, not data. */
export function lineOf(event: PosthornEvent, labels: Pick<Labels, 'of'>): string | null {
  // Each event goes to the function for its type, which the compiler cannot follow through the table.
  const line = (lines[event.type] as (event: PosthornEvent) => Line | null)(event)
  if (line === null) return null
  const endpoint = line.endpointId === null ? '-' : printable(labels.of(line.endpointId))
  return `${isoTime(event.at)}  ${line.id.padEnd(23)}  ${endpoint.padEnd(8)}  ${line.status.padEnd(9)}  ${printable(line.why)}`
}

interface Line {
  readonly id: string
  /** Null if it is not about an endpoint. */
  readonly endpointId: string | null
  readonly status: string
  readonly why: string
}

const lines: { readonly [Type in EventType]: (event: EventOf<Type>) => Line | null } = {
  'message.enqueued': ({ message_id: id, event_type: type, deliveries }) => {
    const endpoints = `${deliveries} ${deliveries === 1 ? 'endpoint' : 'endpoints'}`
    return { id, endpointId: null, status: 'enqueued', why: `${type} for ${endpoints}` }
  },
  'delivery.delivered': (event) =>
    ofDelivery(event, 'delivered', `attempt ${event.attempt_count} took ${duration(event.took_ms)}`),
  'delivery.failed': (event) => {
    const wait = secondsUntil(event.next_retry_at, event.at)
    return ofDelivery(event, 'failed', `attempt ${event.attempt_count}: ${event.error_detail}; again in ${wait}`)
  },
  'delivery.dead': (event) =>
    ofDelivery(event, 'dead', event.error_detail === null ? event.reason : `${event.reason}: ${event.error_detail}`),
  'lease.lost': ({ webhook_delivery_id: id, code }) => ({ id, endpointId: null, status: 'lease lost', why: code }),
  'breaker.opened': (event) =>
    ofEndpoint(event, 'held', `too many failures; nothing is sent for ${secondsUntil(event.held_until, event.at)}`),
  'breaker.closed': (event) => ofEndpoint(event, 'open', 'it answers again'),
  'endpoint.failing': (event) => ofEndpoint(event, 'failing', `only failures since ${isoTime(event.failing_since)}`),
  'endpoint.disabled': (event) => ofEndpoint(event, 'disabled', event.reason),
  'alarm.raised': (event) => ofAlarm(event, event.severity),
  'alarm.resolved': (event) => ofAlarm(event, 'resolved'),
  warning: () => null,
}

function ofDelivery(
  event: { readonly webhook_delivery_id: string; readonly webhook_id: string },
  status: string,
  why: string,
): Line {
  return { id: event.webhook_delivery_id, endpointId: event.webhook_id, status, why }
}

function ofAlarm(
  { alarm_id: id, subject, message: why }: EventOf<'alarm.raised' | 'alarm.resolved'>,
  status: string,
): Line {
  return { id, endpointId: subject === '' ? null : subject, status, why }
}

function ofEndpoint(event: { readonly webhook_id: string }, status: string, why: string): Line {
  return { id: event.webhook_id, endpointId: event.webhook_id, status, why }
}
