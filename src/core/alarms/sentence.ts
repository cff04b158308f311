import type { Alarm } from './alarm.ts'
import { windowMs } from './signals.ts'
import type { Signal } from './signals.ts'
import { day, hour, minute, second } from '../time.ts'

type DescribedAlarm = Pick<Alarm, 'signal' | 'subject' | 'level' | 'value' | 'threshold'>

/** An alarm in one sentence that contains only ids and numbers. */
export function sentenceOf(alarm: DescribedAlarm): string {
  return (alarm.level === 0 ? recovered : raised)[alarm.signal](alarm)
}

const windowText = `the last ${windowMs / minute} minutes`

const raised: Readonly<Record<Signal, (alarm: DescribedAlarm) => string>> = {
  'dead-letter-rate': ({ value, threshold }) =>
    `${percent(value)} of the deliveries that ended in ${windowText} are dead letters; the threshold is ${percent(threshold)}.`,
  'dead-letter': ({ value }) => `${counted(value, 'dead letter')} in ${windowText}.`,
  'oldest-due': ({ value, threshold }) =>
    `The oldest delivery has been due for ${duration(value)}; the threshold is ${duration(threshold)}.`,
  backlog: ({ threshold }) => `More than ${counted(threshold, 'delivery', 'deliveries')} wait although due.`,
  'endpoint-failing': ({ subject, value, level }) =>
    `Endpoint ${subject} has only failed for ${duration(value)}${level === 2 ? ', and will be disabled within a day' : ''}.`,
  'endpoint-disabled': ({ subject }) =>
    `Endpoint ${subject} was disabled because of its failures: it gets nothing new.`,
  'worker-lost': ({ value }) => `${counted(value, 'worker')} ended without stopping in ${windowText}.`,
  'lease-lost': ({ value }) => `${counted(value, 'lease')} lost in ${windowText}: deliveries may be repeated.`,
  'disk-nearly-full': ({ value, threshold }) =>
    `${percent(value)} of the database's disk is used; the threshold is ${percent(threshold)}.`,
}

const recovered: Readonly<Record<Signal, (alarm: DescribedAlarm) => string>> = {
  'dead-letter-rate': ({ value }) =>
    `${percent(value)} of the deliveries that ended in ${windowText} are dead letters.`,
  'dead-letter': () => `No dead letter in ${windowText}.`,
  'oldest-due': () => 'No delivery is late any more.',
  backlog: ({ value }) => `${counted(value, 'delivery', 'deliveries')} due.`,
  'endpoint-failing': ({ subject }) => `Endpoint ${subject} no longer only fails, or was disabled.`,
  'endpoint-disabled': ({ subject }) => `Endpoint ${subject} is no longer disabled.`,
  'worker-lost': () => `No worker was lost in ${windowText}.`,
  'lease-lost': () => `No lease was lost in ${windowText}.`,
  'disk-nearly-full': ({ value }) => `${percent(value)} of the database's disk is used.`,
}

function percent(value: number): string {
  return `${Math.round(value * 10) / 10} %`
}

function counted(value: number, one: string, many = `${one}s`): string {
  return `${value} ${value === 1 ? one : many}`
}

function duration(ms: number): string {
  if (ms < 2 * minute) return counted(Math.round(ms / second), 'second')
  if (ms < 2 * hour) return counted(Math.round(ms / minute), 'minute')
  return ms < 2 * day ? counted(Math.round(ms / hour), 'hour') : counted(Math.floor(ms / day), 'day')
}
