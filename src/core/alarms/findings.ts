import { finalNoticeAfterMs, warnAfterMs } from '../endpoint/health.ts'
import { leastEnded, mostSubjects, raisedWithinMs, windowMs } from './signals.ts'
import type { Signal } from './signals.ts'
import type { AlarmThresholds } from './thresholds.ts'
import type { Instant } from '../time.ts'

/** The state of one signal about one subject. */
export interface Finding {
  readonly signal: Signal
  readonly subject: string
  readonly value: number
  /** Of the first level and, if there is one, of the second: a value above it raises the alarm. */
  readonly thresholds: readonly [number] | readonly [number, number]
  /** False for what is too old to be raised now: it was already so long before anybody looked. */
  readonly isNews: boolean
}

/** What a store reads for the alarms, without the endpoints of operational webhooks: an alarm about them would go to them. */
export interface AlarmReadings {
  /** Within the window. */
  readonly delivered: number
  readonly dead: number
  /** When the oldest due delivery that is not on hold became due; null if there is none. */
  readonly oldestDueAt: Instant | null
  /** Due deliveries that are not on hold, counted up to a bound. */
  readonly dueRows: number
  /** Longest streak first. */
  readonly failing: readonly { readonly endpointId: string; readonly failingSince: Instant }[]
  /** Disabled because of failures, not by a person; newest first. */
  readonly disabled: readonly { readonly endpointId: string; readonly disabledAt: Instant }[]
}

export interface Noted {
  readonly signal: Signal
  readonly noted: number
  readonly notedAt: Instant | null
}

interface FindingsInput {
  readonly readings: AlarmReadings
  /** Null if it was not read. */
  readonly diskUsedPercent: number | null
  /** What processes have seen and counted. */
  readonly noted: readonly Noted[]
  readonly thresholds: AlarmThresholds
  readonly now: Instant
}

/** All signals in their present state; those about endpoints only if there is something to report. */
export function findingsOf({ readings, diskUsedPercent, noted, thresholds, now }: FindingsInput): Finding[] {
  const { delivered, dead, oldestDueAt, dueRows, failing, disabled } = readings
  const { deadLetterWarnPercent, deadLetterPagePercent, oldestDueMs, backlogRows, diskPercent } = thresholds
  const ended = delivered + dead
  const rate = ended < leastEnded ? 0 : (100 * dead) / ended
  return [
    about('dead-letter-rate', rate, [deadLetterWarnPercent, deadLetterPagePercent]),
    about('dead-letter', dead, [0]),
    about('oldest-due', oldestDueAt === null ? 0 : Math.max(now - oldestDueAt, 0), [oldestDueMs]),
    about('backlog', dueRows, [backlogRows]),
    // It pages halfway between the threshold and a full disk.
    ...(diskUsedPercent === null
      ? []
      : [about('disk-nearly-full', diskUsedPercent, [diskPercent, (100 + diskPercent) / 2])]),
    ...(['worker-lost', 'lease-lost'] as const).map((signal) => about(signal, lately(noted, signal, now), [0])),
    ...failing.slice(0, mostSubjects).map(({ endpointId, failingSince }) => ({
      ...about('endpoint-failing', now - failingSince, [warnAfterMs - 1, finalNoticeAfterMs - 1]),
      subject: endpointId,
    })),
    ...disabled.slice(0, mostSubjects).map(({ endpointId, disabledAt }) => ({
      ...about('endpoint-disabled', 1, [0]),
      subject: endpointId,
      isNews: now - disabledAt < raisedWithinMs,
    })),
  ]
}

function about(signal: Signal, value: number, thresholds: Finding['thresholds']): Finding {
  return { signal, subject: '', value, thresholds, isNews: true }
}

/** How often it was seen, as long as the last time is within the window. */
function lately(noted: readonly Noted[], signal: Signal, now: Instant): number {
  const own = noted.find((one) => one.signal === signal)
  return own === undefined || own.notedAt === null || now - own.notedAt >= windowMs ? 0 : own.noted
}
