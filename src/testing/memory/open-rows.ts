import { isDue, laneOf } from '../../core/delivery.ts'
import type { Delivery, Lane } from '../../core/delivery.ts'
import type { Instant } from '../../core/time.ts'
import { compareText, sortedList } from './sorted-list.ts'
import type { SortedList } from './sorted-list.ts'

/** Open deliveries by lane and endpoint, oldest due first. Closed ones are not here, so history costs claims nothing. */
export interface OpenRows {
  add(delivery: Delivery): void
  remove(delivery: Delivery): void
  /** Up to `most` rows of an endpoint that are due, oldest due first; rows under a live lease are passed over. */
  due(endpointId: string, lane: Lane, now: Instant, most: number): Delivery[]
  /** Endpoints with rows in a lane, in id order, with the due time of the first. */
  endpoints(lane: Lane, after: string, limit: number): { endpointId: string; dueAt: Instant }[]
  count(lane: Lane): number
  oldestDueAt(): Instant | null
}

interface LaneRows {
  readonly rows: Map<string, SortedList<Delivery>>
  /** The endpoints that have rows. */
  readonly endpointIds: SortedList<string>
  count: number
}

export function openRows(): OpenRows {
  const lanes: Readonly<Record<Lane, LaneRows>> = { fresh: emptyLane(), retries: emptyLane() }

  return {
    add(delivery) {
      const lane = lanes[laneOf(delivery)]
      const rows = lane.rows.get(delivery.endpointId) ?? sortedList(inDueOrder)
      if (rows.size === 0) {
        lane.rows.set(delivery.endpointId, rows)
        lane.endpointIds.add(delivery.endpointId)
      }
      rows.add(delivery)
      lane.count += 1
    },
    remove(delivery) {
      const lane = lanes[laneOf(delivery)]
      const rows = lane.rows.get(delivery.endpointId)
      if (rows?.remove(delivery) !== true) return
      lane.count -= 1
      if (rows.size === 0) lane.endpointIds.remove(delivery.endpointId)
    },
    due(endpointId, lane, now, most) {
      const taken: Delivery[] = []
      for (const delivery of lanes[lane].rows.get(endpointId) ?? []) {
        if (taken.length >= most || dueAtOf(delivery) > now) break
        if (isDue(delivery, now)) taken.push(delivery)
      }
      return taken
    },
    endpoints(lane, after, limit) {
      const found: { endpointId: string; dueAt: Instant }[] = []
      for (const endpointId of lanes[lane].endpointIds.after(after)) {
        if (found.length >= limit) break
        const first = lanes[lane].rows.get(endpointId)?.first()
        if (first !== undefined) found.push({ endpointId, dueAt: dueAtOf(first) })
      }
      return found
    },
    count: (lane) => lanes[lane].count,
    oldestDueAt() {
      const heads = Object.values(lanes).flatMap(({ rows }) => [...rows.values()].flatMap((list) => list.first() ?? []))
      return heads.length === 0 ? null : heads.map(dueAtOf).reduce((oldest, at) => Math.min(oldest, at))
    },
  }
}

function emptyLane(): LaneRows {
  return { rows: new Map(), endpointIds: sortedList(compareText), count: 0 }
}

function inDueOrder(left: Delivery, right: Delivery): number {
  return dueAtOf(left) - dueAtOf(right) || compareText(left.id, right.id)
}

function dueAtOf(delivery: Delivery): Instant {
  return delivery.nextRetryAt ?? 0
}
