import type { Outcome } from '../core/delivery/attempt.ts'
import { Lru } from '../core/lru.ts'
import type { Clock, OutgoingRequest, Transport } from '../core/ports/ports.ts'
import { day } from '../core/time.ts'
import { Deadlines } from './deadlines.ts'
import { readDestination } from './destination.ts'
import type { Allowed, Destination } from './destination.ts'
import { Dialer } from './dial.ts'
import type { Connect } from './dial.ts'
import { closedFailure } from './failure.ts'
import type { Guard } from './guard.ts'
import { HttpRequest } from './http-request.ts'
import { systemLookup } from './lookup/system-lookup.ts'
import type { Lookup } from './lookup/lookup.ts'
import { sendAuthorized } from './oauth2/authorized.ts'
import { Tokens } from './oauth2/tokens.ts'
import { IdleConnections, Origin } from './origin.ts'
import type { Proxy } from './proxy/proxy.ts'
import { tlsIdentity } from './tls.ts'
import type { TlsIdentity } from './tls.ts'

export interface HttpTransportOptions {
  readonly clock: Clock
  readonly guard: Guard
  /** Idle connections to keep in total; those in use are not limited here. */
  readonly mostIdle?: number
  readonly mostIdlePerOrigin?: number
  /** Certificates (PEM) to trust in addition to the public ones. */
  readonly ca?: readonly string[]
  /** Replaces hosts file, name servers and cache. */
  readonly lookup?: Lookup
  readonly connect?: Connect
  /** A forward proxy for every connection. */
  readonly proxy?: Proxy | null
}

/**
 * Sends over HTTP/1.1: POST, no redirects, through a proxy only if configured, and only to addresses that the guard allows.
 * A request leaves when `send` is called, and its time limit starts then.
 */
export function httpTransport(options: HttpTransportOptions): Transport {
  return new HttpTransport(options)
}

const mostDestinations = 10_000
const cannotBeSent: Outcome = { kind: 'protocol', reason: 'request cannot be sent' }

class HttpTransport implements Transport {
  private readonly guard: Guard
  private readonly mostIdlePerOrigin: number
  private readonly deadlines: Deadlines
  private readonly dialer: Dialer
  private readonly idle: IdleConnections
  /** Only those with a connection, so they need no separate bound. */
  private readonly origins = new Map<string, Origin>()
  private readonly destinations = new Lru<string, Destination>(mostDestinations)
  private readonly onEmpty = (origin: Origin): void => void this.origins.delete(origin.key)
  private readonly authorization: Parameters<typeof sendAuthorized>[0]
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
      proxy,
    } = options
    this.guard = guard
    this.mostIdlePerOrigin = mostIdlePerOrigin
    this.deadlines = new Deadlines(clock)
    this.dialer = new Dialer({ guard, deadlines: this.deadlines, lookup, connect, ca, proxy })
    this.idle = new IdleConnections(mostIdle)
    const send = (each: OutgoingRequest): Promise<Outcome> => this.sendOnce(each)
    this.authorization = { clock, tokens: new Tokens(this.deadlines, send), send }
  }

  send(request: OutgoingRequest): Promise<Outcome> {
    const authentication = request?.authentication
    const oauth2 = authentication?.oauth2
    if (oauth2 === undefined || authentication === undefined || authentication === null) return this.sendOnce(request)
    return sendAuthorized(this.authorization, request, { ...authentication, oauth2 }).catch(() => cannotBeSent)
  }

  private sendOnce(request: OutgoingRequest): Promise<Outcome> {
    return new Promise((resolve) => {
      try {
        this.begin(request, resolve)
      } catch {
        resolve(cannotBeSent)
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

    const underWay = new HttpRequest(request, destination.path, this.deadlines, resolve)
    underWay.startedAt = this.deadlines.add(underWay, request.timeoutMs >= 0 ? Math.min(request.timeoutMs, day) : 0)
    const { authentication = null } = request
    const identity = authentication === null || !destination.place.secure ? null : tlsIdentity(authentication)
    this.originOf(destination, identity).send(underWay)
  }

  /** Each URL is parsed and checked once; there are far fewer URLs than requests. */
  private destinationOf(url: string): Destination {
    const known = this.destinations.get(url)
    if (known !== undefined) return known
    const destination = readDestination(url, this.guard)
    this.destinations.set(url, destination)
    return destination
  }

  /** A connection is never shared between endpoints that present different certificates, or trust different authorities. */
  private originOf({ origin: name, place }: Allowed, identity: TlsIdentity | null): Origin {
    const key = identity === null ? name : `${name} ${identity.id}`
    const known = this.origins.get(key)
    if (known !== undefined) return known
    const { dialer, idle, mostIdlePerOrigin: mostIdle, onEmpty } = this
    const origin = new Origin({ key, name, place: { ...place, identity }, dialer, idle, mostIdle, onEmpty })
    this.origins.set(key, origin)
    return origin
  }
}
