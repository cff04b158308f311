import { hostname } from 'node:os'
import { checkStore } from './check-store.ts'
import { followingClock, steadyClock, systemClock, systemRandom } from './clock.ts'
import type { FollowingClock } from './clock.ts'
import { checkEventName } from './core/events.ts'
import type { EventType } from './core/events.ts'
import { expected, PosthornError } from './core/errors.ts'
import type { Overview } from './core/overview.ts'
import { checkCount } from './core/limits.ts'
import type { Limits } from './core/limits.ts'
import type { AuditEntry } from './core/audit.ts'
import type { Page, ReplyDirectory } from './core/directory.ts'
import type { Clock, Outlet, SeenWorker, Store, Transport } from './core/ports.ts'
import { presetNamed } from './core/presets.ts'
import type { PresetName } from './core/presets.ts'
import { plannedDelays, safeDelayMs } from './core/retry-policy.ts'
import type { RetryPolicy } from './core/retry-policy.ts'
import { day, hour } from './core/time.ts'
import type { Instant, Random } from './core/time.ts'
import { engineSettings } from './engine-settings.ts'
import { emitEnded, makeBus } from './engine/bus.ts'
import type { Bus, Listener } from './engine/bus.ts'
import { Engine } from './engine/engine.ts'
import type { Sent } from './engine/envelope.ts'
import type { EngineSettings } from './engine/parts.ts'
import { requestFor } from './engine/request.ts'
import { makeApplications } from './api/applications.ts'
import type { Applications } from './api/applications.ts'
import { makeDeliveries } from './api/delivery/deliveries.ts'
import type { Deliveries } from './api/delivery/deliveries.ts'
import type { DeliveryParts } from './api/delivery/parts.ts'
import { makeOperations } from './api/delivery/requeue-and-cancel.ts'
import type { Operations } from './api/delivery/requeue-and-cancel.ts'
import { makeEndpoints } from './api/endpoint/endpoints.ts'
import type { Endpoints } from './api/endpoint/endpoints.ts'
import { makeEnforcer } from './api/send/schema-enforcer.ts'
import type { Enforcer } from './api/send/schema-enforcer.ts'
import { makeEventTypes } from './api/event-types.ts'
import type { EventTypes } from './api/event-types.ts'
import { makeFigures } from './api/figures.ts'
import type { Figures } from './api/figures.ts'
import { makeJobs } from './api/jobs.ts'
import type { Jobs } from './api/jobs.ts'
import { makeKeys } from './api/keys.ts'
import type { Keys } from './api/keys.ts'
import { makeMessages } from './api/messages.ts'
import type { Messages } from './api/messages.ts'
import { checkMessage, checkMessageSync } from './api/send/checked-message.ts'
import type { CheckedMessage, SendContext, EventSchemas, Given, MessageInput } from './api/send/checked-message.ts'
import { checkPage } from './api/input/page.ts'
import { refuseUnknown } from './api/input/unknown-options.ts'
import { makeReplies } from './api/idempotent-replies.ts'
import { makeStream } from './api/stream/stream.ts'
import type { Stream } from './api/stream/stream.ts'
import { makeGuard } from './transport/guard.ts'
import { httpTransport } from './transport/http.ts'
import { version } from './version.ts'

export { version }

/** Numbers left out come from the preset; `settingsFromEnvironment()` gives those that an operator has set. */
export interface PosthornOptions<Events extends EventSchemas = EventSchemas> extends Partial<Limits> {
  readonly store: Store
  readonly preset?: PresetName | (string & {})
  /** Retry policies of your own, by name; endpoints choose one. */
  readonly policies?: Readonly<Record<string, Omit<RetryPolicy, 'name'>>>
  /** Event types with their schemas (any Standard Schema); other types are then refused. */
  readonly events?: Events
  readonly leaseMs?: number
  readonly timeoutMs?: number
  /** Retries of the policy `standard` after its first send. */
  readonly maxRetries?: number
  readonly maxLeased?: number
  readonly historyDays?: number
  /** CIDRs and host patterns that may be called although private, by http too. */
  readonly allowedTargets?: readonly string[]
  readonly allowHttp?: boolean
  /** What the names of the signature's headers begin with; that of the preset unless given: `webhook`, or `svix`. */
  readonly headerPrefix?: string | null
  /** Refuses messages that do not match the JSON Schema of their event type, where one is defined. */
  readonly enforceSchemas?: boolean
  /** The port of this machine that your own server listens on: no endpoint may lead there. */
  readonly ownPort?: number | null
  readonly allowUnsafeRetryDelays?: boolean
  readonly clock?: Clock
  readonly random?: Random
  readonly transport?: Transport
}

export interface SendOptions {
  /** Your own transaction, in the database that the store is in: the message is sent if it commits, and never was if it does not. */
  readonly tx?: unknown
  /** Refuses an application that is not there with `not_found`, instead of making it. */
  readonly mustExist?: boolean
  /** The id of the one endpoint that gets it, whatever types and filters it has. */
  readonly to?: string
}

const sendOptions = ['tx', 'mustExist', 'to'] as const satisfies readonly (keyof SendOptions)[]

/** Sends webhooks and can prove it: wires the ports together and decides nothing itself. */
export class Posthorn<Events extends EventSchemas = EventSchemas> implements Operations {
  readonly applications: Applications
  readonly endpoints: Endpoints
  readonly eventTypes: EventTypes
  readonly messages: Messages
  readonly deliveries: Deliveries
  readonly jobs: Jobs
  readonly figures: Figures
  readonly stream: Stream
  readonly keys: Keys
  /** Answers of the HTTP API under idempotency keys. */
  readonly replies: ReplyDirectory
  readonly requeue: Operations['requeue']
  readonly cancel: Operations['cancel']
  /** The worker's name in leases and events. */
  readonly workerId: string

  readonly #store: Store
  readonly #events: Events | undefined
  readonly #clock: Clock
  readonly #followed: FollowingClock | null
  readonly #random: Random
  readonly #bus: Bus
  readonly #settings: EngineSettings
  readonly #engine: Engine
  readonly #enforcer: Enforcer | null
  #opening: Promise<void> | null = null
  #starting: Promise<void> | null = null
  #isAttached = false
  #stopping: Promise<void> | null = null

  constructor(options: PosthornOptions<Events>) {
    this.#store = checkStore(options)
    this.#events = options.events
    this.#random = options.random ?? systemRandom
    this.#settings = engineSettings(options, `${hostname()}-${process.pid}-${Math.floor(this.#random() * 2 ** 32).toString(36)}`, `posthorn/${version}`)
    this.workerId = this.#settings.owner
    this.#followed = options.clock === undefined ? clockOf(options.store) : null
    this.#clock = options.clock ?? this.#followed ?? steadyClock()
    this.#bus = makeBus(this.#clock)

    const { queue, directory, beat, probeMs = null, listen = null } = options.store
    const guard = makeGuard({ allowedTargets: options.allowedTargets ?? [], allowHttp: options.allowHttp ?? false, ownPort: options.ownPort ?? null })
    const transport = options.transport ?? httpTransport({ clock: this.#clock, guard })
    const machinery = { transport, clock: this.#clock, random: this.#random, bus: this.#bus, settings: this.#settings }
    this.#engine = new Engine({ ...machinery, queue, directory, beat, probeMs, listen })

    const { policies, defaultPolicy } = this.#settings
    const shared = { ready: () => this.#open(), directory, queue, clock: this.#clock, random: this.#random, policies, defaultPolicy }
    const expect: Engine['expect'] = (endpointId, lane) => this.#engine.expect(endpointId, lane)
    this.applications = makeApplications(shared)
    this.endpoints = makeEndpoints({
      ...shared,
      defaults: { policy: defaultPolicy.name, signature: presetNamed(options.preset ?? 'standard').signature },
      headerPrefix: this.#settings.headerPrefix,
      checkUrl: (url) => guard.checkUrl(url),
      applicationId: (idOrUid) => this.#engine.applicationId(idOrUid),
      changed: (endpointId) => this.#engine.endpointChanged(endpointId),
      sendTo: async (endpoint, type, payload) => {
        const context = { events: undefined, mustExist: true, to: endpoint.id, now: this.#clock.now(), random: this.#random }
        const { id } = await this.#engine.send(await checkMessage({ application: endpoint.applicationId, type, payload }, context))
        return id
      },
    })
    const deliveryParts: DeliveryParts = {
      ...shared,
      expect,
      retriesPerTick: this.#settings.limits.retriesPerEndpoint,
      outgoingRequest: (endpoint, message, now) => requestFor(this.#settings, endpoint, message, now),
      emitCancelled: (ended) => emitEnded(this.#bus, ended, 'cancelled'),
    }
    this.deliveries = makeDeliveries(deliveryParts)
    this.messages = makeMessages(deliveryParts)
    this.#enforcer = options.enforceSchemas === true ? makeEnforcer(shared) : null
    this.eventTypes = makeEventTypes({ ...shared, changed: (name) => this.#enforcer?.forget(name) })
    this.jobs = makeJobs({ ...shared, wake: () => this.#engine.wakeBulk() })
    this.keys = makeKeys(shared)
    this.figures = makeFigures(shared)
    this.stream = makeStream({ ...shared, owner: this.workerId, isShared: probeMs !== null, subscribe: (listener) => this.#bus.on('*', listener) })
    this.replies = makeReplies(shared)
    const { requeue, cancel } = makeOperations(deliveryParts, this.deliveries)
    this.requeue = requeue
    this.cancel = cancel
  }

  /** Begins to deliver. Without it, `send` only stores, and another process may deliver. A `stop` in the meantime wins. */
  start(): Promise<void> {
    if (this.#stopping !== null) return Promise.reject(stopped())
    this.#starting ??= this.#start().catch((error: unknown) => {
      // What could not start may start the next time.
      this.#starting = null
      throw error
    })
    return this.#starting
  }

  /** Claims nothing more, finishes what is under way within the grace, gives the rest back, and closes the store. */
  stop({ graceMs = 35_000 }: { readonly graceMs?: number } = {}): Promise<void> {
    checkCount('graceMs', graceMs, 0, 600_000)
    this.#stopping ??= this.#stop(graceMs)
    return this.#stopping
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.stop()
  }

  /** Stores a message for every endpoint that matches now; once it resolves, the message will not be lost. */
  send(message: MessageInput<Events>, options?: SendOptions): Promise<Sent>
  send(messages: readonly MessageInput<Events>[], options?: SendOptions): Promise<Sent[]>
  async send(given: MessageInput<Events> | readonly MessageInput<Events>[], options: SendOptions = {}): Promise<Sent | Sent[]> {
    refuseUnknown('send', options, sendOptions)
    const messages = (Array.isArray(given) ? given : [given]) as readonly Given[]
    const { mustExist = false, to = null } = options
    const context = { events: this.#events, mustExist, to, now: this.#clock.now(), random: this.#random }
    if ('tx' in options && this.#store.withinSync !== undefined) {
      // Nothing is waited for up to here: whoever ends the transaction right after the call has the message in it.
      const checked = messages.map((message) => checkMessageSync(message, context))
      refuseWithin(checked)
      if (this.#enforcer !== null) {
        throw expected('invalid_argument', 'enforceSchemas', 'off where `send` joins a transaction of SQLite', true, 'Schemas are read from the store, which would have to wait; declare `events` instead.')
      }
      const sent = this.#engine.sendWithinSync(this.#store.withinSync(txOf(options)), checked)
      return Array.isArray(given) ? sent : (sent[0] as Sent)
    }
    const sent = 'tx' in options ? await this.#sendWithin(messages, options, context) : await this.#send(messages, context)
    return Array.isArray(given) ? sent : (sent[0] as Sent)
  }

  /** Listens to what this process did, after it was stored. Returns how to stop listening. */
  on<Type extends EventType>(type: Type | '*', listener: Listener<Type>): () => void {
    checkEventName(type)
    return this.#bus.on(type, listener)
  }

  /** How things stand: counts, rates, latencies and the queue's depth. */
  async overview({ windowMs = hour, applicationId }: { readonly windowMs?: number; readonly applicationId?: string | undefined } = {}): Promise<Overview> {
    checkCount('windowMs', windowMs, 60_000, 31 * day)
    await this.#open()
    return this.#store.directory.overview({ now: this.#clock.now(), windowMs, applicationId })
  }

  /** Who delivers from this store, and when each was last seen. */
  async workers(): Promise<SeenWorker[]> {
    await this.#open()
    return this.#store.directory.workers()
  }

  /** What the deliveries of this process go by. */
  get policies(): readonly RetryPolicy[] {
    return [...this.#settings.policies.values()]
  }

  get database(): NonNullable<Store['kind']> {
    return this.#store.kind ?? 'memory'
  }

  /** Who did what, newest first. */
  async audit(page: Partial<Page> = {}): Promise<AuditEntry[]> {
    await this.#open()
    return this.#store.directory.audit(checkPage(page))
  }

  /** The time by which everything here is judged: the one that all workers on the store share. */
  now(): Instant {
    return this.#clock.now()
  }

  /** Resolves when nothing is under way in this process: no send, no claim, no attempt, no mark. */
  idle(): Promise<void> {
    return this.#engine.idle()
  }

  async #start(): Promise<void> {
    await this.#open()
    const worker = { id: this.workerId, pid: process.pid, host: hostname(), startedAt: this.#clock.now() }
    await this.#store.attach(worker)
    this.#isAttached = true
    if (this.#stopping !== null) throw stopped()
    this.#warnOfUnsafeDelays()
    this.stream.start()
    await this.#engine.start(worker)
  }

  async #send(messages: readonly Given[], context: SendContext): Promise<Sent[]> {
    const checked = await Promise.all(messages.map((message) => checkMessage(message, context)))
    await this.#open()
    await this.#enforce(checked)
    await this.#expirePayloads(checked)
    const [only] = checked
    if (only !== undefined && checked.length === 1) return [await this.#engine.send(only)]
    const results = await Promise.allSettled(checked.map((message) => this.#engine.send(message)))
    return results.map((result) => {
      if (result.status === 'rejected') throw result.reason
      return result.value
    })
  }

  /** Before the messages: a crash between the two must not leave a body that is never erased. */
  async #expirePayloads(messages: readonly CheckedMessage[]): Promise<void> {
    const expiring = messages.flatMap(({ message, eraseAt }) => (eraseAt === null ? [] : [{ messageId: message.id, eraseAt }]))
    if (expiring.length > 0) await this.#store.directory.expirePayloads(expiring)
  }

  /** Touches nothing but the transaction: the pool may be used up by those who hold one. Only schemas that are enforced are read from the store. */
  async #sendWithin(messages: readonly Given[], options: SendOptions, context: SendContext): Promise<Sent[]> {
    const checked = await Promise.all(messages.map((message) => checkMessage(message, context)))
    refuseWithin(checked)
    if (this.#stopping !== null) throw stopped()
    const outlet = await this.#outlet(options)
    // A process that only sends has not read the time yet: by a wrong clock, what it stores would leave early or late.
    if (this.#followed?.isFollowing === false && outlet.time !== undefined) this.#followed.follow(await outlet.time())
    if (this.#enforcer !== null) await this.#open()
    await this.#enforce(checked)
    return this.#engine.sendWithin(outlet, checked)
  }

  async #enforce(messages: readonly CheckedMessage[]): Promise<void> {
    if (this.#enforcer !== null) for (const { message, isEnvelope } of messages) await this.#enforcer.check(message, isEnvelope)
  }

  async #outlet(options: SendOptions): Promise<Outlet> {
    const tx = txOf(options)
    if (this.#store.within !== undefined) return this.#store.within(tx)
    const advice = 'This store cannot join a transaction of yours; those of `posthorn/postgres` and of `sqlite({ open })` can.'
    throw expected('invalid_argument', 'tx', 'left out', tx, advice)
  }

  #open(): Promise<void> {
    if (this.#stopping !== null) return Promise.reject(stopped())
    this.#opening ??= this.#openStore().catch((error: unknown) => {
      // A store that could not be opened may be there the next time.
      this.#opening = null
      throw error
    })
    return this.#opening
  }

  async #openStore(): Promise<void> {
    for (const notice of await this.#store.open()) this.#bus.warn('secrets_key', notice)
    await this.#followed?.measure()
  }

  async #stop(graceMs: number): Promise<void> {
    // Sends that were accepted before are stored first.
    await this.#opening?.catch(() => undefined)
    await this.#engine.stop(graceMs)
    await this.#starting?.catch(() => undefined)
    await this.stream.stop()
    if (this.#isAttached) await this.#store.detach(this.workerId)
    await this.#store.close()
  }

  /** The override of the 30-second guard is said aloud at every start, whoever listens. */
  #warnOfUnsafeDelays(): void {
    const unsafe = [...this.#settings.policies.values()].filter((policy) => plannedDelays(policy).some((delay) => delay < safeDelayMs))
    if (unsafe.length === 0) return
    const names = unsafe.map(({ name }) => `"${name}"`).join(', ')
    const message = `Retry delays under ${safeDelayMs / 1000} s are allowed by override, in policy ${names}. Never in production.`
    this.#bus.warn('unsafe_retry_delays', message)
    process.emitWarning(message, { code: 'POSTHORN_UNSAFE_RETRY_DELAYS' })
  }
}

function stopped(): PosthornError {
  return new PosthornError('stopped', 'This Posthorn was stopped. Create a new one to go on.')
}

/** What cannot be part of a transaction of the caller's. */
function refuseWithin(messages: readonly CheckedMessage[]): void {
  const expiring = messages.find(({ eraseAt }) => eraseAt !== null)
  if (expiring !== undefined) throw expected('invalid_argument', 'payloadRetentionDays', 'left out within a transaction', expiring.eraseAt, 'Send after the commit, or erase the message later.')
  // An event id that another transaction takes first would abort this one at its commit.
  const named = messages.find(({ message }) => message.eventId !== null)
  if (named === undefined) return
  const advice = 'Another transaction may take it before yours commits; use `idempotencyKey`, or send after the commit.'
  throw expected('invalid_argument', 'eventId', 'left out within a transaction', named.message.eventId, advice)
}

/** A transaction that went missing on the way must not become a message that is sent whatever comes of the transaction. */
function txOf({ tx }: SendOptions): unknown {
  if (tx !== undefined && tx !== null) return tx
  throw expected('invalid_argument', 'tx', 'your transaction', tx, 'To send outside a transaction, leave it out.')
}

/** Workers on several machines go by the time of the store that they share. */
function clockOf(store: Store): FollowingClock | null {
  return store.time === undefined ? null : followingClock(() => store.time?.() ?? Promise.resolve(systemClock.now()))
}
