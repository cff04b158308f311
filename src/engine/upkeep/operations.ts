import { operationsUid, slackBody, slackChannel } from '../../core/alarms/operational.ts'
import type { OperationalMessage } from '../../core/alarms/operational.ts'
import { makeId } from '../../core/ids.ts'
import { envelope } from '../../core/message/message.ts'
import { fanOut } from '../../core/endpoint/subscribers.ts'
import type { Subscriber } from '../../core/endpoint/subscribers.ts'
import { second } from '../../core/time.ts'
import type { Instant } from '../../core/time.ts'
import type { EngineParts } from '../parts.ts'
import type { Outgoing, Sent } from '../send/envelope.ts'

export interface OperationsParts {
  readonly engine: EngineParts
  readonly send: (outgoing: Outgoing) => Promise<Sent>
}

/** The reserved application and the endpoints that receive its messages. */
interface Targets {
  readonly applicationId: string
  readonly endpoints: readonly Subscriber[]
}

const readAgainMs = 5 * second
// An endpoint that subscribes only to certain channels, such as Slack's, does not receive the JSON meant for programs.
const usualChannels = ['json']

/** Sends messages to the endpoints of the reserved application, like any other message; to none if it has no endpoints. */
export class Operations {
  readonly #parts: OperationsParts
  #targets: Targets | null = null
  #readAt: Instant | null = null

  constructor(parts: OperationsParts) {
    this.#parts = parts
  }

  /** Cached for five seconds; null if the reserved application does not exist, because nobody has asked for operational webhooks. */
  async targets(): Promise<Targets | null> {
    const now = this.#parts.engine.clock.now()
    if (this.#readAt === null || now - this.#readAt >= readAgainMs) {
      this.#targets = await this.#read()
      this.#readAt = now
    }
    return this.#targets
  }

  /** True for the reserved application, if it has been read. */
  isOwn(applicationId: string | undefined): boolean {
    return applicationId !== undefined && applicationId === this.#targets?.applicationId
  }

  /** Resolves once the message is stored, with the number of deliveries. The same key stores it only once. */
  async send(message: OperationalMessage): Promise<number> {
    const targets = await this.targets()
    if (targets === null || targets.endpoints.length === 0) return 0
    const { type, data, text, key } = message
    const now = this.#parts.engine.clock.now()
    const content = Buffer.from(JSON.stringify(data))
    const body = envelope(type, now, data)
    const { deliveries } = await this.#store({ type, body, content, channels: usualChannels, key, to: null }, now)
    if (text === null) return deliveries
    const slack = slackBody(text)
    const about = { type, body: slack, content: slack, channels: [slackChannel] }
    const wanting = fanOut(about, targets.endpoints).filter(({ channels }) => channels.includes(slackChannel))
    for (const { id: to } of wanting) await this.#store({ ...about, key: `${key}:${to}`, to }, now)
    return deliveries + wanting.length
  }

  /** Skips the cache, for a person who may have added an endpoint a moment ago. */
  sendToAllNow(message: OperationalMessage): Promise<number> {
    this.#readAt = null
    return this.send(message)
  }

  #store({ type, body, content, channels, key, to }: Storable, now: Instant): Promise<Sent> {
    return this.#parts.send({
      application: operationsUid,
      message: {
        id: makeId('msg', now, this.#parts.engine.random),
        type,
        eventId: null,
        body,
        contentType: 'application/json',
        sessionId: null,
        channels,
        createdAt: now,
        erasedAt: null,
        traceContext: null,
      },
      idempotencyKey: key,
      content,
      deliverAt: null,
      mustExist: true,
      to,
    })
  }

  async #read(): Promise<Targets | null> {
    const { directory } = this.#parts.engine
    const application = await directory.application(operationsUid)
    const matching = application === null ? null : await directory.matching(application.id)
    return application === null || matching === null
      ? null
      : { applicationId: application.id, endpoints: matching.endpoints }
  }
}

interface Storable extends Pick<Outgoing, 'content' | 'to'> {
  readonly type: string
  readonly body: Uint8Array
  readonly channels: readonly string[]
  readonly key: string
}
