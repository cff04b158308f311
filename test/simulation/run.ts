import { isOpen } from '../../src/core/delivery/delivery.ts'
import { performers } from './actions/all.ts'
import { invariants } from './invariants/all.ts'
import type { Violation } from './invariants/invariant.ts'
import type { Scenario } from './scenario.ts'
import { countStates } from './states.ts'
import { inOrder } from './world/receivers.ts'
import { World } from './world/world.ts'
import type { WorldOptions } from './world/world.ts'

export interface RunResult {
  readonly violations: readonly Violation[]
  /** Of everything that happened, in order: the same scenario has the same. */
  readonly traceHash: string
  readonly events: number
  readonly deliveries: number
  readonly virtualMs: number
  readonly reached: ReadonlyMap<string, number>
}

const longestHealingMs = 6 * 3_600_000
const lookEveryMs = 5_000
/** Longer than any request and any store call can take. */
const lastAnswersMs = 45_000
const stopsWithinMs = 120_000
const mostWorkersWhileHealing = 2

/** Runs one scenario in a world of its own: first everything that it lists, then all heals and must end. */
export async function runScenario(scenario: Scenario, options: WorldOptions = {}): Promise<RunResult> {
  const world = await runWorld(scenario, options)
  countStates(world)
  return {
    violations: invariants.flatMap(({ name, check }) =>
      [...check(world)].map((violation) => ({ invariant: name, ...violation })),
    ),
    traceHash: world.scheduler.traceHash,
    events: world.scheduler.steps,
    deliveries: world.state.deliveries.size,
    virtualMs: world.scheduler.sinceMs,
    reached: world.history.reached,
  }
}

/** The world as it is in the end, with all that was seen in it. */
export async function runWorld(scenario: Scenario, options: WorldOptions = {}): Promise<World> {
  const world = new World(scenario, options)
  await world.prepare()
  for (const action of scenario.actions) {
    world.scheduler.at(action.at, null, `action ${action.do}`, () => performers.get(action.do)?.perform(world, action))
  }
  await world.scheduler.run(world.scheduler.now + scenario.lengthMs)
  heal(world)
  await untilAllHasEnded(world)
  await stop(world)
  return world
}

/** From now on nothing goes wrong: what is left must end by itself. */
function heal(world: World): void {
  const { scheduler, history, shared } = world
  scheduler.note('all heals')
  history.healedAt = scheduler.now
  shared.isCalm = true
  world.poison.clear()
  for (const receiver of world.receivers) world.behave(receiver, inOrder)
  const workers = [...world.processes.values()].filter(({ plan }) => plan.role === 'worker')
  for (const [index, process] of workers.entries()) {
    process.gate.cut = null
    process.gate.faults.splice(0)
    if (process.gate.state === 'frozen') scheduler.wake(process.gate)
    if (index < mostWorkersWhileHealing) process.start()
    else void process.leave(35_000)
  }
  for (const { gate, plan } of world.processes.values()) {
    if (plan.role === 'sender' && gate.state === 'frozen') scheduler.wake(gate)
  }
}

/** Operators look after what was paused, disabled, or disabled itself by an answer that came late; and somebody must deliver. */
function look(world: World): void {
  for (const { id, status } of world.state.endpoints.values()) {
    if (status === 'paused' || status === 'disabled')
      world.operator.posthorn.endpoints.enable(id).catch(() => undefined)
  }
  const workers = [...world.processes.values()]
    .filter(({ plan }) => plan.role === 'worker')
    .slice(0, mostWorkersWhileHealing)
  for (const process of workers) if (!process.isAlive) process.start()
}

async function untilAllHasEnded(world: World): Promise<void> {
  const { scheduler, state } = world
  const endsAt = scheduler.now + longestHealingMs
  let isDone = false
  const lookAgain = (): void => {
    look(world)
    isDone = ![...state.deliveries.values()].some(isOpen)
    scheduler.at(lookEveryMs, null, 'look', lookAgain)
  }
  lookAgain()
  // What a frozen process had on its way may only be stored during the last answers.
  do {
    await scheduler.run(endsAt, () => isDone)
    await scheduler.run(scheduler.now + lastAnswersMs)
  } while (!isDone && scheduler.now < endsAt)
}

async function stop(world: World): Promise<void> {
  const { scheduler } = world
  for (const process of world.processes.values()) void process.leave(35_000)
  void world.operator.leave(0)
  await scheduler.run(scheduler.now + stopsWithinMs, () =>
    [...world.processes.values()].every(({ isAlive }) => !isAlive),
  )
}
