import { succeeded } from '../core/attempt.ts'
import type { Outcome } from '../core/attempt.ts'
import { settle } from '../core/delivery.ts'
import type { Mark } from '../core/delivery.ts'
import type { Endpoint } from '../core/endpoint.ts'
import { messageOf } from '../core/errors.ts'
import type { OutgoingRequest } from '../core/ports.ts'
import type { Claim, Marked, SettledAttempt } from '../core/queue.ts'
import type { RetryPolicy } from '../core/retry-policy.ts'
import { signatureHeaders } from '../core/signature.ts'
import type { Instant } from '../core/time.ts'
import type { EngineParts, EngineSettings } from './parts.ts'
import type { Target } from './targets.ts'

/** A claim in this process's hands, from lease to mark. */
export interface Parcel {
  readonly claim: Claim
  readonly target: Target
  /** Rises if this process claims the row again while its attempt is still under way. */
  epoch: number
  readonly leasedAt: Instant
  /** The one delivery that goes to see whether a hold may end. */
  readonly probe: boolean
  /** Taken while the endpoint had no recent success. */
  readonly unproven: boolean
}

/** One attempt as it went, before anything is decided about it. */
export interface Attempted {
  readonly outcome: Outcome
  readonly startedAt: Instant
  readonly endedAt: Instant
  readonly url: string
}

export interface Courier {
  /** Signs and sends one parcel. Whatever is thrown on the way is an outcome too (UC-0270-F1). */
  attempt(parcel: Parcel): Promise<Attempted>
  /** Decides what the attempt means for its delivery. */
  settled(parcel: Parcel, attempted: Attempted): SettledAttempt
  /** Tells the bus, after the commit, and only what this worker itself has changed. */
  tell(parcel: Parcel, settled: SettledAttempt, marked: Marked): void
}

export function makeCourier({ transport, clock, random, bus, settings }: EngineParts): Courier {
  const strangers = new Set<string>()

  async function attempt(parcel: Parcel): Promise<Attempted> {
    const startedAt = clock.now()
    const { url } = parcel.target.endpoint
    const outcome = await send(parcel, startedAt)
    return { outcome, startedAt, endedAt: clock.now(), url }
  }

  async function send(parcel: Parcel, now: Instant): Promise<Outcome> {
    try {
      const { claim: { message }, target: { endpoint } } = parcel
      return await transport.send(requestFor(settings, endpoint, message, now))
    } catch (error) {
      return { kind: 'protocol', reason: messageOf(error) }
    }
  }

  function settled(parcel: Parcel, { outcome, startedAt, endedAt, url }: Attempted): SettledAttempt {
    const { delivery } = parcel.claim
    const mark = settle(delivery, outcome, policyOf(parcel), settings.pace.heedsEndpoint, endedAt, random)
    const answered = outcome.kind === 'answered'
    return {
      deliveryId: delivery.id,
      epoch: parcel.epoch,
      endpointId: delivery.endpointId,
      mark,
      attempt: {
        startedAt,
        tookMs: Math.max(endedAt - startedAt, 0),
        outcome: outcome.kind,
        statusCode: answered ? outcome.statusCode : null,
        excerpt: excerptOf(outcome),
        url,
      },
    }
  }

  /** A delivery keeps the name of its policy; the numbers are today's, so that a fix reaches rows in flight. */
  function policyOf({ claim: { delivery }, target: { endpoint } }: Parcel): RetryPolicy {
    const named = settings.policies.get(delivery.policy)
    if (named !== undefined) return named
    if (!strangers.has(delivery.policy) && strangers.size < 1_000) {
      strangers.add(delivery.policy)
      bus.warn('unknown_policy', `Deliveries name the retry policy "${delivery.policy}", which is unknown; their endpoint's is used.`)
    }
    return settings.policies.get(endpoint.policy) ?? settings.defaultPolicy
  }

  function tell(parcel: Parcel, { mark, attempt: sent }: SettledAttempt, marked: Marked): void {
    if (marked === 'lost') return
    const { delivery } = parcel.claim
    const about = {
      webhook_delivery_id: delivery.id,
      webhook_id: delivery.endpointId,
      message_id: delivery.messageId,
      session_id: delivery.sessionId,
    }
    switch (mark.status) {
      case 'delivered':
        return bus.tell({ type: 'delivery.delivered', ...about, attempt_count: mark.attemptCount, took_ms: sent?.tookMs ?? 0 })
      case 'failed':
        return bus.tell({
          type: 'delivery.failed',
          ...about,
          attempt_count: mark.attemptCount,
          outcome: sent?.outcome ?? 'protocol',
          error_detail: mark.errorDetail ?? '',
          next_retry_at: mark.nextRetryAt ?? 0,
        })
      case 'dead':
        return bus.tell({ type: 'delivery.dead', ...about, reason: mark.reason ?? 'exhausted', error_detail: mark.errorDetail })
    }
  }

  return { attempt, settled, tell }
}

/** What an attempt at this time sends. */
export function requestFor(
  { headerPrefix: prefix, userAgent, timeoutMs }: Pick<EngineSettings, 'headerPrefix' | 'userAgent' | 'timeoutMs'>,
  { url, headers, secrets, signature: scheme, bodyHeader }: Endpoint,
  { id: messageId, body, contentType }: Claim['message'],
  now: Instant,
): OutgoingRequest {
  const signed = signatureHeaders({ scheme, bodyHeader, prefix, secrets, messageId, body, now })
  return { url, headers: Object.assign({}, headers, { 'content-type': contentType, 'user-agent': userAgent }, signed), body, timeoutMs }
}

/** The mark of a parcel that is given up without being sent. */
export function unsent(parcel: Parcel, mark: Mark): SettledAttempt {
  const { id, endpointId } = parcel.claim.delivery
  return { deliveryId: id, epoch: parcel.epoch, endpointId, mark, attempt: null }
}

/** What is kept of an answer: enough to understand a failure, and little for the many that succeed. */
function excerptOf(outcome: Outcome): string | null {
  if (outcome.kind !== 'answered') return outcome.reason
  if (outcome.excerpt === '') return null
  return succeeded(outcome) ? outcome.excerpt.slice(0, 1024) : outcome.excerpt
}
