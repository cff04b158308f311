import type { Outcome } from '../../../src/core/delivery/attempt.ts'
import type { OutgoingRequest } from '../../../src/core/ports/ports.ts'
import { Draw } from '../draw.ts'
import type { EndpointPlan } from '../scenario.ts'

/** How an endpoint answers, until it is told to behave otherwise. */
export interface Behaviour {
  readonly answer: number | 'hung' | 'refused' | 'proxy'
  /** From the request to the answer, at least and at most. */
  readonly tookMs: readonly [number, number]
  /** Of this share of the requests; the others are answered 200. */
  readonly share: number
  readonly otherwiseMs: readonly [number, number]
  readonly retryAfterMs: number | null
}

export const inOrder: Behaviour = { answer: 200, tookMs: [5, 80], share: 1, otherwiseMs: [5, 80], retryAfterMs: null }

/** One endpoint of the world: a little state machine that answers requests. */
export class Receiver {
  readonly plan: EndpointPlan
  /** Its id in the store. */
  id = ''
  /** Counts its URLs. */
  revision = 0
  behaviour: Behaviour = inOrder
  readonly #draw: Draw

  constructor(plan: EndpointPlan, seed: number) {
    this.plan = plan
    this.#draw = new Draw(seed, `receiver ${plan.id}`)
  }

  get url(): string {
    return urlOf(this.plan.id, this.revision)
  }

  /** What comes of a request, and how long that takes. */
  receive({ timeoutMs }: OutgoingRequest): { readonly afterMs: number; readonly outcome: Outcome } {
    const { answer, tookMs, share, otherwiseMs, retryAfterMs } = this.behaviour
    if (!this.#draw.chance(share)) return within(timeoutMs, this.#draw.between(...otherwiseMs), answered(200, null))
    const afterMs = this.#draw.between(...tookMs)
    if (answer === 'hung') return timedOut(timeoutMs)
    if (answer === 'refused') return within(timeoutMs, afterMs, { kind: 'connect', reason: 'refused' })
    if (answer === 'proxy') return within(timeoutMs, afterMs, { kind: 'proxy', reason: 'our proxy is away' })
    return within(timeoutMs, afterMs, answered(answer, retryAfterMs))
  }
}

/** The endpoint and revision that a URL stands for. */
export function addressOf(url: string): { readonly endpoint: number; readonly revision: number } {
  const match = /^https:\/\/e(\d+)\.example\/r(\d+)$/.exec(url)
  return { endpoint: Number(match?.[1]), revision: Number(match?.[2]) }
}

function urlOf(endpoint: number, revision: number): string {
  return `https://e${endpoint}.example/r${revision}`
}

function answered(statusCode: number, retryAfterMs: number | null): Outcome {
  return { kind: 'answered', statusCode, responseBody: '', retryAfterMs }
}

function within(
  timeoutMs: number,
  afterMs: number,
  outcome: Outcome,
): { readonly afterMs: number; readonly outcome: Outcome } {
  return afterMs >= timeoutMs ? timedOut(timeoutMs) : { afterMs, outcome }
}

function timedOut(timeoutMs: number): { readonly afterMs: number; readonly outcome: Outcome } {
  return { afterMs: timeoutMs, outcome: { kind: 'timeout', reason: 'no answer in time' } }
}
