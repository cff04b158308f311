import { isRaised } from '../../../src/core/alarms/alarm.ts'
import type { Alarm } from '../../../src/core/alarms/alarm.ts'
import type { World } from '../world/world.ts'
import { secondsAt } from './invariant.ts'
import type { Finding, Invariant } from './invariant.ts'

/** What is told of alarms, whoever decides it, and whatever ends that worker on the way. */
export const alarmInvariants: readonly Invariant[] = [
  { name: 'an alarm is raised once until it is resolved', check: raisedOnce },
  { name: 'a notice that was decided is emitted before it counts as sent', check: emitted },
]

function* raisedOnce(world: World): Iterable<Finding> {
  for (const { at, before, after } of world.history.alarms) {
    if (before === null || after.raisedAt === before.raisedAt) continue
    if (isRaised(before))
      yield {
        kind: 'raised anew',
        detail: `${after.id} was raised at ${secondsAt(world, at)} although it was raised already`,
      }
    if (before.owed !== null)
      yield {
        kind: 'notice lost',
        detail: `${after.id} was raised at ${secondsAt(world, at)} while it owed the notice that it was ${before.owed}`,
      }
  }
}

function* emitted(world: World): Iterable<Finding> {
  for (const { at, before, after } of world.history.alarms) {
    if (before === null || before.owed === null || after.owed !== null) continue
    if (!wasEmitted(world, before, at))
      yield {
        detail: `${before.id} counts as ${before.owed} since ${secondsAt(world, at)}, and nobody has emitted it`,
      }
  }
}

function wasEmitted({ history }: World, { id, owed, raisedAt }: Alarm, until: number): boolean {
  return history.events.some(
    ({ at, event }) =>
      at <= until &&
      (event.type === 'alarm.raised' || event.type === 'alarm.resolved') &&
      event.alarm_id === id &&
      event.raised_at === raisedAt &&
      (event.type === 'alarm.resolved') === (owed === 'resolved'),
  )
}
