import { isOpen } from '../../../src/core/delivery.ts'
import type { Action } from '../scenario.ts'
import { attempted, pattern, performer } from './kind.ts'
import type { Pattern, Performer } from './kind.ts'

interface OfDeliveries extends Action {
  readonly endpoint: number
  /** All that match, or the newest only. */
  readonly all: boolean
}

const requeuePattern = pattern<OfDeliveries & { do: 'requeue' }>('requeue', 0.3, (draw, plan) => draw.instants(draw.between(1, 4), 5_000, plan.lengthMs).map((at) => ({ at, do: 'requeue', endpoint: draw.pick(plan.endpoints).id, all: draw.chance(0.3) })))

const requeuePerformer = performer<OfDeliveries & { do: 'requeue' }>('requeue', (world, { endpoint, all }) => {
  const { id: endpointId } = world.receiver(endpoint)
  const { posthorn } = world.operator
  const waiting = [...world.state.deliveries.values()].findLast((row) => row.endpointId === endpointId && (row.status === 'dead' || row.status === 'failed'))
  if (waiting === undefined) return
  world.history.reach('requeued')
  attempted(all ? posthorn.requeue({ endpointId, status: ['dead', 'failed'] }) : posthorn.requeue(waiting.id))
})

const cancelPattern = pattern<OfDeliveries & { do: 'cancel' }>('cancel', 0.2, (draw, plan) => draw.instants(draw.between(1, 3), 5_000, plan.lengthMs).map((at) => ({ at, do: 'cancel', endpoint: draw.pick(plan.endpoints).id, all: draw.chance(0.2) })))

const cancelPerformer = performer<OfDeliveries & { do: 'cancel' }>('cancel', (world, { endpoint, all }) => {
  const { id: endpointId } = world.receiver(endpoint)
  const { posthorn } = world.operator
  const open = [...world.state.deliveries.values()].findLast((row) => row.endpointId === endpointId && isOpen(row))
  if (open === undefined) return
  world.history.reach('cancelled')
  if (open.leaseOwner !== null) world.history.reach('cancelled under a lease')
  attempted(all ? posthorn.cancel({ endpointId }) : posthorn.cancel(open.id))
})

export const operatorPatterns: readonly Pattern[] = [requeuePattern, cancelPattern]

export const operatorPerformers: readonly Performer[] = [requeuePerformer, cancelPerformer]
