import { askedToWaitMs, errorDetail, isOurOwnFault, succeeded } from './attempt.ts'
import type { Outcome } from './attempt.ts'
import { delayAfter } from './retry-policy.ts'
import type { RetryPolicy } from './retry-policy.ts'
import { minute } from '../time.ts'
import type { Instant, Random } from '../time.ts'

/** The statuses as stored. Open is `pending` or `failed`; `delivered` never changes; `dead` ends only with a requeue. */
export type Status = 'pending' | 'failed' | 'delivered' | 'dead'
export const statuses: readonly Status[] = ['pending', 'failed', 'delivered', 'dead']

/** Why a delivery is dead. Rates and alarms count `exhausted` and `crashed` only. */
export type DeadReason = 'exhausted' | 'cancelled' | 'expired' | 'crashed' | 'gone'

export const deadReasons: readonly DeadReason[] = ['exhausted', 'cancelled', 'expired', 'crashed', 'gone']

/**
 * Fresh: never attempted, leaves when the limits allow. Retries, and requeued deliveries, leave on the tick.
 * Suspects: workers ended while holding it, so it is sent with extra precautions.
 */
export type Lane = 'fresh' | 'retries' | 'suspects'
export const lanes: readonly Lane[] = ['fresh', 'retries', 'suspects']

/** One message to be delivered to one endpoint. */
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
  /** How often its lease was taken over after its worker ended, since the last mark or requeue. */
  readonly interruptions: number
  /** How many of those attempts are on record as started. */
  readonly crashCount: number
  readonly requeuedAt: Instant | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** The change that an outcome makes to its delivery. */
export interface Mark {
  readonly status: 'failed' | 'delivered' | 'dead'
  readonly reason: DeadReason | null
  readonly attemptCount: number
  readonly nextRetryAt: Instant | null
  readonly errorDetail: string | null
}

/** Everything that the meaning of an outcome depends on. */
interface SettleInput {
  readonly delivery: Pick<Delivery, 'attemptCount'>
  readonly outcome: Outcome
  readonly policy: RetryPolicy
  readonly honoursRetryAfter: boolean
  readonly now: Instant
  readonly random: Random
}

/** From this many interruptions on a delivery is a suspect: its attempts are written ahead, because it may be what crashes its workers. */
export const suspectAfterInterruptions = 2
const deadAfterCrashes = 5
const crashPausesMs = [1, 5, 15, 60].map((minutes) => minutes * minute)

/** Decides what an outcome means for its delivery: the one place where status changes are thought out. */
export function settle({ delivery, outcome, policy, honoursRetryAfter, now, random }: SettleInput): Mark {
  const attemptCount = delivery.attemptCount + 1 // UC-0268: the delay is looked up by the new count.
  if (succeeded(outcome))
    return { status: 'delivered', reason: null, attemptCount, nextRetryAt: null, errorDetail: null }

  const detail = errorDetail(outcome)
  if (isOurOwnFault(outcome)) {
    const nextRetryAt = now + delayAfter(policy, 1, random)
    return { status: 'failed', reason: null, attemptCount: delivery.attemptCount, nextRetryAt, errorDetail: detail }
  }
  if (attemptCount >= policy.maxAttempts) return dead(attemptCount, detail, 'exhausted')

  const askedMs = honoursRetryAfter ? (askedToWaitMs(outcome) ?? 0) : 0
  const waitMs = Math.max(delayAfter(policy, attemptCount, random), askedMs)
  return { status: 'failed', reason: null, attemptCount, nextRetryAt: now + waitMs, errorDetail: detail }
}

/**
 * The consequence of a crash: the delivery is dead after five, or due again after a pause. The pause varies widely, or innocent
 * suspects would stay in step with the one that crashes their worker.
 */
export function settleCrash(
  delivery: Pick<Delivery, 'attemptCount' | 'crashCount'>,
  now: Instant,
  random: Random,
): Mark | { readonly nextRetryAt: Instant } {
  const { attemptCount, crashCount } = delivery
  if (crashCount >= deadAfterCrashes)
    return dead(attemptCount, `Stopped: ${crashCount} workers ended while they were sending it.`, 'crashed')
  const pauseMs = crashPausesMs[Math.min(crashCount, crashPausesMs.length) - 1] ?? minute
  return { nextRetryAt: now + Math.round(pauseMs * (0.5 + random())) }
}

/** The lane of an open delivery. */
export function laneOf(delivery: Pick<Delivery, 'status' | 'lastAttemptedAt' | 'requeuedAt' | 'interruptions'>): Lane {
  if (delivery.interruptions >= suspectAfterInterruptions) return 'suspects'
  const untouched = delivery.status === 'pending' && delivery.lastAttemptedAt === null && delivery.requeuedAt === null
  return untouched ? 'fresh' : 'retries'
}

export function isOpen(delivery: Pick<Delivery, 'status'>): boolean {
  return delivery.status === 'pending' || delivery.status === 'failed'
}

/** Due: open, its time reached (null counts as reached), and without a live lease. */
export function isDue(delivery: Delivery, now: Instant): boolean {
  return isOpen(delivery) && (delivery.nextRetryAt ?? 0) <= now && !isLeased(delivery, now)
}

export function isLeased(delivery: Pick<Delivery, 'leaseUntil'>, now: Instant): boolean {
  return delivery.leaseUntil !== null && delivery.leaseUntil > now
}

function dead(attemptCount: number, detail: string, reason: DeadReason): Mark {
  return { status: 'dead', reason, attemptCount, nextRetryAt: null, errorDetail: detail }
}
