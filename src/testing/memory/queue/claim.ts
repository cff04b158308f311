import type { Attempt } from '../../../core/delivery/attempt.ts'
import { isLeased } from '../../../core/delivery/delivery.ts'
import type { Delivery } from '../../../core/delivery/delivery.ts'
import type { Claim, ClaimRequest, StartRequest, Want } from '../../../core/ports/queue.ts'
import type { Instant } from '../../../core/time.ts'
import { attemptOf, heldBy, recordAttempt, replace } from '../state.ts'
import type { KeptAttempt, State } from '../state.ts'

/** Leases what is due, want by want. */
export function claim(state: State, request: ClaimRequest): Claim[] {
  const claims: Claim[] = []
  for (const want of request.wants) {
    // Picked before anything is leased: a takeover may move a row to another lane.
    const picked = pick(state, want, Math.min(want.most, request.most - claims.length), request.now)
    for (const delivery of picked) claims.push(lease(state, delivery, want, request))
  }
  return claims
}

function pick(state: State, { endpointId, lane, mostBytes }: Want, most: number, now: Instant): Delivery[] {
  const picked: Delivery[] = []
  let bytes = 0
  for (const delivery of state.open.due(endpointId, lane, now)) {
    if (picked.length >= most || bytes >= mostBytes) break
    if (isTaken(state, delivery, now)) continue
    picked.push(delivery)
    bytes += messageOf(state, delivery).body.length
  }
  return picked
}

/** Under a live lease. If only this process may deliver, a lease ends with its worker, whatever its time. */
function isTaken(state: State, delivery: Delivery, now: Instant): boolean {
  if (!isLeased(delivery, now)) return false
  const knowsOwners = state.soleProcess && state.attached.size > 0
  return !knowsOwners || state.attached.has(delivery.leaseOwner ?? '')
}

function lease(state: State, delivery: Delivery, { lane }: Want, { owner, now, leaseMs }: ClaimRequest): Claim {
  const tookOver = delivery.leaseOwner === null ? null : takeOver(state, delivery, now, leaseMs)
  const leased: Delivery = {
    ...delivery,
    leaseOwner: owner,
    leaseUntil: now + leaseMs,
    leaseEpoch: delivery.leaseEpoch + 1,
    interruptions: delivery.interruptions + (tookOver === null ? 0 : 1),
    crashCount: delivery.crashCount + (tookOver === 'crashed' ? 1 : 0),
  }
  replace(state, delivery, leased)
  return { delivery: leased, message: messageOf(state, delivery), lane, tookOver }
}

/** The owner did not return: records what became of its attempt. */
function takeOver(state: State, delivery: Delivery, now: Instant, leaseMs: number): 'interrupted' | 'crashed' {
  const { id, leaseEpoch: epoch, leaseUntil, targetUrl: url } = delivery
  const known = attemptOf(state, id, epoch)
  if (known?.outcome === 'started') {
    recordAttempt(state, id, { ...known, outcome: 'crashed' })
    return 'crashed'
  }
  const startedAt = Math.min((leaseUntil ?? now) - leaseMs, now)
  if (known === undefined) recordAttempt(state, id, interrupted({ epoch, startedAt, url }))
  return 'interrupted'
}

/** Records attempts ahead, where the lease is still the caller's. */
export function writeAhead(state: State, { owner, now, starts }: StartRequest): string[] {
  return starts.flatMap(({ url, ...held }) => {
    const delivery = heldBy(state, owner, held)
    if (delivery === undefined) return []
    const { epoch } = held
    if (attemptOf(state, delivery.id, epoch) === undefined) {
      recordAttempt(state, delivery.id, {
        epoch,
        startedAt: now,
        tookMs: 0,
        outcome: 'started',
        statusCode: null,
        responseBody: null,
        url,
        late: false,
        diagnostics: null,
      })
    }
    return [delivery.id]
  })
}

/** An attempt that was on the wire when its worker gave it back: the worker is alive, so it has not crashed. */
export function recordInterruption(state: State, deliveryId: string, attempt: Beginning): void {
  const known = attemptOf(state, deliveryId, attempt.epoch)
  if (known === undefined || known.outcome === 'started')
    recordAttempt(state, deliveryId, { ...known, ...interrupted(attempt) })
}

type Beginning = Pick<Attempt, 'epoch' | 'startedAt' | 'url'>

function interrupted({ epoch, startedAt, url }: Beginning): KeptAttempt {
  return {
    epoch,
    startedAt,
    tookMs: 0,
    outcome: 'interrupted',
    statusCode: null,
    responseBody: null,
    url,
    late: false,
    diagnostics: null,
  }
}

function messageOf(state: State, { id, messageId }: Delivery): Claim['message'] {
  const message = state.messages.get(messageId)
  if (message === undefined) throw new TypeError(`The message ${messageId} of the open delivery ${id} is gone.`)
  return message
}
