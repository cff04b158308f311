import { isLeased, isOpen } from '../../../src/core/delivery/delivery.ts'
import type { Situation } from '../world/history.ts'
import type { World } from '../world/world.ts'
import { secondsAt } from './invariant.ts'
import type { Finding, Invariant } from './invariant.ts'
import { isRateLimited } from './seen.ts'

/** What people are told. */
export const explanationInvariants: readonly Invariant[] = [
  { name: 'what `why` says is what holds it', check: whyIsTrue },
]

/** Clocks of workers are a little behind the store's. */
const clockSlackMs = 1_000

/** What must hold for each answer. A code that is not listed says nothing that could be checked from outside. */
const facts: Readonly<Record<string, (situation: Situation, world: World) => boolean>> = {
  delivered: ({ delivery }) => delivery.status === 'delivered',
  exhausted: ({ delivery }) => delivery.reason === 'exhausted',
  cancelled: ({ delivery }) => delivery.reason === 'cancelled',
  crashed: ({ delivery }) => delivery.reason === 'crashed',
  gone: ({ delivery }) => delivery.reason === 'gone',
  in_flight: (situation) => isOpen(situation.delivery) && isLeased(situation.delivery, situation.at - clockSlackMs),
  endpoint_paused: ({ endpoint }) => endpoint?.status === 'paused',
  endpoint_disabled: ({ endpoint }) => endpoint?.status === 'disabled',
  endpoint_deleted: ({ endpoint }) => endpoint?.status === 'deleted',
  breaker_open: ({ health, at }) => (health?.heldUntil ?? 0) > at - clockSlackMs,
  waiting_for_retry: ({ delivery, at }) => (delivery.nextRetryAt ?? 0) > at - clockSlackMs,
  scheduled: ({ delivery, at }) => (delivery.nextRetryAt ?? 0) > at - clockSlackMs,
  next_tick: mayLeave,
  next_in_line: mayLeave,
  behind_cap: mayLeave,
  rate_limited: ({ delivery }, world) =>
    [...world.receivers].some(({ id, plan }) => id === delivery.endpointId && isRateLimited(world, plan)),
}

/** It is read in several steps: it may have been true before the first of them, or after the last. */
function* whyIsTrue(world: World): Iterable<Finding> {
  for (const { code, asked, answered } of world.history.explanations) {
    const isTrue = facts[code]
    if (isTrue === undefined || isTrue(asked, world) || isTrue(answered, world)) continue
    // What changed in between could have been true for a moment.
    if (
      asked.delivery !== answered.delivery ||
      asked.endpoint !== answered.endpoint ||
      asked.health !== answered.health
    )
      continue
    yield {
      kind: code,
      detail: `of delivery ${asked.delivery.id} it was said at ${secondsAt(world, answered.at)}: ${code}; it is ${answered.delivery.status}, its endpoint ${answered.endpoint?.status ?? 'gone'}`,
    }
  }
}

function mayLeave({ delivery, endpoint, health, at }: Situation): boolean {
  return (
    isOpen(delivery) &&
    endpoint?.status === 'active' &&
    (health?.heldUntil ?? 0) <= at + clockSlackMs &&
    (delivery.nextRetryAt ?? 0) <= at + clockSlackMs
  )
}
