import type { Dispatcher } from 'undici'
import type { Outcome } from '../core/attempt.ts'
import type { Clock, OutgoingRequest } from '../core/ports.ts'
import { excerptOf, mostBodyBytes, mostExcerptBytes } from './excerpt.ts'
import { exchangeFailure, timeoutFailure } from './failure.ts'
import type { Failure } from './failure.ts'
import { retryAfterMs } from './retry-after.ts'
import type { Timed, Wheel } from './wheel.ts'

/** The connection that carries an exchange. */
export interface Carrier {
  /** The answer is complete, and the connection fit for another request. */
  release(): void
  /** The connection is no longer of use. */
  discard(): void
  /** Why it never came about, if that is known better than undici knows. */
  dialFailure(): Failure | null
}

/**
 * One request and its answer: undici's handler, the entry in the wheel and the place in the queue in one object,
 * because this is the hot path. Whatever happens, it resolves once; the status line decides, and what the body does
 * afterwards changes nothing.
 */
export class Exchange implements Dispatcher.DispatchHandler, Timed {
  deadline = 0
  before: Timed = this
  behind: Timed = this
  /** The next that waits for a connection. */
  nextWaiting: Exchange | null = null
  carrier: Carrier | null = null
  done = false

  readonly options: Dispatcher.DispatchOptions
  private readonly timeoutMs: number
  private readonly clock: Clock
  private readonly wheel: Wheel
  private readonly resolve: (outcome: Outcome) => void
  private statusCode = 0
  private retryAfterMs: number | null = null
  private chunks: Buffer[] | null = null
  private bodyBytes = 0

  constructor(request: OutgoingRequest, path: string, clock: Clock, wheel: Wheel, resolve: (outcome: Outcome) => void) {
    // Not blocking: undici would look after every head whether another request may follow on the same connection; none does.
    this.options = { path, method: 'POST', headers: flatHeaders(request.headers), body: request.body, blocking: false }
    this.timeoutMs = request.timeoutMs
    this.clock = clock
    this.wheel = wheel
    this.resolve = resolve
  }

  onRequestStart(): void {
    // Undici takes the newer handler interface only from handlers that have this method.
  }

  onResponseStart(_controller: unknown, statusCode: number, headers: Readonly<Record<string, string | string[] | undefined>>): void {
    if (statusCode < 200) return // Informational: the answer follows.
    this.statusCode = statusCode
    const retryAfter = headers['retry-after']
    if (retryAfter !== undefined) this.retryAfterMs = retryAfterMs(retryAfter, this.clock.now())
  }

  onResponseData(_controller: unknown, chunk: Buffer): void {
    if (this.done) return
    if (this.chunks === null) this.chunks = [chunk]
    else if (this.bodyBytes < mostExcerptBytes) this.chunks.push(chunk)
    this.bodyBytes += chunk.length
    if (this.bodyBytes > mostBodyBytes) this.cut(this.answer())
  }

  onResponseEnd(): void {
    const carrier = this.carrier
    this.carrier = null
    this.settle(this.answer())
    carrier?.release()
  }

  onResponseError(_controller: unknown, error: Error): void {
    if (this.carrier === null) return // The late echo of a connection that was cut.
    this.cut(this.statusCode === 0 ? (this.carrier.dialFailure() ?? exchangeFailure(error)) : this.answer())
  }

  expire(): void {
    this.end(timeoutFailure(this.timeoutMs))
  }

  /** Ends it from outside. An answer whose head has come is still an answer. */
  end(failure: Failure): void {
    this.cut(this.statusCode === 0 ? failure : this.answer())
  }

  private cut(outcome: Outcome): void {
    const carrier = this.carrier
    this.carrier = null
    this.settle(outcome)
    carrier?.discard()
  }

  private settle(outcome: Outcome): void {
    if (this.done) return
    this.done = true
    this.wheel.remove(this)
    this.resolve(outcome)
  }

  private answer(): Outcome {
    const excerpt = this.chunks === null ? '' : excerptOf(this.chunks)
    return { kind: 'answered', statusCode: this.statusCode, excerpt, retryAfterMs: this.retryAfterMs }
  }
}

/** Undici takes names and values in one flat list most cheaply. A compressed answer would have to be inflated to be read. */
function flatHeaders(headers: Readonly<Record<string, string>>): string[] {
  const flat = ['accept-encoding', 'identity']
  for (const name in headers) flat.push(name, headers[name] ?? '')
  return flat
}
