import type { EventType, PosthornEvent } from '../core/events.ts'
import { apiUrl } from './api.ts'
import { browserClock } from './clock.ts'
import { counted, firstLine, latency } from './format.ts'
import type { IconName } from './parts/icons.tsx'
import type { Tone } from './parts/status.tsx'

export const eventTypes: readonly EventType[] = [
  'message.enqueued', 'delivery.delivered', 'delivery.failed', 'delivery.dead', 'endpoint.failing', 'endpoint.disabled', 'breaker.opened', 'breaker.closed',
  'lease.lost', 'warning',
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
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit', fractionalSecondDigits: 3 })

/** Listens, and draws at most four times a second however much comes; what does not fit is counted, not kept. */
export function openTail(filter: { type: string; endpoint: string }, draw: (view: TailView) => void): Tail {
  const source = new EventSource(apiUrl('stream', filter))
  let shown: TailEvent[] = []
  let arrived: TailEvent[] = []
  let skipped = 0
  let waiting = 0
  let isPaused = false
  let isChanged = true
  let key = 0

  function hear(message: MessageEvent<string>): void {
    key += 1
    arrived.push(rowOf(JSON.parse(message.data) as StreamedEvent, key))
    if (isPaused) waiting += 1
    if (arrived.length > mostRows) {
      arrived.shift()
      skipped += 1
    }
    isChanged = true
  }

  function show(): void {
    if (!isChanged) return
    isChanged = false
    if (!isPaused) {
      shown = [...arrived.reverse(), ...shown].slice(0, mostRows)
      arrived = []
    }
    draw({ events: shown, skipped, waiting, isOpen: source.readyState === EventSource.OPEN })
  }

  for (const type of eventTypes) source.addEventListener(type, hear)
  source.addEventListener('gap', (message: MessageEvent<string>) => {
    skipped += (JSON.parse(message.data) as { missed: number | null }).missed ?? 0
    isChanged = true
  })
  source.addEventListener('open', () => (isChanged = true))
  source.addEventListener('error', () => (isChanged = true))
  const stopDrawing = browserClock.every(drawMs, show)
  return {
    pause(pause) {
      isPaused = pause
      waiting = 0
      isChanged = true
    },
    close() {
      stopDrawing()
      source.close()
    },
  }
}

/** On the wire times are text and the ids have their own names beside the event's. */
type StreamedEvent = PosthornEvent & { readonly endpointId?: string | null }

function rowOf(event: StreamedEvent, key: number): TailEvent {
  const deliveryId = 'webhook_delivery_id' in event ? event.webhook_delivery_id : null
  const endpointId = event.endpointId ?? ('webhook_id' in event ? event.webhook_id : null)
  return { key, time: clock.format(new Date(event.at)), type: event.type, deliveryId, endpointId, ...lookOf(event) }
}

function lookOf(event: PosthornEvent): { tone: Tone; icon: IconName; sentence: string } {
  switch (event.type) {
    case 'message.enqueued':
      return { tone: 'idle', icon: 'dots', sentence: `${event.event_type}: ${counted(event.deliveries, 'delivery')}` }
    case 'delivery.delivered':
      return { tone: 'good', icon: 'check', sentence: `${event.webhook_delivery_id} at attempt ${event.attempt_count} in ${latency(event.took_ms)}` }
    case 'delivery.failed':
      return { tone: 'warning', icon: 'retry', sentence: `${event.webhook_delivery_id} at attempt ${event.attempt_count}: ${firstLine(event.error_detail)}` }
    case 'delivery.dead':
      return { tone: 'bad', icon: 'cross', sentence: `${event.webhook_delivery_id} ${event.reason}: ${firstLine(event.error_detail ?? 'without a message')}` }
    case 'endpoint.failing':
      return { tone: 'warning', icon: 'broken', sentence: `${event.webhook_id} only fails` }
    case 'endpoint.disabled':
      return { tone: 'held', icon: 'stop', sentence: `${event.webhook_id}: ${event.reason}` }
    case 'breaker.opened':
      return { tone: 'bad', icon: 'broken', sentence: `${event.webhook_id} is held until ${clock.format(new Date(event.held_until))}` }
    case 'breaker.closed':
      return { tone: 'good', icon: 'check', sentence: `${event.webhook_id} answers again` }
    case 'lease.lost':
      return { tone: 'warning', icon: 'broken', sentence: `${event.webhook_delivery_id}: ${event.code} by ${event.worker_id}` }
    case 'warning':
      return { tone: 'warning', icon: 'broken', sentence: event.message }
  }
}
