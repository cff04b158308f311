import type { Action } from '../scenario.ts'
import type { FaultMode } from '../world/gate.ts'
import type { World } from '../world/world.ts'
import { pattern, performer } from './kind.ts'
import type { Pattern, Performer } from './kind.ts'

export interface Fault extends Action {
  readonly do: 'fault'
  readonly process: number
  /** The method of the store, or `*`. */
  readonly call: string
  readonly mode: FaultMode
  readonly times: number
  readonly delayMs: number
}

const calls = [
  '*',
  '*',
  'enqueue',
  'mark',
  'claim',
  'renew',
  'release',
  'saveHealth',
  'matching',
  'endpointsById',
  'dueEndpoints',
  'beat',
  'updateEndpoint',
  'time',
]
const modes: readonly FaultMode[] = ['before', 'after', 'silent', 'hang', 'slow']

/** The next calls of one process go wrong. */
const faultPattern = pattern<Fault>('fault', 0.5, (draw, plan) =>
  draw.instants(draw.between(1, 8), 500, plan.lengthMs).map((at) => ({
    at,
    do: 'fault',
    process: draw.pick(plan.processes).id,
    call: draw.pick(calls),
    mode: draw.pick(modes),
    times: draw.pick([1, 1, 1, 2, 5, 20]),
    delayMs: draw.pick([500, 4_000, 9_000]),
  })),
)

const faultPerformer = performer<Fault>('fault', perform)

/** A process that ends while the store does what it asked for, and so leaves something half done; again and again. */
const deathPattern = pattern<Fault>('death', 0.12, (draw, plan) => {
  const { id } = draw.pick(plan.processes)
  const call = draw.pick(['claim', 'claim', 'enqueue', 'mark', 'renew', 'saveHealth'])
  return draw
    .instants(draw.between(1, 6), 1_000, plan.lengthMs)
    .map((at) => ({ at, do: 'fault', process: id, call, mode: 'dies', times: 1, delayMs: 0 }))
})

export const storeFaultPatterns: readonly Pattern[] = [faultPattern, deathPattern]

export const storeFaultPerformers: readonly Performer[] = [faultPerformer]

function perform(world: World, { process, call, mode, times, delayMs }: Fault): void {
  world.processes.get(process)?.gate.faults.push({ call, mode, times, delayMs })
}
