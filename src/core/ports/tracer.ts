import type { Outcome } from '../delivery/attempt.ts'
import type { Message } from '../message/message.ts'
import type { Claim } from './queue.ts'

/** What makes spans of sends and attempts. Each call answers with null if nobody traces, and then costs next to nothing. */
export interface Tracer {
  /** Begins the span of a message that is about to be stored. */
  send(about: SendAbout): SendSpan | null
  /** Begins the span of a request that is about to leave, linked to the one that sent its message. */
  attempt(about: AttemptAbout): AttemptSpan | null
}

export interface SendAbout {
  /** The application, as the sender names it. */
  readonly application: string
  readonly message: Pick<Message, 'id' | 'type' | 'body'>
  /** The trace that the caller's request belongs to, in the form of `traceContext`; null if it did not say. */
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
  /** Headers by which the endpoint can join the trace: `traceparent`, and `tracestate` if there is one. */
  readonly headers: Readonly<Record<string, string>>
  end(outcome: Outcome): void
}
