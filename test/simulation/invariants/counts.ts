import { isProvisional } from '../../../src/core/delivery/attempt.ts'
import type { World } from '../world/world.ts'
import type { Finding, Invariant } from './invariant.ts'
import { grouped } from './seen.ts'

/** What workers count, for whoever watches them. */
export const countInvariants: readonly Invariant[] = [
  { name: 'what workers count is on record, once', check: countedOnce },
  { name: 'what is on record was counted, if nothing came between', check: allCounted },
]

/** Over all workers: an attempt or a success that two of them count would make a sum that is too large. */
function* countedOnce({ history }: World): Iterable<Finding> {
  // An attempt that was on the wire when its application was erased is counted, and nowhere on record.
  if (history.erased.size > 0) return
  const recordsOf = grouped(history.records, ({ deliveryId }) => deliveryId)
  const rowsOf = grouped(history.rows, ({ after }) => after.id)
  const attempts = new Set<string>()
  const delivered = new Set<string>()
  for (const { deliveryId, epoch, outcome, isDelivered } of history.counted) {
    const attempt = `${deliveryId} ${epoch}`
    if (attempts.has(attempt)) yield { detail: `attempt ${attempt} was counted twice` }
    attempts.add(attempt)
    const records = (recordsOf.get(deliveryId) ?? []).flatMap(({ after }) => after)
    if (!records.some((record) => record.epoch === epoch && record.outcome === outcome))
      yield { detail: `attempt ${attempt} was counted as ${outcome}, and is not on record so` }
    if (!isDelivered) continue
    if (delivered.has(deliveryId)) yield { detail: `delivery ${deliveryId} was counted as delivered twice` }
    delivered.add(deliveryId)
    if (!(rowsOf.get(deliveryId) ?? []).some(({ after }) => after.status === 'delivered'))
      yield { detail: `delivery ${deliveryId} was counted as delivered, and never was` }
  }
}

/** Whoever is killed takes its counts along; a run without harm has them all. */
function* allCounted({ history, state }: World): Iterable<Finding> {
  // Each run ends with a stop of all, which lets what is under way end.
  if (history.disturbances.some(({ kind }) => kind !== 'leave')) return
  // What was counted of an application that was deleted is no longer on record.
  if (history.erased.size > 0) return
  const kept = [...state.attempts.values()].flat().filter(({ outcome }) => !isProvisional(outcome))
  if (kept.length !== history.counted.length)
    yield { detail: `${history.counted.length} attempts were counted of ${kept.length} on record` }
}
