import { PosthornError } from '../core/errors.ts'
import { checkUrl } from '../core/endpoint.ts'
import type { Outcome } from '../core/attempt.ts'
import type { Clock, OutgoingRequest, Transport } from '../core/ports.ts'
import { day } from '../core/time.ts'
import { makeDialer } from './dial.ts'
import type { Connect, Lookup } from './dial.ts'
import { Exchange } from './exchange.ts'
import { closedFailure, forbiddenFailure } from './failure.ts'
import type { Failure } from './failure.ts'
import type { Guard } from './guard.ts'
import { Origin } from './origin.ts'
import { makeWheel } from './wheel.ts'

export interface HttpTransportOptions {
  readonly clock: Clock
  readonly guard: Guard
  /** Connections per origin. */
  readonly pool?: number
  /** Origins whose connections are kept, beside those in use. */
  readonly mostOrigins?: number
  /** Certificates (PEM) to trust beside the public ones. */
  readonly ca?: readonly string[]
  readonly lookup?: Lookup
  readonly connect?: Connect
}

/** The knock over HTTP/1.1: POST, no redirects, no proxy; only to addresses that the guard allows. */
export function httpTransport(options: HttpTransportOptions): Transport {
  const { clock, guard, pool = 20, mostOrigins = 1000 } = options
  const wheel = makeWheel(clock)
  const dialer = makeDialer({ guard, wheel, lookup: options.lookup, connect: options.connect, ca: options.ca })
  const targets = new Map<string, Target>()
  const origins = new Map<string, Origin>()
  // Those without an open request, the least recently used first.
  const idle = new Set<Origin>()
  let isClosed = false

  function send(request: OutgoingRequest): Promise<Outcome> {
    return new Promise((resolve) => {
      try {
        begin(request, resolve)
      } catch {
        resolve({ kind: 'protocol', reason: 'request cannot be sent' })
      }
    })
  }

  function begin(request: OutgoingRequest, resolve: (outcome: Outcome) => void): void {
    if (isClosed) return resolve(closedFailure)
    const target = targetOf(request.url)
    if (target.refusal !== null) return resolve(target.refusal)
    if (!(request.body instanceof Uint8Array)) return resolve({ kind: 'protocol', reason: 'request cannot be sent: its body is not bytes' })

    const exchange = new Exchange(request, target.path, clock, wheel, resolve)
    const origin = target.origin === null || target.origin.closed ? originOf(target) : target.origin
    idle.delete(origin)
    wheel.add(exchange, request.timeoutMs >= 0 ? Math.min(request.timeoutMs, day) : 0)
    origin.take(exchange)
  }

  /** Each URL is parsed and checked once; there are far fewer URLs than requests. */
  function targetOf(url: string): Target {
    const known = targets.get(url)
    if (known !== undefined) return known
    if (targets.size >= mostTargets) targets.clear()
    const target = readTarget(url, guard)
    targets.set(url, target)
    return target
  }

  function originOf(target: Target): Origin {
    let origin = origins.get(target.name)
    if (origin === undefined) {
      origin = new Origin({ origin: target.name, most: pool, dialer, onIdle: rest })
      origins.set(target.name, origin)
      forgetOldest()
    }
    target.origin = origin
    return origin
  }

  function rest(origin: Origin): void {
    if (origin.closed) return
    idle.add(origin)
    forgetOldest()
  }

  /** Origins in use are never closed, so for a while there may be more than the limit. */
  function forgetOldest(): void {
    for (const origin of idle) {
      if (origins.size <= mostOrigins) return
      idle.delete(origin)
      origins.delete(origin.name)
      origin.close()
    }
  }

  async function close(): Promise<void> {
    isClosed = true
    for (const origin of origins.values()) origin.close()
    origins.clear()
    idle.clear()
    targets.clear()
    await dialer.allClosed()
  }

  return { send, close }
}

const mostTargets = 10_000

/** What a URL means: where to connect and what to ask for there, or why not. */
interface Target {
  readonly name: string
  readonly path: string
  readonly refusal: Failure | null
  origin: Origin | null
}

function readTarget(text: string, guard: Guard): Target {
  try {
    const url = checkUrl(text)
    guard.checkUrl(url)
    return { name: url.origin, path: url.pathname + url.search, refusal: null, origin: null }
  } catch (error) {
    const isForbidden = error instanceof PosthornError && error.code === 'forbidden_address'
    const refusal: Failure = isForbidden ? forbiddenFailure : { kind: 'protocol', reason: 'URL cannot be called' }
    return { name: '', path: '', refusal, origin: null }
  }
}
