import { z } from 'zod'
import { textOf } from '../../core/message.ts'
import type { Message } from '../../core/message.ts'
import { isoTime } from '../../core/time.ts'
import type { ListPage } from '../iterator.ts'
import { RawJson } from '../operation.ts'
import { applicationIn } from './application.ts'
import { channel, dateTime, eventTypeName, uid } from './common.ts'

export const messageIn = z.object({
  eventType: eventTypeName,
  payload: z.record(z.string(), z.unknown()).meta({ description: 'Sent byte for byte as it is written here.' }),
  eventId: uid.nullish().meta({ description: 'Your own name for the event; a second message with it is refused.' }),
  channels: z.array(channel).min(1).max(5).nullish(),
  application: applicationIn.nullish().meta({ description: 'Makes the application in the path, if there is none.' }),
  deliverAt: dateTime.nullish().meta({ description: 'Not before this time; at most 30 days ahead.' }),
  payloadRetentionPeriod: z.int().min(5).max(90).nullish().meta({ description: 'Accepted for clients that give it; the history is kept as the server is set up.' }),
}).meta({ id: 'MessageIn' })

const shown = {
  id: z.string(),
  eventType: eventTypeName,
  eventId: uid.nullable(),
  channels: z.array(channel).nullable(),
  payload: z.unknown(),
  timestamp: dateTime,
}
export const messageOut = z.object(shown).meta({ id: 'MessageOut' })
export const shownMessage = z.object(shown)

type Head = Pick<Message, 'id' | 'type' | 'eventId' | 'channels' | 'createdAt'>

/** A message that is kept, as JSON text: its payload byte for byte, or none. */
export function messageText(message: Message, withContent: boolean, more: Readonly<Record<string, unknown>> = {}): string {
  return withPayload(message, withContent ? payloadText(message) : '{}', more)
}

/** A message as JSON text, around the JSON text of its payload. */
export function withPayload({ id, type, eventId, channels, createdAt }: Head, payload: string, more: Readonly<Record<string, unknown>> = {}): string {
  const head = { id, eventType: type, eventId, channels: channels.length === 0 ? null : channels, timestamp: isoTime(createdAt), ...more }
  return `${JSON.stringify(head).slice(0, -1)},"payload":${payload}}`
}

/** A page whose items are JSON texts already. */
export function pageText({ data, ...rest }: ListPage<string>): RawJson {
  return new RawJson(`{"data":[${data.join(',')}],${JSON.stringify(rest).slice(1)}`)
}

/** A body that came in through the library may be anything: what is no JSON is shown as a string. */
function payloadText({ body, erasedAt }: Pick<Message, 'body' | 'erasedAt'>): string {
  if (erasedAt !== null) return '{"expired":true}'
  const text = textOf(body)
  return isJson(text) ? text : JSON.stringify(text)
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
