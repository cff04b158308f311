import type { Delivery } from '../../../core/delivery/delivery.ts'
import type { Message } from '../../../core/message/message.ts'
import type { Enqueued, EnqueueRequest, Envelope, NewDelivery } from '../../../core/ports/queue.ts'
import { day } from '../../../core/time.ts'
import type { Instant } from '../../../core/time.ts'
import { insert, messageOfEvent, replaceMessage } from '../state.ts'
import type { State } from '../state.ts'

const keyLivesMs = day

/** Stores messages with their deliveries, unless the caller has stopped waiting. */
export function enqueue(state: State, request: EnqueueRequest): Enqueued[] {
  if (request.begins?.() === false) return request.envelopes.map(() => ({ kind: 'withdrawn' }))
  return request.envelopes.map((envelope) => enqueueOne(state, request, envelope))
}

/** Stores one message, unless its endpoints are outdated or its key was used before. */
function enqueueOne(state: State, { owner, leaseMs, now }: EnqueueRequest, envelope: Envelope): Enqueued {
  const { message, deliveries } = envelope
  if (isOutdated(state, envelope)) return { kind: 'stale' }
  const taken = takenEvent(state, envelope, now)
  if (taken !== null) return taken
  const earlier = useKey(state, envelope, now)
  if (earlier !== null) return earlier

  // A copy, because the caller may change its bytes afterwards.
  replaceMessage(state, { ...message, body: new Uint8Array(message.body) })
  for (const delivery of deliveries) {
    const fresh = newDelivery(delivery, message, now)
    insert(state, delivery.leased ? { ...fresh, leaseOwner: owner, leaseUntil: now + leaseMs, leaseEpoch: 1 } : fresh)
  }
  return { kind: 'stored' }
}

function isOutdated(state: State, { message, endpointsVersion, reliesOn }: Envelope): boolean {
  return (
    state.applications.get(message.applicationId)?.endpointsVersion !== endpointsVersion ||
    reliesOn.some(({ endpointId, version }) => (state.health.get(endpointId)?.version ?? 0) !== version)
  )
}

/** A new delivery: never attempted, and not leased. */
export function newDelivery(delivery: NewDelivery, message: Message, now: Instant): Delivery {
  return {
    id: delivery.id,
    endpointId: delivery.endpointId,
    applicationId: message.applicationId,
    messageId: message.id,
    eventType: message.type,
    sessionId: message.sessionId,
    targetUrl: delivery.targetUrl,
    status: 'pending',
    reason: null,
    attemptCount: 0,
    nextRetryAt: delivery.nextRetryAt,
    lastAttemptedAt: null,
    errorDetail: null,
    policy: delivery.policy,
    leaseOwner: null,
    leaseUntil: null,
    leaseEpoch: 0,
    interruptions: 0,
    crashCount: 0,
    requeuedAt: null,
    createdAt: now,
    updatedAt: now,
  }
}

/** The other message with the event id, unless it also has the idempotency key: that is a repeat. */
function takenEvent(state: State, { message, idempotencyKey }: Envelope, now: Instant): Enqueued | null {
  const { applicationId, eventId } = message
  const messageId = eventId === null ? undefined : messageOfEvent(state, applicationId, eventId)
  if (messageId === undefined) return null
  const used = idempotencyKey === null ? undefined : state.keys.get(keyName(applicationId, idempotencyKey))
  return used !== undefined && used.expiresAt > now && used.messageId === messageId
    ? null
    : { kind: 'taken', messageId }
}

/** Takes the envelope's idempotency key; returns the earlier use if there is one that has not expired. */
function useKey(state: State, envelope: Envelope, now: Instant): Enqueued | null {
  if (envelope.idempotencyKey === null) return null
  const { message, bodyHash, deliveries } = envelope
  const name = keyName(message.applicationId, envelope.idempotencyKey)
  const earlier = state.keys.get(name)
  if (earlier === undefined || earlier.expiresAt <= now) {
    state.keys.set(name, {
      bodyHash,
      messageId: message.id,
      deliveries: deliveries.length,
      expiresAt: now + keyLivesMs,
    })
    return null
  }
  const { messageId } = earlier
  return earlier.bodyHash === bodyHash
    ? { kind: 'repeated', messageId, deliveries: earlier.deliveries }
    : { kind: 'conflict', messageId }
}

export function keyName(applicationId: string, key: string): string {
  return JSON.stringify([applicationId, key])
}
