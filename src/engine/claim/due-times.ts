import type { Lane } from '../../core/delivery/delivery.ts'
import type { Instant } from '../../core/time.ts'

interface Walked {
  /** The walk has seen every row that is due before this. */
  readonly unseenFrom: Instant
  /** When the first open row of each endpoint became due. */
  readonly firstDueAt: Map<string, Instant>
}

// A row gets its time before it is committed. If a transaction takes longer than this, the next walk finds its rows.
const lateMs = 10_000
const mostRemembered = 50_000
const nothingSeen: Walked = { unseenFrom: 0, firstDueAt: new Map() }

/**
 * When the first open row of each endpoint is due, according to the last complete walk. A claim that starts there skips all rows that were
 * finished before: PostgreSQL cannot vacuum those while a report or a backup holds an old snapshot.
 */
export class DueTimes {
  readonly #underWay: Record<Lane, Walked> = { fresh: nothingSeen, retries: nothingSeen, suspects: nothingSeen }
  readonly #ended: Record<Lane, Walked> = { fresh: nothingSeen, retries: nothingSeen, suspects: nothingSeen }

  /** A walk over all endpoints of a lane begins. */
  begin(lane: Lane, now: Instant): void {
    this.#underWay[lane] = { unseenFrom: now - lateMs, firstDueAt: new Map() }
  }

  /** Records one slice of that walk. */
  note(lane: Lane, found: readonly { endpointId: string; dueAt: Instant }[]): void {
    const { firstDueAt } = this.#underWay[lane]
    for (const { endpointId, dueAt } of found) if (firstDueAt.size <= mostRemembered) firstDueAt.set(endpointId, dueAt)
  }

  /** The walk is complete and replaces the previous one. */
  end(lane: Lane): void {
    // If there are too many to remember, an endpoint that is missing here may still have rows: trust none of it.
    this.#ended[lane] = this.#underWay[lane].firstDueAt.size > mostRemembered ? nothingSeen : this.#underWay[lane]
  }

  /** The walk has seen nothing of this endpoint that is due before this. */
  startOf(endpointId: string, lane: Lane): Instant {
    const { unseenFrom, firstDueAt } = this.#ended[lane]
    return Math.min(firstDueAt.get(endpointId) ?? unseenFrom, unseenFrom)
  }

  /** When the first row that the walk saw was due; infinity if it saw none. */
  firstSeen(endpointId: string, lane: Lane): Instant {
    return this.#ended[lane].firstDueAt.get(endpointId) ?? Number.POSITIVE_INFINITY
  }

  unseenFrom(lane: Lane): Instant {
    return this.#ended[lane].unseenFrom
  }
}
