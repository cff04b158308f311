import { createHash } from 'node:crypto'
import type { Application, Endpoint } from '../core/endpoint.ts'
import { expected, PosthornError } from '../core/errors.ts'
import { isId, makeId } from '../core/ids.ts'
import { collects, fanOut } from '../core/message.ts'
import type { Message } from '../core/message.ts'
import type { Claim, Enqueued, Envelope, NewDelivery } from '../core/queue.ts'
import type { Instant, Random } from '../core/time.ts'
import type { Parcel } from './deliver.ts'
import type { Dispatcher } from './dispatcher.ts'
import type { Flight } from './flight.ts'
import type { EngineParts } from './parts.ts'
import type { Targets } from './targets.ts'
import { groupCommit } from './writer.ts'

/** A message that was checked and is ready to be stored. */
export interface Outgoing {
  /** The application's id or uid; made on first use. */
  readonly application: string
  readonly message: Omit<Message, 'applicationId'>
  readonly idempotencyKey: string | null
  /** What the idempotency key stands for, with type and channels: the body, but for its time. */
  readonly content: Uint8Array
  readonly deliverAt: Instant | null
  /** Refuses an application that is not there, instead of making it. */
  readonly mustExist: boolean
  /** The id of the one endpoint that gets it, whatever it wants otherwise; null for all that match. */
  readonly to: string | null
}

export interface Sent {
  readonly id: string
  readonly deliveries: number
  /** True if the idempotency key had been used before, and nothing new was stored. */
  readonly repeated: boolean
}

/** The way in: matches messages to endpoints, stores them in groups, and hands the lucky ones straight to the flight. */
export interface Outbox {
  send(outgoing: Outgoing): Promise<Sent>
  /** The application's id; made on first use. */
  applicationId(idOrUid: string): Promise<string>
  readonly waiting: number
}

export interface Matching {
  readonly applicationId: string
  readonly endpointsVersion: number
  readonly endpoints: readonly Endpoint[]
}

/** One message with the deliveries that were planned for it. */
interface Draft {
  readonly outgoing: Outgoing
  readonly envelope: Envelope
  readonly parcels: Parcel[]
}

type Answer = Exclude<Enqueued, { kind: 'stale' }>

const mostWaiting = 10_000
const mostWaitingBytes = 64 * 1024 * 1024
const mostPerCommit = 500
const mostApplications = 10_000
export const mostRematches = 5

export function makeOutbox(parts: EngineParts, targets: Targets, dispatcher: Dispatcher, flight: Flight, quiet: () => void): Outbox {
  const { queue, directory, clock, random, bus, settings } = parts
  const matchings = new Map<string, Matching>()
  const commits = groupCommit<Outgoing, Sent | PosthornError>(mostPerCommit, (batch) => commit(batch), clock)
  let waiting = 0
  let waitingBytes = 0

  async function send(outgoing: Outgoing): Promise<Sent> {
    const bytes = outgoing.message.body.length
    if (waiting >= mostWaiting || waitingBytes + bytes > mostWaitingBytes) {
      const advice = 'Nothing of this message was stored; slow down and send it again.'
      throw expected('overloaded', 'send queue', `under ${mostWaiting} messages and ${mostWaitingBytes} bytes`, waiting, advice)
    }
    waiting += 1
    waitingBytes += bytes
    try {
      const sent = await commits.add(outgoing)
      if (sent instanceof PosthornError) throw sent
      return sent
    } finally {
      waiting -= 1
      waitingBytes -= bytes
      quiet()
    }
  }

  async function commit(batch: readonly Outgoing[]): Promise<(Sent | PosthornError)[]> {
    const results = new Map<Outgoing, Sent | PosthornError>()
    let open = batch
    for (let tries = 0; open.length > 0; tries += 1) {
      if (tries === mostRematches) throw neverMatched()
      const known = await matchAll(open, results)
      const drafts = await storeDrafts(known)
      const stale = drafts.filter(({ answer }) => answer.kind === 'stale').map(({ draft }) => draft.outgoing)
      for (const { application } of stale) matchings.delete(application)
      for (const { draft, answer } of drafts) if (answer.kind !== 'stale') results.set(draft.outgoing, conclude(draft, answer))
      open = stale
    }
    return batch.map((outgoing) => results.get(outgoing) ?? new PosthornError('store_failed', 'The store gave no answer for this message.'))
  }

  /** Those whose application and endpoint are there; the others are refused one by one, because the rest of the group must not wait for them. */
  async function matchAll(batch: readonly Outgoing[], results: Map<Outgoing, Sent | PosthornError>): Promise<Outgoing[]> {
    const known: Outgoing[] = []
    for (const outgoing of batch) {
      const refusal = isMatched(outgoing) ? null : await match(outgoing)
      if (refusal === null) known.push(outgoing)
      else results.set(outgoing, refusal)
    }
    return known
  }

  async function storeDrafts(batch: readonly Outgoing[]): Promise<{ draft: Draft; answer: Enqueued }[]> {
    if (batch.length === 0) return []
    const now = clock.now()
    const drafts = batch.map((outgoing) => draftOf(outgoing, now))
    let answers: Enqueued[] = []
    try {
      answers = await queue.enqueue({ owner: settings.owner, leaseMs: settings.leaseMs, now, envelopes: drafts.map(({ envelope }) => envelope) })
    } finally {
      // Room was taken for a lease that does not exist: the store failed, or had a reason not to write.
      for (const [index, { parcels }] of drafts.entries()) if (answers[index]?.kind !== 'stored') parcels.forEach(flight.drop)
    }
    return drafts.flatMap((draft, index) => {
      const answer = answers[index]
      return answer === undefined ? [] : [{ draft, answer }]
    })
  }

  /** A list by which its one endpoint cannot get it may be old: the endpoint was made or enabled since. */
  function isMatched(outgoing: Outgoing): boolean {
    const known = matchings.get(outgoing.application)
    return known !== undefined && refusedTarget(outgoing, known) === null
  }

  async function match(outgoing: Outgoing): Promise<PosthornError | null> {
    const { application, mustExist } = outgoing
    const applicationId = mustExist ? ((await directory.application(application))?.id ?? null) : await makeApplication(application)
    const read = applicationId === null ? null : await directory.matching(applicationId)
    if (applicationId === null || read === null) return unknownApplication(application)
    await targets.know(read.endpoints)
    if (matchings.size >= mostApplications) matchings.clear()
    const matching = { applicationId, ...read }
    matchings.set(application, matching)
    return refusedTarget(outgoing, matching)
  }

  async function makeApplication(application: string): Promise<string> {
    const known = await directory.application(application)
    if (known !== null) return known.id
    try {
      const made = await directory.createApplication(newApplication(application, clock.now(), random))
      return made.id
    } catch (error) {
      // Another process may have made it in the meantime.
      const other = await directory.application(application)
      if (other === null) throw error
      return other.id
    }
  }

  function draftOf(outgoing: Outgoing, now: Instant): Draft {
    const matching = matchings.get(outgoing.application)
    if (matching === undefined) throw new PosthornError('store_failed', `The endpoints of ${outgoing.application} were not read.`)
    const parcels: Parcel[] = []
    const envelope = envelopeOf(outgoing, matching, now, random, (message, endpoint, id) => {
      const parcel = offer(message, endpoint, id, now)
      if (parcel !== null) parcels.push(parcel)
      return parcel !== null
    })
    return { outgoing, parcels, envelope }
  }

  function offer(message: Message, endpoint: Endpoint, id: string, now: Instant): Parcel | null {
    const target = targets.get(endpoint.id)
    if (target === undefined) return null
    const { id: messageId, type: eventType, sessionId } = message
    const counts = { attemptCount: 0, crashCount: 0, leaseEpoch: 1, createdAt: now }
    const delivery = { id, endpointId: endpoint.id, messageId, eventType, sessionId, policy: endpoint.policy, ...counts }
    const claim: Claim = { delivery, message, lane: 'fresh' }
    return dispatcher.offer(target, claim, now)
  }

  function conclude({ envelope, parcels }: Draft, answer: Answer): Sent | PosthornError {
    const { message, deliveries } = envelope
    if (answer.kind === 'stored') {
      bus.tell({ type: 'message.enqueued', message_id: message.id, application_id: message.applicationId, event_type: message.type, deliveries: deliveries.length })
      parcels.forEach(flight.board)
      for (const delivery of deliveries) expectLater(delivery)
    }
    return sentOf(envelope, answer)
  }

  function expectLater({ leased, endpointId, nextRetryAt }: NewDelivery): void {
    const target = leased || nextRetryAt > clock.now() ? undefined : targets.get(endpointId)
    if (target !== undefined) dispatcher.expect(target, 'fresh')
  }

  return {
    send,
    applicationId: makeApplication,
    get waiting() {
      return waiting
    },
  }
}

export function newApplication(uid: string, now: Instant, random: Random): Application {
  if (isId('app', uid)) throw expected('not_found', 'application', 'the id of an application that exists', uid)
  return { id: makeId('app', now, random), uid, name: uid, metadata: {}, ratePerSecond: null, createdAt: now, updatedAt: now }
}

export function unknownApplication(application: string): PosthornError {
  return expected('not_found', 'application', 'the id or uid of an application that exists', application)
}

/** Why a message for one endpoint only cannot be sent to it; null if it can, or is for all. */
export function refusedTarget({ to }: Outgoing, { endpoints }: Matching): PosthornError | null {
  if (to === null) return null
  const endpoint = endpoints.find(({ id }) => id === to)
  if (endpoint !== undefined && collects(endpoint)) return null
  if (endpoint === undefined) return expected('not_found', 'to', 'the id of an endpoint of the application', to)
  return expected('invalid_argument', 'to', 'an endpoint that gets messages', `${to}, which is ${endpoint.status}`, 'Enable it first.')
}

/** A message with a delivery for each endpoint that matches; `takeRoom` says of one that is due whether it is stored under our lease. */
export function envelopeOf(
  outgoing: Outgoing,
  { applicationId, endpointsVersion, endpoints }: Matching,
  now: Instant,
  random: Random,
  takeRoom: (message: Message, endpoint: Endpoint, deliveryId: string) => boolean,
): Envelope {
  const { id: messageId, type, eventId, body, contentType, sessionId, channels, createdAt, erasedAt } = outgoing.message
  // Written out, not spread: all messages get one shape, which whoever reads them finds its way in at once.
  const message: Message = { id: messageId, applicationId, type, eventId, body, contentType, sessionId, channels, createdAt, erasedAt }
  const nextRetryAt = outgoing.deliverAt ?? now
  const wanting = outgoing.to === null ? fanOut(message, endpoints) : endpoints.filter(({ id }) => id === outgoing.to)
  const deliveries = wanting.map((endpoint): NewDelivery => {
    const id = makeId('dlv', now, random)
    const leased = nextRetryAt <= now && takeRoom(message, endpoint, id)
    return { id, endpointId: endpoint.id, targetUrl: endpoint.url, policy: endpoint.policy, nextRetryAt, leased }
  })
  const { idempotencyKey } = outgoing
  const bodyHash = idempotencyKey === null ? '' : hashOf(outgoing)
  return { message, idempotencyKey, bodyHash, endpointsVersion, deliveries }
}

/** What the sender is told about the store's answer. */
export function sentOf({ message, deliveries }: Envelope, answer: Answer): Sent | PosthornError {
  switch (answer.kind) {
    case 'stored':
      return { id: message.id, deliveries: deliveries.length, repeated: false }
    case 'repeated':
      return { id: answer.messageId, deliveries: answer.deliveries, repeated: true }
    case 'taken':
      return expected('already_exists', 'eventId', 'new within the application', message.eventId, `Message ${answer.messageId} has it; nothing new was stored.`)
    case 'conflict':
      return expected('idempotency_conflict', 'idempotencyKey', 'new, or repeated with the same type, channels and body', answer.messageId, 'That message was stored with another content; use another key.')
  }
}

export function neverMatched(): PosthornError {
  return new PosthornError('store_failed', 'The endpoints changed faster than they could be matched. Send again.')
}

function hashOf({ message: { type, channels }, content }: Outgoing): string {
  return createHash('sha256').update(`${type}\n${channels.join(',')}\n`).update(content).digest('hex')
}
