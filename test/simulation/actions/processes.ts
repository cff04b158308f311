import type { Action, ProcessPlan } from '../scenario.ts'
import type { Process } from '../world/process.ts'
import type { World } from '../world/world.ts'
import { pattern, performer } from './kind.ts'
import type { Pattern, Performer, Plan } from './kind.ts'

interface OfProcess extends Action {
  readonly process: number
}

/** Workers start together, or join one after the other while the others work. */
const startPattern = pattern<OfProcess & { do: 'start' }>('start', 1, (draw, plan) => {
  const joinsLate = draw.chance(0.4)
  const joinsAt = draw.between(1_000, Math.max(1_000, plan.lengthMs / 2))
  return workersOf(plan).map(({ id }, index) => {
    const late = joinsLate && index > 0
    return { at: late ? joinsAt + draw.between(0, 2_000) : draw.between(0, 200), do: 'start', process: id }
  })
})

const startPerformer = performer<OfProcess & { do: 'start' }>('start', (world, { process }) =>
  world.processes.get(process)?.start(),
)

export interface Pause extends OfProcess {
  readonly do: 'pause'
  readonly forMs: number
}

export interface Kill extends OfProcess {
  readonly do: 'kill'
  /** Null leaves it dead until all heals. */
  readonly startsAfterMs: number | null
}

function kill(world: World, { process: id, startsAfterMs }: Kill): void {
  const process = world.processes.get(id)
  if (process === undefined || !process.isAlive) return
  noteKill(world, process)
  process.kill()
  if (startsAfterMs !== null)
    world.scheduler.at(startsAfterMs, null, `process ${id} is started again`, () => process.start())
}

const killsPattern = pattern<Kill>('kills', 0.4, (draw, plan) =>
  draw.instants(draw.between(1, 3), 2_000, plan.lengthMs).map((at) => ({
    at,
    do: 'kill',
    process: draw.pick(plan.processes).id,
    startsAfterMs: draw.chance(0.8) ? draw.between(100, 5_000) : null,
  })),
)

const killPerformer = performer<Kill>('kill', kill)

/** A process that dies again and again, as after a bad deployment. */
const killLoopPattern = pattern<Kill>('killLoop', 0.15, (draw, plan) => {
  const { id } = draw.pick(workersOf(plan))
  const everyMs = draw.pick([5_000, 20_000, 36_000, 40_000, 47_000])
  const count = Math.min(draw.between(3, 8), Math.floor(plan.lengthMs / everyMs))
  const from = draw.between(1_000, 10_000)
  return Array.from({ length: count }, (_, index) => ({
    at: from + index * everyMs + draw.between(0, 1_000),
    do: 'kill',
    process: id,
    startsAfterMs: draw.between(100, 1_500),
  }))
})

const pausePattern = pattern<Pause>('pause', 0.25, (draw, plan) =>
  draw.instants(draw.between(1, 3), 1_000, plan.lengthMs).map((at) => ({
    at,
    do: 'pause',
    process: draw.pick(plan.processes).id,
    forMs: draw.pick([200, 3_000, 20_000, 35_000, 65_000]),
  })),
)

const pausePerformer = performer<Pause>('pause', (world, { process: id, forMs }) => {
  const process = world.processes.get(id)
  if (process === undefined || process.gate.state !== 'running' || !process.isAlive) return
  const { gate } = process
  gate.state = 'frozen'
  world.history.disturb(gate.name, 'pause', world.scheduler.now, forMs)
  if (forMs > 30_000) world.history.reach('paused past its lease')
  world.scheduler.at(forMs, null, `${gate.name} wakes up`, () => {
    if (gate.state === 'frozen') world.scheduler.wake(gate)
  })
})

const cutPattern = pattern<OfProcess & { do: 'cut'; forMs: number; mode: 'before' | 'silent' }>(
  'cut',
  0.2,
  (draw, plan) =>
    draw.instants(draw.between(1, 2), 1_000, plan.lengthMs).map((at) => ({
      at,
      do: 'cut',
      process: draw.pick(plan.processes).id,
      forMs: draw.pick([2_000, 12_000, 45_000]),
      mode: draw.pick(['before', 'silent']),
    })),
)

const cutPerformer = performer<OfProcess & { do: 'cut'; forMs: number; mode: 'before' | 'silent' }>(
  'cut',
  (world, { process: id, forMs, mode }) => {
    const process = world.processes.get(id)
    if (process !== undefined) cutOff(world, process, forMs, mode)
  },
)

/** The store is away for everybody. */
const outagePattern = pattern<Action & { do: 'outage'; forMs: number; mode: 'before' | 'silent' }>(
  'outage',
  0.1,
  (draw, plan) => [
    {
      at: draw.between(1_000, plan.lengthMs),
      do: 'outage',
      forMs: draw.pick([3_000, 15_000, 40_000]),
      mode: draw.pick(['before', 'silent']),
    },
  ],
)

const outagePerformer = performer<Action & { do: 'outage'; forMs: number; mode: 'before' | 'silent' }>(
  'outage',
  (world, { forMs, mode }) => {
    world.history.reach('store away for all')
    for (const process of world.processes.values()) cutOff(world, process, forMs, mode)
  },
)

export interface Leave extends OfProcess {
  readonly do: 'leave'
  readonly graceMs: number
  readonly startsAfterMs: number | null
}

const leavePattern = pattern<Leave>('leave', 0.25, (draw, plan) =>
  draw.instants(draw.between(1, 3), 1_000, plan.lengthMs).map((at) => ({
    at,
    do: 'leave',
    process: draw.pick(plan.processes).id,
    graceMs: draw.pick([0, 1_000, 35_000]),
    startsAfterMs: draw.chance(0.7) ? draw.between(500, 10_000) : null,
  })),
)

const leavePerformer = performer<Leave>('leave', (world, { process: id, graceMs, startsAfterMs }) => {
  const process = world.processes.get(id)
  if (process === undefined || !process.isAlive) return
  world.history.reach('worker left')
  void process.leave(graceMs).then(() => {
    if (startsAfterMs !== null)
      world.scheduler.at(startsAfterMs, null, `process ${id} is started again`, () => process.start())
  })
})

interface SetClock extends OfProcess {
  readonly do: 'clock'
  readonly stepMs: number
  /** Null, or left out, if it stays so. */
  readonly backAfterMs?: number | null
}

/** The machine's clock is set. Where it is the only time there is, it is soon set right: a step that lasts is believed there. */
const clockPattern = pattern<SetClock>('clock', 0.2, (draw, plan) => {
  const isOnly = plan.store.kind === 'single'
  const count = isOnly ? 1 : draw.between(1, 3)
  return draw.instants(count, 1_000, plan.lengthMs).map((at) => ({
    at,
    do: 'clock',
    process: draw.pick(plan.processes).id,
    stepMs: draw.pick([-3_600_000, -40_000, 40_000, 3_600_000]),
    backAfterMs: isOnly ? draw.between(500, 8_000) : null,
  }))
})

const clockPerformer = performer<SetClock>('clock', (world, { process: id, stepMs, backAfterMs = null }) => {
  const gate = world.processes.get(id)?.gate
  if (gate === undefined) return
  gate.offsetMs += stepMs
  world.history.reach('clock set')
  if (world.scenario.store.kind === 'single') world.history.reach('only clock set')
  if (backAfterMs !== null)
    world.scheduler.at(
      backAfterMs,
      null,
      `the clock of ${gate.name} is set right`,
      () => void (gate.offsetMs -= stepMs),
    )
})

export const processPatterns: readonly Pattern[] = [
  startPattern,
  killsPattern,
  killLoopPattern,
  pausePattern,
  cutPattern,
  outagePattern,
  leavePattern,
  clockPattern,
]

export const processPerformers: readonly Performer[] = [
  startPerformer,
  killPerformer,
  pausePerformer,
  cutPerformer,
  outagePerformer,
  leavePerformer,
  clockPerformer,
]

function workersOf(plan: Plan): readonly ProcessPlan[] {
  return plan.processes.filter(({ role }) => role === 'worker')
}

function cutOff(world: World, { gate }: Process, forMs: number, mode: 'before' | 'silent'): void {
  gate.cut = { until: world.scheduler.now + forMs, mode }
  world.history.disturb(gate.name, 'cut', world.scheduler.now, forMs)
}

function noteKill(world: World, { life }: Process): void {
  world.history.reach('killed')
  const open = world.history.calls.filter(({ process, endedAt }) => process === life.process && endedAt === null)
  if (open.length > 0) world.history.reach('killed with requests open')
  const probing = open.some(({ endpointId }) => (world.state.health.get(endpointId)?.holds ?? 0) > 0)
  if (probing) world.history.reach('probe killed')
}
