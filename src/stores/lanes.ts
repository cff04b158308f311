import type { Lane } from '../core/delivery.ts'
import { words } from './sql.ts'
import type { Sql } from './sql.ts'

// These texts stand in the partial indexes and in every statement that wants to use them, letter by letter:
// a bound status, or the same thought in other words, and the database reads the whole table instead.

/** Never attempted, never requeued. */
export const freshText = `status = 'pending' and last_attempted_at is null and requeued_at is null`
/** Open and not fresh: each open row is in exactly one lane. One bracket, or SQLite takes the index on the status instead. */
export const retriesText = `(status = 'failed' or (status = 'pending' and (last_attempted_at is not null or requeued_at is not null)))`

export const fresh: Sql = words(freshText)
export const retries: Sql = words(retriesText)

export function laneText(lane: Lane): Sql {
  return lane === 'fresh' ? fresh : retries
}
