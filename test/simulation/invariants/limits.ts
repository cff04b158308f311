import type { Call, Life } from '../world/history.ts'
import type { World } from '../world/world.ts'
import { secondsAt } from './invariant.ts'
import type { Finding, Invariant } from './invariant.ts'
import { paceOf, seen, wasDisturbed } from './seen.ts'

/** How much an endpoint gets at once. */
export const limitInvariants: readonly Invariant[] = [
  { name: 'no worker has more requests open to an endpoint than its pool', check: poolOfOne },
  { name: 'whoever joins takes its share of a pool after the others know of it', check: poolOfAll },
  { name: 'an endpoint gets no more in a second than its rate limit, saved up for a second', check: rateLimit },
]

const secondMs = 1_000

function* poolOfOne(world: World): Iterable<Finding> {
  const { pool } = paceOf(world)
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

function* poolOfAll(world: World): Iterable<Finding> {
  const { pool, pollMs } = paceOf(world)
  const workers = [...world.history.lives.values()].filter(({ role }) => role === 'worker')
  for (const calls of seen(world).callsTo.values()) {
    for (const call of calls) {
      const newcomer = world.history.life(call.process)
      const joinedAt = newcomer?.attachedAt ?? null
      if (newcomer === undefined || joinedAt === null || call.at - joinedAt >= pollMs) continue
      const living = workers.filter((life) => isLiving(life, call.at))
      // Shares are rounded up, and whoever joins begins with one request.
      const promised = pool + living.length
      const open = openAt(world, calls, call).length
      const unaware = living.find((life) => life !== newcomer && isUnaware(world, life, joinedAt, call.at))
      if (open <= promised || unaware === undefined) continue
      yield {
        detail: `${call.process} joined at ${secondsAt(world, joinedAt)} and made it ${open} requests to one endpoint at ${secondsAt(world, call.at)}, before ${unaware.process} knew of it; ${promised} are promised`,
      }
      return
    }
  }
}

function isLiving({ attachedAt, endedAt }: Life, at: number): boolean {
  return attachedAt !== null && attachedAt <= at && (endedAt === null || endedAt > at)
}

function isUnaware(world: World, { process, beats, attachedAt }: Life, since: number, at: number): boolean {
  return (
    attachedAt !== null &&
    attachedAt < since &&
    !beats.some((beat) => beat >= since && beat <= at) &&
    !wasDisturbed(world, process, since, at)
  )
}

/** Requests that are open when one begins, itself included; what a process had open ends with it. */
function openAt(world: World, calls: readonly Call[], { at }: Call): Call[] {
  return calls.filter((call) => call.at <= at && endOf(world, call) > at)
}

function endOf(world: World, { endedAt, answeredAt, process }: Call): number {
  return endedAt ?? Math.min(answeredAt, world.history.life(process)?.endedAt ?? answeredAt)
}

function* rateLimit(world: World): Iterable<Finding> {
  for (const receiver of world.receivers) {
    const limit = receiver.plan.ratePerSecond
    if (limit === null) continue
    const calls = (seen(world).callsTo.get(receiver.id) ?? []).filter(
      ({ process, at }) => !wasDisturbed(world, process, at - 15_000, at),
    )
    const burst = calls.find(
      ({ at }) => calls.filter((other) => other.at > at - secondMs && other.at <= at).length > 2 * limit + 1,
    )
    if (burst !== undefined)
      yield {
        detail: `endpoint e${receiver.plan.id} got more than ${2 * limit} requests in the second before ${secondsAt(world, burst.at)}`,
      }
  }
}
