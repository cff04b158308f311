import { isLeased, laneOf } from './delivery.ts'
import type { Delivery } from './delivery.ts'
import type { EndpointWithLimits } from '../endpoint/endpoint.ts'
import type { Health } from '../endpoint/health.ts'
import type { RetryPolicy } from './retry-policy.ts'
import { isoTime } from '../time.ts'
import type { Instant } from '../time.ts'
import { verdictOf } from '../endpoint/verdict.ts'
import type { EndpointWait, WaitReason } from '../endpoint/verdict.ts'

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
  | 'secrets_unreadable'
  | 'waiting_for_retry'
  | 'waiting_after_crash'
  | 'scheduled'
  | 'rate_limited'
  | 'window_full'
  | 'over_budget'
  | 'ramping_up'
  | 'behind_cap'
  | 'next_tick'
  | 'next_in_line'

export interface WhyInput {
  readonly delivery: Delivery
  readonly endpoint: Pick<
    EndpointWithLimits,
    'status' | 'statusReason' | 'statusSince' | 'ratePerSecond' | 'applicationRatePerSecond' | 'unreadable'
  > | null
  readonly health: Health
  readonly policy: Pick<RetryPolicy, 'maxAttempts'>
  /** Retries of its endpoint that are due before it. */
  readonly ahead: number
  /** Retries that one endpoint gets per tick. */
  readonly perTick: number
  /** What workers report that the endpoint's due deliveries wait for. */
  readonly waits: readonly EndpointWait[]
  readonly now: Instant
}

/** Says in one sentence why a delivery is where it is; asks its questions in the engine's order. */
export function why(input: WhyInput): Why {
  const { delivery } = input
  switch (delivery.status) {
    case 'delivered':
      return {
        code: 'delivered',
        sentence: `Delivered on attempt ${delivery.attemptCount}, ${time(delivery.lastAttemptedAt)}.`,
      }
    case 'dead':
      return whyDead(delivery)
    case 'pending':
    case 'failed':
      return whyOpen(input)
  }
}

function whyDead(delivery: Delivery): Why {
  switch (delivery.reason) {
    case 'cancelled':
      return { code: 'cancelled', sentence: `Cancelled by a person ${time(delivery.updatedAt)}.` }
    case 'expired':
      return { code: 'expired', sentence: `Held for so long that it expired ${time(delivery.updatedAt)}.` }
    case 'crashed':
      return {
        code: 'crashed',
        sentence: `Dead because ${delivery.crashCount} workers ended while they were sending it.`,
      }
    case 'gone':
      return { code: 'gone', sentence: `Dead because its endpoint was deleted ${time(delivery.updatedAt)}.` }
    case 'exhausted':
    case null:
      return {
        code: 'exhausted',
        sentence: `Dead after ${delivery.attemptCount} failed ${delivery.attemptCount === 1 ? 'attempt' : 'attempts'}.${lastError(delivery)}`,
      }
  }
}

function whyOpen(input: WhyInput): Why {
  const { delivery, endpoint, health, policy, now } = input
  if (isLeased(delivery, now)) {
    return {
      code: 'in_flight',
      sentence: `Being sent by worker ${delivery.leaseOwner} under a lease until ${time(delivery.leaseUntil)}.`,
    }
  }
  const blocked = endpoint === null ? null : whyBlocked(endpoint, health, now)
  if (blocked !== null) return blocked
  if ((delivery.nextRetryAt ?? 0) > now) return whyNotYet(delivery, policy)
  const reason = input.waits[0]?.reason ?? likelyWait(input)
  return reason === null ? whyNext(input) : whyWaits(input, reason)
}

/** What it waits for according to the store, if no worker has reported it. */
function likelyWait({ endpoint, health, now }: WhyInput): WaitReason | null {
  if (endpoint !== null && (endpoint.ratePerSecond ?? endpoint.applicationRatePerSecond) !== null) return 'rate_limit'
  return health.rampFrom !== null && health.rampFrom <= now ? 'ramp' : null
}

/** A worker's verdict as a sentence. */
function whyWaits(input: WhyInput, reason: WaitReason): Why {
  switch (reason) {
    case 'window':
      return {
        code: 'window_full',
        sentence: 'Due, and waits for one of the requests that are open to its endpoint to end.',
      }
    case 'budget':
      return {
        code: 'over_budget',
        sentence: 'Due, and waits because its endpoint or application holds as many deliveries as it may for now.',
      }
    case 'ramp':
      return {
        code: 'ramping_up',
        sentence: 'Due, and leaves soon: after a hold or pause, deliveries leave in growing steps.',
      }
    case 'rate_limit':
      return { code: 'rate_limited', sentence: `Due, and waits for its turn within ${rateLimits(input.endpoint)}.` }
    case 'allowance':
    // Holds, pauses and disabling are in the store: a worker that reports them has not read the change yet.
    case 'held':
    case 'paused':
    case 'disabled':
    case 'deleted':
      return whyNext(input)
  }
}

function rateLimits(endpoint: WhyInput['endpoint']): string {
  const { ratePerSecond = null, applicationRatePerSecond = null } = endpoint ?? {}
  const own = ratePerSecond === null ? [] : [`the rate limit of ${ratePerSecond} per second`]
  const shared =
    applicationRatePerSecond === null
      ? []
      : [`the rate limit of its application, ${applicationRatePerSecond} per second`]
  return [...own, ...shared].join(' and ') || 'the rate limit'
}

/** It waits for nothing but its turn. */
function whyNext({ delivery, ahead, perTick }: WhyInput): Why {
  if (laneOf(delivery) === 'fresh')
    return { code: 'next_in_line', sentence: 'Due, and leaves as soon as a worker is free to send it.' }
  if (ahead < perTick)
    return {
      code: 'next_tick',
      sentence: `Due, and leaves with the next tick, which takes up to ${perTick} retries of its endpoint.`,
    }
  return {
    code: 'behind_cap',
    sentence: `Due, but ${ahead} retries of its endpoint go first, and a tick takes at most ${perTick} of them.`,
  }
}

/** The engine's own verdict, as far as the store knows the inputs. */
function whyBlocked(endpoint: NonNullable<WhyInput['endpoint']>, health: Health, now: Instant): Why | null {
  const verdict = verdictOf({ status: endpoint.status, health, now, ...unlimited })
  if (verdict.kind !== 'take') return whyHeld(verdict.reason, endpoint, health)
  if (endpoint.unreadable === undefined) return null
  return {
    code: 'secrets_unreadable',
    sentence: `Waiting, and tried again with every tick, because it cannot be signed: ${endpoint.unreadable}`,
  }
}

function whyHeld(reason: WaitReason, endpoint: NonNullable<WhyInput['endpoint']>, health: Health): Why | null {
  switch (reason) {
    case 'paused':
      return { code: 'endpoint_paused', sentence: `On hold because its endpoint is paused${sinceWhen(endpoint)}.` }
    case 'disabled':
      return { code: 'endpoint_disabled', sentence: `On hold because its endpoint is disabled${sinceWhen(endpoint)}.` }
    case 'deleted':
      return { code: 'endpoint_deleted', sentence: 'Its endpoint was deleted; it will end dead.' }
    case 'held':
      return {
        code: 'breaker_open',
        sentence: `On hold because ${holder(health)} until ${time(health.heldUntil)}; this uses up no attempts.`,
      }
    case 'window':
    case 'budget':
    case 'allowance':
    case 'ramp':
    case 'rate_limit':
      return null
  }
}

const unlimited = {
  limits: { breaker: true, heedsEndpoint: true },
  due: { fresh: true, retries: true, suspects: true },
  free: { window: 1, budget: 1, suspects: 1 },
  allowance: { retries: 1, ramp: 1 },
  nextTickAt: null,
}

function sinceWhen({ statusReason, statusSince }: NonNullable<WhyInput['endpoint']>): string {
  const since = ` since ${time(statusSince)}`
  if (statusReason === null) return since
  return statusReason.startsWith('by ') ? ` ${statusReason}${since}` : ` (${statusReason})${since}`
}

function holder({ holds }: Health): string {
  return holds > 0 ? 'the breaker of its endpoint is open' : 'its endpoint asked for a wait'
}

function whyNotYet(delivery: Delivery, policy: Pick<RetryPolicy, 'maxAttempts'>): Why {
  if (delivery.crashCount > 0) {
    return {
      code: 'waiting_after_crash',
      sentence: `Waiting until ${time(delivery.nextRetryAt)} because a worker ended while it was sending it.`,
    }
  }
  if (delivery.attemptCount === 0 && delivery.errorDetail === null)
    return { code: 'scheduled', sentence: `Scheduled for ${time(delivery.nextRetryAt)}.` }
  const retry =
    delivery.attemptCount === 0
      ? 'the first attempt that counts'
      : `retry ${delivery.attemptCount} of ${policy.maxAttempts - 1}`
  return {
    code: 'waiting_for_retry',
    sentence: `Waiting for ${retry} at ${time(delivery.nextRetryAt)}.${lastError(delivery)}`,
  }
}

function lastError({ errorDetail }: Delivery): string {
  return errorDetail === null ? '' : ` The last error was: ${firstLine(errorDetail)}`
}

function time(at: Instant | null): string {
  return at === null ? 'at an unknown time' : `${isoTime(at).slice(0, 19).replace('T', ' ')} UTC`
}

function firstLine(text: string): string {
  return text.split('\n', 1)[0]?.slice(0, 200) ?? ''
}
