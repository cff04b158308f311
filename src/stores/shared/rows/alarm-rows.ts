import type { Alarm, NoticeKind } from '../../../core/alarms/alarm.ts'
import type { AlarmReadings } from '../../../core/alarms/findings.ts'
import { signals } from '../../../core/alarms/signals.ts'
import type { Level } from '../../../core/alarms/signals.ts'
import type { Instant } from '../../../core/time.ts'
import { number, numberOrNull, text, word, wordOrNull } from './columns.ts'
import type { Row } from '../sql/database.ts'
import type { Value } from '../sql/sql.ts'

const noticeKinds: readonly NoticeKind[] = ['raised', 'repeated', 'resolved']

export function toAlarm(row: Row): Alarm {
  return {
    id: text(row, 'id'),
    signal: word(row, 'signal', signals),
    subject: text(row, 'subject'),
    level: toLevel(number(row, 'level')),
    value: number(row, 'value'),
    threshold: number(row, 'threshold'),
    raisedAt: numberOrNull(row, 'raised_at'),
    resolvedAt: numberOrNull(row, 'resolved_at'),
    notifiedAt: numberOrNull(row, 'notified_at'),
    owed: wordOrNull(row, 'owed', noticeKinds),
    owedAt: numberOrNull(row, 'owed_at'),
    noted: number(row, 'noted'),
    notedAt: numberOrNull(row, 'noted_at'),
    version: number(row, 'version'),
  }
}

function toLevel(level: number): Level {
  return level === 0 || level === 1 ? level : 2
}

/** Leaves out the noted counts, which other processes write. */
export function fromAlarm(alarm: Alarm): Record<string, Value> {
  const { id, signal, subject, level, value, threshold, raisedAt, resolvedAt, notifiedAt, owed, owedAt, version } =
    alarm
  return {
    id,
    signal,
    subject,
    level,
    value,
    threshold,
    raised_at: raisedAt,
    resolved_at: resolvedAt,
    notified_at: notifiedAt,
    owed,
    owed_at: owedAt,
    version,
  }
}

export function toEnded(row: Row): Pick<AlarmReadings, 'delivered' | 'dead'> {
  return { delivered: number(row, 'delivered'), dead: number(row, 'dead') }
}

export function toDueRows(row: Row): Pick<AlarmReadings, 'oldestDueAt' | 'dueRows'> {
  return { oldestDueAt: numberOrNull(row, 'oldest_due_at'), dueRows: number(row, 'due_rows') }
}

export function toFailingEndpoint(row: Row): { endpointId: string; failingSince: Instant } {
  return { endpointId: text(row, 'endpoint_id'), failingSince: number(row, 'failing_since') }
}

export function toDisabledEndpoint(row: Row): { endpointId: string; disabledAt: Instant } {
  return { endpointId: text(row, 'endpoint_id'), disabledAt: number(row, 'status_since') }
}
