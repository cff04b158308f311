import type { Lane } from '../../core/delivery/delivery.ts'
import type { Instant } from '../../core/time.ts'

interface Walked {
  /** Whatever is due before this, the walk has seen. */
  readonly unseenFrom: Instant
  /** When the first open row of an endpoint was due. */
  readonly firstDueAt: Map<string, Instant>
}

// Rows get their time before they are committed: those of a transaction that took longer are found by the next walk.
const lateMs = 10_000
const mostRemembered = 50_000
const nothingSeen: Walked = { unseenFrom: 0, firstDueAt: new Map() }

/**
 * When the open rows of each endpoint begin to be due, as the last whole walk found it. A claim that begins there reads over nothing
 * that was finished before: as long as a report or a backup keeps an old snapshot, PostgreSQL cannot clear that away.
 */
export class DueTimes {
  readonly #underWay: Record<Lane, Walked> = { fresh: nothingSeen, retries: nothingSeen, suspects: nothingSeen }
  readonly #ended: Record<Lane, Walked> = { fresh: nothingSeen, retries: nothingSeen, suspects: nothingSeen }

  /** A walk over all endpoints of a lane begins. */
  begin(lane: Lane, now: Instant): void {
    this.#underWay[lane] = { unseenFrom: now - lateMs, firstDueAt: new Map() }
  }

  /** A slice of that walk. */
  note(lane: Lane, found: readonly { endpointId: string; dueAt: Instant }[]): void {
    const { firstDueAt } = this.#underWay[lane]
    for (const { endpointId, dueAt } of found) if (firstDueAt.size <= mostRemembered) firstDueAt.set(endpointId, dueAt)
  }

  /** That walk has seen all: from now on it is the one that counts. */
  end(lane: Lane): void {
    // Whoever cannot remember them all must not believe that the others have none.
    this.#ended[lane] = this.#underWay[lane].firstDueAt.size > mostRemembered ? nothingSeen : this.#underWay[lane]
  }

  /** Nothing of this endpoint that the walk could see is due before this. */
  startOf(endpointId: string, lane: Lane): Instant {
    const { unseenFrom, firstDueAt } = this.#ended[lane]
    return Math.min(firstDueAt.get(endpointId) ?? unseenFrom, unseenFrom)
  }

  /** When the first row that the walk saw was due; infinitely late if it saw none. */
  firstSeen(endpointId: string, lane: Lane): Instant {
    return this.#ended[lane].firstDueAt.get(endpointId) ?? Number.POSITIVE_INFINITY
  }

  unseenFrom(lane: Lane): Instant {
    return this.#ended[lane].unseenFrom
  }
}
