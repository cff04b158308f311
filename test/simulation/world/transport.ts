import type { OutgoingRequest, Transport } from '../../../src/core/ports/ports.ts'
import { rememberedBody } from './bodies.ts'
import type { Gate } from './gate.ts'
import type { Call } from './history.ts'
import { addressOf } from './receivers.ts'
import type { World } from './world.ts'

/** The network as one process meets it: requests arrive at once, and answers come when the endpoint has taken its time. */
export function simulatedTransport(world: World, gate: Gate, workerId: () => string): Transport {
  const open = new Set<() => void>()
  return {
    send: (request) => {
      if (gate.state === 'dead') return new Promise(() => undefined)
      const { endpoint, revision } = addressOf(request.url)
      const receiver = world.receiver(endpoint)
      const { afterMs, outcome } = receiver.receive(request)
      const call: Call = {
        at: world.scheduler.now,
        endedAt: null,
        outcome: null,
        answered: outcome,
        answeredAt: world.scheduler.now + afterMs,
        process: gate.name,
        endpointId: receiver.id,
        revision,
        ...carried(world, request, receiver.id, workerId()),
      }
      world.history.calls.push(call)
      world.scheduler.note(`calls e${endpoint} r${revision}`, gate)
      world.poisoned(call, gate)
      return new Promise((resolve) => {
        const end = (ended: typeof outcome): void => {
          event.isOff = true
          open.delete(reset)
          call.endedAt = world.scheduler.now
          call.outcome = ended
          resolve(ended)
        }
        const reset = (): void => end({ kind: 'reset', reason: 'closed' })
        const event = world.scheduler.at(
          afterMs,
          gate,
          `e${endpoint} ${'statusCode' in outcome ? outcome.statusCode : outcome.kind}`,
          () => end(outcome),
        )
        open.add(reset)
      })
    },
    close: async () => {
      for (const reset of open) reset()
    },
  }
}

/** What a request carries, and the row that it is sent for. */
function carried(
  world: World,
  { headers, body }: OutgoingRequest,
  endpointId: string,
  workerId: string,
): Pick<Call, 'messageId' | 'body' | 'deliveryId' | 'epoch' | 'row'> {
  const messageId = headers['webhook-id'] ?? ''
  const lease = world.leaseOf(workerId, messageId, endpointId)
  const row = lease === null ? null : (world.state.deliveries.get(lease.deliveryId) ?? null)
  return { messageId, body: rememberedBody(body), deliveryId: lease?.deliveryId ?? null, epoch: lease?.epoch ?? 0, row }
}
