import { context, ROOT_CONTEXT, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import type { Attributes, Context, Tracer as OtelTracer, TracerProvider } from '@opentelemetry/api'
import { succeeded } from '../core/delivery/attempt.ts'
import type { Outcome } from '../core/delivery/attempt.ts'
import { PosthornError } from '../core/errors.ts'
import type { AttemptAbout, AttemptSpan, SendAbout, SendSpan, Tracer } from '../core/ports/tracer.ts'
import { urlOf } from '../core/url.ts'
import { formatTraceContext, parseTraceContext, traceHeaders } from './trace-context.ts'

/** Spans by the OpenTelemetry API, for whatever SDK the program has registered. Without one, each call returns at its first line. */
export function openTelemetryTracer(version: string): Tracer {
  const current = registeredTracer(version)
  return {
    send(about) {
      const tracer = current()
      return tracer === null ? null : sendSpan(tracer, about)
    },
    attempt(about) {
      const tracer = current()
      return tracer === null ? null : attemptSpan(tracer, about)
    },
  }
}

/** Checked each time, because an SDK may be registered late, or be shut down. */
function registeredTracer(version: string): () => OtelTracer | null {
  let known: { readonly provider: TracerProvider; readonly tracer: OtelTracer } | null = null
  return () => {
    const provider = trace.getTracerProvider()
    if (known !== null && known.provider === provider) return known.tracer
    const tracer = tracerOf(provider, version)
    known = tracer === null ? null : { provider, tracer }
    return tracer
  }
}

/** The API's own provider stands in for a missing one; only with an SDK behind it does it have a tracer to delegate to. */
function tracerOf(provider: TracerProvider, version: string): OtelTracer | null {
  if (!('getDelegateTracer' in provider)) return provider.getTracer('posthorn', version)
  const { getDelegateTracer } = provider as { getDelegateTracer(name: string, version: string): OtelTracer | undefined }
  return getDelegateTracer.call(provider, 'posthorn', version) ?? null
}

/** The messaging conventions: the event type is the destination, like a topic. */
function sendSpan(tracer: OtelTracer, { application, message, parent }: SendAbout): SendSpan {
  const attributes = {
    'messaging.system': 'posthorn',
    'messaging.operation.name': 'send',
    'messaging.operation.type': 'send',
    'messaging.destination.name': message.type,
    'messaging.message.id': message.id,
    'messaging.message.body.size': message.body.length,
    'posthorn.application': application,
  }
  const span = tracer.startSpan(`send ${message.type}`, { kind: SpanKind.PRODUCER, attributes }, parentOf(parent))
  return {
    traceContext: formatTraceContext(span.spanContext()),
    end: () => span.end(),
    fail(error) {
      span.setAttribute('error.type', error instanceof PosthornError ? error.code : '_OTHER')
      span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}

/** The active span takes precedence: where requests are traced, it is a child of the one that the caller names. */
function parentOf(parent: string | null): Context {
  const active = context.active()
  const given = trace.getSpan(active) === undefined ? parseTraceContext(parent) : null
  return given === null ? active : trace.setSpanContext(active, given)
}

/** The conventions for HTTP clients. A separate trace: an attempt may be made days later, and one message has many. */
function attemptSpan(tracer: OtelTracer, { delivery, url, traceContext }: AttemptAbout): AttemptSpan {
  const sent = parseTraceContext(traceContext)
  const attributes = {
    'http.request.method': 'POST',
    ...urlAttributes(url),
    ...(delivery.attemptCount > 0 && { 'http.request.resend_count': delivery.attemptCount }),
    'posthorn.delivery.id': delivery.id,
    'posthorn.endpoint.id': delivery.endpointId,
    'posthorn.message.id': delivery.messageId,
  }
  const links = sent === null ? [] : [{ context: sent }]
  const span = tracer.startSpan('POST', { kind: SpanKind.CLIENT, attributes, links }, ROOT_CONTEXT)
  return {
    headers: traceHeaders(span.spanContext()),
    end(outcome) {
      span.setAttributes(outcomeAttributes(outcome))
      if (!succeeded(outcome)) span.setStatus({ code: SpanStatusCode.ERROR })
      span.end()
    },
  }
}

function outcomeAttributes(outcome: Outcome): Attributes {
  if (outcome.kind !== 'answered') return { 'error.type': outcome.kind }
  const { statusCode } = outcome
  return {
    'http.response.status_code': statusCode,
    ...(!succeeded(outcome) && { 'error.type': String(statusCode) }),
  }
}

/** Values in a query are often secrets, and so are user names. */
function urlAttributes(url: string): Attributes {
  const parsed = urlOf(url)
  if (parsed === null) return {}
  const names = [...new Set(parsed.searchParams.keys())].map((name) => `${encodeURIComponent(name)}=REDACTED`)
  const query = names.length === 0 ? '' : `?${names.join('&')}`
  return {
    'url.full': `${parsed.origin}${parsed.pathname}${query}`,
    'server.address': parsed.hostname,
    'server.port': parsed.port === '' ? (parsed.protocol === 'https:' ? 443 : 80) : Number(parsed.port),
  }
}
