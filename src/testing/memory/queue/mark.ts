import { isProvisional } from '../../../core/delivery/attempt.ts'
import type { Marked, MarkRequest, SettledAttempt } from '../../../core/ports/queue.ts'
import { attemptOf, heldBy, recordAttempt, replace } from '../state.ts'
import type { KeptAttempt, State } from '../state.ts'

/** Writes one outcome if its lease is still valid, and records the attempt in any case. */
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
    interruptions: 0,
    // People see how often it crashed.
    crashCount: mark.reason === 'crashed' ? delivery.crashCount : 0,
    updatedAt: now,
  })
  record(state, settled, false)
  state.rollups.count(settled.endpointId, mark, attempt?.tookMs ?? null, now)
  return 'marked'
}

/** An outcome that was recorded in time was marked by an earlier try, whose answer was lost. */
function refuse(state: State, settled: SettledAttempt): Marked {
  const known = outcomeOf(state, settled)
  if (known?.late === false) return 'already'
  // The attempts of a pruned delivery would stay for ever.
  if (state.deliveries.has(settled.deliveryId)) record(state, settled, true)
  return 'lost'
}

/** Once; but a late one counts as in time if its worker could mark it under a newer lease. */
function record(state: State, settled: SettledAttempt, late: boolean): void {
  const known = outcomeOf(state, settled)
  if (settled.attempt === null || (known !== undefined && (late || !known.late))) return
  recordAttempt(state, settled.deliveryId, { ...settled.attempt, late })
}

/** The record of the attempt, unless it only says that the attempt began. */
function outcomeOf(state: State, { deliveryId, epoch, attempt }: SettledAttempt): KeptAttempt | undefined {
  const known = attemptOf(state, deliveryId, attempt?.epoch ?? epoch)
  return known === undefined || isProvisional(known.outcome) ? undefined : known
}
