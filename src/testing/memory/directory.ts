import { makeOverview } from '../../core/overview.ts'
import type { Overview } from '../../core/overview.ts'
import type { DeliveryFilter, Directory } from '../../core/ports.ts'
import type { Instant } from '../../core/time.ts'
import { accessDirectory } from './access.ts'
import { applicationDirectory, inOrder } from './applications.ts'
import { endpointDirectory } from './endpoints.ts'
import { newDelivery } from './enqueue.ts'
import { eventTypeDirectory } from './event-types.ts'
import { jobDirectory } from './jobs.ts'
import { attemptDirectory, messageDirectory } from './messages.ts'
import { insert, note, select } from './state.ts'
import type { State } from './state.ts'

/** The operators' half of a memory store. */
export function memoryDirectory(state: State): Directory {
  return {
    ...applicationDirectory(state),
    ...endpointDirectory(state),
    ...eventTypeDirectory(state),
    ...messageDirectory(state),
    ...attemptDirectory(state),
    ...jobDirectory(state),
    ...accessDirectory(state),

    delivery: async (id) => state.deliveries.get(id) ?? null,
    listDeliveries: async (filter, page) => inOrder([...select(state, filter)], page, 'descending'),
    countDeliveries: async (filter, most) => count(state, filter, most),
    addDelivery: async (delivery, now, by) => {
      const message = state.messages.get(delivery.messageId)
      if (message === undefined || message.erasedAt !== null) return null
      const added = { ...newDelivery(delivery, message, now), requeuedAt: now }
      insert(state, added)
      note(state, 'resend', added.id, 1, now, by)
      return added
    },

    overview: async ({ now, windowMs }) => overview(state, now, windowMs),
    audit: async (page) => inOrder(state.audit, page, 'descending'),
    workers: async () => Array.from(state.workers.values(), ({ worker }) => worker),
  }
}

function count(state: State, filter: DeliveryFilter, most: number): number {
  let found = 0
  for (const _ of select(state, filter)) {
    if (found >= most) break
    found += 1
  }
  return found
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
