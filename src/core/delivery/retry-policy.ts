import { expected, PosthornError } from '../errors.ts'
import { day, second } from '../time.ts'
import type { Random } from '../time.ts'

/** When a failed delivery is retried, and when it becomes a dead letter. */
export interface RetryPolicy {
  readonly name: string
  readonly delays: RetryDelays
  /** 0 for none; 0.2 spreads every delay over ±20 %. */
  readonly jitterShare: number
  /** Sends in total, the first one included. */
  readonly maxAttempts: number
}

export type RetryDelays =
  | { readonly kind: 'list'; readonly delaysMs: readonly number[] }
  | { readonly kind: 'exponential'; readonly baseMs: number; readonly capMs: number | null }

/** Retries closer together than this turn a customer's trouble into an outage (docs/spec.md, RR-3.4). */
export const safeDelayMs = 30 * second
const floorMs = 1 * second
const longestDelayMs = 30 * day

/** The delay after the given number of failures, counted from 1. */
export function delayAfter(policy: RetryPolicy, failures: number, random: Random): number {
  const delay = plannedDelay(policy, failures)
  if (policy.jitterShare === 0) return delay
  const jitter = delay * policy.jitterShare * (2 * random() - 1)
  return Math.max(Math.round(delay + jitter), floorMs)
}

/** The delays of a policy without jitter, in order, for people. */
export function plannedDelays(policy: RetryPolicy): number[] {
  return Array.from({ length: policy.maxAttempts - 1 }, (_, index) => plannedDelay(policy, index + 1))
}

/** Refuses a policy that cannot work, or that would hammer the customer; only `allowUnsafe` overrides it. */
export function checkPolicy(policy: RetryPolicy, allowUnsafe: boolean): void {
  const { name, delays, jitterShare, maxAttempts } = policy
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1 || maxAttempts > 100) {
    throw expected(
      'invalid_argument',
      `policies.${name}.maxAttempts`,
      'a whole number of sends from 1 to 100',
      maxAttempts,
    )
  }
  if (!Number.isFinite(jitterShare) || jitterShare < 0 || jitterShare > 0.5) {
    throw expected('invalid_argument', `policies.${name}.jitterShare`, 'a share from 0 to 0.5', jitterShare)
  }
  for (const delay of listedDelays(delays)) checkDelay(name, delay, allowUnsafe)
  if (delays.kind === 'list' && delays.delaysMs.length < maxAttempts - 1) {
    throw expected(
      'invalid_argument',
      `policies.${name}.delaysMs`,
      `a list of at least ${maxAttempts - 1} delays for ${maxAttempts} sends`,
      delays.delaysMs,
      'Add delays or lower maxAttempts.',
    )
  }
}

function plannedDelay({ delays }: RetryPolicy, failures: number): number {
  switch (delays.kind) {
    case 'list': {
      // If the list was shortened while rows were in flight, they keep the longest delay.
      return delays.delaysMs[Math.min(failures, delays.delaysMs.length) - 1] ?? safeDelayMs
    }
    case 'exponential':
      // Without a bound, a high count would lead to a time that no date can represent.
      return Math.min(delays.baseMs * 2 ** (failures - 1), delays.capMs ?? longestDelayMs)
  }
}

function listedDelays(delays: RetryDelays): readonly number[] {
  switch (delays.kind) {
    case 'list':
      return delays.delaysMs
    case 'exponential':
      return delays.capMs === null ? [delays.baseMs] : [delays.baseMs, delays.capMs]
  }
}

function checkDelay(policy: string, delayMs: number, allowUnsafe: boolean): void {
  if (!Number.isInteger(delayMs) || delayMs <= 0 || delayMs > longestDelayMs) {
    throw expected(
      'invalid_argument',
      `policies.${policy}`,
      'made of whole milliseconds between 1 and 30 days',
      delayMs,
    )
  }
  if (delayMs >= safeDelayMs || allowUnsafe) return
  throw new PosthornError(
    'unsafe_retry_delay',
    `Retry policy "${policy}" has a delay of ${delayMs / second}s, which is dangerously low: retry delays under ` +
      `${safeDelayMs / second}s risk overwhelming customer endpoints. See docs/architecture.md for the retry contract. ` +
      'Raise the delay, or set POSTHORN_ALLOW_UNSAFE_RETRY_DELAYS=1 (option allowUnsafeRetryDelays) if this is a test.',
  )
}
