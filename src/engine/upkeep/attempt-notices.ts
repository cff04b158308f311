import { endpointNames } from '../../core/alarms/operational.ts'
import type { OperationalMessage } from '../../core/alarms/operational.ts'
import { messageOf } from '../../core/errors.ts'
import type { EventOf } from '../../core/ports/events.ts'
import { isoTime, minute } from '../../core/time.ts'
import type { Instant } from '../../core/time.ts'
import type { Activity } from '../activity.ts'
import type { Endpoints } from '../endpoints/endpoints.ts'
import type { EngineParts } from '../parts.ts'
import type { Operations } from './operations.ts'

export interface AttemptNoticeParts {
  readonly engine: EngineParts
  readonly activity: Activity
  readonly endpoints: Endpoints
  readonly operations: Operations
}

type Kind = 'message.attempt.failing' | 'message.attempt.exhausted' | 'message.attempt.recovered'
type Ended = EventOf<'delivery.failed'> | EventOf<'delivery.dead'> | EventOf<'delivery.delivered'>

/** As in Svix: a notice is sent for the fourth failure of a message, and for a success after that. */
const failingAt = 4
/** The limit per minute and worker. Notices beyond it are only counted, and one message sums them up. */
export const mostPerMinute = 30

/** Sends operational webhooks about messages that keep failing, have failed for good, or were delivered after all. */
export class AttemptNotices {
  readonly #parts: AttemptNoticeParts
  readonly #stopListening: (() => void)[] = []
  readonly #counted = new Map<Kind, number>()
  #sending: Promise<void> = Promise.resolve()
  #minuteFrom: Instant = 0
  #left = mostPerMinute
  #disarm: (() => void) | null = null
  #stopping = false
  #abandoned = false

  constructor(parts: AttemptNoticeParts) {
    this.#parts = parts
  }

  start(): void {
    const { bus, settings } = this.#parts.engine
    if (settings.alarms === null) return
    this.#stopListening.push(
      bus.on('delivery.failed', (event) => {
        if (event.attempt_count === failingAt) this.#take('message.attempt.failing', event)
      }),
      bus.on('delivery.dead', (event) => {
        if (event.reason === 'exhausted' || event.reason === 'crashed') this.#take('message.attempt.exhausted', event)
      }),
      bus.on('delivery.delivered', (event) => {
        if (event.attempt_count > failingAt) this.#take('message.attempt.recovered', event)
      }),
    )
  }

  async stop(): Promise<void> {
    for (const stop of this.#stopListening.splice(0)) stop()
    this.#disarm?.()
    this.#stopping = true
    this.#endMinute()
    await this.#sending
  }

  #take(kind: Kind, event: Ended): void {
    const { engine, endpoints, operations } = this.#parts
    // Failing operational webhooks must not cause more of them.
    if (operations.isOwn(endpoints.get(event.webhook_id)?.endpoint.applicationId)) return
    if (this.#disarm === null) {
      this.#minuteFrom = engine.clock.now()
      this.#disarm = engine.clock.after(minute, () => this.#endMinute())
    }
    if (this.#left === 0) return void this.#counted.set(kind, (this.#counted.get(kind) ?? 0) + 1)
    this.#left -= 1
    this.#afterTheOthers(() => this.#send(kind, event))
  }

  /** One at a time: a flood of notices must not flood the store. */
  #afterTheOthers(work: () => Promise<unknown>): void {
    const { activity, engine } = this.#parts
    const before = this.#sending
    this.#sending = activity.during(async () => {
      await before
      if (this.#abandoned) return
      await work().catch((error: unknown) => {
        // When stopping, give up after the first failure instead of waiting for a failing store once per notice.
        this.#abandoned = this.#stopping
        engine.bus.warn('store_error', `An operational webhook was not stored: ${messageOf(error)}`)
      })
    })
  }

  #endMinute(): void {
    this.#disarm = null
    this.#left = mostPerMinute
    if (this.#counted.size === 0) return
    const summary = summaryOf(Object.fromEntries(this.#counted), this.#minuteFrom, this.#parts.engine)
    this.#counted.clear()
    this.#afterTheOthers(() => this.#parts.operations.send(summary))
  }

  async #send(kind: Kind, event: Ended): Promise<void> {
    const {
      engine: { directory },
      operations,
    } = this.#parts
    const targets = await operations.targets()
    if (targets === null) return
    const [endpoint] = await directory.endpointsById([event.webhook_id])
    if (endpoint === undefined || endpoint.applicationId === targets.applicationId) return
    const [application, message, attempts] = await Promise.all([
      directory.application(endpoint.applicationId),
      directory.message(event.message_id),
      directory.attempts(event.webhook_delivery_id),
    ])
    const last = attempts.at(-1)
    if (last === undefined) return
    await operations.send({
      type: kind,
      data: {
        ...endpointNames(endpoint, application),
        msgId: event.message_id,
        msgEventId: message?.eventId ?? null,
        lastAttempt: {
          id: last.id,
          responseStatusCode: last.statusCode ?? 0,
          timestamp: isoTime(last.startedAt),
        },
      },
      text: null,
      key: `${kind}:${last.id}`,
    })
  }
}

function summaryOf(
  counts: Readonly<Record<string, number>>,
  since: Instant,
  { clock, settings: { owner } }: EngineParts,
): OperationalMessage {
  return {
    type: 'message.attempt.summary',
    data: { counts, since: isoTime(since), until: isoTime(clock.now()), worker: owner },
    text: null,
    key: `summary:${owner}:${since}`,
  }
}
