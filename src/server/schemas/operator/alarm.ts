import { z } from 'zod'
import { slackChannel } from '../../../core/alarms/operational.ts'
import type { RaisedAlarm } from '../../../core/alarms/raised-alarm.ts'
import { signals } from '../../../core/alarms/signals.ts'
import type { Endpoint } from '../../../core/endpoint/endpoint.ts'
import { isoTime } from '../../../core/time.ts'
import { dateTime, freeText } from '../common.ts'

const shape = z.enum(['json', 'slack'])

export const alarmOut = z
  .object({
    id: z.string(),
    signal: z.enum(signals),
    severity: z.enum(['warning', 'page']),
    message: z.string(),
    endpointId: z.string().nullable().meta({ description: 'The endpoint that it is about; null for all of them.' }),
    value: z.number(),
    threshold: z.number(),
    raisedAt: dateTime,
    acknowledged: z
      .object({ by: z.string(), at: dateTime })
      .nullable()
      .meta({ description: 'Who has seen it since it was raised; null if nobody has said so.' }),
  })
  .meta({ id: 'AlarmOut' })
export const alarmTargetIn = z
  .object({
    url: z.string().min(1).max(65_536),
    shape: shape.default('json').meta({ description: 'slack for the URL of an incoming webhook of Slack.' }),
    types: z.array(z.string().max(256)).optional().meta({ description: 'Such as alarm.*; all if not given.' }),
    description: freeText(1000).optional(),
  })
  .meta({ id: 'AlarmTargetIn' })
export const alarmTargetOut = z
  .object({
    id: z.string(),
    url: z.string(),
    shape,
    types: z.array(z.string()).nullable(),
    description: z.string(),
    status: z.enum(['active', 'paused', 'disabled']),
    createdAt: dateTime,
  })
  .meta({ id: 'AlarmTargetOut' })

export function toAlarmOut({ raisedAt, acknowledged, ...alarm }: RaisedAlarm): z.input<typeof alarmOut> {
  return {
    ...alarm,
    raisedAt: isoTime(raisedAt),
    acknowledged: acknowledged === null ? null : { by: acknowledged.by, at: isoTime(acknowledged.at) },
  }
}

export function toAlarmTarget(endpoint: Endpoint): z.input<typeof alarmTargetOut> {
  const { id, url, channels, types, description, status, createdAt } = endpoint
  return {
    id,
    url,
    shape: channels.includes(slackChannel) ? 'slack' : 'json',
    types: types.length === 0 ? null : [...types],
    description,
    status: status === 'deleted' ? 'disabled' : status,
    createdAt: isoTime(createdAt),
  }
}
