import { isLeased, isOpen } from '../../../core/delivery/delivery.ts'
import type { DeadReason, Delivery } from '../../../core/delivery/delivery.ts'
import type { Lease } from '../../../core/delivery/lease.ts'
import type { Cancelled, DisableRequest, OperatorRequest, Queue } from '../../../core/ports/queue.ts'
import type { Instant } from '../../../core/time.ts'
import { raiseEndpointsVersion } from '../directory/applications.ts'
import { claim, recordInterruption, writeAhead } from './claim.ts'
import { enqueue } from './enqueue.ts'
import { markOne } from './mark.ts'
import { prune } from './prune.ts'
import { memoryRateLimits } from './rate-limits.ts'
import { heldBy, note, replace, select } from '../state.ts'
import type { State } from '../state.ts'

/** The engine's half of a memory store. No method awaits anything, so each is a transaction. */
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
    requeue: async (request) => requeue(state, request),
    cancel: async (request) => cancel(state, request),
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

/** Changes the deliveries whose lease is still the caller's, and returns them. */
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

function requeue(state: State, request: OperatorRequest): number {
  const { now: at, by } = request
  const picked = pick(state, request, (delivery) => mayRequeue(state, delivery, at))
  for (const delivery of picked) replace(state, delivery, requeued(delivery, at))
  note(state, { action: 'requeue', ...auditedRows(request, picked), at, by })
  return picked.length
}

function cancel(state: State, request: OperatorRequest & { readonly as: DeadReason }): Cancelled[] {
  const { now: at, as, by } = request
  const picked = pick(state, request, isOpen)
  for (const delivery of picked) replace(state, delivery, cancelled(delivery, as, at))
  note(state, { action: 'cancel', ...auditedRows(request, picked), at, by })
  return picked.map(endedOf)
}

/** What is emitted about a delivery that was ended. */
export function endedOf({ id, endpointId, applicationId, messageId, sessionId }: Delivery): Cancelled {
  return { id, endpointId, applicationId, messageId, sessionId }
}

function disable(state: State, { endpointId, url, generation, reason, now }: DisableRequest): boolean {
  const endpoint = state.endpoints.get(endpointId)
  if (endpoint?.status !== 'active' || endpoint.url !== url) return false
  if ((state.health.get(endpointId)?.generation ?? 0) !== generation) return false
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

/** Deliveries that are not leased, not delivered, and still have a body and an endpoint. */
export function mayRequeue(state: State, delivery: Delivery, now: Instant): boolean {
  const isErased = (state.messages.get(delivery.messageId)?.erasedAt ?? null) !== null
  const isGone = state.endpoints.get(delivery.endpointId)?.status === 'deleted'
  return delivery.status !== 'delivered' && !isLeased(delivery, now) && !isErased && !isGone
}

/** A delivery that starts over. */
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

/** A delivery that was ended early. */
export function cancelled(delivery: Delivery, reason: DeadReason, now: Instant): Delivery {
  return { ...withoutLease(delivery), status: 'dead', reason, nextRetryAt: null, updatedAt: now }
}

/** Revokes a delivery's lease: the holder of the old epoch will be refused. */
function withoutLease(delivery: Delivery): Delivery {
  return { ...delivery, leaseOwner: null, leaseUntil: null, leaseEpoch: delivery.leaseEpoch + 1 }
}

function auditedRows(request: OperatorRequest, rows: readonly Delivery[]) {
  const [only = null, ...others] = new Set(rows.map(({ applicationId }) => applicationId))
  return { target: targetOf(request), count: rows.length, applicationId: others.length === 0 ? only : null }
}

function targetOf({ filter }: OperatorRequest): string {
  return filter.ids?.length === 1 ? (filter.ids[0] ?? '') : JSON.stringify(filter)
}
