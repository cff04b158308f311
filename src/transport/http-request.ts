import type { Dispatcher } from 'undici'
import { succeeded } from '../core/delivery/attempt.ts'
import type { Outcome } from '../core/delivery/attempt.ts'
import type { Wire } from '../core/delivery/diagnostics.ts'
import type { OutgoingRequest } from '../core/ports/ports.ts'
import { second } from '../core/time.ts'
import type { Deadlines, Timed } from './deadlines.ts'
import { requestFailure, timeoutFailure } from './failure.ts'
import type { Failure } from './failure.ts'
import { mostBodyBytes, mostKeptBytes, truncatedText } from './response-body.ts'
import { retryAfterMs } from './retry-after.ts'
import { freshTiming, reusedTiming } from './steps.ts'
import type { Steps } from './steps.ts'

/** What a request needs from its connection. */
export interface Carrier {
  /** The response is complete, and the connection can take another request. */
  release(): void
  /** The connection can no longer be used. */
  discard(): void
  /** Why it was never established, or broke, if that is known better than by undici. */
  failureOf(): Failure | null
  /** What a time limit that ends now means, if it is not the endpoint that keeps us waiting. */
  stalled(): Failure | null
  /** How the connection was established, or how far it is; null if that has not begun. */
  steps(): Steps | null
  /** True if it was open before the request. */
  wasOpen(): boolean
}

type Head = Readonly<Record<string, string | string[] | undefined>>

// The status decides. The body is only for the record, and for the connection, which can be reused once the body has ended. A slow
// body must not occupy a place in flight until the time limit.
const bodyBudgetMs = second

/**
 * One HTTP request under way: undici's handler and its deadline in one object, because this is the hot path.
 * Whatever happens, it resolves once; the status line decides, and nothing about the body changes that.
 */
export class HttpRequest implements Dispatcher.DispatchHandler, Timed {
  deadline = 0
  before: Timed = this
  behind: Timed = this
  carrier: Carrier | null = null
  /** In the time of the deadlines, like the next. */
  startedAt = 0
  private headAt: number | null = null
  private head: Head | null = null

  readonly options: Dispatcher.DispatchOptions
  private readonly timeoutMs: number
  private readonly deadlines: Deadlines
  private readonly resolve: (outcome: Outcome) => void
  private readonly observe: OutgoingRequest['observe']
  private isSettled = false
  private statusCode = 0
  private retryAfterMs: number | null = null
  private chunks: Buffer[] | null = null
  private bodyBytes = 0

  constructor(request: OutgoingRequest, path: string, deadlines: Deadlines, resolve: (outcome: Outcome) => void) {
    // Not blocking: undici would check after every head whether another request may follow on the same connection; none does.
    this.options = { path, method: 'POST', headers: flatHeaders(request.headers), body: request.body, blocking: false }
    this.timeoutMs = request.timeoutMs
    this.deadlines = deadlines
    this.resolve = resolve
    this.observe = request.observe
  }

  onRequestStart(): void {
    // Undici uses the newer handler interface only if a handler has this method.
  }

  onResponseStart(_controller: unknown, statusCode: number, headers: Head): void {
    if (statusCode < 200) return // Informational: the response follows.
    this.statusCode = statusCode
    const retryAfter = headers['retry-after']
    if (retryAfter !== undefined) this.retryAfterMs = retryAfterMs(retryAfter, this.deadlines.clock.now())
    this.headAt = this.deadlines.shorten(this, bodyBudgetMs)
    this.head = headers
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.isSettled) return
    if (this.chunks === null) this.chunks = [chunk]
    else if (this.bodyBytes < mostKeptBytes) this.chunks.push(chunk)
    this.bodyBytes += chunk.length
    if (this.bodyBytes > mostBodyBytes) this.cut(this.answer())
  }

  onResponseEnd(): void {
    const carrier = this.carrier
    this.carrier = null
    this.settle(this.answer(), carrier)
    carrier?.release()
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.carrier === null) return // The late echo of a connection that was cut.
    this.cut(this.statusCode === 0 ? (this.carrier.failureOf() ?? requestFailure(error)) : this.answer())
  }

  expire(): void {
    this.end(this.carrier?.stalled() ?? timeoutFailure(this.timeoutMs))
  }

  /** More has come in than a response may have. */
  overflow(): void {
    this.end({ kind: 'protocol', reason: 'answer too large' })
  }

  /** Ends it from outside. A response whose head has arrived still counts. */
  end(failure: Failure): void {
    this.cut(this.statusCode === 0 ? failure : this.answer())
  }

  private cut(outcome: Outcome): void {
    const carrier = this.carrier
    this.carrier = null
    this.settle(outcome, carrier)
    carrier?.discard()
  }

  private settle(outcome: Outcome, carrier: Carrier | null): void {
    if (this.isSettled) return
    this.isSettled = true
    this.deadlines.remove(this)
    if (this.observe !== undefined && !succeeded(outcome)) this.observe(this.wire(carrier))
    this.resolve(outcome)
  }

  private wire(carrier: Carrier | null): Wire {
    const { startedAt, headAt, head } = this
    const steps = carrier?.steps() ?? null
    const headMs = headAt === null ? null : headAt - startedAt
    const totalMs = this.deadlines.now() - startedAt
    return {
      timing: carrier?.wasOpen() === true ? reusedTiming(headMs, totalMs) : freshTiming(steps, headMs, totalMs),
      address: steps?.address ?? null,
      headers: head === null ? null : plainHeaders(head),
    }
  }

  private answer(): Outcome {
    const responseBody = this.chunks === null ? '' : truncatedText(this.chunks)
    return { kind: 'answered', statusCode: this.statusCode, responseBody, retryAfterMs: this.retryAfterMs }
  }
}

/** A header that occurs several times is one list, as in HTTP. */
function plainHeaders(head: Head): Record<string, string> {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(head))
    if (value !== undefined) headers[name] = typeof value === 'string' ? value : value.join(', ')
  return headers
}

/** Undici takes a flat list of names and values most cheaply. A compressed response would have to be decompressed to be read. */
function flatHeaders(headers: Readonly<Record<string, string>>): string[] {
  const flat = ['accept-encoding', 'identity']
  for (const name in headers) flat.push(name, headers[name] ?? '')
  return flat
}
