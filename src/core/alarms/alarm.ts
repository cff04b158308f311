import { severityOf, shownForMs, signalRules } from './signals.ts'
import type { Level, Severity, Signal } from './signals.ts'
import type { Finding } from './findings.ts'
import { day } from '../time.ts'
import type { Instant } from '../time.ts'

/** What is told of an alarm. */
export type NoticeKind = 'raised' | 'repeated' | 'resolved'

/** One alarm as it is kept: a signal, about one subject. */
export interface Alarm {
  /** The signal and, after a colon, its subject. */
  readonly id: string
  readonly signal: Signal
  /** The endpoint's id; empty where it is about all of them. */
  readonly subject: string
  readonly level: Level
  readonly value: number
  readonly threshold: number
  readonly raisedAt: Instant | null
  readonly resolvedAt: Instant | null
  /** When somebody was last told that it is raised. */
  readonly notifiedAt: Instant | null
  /** A notice that was decided and may not have gone out yet: whoever has the turn sends it, again if need be. */
  readonly owed: NoticeKind | null
  readonly owedAt: Instant | null
  /** How often processes saw it happen, and when they last did, where only they can see it. */
  readonly noted: number
  readonly notedAt: Instant | null
  /** Raised with every write of the evaluation, so that two workers never both decide. */
  readonly version: number
}

export interface Evaluation {
  readonly alarms: readonly Alarm[]
  readonly findings: readonly Finding[]
  /** Signals that could not be read this time: nothing is raised or resolved of them. */
  readonly unread: ReadonlySet<Signal>
  readonly now: Instant
  readonly cooldownMs: number
}

export interface Evaluated {
  /** To be written. */
  readonly changed: readonly Alarm[]
  /** Those that nobody needs any more. */
  readonly forgotten: readonly Alarm[]
}

const resolvedKeptMs = day

/** Decides what is raised, repeated and resolved: once each, whatever happened to the process that decided last time. */
export function evaluate({ alarms, findings, unread, now, cooldownMs }: Evaluation): Evaluated {
  const known = new Map(alarms.map((alarm) => [alarm.id, alarm]))
  const found = new Map(findings.map((finding) => [alarmId(finding), finding]))
  const all = [...new Set([...known.keys(), ...found.keys()])]
  const changed: Alarm[] = []
  const forgotten: Alarm[] = []
  for (const id of all) {
    const finding = found.get(id)
    const alarm = known.get(id) ?? (finding === undefined ? undefined : calm(finding))
    // What is owed goes out first: a raise must not be lost because it has recovered since.
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

/** The same notice has the same key, whoever sends it, and however often. */
export function noticeKey({ id, owed, owedAt }: Pick<Alarm, 'id' | 'owed' | 'owedAt'>): string {
  return `${id}:${owed ?? ''}:${owedAt ?? 0}`
}

function calm({ signal, subject }: Finding): Alarm {
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
  // A disabled endpoint is news for a week; nobody has recovered when that is over.
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

/** An alarm that is raised already: told again if it became worse, or if it has lasted for a cooldown. */
function lasting(before: Alarm, seen: Alarm, { now, cooldownMs }: Moment): Alarm | null {
  if (seen.level > before.level) return owing(seen, 'raised', now)
  const { repeats, leastCooldownMs } = signalRules[seen.signal]
  const isDue = now - (before.notifiedAt ?? now) >= Math.max(cooldownMs, leastCooldownMs)
  if (repeats && isDue) return owing(seen, 'repeated', now)
  // A better level is kept without a word, so that a worse one is told again.
  return seen.level < before.level ? seen : null
}

/** The worst level whose threshold the value is over; one that it had already is left only below where it recovers. */
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
