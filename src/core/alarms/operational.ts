import type { Alarm, NoticeKind } from './alarm.ts'
import { severityOfAlarm } from './alarm.ts'
import { sentenceOf } from './sentence.ts'
import { signalRules } from './signals.ts'
import type { Application, Endpoint } from '../endpoint/endpoint.ts'
import { disableAfterMs } from '../endpoint/health.ts'
import { isoTime } from '../time.ts'
import type { Instant } from '../time.ts'

/** The reserved application whose endpoints get operational webhooks. It is created with its first endpoint. */
export const operationsUid = 'posthorn-operations'

/** An endpoint of the reserved application that listens on this channel gets bodies for a Slack incoming webhook. */
export const slackChannel = 'slack'

/** One message to the endpoints of the reserved application. */
export interface OperationalMessage {
  readonly type: string
  readonly data: Readonly<Record<string, unknown>>
  /** The text that Slack shows; null for messages that are for programs only. */
  readonly text: string | null
  /** Two messages with the same key are sent once. */
  readonly key: string
}

/** The owner of the endpoint, in Svix's field names. */
interface EndpointNames {
  readonly appId: string
  readonly appUid: string | null
  readonly endpointId: string
  readonly endpointUid: string | null
}

export function endpointNames(endpoint: Endpoint, application: Application | null): EndpointNames {
  return {
    appId: endpoint.applicationId,
    appUid: application?.uid ?? null,
    endpointId: endpoint.id,
    endpointUid: endpoint.uid,
  }
}

/** The message that proves that operational webhooks arrive. */
export function testMessage(key: string): OperationalMessage {
  const message = 'This is a test: alarms will arrive here.'
  return { type: 'alarm.test', data: { message }, text: `*Test*\n${message}`, key }
}

/** The messages about an alarm: the notice itself and, for a disabled endpoint, what Svix sends. */
export function messagesOf(
  alarm: Alarm,
  about: { readonly names: EndpointNames; readonly failSince: Instant } | null,
  key: string,
): OperationalMessage[] {
  const notice = noticeOf(alarm, about?.names ?? null, key)
  if (about === null || alarm.owed !== 'raised') return [notice]
  if (alarm.signal === 'endpoint-disabled') return [notice, disabledOf(about, key)]
  return alarm.signal === 'endpoint-failing' ? [notice, failingOf(alarm, about, key)] : [notice]
}

/** The part of an alarm's text that people read first. */
function headline(alarm: Pick<Alarm, 'signal' | 'level'>, kind: NoticeKind): string {
  const words = alarm.signal.replaceAll('-', ' ')
  return kind === 'resolved'
    ? `Resolved: ${words}`
    : `${severityOfAlarm(alarm) === 'page' ? 'Page' : 'Warning'}: ${words}`
}

/** The body that a Slack incoming webhook accepts. */
export function slackBody(text: string): Uint8Array {
  return Buffer.from(JSON.stringify({ text }))
}

function noticeOf(alarm: Alarm, names: EndpointNames | null, key: string): OperationalMessage {
  const kind = alarm.owed ?? 'raised'
  const { id, signal, value, threshold, raisedAt, resolvedAt } = alarm
  const message = sentenceOf(alarm)
  return {
    type: kind === 'resolved' ? 'alarm.resolved' : 'alarm.raised',
    data: {
      alarmId: id,
      signal,
      severity: kind === 'resolved' ? signalRules[signal].severities[0] : severityOfAlarm(alarm),
      message,
      value,
      threshold,
      raisedAt: isoTime(raisedAt ?? 0),
      ...(kind === 'resolved' ? { resolvedAt: isoTime(resolvedAt ?? 0) } : { repeated: kind === 'repeated' }),
      ...names,
    },
    text: `*${headline(alarm, kind)}*\n${message}`,
    key,
  }
}

function disabledOf({ names, failSince }: NonNullable<Parameters<typeof messagesOf>[1]>, key: string) {
  return {
    type: 'endpoint.disabled',
    data: { ...names, failSince: isoTime(failSince) },
    text: null,
    key: `${key}:endpoint`,
  }
}

function failingOf(
  { level }: Alarm,
  { names, failSince }: NonNullable<Parameters<typeof messagesOf>[1]>,
  key: string,
): OperationalMessage {
  const disabledAt = isoTime(failSince + disableAfterMs)
  return {
    type: 'endpoint.failing',
    data: { ...names, failSince: isoTime(failSince), disabledAt, isLast: level === 2 },
    text: null,
    key: `${key}:endpoint`,
  }
}
