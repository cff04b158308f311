import { succeeded } from '../../core/delivery/attempt.ts'
import type { Outcome } from '../../core/delivery/attempt.ts'
import { diagnosticsOf } from '../../core/delivery/diagnostics.ts'
import type { Diagnostics, Wire } from '../../core/delivery/diagnostics.ts'
import { settle } from '../../core/delivery/delivery.ts'
import { messageOf } from '../../core/errors.ts'
import type { OutgoingRequest } from '../../core/ports/ports.ts'
import type { Claim, SettledAttempt } from '../../core/ports/queue.ts'
import type { AttemptSpan } from '../../core/ports/tracer.ts'
import type { RetryPolicy } from '../../core/delivery/retry-policy.ts'
import type { Instant } from '../../core/time.ts'
import type { EndpointRecord } from '../endpoints/records.ts'
import type { EngineParts } from '../parts.ts'
import { requestFor, sentHeaders, withTrace } from './request.ts'
import type { RequestContext } from './request.ts'

/** The raw result of an attempt, before anything is decided. */
export interface Attempted {
  readonly outcome: Outcome
  readonly startedAt: Instant
  readonly endedAt: Instant
  readonly url: string
  /** The generation of the endpoint's health when the attempt began. */
  readonly generation: number
  /** Null if the attempt succeeded, or if its request could not be built. */
  readonly diagnostics: Diagnostics | null
}

const keptOfSuccess = 1024
const mostUnknownPolicies = 1_000

/** Signs and sends one delivery, and decides what the outcome means. */
export class Attempter {
  readonly #parts: EngineParts
  readonly #unknownPolicies = new Set<string>()

  constructor(parts: EngineParts) {
    this.#parts = parts
  }

  /** Anything thrown on the way counts as an outcome, too (UC-0270-F1). */
  async attempt({ delivery, message }: Claim, { endpoint, health }: EndpointRecord): Promise<Attempted> {
    const { clock, tracer, transport } = this.#parts
    const { url } = endpoint
    const { generation } = health
    const startedAt = clock.now()
    const span = tracer.attempt({ delivery, url, traceContext: message.traceContext })
    const seen: { wire: Wire | null } = { wire: null }
    let request: OutgoingRequest | null = null
    let outcome: Outcome
    try {
      const context: RequestContext = { now: startedAt, observe: (wire) => (seen.wire = wire) }
      request = this.#request(message, endpoint, context, span)
      outcome = await transport.send(request)
    } catch (error) {
      outcome = { kind: 'protocol', reason: messageOf(error) }
    }
    span?.end(outcome)
    return {
      outcome,
      startedAt,
      endedAt: clock.now(),
      url,
      generation,
      diagnostics: diagnosticsFrom(request, seen.wire, outcome, endpoint),
    }
  }

  /** Decides what the attempt means for its delivery. The attempt is recorded under the epoch it began in; the mark uses the current lease. */
  settle(
    { delivery }: Claim,
    { endpoint }: EndpointRecord,
    { outcome, startedAt, endedAt, url, diagnostics }: Attempted,
    leaseEpoch: number,
  ): SettledAttempt {
    const { random, settings } = this.#parts
    const mark = settle({
      delivery,
      outcome,
      policy: this.#policyOf(delivery.policy, endpoint.policy),
      honoursRetryAfter: settings.limits.heedsEndpoint,
      now: endedAt,
      random,
    })
    return {
      deliveryId: delivery.id,
      epoch: leaseEpoch,
      endpointId: delivery.endpointId,
      mark,
      attempt: {
        epoch: delivery.leaseEpoch,
        startedAt,
        tookMs: Math.max(endedAt - startedAt, 0),
        outcome: outcome.kind,
        statusCode: outcome.kind === 'answered' ? outcome.statusCode : null,
        responseBody: keptOf(outcome),
        url,
        diagnostics,
      },
    }
  }

  #request(
    message: Claim['message'],
    endpoint: EndpointRecord['endpoint'],
    context: RequestContext,
    span: AttemptSpan | null,
  ): OutgoingRequest {
    const { settings } = this.#parts
    const request = requestFor(settings, endpoint, message, context)
    return span === null || !settings.sendTraceparent ? request : withTrace(request, span.headers)
  }

  /** A delivery stores only the name of its policy. The numbers are looked up now, so that a corrected policy applies to rows in flight. */
  #policyOf(name: string, endpointPolicy: string): RetryPolicy {
    const { policies, defaultPolicy } = this.#parts.settings
    const named = policies.get(name)
    if (named !== undefined) return named
    if (!this.#unknownPolicies.has(name) && this.#unknownPolicies.size < mostUnknownPolicies) {
      this.#unknownPolicies.add(name)
      this.#parts.bus.warn(
        'unknown_policy',
        `Deliveries name the retry policy "${name}", which is unknown; their endpoint's is used.`,
      )
    }
    return policies.get(endpointPolicy) ?? defaultPolicy
  }
}

/** Failures only: the many successes must not take more storage. */
function diagnosticsFrom(
  request: OutgoingRequest | null,
  wire: Wire | null,
  outcome: Outcome,
  endpoint: EndpointRecord['endpoint'],
): Diagnostics | null {
  return request === null || succeeded(outcome) ? null : diagnosticsOf(sentHeaders(request, endpoint), wire)
}

/** The text to store: enough to understand a failure, and little for the many successes. */
function keptOf(outcome: Outcome): string | null {
  if (outcome.kind !== 'answered') return outcome.reason
  if (outcome.responseBody === '') return null
  return succeeded(outcome) ? outcome.responseBody.slice(0, keptOfSuccess) : outcome.responseBody
}
