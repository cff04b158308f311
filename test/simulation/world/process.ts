import { Posthorn } from '../../../src/posthorn.ts'
import { Draw } from '../draw.ts'
import type { ProcessPlan } from '../scenario.ts'
import { Gate } from './gate.ts'
import type { Disturbance, Life } from './history.ts'
import { simulatedMeter } from './meter.ts'
import { simulatedStore } from './store.ts'
import { simulatedTransport } from './transport.ts'
import type { World } from './world.ts'

const startAgainMs = 1_000

/** A machine's one program: it is started, killed, frozen, cut off and started again, each time as a new life. */
export class Process {
  readonly plan: Omit<ProcessPlan, 'role'> & { readonly role: Life['role'] }
  gate: Gate
  posthorn: Posthorn
  life: Life
  readonly #world: World
  #lives = 0
  /** What its leaving is to the others, until it has left or is killed meanwhile. */
  #leaving: Disturbance | null = null
  #opened: () => Promise<void> = async () => undefined

  constructor(world: World, plan: Process['plan']) {
    this.#world = world
    this.plan = plan
    ;[this.gate, this.posthorn, this.life] = this.#begin()
  }

  get isAlive(): boolean {
    return this.life.endedAt === null
  }

  /** Begins a new life, if none is under way. */
  start(): void {
    if (!this.isAlive) [this.gate, this.posthorn, this.life] = this.#begin()
    if (this.plan.role === 'worker') void this.#deliver(this.gate, this.posthorn, this.life)
  }

  /** Nothing of this life happens any more, wherever it was. */
  kill(): void {
    if (!this.isAlive) return
    this.#world.scheduler.note('killed', this.gate)
    this.gate.state = 'dead'
    this.#end('killed')
    if (this.#leaving !== null) this.#leaving.to = this.#world.scheduler.now
    // Where one process only may deliver, its lock dies with it.
    if (this.#world.scenario.store.kind === 'single') this.#world.shared.forget(this.life.workerId)
    this.#world.history.disturb(this.gate.name, 'kill', this.#world.scheduler.now)
  }

  async leave(graceMs: number): Promise<void> {
    if (!this.isAlive) return
    const { posthorn, life } = this
    // Others may count on it no longer, so it is no live worker from now on.
    const disturbance = this.#world.history.disturb(
      this.gate.name,
      'leave',
      this.#world.scheduler.now,
      Number.POSITIVE_INFINITY,
    )
    this.#leaving = disturbance
    await posthorn.stop({ graceMs }).catch(() => undefined)
    disturbance.to = this.#world.scheduler.now
    if (life.endedAt === null) {
      life.endedAt = this.#world.scheduler.now
      life.ended = 'left'
    }
  }

  #dies(gate: Gate): void {
    if (this.gate !== gate || !this.isAlive) return
    this.kill()
    this.#world.scheduler.at(startAgainMs, null, `${gate.name} is started again`, () => this.start())
  }

  #end(ended: NonNullable<Life['ended']>): void {
    this.life.endedAt = this.#world.scheduler.now
    this.life.ended = ended
  }

  #begin(): [Gate, Posthorn, Life] {
    const { scheduler, shared, hints, scenario, history } = this.#world
    this.#lives += 1
    this.#leaving = null
    const gate = new Gate(`${this.plan.role}${this.plan.id}.${this.#lives}`, scheduler, this.plan)
    gate.die = () => this.#dies(gate)
    const store = simulatedStore(shared, gate, hints)
    const followed = store.time === undefined ? null : gate.followingClock(store.time)
    const clock = followed ?? gate.steadyClock()
    const random = new Draw(scenario.seed, gate.name).next
    const life: Life = {
      process: gate.name,
      role: this.plan.role,
      bornAt: scheduler.now,
      workerId: '',
      attachedAt: null,
      beats: [],
      endedAt: null,
      ended: null,
    }
    const transport = simulatedTransport(this.#world, gate, () => life.workerId)
    const meter = simulatedMeter(history, gate.name)
    const posthorn = new Posthorn({ ...this.#world.options, store, clock, random, transport, meter })
    life.workerId = posthorn.workerId
    posthorn.on('*', (event) => void history.events.push({ at: scheduler.now, process: gate.name, event }))
    history.lives.set(gate.name, life)
    // As when a store is opened: nothing is delivered before the shared time is known.
    this.#opened = followed === null ? async () => undefined : () => followed.measure()
    if (this.plan.role !== 'worker') this.#opened().catch(() => undefined)
    return [gate, posthorn, life]
  }

  /** A supervisor starts it again when it cannot begin. */
  async #deliver(gate: Gate, posthorn: Posthorn, life: Life): Promise<void> {
    try {
      await this.#opened()
      await posthorn.start()
    } catch {
      if (life.endedAt !== null) return
      this.#world.scheduler.at(startAgainMs, gate, 'starts again', () => void this.#deliver(gate, posthorn, life))
    }
  }
}
