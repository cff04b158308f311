import type { Endpoint } from '../../core/endpoint/endpoint.ts'
import type { OutgoingRequest } from '../../core/ports/ports.ts'
import type { Claim } from '../../core/ports/queue.ts'
import { signatureHeaders } from '../../core/signing/signature.ts'
import type { Instant } from '../../core/time.ts'
import type { EngineSettings } from '../parts.ts'

/** What an attempt at this time sends: the exact bytes of the message, signed. */
export function requestFor(
  { headerPrefix: prefix, userAgent, timeoutMs }: Pick<EngineSettings, 'headerPrefix' | 'userAgent' | 'timeoutMs'>,
  { url, headers, secrets, signature: scheme, bodyHeader }: Endpoint,
  { id: messageId, body, contentType }: Claim['message'],
  now: Instant,
): OutgoingRequest {
  const signed = signatureHeaders({ scheme, bodyHeader, prefix, secrets, messageId, body, now })
  return {
    url,
    headers: Object.assign({}, headers, { 'content-type': contentType, 'user-agent': userAgent }, signed),
    body,
    timeoutMs,
  }
}

/** The same with the headers of a trace, unless the endpoint has one of its own: then neither is ours. */
export function withTrace(request: OutgoingRequest, trace: Readonly<Record<string, string>>): OutgoingRequest {
  const isOwn = Object.keys(request.headers).some((name) => name.toLowerCase() === 'traceparent')
  return isOwn ? request : { ...request, headers: { ...trace, ...request.headers } }
}
