import { laneOf } from '../../../core/delivery/delivery.ts'
import type { Delivery } from '../../../core/delivery/delivery.ts'
import type { Endpoint } from '../../../core/endpoint/endpoint.ts'
import { mergedGroups } from '../../../core/ports/figures.ts'
import type { DeadLetterGroup } from '../../../core/ports/figures.ts'
import { healthy, isHeld } from '../../../core/endpoint/health.ts'
import { makeOverview } from '../../../core/ports/overview.ts'
import type { Overview } from '../../../core/ports/overview.ts'
import type { Directory } from '../../../core/ports/directory.ts'
import type { DeliveryFilter } from '../../../core/ports/queue.ts'
import { alarmDirectory } from './alarms.ts'
import { applicationDirectory, inOrder } from './applications.ts'
import { auditDirectory } from './audit.ts'
import { endpointDirectory } from './endpoints.ts'
import { newDelivery } from '../queue/enqueue.ts'
import { eventTypeDirectory } from './event-types.ts'
import { eventDirectory } from './events.ts'
import { jobDirectory } from './jobs.ts'
import { keyDirectory } from './keys.ts'
import { attemptDirectory, messageDirectory } from './messages.ts'
import { replyDirectory } from './replies.ts'
import { searchDirectory } from './search.ts'
import { compareText } from '../sorted-list.ts'
import { insert, isVisible, note, select } from '../state.ts'
import type { State } from '../state.ts'

/** The operators' half of a memory store. */
export function memoryDirectory(state: State): Directory {
  return {
    ...applicationDirectory(state),
    ...endpointDirectory(state),
    ...eventTypeDirectory(state),
    ...messageDirectory(state),
    ...attemptDirectory(state),
    ...jobDirectory(state),
    ...keyDirectory(state),
    ...eventDirectory(state),
    ...alarmDirectory(state),
    ...auditDirectory(state),
    ...replyDirectory(state),
    ...searchDirectory(state),

    delivery: async (id) => {
      const delivery = state.deliveries.get(id)
      return delivery !== undefined && isVisible(state, delivery) ? delivery : null
    },
    listDeliveries: async (filter, page) => inOrder(shown(state, filter), page, 'descending'),
    countDeliveries: async (filter, most) => count(state, filter, most),
    addDelivery: async (delivery, now, by) => {
      const message = state.messages.get(delivery.messageId)
      const isGone = state.endpoints.get(delivery.endpointId)?.status === 'deleted'
      if (message === undefined || message.erasedAt !== null || isGone) return null
      const added = { ...newDelivery(delivery, message, now), requeuedAt: now }
      insert(state, added)
      note(state, { action: 'resend', target: added.id, applicationId: added.applicationId, at: now, by })
      return added
    },

    deadLetters: async (filter, most) => deadLetters(state, filter, most),
    dueBefore: async ({ id, endpointId, nextRetryAt }, most) => {
      const before = [...select(state, { endpointId, status: ['pending', 'failed'] })].filter(
        (other) => laneOf(other) === 'retries' && isBefore(other, { id, nextRetryAt }),
      )
      return Math.min(before.length, most)
    },

    endedLeases: async (before, most) => {
      const open = [...select(state, { status: ['pending', 'failed'] })]
      return Math.min(open.filter(({ leaseUntil }) => leaseUntil !== null && leaseUntil <= before).length, most)
    },

    overview: async (request) => overview(state, request),
    workers: async () => [...state.workers.values()],
  }
}

/** Without those of applications that are being erased. */
function shown(state: State, filter: DeliveryFilter): Delivery[] {
  return [...select(state, filter)].filter((delivery) => isVisible(state, delivery))
}

function count(state: State, filter: DeliveryFilter, most: number): number {
  let found = 0
  for (const _ of shown(state, filter)) {
    if (found >= most) break
    found += 1
  }
  return found
}

function deadLetters(
  state: State,
  filter: Pick<DeliveryFilter, 'endpointId' | 'applicationId'>,
  most: number,
): DeadLetterGroup[] {
  const dead = shown(state, { ...filter, status: 'dead' })
    .toSorted((one, other) => compareText(other.id, one.id))
    .slice(0, most)
  return mergedGroups(
    dead.map(({ endpointId, applicationId, reason, errorDetail, updatedAt }) => ({
      endpointId,
      applicationId,
      reason: reason ?? 'exhausted',
      errorDetail: errorDetail?.slice(0, 200) ?? null,
      count: 1,
      newestAt: updatedAt,
    })),
  )
}

/** In the order in which a claim takes them. */
function isBefore(one: Pick<Delivery, 'id' | 'nextRetryAt'>, other: Pick<Delivery, 'id' | 'nextRetryAt'>): boolean {
  const [due, otherDue] = [one.nextRetryAt ?? 0, other.nextRetryAt ?? 0]
  return due < otherDue || (due === otherDue && one.id < other.id)
}

function overview(state: State, { now, windowMs, applicationId }: Parameters<Directory['overview']>[0]): Overview {
  const own = [...state.endpoints.values()].filter(
    (endpoint) => (applicationId ?? endpoint.applicationId) === endpoint.applicationId && endpoint.status !== 'deleted',
  )
  const { sum, minutes } = state.rollups.between(
    now - windowMs,
    now,
    applicationId === undefined ? undefined : new Set(own.map(({ id }) => id)),
  )
  const isBlocked = ({ id, status }: Endpoint): boolean =>
    status !== 'active' || isHeld(state.health.get(id) ?? healthy, now)
  const blocked = new Set(own.filter(isBlocked).map(({ id }) => id))
  const known = new Set(own.map(({ id }) => id))
  const open = [...select(state, { status: ['pending', 'failed'] })].filter(({ endpointId }) => known.has(endpointId))
  const free = open.filter(({ endpointId }) => !blocked.has(endpointId))
  const queue = {
    fresh: free.filter((delivery) => laneOf(delivery) === 'fresh').length,
    retries: free.filter((delivery) => laneOf(delivery) !== 'fresh').length,
    held: open.length - free.length,
    dead: count(state, { status: 'dead', applicationId }, Number.POSITIVE_INFINITY),
    atLeast: false,
    oldestDueAt: free.length === 0 ? null : Math.min(...free.map(({ nextRetryAt }) => nextRetryAt ?? 0)),
  }
  return makeOverview({ at: now, windowMs, sum, queue, minutes })
}
