import type { Draw } from '../draw.ts'
import type { Action, EndpointPlan, Scenario } from '../scenario.ts'
import type { World } from '../world/world.ts'

/** What is known of a scenario before its actions are drawn. */
export interface Plan extends Omit<Scenario, 'actions'> {
  readonly isLong: boolean
  /** Endpoints that may be given trouble; the others stay in order, so that somebody can be a healthy neighbour. */
  readonly troubled: readonly EndpointPlan[]
  readonly applications: readonly number[]
}

/** Does one kind of action to the world. To add a fault: write a performer and a pattern, and put them into the lists of their file. */
export interface Performer {
  readonly name: string
  readonly perform: (world: World, action: Action) => void
}

/** Draws when and to whom actions happen. */
export interface Pattern {
  readonly name: string
  /** Of the seeds in which it happens at all. */
  readonly share: number
  readonly draw: (draw: Draw, plan: Plan) => Action[]
}

export function performer<Own extends Action>(
  name: Own['do'],
  perform: (world: World, action: Own) => void,
): Performer {
  return { name, perform: (world, action) => perform(world, action as Own) }
}

/** The type of the actions is named where they are drawn, so that what is drawn is what is performed. */
export function pattern<Own extends Action>(
  name: string,
  share: number,
  draw: (draw: Draw, plan: Plan) => Own[],
): Pattern {
  return { name, share, draw }
}

/** An operator's call may fail, as any other; what matters is what comes of the deliveries. */
export function attempted(call: Promise<unknown>): void {
  call.catch(() => undefined)
}
