import type { Lane } from '../../../core/delivery/delivery.ts'
import { raw } from './sql.ts'
import type { Sql } from './sql.ts'

// The partial indexes and every statement that should use them must contain exactly these texts: with a bound status, or an equivalent
// condition, the database would read the whole table instead. Each open row is in exactly one lane.

/** Never attempted, never requeued. */
const freshText = `status = 'pending' and last_attempted_at is null and requeued_at is null and interruptions < 2`
/** Attempted or requeued. The parentheses matter: without them, SQLite uses the index on the status instead. */
const retriesText = `(status = 'failed' or (status = 'pending' and (last_attempted_at is not null or requeued_at is not null))) and interruptions < 2`
/** Taken over twice. "Open" is expressed as a negation, for the same reason. */
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
