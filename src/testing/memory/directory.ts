import type { Attempt } from '../../core/attempt.ts'
import { attemptId } from '../../core/ids.ts'
import { makeOverview } from '../../core/overview.ts'
import type { Overview } from '../../core/overview.ts'
import type { DeliveryFilter, Directory, Page } from '../../core/ports.ts'
import type { Instant } from '../../core/time.ts'
import { applicationDirectory } from './applications.ts'
import { endpointDirectory } from './endpoints.ts'
import { newDelivery } from './enqueue.ts'
import { compareText } from './sorted-list.ts'
import { insert, note, select } from './state.ts'
import type { KeptAttempt, State } from './state.ts'

/** The operators' half of a memory store. */
export function memoryDirectory(state: State): Directory {
  return {
    ...applicationDirectory(state),
    ...endpointDirectory(state),

    message: async (id) => state.messages.get(id) ?? null,
    delivery: async (id) => state.deliveries.get(id) ?? null,
    listDeliveries: async (filter, page) => newestFirst([...select(state, filter)], page),
    countDeliveries: async (filter, most) => count(state, filter, most),
    attempts: async (deliveryId) => attempts(state, deliveryId),
    addDelivery: async (delivery, now, by) => {
      const message = state.messages.get(delivery.messageId)
      if (message === undefined) return null
      const added = newDelivery(delivery, message, now)
      insert(state, added)
      note(state, 'resend', added.id, 1, now, by)
      return added
    },

    overview: async ({ now, windowMs }) => overview(state, now, windowMs),
    audit: async (page) => newestFirst(state.audit, page),
    workers: async () => Array.from(state.workers.values(), ({ worker }) => worker),
  }
}

function newestFirst<Row extends { readonly id: string }>(rows: readonly Row[], { after, limit }: Page): Row[] {
  const below = after === null ? rows : rows.filter(({ id }) => id < after)
  return below.toSorted((left, right) => compareText(right.id, left.id)).slice(0, limit)
}

function count(state: State, filter: DeliveryFilter, most: number): number {
  let found = 0
  for (const _ of select(state, filter)) {
    if (found >= most) break
    found += 1
  }
  return found
}

/** In order of their epochs, which is the order in which they were begun. */
function attempts(state: State, deliveryId: string): Attempt[] {
  const kept = (state.attempts.get(deliveryId) ?? []).toSorted((left, right) => left.epoch - right.epoch)
  return kept.map((attempt, index) => publicAttempt(deliveryId, attempt, index + 1))
}

function publicAttempt(deliveryId: string, attempt: KeptAttempt, number: number): Attempt {
  return { ...attempt, id: attemptId(deliveryId, attempt.epoch), deliveryId, number }
}

function overview(state: State, now: Instant, windowMs: number): Overview {
  const { sum, minutes } = state.rollups.between(now - windowMs, now)
  const queue = {
    fresh: state.open.count('fresh'),
    retries: state.open.count('retries'),
    atLeast: false,
    oldestDueAt: state.open.oldestDueAt(),
  }
  return makeOverview(now, windowMs, sum, queue, minutes)
}
