import type { Alarm } from '../alarms/alarm.ts'
import type { AlarmReadings } from '../alarms/findings.ts'
import type { Signal } from '../alarms/signals.ts'
import type { Instant } from '../time.ts'

/** The stored alarms, and what is read to evaluate them. */
export interface AlarmDirectory {
  /** All stored alarms by id: raised, resolved within a day, or only counted. */
  alarms(): Promise<Alarm[]>
  /** Writes each alarm if its version is still the given one (0 for a new one); returns the ids of those written. Counted occurrences are kept. */
  saveAlarms(alarms: readonly Alarm[]): Promise<string[]>
  /** Deletes each alarm if its version is still the given one. */
  forgetAlarms(alarms: readonly Pick<Alarm, 'id' | 'version'>[]): Promise<void>
  /** Counts what only one process has seen; after a window without it the count starts over. */
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
  /** The most endpoints to read per signal. */
  readonly mostSubjects: number
  /** Endpoints that started failing later are not failing for long yet; nor are those with fewer failed attempts than this. */
  readonly failingBefore: Instant
  readonly leastFailedAttempts: number
  /** Those disabled before are no longer news. */
  readonly disabledSince: Instant
  readonly disabledBecause: readonly string[]
  /** The application of operational webhooks, whose endpoints are left out; null if there is none. */
  readonly except: string | null
}
