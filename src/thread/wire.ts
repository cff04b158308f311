import type { PosthornOptions } from '../config/options.ts'
import { messageOf, PosthornError } from '../core/errors.ts'
import type { ErrorCode } from '../core/errors.ts'
import type { EventType, PosthornEvent } from '../core/ports/events.ts'
import type { StoreRecipe } from '../core/ports/ports.ts'
import type { Outgoing, Sent } from '../engine/send/envelope.ts'
import type { MeterCall } from './recorded-meter.ts'

/** What the engine thread starts with. All of it can be sent. */
export interface ThreadData {
  readonly recipe: StoreRecipe
  /** The options without functions. */
  readonly options: Omit<PosthornOptions, 'store'>
  readonly workerId: string
  readonly isMetered: boolean
  /** Events and counts that the other thread has not received yet; beyond this they are dropped. */
  readonly mostUnheard: number
  /** The events that somebody listens for. */
  readonly wanted: readonly Wanted[]
  /** Numbers that both threads see: those of `shared`. */
  readonly shared: Int32Array
}

/** Indexes into the shared numbers. */
export const shared = { isParked: 0, inFlight: 1, openRequests: 2, received: 3, length: 4 } as const

export type Wanted = EventType | '*'

/** Whose call it is. */
export type Target = 'engine' | 'store' | 'queue' | 'directory'

/** To the engine thread: all calls of one turn of the event loop, in order. As lists, because field names cost more than their values. */
export interface Requests {
  readonly frames: readonly Request[]
  /** The bodies of its messages, one after the other; transferred, not copied. Null if there are none. */
  readonly bodies: ArrayBuffer | null
}

export type Request =
  | readonly [kind: 'send', id: number, message: SentMessage]
  | readonly [kind: 'call', id: number, target: Target, name: string, given: readonly unknown[]]
  /** A call that nobody waits for. */
  | readonly [kind: 'tell', target: Target, name: string]
  | readonly [kind: 'want', type: Wanted, isWanted: boolean]
  /** Leave the driver alone from now on: the thread or the process ends. Without an id, no answer is expected. */
  | readonly [kind: 'park', id: number | null]

/** From the engine thread. */
export type Response =
  | readonly [kind: 'sent', id: number, messageId: string, deliveries: number, repeated: boolean]
  | readonly [kind: 'answer', id: number, answer: unknown]
  | readonly [kind: 'error', id: number, code: ErrorCode | null, message: string, stack: string]
  | readonly [kind: 'event', event: PosthornEvent]
  | readonly [kind: 'meter', call: MeterCall]

type SentMessage = readonly [
  application: string,
  id: string,
  type: string,
  eventId: string | null,
  contentType: string,
  sessionId: string | null,
  channels: readonly string[],
  traceContext: string | null,
  createdAt: number,
  idempotencyKey: string | null,
  deliverAt: number | null,
  mustExist: boolean,
  to: string | null,
  bodyBytes: number,
  /** How many bytes after the body in `bodies` the idempotency hash covers; null if it covers the body, or there is no key. */
  contentBytes: number | null,
]

/** A message in the form of the wire; its bytes go to `bodies`. */
export function toWire(outgoing: Outgoing, bodies: Uint8Array[]): SentMessage {
  const { application, message, idempotencyKey, content, deliverAt, mustExist, to } = outgoing
  const { id, type, eventId, body, contentType, sessionId, channels, traceContext, createdAt } = message
  const isApart = idempotencyKey !== null && content !== body
  bodies.push(body)
  if (isApart) bodies.push(content)
  return [
    application,
    id,
    type,
    eventId,
    contentType,
    sessionId,
    channels,
    traceContext,
    createdAt,
    idempotencyKey,
    deliverAt,
    mustExist,
    to,
    body.length,
    isApart ? content.length : null,
  ]
}

/** Reads messages from the wire, in the order in which they were written. */
export class Bodies {
  readonly #all: Uint8Array
  #read = 0

  constructor(all: ArrayBuffer | null) {
    this.#all = all === null ? new Uint8Array() : new Uint8Array(all)
  }

  outgoing(given: SentMessage): Outgoing {
    const [application, id, type, eventId, contentType, sessionId, channels, traceContext, createdAt, ...more] = given
    const [idempotencyKey, deliverAt, mustExist, to, bodyBytes, contentBytes] = more
    const body = this.#next(bodyBytes)
    const about = { id, type, eventId, contentType, sessionId, channels, traceContext, createdAt }
    return {
      application,
      message: { ...about, body, erasedAt: null },
      idempotencyKey,
      content: contentBytes === null ? body : this.#next(contentBytes),
      deliverAt,
      mustExist,
      to,
    }
  }

  /** A copy: one slow delivery must not keep the bodies of a whole batch in memory. */
  #next(bytes: number): Uint8Array {
    const from = this.#read
    this.#read += bytes
    return Buffer.from(this.#all.subarray(from, this.#read))
  }
}

export function sentResponse(id: number, { id: messageId, deliveries, repeated }: Sent): Response {
  return ['sent', id, messageId, deliveries, repeated]
}

export function errorResponse(id: number, thrown: unknown): Response {
  const code = thrown instanceof PosthornError ? thrown.code : null
  const stack = thrown instanceof Error ? (thrown.stack ?? '') : ''
  return ['error', id, code, messageOf(thrown), stack]
}

/** The error that was thrown in the engine thread, with its stack. */
export function errorFrom(code: ErrorCode | null, message: string, stack: string): Error {
  const error = code === null ? new Error(message) : new PosthornError(code, message)
  error.stack = stack
  return error
}
