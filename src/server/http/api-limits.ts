import { SharedLimit } from '../../core/limits/shared-limit.ts'
import { mostBodyBytes } from '../../core/message/message.ts'
import type { Instant } from '../../core/time.ts'
import { refusal } from '../errors/error-response.ts'
import { makeConcurrencyLimit } from './concurrency-limit.ts'
import type { ConcurrencyLimit } from './concurrency-limit.ts'
import { makeRateLimit } from './rate-limit.ts'
import type { RateLimit } from './rate-limit.ts'

/** The limited resources of the API, and how they are shared. */
export interface ApiLimits {
  /** Requests whose sender is not known yet. */
  readonly unidentified: ConcurrencyLimit
  /** Requests under way, shared among keys. */
  readonly requests: SharedLimit
  /** Bytes of their bodies, shared among keys. */
  readonly bodyBytes: SharedLimit
  /** Calls per second of a key. */
  readonly rate: RateLimit
  /** Messages per second of an application. */
  readonly messageRate: RateLimit
  /** Sign-ins under way, shared among addresses. */
  readonly signIns: SharedLimit
  /** Sign-ins per second of an address. */
  readonly signInRate: RateLimit
}

interface Sizes {
  readonly mostInFlight?: number
  readonly rateLimitPerSecond?: number
  readonly messagesPerSecondPerApplication?: number
}

const mostBytes = 128 * mostBodyBytes
const mostSignIns = 100
const signInsPerSecond = 20

export function makeApiLimits(sizes: Sizes, now: () => Instant): ApiLimits {
  const { mostInFlight = 1_000, rateLimitPerSecond = 500, messagesPerSecondPerApplication = 500 } = sizes
  return {
    unidentified: makeConcurrencyLimit(mostInFlight),
    requests: new SharedLimit(mostInFlight),
    bodyBytes: new SharedLimit(mostBytes),
    rate: makeRateLimit(rateLimitPerSecond, now),
    messageRate: makeRateLimit(messagesPerSecondPerApplication, now, {
      code: 'quota_exceeded',
      sentence: (perSecond) =>
        `This application may get ${perSecond} messages per second (POSTHORN_MESSAGES_PER_SECOND_PER_APPLICATION). Repeat the request later.`,
    }),
    signIns: new SharedLimit(mostSignIns),
    signInRate: makeRateLimit(signInsPerSecond, now, {
      code: 'rate_limited',
      sentence: (perSecond) => `Your address may sign in ${perSecond} times per second. Try again later.`,
    }),
  }
}

/** What one request holds of the limits until it is answered: of each limit for one holder. */
export class Holding {
  readonly #taken = new Map<SharedLimit, { readonly holder: string; readonly amount: number }>()

  /** Takes a part of a limit: null, or the response that refuses the request. */
  take(limit: SharedLimit, holder: string, amount: number, what: string): Response | null {
    if (!limit.take(holder, amount)) return refused(limit.heldBy(holder), what)
    this.#taken.set(limit, { holder, amount: (this.#taken.get(limit)?.amount ?? 0) + amount })
    return null
  }

  release(): void {
    for (const [limit, { holder, amount }] of this.#taken) limit.release(holder, amount)
    this.#taken.clear()
  }
}

/** A holder that already has something is over its share; one that has nothing finds that others hold it all. */
function refused(held: number, what: string): Response {
  const later = { 'retry-after': '1' }
  if (held === 0) return refusal(503, 'overloaded', `Too many ${what} are under way. Repeat this one later.`, later)
  const detail = `This caller has ${held} ${what} under way, and may have no more than are still free for others. Wait for answers first.`
  return refusal(429, 'share_exceeded', detail, later)
}
