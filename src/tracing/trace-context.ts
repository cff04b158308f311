import { createTraceState, isSpanContextValid } from '@opentelemetry/api'
import type { SpanContext } from '@opentelemetry/api'

// Version 00 has exactly these four parts; a later one may append more, and is read like 00.
const traceparent = /^(?!ff)[\da-f]{2}-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})(?:-|$)/

/** A span's context in the form of W3C Trace Context: `traceparent`, then a space and `tracestate` if there is one. */
export function formatTraceContext(context: SpanContext): string {
  const state = context.traceState?.serialize() ?? ''
  return state === '' ? traceparentOf(context) : `${traceparentOf(context)} ${state}`
}

/** The stored or given context; null if it is invalid, which W3C says to ignore. */
export function parseTraceContext(text: string | null): SpanContext | null {
  if (text === null) return null
  const space = text.indexOf(' ')
  const head = space === -1 ? text : text.slice(0, space)
  const [, traceId, spanId, flags] = traceparent.exec(head) ?? []
  if (traceId === undefined || spanId === undefined || flags === undefined) return null
  const context = { traceId, spanId, traceFlags: Number.parseInt(flags, 16) & 1, isRemote: true }
  if (!isSpanContextValid(context)) return null
  return space === -1 ? context : { ...context, traceState: createTraceState(text.slice(space + 1)) }
}

/** The headers that carry a context. */
export function traceHeaders(context: SpanContext): Record<string, string> {
  const state = context.traceState?.serialize() ?? ''
  return { traceparent: traceparentOf(context), ...(state !== '' && { tracestate: state }) }
}

function traceparentOf({ traceId, spanId, traceFlags }: SpanContext): string {
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}
