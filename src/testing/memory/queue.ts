import { isLeased, isOpen } from '../../core/delivery.ts'
import type { DeadReason, Delivery, Lane } from '../../core/delivery.ts'
import { isOver } from '../../core/job.ts'
import type { Claim, ClaimRequest, LeaseRequest, OperatorRequest, PruneRequest, Queue } from '../../core/queue.ts'
import { day } from '../../core/time.ts'
import type { Instant } from '../../core/time.ts'
import { enqueueOne } from './enqueue.ts'
import { markOne } from './mark.ts'
import { forget, forgetMessage, heldBy, note, replace, replaceMessage, select } from './state.ts'
import type { State } from './state.ts'

/** Keys and jobs that are over can be looked up for so long. */
const endedKeptMs = 30 * day

/** The engine's half of a memory store. No method waits for anything on its way, so each is a transaction of its own. */
export function memoryQueue(state: State): Queue {
  return {
    enqueue: async (request) => request.envelopes.map((envelope) => enqueueOne(state, request, envelope)),
    dueEndpoints: async ({ lane, after, limit }) => state.open.endpoints(lane, after, limit),
    claim: async (request) => claim(state, request),
    renew: async (request) =>
      underLease(state, request, (delivery) => ({ ...delivery, leaseUntil: request.now + request.leaseMs })),
    mark: async (request) => request.marks.map((settled) => markOne(state, request, settled)),
    release: async (request) =>
      underLease(state, request, (delivery) => ({ ...delivery, leaseOwner: null, leaseUntil: null, crashCount: 0 })),
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
      new Map(endpointIds.flatMap((id) => {
        const health = state.health.get(id)
        return health === undefined ? [] : [[id, health]]
      })),
    saveHealth: async (endpointId, health) => {
      const stored = state.health.get(endpointId)?.version ?? 0
      if (stored !== health.version) return false
      state.health.set(endpointId, { ...health, version: stored + 1 })
      return true
    },
    takeTurn: async ({ name, owner, now, leaseMs }) => {
      const held = state.turns.get(name)
      if (held !== undefined && held.owner !== owner && held.until > now) return false
      state.turns.set(name, { owner, until: now + leaseMs })
      return true
    },
  }
}

function claim(state: State, request: ClaimRequest): Claim[] {
  const claims: Claim[] = []
  let bytes = 0
  for (const want of request.wants) {
    const room = Math.min(want.most, request.most - claims.length)
    for (const delivery of state.open.due(want.endpointId, want.lane, request.now, room)) {
      if (bytes >= request.mostBytes) return claims
      const taken = lease(state, delivery, want.lane, request)
      bytes += taken.message.body.length
      claims.push(taken)
    }
  }
  return claims
}

function lease(state: State, delivery: Delivery, lane: Lane, { owner, now, leaseMs }: ClaimRequest): Claim {
  const message = state.messages.get(delivery.messageId)
  if (message === undefined) throw new TypeError(`The message ${delivery.messageId} of the open delivery ${delivery.id} is gone.`)
  const leased: Delivery = {
    ...delivery,
    leaseOwner: owner,
    leaseUntil: now + leaseMs,
    leaseEpoch: delivery.leaseEpoch + 1,
    // An owner that is still there did not come back: its lease ran out.
    crashCount: delivery.leaseOwner === null ? delivery.crashCount : delivery.crashCount + 1,
  }
  replace(state, delivery, leased)
  return { delivery: leased, message, lane }
}

/** Changes the deliveries whose lease is still the asker's, and answers with them. */
function underLease(state: State, request: LeaseRequest, change: (delivery: Delivery) => Delivery): string[] {
  return request.leases.flatMap((held) => {
    const delivery = heldBy(state, request.owner, held)
    if (delivery === undefined) return []
    replace(state, delivery, change(delivery))
    return [delivery.id]
  })
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

/** Up to `limit` deliveries, and as many messages and replies, so that a caller who repeats it until 0 is done with all. */
function prune(state: State, { before, now, limit }: PruneRequest): number {
  let forgotten = 0
  for (const delivery of state.deliveries.values()) {
    if (forgotten >= limit) break
    if (isOpen(delivery) || delivery.updatedAt >= before) continue
    forget(state, delivery)
    forgotten += 1
  }
  pruneKeysAndJobs(state, now - endedKeptMs)
  return forgotten + pruneMessages(state, before, limit) + pruneReplies(state, now, limit) + erasePayloads(state, now, limit)
}

function erasePayloads(state: State, now: Instant, limit: number): number {
  const open = new Set(Array.from(state.deliveries.values()).filter(isOpen).map(({ messageId }) => messageId))
  const due = [...state.payloadExpiries].filter(([id, eraseAt]) => eraseAt <= now && !open.has(id)).slice(0, limit)
  for (const [id] of due) {
    const message = state.messages.get(id)
    if (message !== undefined) replaceMessage(state, { ...message, body: new Uint8Array(), erasedAt: message.erasedAt ?? now })
    state.payloadExpiries.delete(id)
  }
  return due.length
}

function pruneKeysAndJobs(state: State, before: Instant): void {
  for (const { id, expiresAt, revokedAt } of state.apiKeys.values()) {
    if ((expiresAt ?? before) < before || (revokedAt ?? before) < before) state.apiKeys.delete(id)
  }
  for (const job of state.jobs.values()) if (isOver(job) && job.updatedAt < before) state.jobs.delete(job.id)
}

function pruneReplies(state: State, now: Instant, limit: number): number {
  const expired = [...state.replies].filter(([, { expiresAt }]) => expiresAt <= now).slice(0, limit)
  for (const [key] of expired) state.replies.delete(key)
  return expired.length
}

function pruneMessages(state: State, before: Instant, limit: number): number {
  const wanted = new Set(Array.from(state.deliveries.values(), ({ messageId }) => messageId))
  let forgotten = 0
  for (const message of state.messages.values()) {
    if (forgotten >= limit) break
    if (message.createdAt >= before || wanted.has(message.id)) continue
    forgetMessage(state, message)
    forgotten += 1
  }
  return forgotten
}
