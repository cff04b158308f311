import { second } from './time.ts'
import type { Instant } from './time.ts'

/** A rate limit's tokens: they refill steadily, and one second's worth is the most there can be. */
export interface TokenBucket {
  readonly tokens: number
  readonly at: Instant
}

/** What a limit that was never used holds: nothing was taken from it, so a second's worth is there. */
export const fullBucket: TokenBucket = { tokens: 0, at: 0 }

/** Takes up to `most` whole tokens; a negative `most` is not asked for. */
export function takeTokens(bucket: TokenBucket, perSecond: number, most: number, now: Instant): { taken: number; bucket: TokenBucket } {
  const capacity = Math.max(perSecond, 1)
  const refilled = (Math.max(now - bucket.at, 0) / second) * perSecond
  const tokens = Math.min(bucket.tokens + refilled, capacity)
  const taken = Math.min(Math.floor(tokens), most)
  // Workers' clocks differ a little: the moment between them must not refill twice. A clock set far back starts anew.
  const at = now > bucket.at - second ? Math.max(now, bucket.at) : now
  return { taken, bucket: { tokens: tokens - taken, at } }
}

/** How long until the next token is there, at most a second. */
export function nextTokenMs(perSecond: number): number {
  return Math.ceil(second / Math.max(perSecond, 1))
}
