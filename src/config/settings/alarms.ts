import { usualThresholds, warnsBeforePages } from '../../core/alarms/thresholds.ts'
import { expected } from '../../core/errors.ts'
import { minute, second } from '../../core/time.ts'
import { flag, wholeNumber } from '../parse-value.ts'
import type { Setting } from './setting.ts'

type Percents = Readonly<Record<'alarmDeadLetterWarnPercent' | 'alarmDeadLetterPagePercent', number>>

/** Refuses, by name, combinations that no single setting can check. */
export function checkAlarmSettings({
  alarmDeadLetterWarnPercent: warn,
  alarmDeadLetterPagePercent: page,
}: Percents): void {
  if (warn < page) return
  const [[name], [other]] = [alarmSettings.alarmDeadLetterWarnPercent.env, alarmSettings.alarmDeadLetterPagePercent.env]
  throw expected('invalid_argument', name, `less than ${other}, which is ${page}`, warn, warnsBeforePages)
}

/** When alarms are raised. */
export const alarmSettings = {
  alarms: {
    env: ['POSTHORN_ALARMS'],
    default: true,
    unit: '',
    sentence: 'Raises alarms and sends operational webhooks; 0 for neither.',
    read: flag(),
  },
  alarmDeadLetterWarnPercent: {
    env: ['POSTHORN_ALARM_DEAD_LETTER_WARN_PERCENT'] as const,
    default: usualThresholds.deadLetterWarnPercent,
    unit: 'percent',
    sentence: 'Warns if more than this of the deliveries that ended in five minutes are dead letters.',
    read: wholeNumber(1, 100),
  },
  alarmDeadLetterPagePercent: {
    env: ['POSTHORN_ALARM_DEAD_LETTER_PAGE_PERCENT'] as const,
    default: usualThresholds.deadLetterPagePercent,
    unit: 'percent',
    sentence: 'Pages if more than this of the deliveries that ended in five minutes are dead letters.',
    read: wholeNumber(1, 100),
  },
  alarmOldestDueMs: {
    env: ['POSTHORN_ALARM_OLDEST_DUE_SECONDS'],
    default: usualThresholds.oldestDueMs,
    unit: 'seconds',
    scale: second,
    sentence: 'Pages if a delivery that is not on hold has been due for longer than this.',
    read: wholeNumber(1, 86_400, second),
  },
  alarmBacklogRows: {
    env: ['POSTHORN_ALARM_BACKLOG'],
    default: usualThresholds.backlogRows,
    unit: 'rows',
    sentence: 'Warns if more deliveries than this are due and not on hold.',
    read: wholeNumber(1, 1_000_000),
  },
  alarmDiskPercent: {
    env: ['POSTHORN_ALARM_DISK_PERCENT'],
    default: usualThresholds.diskPercent,
    unit: 'percent',
    sentence:
      'Warns if more than this of the disk with the SQLite file is used, and pages halfway to a full disk. Watch the disk of a PostgreSQL server there.',
    read: wholeNumber(1, 99),
  },
  alarmCooldownMs: {
    env: ['POSTHORN_ALARM_COOLDOWN_MINUTES'],
    default: usualThresholds.cooldownMs,
    unit: 'minutes',
    scale: minute,
    sentence: 'An alarm that lasts is repeated after this time.',
    read: wholeNumber(1, 10_080, minute),
  },
} satisfies Record<string, Setting<unknown>>
