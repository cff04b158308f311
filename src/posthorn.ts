import { hostname } from 'node:os'
import { makeApi } from './api/api.ts'
import type { Api } from './api/api.ts'
import { StoreSamples } from './api/sample.ts'
import { Sender, stopped } from './api/send/sender.ts'
import type { SendOptions } from './api/send/sender.ts'
import type { FollowingClock } from './clock.ts'
import type { PosthornOptions } from './config/options.ts'
import type { AuditEntry, AuditFilter } from './core/ports/audit.ts'
import type { Page } from './core/ports/directory/page.ts'
import { checkEventName } from './core/ports/events.ts'
import type { EventType } from './core/ports/events.ts'
import { checkCount } from './core/limits/limits.ts'
import { checkQuotas } from './core/limits/quotas.ts'
import type { Meter } from './core/ports/meter.ts'
import type { Overview } from './core/ports/overview.ts'
import type { Clock, Store } from './core/ports/ports.ts'
import { presetNamed } from './core/delivery/presets.ts'
import { plannedDelays, safeDelayMs } from './core/delivery/retry-policy.ts'
import type { RetryPolicy } from './core/delivery/retry-policy.ts'
import { day, hour } from './core/time.ts'
import type { SeenWorker } from './core/ports/worker.ts'
import type { Instant } from './core/time.ts'
import type { Bus, Listener } from './engine/bus.ts'
import type { EngineCalls } from './engine/engine.ts'
import type { Sent } from './engine/send/envelope.ts'
import type { EngineSettings } from './engine/parts.ts'
import { makeEnforcer } from './api/send/schema-enforcer.ts'
import type { EventSchemas, Given, MessageInput } from './api/send/checked-message.ts'
import { checkPage } from './api/input/page.ts'
import { wiredToThread } from './thread/host.ts'
import { version } from './version.ts'
import { newWorkerId, wiredHere } from './wiring.ts'

export type { SendOptions } from './api/send/sender.ts'
export type { PosthornOptions } from './config/options.ts'
export { version }

/** Sends webhooks and can prove it: connects the ports, and contains no rules. */
export class Posthorn<Events extends EventSchemas = EventSchemas> implements Api {
  readonly applications: Api['applications']
  readonly endpoints: Api['endpoints']
  readonly eventTypes: Api['eventTypes']
  readonly messages: Api['messages']
  readonly deliveries: Api['deliveries']
  readonly jobs: Api['jobs']
  readonly figures: Api['figures']
  readonly search: Api['search']
  readonly alarms: Api['alarms']
  readonly stream: Api['stream']
  readonly keys: Api['keys']
  /** Responses of the HTTP API under idempotency keys. */
  readonly replies: Api['replies']
  readonly requeue: Api['requeue']
  readonly cancel: Api['cancel']
  /** The worker's name in leases and events. */
  readonly workerId: string

  readonly #store: Store
  readonly #clock: Clock
  readonly #followed: FollowingClock | null
  readonly #bus: Bus
  readonly #settings: EngineSettings
  readonly #engine: EngineCalls
  readonly #sender: Sender
  readonly #meter: Meter | null
  #opening: Promise<void> | null = null
  #isOpen = false
  #starting: Promise<void> | null = null
  #isAttached = false
  #stopping: Promise<void> | null = null

  constructor(options: PosthornOptions<Events>) {
    this.workerId = newWorkerId(options)
    const wired = options.thread === true ? wiredToThread(options, this.workerId) : wiredHere(options, this.workerId)
    this.#store = wired.store
    this.#meter = wired.meter
    this.#settings = wired.settings
    this.#followed = wired.followed
    this.#clock = wired.clock
    this.#bus = wired.bus
    this.#engine = wired.engine

    const open = (): Promise<void> => this.#open()
    const { directory } = this.#store
    const enforcer = options.enforceSchemas === true ? makeEnforcer({ directory, clock: this.#clock }) : null
    const opened = { ...wired, enforcer, open }
    this.#sender = new Sender({
      ...opened,
      events: options.events,
      isOpen: () => this.#isOpen && this.#stopping === null,
      isStopping: () => this.#stopping !== null,
    })
    const { signature } = presetNamed(options.preset ?? 'standard')
    const api = makeApi({ ...opened, signature, quotas: checkQuotas(options) })
    this.applications = api.applications
    this.endpoints = api.endpoints
    this.eventTypes = api.eventTypes
    this.messages = api.messages
    this.deliveries = api.deliveries
    this.jobs = api.jobs
    this.figures = api.figures
    this.search = api.search
    this.alarms = api.alarms
    this.stream = api.stream
    this.keys = api.keys
    this.replies = api.replies
    this.requeue = api.requeue
    this.cancel = api.cancel
    this.#attachMeter()
  }

  /** Starts delivering. Without it, `send` only stores, and another process may deliver. A `stop` in the meantime wins. */
  start(): Promise<void> {
    if (this.#stopping !== null) return Promise.reject(stopped())
    this.#starting ??= this.#start().catch((error: unknown) => {
      // If the start fails, it can be tried again.
      this.#starting = null
      throw error
    })
    return this.#starting
  }

  /** Stops claiming, finishes what is under way within the grace period, gives back the rest, and closes the store. */
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
  send(
    given: MessageInput<Events> | readonly MessageInput<Events>[],
    options: SendOptions = {},
  ): Promise<Sent | Sent[]> {
    return Array.isArray(given)
      ? this.#sender.send(given as readonly Given[], options)
      : this.#sender.sendOne(given as Given, options)
  }

  /** Listens for events of this process, after they were stored. Returns a function that stops listening. */
  on<Type extends EventType>(type: Type | '*', listener: Listener<Type>): () => void {
    checkEventName(type)
    return this.#bus.on(type, listener)
  }

  /** The overall state: counts, rates, latencies and the queue's depth. */
  async overview({
    windowMs = hour,
    applicationId,
  }: { readonly windowMs?: number; readonly applicationId?: string | undefined } = {}): Promise<Overview> {
    checkCount('windowMs', windowMs, 60_000, 31 * day)
    await this.#open()
    return this.#store.directory.overview({ now: this.#clock.now(), windowMs, applicationId })
  }

  /** The workers on this store, and when each was last seen. */
  async workers(): Promise<SeenWorker[]> {
    await this.#open()
    return this.#store.directory.workers()
  }

  /** The settings of this process's deliveries. */
  get policies(): readonly RetryPolicy[] {
    return [...this.#settings.policies.values()]
  }

  get database(): NonNullable<Store['kind']> {
    return this.#store.kind ?? 'memory'
  }

  /** Who did what, newest first. */
  async audit({ limit, after, order, ...filter }: AuditFilter & Partial<Page> = {}): Promise<AuditEntry[]> {
    const page = checkPage({ limit, after, order })
    await this.#open()
    return this.#store.directory.audit(filter, page)
  }

  /** The time that everything here uses: shared by all workers on the store. */
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

  #open(): Promise<void> {
    if (this.#stopping !== null) return Promise.reject(stopped())
    this.#opening ??= this.#openStore().catch((error: unknown) => {
      // A store that could not be opened may be available the next time.
      this.#opening = null
      throw error
    })
    return this.#opening
  }

  async #openStore(): Promise<void> {
    for (const notice of await this.#store.open()) this.#bus.warn('secrets_key', notice)
    await this.#followed?.measure()
    this.#meter?.opened()
    this.#isOpen = true
  }

  async #stop(graceMs: number): Promise<void> {
    // Sends that were accepted before are stored first.
    await this.#opening?.catch(() => undefined)
    await this.#engine.stop(graceMs)
    await this.#starting?.catch(() => undefined)
    await this.stream.stop()
    await this.#meter?.stopped()
    if (this.#isAttached) await this.#store.detach(this.workerId)
    await this.#store.close()
  }

  /** Lets a meter read what nobody reports: what is under way, and the state of the store. */
  #attachMeter(): void {
    if (this.#meter === null) return
    const samples = new StoreSamples(this.#store, this.#settings.limits.pollMs)
    this.#meter.attach({
      version,
      database: this.database,
      now: () => this.#clock.now(),
      after: (ms, callback) => this.#clock.after(ms, callback),
      on: (type, listener) => this.#bus.on(type, listener),
      inFlight: () => this.#engine.inFlight,
      openRequests: () => this.#engine.openRequests,
      streamReaders: () => this.stream.readers,
      sample: () => samples.take(this.#clock.now()),
    })
  }

  /** The override of the 30-second guard is announced at every start, whether anybody listens or not. */
  #warnOfUnsafeDelays(): void {
    const unsafe = [...this.#settings.policies.values()].filter((policy) =>
      plannedDelays(policy).some((delay) => delay < safeDelayMs),
    )
    if (unsafe.length === 0) return
    const names = unsafe.map(({ name }) => `"${name}"`).join(', ')
    const message = `Retry delays under ${safeDelayMs / 1000} s are allowed by override, in policy ${names}. Never in production.`
    this.#bus.warn('unsafe_retry_delays', message)
    process.emitWarning(message, { code: 'POSTHORN_UNSAFE_RETRY_DELAYS' })
  }
}
