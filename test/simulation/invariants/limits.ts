import type { Call, Life } from '../world/history.ts'
import type { World } from '../world/world.ts'
import { secondsAt } from './invariant.ts'
import type { Finding, Invariant } from './invariant.ts'
import { endOf, limitsOf, seen, wasDisturbed } from './seen.ts'

/** How much an endpoint gets at once. */
export const limitInvariants: readonly Invariant[] = [
  { name: 'no worker has more requests open to an endpoint than its pool', check: poolOfOne },
  {
    name: 'all workers together have no more requests open to an endpoint than its pool, but for the rounding',
    check: poolOfAll,
  },
  {
    name: 'an endpoint, and an application, gets no more in a second than its rate limit, saved up for a second',
    check: rateLimit,
  },
]

const secondMs = 1_000
/** Whoever could not say for a while that it lives was given up by the others, and still has its requests open. */
const learnsWithinMs = 60_000

function* poolOfOne(world: World): Iterable<Finding> {
  const { pool } = limitsOf(world)
  for (const calls of seen(world).callsTo.values()) {
    for (const call of calls) {
      const own = openAt(world, calls, call).filter(({ process }) => process === call.process).length
      if (own <= pool) continue
      yield {
        detail: `${call.process} had ${own} requests open to one endpoint at ${secondsAt(world, call.at)}; the pool is ${pool}`,
      }
      break
    }
  }
}

/** Shares are rounded up, and whoever joins begins with one request: at most one more for each worker but one. */
function* poolOfAll(world: World): Iterable<Finding> {
  const { pool } = limitsOf(world)
  const workers = [...world.history.lives.values()].filter(({ role }) => role === 'worker')
  for (const calls of seen(world).callsTo.values()) {
    for (const call of calls) {
      const open = openAt(world, calls, call)
      if (open.length <= pool) continue
      const living = workers.filter((life) => isLiving(life, call.at))
      const promised = pool + living.length - 1
      if (
        open.length <= promised ||
        living.some(({ process }) => wasDisturbed(world, process, call.at - learnsWithinMs, call.at))
      )
        continue
      yield {
        detail: `${call.process} made it ${open.length} requests to one endpoint at ${secondsAt(world, call.at)}, where ${living.length} workers share ${pool}; ${promised} are promised`,
      }
      return
    }
  }
}

function isLiving({ attachedAt, endedAt }: Life, at: number): boolean {
  return attachedAt !== null && attachedAt <= at && (endedAt === null || endedAt > at)
}

/** Requests that are open when one begins, itself included; what a process had open ends with it. */
function openAt(world: World, calls: readonly Call[], { at }: Call): Call[] {
  return calls.filter((call) => call.at <= at && endOf(world, call) > at)
}

function* rateLimit(world: World): Iterable<Finding> {
  for (const { plan, id } of world.receivers) {
    if (plan.ratePerSecond !== null) yield* burstOf(world, `endpoint e${plan.id}`, plan.ratePerSecond, [id])
  }
  for (const { application, ratePerSecond } of world.scenario.limited ?? []) {
    // One that was deleted lost its limit, too; whoever is created anew under its name has none.
    if (world.history.erased.has(application)) continue
    const ids = [...world.receivers].filter(({ plan }) => plan.application === application).map(({ id }) => id)
    yield* burstOf(world, `application ${application}`, ratePerSecond, ids)
  }
}

/** How long a token may be on its way, from the bucket to the request: back from the store, then to it and back with a claim. */
const waysOfToken = 3

function* burstOf(world: World, who: string, limit: number, endpointIds: readonly string[]): Iterable<Finding> {
  const all = endpointIds.flatMap((id) => seen(world).callsTo.get(id) ?? [])
  const calls = all.filter(({ process, at }) => !wasDisturbed(world, process, at - 15_000, at))
  const onTheWay = Math.ceil((limit * waysOfToken * world.scenario.store.latencyMs) / secondMs)
  const most = 2 * limit + 1 + onTheWay
  const burst = calls.find(
    ({ at }) => calls.filter((other) => other.at > at - secondMs && other.at <= at).length > most,
  )
  if (burst !== undefined)
    yield { detail: `${who} got more than ${most} requests in the second before ${secondsAt(world, burst.at)}` }
}
