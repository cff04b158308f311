import type { Queue } from '../../../core/ports/queue.ts'
import { fullBucket, takeTokens } from '../../../core/limits/rate-limit.ts'
import type { State } from '../state.ts'

/** The tokens of rate limits. */
export function memoryRateLimits(state: State): Pick<Queue, 'takeTokens' | 'returnTokens'> {
  return {
    takeTokens: async ({ now, asks }) =>
      asks.map(({ id, perSecond, most }) => {
        const { taken, bucket } = takeTokens(state.rateLimits.get(id) ?? fullBucket, perSecond, most, now)
        state.rateLimits.set(id, bucket)
        return taken
      }),
    returnTokens: async (tokens) => {
      for (const { id, count } of tokens) {
        const bucket = state.rateLimits.get(id)
        if (bucket !== undefined) state.rateLimits.set(id, { ...bucket, tokens: bucket.tokens + count })
      }
    },
  }
}
