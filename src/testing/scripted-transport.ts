import type { Outcome } from '../core/delivery/attempt.ts'
import { expected } from '../core/errors.ts'
import { textOf } from '../core/message/message.ts'
import type { Clock, OutgoingRequest, Transport } from '../core/ports/ports.ts'
import type { Instant } from '../core/time.ts'

/** A transport without a network: it answers 200, or whatever a test has scripted, and remembers its requests. */
export interface ScriptedTransport extends Transport {
  /** In the order of sending. */
  readonly requests: readonly RecordedRequest[]
  /** Scripts the answers for a URL, or for every request that a predicate matches; the latest matching script wins. */
  answer(which: Which, script: Script, options?: { readonly delayMs?: number }): void
  /** Keeps requests to a URL open, beyond any timeout, until they are released or the transport is closed. */
  hold(which: Which): Hold
  /** Resolves once this many requests have been sent in total. */
  sent(count: number): Promise<void>
  /** Requests to a URL that are open now. */
  open(url: string): number
  /** The most requests to a URL that were ever open at once. */
  mostOpen(url: string): number
}

export interface RecordedRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** When it was sent, by the given clock; null without one. */
  readonly at: Instant | null
}

export type Which = string | ((request: OutgoingRequest) => boolean)

/** A status code, an outcome, or a function of the request; if it throws, the transport breaks its promise. */
export type Script = number | Outcome | ((request: OutgoingRequest) => number | Outcome | Promise<number | Outcome>)

export interface Hold {
  /** Requests that are being held. */
  readonly waiting: number
  /** Releases the held requests, and holds no more. */
  release(): void
}

interface Rule {
  readonly which: Which
  readonly script: Script
  readonly delayMs: number
}

interface HeldBack {
  readonly which: Which
  /** One per held request: releases it. */
  readonly gates: Set<() => void>
}

/** An open request: how to end it before its answer. */
interface Call {
  readonly end: (outcome: Outcome) => void
  cancelTimer: () => void
}

const defaultRule: Rule = { which: () => true, script: 200, delayMs: 0 }

/** Creates a scripted transport; the clock is needed only for delays. */
export function scriptedTransport(clock: Clock | null = null): ScriptedTransport {
  return new MemoryTransport(clock)
}

class MemoryTransport implements ScriptedTransport {
  readonly requests: RecordedRequest[] = []
  readonly #clock: Clock | null
  readonly #rules: Rule[] = []
  readonly #holds = new Set<HeldBack>()
  readonly #calls = new Set<Call>()
  readonly #counts = new Map<string, { open: number; most: number }>()
  readonly #waiters = new Set<{ readonly count: number; readonly resolve: () => void }>()

  constructor(clock: Clock | null) {
    this.#clock = clock
  }

  async send(request: OutgoingRequest): Promise<Outcome> {
    this.#record(request)
    const count = this.#counts.get(request.url) ?? { open: 0, most: 0 }
    this.#counts.set(request.url, count)
    count.open += 1
    count.most = Math.max(count.most, count.open)
    try {
      return await this.#deliver(request)
    } finally {
      count.open -= 1
    }
  }

  async close(): Promise<void> {
    for (const { gates } of this.#holds) gates.clear()
    for (const call of this.#calls) {
      call.cancelTimer()
      call.end({ kind: 'reset', reason: 'The transport was closed' })
    }
    this.#calls.clear()
  }

  answer(which: Which, script: Script, { delayMs = 0 }: { readonly delayMs?: number } = {}): void {
    if (delayMs > 0 && this.#clock === null) {
      const advice = 'Make the transport with `scriptedTransport(clock)`.'
      throw expected('invalid_argument', 'delayMs', 'used with a clock', delayMs, advice)
    }
    this.#rules.push({ which, script, delayMs })
  }

  hold(which: Which): Hold {
    const held: HeldBack = { which, gates: new Set() }
    this.#holds.add(held)
    return holdOf(held, this.#holds)
  }

  async sent(count: number): Promise<void> {
    if (this.requests.length >= count) return
    await new Promise<void>((resolve) => this.#waiters.add({ count, resolve }))
  }

  open(url: string): number {
    return this.#counts.get(url)?.open ?? 0
  }

  mostOpen(url: string): number {
    return this.#counts.get(url)?.most ?? 0
  }

  #record({ url, headers, body }: OutgoingRequest): void {
    this.requests.push({ url, headers, body: textOf(body), at: this.#clock?.now() ?? null })
    for (const waiter of this.#waiters) {
      if (this.requests.length < waiter.count) continue
      this.#waiters.delete(waiter)
      waiter.resolve()
    }
  }

  #deliver(request: OutgoingRequest): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const call: Call = { end: resolve, cancelTimer: () => {} }
      this.#calls.add(call)
      this.#answerTo(request, call)
        .then(resolve, reject)
        .finally(() => this.#calls.delete(call))
    })
  }

  async #answerTo(request: OutgoingRequest, call: Call): Promise<Outcome> {
    const held = [...this.#holds].findLast(({ which }) => fits(which, request))
    if (held !== undefined) await new Promise<void>((resolve) => held.gates.add(resolve))
    const { script, delayMs } = this.#rules.findLast(({ which }) => fits(which, request)) ?? defaultRule
    if (delayMs > 0) await this.#wait(Math.min(delayMs, request.timeoutMs), call)
    if (delayMs > request.timeoutMs) return { kind: 'timeout', reason: `No answer within ${request.timeoutMs} ms` }
    return asOutcome(typeof script === 'function' ? await script(request) : script)
  }

  #wait(ms: number, call: Call): Promise<void> {
    return new Promise((resolve) => {
      call.cancelTimer = this.#clock?.after(ms, resolve) ?? call.cancelTimer
    })
  }
}

function holdOf(held: HeldBack, holds: Set<HeldBack>): Hold {
  return {
    get waiting() {
      return held.gates.size
    },
    release() {
      holds.delete(held)
      for (const open of held.gates) open()
      held.gates.clear()
    },
  }
}

function fits(which: Which, request: OutgoingRequest): boolean {
  return typeof which === 'string' ? which === request.url : which(request)
}

function asOutcome(answer: number | Outcome): Outcome {
  return typeof answer === 'number'
    ? { kind: 'answered', statusCode: answer, responseBody: '', retryAfterMs: null }
    : answer
}
