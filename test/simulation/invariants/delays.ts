import { laneOf } from '../../../src/core/delivery/delivery.ts'
import type { Instant } from '../../../src/core/time.ts'
import type { Life, Phase } from '../world/history.ts'
import { addressOf } from '../world/receivers.ts'
import type { World } from '../world/world.ts'
import { secondsAt } from './invariant.ts'
import type { Finding, Invariant } from './invariant.ts'
import { grouped, isRateLimited, limitsOf, seen } from './seen.ts'

/** How long things may take. */
export const delayInvariants: readonly Invariant[] = [
  { name: 'every send ends within ten seconds', check: sendsEnd },
  { name: 'what is due at an endpoint in order does not wait for others', check: promptly },
  { name: 'every stop ends', check: stopsEnd },
]

const sendMs = 11_000
/** Lease and poll, and some seconds for a burst. */
const promptMs = 45_000
/** What was interrupted twice waits until its process has lived for a lease. */
const suspectMs = 75_000
/** After trouble of its own, an endpoint is given its backlog in a ramp. */
const rampMs = 75_000

function* sendsEnd(world: World): Iterable<Finding> {
  for (const { at, endedAt, process, body, tx } of world.history.sends) {
    const life = world.history.life(process)
    const isOver = endedAt === null && life !== undefined && life.endedAt !== null
    if (tx !== null || isOver) continue
    const tookMs = (endedAt ?? world.scheduler.now) - at - pausedMs(world, process, at, endedAt ?? world.scheduler.now)
    if (tookMs > sendMs) yield { detail: `the send of ${body} at ${secondsAt(world, at)} took ${tookMs} ms` }
  }
}

function pausedMs(world: World, process: string, from: Instant, to: Instant): number {
  const pauses = (seen(world).disturbancesOf.get(process) ?? []).filter(({ kind }) => kind === 'pause')
  return pauses.reduce((sum, pause) => sum + Math.max(0, Math.min(pause.to, to) - Math.max(pause.from, from)), 0)
}

function* stopsEnd(world: World): Iterable<Finding> {
  for (const { process, endedAt } of world.history.lives.values()) {
    if (endedAt === null) yield { detail: `${process} was told to stop, and has not ended` }
  }
}

/** A wait of one delivery: from when it could have left until it did. */
interface Wait {
  readonly from: Instant
  readonly to: Instant
  readonly interruptions: number
}

/** Only what is fresh is judged: retries have an allowance of their own. */
function* promptly(world: World): Iterable<Finding> {
  if (limitsOf(world).perCycle !== null) return
  const phasesOf = grouped(world.history.phases, ({ endpointId }) => endpointId)
  for (const [deliveryId, changes] of seen(world).rowsOf) {
    const first = changes[0]
    if (first === undefined || first.method === 'addDelivery') continue
    const { endpointId } = first.after
    for (const wait of waitsOf(world, deliveryId)) {
      const phase = phasesOf.get(endpointId)?.findLast(({ at }) => at <= wait.to)
      if (phase === undefined || !phase.isInOrder || wait.interruptions > 2) continue
      const since = couldLeaveAt(world, phase, wait)
      const allowedMs = since.allowedMs + (wait.interruptions > 0 ? suspectMs : promptMs)
      if (wait.to - since.at <= allowedMs) continue
      yield {
        kind: since.kind,
        detail: `delivery ${deliveryId} could have left at ${secondsAt(world, since.at)} to an endpoint in order and waited until ${secondsAt(world, wait.to)}`,
      }
      break
    }
  }
}

/** From when nothing was wrong any more that could excuse the wait. */
function couldLeaveAt(
  world: World,
  phase: Phase,
  wait: Wait,
): { readonly at: Instant; readonly allowedMs: number; readonly kind: string } {
  const { history, scenario } = world
  const receiver = [...world.receivers].find(({ id }) => id === phase.endpointId)
  const changes = (seen(world).changesOf.get(phase.endpointId) ?? []).filter(({ at }) => at <= wait.to)
  const current = changes.at(-1)
  const movedAt = changes.findLast(({ before, after }) => before !== null && before.url !== after.url)?.at ?? null
  if (
    current === undefined ||
    current.after.status !== 'active' ||
    receiver === undefined ||
    isRateLimited(world, receiver.plan) ||
    addressOf(current.after.url).revision !== phase.revision
  ) {
    return { at: wait.to, allowedMs: 0, kind: '' }
  }
  const disturbed = history.disturbances
    .filter(({ from }) => from <= wait.to)
    .reduce((latest, { to }) => Math.max(latest, to), 0)
  const healed = history.healedAt <= wait.to ? history.healedAt : 0
  const joined = [...history.lives.values()].reduce(
    (latest, { attachedAt }) => (attachedAt !== null && attachedAt <= wait.to ? Math.max(latest, attachedAt) : latest),
    0,
  )
  const at = Math.max(wait.from, phase.at, current.at, disturbed, healed, joined)
  if (![...history.lives.values()].some((life) => livedThrough(life, at, wait.to)))
    return { at: wait.to, allowedMs: 0, kind: '' }
  // A new URL begins without the past of the old one; at the same URL a hold may still last.
  const isNew =
    movedAt !== null &&
    phase.at <= movedAt &&
    history.phases.every(
      (each) => each.endpointId !== phase.endpointId || each.revision !== phase.revision || each.isInOrder,
    )
  if (isNew) return { at, allowedMs: rampMs, kind: 'after a move' }
  const troubled =
    history.phases.some((each) => each.endpointId === phase.endpointId && !each.isInOrder) ||
    changes.some(({ before }) => before !== null)
  if (!troubled) return { at, allowedMs: 0, kind: scenario.store.kind }
  const held = history.health
    .filter((change) => change.endpointId === phase.endpointId && change.at <= wait.to)
    .reduce((latest, { after }) => Math.max(latest, after.heldUntil ?? 0), 0)
  return { at: Math.max(at, Math.min(held, wait.to)), allowedMs: rampMs, kind: scenario.store.kind }
}

/** A worker that was there all the time. */
function livedThrough({ role, attachedAt, endedAt }: Life, from: Instant, to: Instant): boolean {
  return role === 'worker' && attachedAt !== null && attachedAt <= from && (endedAt === null || endedAt >= to)
}

/** Between two requests for one delivery that was due all the time, and before the first of them. */
function waitsOf(world: World, deliveryId: string): Wait[] {
  const changes = seen(world).rowsOf.get(deliveryId) ?? []
  const calls = seen(world).callsOf.get(deliveryId) ?? []
  const stored = changes[0]
  const closed = changes.find(({ after }) => laneOf(after) !== 'fresh')?.at ?? world.scheduler.now
  if (stored === undefined) return []
  const waits: Wait[] = []
  let from = Math.max(stored.at, stored.after.nextRetryAt ?? 0)
  for (const call of calls) {
    if (call.at > closed) break
    waits.push({ from, to: call.at, interruptions: takeovers(world, deliveryId, call.at) })
    if (call.endedAt !== null) return waits
    from = world.history.life(call.process)?.endedAt ?? call.at
  }
  waits.push({ from, to: Math.max(closed, from), interruptions: takeovers(world, deliveryId, closed) })
  return waits
}

/** How often its lease had run out by then. */
function takeovers(world: World, deliveryId: string, until: Instant): number {
  return (seen(world).rowsOf.get(deliveryId) ?? []).filter(
    ({ at, method, before }) => at <= until && method === 'claim' && before?.leaseOwner !== null,
  ).length
}
