import { expected, messageOf, PosthornError } from '../errors.ts'
import { isoTime } from '../time.ts'
import type { Instant } from '../time.ts'

/** Something that happened: its type and the exact bytes that every endpoint gets. Stored once. */
export interface Message {
  readonly id: string
  readonly applicationId: string
  readonly type: string
  /** The sender's own id for the event: unique within an application. */
  readonly eventId: string | null
  readonly body: Uint8Array
  readonly contentType: string
  readonly sessionId: string | null
  readonly channels: readonly string[]
  /** The span that sent it, as `traceparent` and, if there is one, a space and `tracestate`; null without tracing. */
  readonly traceContext: string | null
  readonly createdAt: Instant
  /** When its body was erased for good; null if it was not. */
  readonly erasedAt: Instant | null
}

export const mostBodyBytes = 1024 * 1024
const mostTypeLength = 256
const eventType = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/

/** Refuses an invalid event type. Valid are words of letters, digits, _ and -, joined by dots. */
export function checkEventType(type: unknown, name = 'type'): string {
  if (typeof type === 'string' && type.length <= mostTypeLength && eventType.test(type)) return type
  throw expected(
    'invalid_event_type',
    name,
    'words of letters, digits, _ or - joined by dots, such as invoice.paid',
    type,
  )
}

/** The Standard Webhooks envelope of the data, as the bytes that will be signed and sent. */
export function envelope(type: string, at: Instant, data: unknown): Uint8Array {
  return Buffer.from(`{"type":${JSON.stringify(type)},"timestamp":"${isoTime(at)}","data":${json(data)}}`)
}

export function checkBody(body: Uint8Array, name = 'body'): Uint8Array {
  if (body.length <= mostBodyBytes) return body
  throw expected(
    'body_too_large',
    name,
    `at most ${mostBodyBytes} bytes`,
    body.length,
    'Send a link to the data instead.',
  )
}

/** A body as text; reads the bytes without copying them. */
export function textOf(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString()
}

/** JSON silently drops undefined, functions and symbols: as the data itself they would send an empty message. */
function json(data: unknown): string {
  let text: string | undefined
  try {
    text = JSON.stringify(data)
  } catch (cause) {
    const advice = 'Remove cycles and BigInts, or give the bytes yourself as `payload`.'
    throw new PosthornError(
      'not_serialisable',
      `Expected \`data\` to be a JSON value: ${messageOf(cause)}. ${advice}`,
      { cause },
    )
  }
  if (text !== undefined) return text
  throw expected('not_serialisable', 'data', 'a JSON value', data, 'Give `data`, or raw bytes as `payload`.')
}
