import { createHash } from 'node:crypto'
import type { Application } from '../../core/endpoint/endpoint.ts'
import { expected, PosthornError } from '../../core/errors.ts'
import { isId, makeId } from '../../core/ids.ts'
import { collects } from '../../core/endpoint/subscribers.ts'
import type { Message } from '../../core/message/message.ts'
import type { Actor } from '../../core/ports/audit.ts'
import type { Enqueued, Envelope, KnownHealth, NewDelivery } from '../../core/ports/queue.ts'
import type { Subscriber, Subscribers } from '../../core/endpoint/subscribers.ts'
import type { Instant, Random } from '../../core/time.ts'

/** A validated message, ready to be stored. */
export interface Outgoing {
  /** The application's id or uid; it is created on first use. */
  readonly application: string
  readonly message: Omit<Message, 'applicationId'>
  readonly idempotencyKey: string | null
  /** What the idempotency key covers, besides type and channels: the body without its timestamp. */
  readonly content: Uint8Array
  readonly deliverAt: Instant | null
  /** Refuses an unknown application instead of creating it. */
  readonly mustExist: boolean
  /** The id of the only endpoint that receives it, whatever its subscriptions; null for all that match. */
  readonly to: string | null
}

export interface Sent {
  readonly id: string
  readonly deliveries: number
  /** True if the idempotency key was used before, so that nothing new was stored. */
  readonly repeated: boolean
}

/** An application's endpoints, and the version by which the store detects whether they are current. */
export interface Matching {
  readonly applicationId: string
  readonly endpointsVersion: number
  readonly subscribers: Subscribers
}

export type Answer = Exclude<Enqueued, { kind: 'stale' | 'withdrawn' }>

/** How often endpoints may change between matching and storing before a message is refused. */
export const mostRematches = 5

interface EnvelopeContext {
  readonly now: Instant
  readonly random: Random
  /** Decides whether a due delivery is stored under our lease. */
  leases(message: Message, endpoint: Subscriber, deliveryId: string): boolean
  /** Filled while deliveries are leased. */
  readonly reliesOn: readonly KnownHealth[]
}

/** A message with one delivery per matching endpoint. */
export function envelopeOf(
  outgoing: Outgoing,
  { applicationId, endpointsVersion, subscribers }: Matching,
  { now, random, leases, reliesOn }: EnvelopeContext,
): Envelope {
  const { id: messageId, type, eventId, body, contentType, sessionId, channels } = outgoing.message
  const { traceContext, createdAt, erasedAt } = outgoing.message
  // Written out, not spread: with a single object shape, property access stays fast.
  const message: Message = {
    id: messageId,
    applicationId,
    type,
    eventId,
    body,
    contentType,
    sessionId,
    channels,
    traceContext,
    createdAt,
    erasedAt,
  }
  // A time in the past becomes now: nobody looks for due rows from before they were stored.
  const nextRetryAt = Math.max(outgoing.deliverAt ?? now, now)
  const deliveries = subscribers.of(message, outgoing.to).map((endpoint): NewDelivery => {
    const id = makeId('dlv', now, random)
    const leased = nextRetryAt <= now && leases(message, endpoint, id)
    return { id, endpointId: endpoint.id, targetUrl: endpoint.url, policy: endpoint.policy, nextRetryAt, leased }
  })
  const { idempotencyKey } = outgoing
  const bodyHash = idempotencyKey === null ? '' : hashOf(outgoing)
  return { message, idempotencyKey, bodyHash, endpointsVersion, reliesOn, deliveries }
}

/** Turns the store's answer into the result for the sender. */
export function sentOf({ message, deliveries }: Envelope, answer: Answer): Sent | PosthornError {
  switch (answer.kind) {
    case 'stored':
      return { id: message.id, deliveries: deliveries.length, repeated: false }
    case 'repeated':
      return { id: answer.messageId, deliveries: answer.deliveries, repeated: true }
    case 'taken':
      return expected(
        'already_exists',
        'eventId',
        'new within the application',
        message.eventId,
        `Message ${answer.messageId} has it; nothing new was stored.`,
      )
    case 'conflict':
      return expected(
        'idempotency_conflict',
        'idempotencyKey',
        'new, or repeated with the same type, channels and body',
        answer.messageId,
        'That message was stored with another content; use another key.',
      )
  }
}

/** Why a message for a single endpoint cannot be sent to it; null if it can, or if the message is for all. */
export function refusedEndpoint({ to }: Outgoing, { subscribers }: Matching): PosthornError | null {
  if (to === null) return null
  const endpoint = subscribers.get(to)
  if (endpoint !== undefined && collects(endpoint)) return null
  if (endpoint === undefined) return expected('not_found', 'to', 'the id of an endpoint of the application', to)
  return expected(
    'invalid_argument',
    'to',
    'an endpoint that gets messages',
    `${to}, which is ${endpoint.status}`,
    'Enable it first.',
  )
}

/** The actor on record when sending creates an application. */
export const firstUse: Actor = { name: 'library', from: 'library', reason: 'first use' }

export function newApplication(uid: string, now: Instant, random: Random): Application {
  if (isId('app', uid)) throw expected('not_found', 'application', 'the id of an application that exists', uid)
  return {
    id: makeId('app', now, random),
    uid,
    name: uid,
    metadata: {},
    ratePerSecond: null,
    createdAt: now,
    updatedAt: now,
  }
}

export function unknownApplication(application: string): PosthornError {
  return expected('not_found', 'application', 'the id or uid of an application that exists', application)
}

export function neverMatched(): PosthornError {
  return new PosthornError('store_failed', 'The endpoints changed faster than they could be matched. Send again.')
}

function hashOf({ message: { type, channels }, content }: Outgoing): string {
  return createHash('sha256')
    .update(`${type}\n${channels.join(',')}\n`)
    .update(content)
    .digest('hex')
}
