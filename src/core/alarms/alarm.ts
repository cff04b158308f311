import { severityOf, shownForMs, signalRules } from './signals.ts'
import type { Level, Severity, Signal } from './signals.ts'
import type { Finding } from './findings.ts'
import { day } from '../time.ts'
import type { Instant } from '../time.ts'

/** The kinds of notice about an alarm. */
export type NoticeKind = 'raised' | 'repeated' | 'resolved'

/** One stored alarm: a signal about one subject. */
export interface Alarm {
  /** The signal and, after a colon, its subject. */
  readonly id: string
  readonly signal: Signal
  /** The endpoint's id; empty if the alarm is about all of them. */
  readonly subject: string
  readonly level: Level
  readonly value: number
  readonly threshold: number
  readonly raisedAt: Instant | null
  readonly resolvedAt: Instant | null
  /** When the last notice that it is raised was sent. */
  readonly notifiedAt: Instant | null
  /** A notice that was decided but perhaps not sent yet: the worker whose turn it is sends it, again if necessary. */
  readonly owed: NoticeKind | null
  readonly owedAt: Instant | null
  /** For signals that only single processes can see: how often they saw it, and when last. */
  readonly noted: number
  readonly notedAt: Instant | null
  /** Increases with every write of an evaluation, so that two workers never both decide. */
  readonly version: number
}

export interface Evaluation {
  readonly alarms: readonly Alarm[]
  readonly findings: readonly Finding[]
  /** Signals that could not be read this time: their alarms are neither raised nor resolved. */
  readonly unread: ReadonlySet<Signal>
  readonly now: Instant
  readonly cooldownMs: number
}

export interface Evaluated {
  /** To be written. */
  readonly changed: readonly Alarm[]
  /** Alarms that are no longer needed. */
  readonly forgotten: readonly Alarm[]
}

const resolvedKeptMs = day

/** Decides which alarms are raised, repeated and resolved: once each, even if the process that decided last has crashed. */
export function evaluate({ alarms, findings, unread, now, cooldownMs }: Evaluation): Evaluated {
  const known = new Map(alarms.map((alarm) => [alarm.id, alarm]))
  const found = new Map(findings.map((finding) => [alarmId(finding), finding]))
  const all = [...new Set([...known.keys(), ...found.keys()])]
  const changed: Alarm[] = []
  const forgotten: Alarm[] = []
  for (const id of all) {
    const finding = found.get(id)
    const alarm = known.get(id) ?? (finding === undefined ? undefined : calmAlarm(finding))
    // Notices that are owed go out first: a raise must not be lost because the signal has recovered since.
    if (alarm === undefined || alarm.owed !== null || unread.has(alarm.signal)) continue
    if (isOver(alarm, finding, now)) forgotten.push(alarm)
    else {
      const next = decide(alarm, finding, { now, cooldownMs })
      if (next !== null) changed.push(next)
    }
  }
  return { changed, forgotten }
}

export function alarmId({ signal, subject }: Pick<Alarm, 'signal' | 'subject'>): string {
  return subject === '' ? signal : `${signal}:${subject}`
}

export function isRaised({ level }: Pick<Alarm, 'level'>): boolean {
  return level > 0
}

export function severityOfAlarm({ signal, level }: Pick<Alarm, 'signal' | 'level'>): Severity {
  return severityOf(signal, level)
}

/** The same notice always has the same key, no matter which worker sends it or how often. */
export function noticeKey({ id, owed, owedAt }: Pick<Alarm, 'id' | 'owed' | 'owedAt'>): string {
  return `${id}:${owed ?? ''}:${owedAt ?? 0}`
}

/** An alarm that was never raised or counted. */
export function calmAlarm({ signal, subject }: Pick<Alarm, 'signal' | 'subject'>): Alarm {
  return {
    id: alarmId({ signal, subject }),
    signal,
    subject,
    level: 0,
    value: 0,
    threshold: 0,
    raisedAt: null,
    resolvedAt: null,
    notifiedAt: null,
    owed: null,
    owedAt: null,
    noted: 0,
    notedAt: null,
    version: 0,
  }
}

function isOver(alarm: Alarm, finding: Finding | undefined, now: Instant): boolean {
  if (alarm.version === 0) return false
  // A disabled endpoint is news for a week; the end of that week is no recovery.
  if (isRaised(alarm)) return !signalRules[alarm.signal].repeats && now - (alarm.raisedAt ?? 0) >= shownForMs
  return (finding === undefined || finding.value === 0) && now - (alarm.resolvedAt ?? 0) >= resolvedKeptMs
}

interface Moment {
  readonly now: Instant
  readonly cooldownMs: number
}

/** Null if nothing changes. */
function decide(alarm: Alarm, finding: Finding | undefined, moment: Moment): Alarm | null {
  const level = finding === undefined ? 0 : levelOf(finding, alarm.level)
  if (finding === undefined || level === 0) return isRaised(alarm) ? resolved(alarm, finding, moment.now) : null
  const threshold = finding.thresholds[level - 1] ?? finding.thresholds[0]
  const seen = { ...alarm, level, value: finding.value, threshold }
  if (isRaised(alarm)) return lasting(alarm, seen, moment)
  return finding.isNews ? owing({ ...seen, raisedAt: moment.now, resolvedAt: null }, 'raised', moment.now) : null
}

/** An alarm that is already raised: notified again if it got worse, or has lasted for a cooldown. */
function lasting(before: Alarm, seen: Alarm, { now, cooldownMs }: Moment): Alarm | null {
  if (seen.level > before.level) return owing(seen, 'raised', now)
  const { repeats, leastCooldownMs } = signalRules[seen.signal]
  const isDue = now - (before.notifiedAt ?? now) >= Math.max(cooldownMs, leastCooldownMs)
  if (repeats && isDue) return owing(seen, 'repeated', now)
  // An improvement is stored without a notice, so that getting worse again sends one.
  return seen.level < before.level ? seen : null
}

/** The worst level whose threshold the value exceeds; a level reached before is left only below its recovery value. */
function levelOf({ signal, value, thresholds }: Finding, before: Level): Level {
  const { recoversAt } = signalRules[signal]
  const isAt = (level: 1 | 2): boolean => {
    const threshold = thresholds[level - 1]
    return threshold !== undefined && value > (before >= level ? recoversAt(threshold) : threshold)
  }
  return isAt(2) ? 2 : isAt(1) ? 1 : 0
}

function resolved(alarm: Alarm, finding: Finding | undefined, now: Instant): Alarm {
  return owing({ ...alarm, level: 0, value: finding?.value ?? 0, resolvedAt: now }, 'resolved', now)
}

function owing(alarm: Alarm, owed: NoticeKind, owedAt: Instant): Alarm {
  return { ...alarm, owed, owedAt }
}
