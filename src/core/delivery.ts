import { askedToWaitMs, errorDetail, succeeded } from './attempt.ts'
import type { Outcome } from './attempt.ts'
import { delayAfter } from './retry-policy.ts'
import type { RetryPolicy } from './retry-policy.ts'
import type { Instant, Random } from './time.ts'

/** The stored words. Open is `pending` or `failed`; `delivered` never changes; `dead` leaves only by requeue. */
export type Status = 'pending' | 'failed' | 'delivered' | 'dead'
export const statuses: readonly Status[] = ['pending', 'failed', 'delivered', 'dead']

/** Why a delivery is dead. Rates and alarms count `exhausted` and `crashed` only. */
export type DeadReason = 'exhausted' | 'cancelled' | 'expired' | 'crashed' | 'gone'

/** Fresh: never attempted, leaves when there is room. Retries, and whatever was requeued, leave on the tick. */
export type Lane = 'fresh' | 'retries'

/** One message on its way to one endpoint. */
export interface Delivery {
  readonly id: string
  readonly endpointId: string
  readonly applicationId: string
  readonly messageId: string
  readonly eventType: string
  readonly sessionId: string | null
  /** Where the last attempt went. */
  readonly targetUrl: string
  readonly status: Status
  readonly reason: DeadReason | null
  readonly attemptCount: number
  readonly nextRetryAt: Instant | null
  readonly lastAttemptedAt: Instant | null
  readonly errorDetail: string | null
  readonly policy: string
  readonly leaseOwner: string | null
  readonly leaseUntil: Instant | null
  readonly leaseEpoch: number
  readonly crashCount: number
  readonly requeuedAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** What an outcome changes on its delivery. */
export interface Mark {
  readonly status: 'failed' | 'delivered' | 'dead'
  readonly reason: DeadReason | null
  readonly attemptCount: number
  readonly nextRetryAt: Instant | null
  readonly errorDetail: string | null
}

/** From this many takeovers of a lease that ran out, a delivery is sent alone: it may be what kills its workers. */
export const suspectAfterCrashes = 2
/** At this many, it is given up. */
export const deadAfterCrashes = 5

/** Decides what an outcome means for its delivery: the one place where status changes are thought out. */
export function settle(
  delivery: Pick<Delivery, 'attemptCount'>,
  outcome: Outcome,
  policy: RetryPolicy,
  honoursRetryAfter: boolean,
  now: Instant,
  random: Random,
): Mark {
  const attemptCount = delivery.attemptCount + 1 // UC-0268: the delay is looked up by the new count.
  if (succeeded(outcome)) return { status: 'delivered', reason: null, attemptCount, nextRetryAt: null, errorDetail: null }

  const detail = errorDetail(outcome)
  if (attemptCount >= policy.maxAttempts) return dead(attemptCount, detail, 'exhausted')

  const askedMs = honoursRetryAfter ? (askedToWaitMs(outcome) ?? 0) : 0
  const waitMs = Math.max(delayAfter(policy, attemptCount, random), askedMs)
  return { status: 'failed', reason: null, attemptCount, nextRetryAt: now + waitMs, errorDetail: detail }
}

/** The end of a delivery whose workers died again and again: it is not sent any more. */
export function settleCrashed(delivery: Pick<Delivery, 'attemptCount' | 'crashCount'>): Mark {
  return dead(delivery.attemptCount, `Given up: ${delivery.crashCount} workers ended while they held it.`, 'crashed')
}

/** The lane an open delivery travels in. */
export function laneOf(delivery: Pick<Delivery, 'status' | 'lastAttemptedAt' | 'requeuedAt'>): Lane {
  const untouched = delivery.status === 'pending' && delivery.lastAttemptedAt === null && delivery.requeuedAt === null
  return untouched ? 'fresh' : 'retries'
}

export function isOpen(delivery: Pick<Delivery, 'status'>): boolean {
  return delivery.status === 'pending' || delivery.status === 'failed'
}

/** Due: open, its time reached (null counts as reached), and nobody's lease alive. */
export function isDue(delivery: Delivery, now: Instant): boolean {
  return isOpen(delivery) && (delivery.nextRetryAt ?? 0) <= now && !isLeased(delivery, now)
}

export function isLeased(delivery: Pick<Delivery, 'leaseUntil'>, now: Instant): boolean {
  return delivery.leaseUntil !== null && delivery.leaseUntil > now
}

function dead(attemptCount: number, detail: string, reason: DeadReason): Mark {
  return { status: 'dead', reason, attemptCount, nextRetryAt: null, errorDetail: detail }
}
