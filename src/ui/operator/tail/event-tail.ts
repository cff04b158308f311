import type { EventType, PosthornEvent } from '../../../core/ports/events.ts'
import { apiUrl, get } from '../../api/call.ts'
import { browserClock } from '../../clock.ts'
import { counted, firstLine, latency } from '../../text/format.ts'
import type { IconName } from '../../parts/icons.tsx'
import type { Tone } from '../../parts/status.tsx'
import { connectionLost } from '../../state/connection.ts'

export const eventTypes: readonly EventType[] = [
  'message.enqueued',
  'delivery.delivered',
  'delivery.failed',
  'delivery.dead',
  'endpoint.failing',
  'endpoint.disabled',
  'breaker.opened',
  'breaker.closed',
  'lease.lost',
  'alarm.raised',
  'alarm.resolved',
  'warning',
]

/** One event as a row. */
export interface TailEvent {
  readonly key: number
  readonly time: string
  readonly type: EventType
  readonly tone: Tone
  readonly icon: IconName
  readonly sentence: string
  readonly deliveryId: string | null
  readonly endpointId: string | null
}

export interface TailView {
  readonly events: readonly TailEvent[]
  /** Events that came and went unseen, because there were more than anybody can read. */
  readonly skipped: number
  /** How many came while the reader held the view still. */
  readonly waiting: number
  readonly isOpen: boolean
}

export interface Tail {
  readonly pause: (isPaused: boolean) => void
  readonly close: () => void
}

const mostRows = 200
const drawMs = 250
const retryMs = 3_000
const clock = new Intl.DateTimeFormat('en-GB', {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
})

/** Follows the stream, and draws at most four times a second however much comes; what does not fit is counted, not kept. */
export function openTail(filter: { type: string; endpoint: string }, draw: (view: TailView) => void): Tail {
  const rows = new Rows()
  let stopWaiting: (() => void) | null = null
  let source = connect()

  function connect(): EventSource {
    const opened = new EventSource(apiUrl('stream', filter))
    for (const type of eventTypes)
      opened.addEventListener(type, (message: MessageEvent<string>) =>
        rows.add(JSON.parse(message.data) as StreamedEvent),
      )
    opened.addEventListener('gap', (message: MessageEvent<string>) =>
      rows.skip((JSON.parse(message.data) as { missed: number | null }).missed ?? 0),
    )
    opened.addEventListener('open', () => {
      connectionLost.value = false
      rows.touch()
    })
    opened.addEventListener('error', () => {
      rows.touch()
      // The browser tries again by itself after a lost connection, but not after a refusal: the session may have expired.
      if (opened.readyState !== EventSource.CLOSED) connectionLost.value = true
      else stopWaiting = browserClock.after(retryMs, () => void reconnect())
    })
    return opened
  }

  async function reconnect(): Promise<void> {
    const answer = await get('session')
    if (answer.kind === 'answered') source = connect()
    else if (answer.kind === 'unreachable') stopWaiting = browserClock.after(retryMs, () => void reconnect())
  }

  const stopDrawing = browserClock.every(drawMs, () => {
    const view = rows.view()
    if (view !== null) draw({ ...view, isOpen: source.readyState === EventSource.OPEN })
  })
  return {
    pause: (isPaused) => rows.pause(isPaused),
    close() {
      stopDrawing()
      stopWaiting?.()
      source.close()
    },
  }
}

/** The rows that are shown, and those that wait to be; both are bounded. */
class Rows {
  #shown: TailEvent[] = []
  #arrived: TailEvent[] = []
  #skipped = 0
  #waiting = 0
  #isPaused = false
  #isChanged = true
  #lastKey = 0

  add(event: StreamedEvent): void {
    this.#lastKey += 1
    this.#arrived.push(rowOf(event, this.#lastKey))
    if (this.#isPaused) this.#waiting += 1
    if (this.#arrived.length > mostRows) {
      this.#arrived.shift()
      this.#skipped += 1
    }
    this.#isChanged = true
  }

  skip(missed: number): void {
    this.#skipped += missed
    this.#isChanged = true
  }

  touch(): void {
    this.#isChanged = true
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused
    this.#waiting = 0
    this.#isChanged = true
  }

  /** Null if nothing has changed since it was last looked at. */
  view(): Omit<TailView, 'isOpen'> | null {
    if (!this.#isChanged) return null
    this.#isChanged = false
    if (!this.#isPaused) {
      this.#shown = [...this.#arrived.toReversed(), ...this.#shown].slice(0, mostRows)
      this.#arrived = []
    }
    return { events: this.#shown, skipped: this.#skipped, waiting: this.#waiting }
  }
}

/** On the wire times are text and the ids have their own names beside the event's. */
type StreamedEvent = PosthornEvent & { readonly endpointId?: string | null }

function rowOf(event: StreamedEvent, key: number): TailEvent {
  const deliveryId = 'webhook_delivery_id' in event ? event.webhook_delivery_id : null
  const endpointId = event.endpointId ?? ('webhook_id' in event ? event.webhook_id : null)
  return {
    key,
    time: clock.format(new Date(event.at)),
    type: event.type,
    deliveryId,
    endpointId,
    ...appearanceOf(event),
  }
}

// oxlint-disable-next-line eslint/complexity -- One case per type of event: apart, nobody would see which are missing.
function appearanceOf(event: PosthornEvent): { tone: Tone; icon: IconName; sentence: string } {
  switch (event.type) {
    case 'message.enqueued':
      return { tone: 'idle', icon: 'dots', sentence: `${event.event_type}: ${counted(event.deliveries, 'delivery')}` }
    case 'delivery.delivered':
      return {
        tone: 'good',
        icon: 'check',
        sentence: `${event.webhook_delivery_id} at attempt ${event.attempt_count} in ${latency(event.took_ms)}`,
      }
    case 'delivery.failed':
      return {
        tone: 'warning',
        icon: 'retry',
        sentence: `${event.webhook_delivery_id} at attempt ${event.attempt_count}: ${firstLine(event.error_detail)}`,
      }
    case 'delivery.dead':
      return {
        tone: 'bad',
        icon: 'cross',
        sentence: `${event.webhook_delivery_id} ${event.reason}: ${firstLine(event.error_detail ?? 'without a message')}`,
      }
    case 'endpoint.failing':
      return { tone: 'warning', icon: 'broken', sentence: `${event.webhook_id} only fails` }
    case 'endpoint.disabled':
      return { tone: 'held', icon: 'stop', sentence: `${event.webhook_id}: ${event.reason}` }
    case 'breaker.opened':
      return {
        tone: 'bad',
        icon: 'broken',
        sentence: `${event.webhook_id} is held until ${clock.format(new Date(event.held_until))}`,
      }
    case 'breaker.closed':
      return { tone: 'good', icon: 'check', sentence: `${event.webhook_id} answers again` }
    case 'lease.lost':
      return {
        tone: 'warning',
        icon: 'broken',
        sentence: `${event.webhook_delivery_id}: ${event.code} by ${event.worker_id}`,
      }
    case 'alarm.raised':
      return { tone: event.severity === 'page' ? 'bad' : 'warning', icon: 'broken', sentence: event.message }
    case 'alarm.resolved':
      return { tone: 'good', icon: 'check', sentence: event.message }
    case 'warning':
      return { tone: 'warning', icon: 'broken', sentence: event.message }
  }
}
