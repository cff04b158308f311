import type { DeadReason } from '../core/delivery/delivery.ts'
import { messageOf } from '../core/errors.ts'
import { topic } from '../core/ports/events.ts'
import type { EventOf, EventType, PosthornEvent, WarningCode } from '../core/ports/events.ts'
import type { Clock } from '../core/ports/ports.ts'
import type { Cancelled } from '../core/ports/queue.ts'

export type Listener<Type extends EventType> = (event: EventOf<Type>) => unknown

/** Emits events after the commit. Nothing essential depends on them, and a listener that throws harms only itself. */
export interface Bus {
  on<Type extends EventType>(type: Type | '*', listener: Listener<Type>): () => void
  emit(event: NewEvent): void
  warn(code: WarningCode, message: string): void
}

/** An event without the fields that the bus adds. */
export type NewEvent = PosthornEvent extends infer Event
  ? Event extends PosthornEvent
    ? Omit<Event, 'topic' | 'at'>
    : never
  : never

const noAttempt = { event_type: null, status_code: null, took_ms: null }

/** Emits deliveries that ended without an attempt: cancelled, expired, or their endpoint gone. */
export function emitEnded(bus: Bus, ended: readonly Cancelled[], reason: DeadReason): void {
  for (const { id, endpointId, messageId, sessionId } of ended) {
    const about = { webhook_delivery_id: id, webhook_id: endpointId, message_id: messageId, session_id: sessionId }
    bus.emit({ type: 'delivery.dead', ...about, ...noAttempt, reason, error_detail: null })
  }
}

type Heard = (event: never) => unknown

const nobody: readonly Heard[] = []

export function makeBus(clock: Clock): Bus {
  // Lists that are replaced, never changed: whoever begins to listen to an event while it is emitted hears the next one.
  const listeners = new Map<string, readonly Heard[]>()

  function emit(given: NewEvent): void {
    const named = listeners.get(given.type) ?? nobody
    const all = listeners.get('*') ?? nobody
    if (named.length + all.length === 0) return
    const event = { topic, at: clock.now(), ...given } as never
    for (const listener of named) call(listener, event, given.type)
    for (const listener of all) call(listener, event, given.type)
  }

  function call(listener: Heard, event: never, type: EventType): void {
    try {
      const result = listener(event)
      if (result instanceof Promise) result.catch((error: unknown) => complain(error, type))
    } catch (error) {
      complain(error, type)
    }
  }

  function complain(error: unknown, type: EventType): void {
    // A listener for warnings that throws must not cause another warning.
    if (type !== 'warning') warn('listener_threw', `A listener of ${type} threw: ${messageOf(error)}`)
  }

  function warn(code: WarningCode, message: string): void {
    emit({ type: 'warning', code, message })
  }

  return {
    emit,
    warn,
    on(type, listener) {
      const others = (): readonly Heard[] => (listeners.get(type) ?? nobody).filter((other) => other !== listener)
      listeners.set(type, [...others(), listener])
      return () => void listeners.set(type, others())
    },
  }
}
