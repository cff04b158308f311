import type { Lane } from '../core/delivery.ts'
import type { Instant } from '../core/time.ts'

/**
 * Where the open rows of each endpoint begin, as the last whole walk found it. A claim that begins there reads over nothing that was
 * finished before: as long as a report or a backup keeps an old snapshot, PostgreSQL cannot clear that away.
 */
export interface Floors {
  /** A walk over all endpoints of a lane begins. */
  begin(lane: Lane, now: Instant): void
  /** A slice of that walk. */
  note(lane: Lane, found: readonly { endpointId: string; dueAt: Instant }[]): void
  /** That walk has seen all: from now on it is the one that counts. */
  end(lane: Lane): void
  /** Nothing of this endpoint that the walk could see is due before this. */
  of(endpointId: string, lane: Lane): Instant
  /** Whatever is due before this, the walk has seen. */
  unseenFrom(lane: Lane): Instant
}

interface Walk {
  readonly unseenFrom: Instant
  /** Of the endpoints whose rows have waited for longer: when the first of them was due. */
  readonly waitingSince: Map<string, Instant>
}

// Rows get their time before they are committed: those of a transaction that took longer are found by the next walk.
const lateMs = 10_000
const mostRemembered = 50_000
const nothingSeen: Walk = { unseenFrom: 0, waitingSince: new Map() }

export function makeFloors(): Floors {
  const under: Record<Lane, Walk> = { fresh: nothingSeen, retries: nothingSeen }
  const ended: Record<Lane, Walk> = { fresh: nothingSeen, retries: nothingSeen }

  return {
    begin(lane, now) {
      under[lane] = { unseenFrom: now - lateMs, waitingSince: new Map() }
    },
    note(lane, found) {
      const { unseenFrom, waitingSince } = under[lane]
      for (const { endpointId, dueAt } of found) {
        if (dueAt < unseenFrom && waitingSince.size <= mostRemembered) waitingSince.set(endpointId, dueAt)
      }
    },
    end(lane) {
      // Whoever cannot remember them all must not believe that the others have none.
      ended[lane] = under[lane].waitingSince.size > mostRemembered ? nothingSeen : under[lane]
    },
    of: (endpointId, lane) => ended[lane].waitingSince.get(endpointId) ?? ended[lane].unseenFrom,
    unseenFrom: (lane) => ended[lane].unseenFrom,
  }
}
