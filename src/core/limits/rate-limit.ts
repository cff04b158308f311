import { second } from '../time.ts'
import type { Instant } from '../time.ts'

/** A rate limit's tokens: they refill steadily, up to one second's worth. */
export interface TokenBucket {
  readonly tokens: number
  readonly at: Instant
}

/** A limit that was never used starts full. */
export const fullBucket: TokenBucket = { tokens: 0, at: 0 }

/** Takes up to `most` whole tokens; `most` is never negative. */
export function takeTokens(
  bucket: TokenBucket,
  perSecond: number,
  most: number,
  now: Instant,
): { taken: number; bucket: TokenBucket } {
  const capacity = Math.max(perSecond, 1)
  const refilled = (Math.max(now - bucket.at, 0) / second) * perSecond
  const tokens = Math.min(bucket.tokens + refilled, capacity)
  const taken = Math.min(Math.floor(tokens), most)
  // Workers' clocks differ slightly: the difference must not be refilled twice. A clock that was set far back starts over.
  const at = now > bucket.at - second ? Math.max(now, bucket.at) : now
  return { taken, bucket: { tokens: tokens - taken, at } }
}

/** A receiver of tokens: the limits it is under, and how many it can use. */
interface Taker {
  readonly limitIds: readonly string[]
  readonly most: number
}

/** Hands out tokens one by one, in turn, so that nobody takes all of a shared limit; a delivery needs one token of each limit. */
export function dealTokens(
  tokens: ReadonlyMap<string, number>,
  takers: readonly Taker[],
): { dealt: number[]; left: Map<string, number> } {
  const left = new Map(tokens)
  const dealt = takers.map(() => 0)
  for (let isDealing = true; isDealing;) {
    isDealing = false
    for (const [index, { limitIds, most }] of takers.entries()) {
      const count = dealt[index] ?? 0
      if (count >= most || limitIds.some((id) => (left.get(id) ?? 0) < 1)) continue
      for (const id of limitIds) left.set(id, (left.get(id) ?? 0) - 1)
      dealt[index] = count + 1
      isDealing = true
    }
  }
  return { dealt, left }
}

/** The time until the next token, at most a second. */
export function nextTokenMs(perSecond: number): number {
  return Math.ceil(second / Math.max(perSecond, 1))
}
