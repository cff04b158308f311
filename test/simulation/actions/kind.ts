import type { Draw } from '../draw.ts'
import type { Action, EndpointPlan, Scenario } from '../scenario.ts'
import type { World } from '../world/world.ts'

/** What is known of a scenario before its actions are drawn. */
export interface Plan extends Omit<Scenario, 'actions'> {
  /** Endpoints that may be given trouble; the others stay in order, so that somebody can be a healthy neighbour. */
  readonly troubled: readonly EndpointPlan[]
  readonly applications: readonly number[]
}

/** One kind of action. To add a fault: write one of these, and put it into the list in `all.ts`. */
export interface ActionKind<Own extends Action> {
  readonly name: Own['do']
  /** The share of seeds in which it happens at all. */
  readonly share: number
  /** When and to whom it happens. */
  draw(draw: Draw, plan: Plan): Own[]
  perform(world: World, action: Own): void
}

/** A kind whose own type of action is forgotten, so that all of them fit into one list. */
export type AnyActionKind = ActionKind<Action>

export function anyKind<Own extends Action>(kind: ActionKind<Own>): AnyActionKind {
  return { ...kind, perform: (world, action) => kind.perform(world, action as Own) }
}

/** An operator's call may fail, as any other; what matters is what comes of the deliveries. */
export function attempted(call: Promise<unknown>): void {
  call.catch(() => undefined)
}
