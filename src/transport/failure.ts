import { errors } from 'undici'
import type { FailureKind, Outcome } from '../core/delivery/attempt.ts'

export type Failure = Exclude<Outcome, { kind: 'answered' }>

/** The one answer to a tenant whose URL may not be called: it gives away nothing about what is there. */
export const forbiddenFailure: Failure = { kind: 'forbidden', reason: 'forbidden address' }
export const closedFailure: Failure = { kind: 'reset', reason: 'the transport was closed' }

export function timeoutFailure(timeoutMs: number): Failure {
  return { kind: 'timeout', reason: `no answer within ${timeoutMs} ms` }
}

/** Why a name could not be looked up. */
export function lookupFailure(error: unknown): Failure {
  return failure('dns', codeOf(error) === 'ENOTFOUND' ? 'name not found' : 'look-up failed', error)
}

/** Why no TCP connection came about. */
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

/** Why the TLS handshake failed. OpenSSL and the operating system name their errors so; all others are about the certificate. */
export function tlsFailure(error: unknown): Failure {
  const isHandshake = /^(ERR_SSL|ERR_OSSL|E[A-Z]+$)/.test(codeOf(error)) || codeOf(error) === ''
  return failure('tls', isHandshake ? 'TLS handshake failed' : 'certificate refused', error)
}

/** What went wrong on an open connection before the head of an answer had come. */
export function requestFailure(error: unknown): Failure {
  const code = codeOf(error)
  switch (code) {
    case 'UND_ERR_SOCKET':
      // Undici has one code for a connection that ended and for an answer (100, 101) that nobody asked for.
      return error instanceof Error && error.message.startsWith('bad ')
        ? failure('protocol', 'unexpected answer', error)
        : failure('reset', 'connection closed before an answer', error)
    case 'ECONNRESET':
    case 'EPIPE':
    case 'ECONNABORTED':
      return failure('reset', 'connection reset', error)
    case 'UND_ERR_DESTROYED':
    case 'UND_ERR_CLOSED':
      return closedFailure
    case 'ETIMEDOUT':
      return failure('timeout', 'connection timed out', error)
    case 'UND_ERR_HEADERS_OVERFLOW':
      return failure('protocol', 'headers of the answer too large', error)
    case 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH':
      return failure('protocol', 'answer is not HTTP', error)
    case 'UND_ERR_INVALID_ARG':
    case 'UND_ERR_NOT_SUPPORTED':
    case 'UND_ERR_REQ_CONTENT_LENGTH_MISMATCH':
      return failure('protocol', 'request cannot be sent', error)
    default:
      if (code.startsWith('ERR_SSL')) return tlsFailure(error)
      return failure(
        'protocol',
        error instanceof errors.HTTPParserError ? 'answer is not HTTP' : 'unexpected error',
        error,
      )
  }
}

/** Codes only: a message may repeat an address, a header or a secret. */
function failure(kind: FailureKind, sentence: string, error: unknown): Failure {
  const code = codeOf(error)
  return { kind, reason: code === '' ? sentence : `${sentence} (${code})` }
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null || !('code' in error)) return ''
  return typeof error.code === 'string' && /^\w{1,60}$/.test(error.code) ? error.code : ''
}
