import { z } from 'zod'
import { textOf } from '../../../core/message/message.ts'
import type { Message } from '../../../core/message/message.ts'
import { isoTime } from '../../../core/time.ts'
import { applicationIn } from './application.ts'
import { channel, dateTime, eventTypeName, uid } from '../common.ts'

export const messageIn = z
  .object({
    eventType: eventTypeName,
    payload: z.record(z.string(), z.unknown()).meta({ description: 'Sent byte for byte as it is written here.' }),
    eventId: uid.nullish().meta({ description: 'Your own name for the event; a second message with it is refused.' }),
    channels: z.array(channel).min(1).max(5).nullish(),
    application: applicationIn
      .nullish()
      .meta({ description: 'Creates the application in the path, if there is none.' }),
    transformationsParams: z
      .object({
        rawPayload: z.string().nullish().meta({
          description:
            'The body itself, sent as these characters in UTF-8 in the place of `payload`, which is then {}.',
        }),
        headers: z
          .record(z.string(), z.string())
          .nullish()
          .meta({ description: 'Only `content-type`: that of the body.' }),
      })
      .nullish()
      .meta({
        description: 'A body that is no JSON object, or not written by this client; there are no transformations.',
      }),
    sessionId: z
      .string()
      .min(1)
      .max(256)
      .nullish()
      .meta({ description: 'The session in which it happened; dead-letter events carry it.' }),
    deliverAt: dateTime.nullish().meta({ description: 'Not before this time; at most 30 days ahead.' }),
    payloadRetentionPeriod: z.int().min(5).max(90).nullish().meta({
      description:
        'Days after which the payload is erased, once no delivery is open; otherwise it is kept with the history (POSTHORN_HISTORY_DAYS).',
    }),
  })
  .meta({ id: 'MessageIn' })

const shown = {
  id: z.string(),
  eventType: eventTypeName,
  eventId: uid.nullable(),
  channels: z.array(channel).nullable(),
  payload: z
    .record(z.string(), z.unknown())
    .meta({ description: 'A body that is no JSON object is shown as the text `rawPayload`.' }),
  timestamp: dateTime,
}
export const messageOut = z.object(shown).meta({ id: 'MessageOut' })
export const shownMessage = z.object(shown)

type Head = Pick<Message, 'id' | 'type' | 'eventId' | 'channels' | 'createdAt'>

/** A stored message as JSON text: with its payload byte for byte, or without. */
export function messageText(
  message: Message,
  withContent: boolean,
  more: Readonly<Record<string, unknown>> = {},
): string {
  return withPayload(message, withContent ? payloadText(message) : '{}', more)
}

/** A message as JSON text, around the JSON text of its payload. */
export function withPayload(
  { id, type, eventId, channels, createdAt }: Head,
  payload: string,
  more: Readonly<Record<string, unknown>> = {},
): string {
  const head = {
    id,
    eventType: type,
    eventId,
    channels: channels.length === 0 ? null : channels,
    timestamp: isoTime(createdAt),
    ...more,
  }
  return `${JSON.stringify(head).slice(0, -1)},"payload":${payload}}`
}

function payloadText({ body, erasedAt }: Pick<Message, 'body' | 'erasedAt'>): string {
  return erasedAt === null ? objectText(textOf(body)) : '{"expired":true}'
}

/** The JSON text of a payload. A raw body can be anything, but typed clients can only read an object here. */
export function objectText(body: string): string {
  return isObject(body) ? body : JSON.stringify({ rawPayload: body })
}

function isObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value)
  } catch {
    return false
  }
}
