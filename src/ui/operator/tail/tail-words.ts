import type { EventType } from '../../../core/ports/events.ts'
import type { IconName } from '../../parts/icons.tsx'
import type { Tone } from '../../parts/status.tsx'
import type { TailRow } from './tail-row.ts'

interface Appearance {
  readonly word: string
  readonly tone: Tone
  readonly icon: IconName
}

/** How each type of event looks, and what people call it. */
const appearances: Readonly<Record<EventType, Appearance>> = {
  'message.enqueued': { word: 'queued', tone: 'idle', icon: 'dots' },
  'delivery.delivered': { word: 'delivered', tone: 'good', icon: 'check' },
  'delivery.failed': { word: 'failed', tone: 'warning', icon: 'retry' },
  'delivery.dead': { word: 'dead', tone: 'bad', icon: 'cross' },
  'endpoint.failing': { word: 'failing', tone: 'warning', icon: 'broken' },
  'endpoint.disabled': { word: 'disabled', tone: 'held', icon: 'stop' },
  'breaker.opened': { word: 'breaker opened', tone: 'bad', icon: 'broken' },
  'breaker.closed': { word: 'breaker closed', tone: 'good', icon: 'check' },
  'lease.lost': { word: 'lease lost', tone: 'warning', icon: 'broken' },
  'alarm.raised': { word: 'alarm', tone: 'bad', icon: 'broken' },
  'alarm.resolved': { word: 'alarm resolved', tone: 'good', icon: 'check' },
  warning: { word: 'warning', tone: 'warning', icon: 'broken' },
}

const cancelled: Appearance = { word: 'cancelled', tone: 'held', icon: 'stop' }

export function appearanceOf({ type, isCancelled }: Pick<TailRow, 'type' | 'isCancelled'>): Appearance {
  return isCancelled ? cancelled : appearances[type]
}

/** The types of events that the tail can be narrowed to, and what people call them. */
export const eventWords: readonly (readonly [EventType, string])[] = Object.entries(appearances).map(
  ([type, { word }]) => [type as EventType, word],
)
