import { z } from 'zod'
import type { Application } from '../../../core/endpoint/endpoint.ts'
import type { Message } from '../../../core/message/message.ts'
import type { MessageProgress } from '../../../core/ports/directory/messages.ts'
import { isoTime } from '../../../core/time.ts'
import { channel, dateTime, eventTypeName } from '../common.ts'
import { shownMessage, toMessage } from './delivery/delivery.ts'

const count = z.int()
const about = {
  application: z.object({ id: z.string(), uid: z.string().nullable(), name: z.string() }),
  deliveries: z
    .object({ pending: count, failed: count, delivered: count, dead: count })
    .meta({ description: 'How many deliveries of it have each status.' }),
}

export const messageOverviewOut = z
  .object({
    id: z.string(),
    eventId: z.string().nullable(),
    eventType: z.string(),
    channels: z.array(channel).nullable(),
    createdAt: dateTime,
    bytes: count,
    erased: z.boolean(),
    ...about,
  })
  .meta({ id: 'MessageOverview' })

export const messageDetailOut = z
  .object({ ...shownMessage, sessionId: z.string().nullable(), ...about })
  .meta({ id: 'MessageDetailOut' })

export const payloadCheckIn = z
  .object({ eventType: eventTypeName, payload: z.record(z.string(), z.unknown()) })
  .meta({ id: 'PayloadCheckIn' })
export const payloadCheckOut = z
  .object({ problem: z.string().nullable().meta({ description: 'Null if nothing is wrong, or there is no schema.' }) })
  .meta({ id: 'PayloadCheckOut' })

/** A message with its application and the state of its deliveries. */
export interface MessageInContext {
  readonly message: Message
  readonly application: Application | null
  readonly progress: MessageProgress
}

export function toMessageOverview(found: MessageInContext): z.input<typeof messageOverviewOut> {
  const { id, eventId, type, channels, createdAt, body, erasedAt } = found.message
  return {
    id,
    eventId,
    eventType: type,
    channels: channels.length === 0 ? null : [...channels],
    createdAt: isoTime(createdAt),
    bytes: body.length,
    erased: erasedAt !== null,
    ...toAbout(found),
  }
}

export function toMessageDetail(found: MessageInContext): z.input<typeof messageDetailOut> {
  return { ...toMessage(found.message), sessionId: found.message.sessionId, ...toAbout(found) }
}

function toAbout({ message: { applicationId }, application, progress }: MessageInContext) {
  const { pending, failed, delivered, dead } = progress
  return {
    application: { id: applicationId, uid: application?.uid ?? null, name: application?.name ?? '' },
    deliveries: { pending, failed, delivered, dead },
  }
}
