import type { Marked, MarkRequest, SettledAttempt } from '../../core/queue.ts'
import { heldBy, replace } from './state.ts'
import type { State } from './state.ts'

/** Writes one outcome if its lease still holds, and records the attempt in any case. */
export function markOne(state: State, { owner, now }: MarkRequest, settled: SettledAttempt): Marked {
  const { mark, attempt } = settled
  const delivery = heldBy(state, owner, settled)
  if (delivery === undefined) return refuse(state, settled)

  replace(state, delivery, {
    ...delivery,
    status: mark.status,
    reason: mark.reason,
    attemptCount: mark.attemptCount,
    nextRetryAt: mark.nextRetryAt,
    errorDetail: mark.errorDetail,
    lastAttemptedAt: attempt === null ? delivery.lastAttemptedAt : attempt.startedAt + attempt.tookMs,
    targetUrl: attempt?.url ?? delivery.targetUrl,
    leaseOwner: null,
    leaseUntil: null,
    crashCount: 0,
    updatedAt: now,
  })
  record(state, settled, false)
  state.rollups.count(settled.endpointId, mark, attempt?.tookMs ?? null, now)
  return 'marked'
}

/** An attempt that is on record in time was marked by an earlier try, whose answer was lost. */
function refuse(state: State, settled: SettledAttempt): Marked {
  const known = state.attempts.get(settled.deliveryId)?.find(({ epoch }) => epoch === settled.epoch)
  if (known !== undefined) return known.late ? 'lost' : 'already'
  // The attempts of a delivery that was pruned would stay for ever.
  if (state.deliveries.has(settled.deliveryId)) record(state, settled, true)
  return 'lost'
}

function record(state: State, { deliveryId, epoch, attempt }: SettledAttempt, late: boolean): void {
  if (attempt === null) return
  const others = state.attempts.get(deliveryId) ?? []
  if (others.some((other) => other.epoch === epoch)) return
  state.attempts.set(deliveryId, [...others, { ...attempt, epoch, late }])
}
