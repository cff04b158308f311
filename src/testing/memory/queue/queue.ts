import { isLeased, isOpen } from '../../../core/delivery/delivery.ts'
import type { DeadReason, Delivery } from '../../../core/delivery/delivery.ts'
import type { Lease } from '../../../core/delivery/lease.ts'
import type { DisableRequest, OperatorRequest, Queue } from '../../../core/ports/queue.ts'
import type { Instant } from '../../../core/time.ts'
import { raiseEndpointsVersion } from '../directory/applications.ts'
import { claim, recordInterruption, writeAhead } from './claim.ts'
import { enqueue } from './enqueue.ts'
import { markOne } from './mark.ts'
import { prune } from './prune.ts'
import { memoryRateLimits } from './rate-limits.ts'
import { heldBy, note, replace, select } from '../state.ts'
import type { State } from '../state.ts'

/** The engine's half of a memory store. No method waits for anything on its way, so each is a transaction of its own. */
export function memoryQueue(state: State): Queue {
  return {
    enqueue: async (request) => enqueue(state, request),
    dueEndpoints: async ({ lane, after, limit }) => state.open.endpoints(lane, after, limit),
    claim: async (request) => claim(state, request),
    start: async (request) => writeAhead(state, request),
    renew: async ({ owner, now, leaseMs, leases }) =>
      underLease(state, owner, leases, (delivery) => ({ ...delivery, leaseUntil: now + leaseMs })),
    mark: async (request) => request.marks.map((settled) => markOne(state, request, settled)),
    release: async ({ owner, leases }) =>
      underLease(state, owner, leases, (delivery, { nextRetryAt = delivery.nextRetryAt, interrupted }) => {
        if (interrupted !== undefined) recordInterruption(state, delivery.id, interrupted)
        return { ...delivery, nextRetryAt, leaseOwner: null, leaseUntil: null }
      }),
    requeue: async (request) => {
      const picked = pick(state, request, (delivery) => mayRequeue(state, delivery, request.now))
      for (const delivery of picked) replace(state, delivery, requeued(delivery, request.now))
      note(state, 'requeue', targetOf(request), picked.length, request.now, request.by)
      return picked.length
    },
    cancel: async (request) => {
      const picked = pick(state, request, isOpen)
      for (const delivery of picked) {
        replace(state, delivery, cancelled(delivery, request.as, request.now))
      }
      note(state, 'cancel', targetOf(request), picked.length, request.now, request.by)
      return picked.map(({ id, endpointId, messageId, sessionId }) => ({ id, endpointId, messageId, sessionId }))
    },
    prune: async (request) => prune(state, request),
    health: async (endpointIds) =>
      new Map(
        endpointIds.flatMap((id) => {
          const health = state.health.get(id)
          return health === undefined ? [] : [[id, health]]
        }),
      ),
    saveHealth: async (endpointId, health) => {
      const stored = state.health.get(endpointId)?.version ?? 0
      if (stored !== health.version) return false
      state.health.set(endpointId, { ...health, version: stored + 1 })
      return true
    },
    disable: async (request) => disable(state, request),
    ...memoryRateLimits(state),
    takeTurn: async ({ name, owner, now, leaseMs }) => {
      const held = state.turns.get(name)
      if (held !== undefined && held.owner !== owner && held.until > now) return false
      state.turns.set(name, { owner, until: now + leaseMs })
      return true
    },
  }
}

/** Changes the deliveries whose lease is still the asker's, and answers with them. */
function underLease<Held extends Lease>(
  state: State,
  owner: string,
  leases: readonly Held[],
  change: (delivery: Delivery, held: Held) => Delivery,
): string[] {
  return leases.flatMap((held) => {
    const delivery = heldBy(state, owner, held)
    if (delivery === undefined) return []
    replace(state, delivery, change(delivery, held))
    return [delivery.id]
  })
}

function disable(state: State, { endpointId, generation, reason, now }: DisableRequest): boolean {
  const endpoint = state.endpoints.get(endpointId)
  if (endpoint?.status !== 'active' || (state.health.get(endpointId)?.generation ?? 0) !== generation) return false
  state.endpoints.set(endpointId, {
    ...endpoint,
    status: 'disabled',
    statusReason: reason,
    statusSince: now,
    updatedAt: now,
  })
  raiseEndpointsVersion(state, endpoint.applicationId)
  return true
}

function pick(state: State, { filter, limit }: OperatorRequest, may: (delivery: Delivery) => boolean): Delivery[] {
  const picked: Delivery[] = []
  for (const delivery of select(state, filter)) {
    if (picked.length >= limit) break
    if (may(delivery)) picked.push(delivery)
  }
  return picked
}

/** What is at rest, not delivered, and still has a body. */
export function mayRequeue(state: State, delivery: Delivery, now: Instant): boolean {
  const isErased = (state.messages.get(delivery.messageId)?.erasedAt ?? null) !== null
  return delivery.status !== 'delivered' && !isLeased(delivery, now) && !isErased
}

/** A delivery that begins again. */
export function requeued(delivery: Delivery, now: Instant): Delivery {
  return {
    ...withoutLease(delivery),
    status: 'pending',
    reason: null,
    attemptCount: 0,
    nextRetryAt: now,
    requeuedAt: now,
    interruptions: 0,
    crashCount: 0,
    updatedAt: now,
  }
}

/** A delivery that was ended before its time. */
export function cancelled(delivery: Delivery, reason: DeadReason, now: Instant): Delivery {
  return { ...withoutLease(delivery), status: 'dead', reason, nextRetryAt: null, updatedAt: now }
}

/** Takes a delivery out of any hands: whoever still holds the old epoch will be refused. */
function withoutLease(delivery: Delivery): Delivery {
  return { ...delivery, leaseOwner: null, leaseUntil: null, leaseEpoch: delivery.leaseEpoch + 1 }
}

function targetOf({ filter }: OperatorRequest): string {
  return filter.ids?.length === 1 ? (filter.ids[0] ?? '') : JSON.stringify(filter)
}
