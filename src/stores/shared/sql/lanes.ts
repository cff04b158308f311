import type { Lane } from '../../../core/delivery/delivery.ts'
import { raw } from './sql.ts'
import type { Sql } from './sql.ts'

// These texts stand in the partial indexes and in every statement that wants to use them, letter by letter:
// a bound status, or the same thought in other words, and the database reads the whole table instead.
// Each open row is in exactly one lane.

/** Never attempted, never requeued. */
const freshText = `status = 'pending' and last_attempted_at is null and requeued_at is null and interruptions < 2`
/** Attempted or requeued. One bracket, or SQLite takes the index on the status instead. */
const retriesText = `(status = 'failed' or (status = 'pending' and (last_attempted_at is not null or requeued_at is not null))) and interruptions < 2`
/** Taken over twice. Open is said by what it is not, for the same reason. */
const suspectsText = `interruptions >= 2 and status not in ('delivered', 'dead')`

/** By lane. */
export const laneTexts: Readonly<Record<Lane, string>> = {
  fresh: freshText,
  retries: retriesText,
  suspects: suspectsText,
}

export const fresh: Sql = raw(freshText)
export const retries: Sql = raw(retriesText)
export const suspects: Sql = raw(suspectsText)

export function laneText(lane: Lane): Sql {
  return raw(laneTexts[lane])
}
