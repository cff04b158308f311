import type { Instant } from '../../../src/core/time.ts'
import { presetNamed } from '../../../src/core/delivery/presets.ts'
import type { Limits } from '../../../src/core/limits/limits.ts'
import type { Call, Disturbance, EndpointChange, History, RowChange } from '../world/history.ts'
import type { EndpointPlan } from '../scenario.ts'
import { policies } from '../world/world.ts'
import type { World } from '../world/world.ts'

/** How long a call of the store may take before its worker knows better, on top of what a promise says. */
export const slackMs = 250
export const leaseMs = 30_000

/** Things that were seen, by what they belong to; made once for each world. */
export interface Seen {
  readonly callsOf: ReadonlyMap<string, readonly Call[]>
  readonly callsTo: ReadonlyMap<string, readonly Call[]>
  readonly rowsOf: ReadonlyMap<string, readonly RowChange[]>
  readonly changesOf: ReadonlyMap<string, readonly EndpointChange[]>
  readonly disturbancesOf: ReadonlyMap<string, readonly Disturbance[]>
}

const known = new WeakMap<History, Seen>()

export function seen({ history }: World): Seen {
  const before = known.get(history)
  if (before !== undefined) return before
  const made = {
    callsOf: grouped(history.calls, ({ deliveryId }) => deliveryId ?? ''),
    callsTo: grouped(history.calls, ({ endpointId }) => endpointId),
    rowsOf: grouped(history.rows, ({ after }) => after.id),
    changesOf: grouped(history.endpoints, ({ after }) => after.id),
    disturbancesOf: grouped(history.disturbances, ({ process }) => process ?? ''),
  }
  known.set(history, made)
  return made
}

/** The numbers that the processes of this world run by. */
export function limitsOf({ scenario: { settings } }: World): Limits {
  const { limits } = presetNamed(settings.preset)
  return {
    ...limits,
    pool: settings.pool ?? limits.pool,
    retriesPerEndpoint: settings.retriesPerEndpoint ?? limits.retriesPerEndpoint,
  }
}

/** Sends that a policy asks for. */
export function maxAttemptsOf(policy: string): number {
  return policy === 'brisk' ? policies.brisk.maxAttempts : presetNamed(policy).policy.maxAttempts
}

/** Whether something was done to a process in a time: from then on it may know less than it should. */
export function wasDisturbed(
  world: World,
  process: string,
  from: Instant,
  to: Instant,
  kinds?: readonly string[],
): boolean {
  const own = seen(world).disturbancesOf.get(process) ?? []
  return own.some((each) => each.from <= to && each.to >= from && (kinds === undefined || kinds.includes(each.kind)))
}

/** True if a rate limit holds for an endpoint: its own, or its application's. */
export function isRateLimited(world: World, plan: EndpointPlan): boolean {
  return plan.ratePerSecond !== null || isApplicationLimited(world, plan)
}

export function isApplicationLimited({ scenario: { limited = [] } }: World, { application }: EndpointPlan): boolean {
  return limited.some((each) => each.application === application)
}

/** When a request was over: what a process had open ends with it. */
export function endOf({ history }: World, { endedAt, answeredAt, process }: Call): Instant {
  return endedAt ?? Math.min(answeredAt, history.life(process)?.endedAt ?? answeredAt)
}

/** What an endpoint was at an instant. */
export function endpointAt(world: World, endpointId: string, at: Instant): EndpointChange | undefined {
  return seen(world)
    .changesOf.get(endpointId)
    ?.findLast((change) => change.at <= at)
}

export function grouped<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>()
  for (const item of items) {
    const key = keyOf(item)
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [item])
    else group.push(item)
  }
  return groups
}
