import { day, minute } from '../time.ts'

/** What an alarm can be about. */
export const signals = [
  'dead-letter-rate',
  'oldest-due',
  'backlog',
  'endpoint-failing',
  'endpoint-disabled',
  'dead-letter',
  'worker-lost',
  'lease-lost',
  'disk-nearly-full',
] as const
export type Signal = (typeof signals)[number]

/** `warning` waits for the morning; `page` wakes somebody. */
export type Severity = 'warning' | 'page'

/** The second level of a signal is worse than the first; 0 means not raised. */
export type Level = 0 | 1 | 2

/** The properties of a signal that do not depend on its thresholds. */
interface SignalRule {
  /** For its first and second level. */
  readonly severities: readonly [Severity, Severity]
  /** False if a repetition would add nothing: the state lasts until a person changes it. */
  readonly repeats: boolean
  /** The least time between two notices, if longer than the configured cooldown. */
  readonly leastCooldownMs: number
  /** The value at which a raised alarm counts as recovered: below its threshold, so that it does not flap. */
  readonly recoversAt: (threshold: number) => number
}

/** Rates and counts cover the last five minutes. */
export const windowMs = 5 * minute
/** With fewer ended deliveries than this a rate means nothing; a single dead letter has its own signal. */
export const leastEnded = 20
/** How many endpoints can have an alarm of one signal at once: nobody reads a longer list. */
export const mostSubjects = 100
/** How long a disabled endpoint is news: it is raised within a day, and shown for a week. */
export const raisedWithinMs = day
export const shownForMs = 7 * day

const recoversBelow = (share: number) => (threshold: number) => threshold * share
const usual = { repeats: true, leastCooldownMs: 0, recoversAt: recoversBelow(1) }

export const signalRules: Readonly<Record<Signal, SignalRule>> = {
  'dead-letter-rate': { ...usual, severities: ['warning', 'page'], recoversAt: recoversBelow(0.8) },
  'oldest-due': { ...usual, severities: ['page', 'page'], recoversAt: recoversBelow(0.8) },
  backlog: { ...usual, severities: ['warning', 'warning'], recoversAt: recoversBelow(0.8) },
  // The second level is the day before it is disabled.
  'endpoint-failing': { ...usual, severities: ['warning', 'warning'], leastCooldownMs: day },
  'endpoint-disabled': { ...usual, severities: ['warning', 'warning'], repeats: false },
  'dead-letter': { ...usual, severities: ['warning', 'warning'] },
  'worker-lost': { ...usual, severities: ['warning', 'warning'] },
  'lease-lost': { ...usual, severities: ['warning', 'warning'] },
  'disk-nearly-full': { ...usual, severities: ['warning', 'page'], recoversAt: (percent) => percent - 2 },
}

export function severityOf(signal: Signal, level: Level): Severity {
  return signalRules[signal].severities[level === 2 ? 1 : 0]
}
