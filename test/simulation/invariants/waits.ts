import { askedToWaitMs, succeeded } from '../../../src/core/delivery/attempt.ts'
import { isOpen } from '../../../src/core/delivery/delivery.ts'
import type { Instant } from '../../../src/core/time.ts'
import type { Call, HealthChange } from '../world/history.ts'
import { addressOf } from '../world/receivers.ts'
import type { World } from '../world/world.ts'
import { secondsAt } from './invariant.ts'
import type { Finding, Invariant } from './invariant.ts'
import { endpointAt, grouped, limitsOf, seen, slackMs, wasDisturbed } from './seen.ts'

/** What an endpoint asked for, and how it is treated after a hold. */
export const waitInvariants: readonly Invariant[] = [
  { name: 'no request begins inside a wait that the endpoint asked for', check: askedWaits },
  { name: 'an endpoint is disabled by what its own URL answered', check: disabledByItself },
  { name: 'no request begins over a second after its endpoint was closed or moved', check: closedEndpoints },
  { name: 'what a hold has kept back returns in a ramp', check: ramp },
]

const learnsWithinMs = 1_000
const longestAskedMs = 15 * 60_000

function* askedWaits(world: World): Iterable<Finding> {
  if (!limitsOf(world).heedsEndpoint) return
  const healthOf = grouped(world.history.health, ({ endpointId }) => endpointId)
  for (const [endpointId, calls] of seen(world).callsTo) {
    for (const call of calls) {
      const wait = storedWait(world, call, healthOf.get(endpointId) ?? [])
      if (wait === null) continue
      const early = calls.find(
        ({ at, process }) => at > wait.from && at < wait.until && !wasDisturbed(world, process, at - 15_000, at),
      )
      if (early === undefined) continue
      const who = early.process === call.process ? 'by the worker that was asked' : 'by another worker'
      yield {
        kind: who,
        detail: `${call.process} was asked at ${secondsAt(world, call.endedAt ?? 0)} to wait until ${secondsAt(world, wait.until)}; ${early.process} sent at ${secondsAt(world, early.at)}`,
      }
    }
  }
}

/** From when until when nothing may begin, because an answer asked for it and the store knows; null if nobody did. */
function storedWait(
  world: World,
  call: Call,
  healths: readonly HealthChange[],
): { readonly from: Instant; readonly until: Instant } | null {
  const askedMs = call.outcome === null ? null : askedToWaitMs(call.outcome)
  if (askedMs === null || call.endedAt === null) return null
  const until = call.endedAt + Math.min(askedMs, longestAskedMs) - learnsWithinMs
  const stored = healths.find(({ at, after }) => at >= (call.endedAt ?? 0) && (after.heldUntil ?? 0) >= until)
  if (stored === undefined || revisionAt(world, call.endpointId, stored.at) !== call.revision) return null
  // A person, or a new URL, begins anew.
  const renewed = seen(world)
    .changesOf.get(call.endpointId)
    ?.find(({ at }) => at >= call.at)
  return { from: stored.at + learnsWithinMs + slackMs, until: Math.min(until, renewed?.at ?? Number.POSITIVE_INFINITY) }
}

function* disabledByItself(world: World): Iterable<Finding> {
  for (const { at, process, before, after } of world.history.endpoints) {
    if (after.status !== 'disabled' || before?.status === 'disabled' || process.startsWith('operator')) continue
    const { revision } = addressOf(before?.url ?? '')
    const said410 = seen(world)
      .callsTo.get(after.id)
      ?.some(
        (call) =>
          call.revision === revision &&
          (call.endedAt ?? Number.POSITIVE_INFINITY) <= at &&
          'statusCode' in call.answered &&
          call.answered.statusCode === 410,
      )
    if (said410 !== true)
      yield {
        detail: `${process} disabled endpoint ${after.id} at ${secondsAt(world, at)}, whose URL has not answered 410`,
      }
  }
}

function* closedEndpoints(world: World): Iterable<Finding> {
  for (const { at, process, endpointId, revision } of world.history.calls) {
    const then = endpointAt(world, endpointId, at - learnsWithinMs - slackMs)
    const now = endpointAt(world, endpointId, at)
    if (then === undefined || then !== now || wasDisturbed(world, process, at - 15_000, at)) continue
    if (then.after.status !== 'active')
      yield {
        kind: then.after.status,
        detail: `${process} sent to endpoint ${endpointId} at ${secondsAt(world, at)}, which is ${then.after.status} since ${secondsAt(world, then.at)}`,
      }
    else if (addressOf(then.after.url).revision !== revision)
      yield {
        kind: 'moved',
        detail: `${process} sent to an old URL of endpoint ${endpointId} at ${secondsAt(world, at)}`,
      }
  }
}

/** After a hold, no more sends in any tick-long window than two ticks' allowances, which double from tick to tick, all workers together. */
function* ramp(world: World): Iterable<Finding> {
  const { pollMs, retriesPerEndpoint, heedsEndpoint } = limitsOf(world)
  if (!heedsEndpoint) return
  const workers = world.scenario.processes.length
  for (const [endpointId, calls] of seen(world).callsTo) {
    const ends = holdEnds(world, endpointId)
    for (const [index, endedAt] of ends.entries()) {
      const backlog = backlogAt(world, endpointId, endedAt)
      if (backlog.size > 2 * retriesPerEndpoint) world.history.reach('hold ended with backlog')
      const after = calls.filter(({ at }) => at > endedAt && at < (ends[index + 1] ?? Number.POSITIVE_INFINITY))
      for (const [position, { at, deliveryId }] of after.entries()) {
        const ticks = Math.floor((at - endedAt) / pollMs)
        const sent = after.slice(0, position + 1).filter((call) => call.at > at - pollMs)
        // Each worker takes one, however small the step. One that is started again within the tick is another, and knows nothing of the first.
        const senders = Math.max(workers, new Set(sent.map(({ process }) => process)).size)
        const allowed = 2 * retriesPerEndpoint * 2 ** ticks + senders
        backlog.delete(deliveryId ?? '')
        if (backlog.size === 0) break
        if (sent.length <= allowed) continue
        yield {
          detail: `endpoint ${endpointId} got ${sent.length} requests in the tick before ${secondsAt(world, at)}, ${ticks} ticks after a hold; ${allowed} are allowed`,
        }
        return
      }
    }
  }
}

/**
 * When holds and pauses of an endpoint ended. A hold that a probe has ended is over when its worker hears the answer, though the store may
 * learn of it later.
 */
export function holdEnds(world: World, endpointId: string): Instant[] {
  const ends: Instant[] = []
  const calls = seen(world).callsTo.get(endpointId) ?? []
  const healths = world.history.health.filter((change) => change.endpointId === endpointId)
  for (const [index, { at, after }] of healths.entries()) {
    const next = healths[index + 1]
    if (after.heldUntil === null) continue
    const storedAt = Math.min(after.heldUntil, next?.at ?? after.heldUntil)
    const endsAt = next?.after.heldUntil === null ? (probedAt(calls, at, storedAt) ?? storedAt) : storedAt
    // One that was prolonged, or is being probed, has not ended.
    if (next === undefined || next.after.heldUntil === null || next.at > after.heldUntil) ends.push(endsAt)
  }
  for (const { at, before, after } of seen(world).changesOf.get(endpointId) ?? [])
    if (before !== null && before.status === 'paused' && after.status === 'active') ends.push(at)
  return ends.toSorted((one, other) => one - other)
}

/** When a request that began in a hold was heard to succeed. */
function probedAt(calls: readonly Call[], from: Instant, to: Instant): Instant | undefined {
  return (
    calls.find(
      ({ at, endedAt, outcome }) =>
        at >= from && endedAt !== null && endedAt <= to && outcome !== null && succeeded(outcome),
    )?.endedAt ?? undefined
  )
}

/** What was due and open at an instant. */
export function backlogAt(world: World, endpointId: string, at: Instant): Set<string> {
  const backlog = new Set<string>()
  for (const [id, changes] of seen(world).rowsOf) {
    const then = changes.findLast((change) => change.at <= at)?.after
    if (then !== undefined && then.endpointId === endpointId && isOpen(then) && (then.nextRetryAt ?? 0) <= at)
      backlog.add(id)
  }
  return backlog
}

function revisionAt(world: World, endpointId: string, at: Instant): number {
  return addressOf(endpointAt(world, endpointId, at)?.after.url ?? '').revision
}
