import { isOpen } from '../../../core/delivery/delivery.ts'
import { isOver } from '../../../core/delivery/job.ts'
import type { PruneRequest } from '../../../core/ports/queue.ts'
import { day } from '../../../core/time.ts'
import type { Instant } from '../../../core/time.ts'
import { forget, forgetMessage, replaceMessage } from '../state.ts'
import type { State } from '../state.ts'

/** Keys, jobs and rate limits that are over can be looked up for so long. */
const endedKeptMs = 30 * day
const minutesKeptMs = 35 * day

/** Up to `limit` of each kind, so that a caller who repeats it until 0 is done with all. */
export function prune(state: State, { before, now, limit }: PruneRequest): number {
  forgetEnded(state, now - endedKeptMs)
  return (
    forgetDeliveries(state, before, limit) +
    forgetMessages(state, before, limit) +
    forgetExpired(state.keys, now, limit) +
    forgetExpired(state.replies, now, limit) +
    state.rollups.forget(before - minutesKeptMs, limit) +
    erasePayloads(state, now, limit)
  )
}

function forgetEnded(state: State, before: Instant): void {
  for (const { id, expiresAt, revokedAt } of state.apiKeys.values()) {
    if ((expiresAt ?? before) < before || (revokedAt ?? before) < before) state.apiKeys.delete(id)
  }
  for (const job of state.jobs.values()) if (isOver(job) && job.updatedAt < before) state.jobs.delete(job.id)
  for (const [id, { at }] of state.rateLimits) if (at < before) state.rateLimits.delete(id)
}

function forgetDeliveries(state: State, before: Instant, limit: number): number {
  const closed = take(state.deliveries.values(), limit, (delivery) => !isOpen(delivery) && delivery.updatedAt < before)
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

function erasePayloads(state: State, now: Instant, limit: number): number {
  const open = new Set(
    Array.from(state.deliveries.values())
      .filter(isOpen)
      .map(({ messageId }) => messageId),
  )
  const due = take(state.payloadExpiries, limit, ([id, eraseAt]) => eraseAt <= now && !open.has(id))
  for (const [id] of due) {
    const message = state.messages.get(id)
    if (message !== undefined)
      replaceMessage(state, { ...message, body: new Uint8Array(), erasedAt: message.erasedAt ?? now })
    state.payloadExpiries.delete(id)
  }
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
