import { succeeded } from '../../../src/core/delivery/attempt.ts'
import { laneOf } from '../../../src/core/delivery/delivery.ts'
import type { Instant } from '../../../src/core/time.ts'
import type { Phase } from '../world/history.ts'
import type { World } from '../world/world.ts'
import { secondsAt } from './invariant.ts'
import type { Finding, Invariant } from './invariant.ts'
import { endpointAt, grouped, isRateLimited, limitsOf, seen } from './seen.ts'
import { backlogAt, holdEnds } from './waits.ts'

export const catchingUpInvariants: readonly Invariant[] = [
  { name: 'a busy endpoint with one failure in a hundred catches up after a hold', check: catchesUp },
]

const fewFail = 0.01
/** The first step and the last are not whole. */
const moreTicks = 1
const roughShare = 0.1
const cycleMs = 2_000
/** So long before, nothing was done to anybody. */
const calmMs = 15_000

/** A time in which an endpoint answers nearly everything, and a hold that ended in it with much left. */
interface Comeback {
  readonly endpointId: string
  readonly from: Instant
  readonly until: Instant
  readonly backlog: readonly string[]
}

function* catchesUp(world: World): Iterable<Finding> {
  const { perCycle, heedsEndpoint } = limitsOf(world)
  if (perCycle !== null || !heedsEndpoint) return
  for (const comeback of comebacksOf(world)) {
    if (isDisturbed(world, comeback)) continue
    world.history.reach('caught up after a hold')
    const left = comeback.backlog.filter((id) => !hasLeft(world, id, comeback))
    if (left.length > 0)
      yield {
        detail: `of ${comeback.backlog.length} deliveries that a hold of endpoint ${comeback.endpointId} had kept back until ${secondsAt(world, comeback.from)}, ${left.length} had not left at ${secondsAt(world, comeback.until)}`,
      }
  }
}

function* comebacksOf(world: World): Iterable<Comeback> {
  const phasesOf = grouped(world.history.phases, ({ endpointId }) => endpointId)
  for (const { id: endpointId, plan } of world.receivers) {
    const phases = phasesOf.get(endpointId) ?? []
    const few = phases.findIndex(({ failsShare }) => failsShare > 0 && failsShare <= fewFail)
    const phase = phases[few]
    if (phase === undefined || isRateLimited(world, plan)) continue
    const endsAt = Math.min(phases[few + 1]?.at ?? world.scheduler.now, world.history.healedAt)
    for (const from of holdEnds(world, endpointId)) yield* comebackAt(world, phase, from, endsAt)
  }
}

/** The steps double from tick to tick; what was attempted before leaves at an even pace. */
function* comebackAt(world: World, { endpointId, at }: Phase, from: Instant, endsAt: Instant): Iterable<Comeback> {
  const { pollMs, retriesPerEndpoint } = limitsOf(world)
  const rows = [...backlogAt(world, endpointId, from)].flatMap(
    (id) =>
      seen(world)
        .rowsOf.get(id)
        ?.findLast((change) => change.at <= from)?.after ?? [],
  )
  const retries = rows.filter((row) => laneOf(row) === 'retries').length
  const ticks =
    Math.ceil(Math.log2(rows.length / retriesPerEndpoint + 1)) + Math.ceil(retries / retriesPerEndpoint) + moreTicks
  const until = from + (ticks + roughTicks(world, endpointId, from, ticks)) * pollMs + cycleMs
  const isBusy = rows.length > retriesPerEndpoint && rows.every((row) => laneOf(row) !== 'suspects')
  if (isBusy && at <= from && until <= endsAt) yield { endpointId, from, until, backlog: rows.map(({ id }) => id) }
}

/** Ticks in which so many failed that the step is repeated. */
function roughTicks(world: World, endpointId: string, from: Instant, ticks: number): number {
  const { pollMs } = limitsOf(world)
  const calls = seen(world).callsTo.get(endpointId) ?? []
  return Array.from({ length: ticks + 1 }, (_, tick) =>
    calls.filter(({ at }) => at >= from + tick * pollMs && at < from + (tick + 1) * pollMs),
  ).filter((begun) => begun.filter(({ answered }) => !succeeded(answered)).length > roughShare * begun.length).length
}

/** Something else than the ramp had a part in it. */
function isDisturbed(world: World, { endpointId, from, until }: Comeback): boolean {
  const { history } = world
  // Nothing leaves for one that is paused or disabled, hold or not.
  if (endpointAt(world, endpointId, from)?.after.status !== 'active') return true
  const within = (at: Instant | null): boolean => at !== null && at > from && at <= until
  const isHeldAgain = history.health.some(
    ({ endpointId: id, at, after }) => id === endpointId && within(at) && (after.heldUntil ?? 0) > at,
  )
  const isChanged = history.endpoints.some(({ at, after }) => after.id === endpointId && within(at))
  const isFaulty = history.disturbances.some((each) => each.from <= until && each.to >= from - calmMs)
  const isJoined = [...history.lives.values()].some(({ attachedAt, endedAt }) => within(attachedAt) || within(endedAt))
  const isManned = [...history.lives.values()].some(
    ({ role, attachedAt, endedAt }) =>
      role === 'worker' && attachedAt !== null && attachedAt <= from && (endedAt === null || endedAt > until),
  )
  return isHeldAgain || isChanged || isFaulty || isJoined || !isManned
}

function hasLeft(world: World, id: string, { from, until }: Comeback): boolean {
  return (seen(world).rowsOf.get(id) ?? []).some(({ at }) => at > from && at <= until)
}
