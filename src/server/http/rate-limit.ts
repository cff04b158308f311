import { Lru } from '../../core/lru.ts'
import type { Instant } from '../../core/time.ts'
import { refusal } from '../errors/error-response.ts'

/** Allows each caller a number of calls per second, and as many at once after a second without any. */
export interface RateLimit {
  /** Null if the call is allowed, otherwise the response that refuses it. */
  check(caller: string): Response | null
}

/** The wording of a refusal. */
interface Refusal {
  readonly code: string
  readonly sentence: (perSecond: number) => string
}

const perKey: Refusal = {
  code: 'rate_limited',
  sentence: (perSecond) => `This key may call ${perSecond} times per second. Repeat the request later.`,
}

// Evicted callers start with a full bucket, so the bound affects nothing but memory.
const mostBuckets = 10_000

export function makeRateLimit(perSecond: number, now: () => Instant, refusing: Refusal = perKey): RateLimit {
  const buckets = new Lru<string, { tokens: number; at: Instant }>(mostBuckets)

  function bucketOf(caller: string, at: Instant): { tokens: number; at: Instant } {
    const known = buckets.get(caller)
    if (known !== undefined) return known
    const bucket = { tokens: perSecond, at }
    buckets.set(caller, bucket)
    return bucket
  }

  return {
    check(caller) {
      if (perSecond === 0) return null
      const at = now()
      const bucket = bucketOf(caller, at)
      // A clock that was set back adds and removes nothing.
      bucket.tokens = Math.min(perSecond, bucket.tokens + (Math.max(0, at - bucket.at) / 1_000) * perSecond)
      bucket.at = at
      if (bucket.tokens < 1) {
        const afterSeconds = Math.ceil((1 - bucket.tokens) / perSecond)
        return refusal(429, refusing.code, refusing.sentence(perSecond), { 'retry-after': String(afterSeconds) })
      }
      bucket.tokens -= 1
      return null
    },
  }
}
