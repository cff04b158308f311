import type { Action } from '../scenario.ts'
import type { FaultMode } from '../world/gate.ts'
import { anyKind } from './kind.ts'
import type { AnyActionKind } from './kind.ts'

interface Fault extends Action {
  readonly do: 'fault'
  readonly process: number
  /** The method of the store, or `*`. */
  readonly call: string
  readonly mode: FaultMode
  readonly times: number
  readonly delayMs: number
}

const calls = ['*', '*', 'enqueue', 'mark', 'claim', 'renew', 'release', 'saveHealth', 'matching', 'endpointsById', 'dueEndpoints', 'beat', 'updateEndpoint', 'time']
const modes: readonly FaultMode[] = ['before', 'after', 'silent', 'hang', 'slow']

/** The next calls of one process go wrong. */
const fault = anyKind<Fault>({
  name: 'fault',
  share: 0.5,
  draw: (draw, plan) =>
    draw.instants(draw.between(1, 8), 500, plan.lengthMs).map((at) => ({
      at,
      do: 'fault',
      process: draw.pick(plan.processes).id,
      call: draw.pick(calls),
      mode: draw.pick(modes),
      times: draw.pick([1, 1, 1, 2, 5, 20]),
      delayMs: draw.pick([500, 4_000, 9_000]),
    })),
  perform(world, { process, call, mode, times, delayMs }) {
    world.processes.get(process)?.gate.faults.push({ call, mode, times, delayMs })
  },
})

export const storeFaultActions: readonly AnyActionKind[] = [fault]
