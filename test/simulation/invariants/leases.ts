import type { Call, RowChange } from '../world/history.ts'
import type { World } from '../world/world.ts'
import { secondsAt } from './invariant.ts'
import type { Finding, Invariant } from './invariant.ts'
import { seen, wasDisturbed } from './seen.ts'

/** Who may send and write what, and when. */
export const leaseInvariants: readonly Invariant[] = [
  { name: 'a request leaves only under a lease that lives', check: underLiveLease },
  { name: 'what is leased leaves at once, or is given back', check: leavesAtOnce },
  { name: 'a lease that lives has one owner', check: oneOwner },
  { name: 'a write under a lease that was lost changes nothing', check: fenced },
  { name: 'what has ended stays as it is, but for a requeue', check: terminal },
]

const lateMs = 1_000
/** A second, and what the store takes to hear of it. */
const leavesWithinMs = 5_000
const byOperators = new Set(['requeue', 'cancel', 'advanceJob', 'eraseMessage'])
const underLease = new Set(['mark', 'renew', 'release', 'start'])

function* underLiveLease(world: World): Iterable<Finding> {
  for (const call of world.history.calls) {
    const at = secondsAt(world, call.at)
    if (call.deliveryId === null) {
      yield { kind: 'never leased', detail: `${call.process} sent message ${call.messageId} at ${at} without a lease` }
      continue
    }
    const leasedUntil = lastLease(world, call)?.after.leaseUntil ?? 0
    if (leasedUntil < call.at - lateMs) {
      yield {
        kind: 'over',
        detail: `${call.process} sent delivery ${call.deliveryId} at ${at}, ${call.at - leasedUntil} ms after its lease was over`,
      }
    } else if (wasTaken(world, call)) {
      yield {
        kind: 'lost',
        detail: `${call.process} sent delivery ${call.deliveryId} at ${at} although its lease of epoch ${call.epoch} was no longer its own`,
      }
    }
  }
}

/** The last write by which the lease of a request was given or prolonged. */
function lastLease(world: World, { deliveryId, epoch, process, at }: Call): RowChange | undefined {
  const owner = world.history.life(process)?.workerId
  return seen(world)
    .rowsOf.get(deliveryId ?? '')
    ?.findLast((change) => change.at <= at && change.after.leaseOwner === owner && change.after.leaseEpoch === epoch)
}

/** An operator may take a row from a worker, who cannot know; nothing else may. */
function wasTaken(world: World, call: Call): boolean {
  const { row, epoch, process, deliveryId } = call
  if (row?.leaseOwner === world.history.life(process)?.workerId && row?.leaseEpoch === epoch) return false
  const taken = seen(world)
    .rowsOf.get(deliveryId ?? '')
    ?.find(
      (change) =>
        change.at <= call.at &&
        change.before?.leaseEpoch === epoch &&
        change.after.leaseOwner !== change.before.leaseOwner,
    )
  return taken === undefined || !byOperators.has(taken.method)
}

/** A row in the hands of a worker that does not send it keeps everybody from sending it. */
function* leavesAtOnce(world: World): Iterable<Finding> {
  for (const [deliveryId, changes] of seen(world).rowsOf) {
    for (const [index, { at, process, before, after }] of changes.entries()) {
      if (after.leaseOwner === null || after.leaseEpoch === before?.leaseEpoch) continue
      const sentAt = seen(world)
        .callsOf.get(deliveryId)
        ?.find(({ epoch }) => epoch === after.leaseEpoch)?.at
      const changedAt = changes.slice(index + 1).find(({ method }) => method !== 'renew')?.at
      const until = Math.min(
        sentAt ?? Number.POSITIVE_INFINITY,
        changedAt ?? Number.POSITIVE_INFINITY,
        world.scheduler.now,
      )
      if (until - at <= leavesWithinMs || wasDisturbed(world, process, at - leavesWithinMs, until)) continue
      const kind = takenOver(changes, at) > 1 ? 'suspect' : 'normal'
      yield {
        kind,
        detail: `${process} leased delivery ${deliveryId} at ${secondsAt(world, at)} and neither sent it nor gave it back for ${until - at} ms`,
      }
    }
  }
}

function* oneOwner(world: World): Iterable<Finding> {
  const living = new Map([...world.history.lives.values()].map((life) => [life.workerId, life]))
  for (const { at, process, method, before, after } of world.history.rows) {
    if (before === null || before.leaseOwner === null || method !== 'claim') continue
    const owner = living.get(before.leaseOwner)
    const ownerIsGone = owner !== undefined && owner.endedAt !== null && owner.endedAt <= at
    if ((before.leaseUntil ?? 0) > at + lateMs && !ownerIsGone) {
      yield {
        detail: `${process} claimed delivery ${after.id} at ${secondsAt(world, at)} from ${owner?.process ?? 'somebody'}, whose lease lives`,
      }
    }
  }
}

function* fenced(world: World): Iterable<Finding> {
  for (const { at, process, method, before, after } of world.history.rows) {
    if (before === null || !underLease.has(method)) continue
    if (before.leaseOwner !== world.history.life(process)?.workerId)
      yield {
        detail: `${method} of ${process} changed delivery ${after.id} at ${secondsAt(world, at)}, which it did not hold`,
      }
  }
}

function* terminal(world: World): Iterable<Finding> {
  for (const { at, method, before, after } of world.history.rows) {
    if (before === null) continue
    const isOver =
      before.status === 'delivered' || (before.status === 'dead' && method !== 'requeue' && method !== 'advanceJob')
    if (isOver)
      yield {
        detail: `${method} turned delivery ${after.id} from ${before.status} to ${after.status} at ${secondsAt(world, at)}`,
      }
    if (after.leaseEpoch < before.leaseEpoch)
      yield { kind: 'epoch', detail: `${method} lowered the epoch of delivery ${after.id} at ${secondsAt(world, at)}` }
  }
}

/** How often its lease had run out by then. */
function takenOver(changes: readonly RowChange[], until: number): number {
  return changes.filter(
    ({ at, method, before }) => at <= until && method === 'claim' && before !== null && before.leaseOwner !== null,
  ).length
}
