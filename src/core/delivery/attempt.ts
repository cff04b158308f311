import { day } from '../time.ts'
import type { Diagnostics } from './diagnostics.ts'
import type { Instant } from '../time.ts'

/** The result of one attempt. Everything that can happen on the wire is a value here, never an exception. */
export type Outcome =
  | {
      readonly kind: 'answered'
      readonly statusCode: number
      /** The first part of the response body, as text. */
      readonly responseBody: string
      /** The wait that a valid Retry-After header asks for, if there is one. */
      readonly retryAfterMs: number | null
    }
  | { readonly kind: FailureKind; readonly reason: string }

/** `authentication`: we could not prove who we are. `proxy`: our own forward proxy was unreachable, or refused us. */
export type FailureKind =
  | 'timeout'
  | 'dns'
  | 'connect'
  | 'tls'
  | 'reset'
  | 'protocol'
  | 'forbidden'
  | 'authentication'
  | 'proxy'
export type OutcomeKind = Outcome['kind']

/** Every kind of outcome. */
export const outcomeKinds = [
  'answered',
  'timeout',
  'dns',
  'connect',
  'tls',
  'reset',
  'protocol',
  'forbidden',
  'authentication',
  'proxy',
] as const satisfies readonly OutcomeKind[]

/**
 * The recorded outcome of an attempt. `interrupted`: its worker ended, perhaps before anything was sent. `started`: written ahead of
 * a suspect's request. `crashed`: it was started, and then its worker ended.
 */
export const recordedOutcomes = [...outcomeKinds, 'interrupted', 'started', 'crashed'] as const
export type RecordedOutcome = (typeof recordedOutcomes)[number]

/** One stored attempt: one send of one delivery. */
export interface Attempt {
  readonly id: string
  readonly deliveryId: string
  readonly epoch: number
  /** Counted from 1 over the whole life of the delivery, requeues included. */
  readonly number: number
  readonly startedAt: Instant
  readonly tookMs: number
  readonly outcome: RecordedOutcome
  readonly statusCode: number | null
  readonly responseBody: string | null
  readonly url: string
  /** True if the lease was lost before the outcome could be marked. */
  readonly late: boolean
  /** Only for a failed attempt; null if it succeeded, or did not end. */
  readonly diagnostics: Diagnostics | null
}

/**
 * The beginning of every reason about a name that has no address, or no allowed one. The owner of the URL learns no more: the
 * difference would reveal which names exist inside the network. Details for operators follow in brackets.
 */
export const noPublicAddress = 'The name has no public address'
/** The beginning of every reason about our own proxy, which is also for operators only. */
export const proxyFailed = 'our forward proxy failed'

/** A reason or `error_detail` as a tenant may see it. */
export function withoutDetails(text: string): string {
  for (const sentence of [noPublicAddress, proxyFailed]) {
    const start = text.indexOf(`${sentence} (`)
    if (start !== -1) return text.slice(0, start + sentence.length)
  }
  return text
}

const detailLength = 1024
const longestRetryAfterMs = day

/** A 2xx status line decides, no matter what happens to the body afterwards (UC-0268-A1). */
export function succeeded(outcome: Outcome): boolean {
  return outcome.kind === 'answered' && outcome.statusCode >= 200 && outcome.statusCode < 300
}

/** True if nothing left our own network: the outcome says nothing about the endpoint, and uses up no attempt. */
export function isOurOwnFault(outcome: Outcome): boolean {
  return outcome.kind === 'proxy'
}

/** True if the outcome means that the endpoint itself is in trouble, not only this message. */
export function blamesEndpoint(outcome: Outcome): boolean {
  if (outcome.kind !== 'answered') return !isOurOwnFault(outcome)
  return outcome.statusCode >= 500 || outcome.statusCode === 408 || outcome.statusCode === 429
}

/** True for a record that only says that an attempt began: the attempt's own outcome, however late, replaces it. */
export function isProvisional(outcome: RecordedOutcome): boolean {
  return outcome === 'interrupted' || outcome === 'started' || outcome === 'crashed'
}

/** The `error_detail` of a failed attempt: what a person reads first. */
export function errorDetail(outcome: Outcome): string {
  if (outcome.kind !== 'answered') return outcome.reason.slice(0, detailLength)
  const head = `HTTP ${outcome.statusCode}`
  return outcome.responseBody === '' ? head : `${head}: ${outcome.responseBody.slice(0, detailLength)}`
}

/** How long a 429 or 503 asks us to wait, at most a day; null if it does not ask. */
export function askedToWaitMs(outcome: Outcome): number | null {
  if (outcome.kind !== 'answered' || outcome.retryAfterMs === null) return null
  if (outcome.statusCode !== 429 && outcome.statusCode !== 503) return null
  return Math.min(Math.max(outcome.retryAfterMs, 0), longestRetryAfterMs)
}
