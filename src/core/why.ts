import { isLeased, laneOf } from './delivery.ts'
import type { Delivery } from './delivery.ts'
import type { Endpoint } from './endpoint.ts'
import { isHeld } from './health.ts'
import type { Health } from './health.ts'
import type { RetryPolicy } from './retry-policy.ts'
import { isoTime } from './time.ts'
import type { Instant } from './time.ts'

/** Why a delivery is where it is: a code for programs and one sentence for people. */
export interface Why {
  readonly code: WhyCode
  readonly sentence: string
}

export type WhyCode =
  | 'delivered'
  | 'exhausted'
  | 'cancelled'
  | 'expired'
  | 'crashed'
  | 'gone'
  | 'in_flight'
  | 'endpoint_paused'
  | 'endpoint_disabled'
  | 'endpoint_deleted'
  | 'breaker_open'
  | 'waiting_for_retry'
  | 'scheduled'
  | 'rate_limited'
  | 'behind_cap'
  | 'next_tick'
  | 'next_in_line'

export interface WhyInput {
  readonly delivery: Delivery
  readonly endpoint: Pick<Endpoint, 'status' | 'statusReason' | 'statusSince' | 'ratePerSecond'> | null
  readonly health: Health
  readonly policy: Pick<RetryPolicy, 'maxAttempts'>
  /** Retries of its endpoint that are due before it. */
  readonly ahead: number
  /** Retries that one endpoint gets per tick. */
  readonly perTick: number
  readonly now: Instant
}

/** Says in one sentence why a delivery is where it is; the order of the questions is the engine's own. */
export function why(input: WhyInput): Why {
  const { delivery } = input
  switch (delivery.status) {
    case 'delivered':
      return { code: 'delivered', sentence: `Delivered at attempt ${delivery.attemptCount}, ${time(delivery.lastAttemptedAt)}.` }
    case 'dead':
      return whyDead(delivery)
    case 'pending':
    case 'failed':
      return whyOpen(input)
  }
}

function whyDead(delivery: Delivery): Why {
  const last = delivery.errorDetail === null ? '' : ` The last answer was: ${firstLine(delivery.errorDetail)}`
  switch (delivery.reason) {
    case 'cancelled':
      return { code: 'cancelled', sentence: `Cancelled by a person ${time(delivery.updatedAt)}.` }
    case 'expired':
      return { code: 'expired', sentence: `Held for so long that it expired ${time(delivery.updatedAt)}.` }
    case 'crashed':
      return { code: 'crashed', sentence: `Given up because ${delivery.crashCount} workers ended while they held it.` }
    case 'gone':
      return { code: 'gone', sentence: `Given up because its endpoint was deleted ${time(delivery.updatedAt)}.` }
    case 'exhausted':
    case null:
      return { code: 'exhausted', sentence: `Dead after ${delivery.attemptCount} failed ${delivery.attemptCount === 1 ? 'attempt' : 'attempts'}.${last}` }
  }
}

function whyOpen(input: WhyInput): Why {
  const { delivery, endpoint, health, policy, now } = input
  if (isLeased(delivery, now)) {
    return { code: 'in_flight', sentence: `Being sent by worker ${delivery.leaseOwner} under a lease until ${time(delivery.leaseUntil)}.` }
  }
  const blocked = endpoint === null ? null : whyBlocked(endpoint)
  if (blocked !== null) return blocked
  if (isHeld(health, now)) {
    return { code: 'breaker_open', sentence: `Held because the breaker of its endpoint is open until ${time(health.heldUntil)}; this uses up no attempts.` }
  }
  if ((delivery.nextRetryAt ?? 0) > now) return whyNotYet(delivery, policy)
  if (endpoint !== null && endpoint.ratePerSecond !== null) {
    return { code: 'rate_limited', sentence: `Due, and waiting for its turn within the endpoint's limit of ${endpoint.ratePerSecond} per second.` }
  }
  if (laneOf(delivery) === 'fresh') return { code: 'next_in_line', sentence: 'Due, and leaves as soon as a worker has room for its endpoint.' }
  return whyRetryWaits(input)
}

function whyRetryWaits({ ahead, perTick }: WhyInput): Why {
  if (ahead < perTick) return { code: 'next_tick', sentence: `Due, and leaves with the next tick, which takes up to ${perTick} retries of its endpoint.` }
  return { code: 'behind_cap', sentence: `Due, but ${ahead} retries of its endpoint go first, and a tick takes at most ${perTick} of them.` }
}

function whyBlocked(endpoint: NonNullable<WhyInput['endpoint']>): Why | null {
  const by = endpoint.statusReason === null ? '' : endpoint.statusReason.startsWith('by ') ? ` ${endpoint.statusReason}` : ` (${endpoint.statusReason})`
  switch (endpoint.status) {
    case 'active':
      return null
    case 'paused':
      return { code: 'endpoint_paused', sentence: `Held because its endpoint is paused${by} since ${time(endpoint.statusSince)}.` }
    case 'disabled':
      return { code: 'endpoint_disabled', sentence: `Held because its endpoint is disabled${by} since ${time(endpoint.statusSince)}.` }
    case 'deleted':
      return { code: 'endpoint_deleted', sentence: 'Its endpoint was deleted; it will end dead.' }
  }
}

function whyNotYet(delivery: Delivery, policy: Pick<RetryPolicy, 'maxAttempts'>): Why {
  if (delivery.attemptCount === 0) return { code: 'scheduled', sentence: `Scheduled for ${time(delivery.nextRetryAt)}.` }
  const retry = `retry ${delivery.attemptCount} of ${policy.maxAttempts - 1}`
  return { code: 'waiting_for_retry', sentence: `Waiting for ${retry} at ${time(delivery.nextRetryAt)} after: ${firstLine(delivery.errorDetail ?? 'a failure')}` }
}

function time(at: Instant | null): string {
  return at === null ? 'at an unknown time' : `${isoTime(at).slice(0, 19).replace('T', ' ')} UTC`
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 200) ?? ''
}
