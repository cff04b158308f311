import { checkChannel } from '../../core/endpoint/endpoint.ts'
import { expected } from '../../core/errors.ts'
import { isAnyId, makeId } from '../../core/ids.ts'
import { checkCount } from '../../core/limits/limits.ts'
import { checkBody, checkEventType, envelope } from '../../core/message/message.ts'
import type { Message } from '../../core/message/message.ts'
import { checkData, checkDataSync } from '../../core/message/schema.ts'
import type { Schema, SchemaInput } from '../../core/message/schema.ts'
import { day } from '../../core/time.ts'
import type { Instant, Random } from '../../core/time.ts'
import type { Outgoing } from '../../engine/send/envelope.ts'
import { checkApplication } from '../applications.ts'
import { refuseUnknown } from '../input/unknown-options.ts'

export type EventSchemas = Readonly<Record<string, Schema>>

/** The argument of `send`: `data` for the Standard Webhooks envelope, or a raw `payload`. Declared events type it. */
export type MessageInput<Events extends EventSchemas = EventSchemas> = string extends keyof Events
  ? WithData<string, unknown> | WithPayload<string>
  : { [Type in keyof Events & string]: WithData<Type, SchemaInput<Events[Type]>> | WithPayload<Type> }[keyof Events &
      string]

interface About<Type> {
  /** The application's uid or id; created on first use. */
  readonly application: string
  readonly type: Type
  /** Your own id for the event: a second message of the application with the same one is refused with `already_exists`. */
  readonly eventId?: string | undefined
  /** The same key within 24 hours stores the message once. */
  readonly idempotencyKey?: string
  readonly sessionId?: string
  readonly channels?: readonly string[]
  /** Not before this time; at most 30 days ahead. */
  readonly deliverAt?: Date | Instant
  /** Erases the body after this many days, once no delivery is open; otherwise it is kept with the history. */
  readonly payloadRetentionDays?: number
}

interface WithData<Type, Data> extends About<Type> {
  readonly data: Data
  readonly payload?: undefined
}

interface WithPayload<Type> extends About<Type> {
  /** Sent byte for byte. */
  readonly payload: string | Uint8Array
  readonly contentType?: string
  readonly data?: undefined
}

export type Given = About<string> & {
  readonly data?: unknown
  readonly payload?: string | Uint8Array | undefined
  readonly contentType?: string
}

const mostChannels = 20
const messageFields = [
  'application',
  'type',
  'data',
  'payload',
  'contentType',
  'eventId',
  'idempotencyKey',
  'sessionId',
  'channels',
  'deliverAt',
  'payloadRetentionDays',
] as const satisfies readonly (keyof Given)[]

/** A checked message, and the form in which it was given. */
export interface CheckedMessage extends Outgoing {
  /** True if it was given as `data`, and its body is the envelope. */
  readonly isEnvelope: boolean
  /** When its body is to be erased; null if it is kept with the history. */
  readonly eraseAt: Instant | null
}

/** What applies to all messages of one call. */
export interface SendContext extends Pick<Outgoing, 'mustExist' | 'to'> {
  readonly events: EventSchemas | undefined
  readonly now: Instant
  readonly random: Random
}

/** Checks one message before anything is stored. */
export async function checkMessage(given: Given, context: SendContext): Promise<CheckedMessage> {
  const checked = withoutSchema(given, context)
  const schema = schemaOf(given, context.events)
  if (schema !== null) await checkData(given.type, schema, given.data)
  return checked
}

/** The same for callers that cannot wait. */
export function checkMessageSync(given: Given, context: SendContext): CheckedMessage {
  const checked = withoutSchema(given, context)
  const schema = schemaOf(given, context.events)
  if (schema !== null) checkDataSync(given.type, schema, given.data)
  return checked
}

function withoutSchema(given: Given, { mustExist, to, now, random }: SendContext): CheckedMessage {
  if (typeof given !== 'object' || given === null)
    throw expected('invalid_argument', 'message', 'an object with application, type and data', given)
  refuseUnknown('send', given, messageFields)
  const type = checkEventType(given.type)
  const application = checkApplication(given.application)
  const { eventId, idempotencyKey, sessionId, channels } = checkNames(given)
  if (given.payload !== undefined && given.data !== undefined)
    throw expected('invalid_argument', 'message', 'given either `data` or `payload`', 'both')
  // Before any await: changes that the caller makes after the call must not affect the message.
  const body = checkBody(given.payload === undefined ? envelope(type, now, given.data) : bytesOf(given.payload))
  const contentType = checkContentType(given.contentType ?? 'application/json')
  return {
    application,
    idempotencyKey,
    // The envelope contains the time of the call, so a repeat under the same key would have another body.
    content: given.payload === undefined && idempotencyKey !== null ? envelope(type, 0, given.data) : body,
    deliverAt: checkDeliverAt(given.deliverAt, now),
    message: {
      id: makeId('msg', now, random),
      type,
      eventId,
      body,
      contentType,
      sessionId,
      channels,
      traceContext: null,
      createdAt: now,
      erasedAt: null,
    },
    isEnvelope: given.payload === undefined,
    eraseAt: eraseTime(given.payloadRetentionDays, now),
    mustExist,
    to,
  }
}

function checkNames(
  given: Given,
): Pick<Message, 'channels' | 'eventId' | 'sessionId'> & Pick<Outgoing, 'idempotencyKey'> {
  const { channels = [], eventId = null, idempotencyKey = null, sessionId = null } = given
  if (!Array.isArray(channels) || channels.length > mostChannels)
    throw expected('invalid_argument', 'channels', `a list of at most ${mostChannels}`, channels)
  channels.forEach(checkChannel)
  checkText('eventId', eventId)
  if (eventId !== null && isAnyId(eventId))
    throw expected('invalid_argument', 'eventId', "not of the form of Posthorn's own ids", eventId)
  checkText('idempotencyKey', idempotencyKey)
  checkText('sessionId', sessionId)
  return { channels: [...channels], eventId, idempotencyKey, sessionId }
}

/** The schema that the data must match; null if anything can be sent. */
function schemaOf({ type, payload }: Given, events: EventSchemas | undefined): Schema | null {
  if (events === undefined) return null
  const schema = Object.hasOwn(events, type) ? events[type] : undefined
  if (schema === undefined)
    throw expected('unknown_event_type', 'type', `one of the declared events (${Object.keys(events).join(', ')})`, type)
  return payload === undefined ? schema : null
}

function bytesOf(payload: unknown): Uint8Array {
  if (typeof payload === 'string') return Buffer.from(payload)
  if (payload instanceof Uint8Array) return Buffer.from(payload)
  throw expected('not_serialisable', 'payload', 'a string or bytes', payload, 'Use `data` for objects.')
}

function checkContentType(contentType: unknown): string {
  if (typeof contentType === 'string' && /^[\x21-\x7e][\x20-\x7e]{0,199}$/.test(contentType)) return contentType
  throw expected('invalid_header', 'contentType', 'printable ASCII of at most 200 characters', contentType)
}

function checkText(name: string, value: unknown): void {
  if (value === null || (typeof value === 'string' && value.length >= 1 && value.length <= 256)) return
  throw expected('invalid_argument', name, 'text of 1 to 256 characters', value)
}

function eraseTime(days: number | undefined, now: Instant): Instant | null {
  if (days === undefined) return null
  checkCount('payloadRetentionDays', days, 1, 3_650)
  return now + days * day
}

function checkDeliverAt(given: Date | Instant | undefined, now: Instant): Instant | null {
  if (given === undefined) return null
  const at = given instanceof Date ? given.getTime() : given
  if (Number.isSafeInteger(at) && at >= 0 && at <= now + 30 * day) return at
  throw expected('invalid_argument', 'deliverAt', 'a time at most 30 days ahead', String(given))
}
