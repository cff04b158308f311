import { expected } from '../errors.ts'
import { checkCount } from '../limits/limits.ts'
import { day, hour, minute, second } from '../time.ts'

/** The thresholds that an operator can set. */
export interface AlarmThresholds {
  /** Percent of the deliveries that ended. */
  readonly deadLetterWarnPercent: number
  readonly deadLetterPagePercent: number
  readonly oldestDueMs: number
  readonly backlogRows: number
  /** Percent of the disk in use. */
  readonly diskPercent: number
  /** An alarm that lasts is repeated after this time. */
  readonly cooldownMs: number
}

export const usualThresholds: AlarmThresholds = {
  deadLetterWarnPercent: 2,
  deadLetterPagePercent: 5,
  oldestDueMs: 5 * minute,
  backlogRows: 10_000,
  diskPercent: 90,
  cooldownMs: 4 * hour,
}

export const warnsBeforePages = 'A warning comes before a page: lower the one, or raise the other.'

/** Refuses thresholds that can never be reached, always are, or contradict each other. */
export function checkThresholds(thresholds: AlarmThresholds): AlarmThresholds {
  const { deadLetterWarnPercent: warn, deadLetterPagePercent: page } = thresholds
  checkPercent('alarmDeadLetterWarnPercent', warn, 100)
  checkPercent('alarmDeadLetterPagePercent', page, 100)
  if (warn >= page)
    throw expected(
      'invalid_argument',
      'alarmDeadLetterWarnPercent',
      `less than \`alarmDeadLetterPagePercent\`, which is ${page}`,
      warn,
      warnsBeforePages,
    )
  checkCount('alarmOldestDueMs', thresholds.oldestDueMs, second, day)
  checkCount('alarmBacklogRows', thresholds.backlogRows, 1, 1_000_000)
  checkPercent('alarmDiskPercent', thresholds.diskPercent, 99)
  checkCount('alarmCooldownMs', thresholds.cooldownMs, minute, 7 * day)
  return thresholds
}

function checkPercent(name: string, value: unknown, most: number): void {
  if (typeof value === 'number' && value > 0 && value <= most) return
  throw expected('invalid_argument', name, `over 0 and at most ${most} percent`, value)
}
