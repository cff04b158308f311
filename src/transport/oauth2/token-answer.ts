import type { OAuth2Client } from '../../core/endpoint/authentication.ts'
import type { Outcome } from '../../core/delivery/attempt.ts'
import type { OutgoingRequest } from '../../core/ports/ports.ts'
import { hour, second } from '../../core/time.ts'
import type { Failure } from '../failure.ts'

/** A token, and for how long it may be used; or why there is none. */
export type TokenAnswer =
  | { readonly kind: 'token'; readonly token: string; readonly lastsMs: number }
  | { readonly kind: 'failed'; readonly failure: Failure }

/** The request for a token (RFC 6749, 4.4). */
export function tokenRequest(client: OAuth2Client): Pick<OutgoingRequest, 'url' | 'headers' | 'body'> {
  const { tokenUrl: url, clientId, clientSecret, scope, audience, credentialsIn = 'header' } = client
  const form = new URLSearchParams({ grant_type: 'client_credentials' })
  if (scope !== undefined) form.set('scope', scope)
  if (audience !== undefined) form.set('audience', audience)
  const headers: Record<string, string> = {
    'content-type': 'application/x-www-form-urlencoded',
    accept: 'application/json',
  }
  if (credentialsIn === 'body') {
    form.set('client_id', clientId)
    form.set('client_secret', clientSecret)
  } else {
    const pair = [clientId, clientSecret].map((each) => new URLSearchParams({ x: each }).toString().slice(2)).join(':')
    headers['authorization'] = `Basic ${Buffer.from(pair).toString('base64')}`
  }
  return { url, headers, body: Buffer.from(form.toString()) }
}

/** Evaluates a token endpoint's response. */
export function readTokenAnswer(outcome: Outcome): TokenAnswer {
  // Our own proxy is not the token endpoint's fault.
  if (outcome.kind === 'proxy') return { kind: 'failed', failure: outcome }
  if (outcome.kind !== 'answered') return failed(`the token endpoint cannot be reached: ${outcome.reason}`)
  const { statusCode, responseBody } = outcome
  const answer = objectIn(responseBody)
  if (statusCode !== 200) return failed(`the token endpoint refused us (HTTP ${statusCode}${errorIn(answer)})`)
  const { access_token: token, token_type: type = 'bearer', expires_in: seconds } = answer ?? {}
  if (!isToken(token) || !isBearer(type)) return failed(nonsense(answer))
  return { kind: 'token', token, lastsMs: usableMs(Number(seconds)) }
}

export function failed(reason: string): TokenAnswer {
  return { kind: 'failed', failure: { kind: 'authentication', reason } }
}

function nonsense(answer: object | null): string {
  const got = answer === null ? 'something that is no JSON object' : 'JSON without such a token'
  return `the token endpoint answered nonsense: expected JSON with \`access_token\`, a bearer token, got ${got}`
}

function objectIn(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}

/** The code of a refusal, such as `invalid_client`; nothing else of the response, which may repeat a secret. */
function errorIn(answer: Record<string, unknown> | null): string {
  const error = answer?.['error']
  return typeof error === 'string' && /^[a-z_]{1,60}$/.test(error) ? `, ${error}` : ''
}

function isToken(token: unknown): token is string {
  return typeof token === 'string' && /^[\x21-\x7e]{1,8192}$/.test(token)
}

function isBearer(type: unknown): boolean {
  return typeof type === 'string' && type.toLowerCase() === 'bearer'
}

const marginMs = 30 * second

/** Not to the last second: it must still be valid when it arrives. Without a lifetime, an hour is assumed. */
function usableMs(seconds: number): number {
  const ms = Number.isFinite(seconds) && seconds >= 0 ? Math.min(seconds, 86_400) * second : hour
  return Math.max(ms - marginMs, ms / 2)
}
