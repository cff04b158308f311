import type { Diagnostics } from '../../../core/delivery/diagnostics.ts'
import type { DeadReason } from '../../../core/delivery/delivery.ts'
import type { Claim, SettledAttempt } from '../../../core/ports/queue.ts'
import { minute } from '../../../core/time.ts'
import type { Instant } from '../../../core/time.ts'

/** What a mark needs from a claim. */
export type Held = Pick<Claim, 'delivery'>

export const tookMs = 40
export const sentTo = 'https://example.com/where-it-went'

/** The diagnostics of every failed attempt here. */
export const diagnostics: Diagnostics = {
  timing: { dnsMs: 1, connectMs: 2, tlsMs: null, firstByteMs: 36, totalMs: 40, reused: false },
  address: '192.0.2.7',
  requestHeaders: { headers: { 'content-type': 'application/json' }, sensitive: ['x-tenant'] },
  responseHeaders: { headers: { server: 'caf\u00e9 \u{1f600} "\\' }, sensitive: ['set-cookie'] },
  omittedHeaders: 1,
}

/** The attempt of a claim got a 200. */
export function delivered(claim: Held, at: Instant): SettledAttempt {
  return settled(claim, at, 200, { status: 'delivered', nextRetryAt: null, errorDetail: null })
}

/** The attempt of a claim got a 500, and the next is due a minute later. */
export function failed(claim: Held, at: Instant): SettledAttempt {
  return settled(claim, at, 500, { status: 'failed', nextRetryAt: at + minute, errorDetail: 'HTTP 500' })
}

/** Like `failed`, but due at a given time, or at none. */
export function failedUntil(nextRetryAt: Instant | null): (claim: Held, at: Instant) => SettledAttempt {
  return (claim, at) => settled(claim, at, 500, { status: 'failed', nextRetryAt, errorDetail: 'HTTP 500' })
}

/** The attempt of a claim got a 500, and was the last. */
export function dead(claim: Held, at: Instant): SettledAttempt {
  return deadAs('exhausted')(claim, at)
}

export function deadAs(reason: DeadReason): (claim: Held, at: Instant) => SettledAttempt {
  return (claim, at) => settled(claim, at, 500, { status: 'dead', reason, nextRetryAt: null, errorDetail: 'HTTP 500' })
}

/** The same end without an attempt. */
export function unsent(settledAttempt: SettledAttempt): SettledAttempt {
  return { ...settledAttempt, attempt: null }
}

/** The same end with another duration. */
export function taking(
  ms: number,
  settle: (claim: Held, at: Instant) => SettledAttempt,
): (claim: Held, at: Instant) => SettledAttempt {
  return (claim, at) => {
    const { attempt, ...rest } = settle(claim, at)
    return { ...rest, attempt: attempt === null ? null : { ...attempt, tookMs: ms } }
  }
}

type Change = Pick<SettledAttempt['mark'], 'status' | 'nextRetryAt' | 'errorDetail'> & { readonly reason?: DeadReason }

function settled({ delivery }: Held, at: Instant, statusCode: number, change: Change): SettledAttempt {
  return {
    deliveryId: delivery.id,
    epoch: delivery.leaseEpoch,
    endpointId: delivery.endpointId,
    mark: { reason: null, attemptCount: delivery.attemptCount + 1, ...change },
    attempt: {
      epoch: delivery.leaseEpoch,
      startedAt: at - tookMs,
      tookMs,
      outcome: 'answered',
      statusCode,
      responseBody: 'ok',
      url: sentTo,
      diagnostics: statusCode === 200 ? null : diagnostics,
    },
  }
}
