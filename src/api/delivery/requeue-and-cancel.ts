import type { Actor } from '../../core/ports/audit.ts'
import { isLeased, laneOf } from '../../core/delivery/delivery.ts'
import type { Delivery } from '../../core/delivery/delivery.ts'
import type { Directory } from '../../core/ports/directory.ts'
import { expected, PosthornError } from '../../core/errors.ts'
import { makeId } from '../../core/ids.ts'
import type { DeliveryFilter } from '../../core/ports/queue.ts'
import { isoTime } from '../../core/time.ts'
import { actor } from '../actor.ts'
import type { By } from '../actor.ts'
import type { Deliveries } from './deliveries.ts'
import { onlyStatus } from './filter.ts'
import type { DeliveryParts } from './parts.ts'

export interface Operations {
  /** "Retry now": one delivery, or all matching dead (or failed) ones. A delivered one is sent again as a new delivery. */
  requeue(id: string, by?: By): Promise<Delivery>
  requeue(filter: DeliveryFilter, by?: By): Promise<number>
  /** Ends one open delivery, or all matching ones, as dead: cancelled. */
  cancel(id: string, by?: By): Promise<Delivery>
  cancel(filter: DeliveryFilter, by?: By): Promise<number>
}

const batchRows = 5_000

export function makeOperations(parts: DeliveryParts, deliveries: Deliveries): Operations {
  function requeue(which: string | DeliveryFilter, by: By = {}): Promise<Delivery | number> {
    return typeof which === 'string'
      ? requeueOne(parts, deliveries, which, actor(by))
      : requeueAll(parts, which, actor(by))
  }

  function cancel(which: string | DeliveryFilter, by: By = {}): Promise<Delivery | number> {
    return typeof which === 'string'
      ? cancelOne(parts, deliveries, which, actor(by))
      : cancelAll(parts, which, actor(by))
  }

  return { requeue: requeue as Operations['requeue'], cancel: cancel as Operations['cancel'] }
}

async function requeueOne(parts: DeliveryParts, deliveries: Deliveries, id: string, by: Actor): Promise<Delivery> {
  const { directory, queue, clock } = parts
  const before = await deliveries.get(id)
  await checkBody(directory, before)
  await checkEndpoint(directory, before)
  if (before.status === 'delivered') return resend(parts, before, by)
  const now = clock.now()
  if ((await queue.requeue({ filter: { ids: [id] }, now, limit: 1, by })) === 0)
    throw inFlight(await deliveries.get(id), now)
  const after = await deliveries.get(id)
  await parts.expect(after.endpointId, laneOf(after))
  return after
}

async function checkBody(directory: Directory, { id, messageId }: Delivery): Promise<void> {
  const message = await directory.message(messageId)
  if (message === null || message.erasedAt === null) return
  throw expected(
    'not_found',
    'body',
    'kept, to send it again',
    `erased at ${isoTime(message.erasedAt)}`,
    `Delivery ${id} stays as it is.`,
  )
}

async function checkEndpoint(directory: Directory, { id, endpointId }: Delivery): Promise<void> {
  const [endpoint] = await directory.endpointsById([endpointId])
  if (endpoint?.status !== 'deleted') return
  throw expected(
    'wrong_state',
    'endpoint',
    'one that exists, to send to it again',
    `${endpointId}, which was deleted`,
    `Delivery ${id} stays as it is.`,
  )
}

/** A delivered delivery never changes: sending it again creates a new delivery of the same message. */
async function resend(
  parts: DeliveryParts,
  { id, endpointId, messageId, policy, targetUrl }: Delivery,
  by: Actor,
): Promise<Delivery> {
  const { directory, clock, random } = parts
  const now = clock.now()
  const added = {
    id: makeId('dlv', now, random),
    endpointId,
    messageId,
    policy,
    targetUrl,
    nextRetryAt: now,
    leased: false,
  }
  const delivery = await directory.addDelivery(added, now, by)
  if (delivery === null)
    throw expected(
      'not_found',
      'message',
      'kept for as long as its deliveries',
      messageId,
      `Delivery ${id} cannot be sent again.`,
    )
  await parts.expect(endpointId, laneOf(delivery))
  return delivery
}

async function requeueAll({ ready, queue, clock }: DeliveryParts, filter: DeliveryFilter, by: Actor): Promise<number> {
  const only = onlyStatus(filter, ['dead'], ['dead', 'failed'], 'requeue')
  await ready()
  return inBatches((limit) => queue.requeue({ filter: only, now: clock.now(), limit, by }))
}

async function cancelOne(
  { queue, clock, emitCancelled }: DeliveryParts,
  deliveries: Deliveries,
  id: string,
  by: Actor,
): Promise<Delivery> {
  const before = await deliveries.get(id)
  const cancelled = await queue.cancel({ filter: { ids: [id] }, as: 'cancelled', now: clock.now(), limit: 1, by })
  if (cancelled.length === 0)
    throw expected('wrong_state', 'delivery', 'an open one, pending or failed', `${id}, which is ${before.status}`)
  emitCancelled(cancelled)
  return deliveries.get(id)
}

async function cancelAll(
  { ready, queue, clock, emitCancelled }: DeliveryParts,
  filter: DeliveryFilter,
  by: Actor,
): Promise<number> {
  const only = onlyStatus(filter, ['pending', 'failed'], ['pending', 'failed'], 'cancel')
  await ready()
  return inBatches(async (limit) => {
    const cancelled = await queue.cancel({ filter: only, as: 'cancelled', now: clock.now(), limit, by })
    emitCancelled(cancelled)
    return cancelled.length
  })
}

/** The loop ends, because each batch changes its status and no longer matches the filter. */
async function inBatches(batch: (limit: number) => Promise<number>): Promise<number> {
  for (let total = 0; ;) {
    const count = await batch(batchRows)
    total += count
    if (count < batchRows) return total
  }
}

function inFlight(delivery: Delivery, now: number): PosthornError {
  const until = isLeased(delivery, now) && delivery.leaseUntil !== null ? ` until ${isoTime(delivery.leaseUntil)}` : ''
  return new PosthornError(
    'in_flight',
    `Expected delivery ${delivery.id} to be at rest, but ${delivery.leaseOwner ?? 'a worker'} is sending it${until}. Wait for the outcome, then requeue.`,
  )
}
