import { isOpen } from '../../../core/delivery/delivery.ts'
import type { Status } from '../../../core/delivery/delivery.ts'
import { isOver } from '../../../core/delivery/job.ts'
import type { Pruned, PruneRequest } from '../../../core/ports/queue.ts'
import { day } from '../../../core/time.ts'
import type { Instant } from '../../../core/time.ts'
import { eraseBody, forget, forgetMessage } from '../state.ts'
import type { State } from '../state.ts'

/** How long expired keys, ended jobs and unused rate limits can still be looked up. */
const endedKeptMs = 30 * day
const minutesKeptMs = 35 * day
/** It looks at everything each time: there is nothing to continue from. */
const fromTheStart = { delivered: '', dead: '', messages: '' }

/** Up to `limit` of each kind, so that a caller who repeats it until 0 gets all. */
export function prune(state: State, { before, deadBefore, auditBefore, now, limit }: PruneRequest): Pruned {
  forgetKeys(state, now - endedKeptMs)
  forgetJobs(state, now - endedKeptMs)
  forgetRateLimits(state, now - endedKeptMs)
  for (const [id, { erasedAt }] of state.erasures) if ((erasedAt ?? now) < now - day) state.erasures.delete(id)
  const counts = [
    forgetDeliveries(state, 'delivered', before, limit),
    forgetDeliveries(state, 'dead', deadBefore, limit),
    forgetMessages(state, before, limit),
    forgetExpired(state.keys, now, limit),
    forgetExpired(state.replies, now, limit),
    state.rollups.forget(before - minutesKeptMs, limit),
    forgetAudit(state, auditBefore, limit),
    erasePayloads(state, now, limit),
  ]
  const count = counts.reduce((sum, many) => sum + many, 0)
  return { count, next: counts.some((many) => many >= limit) ? fromTheStart : null }
}

function forgetKeys(state: State, before: Instant): void {
  for (const { id, expiresAt, revokedAt } of state.apiKeys.values()) {
    if ((expiresAt ?? before) < before || (revokedAt ?? before) < before) state.apiKeys.delete(id)
  }
}

function forgetJobs(state: State, before: Instant): void {
  for (const job of state.jobs.values()) if (isOver(job) && job.updatedAt < before) state.jobs.delete(job.id)
}

function forgetRateLimits(state: State, before: Instant): void {
  for (const [id, { at }] of state.rateLimits) if (at < before) state.rateLimits.delete(id)
}

function forgetDeliveries(state: State, status: Status, before: Instant, limit: number): number {
  const closed = take(
    state.deliveries.values(),
    limit,
    (delivery) => delivery.status === status && delivery.updatedAt < before,
  )
  for (const delivery of closed) forget(state, delivery)
  return closed.length
}

function forgetMessages(state: State, before: Instant, limit: number): number {
  const wanted = new Set(Array.from(state.deliveries.values(), ({ messageId }) => messageId))
  const unwanted = take(state.messages.values(), limit, ({ id, createdAt }) => createdAt < before && !wanted.has(id))
  for (const message of unwanted) forgetMessage(state, message)
  return unwanted.length
}

function forgetExpired(kept: Map<string, { readonly expiresAt: Instant }>, now: Instant, limit: number): number {
  const expired = take(kept, limit, ([, { expiresAt }]) => expiresAt <= now)
  for (const [name] of expired) kept.delete(name)
  return expired.length
}

function forgetAudit(state: State, before: Instant, limit: number): number {
  const old = new Set(take(state.audit, limit, ({ at }) => at < before))
  state.audit.splice(0, state.audit.length, ...state.audit.filter((entry) => !old.has(entry)))
  return old.size
}

function erasePayloads(state: State, now: Instant, limit: number): number {
  const open = new Set(
    Array.from(state.deliveries.values())
      .filter(isOpen)
      .map(({ messageId }) => messageId),
  )
  const due = take(state.payloadExpiries, limit, ([id, eraseAt]) => eraseAt <= now && !open.has(id))
  for (const [id] of due) eraseBody(state, id, now)
  return due.length
}

function take<Item>(items: Iterable<Item>, most: number, may: (item: Item) => boolean): Item[] {
  const taken: Item[] = []
  for (const item of items) {
    if (taken.length >= most) break
    if (may(item)) taken.push(item)
  }
  return taken
}
