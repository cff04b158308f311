import { isOpen } from '../../../src/core/delivery/delivery.ts'
import type { Action } from '../scenario.ts'
import type { Situation } from '../world/history.ts'
import type { World } from '../world/world.ts'
import { attempted, pattern, performer } from './kind.ts'
import type { Pattern, Performer } from './kind.ts'

interface OfDeliveries extends Action {
  readonly endpoint: number
  /** All that match, or the newest only. */
  readonly all: boolean
}

const requeuePattern = pattern<OfDeliveries & { do: 'requeue' }>('requeue', 0.3, (draw, plan) =>
  draw
    .instants(draw.between(1, 4), 5_000, plan.lengthMs)
    .map((at) => ({ at, do: 'requeue', endpoint: draw.pick(plan.endpoints).id, all: draw.chance(0.3) })),
)

const requeuePerformer = performer<OfDeliveries & { do: 'requeue' }>('requeue', (world, { endpoint, all }) => {
  const { id: endpointId } = world.receiver(endpoint)
  const { posthorn } = world.operator
  const waiting = [...world.state.deliveries.values()].findLast(
    (row) => row.endpointId === endpointId && (row.status === 'dead' || row.status === 'failed'),
  )
  if (waiting === undefined) return
  world.history.reach('requeued')
  attempted(all ? posthorn.requeue({ endpointId, status: ['dead', 'failed'] }) : posthorn.requeue(waiting.id))
})

const cancelPattern = pattern<OfDeliveries & { do: 'cancel' }>('cancel', 0.2, (draw, plan) =>
  draw
    .instants(draw.between(1, 3), 5_000, plan.lengthMs)
    .map((at) => ({ at, do: 'cancel', endpoint: draw.pick(plan.endpoints).id, all: draw.chance(0.2) })),
)

const cancelPerformer = performer<OfDeliveries & { do: 'cancel' }>('cancel', (world, { endpoint, all }) => {
  const { id: endpointId } = world.receiver(endpoint)
  const { posthorn } = world.operator
  const open = [...world.state.deliveries.values()].findLast((row) => row.endpointId === endpointId && isOpen(row))
  if (open === undefined) return
  world.history.reach('cancelled')
  if (open.leaseOwner !== null) world.history.reach('cancelled under a lease')
  attempted(all ? posthorn.cancel({ endpointId }) : posthorn.cancel(open.id))
})

interface Erase extends Action {
  readonly do: 'erase'
  readonly endpoint: number
}

/** A payload is erased, perhaps while it is on its way. */
const erasePattern = pattern<Erase>('erase', 0.2, (draw, plan) =>
  draw
    .instants(draw.between(1, 3), 1_000, plan.lengthMs)
    .map((at) => ({ at, do: 'erase', endpoint: draw.pick(plan.endpoints).id })),
)

const erasePerformer = performer<Erase>('erase', (world, { endpoint }) => {
  const { id: endpointId } = world.receiver(endpoint)
  const rows = [...world.state.deliveries.values()].filter((row) => row.endpointId === endpointId)
  const chosen = rows.findLast(isOpen) ?? rows.at(-1)
  if (chosen === undefined) return
  world.history.reach('payload erased')
  if (chosen.leaseOwner !== null) world.history.reach('payload erased under a lease')
  attempted(world.operator.posthorn.messages.erase(chosen.applicationId, chosen.messageId))
})

interface EraseApplication extends Action {
  readonly do: 'erase application'
  readonly application: number
}

/** An application is deleted with all that it has, whatever is on its way. */
const eraseApplicationPattern = pattern<EraseApplication>('erase application', 0.1, (draw, plan) =>
  draw
    .instants(1, 5_000, plan.lengthMs)
    .map((at) => ({ at, do: 'erase application', application: draw.pick(plan.applications) })),
)

const eraseApplicationPerformer = performer<EraseApplication>('erase application', (world, { application }) => {
  attempted(world.eraseApplication(application))
})

interface Ask extends Action {
  readonly do: 'ask'
  readonly endpoint: number
}

/** Somebody wants to know why a delivery is where it is. */
const askPattern = pattern<Ask>('ask', 0.3, (draw, plan) =>
  draw
    .instants(draw.between(1, 6), 1_000, plan.lengthMs)
    .map((at) => ({ at, do: 'ask', endpoint: draw.pick(plan.endpoints).id })),
)

const askPerformer = performer<Ask>('ask', (world, { endpoint }) => {
  const { id: endpointId } = world.receiver(endpoint)
  const rows = [...world.state.deliveries.values()].filter((row) => row.endpointId === endpointId)
  for (const { id } of [rows.at(-1), rows.findLast(isOpen)].flatMap((row) => row ?? [])) attempted(ask(world, id))
})

async function ask(world: World, deliveryId: string): Promise<void> {
  const asked = situationOf(world, deliveryId)
  const { code } = await world.operator.posthorn.deliveries.why(deliveryId)
  const answered = situationOf(world, deliveryId)
  world.history.reach('asked why')
  if (asked !== null && answered !== null) world.history.explanations.push({ code, asked, answered })
}

function situationOf({ state, scheduler }: World, deliveryId: string): Situation | null {
  const delivery = state.deliveries.get(deliveryId)
  if (delivery === undefined) return null
  const { endpointId } = delivery
  return {
    at: scheduler.now,
    delivery,
    endpoint: state.endpoints.get(endpointId) ?? null,
    health: state.health.get(endpointId) ?? null,
  }
}

export const operatorPatterns: readonly Pattern[] = [
  requeuePattern,
  cancelPattern,
  erasePattern,
  eraseApplicationPattern,
  askPattern,
]

export const operatorPerformers: readonly Performer[] = [
  requeuePerformer,
  cancelPerformer,
  erasePerformer,
  eraseApplicationPerformer,
  askPerformer,
]
