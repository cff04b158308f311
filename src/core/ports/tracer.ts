import type { Outcome } from '../delivery/attempt.ts'
import type { Message } from '../message/message.ts'
import type { Claim } from './queue.ts'

/** Creates spans for sends and attempts. Each call returns null if tracing is off, and then costs next to nothing. */
export interface Tracer {
  /** Starts the span of a message that is about to be stored. */
  send(about: SendAbout): SendSpan | null
  /** Starts the span of a request that is about to leave, linked to the span that sent its message. */
  attempt(about: AttemptAbout): AttemptSpan | null
}

export interface SendAbout {
  /** The application, as named by the sender. */
  readonly application: string
  readonly message: Pick<Message, 'id' | 'type' | 'body'>
  /** The trace of the caller's request, in the form of `traceContext`; null if not given. */
  readonly parent: string | null
}

export interface SendSpan {
  /** What is stored with the message. */
  readonly traceContext: string
  end(): void
  fail(error: unknown): void
}

export interface AttemptAbout {
  readonly delivery: Pick<Claim['delivery'], 'id' | 'endpointId' | 'messageId' | 'attemptCount'>
  readonly url: string
  readonly traceContext: string | null
}

export interface AttemptSpan {
  /** Headers with which the endpoint can join the trace: `traceparent`, and `tracestate` if there is one. */
  readonly headers: Readonly<Record<string, string>>
  end(outcome: Outcome): void
}
