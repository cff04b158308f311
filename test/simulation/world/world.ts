import type { PosthornOptions } from '../../../src/posthorn.ts'
import type { Instant } from '../../../src/core/time.ts'
import type { Store } from '../../../src/core/ports/ports.ts'
import { Draw } from '../draw.ts'
import type { EndpointPlan, Scenario } from '../scenario.ts'
import { emptyState } from '../../../src/testing/memory/state.ts'
import type { State } from '../../../src/testing/memory/state.ts'
import { memoryStore } from '../../../src/testing/memory/store.ts'
import type { Gate } from './gate.ts'
import { Hints } from './hints.ts'
import { History } from './history.ts'
import type { Call } from './history.ts'
import { realBacking } from './mirror.ts'
import type { Backing } from './mirror.ts'
import { Process } from './process.ts'
import { inOrder, Receiver } from './receivers.ts'
import type { Behaviour } from './receivers.ts'
import { Scheduler } from './scheduler.ts'
import { heeding, refusing } from './store.ts'
import type { SharedStore } from './store.ts'

/** What every process is made with, as far as the scenario says. */
type Options = Omit<PosthornOptions, 'store' | 'clock' | 'random' | 'transport'>

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

/** The retry policies that endpoints choose from, besides those of the presets. */
export const policies = {
  brisk: { delays: { kind: 'list', delaysMs: [30_000, 45_000, 60_000] }, jitterShare: 0.2, maxAttempts: 4 },
} as const

export interface WorldOptions {
  /** Gets a line for everything that happens. */
  readonly trace?: ((line: string) => void) | null
  /** Breaks the store on purpose, to see that the invariants notice. */
  readonly tamper?: (store: Store) => Store
  /** An open database instead of a store that is simulated: time waits for its answers. */
  readonly real?: Store | null
}

/** One simulated world: processes, endpoints, a store and a time, all of them moved by one heap of events. */
export class World {
  readonly scenario: Scenario
  readonly scheduler: Scheduler
  readonly state: State
  readonly history: History
  readonly shared: SharedStore
  /** Null where nobody is notified of what others have stored. */
  readonly hints: Hints | null
  readonly options: Options
  readonly processes = new Map<number, Process>()
  readonly operator: Process
  /** Bodies that end whoever sends them. */
  readonly poison = new Set<string>()
  startedAt: Instant = 0
  readonly #receivers = new Map<number, Receiver>()

  constructor(scenario: Scenario, { trace = null, tamper = (store) => store, real = null }: WorldOptions) {
    this.scenario = scenario
    this.state = emptyState(scenario.store.kind === 'single')
    const backing = real === null ? memoryBacking(this.state, tamper) : realBacking(tamper(real), this.state)
    this.scheduler = new Scheduler(new Draw(scenario.seed, 'ties').next, trace, backing.settled)
    this.history = new History(this.state, () => this.scheduler.now)
    this.shared = {
      store: refusing(backing.store),
      apply: backing.apply,
      forget: backing.forget,
      plan: scenario.store,
      scheduler: this.scheduler,
      history: this.history,
      draw: new Draw(scenario.seed, 'store'),
      inOrder: [],
      isCalm: true,
    }
    const { kind, listens = false } = scenario.store
    this.hints = kind === 'shared' && listens ? new Hints(this.shared, new Draw(scenario.seed, 'hints')) : null
    this.options = { ...scenario.settings, policies }
    this.operator = new Process(this, { id: 0, role: 'operator', offsetMs: 0, driftPpm: 0 })
    for (const plan of scenario.processes) this.processes.set(plan.id, new Process(this, plan))
    for (const plan of scenario.endpoints) this.#receivers.set(plan.id, new Receiver(plan, scenario.seed))
  }

  /** Creates the endpoints, before anything can go wrong. */
  async prepare(): Promise<void> {
    for (const { application, ratePerSecond } of this.scenario.limited ?? [])
      await this.operator.posthorn.applications.create({ uid: applicationOf({ application }), ratePerSecond })
    for (const { plan } of this.#receivers.values()) await this.createEndpoint(plan)
    this.shared.isCalm = false
    // So that nothing was read before this instant.
    this.scheduler.now += 10_000
    this.startedAt = this.scheduler.now
  }

  async createEndpoint(plan: EndpointPlan): Promise<void> {
    const receiver = this.#receivers.get(plan.id) ?? new Receiver(plan, this.scenario.seed)
    this.#receivers.set(plan.id, receiver)
    const { policy, ratePerSecond } = plan
    const endpoint = await this.operator.posthorn.endpoints.create({
      application: applicationOf(plan),
      url: receiver.url,
      secret,
      policy,
      ratePerSecond,
      signature: 'standard',
    })
    receiver.id = endpoint.id
    this.#notePhase(receiver)
  }

  receiver(endpoint: number): Receiver {
    const receiver = this.#receivers.get(endpoint)
    if (receiver === undefined) throw new RangeError(`Expected an endpoint of the scenario, got ${endpoint}.`)
    return receiver
  }

  get receivers(): Iterable<Receiver> {
    return this.#receivers.values()
  }

  behave(receiver: Receiver, behaviour: Behaviour): void {
    receiver.behaviour = behaviour
    this.#notePhase(receiver)
  }

  /** An endpoint moves to another URL. Who is still on the way to the old one gets the old answer. */
  async move(receiver: Receiver, behaviour: Behaviour): Promise<void> {
    receiver.revision += 1
    this.behave(receiver, behaviour)
    await this.operator.posthorn.endpoints.update(receiver.id, { url: receiver.url })
  }

  /** Deletes an application with all that it has. */
  async eraseApplication(application: number): Promise<void> {
    this.history.reach('application erased')
    this.history.erased.add(application)
    await this.operator.posthorn.applications.erase(applicationOf({ application }))
  }

  /** The lease under which a worker sends a message to an endpoint: the newest that it was given. */
  leaseOf(
    workerId: string,
    messageId: string,
    endpointId: string,
  ): { readonly deliveryId: string; readonly epoch: number } | null {
    const ids = this.history.deliveriesOf.get(`${messageId} ${endpointId}`) ?? []
    const granted = ids.flatMap((deliveryId) => this.history.grants.get(`${workerId} ${deliveryId}`) ?? [])
    return granted.toSorted((one, other) => other.at - one.at)[0] ?? null
  }

  /** A body that ends its sender does so soon after the request has left. */
  poisoned({ body }: Call, gate: Gate): void {
    if (!this.poison.has(body)) return
    this.history.reach('poison sent')
    this.scheduler.at(1, null, `${gate.name} dies of poison`, () => gate.die())
  }

  #notePhase(receiver: Receiver): void {
    const { behaviour } = receiver
    const isInOrder = behaviour === inOrder || (behaviour.answer === 200 && behaviour.tookMs[1] <= 1_000)
    const isQuick = Math.max(behaviour.tookMs[1], behaviour.otherwiseMs[1]) <= 1_000 && behaviour.answer !== 'hung'
    const failsShare = isInOrder ? 0 : isQuick ? behaviour.share : 1
    this.history.phases.push({
      at: this.scheduler.now,
      endpointId: receiver.id,
      revision: receiver.revision,
      isInOrder,
      failsShare,
    })
  }
}

/** Of the two, PostgreSQL reads nothing that was finished before; SQLite has no need to. */
function memoryBacking(state: State, tamper: (store: Store) => Store): Backing {
  const heeded = state.soleProcess ? { state, wrap: (store: Store) => store } : heeding(state)
  return {
    store: tamper(heeded.wrap(memoryStore({ state: heeded.state }))),
    apply(_name, _args, run, note) {
      note()
      return run()
    },
    forget: (workerId) => void state.attached.delete(workerId),
    settled: null,
  }
}

export function applicationOf({ application }: Pick<EndpointPlan, 'application'>): string {
  return `tenant-${application}`
}
