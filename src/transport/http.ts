import type { Outcome } from '../core/delivery/attempt.ts'
import { Lru } from '../core/lru.ts'
import type { Clock, OutgoingRequest, Transport } from '../core/ports/ports.ts'
import { day } from '../core/time.ts'
import { Deadlines } from './deadlines.ts'
import { readDestination } from './destination.ts'
import type { Destination } from './destination.ts'
import { Dialer } from './dial.ts'
import type { Connect, Place } from './dial.ts'
import { closedFailure } from './failure.ts'
import type { Guard } from './guard.ts'
import { HttpRequest } from './http-request.ts'
import { systemLookup } from './lookup/system-lookup.ts'
import type { Lookup } from './lookup/lookup.ts'
import { IdleConnections, Origin } from './origin.ts'

export interface HttpTransportOptions {
  readonly clock: Clock
  readonly guard: Guard
  /** Idle connections that are kept, in all; those in use are not limited here. */
  readonly mostIdle?: number
  readonly mostIdlePerOrigin?: number
  /** Certificates (PEM) to trust beside the public ones. */
  readonly ca?: readonly string[]
  /** Takes the place of hosts file, name servers and cache. */
  readonly lookup?: Lookup
  readonly connect?: Connect
}

/**
 * Sends over HTTP/1.1: POST, no redirects, no proxy; only to addresses that the guard allows.
 * A request leaves when `send` is called, and its time limit starts then.
 */
export function httpTransport(options: HttpTransportOptions): Transport {
  return new HttpTransport(options)
}

const mostDestinations = 10_000

class HttpTransport implements Transport {
  private readonly clock: Clock
  private readonly guard: Guard
  private readonly mostIdlePerOrigin: number
  private readonly deadlines: Deadlines
  private readonly dialer: Dialer
  private readonly idle: IdleConnections
  /** Only those with a connection, so they need no bound of their own. */
  private readonly origins = new Map<string, Origin>()
  private readonly destinations = new Lru<string, Destination>(mostDestinations)
  private readonly onEmpty = (origin: Origin): void => void this.origins.delete(origin.name)
  private isClosed = false

  constructor(options: HttpTransportOptions) {
    const {
      clock,
      guard,
      mostIdle = 1_000,
      mostIdlePerOrigin = 200,
      lookup = systemLookup({ clock }),
      connect,
      ca,
    } = options
    this.clock = clock
    this.guard = guard
    this.mostIdlePerOrigin = mostIdlePerOrigin
    this.deadlines = new Deadlines(clock)
    this.dialer = new Dialer({ guard, deadlines: this.deadlines, lookup, connect, ca })
    this.idle = new IdleConnections(mostIdle)
  }

  send(request: OutgoingRequest): Promise<Outcome> {
    return new Promise((resolve) => {
      try {
        this.begin(request, resolve)
      } catch {
        resolve({ kind: 'protocol', reason: 'request cannot be sent' })
      }
    })
  }

  async close(): Promise<void> {
    this.isClosed = true
    for (const origin of this.origins.values()) origin.close()
    await this.dialer.allClosed()
  }

  private begin(request: OutgoingRequest, resolve: (outcome: Outcome) => void): void {
    if (this.isClosed) return resolve(closedFailure)
    const destination = this.destinationOf(request.url)
    if (destination.kind === 'refused') return resolve(destination.failure)
    if (!(request.body instanceof Uint8Array))
      return resolve({ kind: 'protocol', reason: 'request cannot be sent: its body is not bytes' })

    const underWay = new HttpRequest(request, destination.path, this.clock, this.deadlines, resolve)
    this.deadlines.add(underWay, request.timeoutMs >= 0 ? Math.min(request.timeoutMs, day) : 0)
    this.originOf(destination.origin, destination.place).send(underWay)
  }

  /** Each URL is parsed and checked once; there are far fewer URLs than requests. */
  private destinationOf(url: string): Destination {
    const known = this.destinations.get(url)
    if (known !== undefined) return known
    const destination = readDestination(url, this.guard)
    this.destinations.set(url, destination)
    return destination
  }

  private originOf(name: string, place: Place): Origin {
    const known = this.origins.get(name)
    if (known !== undefined) return known
    const { dialer, idle, mostIdlePerOrigin, onEmpty } = this
    const origin = new Origin({ name, place, dialer, idle, mostIdle: mostIdlePerOrigin, onEmpty })
    this.origins.set(name, origin)
    return origin
  }
}
