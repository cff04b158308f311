import type { Instant } from '../../core/time.ts'
import { refusal } from '../errors/error-response.ts'

/** Allows each key so many calls per second, and as many at once after a second without any. */
export interface RateLimit {
  /** Null if the call is allowed, else the answer that refuses it. */
  check(keyId: string): Response | null
}

// Forgotten keys start with a full bucket, so the bound costs nothing but memory.
const mostBuckets = 10_000

export function makeRateLimit(perSecond: number, now: () => Instant): RateLimit {
  const buckets = new Map<string, { tokens: number; at: Instant }>()

  function bucketOf(keyId: string, at: Instant): { tokens: number; at: Instant } {
    const known = buckets.get(keyId)
    if (known !== undefined) return known
    const oldest = buckets.keys().next().value
    if (buckets.size >= mostBuckets && oldest !== undefined) buckets.delete(oldest)
    const bucket = { tokens: perSecond, at }
    buckets.set(keyId, bucket)
    return bucket
  }

  return {
    check(keyId) {
      if (perSecond === 0) return null
      const at = now()
      const bucket = bucketOf(keyId, at)
      // A clock that was set back gives nothing and takes nothing.
      bucket.tokens = Math.min(perSecond, bucket.tokens + (Math.max(0, at - bucket.at) / 1_000) * perSecond)
      bucket.at = at
      if (bucket.tokens < 1) return tooMany(Math.ceil((1 - bucket.tokens) / perSecond), perSecond)
      bucket.tokens -= 1
      return null
    },
  }
}

function tooMany(afterSeconds: number, perSecond: number): Response {
  return refusal(429, 'rate_limited', `This key may call ${perSecond} times per second. Repeat the request later.`, {
    'retry-after': String(afterSeconds),
  })
}
