import type { PosthornEvent } from '../../core/events.ts'
import { isoTime } from '../../core/time.ts'
import { duration, harmless, secondsUntil } from './text.ts'
import type { Labels, View, ViewParts } from './view.ts'

/** Where there is no terminal: one line per event, with time, id, endpoint, status and why. */
export function lineView({ terminal, posthorn, labels, title, hint }: ViewParts): View {
  // Names may have to be read first; the lines stay in the order of the events.
  let printed = Promise.resolve()
  const silence = posthorn.on('*', (event) => {
    printed = printed.then(() => print(event))
    return printed
  })

  async function print(event: PosthornEvent): Promise<void> {
    // Without a name, the id says it too.
    if ('webhook_id' in event) await labels.learn([event.webhook_id]).catch(() => undefined)
    const line = lineOf(event, labels)
    if (line !== null) terminal.output.write(`${line}\n`)
  }

  terminal.say(title)
  if (hint !== '') terminal.say(hint)
  return {
    note: (text) => terminal.say(text),
    async close() {
      silence()
      await printed
    },
  }
}

/** One event as one line; null for warnings, which are messages and no data. */
export function lineOf(event: PosthornEvent, labels: Pick<Labels, 'of'>): string | null {
  switch (event.type) {
    case 'message.enqueued':
      return columns(event, event.message_id, '-', 'enqueued', `${event.event_type} for ${event.deliveries} ${event.deliveries === 1 ? 'endpoint' : 'endpoints'}`)
    case 'delivery.delivered':
      return ofDelivery(event, 'delivered', `attempt ${event.attempt_count} took ${duration(event.took_ms)}`)
    case 'delivery.failed': {
      const wait = secondsUntil(event.next_retry_at, event.at)
      return ofDelivery(event, 'failed', `attempt ${event.attempt_count}: ${event.error_detail}; again in ${wait}`)
    }
    case 'delivery.dead':
      return ofDelivery(event, 'dead', event.error_detail === null ? event.reason : `${event.reason}: ${event.error_detail}`)
    case 'lease.lost':
      return columns(event, event.webhook_delivery_id, '-', 'lease lost', event.code)
    case 'breaker.opened':
      return ofEndpoint(event, 'held', `too many failures; nothing is sent for ${secondsUntil(event.held_until, event.at)}`)
    case 'breaker.closed':
      return ofEndpoint(event, 'open', 'it answers again')
    case 'endpoint.failing':
      return ofEndpoint(event, 'failing', `only failures since ${isoTime(event.failing_since)}`)
    case 'endpoint.disabled':
      return ofEndpoint(event, 'disabled', event.reason)
    case 'warning':
      return null
  }

  function ofDelivery(about: PosthornEvent & { readonly webhook_delivery_id: string; readonly webhook_id: string }, status: string, why: string): string {
    return columns(about, about.webhook_delivery_id, labels.of(about.webhook_id), status, why)
  }

  function ofEndpoint(about: PosthornEvent & { readonly webhook_id: string }, status: string, why: string): string {
    return columns(about, about.webhook_id, labels.of(about.webhook_id), status, why)
  }
}

function columns({ at }: PosthornEvent, id: string, endpoint: string, status: string, why: string): string {
  return `${isoTime(at)}  ${id.padEnd(23)}  ${harmless(endpoint).padEnd(8)}  ${status.padEnd(9)}  ${harmless(why)}`
}
