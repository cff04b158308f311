import type { OperationalMessage } from '../core/alarms/operational.ts'
import type { Lane } from '../core/delivery/delivery.ts'
import type { PosthornError } from '../core/errors.ts'
import type { StoreTransaction, SyncStoreTransaction } from '../core/ports/ports.ts'
import type { Worker } from '../core/ports/worker.ts'
import { Activity } from './activity.ts'
import { Attempts } from './attempt/attempts.ts'
import { Budget } from './endpoints/budget.ts'
import { Claimer } from './claim/claim.ts'
import { Cycle } from './claim/cycle.ts'
import { Endpoints } from './endpoints/endpoints.ts'
import type { Outgoing, Sent } from './send/envelope.ts'
import { HealthKeeper } from './endpoints/health.ts'
import { Leases } from './attempt/leases.ts'
import { Lookout } from './claim/lookout.ts'
import { Matchings } from './send/matchings.ts'
import { Outbox } from './send/outbox.ts'
import { TxOutbox } from './send/outbox-tx.ts'
import type { EngineParts } from './parts.ts'
import { Schedule } from './claim/schedule.ts'
import { Shares } from './endpoints/shares.ts'
import { Alarms } from './upkeep/alarms.ts'
import { AttemptNotices } from './upkeep/attempt-notices.ts'
import { Bulk } from './upkeep/bulk.ts'
import { Operations } from './upkeep/operations.ts'
import { Presence } from './upkeep/presence.ts'
import { Pruner } from './upkeep/pruner.ts'
import { Walk } from './claim/walk.ts'

/** The public calls of an engine, in this thread or another. */
export type EngineCalls = Pick<Engine, keyof Engine>

/** The engine behind `Posthorn`. It contains no rules: core decides, the store remembers, the transport sends. */
export class Engine {
  readonly #parts: EngineParts
  readonly #activity = new Activity()
  readonly #endpoints: Endpoints
  readonly #budget: Budget
  readonly #health: HealthKeeper
  readonly #matchings: Matchings
  readonly #schedule: Schedule
  readonly #attempts: Attempts
  readonly #cycle: Cycle
  readonly #lookout: Lookout
  readonly #outbox: Outbox
  readonly #txOutbox: TxOutbox
  readonly #bulk: Bulk
  readonly #pruner: Pruner
  readonly #presence: Presence
  readonly #operations: Operations
  readonly #alarms: Alarms
  readonly #attemptNotices: AttemptNotices
  #stopped = false

  constructor(parts: EngineParts) {
    this.#parts = parts
    const activity = this.#activity
    const endpoints = (this.#endpoints = new Endpoints(parts))
    const health = (this.#health = new HealthKeeper(parts))
    const shares = new Shares(parts, endpoints)
    const budget = (this.#budget = new Budget(parts.settings))
    const common = { engine: parts, activity, endpoints, budget, health, shares }
    const schedule = (this.#schedule = new Schedule(common))
    const attempts = (this.#attempts = new Attempts({ ...common, schedule, leases: new Leases(parts) }))
    const walk = new Walk({ ...common, schedule })
    const claimer = new Claimer({ ...common, schedule, walk, attempts })
    const cycle = (this.#cycle = new Cycle({ ...common, schedule, walk, claimer }))
    const matchings = (this.#matchings = new Matchings(parts))
    this.#lookout = new Lookout({ ...common, cycle, walk, claimer })
    this.#outbox = new Outbox({ ...common, matchings, schedule, attempts })
    this.#txOutbox = new TxOutbox(parts, (endpointId) => this.expect(endpointId, 'fresh'))
    this.#bulk = new Bulk({ ...common, expect: (endpointId, lane) => this.expect(endpointId, lane) })
    this.#pruner = new Pruner(parts)
    const operations = (this.#operations = new Operations({ engine: parts, send: (outgoing) => this.send(outgoing) }))
    this.#alarms = new Alarms({ ...common, operations })
    this.#attemptNotices = new AttemptNotices({ ...common, operations })
    this.#presence = new Presence({ ...common, schedule, outdated: (error) => this.#outdated(error) })
  }

  /** Resolves once the other workers are counted and the first cycle has begun. A stop in the meantime wins. */
  async start(worker: Worker): Promise<void> {
    if (this.#stopped) return
    await this.#presence.start(worker)
    if (this.#stopped) return this.#presence.stop()
    this.#cycle.start()
    this.#txOutbox.start()
    this.#lookout.start()
    this.#bulk.start()
    this.#pruner.start()
    this.#alarms.start()
    this.#attemptNotices.start()
  }

  /** Stops claiming, finishes the requests on the wire within the grace period, gives the rest back, and leaves no timer. */
  async stop(graceMs: number): Promise<void> {
    const { transport } = this.#parts
    await this.#stopClaiming()
    await this.#idleWithin(graceMs)
    if (!this.#activity.isIdle) {
      this.#attempts.abandon()
      await transport.close()
      await this.idle()
    }
    // Not before: while requests are open, the other workers must still count this one.
    await this.#presence.stop()
    this.#health.stop()
    await transport.close()
    // After the last attempt has ended: its outcome may need a notice.
    await this.#attemptNotices.stop()
  }

  send(outgoing: Outgoing): Promise<Sent> {
    return this.#outbox.send(outgoing)
  }

  sendWithin(transaction: StoreTransaction, batch: readonly Outgoing[]): Promise<Sent[]> {
    return this.#txOutbox.send(transaction, batch)
  }

  sendWithinSync(transaction: SyncStoreTransaction, batch: readonly Outgoing[]): Sent[] {
    return this.#txOutbox.sendSync(transaction, batch)
  }

  /** Returns the application's id. The application is created on first use. */
  applicationId(idOrUid: string): Promise<string> {
    return this.#matchings.applicationId(idOrUid)
  }

  /** An endpoint has due rows: they need not wait for the tick. */
  async expect(endpointId: string, lane: Lane): Promise<void> {
    await this.#endpoints.refresh([endpointId])
    const record = this.#endpoints.get(endpointId)
    if (record !== undefined) this.#schedule.expect([record], lane)
  }

  /** Rereads an endpoint at once, because it was just changed here. */
  async endpointChanged(endpointId: string): Promise<void> {
    this.#endpoints.forgetAge(endpointId)
    await this.#endpoints.refresh([endpointId])
    const record = this.#endpoints.get(endpointId)
    if (record === undefined || record.endpoint.status !== 'active') return
    // It may have been resumed: its backlog need not wait for the tick.
    this.#schedule.expect([record], 'fresh')
    this.#schedule.reconsider(record)
  }

  /** Sends to all endpoints that receive operational webhooks. Resolves with how many there are. */
  sendOperational(message: OperationalMessage): Promise<number> {
    return this.#operations.sendToAllNow(message)
  }

  /** There may be bulk work to do. */
  wakeBulk(): void {
    this.#bulk.wake()
  }

  /** Deliveries leased by this process. */
  get inFlight(): number {
    return this.#attempts.size
  }

  get openRequests(): number {
    return this.#budget.requestsOpen
  }

  /** Resolves when this process has no work in progress. */
  idle(): Promise<void> {
    return this.#activity.idle()
  }

  async #stopClaiming(): Promise<void> {
    this.#stopped = true
    this.#txOutbox.stop()
    const upkeep = [this.#bulk, this.#pruner, this.#alarms]
    await Promise.all([this.#cycle, this.#lookout, ...upkeep].map((part) => part.stop()))
    await this.#attempts.giveBackWaiting()
  }

  /** Finishes the work in progress; workers of the later release do the rest. */
  async #outdated({ message }: PosthornError): Promise<void> {
    this.#parts.bus.warn('newer_database', `This worker claims nothing more: ${message}`)
    await this.#stopClaiming()
  }

  async #idleWithin(ms: number): Promise<void> {
    if (ms === 0) return
    await new Promise<void>((resolve) => {
      const cancel = this.#parts.clock.after(ms, resolve)
      void this.idle().then(cancel).then(resolve)
    })
  }
}
