import { severityOfAlarm } from './alarm.ts'
import type { Alarm } from './alarm.ts'
import { sentenceOf } from './sentence.ts'
import type { Severity, Signal } from './signals.ts'
import type { Instant } from '../time.ts'

/** A raised alarm as people see it. */
export interface RaisedAlarm {
  readonly id: string
  readonly signal: Signal
  /** The endpoint it is about; null if it is about all of them. */
  readonly endpointId: string | null
  readonly severity: Severity
  readonly message: string
  readonly value: number
  readonly threshold: number
  readonly raisedAt: Instant
  /** Who acknowledged it since it was raised; null if nobody did. */
  readonly acknowledged: Acknowledgement | null
}

export interface Acknowledgement {
  readonly by: string
  readonly at: Instant
}

/** An acknowledgement from before it was raised belongs to an earlier alarm. */
export function raisedAlarm(alarm: Alarm, newest: Acknowledgement | null): RaisedAlarm {
  const { id, signal, subject, value, threshold, raisedAt } = alarm
  return {
    id,
    signal,
    endpointId: subject === '' ? null : subject,
    severity: severityOfAlarm(alarm),
    message: sentenceOf(alarm),
    value,
    threshold,
    raisedAt: raisedAt ?? 0,
    acknowledged: newest !== null && newest.at >= (raisedAt ?? 0) ? newest : null,
  }
}
