import type { Alarm } from '../alarms/alarm.ts'
import type { AlarmReadings } from '../alarms/findings.ts'
import type { Signal } from '../alarms/signals.ts'
import type { Instant } from '../time.ts'

/** What is kept of alarms, and read for them. */
export interface AlarmDirectory {
  /** All that are kept: raised, resolved within a day, or only noted. By id. */
  alarms(): Promise<Alarm[]>
  /** Writes each if its version is still the one given (0 where there is none); answers with the ids of those that were. What was noted stays as it is. */
  saveAlarms(alarms: readonly Alarm[]): Promise<string[]>
  /** Forgets each if its version is still the one given. */
  forgetAlarms(alarms: readonly Pick<Alarm, 'id' | 'version'>[]): Promise<void>
  /** Counts what only one process saw; after a window without it the count begins anew. */
  noteAlarm(note: AlarmNote): Promise<void>
  alarmReadings(request: AlarmReadingsRequest): Promise<AlarmReadings>
}

export interface AlarmNote {
  readonly signal: Signal
  readonly count: number
  readonly now: Instant
}

export interface AlarmReadingsRequest {
  readonly now: Instant
  readonly windowMs: number
  /** Due rows are counted up to one more than this. */
  readonly mostDue: number
  /** Endpoints of one signal that are read at most. */
  readonly mostSubjects: number
  /** Endpoints that failed since then are not yet failing for long; nor with fewer failed attempts than this. */
  readonly failingBefore: Instant
  readonly leastFailedAttempts: number
  /** Those disabled before are no news. */
  readonly disabledSince: Instant
  readonly disabledBecause: readonly string[]
  /** The application of the operational webhooks: its endpoints are left out. Null if there is none. */
  readonly except: string | null
}
