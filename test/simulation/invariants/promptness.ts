import { isOpen, laneOf } from '../../../src/core/delivery/delivery.ts'
import type { Instant } from '../../../src/core/time.ts'
import type { Life, RowChange } from '../world/history.ts'
import type { World } from '../world/world.ts'
import { secondsAt } from './invariant.ts'
import type { Finding, Invariant } from './invariant.ts'
import { endOf, grouped, isApplicationLimited, leaseMs, limitsOf, seen } from './seen.ts'

/** What is due, and nothing holds, leaves. */
export const promptnessInvariants: readonly Invariant[] = [
  { name: 'an endpoint that nothing holds gets what is due within two polls', check: withinTwoPolls },
]

/** A cycle is some calls of the store, and the next is counted from its end. */
const cycleMs = 2_000
/** So long it waits for an answer that was cut off. */
const givesUpMs = 10_000
const forEver = Number.POSITIVE_INFINITY

/** A time in which there is a reason to wait; one without length still begins the count anew. */
interface Excuse {
  readonly from: Instant
  readonly to: Instant
}

/** A row that is due and in nobody's hands. */
interface Waiting extends Excuse {
  readonly isSuspect: boolean
}

/**
 * Whatever the limits of an endpoint: each lets one request begin in each poll. So two polls without any are too many if there is a worker in
 * order. What the rows of others may use up is left out: the cap of a cycle, and the rate limit of an application.
 */
function* withinTwoPolls(world: World): Iterable<Finding> {
  const { pollMs, perCycle } = limitsOf(world)
  if (perCycle !== null) return
  const judged = new Set(
    [...world.receivers].filter(({ plan }) => !isApplicationLimited(world, plan)).map(({ id }) => id),
  )
  const longestMs = 2 * pollMs + cycleMs
  const workers = [...world.history.lives.values()].filter(
    ({ role, attachedAt }) => role === 'worker' && attachedAt !== null,
  )
  const rowsTo = grouped([...seen(world).rowsOf.values()], ([first]) => first?.after.endpointId ?? '')
  for (const [endpointId, rows] of rowsTo) {
    const waiting = rows
      .flatMap((changes) => waitingOf(changes, world.scheduler.now))
      .filter(({ from, to }) => to - from > longestMs)
    if (waiting.length === 0 || !judged.has(endpointId)) continue
    const ofEndpoint = excusesOf(world, endpointId)
    for (const row of waiting) {
      const idle = workers
        .map((life) => ({ life, gap: gapIn(row, [...ofEndpoint, ...excusesOfWorker(world, life, row)], longestMs) }))
        .find(({ gap }) => gap !== null)
      if (idle === undefined) continue
      yield {
        kind: row.isSuspect ? 'suspects' : 'others',
        detail: `endpoint ${endpointId} had something due from ${secondsAt(world, row.from)} to ${secondsAt(world, row.to)}, and ${idle.life.process} began nothing from ${secondsAt(world, idle.gap ?? 0)} on`,
      }
      break
    }
  }
}

/** When a row could have been leased, and was not. */
function waitingOf(changes: readonly RowChange[], end: Instant): Waiting[] {
  return changes.flatMap(({ at, after }, index) => {
    if (!isOpen(after) || after.leaseOwner !== null) return []
    return [
      {
        from: Math.max(at, after.nextRetryAt ?? 0),
        to: changes[index + 1]?.at ?? end,
        isSuspect: laneOf(after) === 'suspects',
      },
    ]
  })
}

/** What the endpoint was, what held it, and what was open to it. */
function excusesOf(world: World, endpointId: string): Excuse[] {
  const calls = (seen(world).callsTo.get(endpointId) ?? []).map((call) => ({ from: call.at, to: endOf(world, call) }))
  const changes = seen(world).changesOf.get(endpointId) ?? []
  const closed = changes.map(({ at, after }, index) => ({
    from: at,
    to: after.status === 'active' ? at : (changes[index + 1]?.at ?? forEver),
  }))
  const healths = world.history.health.filter((change) => change.endpointId === endpointId)
  const held = healths.map(({ at, after }, index) => ({
    from: at,
    to: Math.max(at, Math.min(after.heldUntil ?? at, healths[index + 1]?.at ?? forEver)),
  }))
  const { healedAt } = world.history
  return [...calls, ...closed, ...held, { from: healedAt, to: healedAt }]
}

/** Before it had joined, after it had gone, and while something was done to it. Suspects wait until it has outlived a lease. */
function excusesOfWorker(world: World, { process, attachedAt, endedAt }: Life, { isSuspect }: Waiting): Excuse[] {
  const joined = { from: 0, to: (attachedAt ?? forEver) + (isSuspect ? leaseMs : 0) }
  const disturbed = (seen(world).disturbancesOf.get(process) ?? []).map(({ kind, from, to }) => ({
    from,
    to: kind === 'cut' ? to + givesUpMs : to,
  }))
  return [joined, { from: endedAt ?? forEver, to: forEver }, ...disturbed]
}

/** Where a time begins that is too long without an excuse; null if there is none. */
function gapIn({ from, to }: Waiting, excuses: readonly Excuse[], longestMs: number): Instant | null {
  let since = from
  for (const excuse of excuses.toSorted((one, other) => one.from - other.from)) {
    if (excuse.to < since) continue
    if (Math.min(excuse.from, to) - since > longestMs) return since
    since = Math.max(since, excuse.to)
    if (since >= to) return null
  }
  return to - since > longestMs ? since : null
}
