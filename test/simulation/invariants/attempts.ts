import { succeeded } from '../../../src/core/delivery/attempt.ts'
import type { Delivery } from '../../../src/core/delivery/delivery.ts'
import type { Call, RowChange } from '../world/history.ts'
import type { World } from '../world/world.ts'
import { secondsAt } from './invariant.ts'
import type { Finding, Invariant } from './invariant.ts'
import { grouped, leaseMs, maxAttemptsOf, seen, wasDisturbed } from './seen.ts'

/** What was sent, how often, and what is on record of it. */
export const attemptInvariants: readonly Invariant[] = [
  { name: 'nothing is sent before it is due', check: notBeforeDue },
  { name: 'nothing is attempted more often than its policy says', check: notTooOften },
  {
    name: 'nothing is given up before it was sent as often as its policy, or five crashes, ask for',
    check: givenUpInTime,
  },
  { name: 'only what was started is blamed for a crash', check: blamedWasStarted },
  { name: 'one request is one attempt on record', check: oneRecordEach },
  { name: 'every request is on record', check: everyRequestOnRecord },
  { name: 'the count of attempts is that of the record', check: countsAddUp },
  { name: 'what was received is sent again only because of a fault', check: repeatsAreExplained },
]

const clockSlackMs = 50
const crashesUntilDead = 5
/** Outcomes that use up none of the policy's attempts. */
const uncounted = new Set<string>(['interrupted', 'started', 'crashed', 'proxy'])
const byOperators = new Set(['requeue', 'cancel', 'advanceJob', 'eraseMessage', 'addDelivery'])

function* notBeforeDue(world: World): Iterable<Finding> {
  for (const { row, at, deliveryId } of world.history.calls) {
    const dueAt = row?.nextRetryAt ?? 0
    if (dueAt > at + clockSlackMs)
      yield { detail: `delivery ${deliveryId} was sent at ${secondsAt(world, at)}, ${dueAt - at} ms before it was due` }
  }
}

function* notTooOften({ state }: World): Iterable<Finding> {
  for (const { id, attemptCount, policy } of state.deliveries.values()) {
    if (attemptCount > maxAttemptsOf(policy))
      yield { detail: `delivery ${id} has ${attemptCount} attempts of ${maxAttemptsOf(policy)}` }
  }
}

function* givenUpInTime(world: World): Iterable<Finding> {
  for (const { after, before, at } of world.history.rows) {
    if (after.status !== 'dead' || before?.status === 'dead') continue
    const wanted =
      after.reason === 'exhausted' ? maxAttemptsOf(after.policy) : after.reason === 'crashed' ? crashesUntilDead : 0
    const since = lastRequeue(world, after.id, at)?.at ?? 0
    const calls = callsOf(world, after.id).filter((call) => call.at >= since && call.at <= at)
    if (calls.length < wanted) {
      yield {
        kind: after.reason ?? '',
        detail: `delivery ${after.id} was given up as ${after.reason} at ${secondsAt(world, at)} after ${calls.length} requests instead of ${wanted}`,
      }
    }
  }
}

/** A crash is counted where an attempt was written ahead, and its worker did not come back. */
function* blamedWasStarted(world: World): Iterable<Finding> {
  const recordsOf = grouped(world.history.records, ({ deliveryId }) => deliveryId)
  for (const { at, before, after } of world.history.rows) {
    if (before === null || after.crashCount <= before.crashCount) continue
    const started = recordsOf
      .get(after.id)
      ?.some(
        (record) =>
          record.at <= at &&
          record.after.some(({ epoch, outcome }) => epoch === before.leaseEpoch && outcome === 'started'),
      )
    if (started !== true)
      yield {
        detail: `delivery ${after.id} was blamed at ${secondsAt(world, at)} for a crash under epoch ${before.leaseEpoch}, in which it was not started`,
      }
  }
}

function* oneRecordEach(world: World): Iterable<Finding> {
  for (const [deliveryId, attempts] of world.state.attempts) {
    // A worker may end between the record of an attempt and its request.
    const sent = attempts.filter(({ outcome }) => !uncounted.has(outcome)).length
    const calls = callsOf(world, deliveryId).length
    if (sent > calls)
      yield { detail: `delivery ${deliveryId} has ${sent} attempts on record, but was sent ${calls} times` }
  }
}

function* everyRequestOnRecord(world: World): Iterable<Finding> {
  for (const call of world.history.calls) {
    if (call.deliveryId === null || !world.state.deliveries.has(call.deliveryId)) continue
    const epochs = epochsOf(world, call)
    if (world.state.attempts.get(call.deliveryId)?.some(({ epoch }) => epochs.has(epoch)) === true) continue
    // Whoever was to record it was gone, and nobody took it over before an operator did.
    if (
      rowsOf(world, call.deliveryId).some(
        ({ before, method }) => before?.leaseEpoch === call.epoch && byOperators.has(method),
      )
    )
      continue
    const ended = world.history.life(call.process)?.ended ?? 'living'
    yield {
      kind: ended,
      detail: `the request of ${call.process} for delivery ${call.deliveryId} at ${secondsAt(world, call.at)} (epoch ${call.epoch}) left no attempt`,
    }
  }
}

/** The lease of a request; and those before it that its worker has taken over from itself, with the request still to be sent. */
function epochsOf(world: World, { deliveryId, epoch }: Call): Set<number> {
  const epochs = new Set([epoch])
  for (const { method, before, after } of rowsOf(world, deliveryId ?? '').toReversed()) {
    if (method === 'claim' && before !== null && before.leaseOwner === after.leaseOwner && epochs.has(after.leaseEpoch))
      epochs.add(before.leaseEpoch)
  }
  return epochs
}

function* countsAddUp(world: World): Iterable<Finding> {
  for (const delivery of world.state.deliveries.values()) {
    if (delivery.reason === 'cancelled' || delivery.reason === 'gone') continue
    const counted = countedAttempts(world, delivery)
    if (counted !== delivery.attemptCount)
      yield { detail: `delivery ${delivery.id} counts ${delivery.attemptCount} attempts, ${counted} are on record` }
  }
}

function countedAttempts(world: World, { id }: Delivery): number {
  const requeued = lastRequeue(world, id, Number.POSITIVE_INFINITY)?.after.leaseEpoch ?? 0
  return (world.state.attempts.get(id) ?? []).filter(
    ({ late, outcome, epoch }) => !late && !uncounted.has(outcome) && epoch > requeued,
  ).length
}

function* repeatsAreExplained(world: World): Iterable<Finding> {
  for (const [deliveryId, calls] of seen(world).callsOf) {
    for (const [index, call] of calls.entries()) {
      const next = calls[index + 1]
      if (next === undefined || !succeeded(call.answered) || isExplained(world, call, next)) continue
      yield {
        detail: `delivery ${deliveryId} was received at ${secondsAt(world, call.at)} and sent again at ${secondsAt(world, next.at)} for no reason`,
      }
    }
  }
}

function isExplained(world: World, first: Call, second: Call): boolean {
  if ([first, second].some(({ process }) => wasDisturbed(world, process, first.at - leaseMs, second.at))) return true
  return rowsOf(world, first.deliveryId ?? '').some(
    ({ method, at }) => byOperators.has(method) && at >= first.at - leaseMs && at <= second.at,
  )
}

function lastRequeue(world: World, deliveryId: string, until: number): RowChange | undefined {
  return rowsOf(world, deliveryId).findLast(
    ({ at, before, after }) => at <= until && before !== null && after.requeuedAt !== before.requeuedAt,
  )
}

function callsOf(world: World, deliveryId: string): readonly Call[] {
  return seen(world).callsOf.get(deliveryId) ?? []
}

function rowsOf(world: World, deliveryId: string): readonly RowChange[] {
  return seen(world).rowsOf.get(deliveryId) ?? []
}
