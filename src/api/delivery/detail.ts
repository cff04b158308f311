import type { Attempt } from '../../core/delivery/attempt.ts'
import { curlOf } from '../../core/signing/curl.ts'
import { isOpen, laneOf } from '../../core/delivery/delivery.ts'
import type { Delivery } from '../../core/delivery/delivery.ts'
import { authenticationHeaderName } from '../../core/endpoint/authentication.ts'
import { withSecrets } from '../../core/endpoint/endpoint.ts'
import { masked } from '../../core/endpoint/masked-url.ts'
import type { Endpoint } from '../../core/endpoint/endpoint.ts'
import { expected } from '../../core/errors.ts'
import type { DeliveryDetail } from '../../core/ports/figures.ts'
import { healthy } from '../../core/endpoint/health.ts'
import type { Message } from '../../core/message/message.ts'
import { shownHeaders } from '../../core/signing/sent-request.ts'
import type { SentRequest } from '../../core/signing/sent-request.ts'
import { hmacSecret } from '../../core/signing/signature.ts'
import type { Secret } from '../../core/signing/signature.ts'
import { why } from '../../core/delivery/why.ts'
import { shown } from '../endpoint/shown.ts'
import { actor } from '../actor.ts'
import type { By } from '../actor.ts'
import type { DeliveryParts } from './parts.ts'

const noSecret: Secret = { id: '', value: hmacSecret(new Uint8Array(32)), createdAt: 0, expiresAt: null }
/** Earlier retries are counted up to this. */
const mostAhead = 10_000

/** A delivery with everything that belongs to it. */
export async function detailOf(parts: DeliveryParts, delivery: Delivery): Promise<DeliveryDetail> {
  const { directory } = parts
  const [explanation, attempts, application, message] = await Promise.all([
    explain(parts, delivery),
    directory.attempts(delivery.id),
    directory.application(delivery.applicationId),
    directory.message(delivery.messageId),
  ])
  const withRequest = attempts.map((attempt) => ({
    ...attempt,
    request: sentRequest(parts, attempt, explanation.endpoint, message),
  }))
  const { endpoint } = explanation
  return {
    delivery,
    ...explanation,
    endpoint: endpoint === null ? null : shown(endpoint),
    attempts: withRequest,
    application,
    message,
  }
}

/** Why a delivery is where it is, judged by its endpoint, its policy, and the workers. */
export async function explain(
  parts: DeliveryParts,
  delivery: Delivery,
): Promise<Pick<DeliveryDetail, 'why' | 'endpoint' | 'maxAttempts'>> {
  const { directory, queue, clock, policies, defaultPolicy, retriesPerTick } = parts
  const [[endpoint = null], healths, workers, ahead] = await Promise.all([
    directory.endpointsById([delivery.endpointId]),
    queue.health([delivery.endpointId]),
    isOpen(delivery) ? directory.workers() : [],
    isOpen(delivery) && laneOf(delivery) === 'retries' ? directory.dueBefore(delivery, mostAhead) : 0,
  ])
  const policy = policies.get(delivery.policy) ?? policies.get(endpoint?.policy ?? '') ?? defaultPolicy
  const health = healths.get(delivery.endpointId) ?? healthy
  const waits = workers.flatMap((worker) => worker.waits.filter(({ endpointId }) => endpointId === delivery.endpointId))
  const input = { delivery, endpoint, health, policy, ahead, perTick: retriesPerTick, waits, now: clock.now() }
  return { endpoint, maxAttempts: policy.maxAttempts, why: why(input) }
}

/** A command that sends a delivery by hand, with a fresh signature. Records who asked: it reveals credentials. */
export async function curlFor(parts: DeliveryParts, delivery: Delivery, by: By): Promise<string> {
  const { directory, clock } = parts
  const { id, applicationId, messageId, endpointId } = delivery
  const [[endpoint = null], message] = await Promise.all([
    directory.endpointsById([endpointId]),
    directory.message(messageId),
  ])
  if (endpoint === null || endpoint.status === 'deleted' || message === null || message.erasedAt !== null)
    throw expected('not_found', 'body', 'kept, to show it', 'none', 'Its endpoint or its body is gone.')
  const request = parts.outgoingRequest(withSecrets(endpoint), message, clock.now())
  await directory.note({ action: 'reveal', by: actor(by), target: id, applicationId, at: clock.now() })
  return curlOf({ ...request, headers: { ...request.headers, ...maskedCredentials(endpoint) } })
}

/** An endpoint's credentials are never shown again, not even here. */
function maskedCredentials({ authentication }: Endpoint): Record<string, string> {
  const name = authentication === null ? null : authenticationHeaderName(authentication)
  return name === null ? {} : { [name]: masked }
}

/** As recorded. For a successful attempt only time and URL are: the request is rebuilt for that time from today's endpoint. */
function sentRequest(
  parts: DeliveryParts,
  { startedAt, url, diagnostics }: Attempt,
  endpoint: Endpoint | null,
  message: Message | null,
): SentRequest | null {
  const bytes = message === null || message.erasedAt !== null ? null : message.body.length
  if (diagnostics !== null) return { method: 'POST', url, ...diagnostics.requestHeaders, bytes, recorded: true }
  if (endpoint === null || message === null) return null
  // With an empty body and no real secret, because the signature is not shown: those of a deleted endpoint are gone.
  const unsigned = { ...endpoint, secrets: [noSecret] }
  const { headers } = parts.outgoingRequest(unsigned, { ...message, body: new Uint8Array() }, startedAt)
  // Any of an endpoint's own headers may be a credential.
  const hidden = [...Object.keys(endpoint.headers), ...(endpoint.signature === 'body' ? [endpoint.bodyHeader] : [])]
  return {
    method: 'POST',
    url,
    ...shownHeaders(headers, [...hidden, ...credentialHeaders(endpoint)]),
    bytes,
    recorded: false,
  }
}

/** The names of headers whose values prove who sent them. */
function credentialHeaders({ signature, bodyHeader, authentication }: Endpoint): string[] {
  const name = authentication === null ? null : authenticationHeaderName(authentication)
  return [...(signature === 'body' ? [bodyHeader] : []), ...(name === null ? [] : [name])]
}
