import { errors } from 'undici'
import { noPublicAddress } from '../core/delivery/attempt.ts'
import type { FailureKind, Outcome } from '../core/delivery/attempt.ts'

export type Failure = Exclude<Outcome, { kind: 'answered' }>

/** An address that may not be called. */
export function forbiddenFailure(what: string): Failure {
  return { kind: 'forbidden', reason: `${noPublicAddress} (${what} is not allowed)` }
}

/** A name without an address. */
export function nameFailure(details: string): Failure {
  return { kind: 'dns', reason: `${noPublicAddress} (${details})` }
}

export const closedFailure: Failure = { kind: 'reset', reason: 'the transport was closed' }

export function timeoutFailure(timeoutMs: number): Failure {
  return { kind: 'timeout', reason: `no answer within ${timeoutMs} ms` }
}

/** Why a name could not be resolved. */
export function lookupFailure(error: unknown): Failure {
  const sentence = codeOf(error) === 'ENOTFOUND' ? 'name not found' : 'lookup failed'
  return nameFailure(codeOf(error) === '' ? sentence : `${sentence}, ${codeOf(error)}`)
}

/** Why no TCP connection was established. */
export function connectFailure(error: unknown): Failure {
  switch (codeOf(error)) {
    case 'ECONNREFUSED':
      return failure('connect', 'connection refused', error)
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
      return failure('connect', 'host unreachable', error)
    case 'ETIMEDOUT':
      return failure('timeout', 'no connection in time', error)
    default:
      return failure('connect', 'connection failed', error)
  }
}

/** Why the TLS handshake failed. OpenSSL and the operating system use these codes; all others are about the certificate. */
export function tlsFailure(error: unknown): Failure {
  const refusal = refusalOfCertificate(codeOf(error))
  if (refusal !== null) return failure('authentication', refusal, error)
  const isHandshake = /^(ERR_SSL|ERR_OSSL|E[A-Z]+$)/.test(codeOf(error)) || codeOf(error) === ''
  return failure('tls', isHandshake ? 'TLS handshake failed' : 'certificate refused', error)
}

/** The other side's complaint about our own certificate, if there is one. */
function refusalOfCertificate(code: string): string | null {
  if (code.endsWith('ALERT_CERTIFICATE_REQUIRED')) return 'the server asks for a client certificate'
  const isRefused = /ALERT_(BAD_CERTIFICATE|UNSUPPORTED_CERTIFICATE|CERTIFICATE_\w+|UNKNOWN_CA|ACCESS_DENIED)$/.test(
    code,
  )
  return isRefused ? 'the server refused our client certificate' : null
}

/** Why one of our client certificates cannot be used at all. */
export function ownCertificateFailure(error: unknown): Failure {
  return failure('authentication', 'our client certificate cannot be used', error)
}

/** What went wrong on an open connection before the head of a response had arrived. */
export function requestFailure(error: unknown): Failure {
  const code = codeOf(error)
  if (code === 'UND_ERR_DESTROYED' || code === 'UND_ERR_CLOSED') return closedFailure
  if (code.startsWith('ERR_SSL')) return tlsFailure(error)
  // Undici has one code for a connection that ended and for an unrequested response (100, 101).
  if (code === 'UND_ERR_SOCKET' && error instanceof Error && error.message.startsWith('bad '))
    return failure('protocol', 'unexpected answer', error)
  const [kind, sentence] = requestFailures.get(code) ?? ['protocol', unknownSentence(error)]
  return failure(kind, sentence, error)
}

const requestFailures: ReadonlyMap<string, readonly [FailureKind, string]> = new Map([
  ['UND_ERR_SOCKET', ['reset', 'connection closed before an answer']],
  ['ECONNRESET', ['reset', 'connection reset']],
  ['EPIPE', ['reset', 'connection reset']],
  ['ECONNABORTED', ['reset', 'connection reset']],
  ['ETIMEDOUT', ['timeout', 'connection timed out']],
  ['UND_ERR_HEADERS_OVERFLOW', ['protocol', 'headers of the answer too large']],
  ['UND_ERR_RES_CONTENT_LENGTH_MISMATCH', ['protocol', 'answer is not HTTP']],
  ['UND_ERR_INVALID_ARG', ['protocol', 'request cannot be sent']],
  ['UND_ERR_NOT_SUPPORTED', ['protocol', 'request cannot be sent']],
  ['UND_ERR_REQ_CONTENT_LENGTH_MISMATCH', ['protocol', 'request cannot be sent']],
])

/** The parser has many codes, all for the same thing. */
function unknownSentence(error: unknown): string {
  return error instanceof errors.HTTPParserError ? 'answer is not HTTP' : 'unexpected error'
}

/** Only codes: a message may contain an address, a header or a secret. */
function failure(kind: FailureKind, sentence: string, error: unknown): Failure {
  const code = codeOf(error)
  return { kind, reason: code === '' ? sentence : `${sentence} (${code})` }
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return ''
  return typeof error.code === 'string' && /^\w{1,60}$/.test(error.code) ? error.code : ''
}
