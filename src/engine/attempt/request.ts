import {
  authenticationHeader,
  authenticationHeaderName,
  transportAuthentication,
} from '../../core/endpoint/authentication.ts'
import type { Authentication } from '../../core/endpoint/authentication.ts'
import type { Sent } from '../../core/delivery/diagnostics.ts'
import type { Endpoint } from '../../core/endpoint/endpoint.ts'
import type { OutgoingRequest } from '../../core/ports/ports.ts'
import type { Claim } from '../../core/ports/queue.ts'
import { signatureHeaders } from '../../core/signing/signature.ts'
import type { Instant } from '../../core/time.ts'
import type { EngineSettings } from '../parts.ts'

/** When a request leaves, and who learns what became of it. */
export interface RequestContext {
  readonly now: Instant
  readonly observe?: OutgoingRequest['observe']
}

/** The request of an attempt at this time: the exact bytes of the message, signed. */
export function requestFor(
  { headerPrefix: prefix, userAgent, timeoutMs }: Pick<EngineSettings, 'headerPrefix' | 'userAgent' | 'timeoutMs'>,
  endpoint: Endpoint,
  { id: messageId, body, contentType }: Claim['message'],
  { now, observe }: RequestContext,
): OutgoingRequest {
  const { id, url, headers, authentication, secrets, signature: scheme, bodyHeader } = endpoint
  const signed = signatureHeaders({ scheme, bodyHeader, prefix, secrets, messageId, body, now })
  const request: OutgoingRequest = {
    url,
    headers: Object.assign({}, headers, { 'content-type': contentType, 'user-agent': userAgent }, signed),
    body,
    timeoutMs,
    observe,
  }
  return authentication === null ? request : authenticated(request, authentication, id)
}

/** Adds our credentials for the endpoint. */
function authenticated(request: OutgoingRequest, given: Authentication, endpointId: string): OutgoingRequest {
  const header = authenticationHeader(given)
  const headers = header === null ? request.headers : { ...request.headers, [header[0]]: header[1] }
  return { ...request, headers, authentication: transportAuthentication(given, endpointId) }
}

/** The part of a request that may be stored: of the headers set by the endpoint's owner, only the names. */
export function sentHeaders(
  { url, headers }: OutgoingRequest,
  { headers: own, authentication }: Pick<Endpoint, 'headers' | 'authentication'>,
): Sent {
  const name = authentication === null ? null : authenticationHeaderName(authentication)
  return { url, headers, hidden: [...Object.keys(own), ...(name === null ? [] : [name])] }
}

/** Adds the trace headers, unless the endpoint sets its own `traceparent`: then it gets none of ours. */
export function withTrace(request: OutgoingRequest, trace: Readonly<Record<string, string>>): OutgoingRequest {
  const isOwn = Object.keys(request.headers).some((name) => name.toLowerCase() === 'traceparent')
  return isOwn ? request : { ...request, headers: { ...trace, ...request.headers } }
}
