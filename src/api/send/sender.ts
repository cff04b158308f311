import type { FollowingClock } from '../../clock.ts'
import { expected, PosthornError } from '../../core/errors.ts'
import type { Meter } from '../../core/ports/meter.ts'
import type { Clock, StoreTransaction, Store } from '../../core/ports/ports.ts'
import type { Tracer } from '../../core/ports/tracer.ts'
import type { Random } from '../../core/time.ts'
import type { EngineCalls } from '../../engine/engine.ts'
import type { Sent } from '../../engine/send/envelope.ts'
import { refuseUnknown } from '../input/unknown-options.ts'
import { checkMessage, checkMessageSync } from './checked-message.ts'
import type { CheckedMessage, EventSchemas, Given, SendContext } from './checked-message.ts'
import type { Enforcer } from './schema-enforcer.ts'
import { parentOf, traced, tracedOne } from './traced.ts'

export interface SendOptions {
  /** Your own transaction, in the store's database: the message is sent if it commits, and never existed if it does not. */
  readonly tx?: unknown
  /** Refuses an unknown application with `not_found`, instead of creating it. */
  readonly mustExist?: boolean
  /** The id of the only endpoint that gets it, regardless of its types and filters. */
  readonly to?: string
  /**
   * The W3C trace context of the request that causes this send, if no span is active here: the parent of the send's span, if sends
   * are traced. A malformed one is ignored.
   */
  readonly traceparent?: string
  readonly tracestate?: string
}

const sendOptions = [
  'tx',
  'mustExist',
  'to',
  'traceparent',
  'tracestate',
] as const satisfies readonly (keyof SendOptions)[]

interface SenderParts {
  readonly store: Store
  readonly engine: EngineCalls
  readonly clock: Clock
  /** The clock that follows the store's time; null if time comes from elsewhere. */
  readonly followed: FollowingClock | null
  readonly random: Random
  readonly tracer: Tracer
  readonly meter: Meter | null
  /** The declared event types; if there are none, every type is accepted. */
  readonly events: EventSchemas | undefined
  /** Null if schemas are not enforced. */
  readonly enforcer: Enforcer | null
  /** Opens the store on first use. */
  open(): Promise<void>
  /** True if nobody need wait for that. */
  isOpen(): boolean
  isStopping(): boolean
}

/** Checks messages and stores them, on their own or within a caller's transaction. */
export class Sender {
  readonly #parts: SenderParts

  constructor(parts: SenderParts) {
    this.#parts = parts
  }

  /** Sends a single message, which need not wait for anything before it is stored, if nothing has to be read. */
  async sendOne(given: Given, options: SendOptions): Promise<Sent> {
    const context = this.#contextOf(options)
    if ('tx' in options) {
      const [sent] = await this.#counted(1, this.#sendJoined([given], options, context))
      return sent as Sent
    }
    try {
      const checked = this.#checkedAtOnce(given, context) ?? (await this.#check([given], context))[0]
      return await this.#store(checked as CheckedMessage, parentOf(options))
    } catch (error) {
      this.#refused(error, 1)
      throw error
    }
  }

  /** All messages are checked before the first is stored. */
  async send(messages: readonly Given[], options: SendOptions): Promise<Sent[]> {
    const context = this.#contextOf(options)
    if ('tx' in options) return this.#counted(messages.length, this.#sendJoined(messages, options, context))
    const checked = await this.#counted(messages.length, this.#check(messages, context))
    const results = await Promise.allSettled(
      checked.map((message) => this.#counted(1, this.#store(message, parentOf(options)))),
    )
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason
      return result.value
    })
  }

  #contextOf(options: SendOptions): SendContext {
    refuseUnknown('send', options, sendOptions)
    const { events, clock, random } = this.#parts
    const { mustExist = false, to = null } = options
    return { events, mustExist, to, now: clock.now(), random }
  }

  async #sendJoined(messages: readonly Given[], options: SendOptions, context: SendContext): Promise<Sent[]> {
    const { store } = this.#parts
    const join = store.withinSync?.bind(store)
    // There is no await up to here: a transaction that ends right after the call contains the message.
    return join === undefined
      ? this.#sendWithin(messages, options, context)
      : this.#sendWithinSync(join, messages, options, context)
  }

  #store(checked: CheckedMessage, parent: string | null): Promise<Sent> {
    const { engine, tracer } = this.#parts
    return tracedOne(tracer, parent, checked, (given) => engine.send(given))
  }

  /** The checked message; null if checking it has to wait for something. */
  #checkedAtOnce(given: Given, context: SendContext): CheckedMessage | null {
    const { enforcer, isOpen } = this.#parts
    if (context.events !== undefined || enforcer !== null || !isOpen()) return null
    const checked = checkMessageSync(given, context)
    return checked.eraseAt === null ? checked : null
  }

  async #check(messages: readonly Given[], context: SendContext): Promise<CheckedMessage[]> {
    // Without schemas there is nothing to await.
    const checked =
      context.events === undefined
        ? messages.map((message) => checkMessageSync(message, context))
        : await Promise.all(messages.map((message) => checkMessage(message, context)))
    await this.#parts.open()
    if (this.#parts.enforcer !== null) await this.#enforce(checked)
    if (checked.some(({ eraseAt }) => eraseAt !== null)) await this.#expirePayloads(checked)
    return checked
  }

  /** Counts refused messages, if there is a meter. */
  #counted<Result>(count: number, sending: Promise<Result>): Promise<Result> {
    if (this.#parts.meter === null) return sending
    return sending.catch((error: unknown) => {
      this.#refused(error, count)
      throw error
    })
  }

  #refused(error: unknown, count: number): void {
    this.#parts.meter?.messagesRefused(error instanceof PosthornError ? error.code : 'store_failed', count)
  }

  /** Before the messages: a crash between the two must not leave a body that is never erased. */
  async #expirePayloads(messages: readonly CheckedMessage[]): Promise<void> {
    const expiring = messages.flatMap(({ message, eraseAt }) =>
      eraseAt === null ? [] : [{ messageId: message.id, eraseAt }],
    )
    await this.#parts.store.directory.expirePayloads(expiring)
  }

  /** Uses nothing but the transaction: the pool may be used up by callers that hold one. Only enforced schemas are read from the store. */
  async #sendWithin(messages: readonly Given[], options: SendOptions, context: SendContext): Promise<Sent[]> {
    const { engine, tracer, followed, enforcer, open, isStopping } = this.#parts
    const checked = await Promise.all(messages.map((message) => checkMessage(message, context)))
    refuseWithin(checked)
    if (isStopping()) throw stopped()
    const transaction = followedBy(followed, await this.#transaction(options))
    if (enforcer !== null) await open()
    await this.#enforce(checked)
    return traced(tracer, parentOf(options), checked, (given) => engine.sendWithin(transaction, given))
  }

  #sendWithinSync(
    join: NonNullable<Store['withinSync']>,
    messages: readonly Given[],
    options: SendOptions,
    context: SendContext,
  ): Promise<Sent[]> | Sent[] {
    const { engine, tracer, enforcer } = this.#parts
    const checked = messages.map((message) => checkMessageSync(message, context))
    refuseWithin(checked)
    if (enforcer !== null) {
      const advice = 'Schemas are read from the store, which would have to wait; declare `events` instead.'
      throw expected(
        'invalid_argument',
        'enforceSchemas',
        'off where `send` joins a transaction of SQLite',
        true,
        advice,
      )
    }
    const transaction = join(txOf(options))
    return traced(tracer, parentOf(options), checked, (given) => engine.sendWithinSync(transaction, given))
  }

  async #enforce(messages: readonly CheckedMessage[]): Promise<void> {
    const { enforcer } = this.#parts
    if (enforcer !== null) for (const { message, isEnvelope } of messages) await enforcer.check(message, isEnvelope)
  }

  async #transaction(options: SendOptions): Promise<StoreTransaction> {
    const { store } = this.#parts
    const tx = txOf(options)
    if (store.within !== undefined) return store.within(tx)
    const advice =
      'This store cannot join a transaction of yours; those of `posthorn/postgres` and of `sqlite({ open })` can.'
    throw expected('invalid_argument', 'tx', 'left out', tx, advice)
  }
}

/** Refused after a `stop`. */
export function stopped(): PosthornError {
  return new PosthornError('stopped', 'This Posthorn was stopped. Create a new one to continue.')
}

/** A process that only sends has not read the store's time yet: with a wrong clock, its messages would leave early or late. */
function followedBy(followed: FollowingClock | null, transaction: StoreTransaction): StoreTransaction {
  if (followed === null || followed.isFollowing) return transaction
  return {
    ...transaction,
    async look(applications) {
      const look = await transaction.look(applications)
      if (look.time !== null) followed.follow(look.time)
      return look
    },
  }
}

/** Refuses what cannot be part of a caller's transaction. */
function refuseWithin(messages: readonly CheckedMessage[]): void {
  const expiring = messages.find(({ eraseAt }) => eraseAt !== null)
  if (expiring !== undefined) {
    throw expected(
      'invalid_argument',
      'payloadRetentionDays',
      'left out within a transaction',
      expiring.eraseAt,
      'Send after the commit, or erase the message later.',
    )
  }
  // If another transaction used the event id first, this one would abort at its commit.
  const named = messages.find(({ message }) => message.eventId !== null)
  if (named === undefined) return
  const advice = 'Another transaction may take it before yours commits; use `idempotencyKey`, or send after the commit.'
  throw expected('invalid_argument', 'eventId', 'left out within a transaction', named.message.eventId, advice)
}

/** A transaction lost by mistake must not become a message that is sent regardless of the transaction's outcome. */
function txOf({ tx }: SendOptions): unknown {
  if (tx !== undefined && tx !== null) return tx
  throw expected('invalid_argument', 'tx', 'your transaction', tx, 'To send outside a transaction, leave it out.')
}
