import { PosthornError } from '../../core/errors.ts'
import { fanOut } from '../../core/endpoint/subscribers.ts'
import type { Message } from '../../core/message/message.ts'
import type { Claim, Enqueued, Envelope, KnownHealth, NewDelivery } from '../../core/ports/queue.ts'
import type { Subscriber } from '../../core/endpoint/subscribers.ts'
import type { Instant } from '../../core/time.ts'
import type { Activity } from '../activity.ts'
import type { Attempts } from '../attempt/attempts.ts'
import type { InFlight } from '../endpoints/records.ts'
import type { Deadline } from './deadlines.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import { envelopeOf, mostRematches, neverMatched, sentOf } from './envelope.ts'
import type { Answer, Matching, Outgoing, Sent } from './envelope.ts'
import type { Matchings } from './matchings.ts'
import type { EngineParts } from '../parts.ts'
import type { Schedule } from '../claim/schedule.ts'
import { WaitingSends } from './waiting-sends.ts'

export interface OutboxParts {
  readonly engine: EngineParts
  readonly activity: Activity
  readonly endpoints: Endpoints
  readonly matchings: Matchings
  readonly schedule: Schedule
  readonly attempts: Attempts
}

/** A message about to be stored. */
interface Draft {
  readonly envelope: Envelope
  /** Its deliveries that are stored under our lease, to leave as soon as they are. */
  readonly leased: readonly InFlight[]
  readonly now: Instant
}

type Stale = Extract<Enqueued, { kind: 'stale' }>

/** Accepts messages: matches them to endpoints, stores them, and sends at once what can leave at once. */
export class Outbox {
  readonly #parts: OutboxParts
  readonly #waiting: WaitingSends

  constructor(parts: OutboxParts) {
    this.#parts = parts
    this.#waiting = new WaitingSends(parts.engine.clock, parts.activity)
  }

  /** Ends within ten seconds: stored, refused, withdrawn before anything was written, or `outcome_unknown`. */
  send(outgoing: Outgoing): Promise<Sent> {
    return this.#waiting.wait(outgoing.message.body.length, (deadline) => this.#store(outgoing, deadline))
  }

  async #store(outgoing: Outgoing, deadline: Deadline): Promise<Sent> {
    const { matchings, endpoints } = this.#parts
    for (let tries = 0; tries < mostRematches; tries += 1) {
      const matching = matchings.known(outgoing) ?? (await matchings.of(outgoing))
      // What the store has refused to confirm must be read.
      const confirmed = tries === 0 ? matching.endpointsVersion : null
      const unknown = this.#unknown(outgoing, matching, confirmed)
      if (unknown.length > 0) await endpoints.refresh(unknown, matching.endpointsVersion)
      const draft = this.#draft(outgoing, matching, confirmed)
      const answer = await this.#enqueue(draft, deadline)
      if (answer.kind === 'stale') {
        matchings.forget(outgoing.application)
        continue
      }
      const sent = sentOf(draft.envelope, answer)
      if (sent instanceof PosthornError) throw sent
      return sent
    }
    throw neverMatched()
  }

  /**
   * A delivery may only leave at once if its endpoint was read within the last second: it may have asked another worker to wait. If it was
   * read before, the statement that stores the message can confirm that nothing has changed; others must be read first.
   */
  #unknown({ message, to, deliverAt }: Outgoing, { subscribers }: Matching, confirmed: number | null): string[] {
    const {
      engine: { clock },
      endpoints,
      schedule,
    } = this.#parts
    const now = clock.now()
    if (!schedule.isRunning || (deliverAt ?? now) > now) return []
    const old = subscribers.wanting(message.type, to).filter(({ id }) => !endpoints.isUsable(id, now, confirmed))
    if (old.length === 0) return []
    return (to === null ? fanOut(message, old) : old).map(({ id }) => id)
  }

  /** The message as it will be stored. What can leave at once is leased, and has its place already. */
  #draft(outgoing: Outgoing, matching: Matching, confirmed: number | null): Draft {
    const {
      engine: { clock, random },
      endpoints,
    } = this.#parts
    const now = clock.now()
    const leased: InFlight[] = []
    const reliesOn: KnownHealth[] = []
    const leases = (message: Message, endpoint: Subscriber, id: string): boolean => {
      if (!endpoints.isUsable(endpoint.id, now, confirmed)) return false
      const taken = this.#take(message, endpoint, id, now)
      if (taken === null) return false
      leased.push(taken)
      const { record } = taken
      if (!endpoints.isFresh(record, now)) reliesOn.push({ endpointId: endpoint.id, version: record.health.version })
      return true
    }
    return { envelope: envelopeOf(outgoing, matching, { now, random, leases, reliesOn }), leased, now }
  }

  #enqueue(draft: Draft, deadline: Deadline): Promise<Answer | Stale> {
    const {
      queue,
      settings: { owner, leaseMs },
    } = this.#parts.engine
    const { envelope, now } = draft
    const begins = (): boolean => deadline.mayBegin()
    return queue.enqueue({ owner, leaseMs, now, envelopes: [envelope], begins }).then(
      ([answer]) => this.#answered(draft, answer),
      (error: unknown) => {
        this.#notStored(draft)
        throw error
      },
    )
  }

  #answered(draft: Draft, answer: Enqueued | undefined): Answer | Stale {
    if (answer?.kind === 'stored') this.#stored(draft)
    else this.#notStored(draft)
    if (answer === undefined || answer.kind === 'withdrawn')
      throw new PosthornError('store_failed', 'The store gave no answer for this message.')
    return answer
  }

  /** The leases do not exist, because the store failed or refused to write: frees their places. */
  #notStored({ leased }: Draft): void {
    for (const taken of leased) this.#parts.attempts.drop(taken)
  }

  /** The fast path: takes a place for a delivery that will be stored under our lease; null if it must queue. */
  #take(message: Message, endpoint: Subscriber, id: string, now: Instant): InFlight | null {
    const { endpoints, schedule, attempts } = this.#parts
    const record = endpoints.get(endpoint.id)
    if (record === undefined || !schedule.mayLeaveAtOnce(record)) return null
    const { id: messageId, type: eventType, sessionId } = message
    const counts = { attemptCount: 0, interruptions: 0, crashCount: 0, leaseEpoch: 1, createdAt: now }
    const delivery = {
      id,
      endpointId: endpoint.id,
      messageId,
      eventType,
      sessionId,
      policy: endpoint.policy,
      ...counts,
    }
    const claim: Claim = { delivery, message, lane: 'fresh', tookOver: null }
    return attempts.take(claim, record, now, false)
  }

  #stored({ envelope: { message, reliesOn, deliveries }, leased, now }: Draft): void {
    const {
      engine: { bus, meter },
      attempts,
      endpoints,
    } = this.#parts
    for (const { endpointId } of reliesOn) endpoints.confirm(endpointId, now)
    meter?.messageAccepted('send')
    const about = { message_id: message.id, application_id: message.applicationId, event_type: message.type }
    bus.emit({ type: 'message.enqueued', ...about, deliveries: deliveries.length })
    for (const taken of leased) attempts.begin(taken)
    for (const delivery of deliveries) if (!delivery.leased) this.#expect(delivery)
  }

  #expect({ endpointId, nextRetryAt }: NewDelivery): void {
    const {
      engine: { clock },
      endpoints,
      schedule,
    } = this.#parts
    const record = nextRetryAt > clock.now() ? undefined : endpoints.get(endpointId)
    if (record !== undefined) schedule.stored(record)
  }
}
