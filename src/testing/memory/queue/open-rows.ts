import { isOpen, laneOf } from '../../../core/delivery/delivery.ts'
import type { Delivery, Lane } from '../../../core/delivery/delivery.ts'
import type { Instant } from '../../../core/time.ts'
import { compareText, SortedList } from '../sorted-list.ts'

/** Open deliveries by lane and endpoint, oldest due first. Closed ones are left out, so history does not slow down claims. */
export interface OpenRows {
  /** Follows a delivery from one state to the next; null if it did not or does not exist. */
  move(before: Delivery | null, after: Delivery | null): void
  /** Due rows of an endpoint, oldest due first, including leased ones. Nothing may be moved meanwhile. */
  due(endpointId: string, lane: Lane, now: Instant): Iterable<Delivery>
  /** Endpoints with rows in a lane, in id order, with the due time of the first. */
  endpoints(lane: Lane, after: string, limit: number): { endpointId: string; dueAt: Instant }[]
  count(lane: Lane): number
  oldestDueAt(): Instant | null
}

/** The position of a row in its lane. A lease does not change it, so claims and renewals need not touch the lists. */
interface Place {
  readonly id: string
  readonly dueAt: Instant
}

interface LaneRows {
  readonly rows: Map<string, SortedList<Place>>
  /** The endpoints that have rows. */
  readonly endpointIds: SortedList<string>
  count: number
}

export function openRows(deliveries: ReadonlyMap<string, Delivery>): OpenRows {
  const lanes: Readonly<Record<Lane, LaneRows>> = { fresh: emptyLane(), retries: emptyLane(), suspects: emptyLane() }

  return {
    move(before, after) {
      const [from, to] = [openOnly(before), openOnly(after)]
      if (from !== null && to !== null && laneOf(from) === laneOf(to) && dueAtOf(from) === dueAtOf(to)) return
      if (from !== null) remove(lanes[laneOf(from)], from)
      if (to !== null) add(lanes[laneOf(to)], to)
    },
    *due(endpointId, lane, now) {
      for (const { id, dueAt } of lanes[lane].rows.get(endpointId) ?? []) {
        if (dueAt > now) return
        const delivery = deliveries.get(id)
        if (delivery !== undefined) yield delivery
      }
    },
    endpoints(lane, after, limit) {
      const found: { endpointId: string; dueAt: Instant }[] = []
      for (const endpointId of lanes[lane].endpointIds.after(after)) {
        if (found.length >= limit) break
        const first = lanes[lane].rows.get(endpointId)?.first()
        if (first !== undefined) found.push({ endpointId, dueAt: first.dueAt })
      }
      return found
    },
    count: (lane) => lanes[lane].count,
    oldestDueAt() {
      const heads = Object.values(lanes).flatMap(({ rows }) => [...rows.values()].flatMap((list) => list.first() ?? []))
      return heads.length === 0 ? null : heads.reduce((oldest, { dueAt }) => Math.min(oldest, dueAt), Infinity)
    },
  }
}

function emptyLane(): LaneRows {
  return { rows: new Map(), endpointIds: new SortedList(compareText), count: 0 }
}

function openOnly(delivery: Delivery | null): Delivery | null {
  return delivery !== null && isOpen(delivery) ? delivery : null
}

function add(lane: LaneRows, delivery: Delivery): void {
  const rows = lane.rows.get(delivery.endpointId) ?? new SortedList(inDueOrder)
  if (rows.size === 0) {
    lane.rows.set(delivery.endpointId, rows)
    lane.endpointIds.add(delivery.endpointId)
  }
  rows.add({ id: delivery.id, dueAt: dueAtOf(delivery) })
  lane.count += 1
}

function remove(lane: LaneRows, delivery: Delivery): void {
  const rows = lane.rows.get(delivery.endpointId)
  if (rows?.remove({ id: delivery.id, dueAt: dueAtOf(delivery) }) !== true) return
  lane.count -= 1
  if (rows.size === 0) lane.endpointIds.remove(delivery.endpointId)
}

function inDueOrder(left: Place, right: Place): number {
  return left.dueAt - right.dueAt || compareText(left.id, right.id)
}

function dueAtOf(delivery: Delivery): Instant {
  return delivery.nextRetryAt ?? 0
}
