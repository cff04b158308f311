import type { LookupAddress } from 'node:dns'
import { connect as systemConnect, isIP } from 'node:net'
import type { Socket } from 'node:net'
import { second } from '../core/time.ts'
import type { Deadlines, Timed } from './deadlines.ts'
import {
  connectFailure,
  forbiddenFailure,
  lookupFailure,
  nameFailure,
  ownCertificateFailure,
  tlsFailure,
} from './failure.ts'
import type { Failure } from './failure.ts'
import type { Guard } from './guard.ts'
import type { Lookup } from './lookup/lookup.ts'
import type { Connect, Place } from './place.ts'
import type { Proxy } from './proxy/proxy.ts'
import { Tunnel } from './proxy/tunnel.ts'
import { Steps } from './steps.ts'
import { Tls } from './tls.ts'

export type { Connect, Place } from './place.ts'

/** A connection being opened. */
export interface Dialling {
  readonly steps: Steps
  giveUp(): void
  /** What a time limit that ends now means, if it is not the endpoint that keeps us waiting. */
  stalled(): Failure | null
}

type Dialled = (failure: Failure | null, socket: Socket | null) => void

interface DialerOptions {
  readonly guard: Guard
  readonly deadlines: Deadlines
  readonly lookup: Lookup
  readonly connect?: Connect | undefined
  /** Certificates (PEM) to trust in addition to the public ones. */
  readonly ca?: readonly string[] | undefined
  /** The proxy for all connections, if any. */
  readonly proxy?: Proxy | null | undefined
}

const lookupBudgetMs = 3 * second

/** Opens connections to vetted addresses only. */
export class Dialer {
  private readonly tools: DialTools
  private readonly sockets = new Set<Socket>()
  private readonly closedWaiters: (() => void)[] = []

  constructor(options: DialerOptions) {
    const { guard, deadlines, lookup, connect = connectTo, ca, proxy = null } = options
    const watched: Connect = (to) => this.watch(connect(to))
    this.tools = { guard, deadlines, lookup, connect: watched, tls: new Tls(ca), proxy }
  }

  /** Calls back once, never before it has returned, unless it is cancelled. */
  dial(place: Place, done: Dialled): Dialling {
    const dial = new Dial(this.tools, place, done)
    dial.start()
    return dial
  }

  /** Resolves when every socket opened here is closed. */
  allClosed(): Promise<void> {
    return new Promise((done) => {
      if (this.sockets.size === 0) done()
      else this.closedWaiters.push(done)
    })
  }

  private watch(socket: Socket): Socket {
    this.sockets.add(socket)
    return socket.once('close', () => {
      this.sockets.delete(socket)
      if (this.sockets.size === 0) for (const waiter of this.closedWaiters.splice(0)) waiter()
    })
  }
}

interface DialTools {
  readonly guard: Guard
  readonly deadlines: Deadlines
  readonly lookup: Lookup
  readonly connect: Connect
  readonly tls: Tls
  readonly proxy: Proxy | null
}

/** One connection being opened: resolved, vetted, connected, vetted again, encrypted. */
class Dial implements Timed, Dialling {
  deadline = 0
  before: Timed = this
  behind: Timed = this

  readonly steps: Steps
  private readonly tools: DialTools
  private readonly place: Place
  private readonly done: Dialled
  private cancelLookup: (() => void) | null = null
  private socket: Socket | null = null
  private tunnel: Tunnel | null = null
  private hasEnded = false

  constructor(tools: DialTools, place: Place, done: Dialled) {
    this.tools = tools
    this.steps = new Steps(tools.deadlines.clock)
    this.place = place
    this.done = done
  }

  start(): void {
    const { hostname } = this.place
    const family = isIP(hostname)
    // A cached answer may come at once, which undici does not expect from a connector.
    if (family !== 0) return queueMicrotask(() => this.lookedUp(null, [{ address: hostname, family }]))
    this.tools.deadlines.add(this, lookupBudgetMs)
    this.cancelLookup = this.tools.lookup(hostname, (error, addresses) =>
      queueMicrotask(() => this.lookedUp(error, addresses)),
    )
  }

  /** The time budget of the lookup is used up. */
  expire(): void {
    this.cancelLookup?.()
    this.cancelLookup = null
    this.notFound(nameFailure(`no answer to the lookup within ${lookupBudgetMs} ms`))
  }

  stalled(): Failure | null {
    return this.tunnel?.stalled() ?? null
  }

  giveUp(): void {
    this.hasEnded = true
    this.tools.deadlines.remove(this)
    this.cancelLookup?.()
    this.tunnel?.close()
    this.socket?.destroy()
  }

  private lookedUp(error: Error | null, addresses: readonly LookupAddress[]): void {
    if (this.hasEnded) return
    this.cancelLookup = null
    this.tools.deadlines.remove(this)
    if (error !== null) return this.notFound(lookupFailure(error))
    if (addresses.length === 0) return this.notFound(nameFailure('it has no address at all'))
    this.steps.end('dnsMs')
    // One bad address among good ones is how rebinding begins: none of them is called. Cached answers are checked, too.
    const bad = addresses.find(({ address }) => !this.isAllowed(address))
    if (bad !== undefined) return this.end(forbiddenFailure(bad.address), null)
    if (this.tools.proxy === null) this.open(addresses)
    else this.openThrough(this.tools.proxy)
  }

  /** Behind a proxy there may be no name server: then the proxy resolves and vets the name. */
  private notFound(failure: Failure): void {
    if (this.tools.proxy === null) this.end(failure, null)
    else this.openThrough(this.tools.proxy)
  }

  private openThrough(proxy: Proxy): void {
    this.tunnel = new Tunnel(this.tools, proxy, this.place, (failure, socket) => {
      if (socket === null) return this.end(failure, null)
      this.steps.end('connectMs')
      this.socket = socket
      socket.once('close', () => this.end({ kind: 'connect', reason: 'connection closed' }, null))
      if (this.place.secure) this.encrypt(socket)
      else this.end(null, socket)
    })
    this.tunnel.start()
  }

  private open(addresses: readonly LookupAddress[]): void {
    if (addresses.length === 1) this.steps.address = addresses[0]?.address ?? null
    const socket = this.tools.connect({ port: this.place.port, addresses })
    this.socket = socket
    let failureOf = connectFailure
    // It stays for the life of the socket: an error without a listener would end the process.
    socket.on('error', (error) => this.end(failureOf(error), null))
    socket.once('close', () => this.end({ kind: 'connect', reason: 'connection closed' }, null))
    socket.once('connect', () => {
      // However the address was chosen, nothing is written to one that is not allowed.
      const { remoteAddress = '' } = socket
      this.steps.address = remoteAddress
      this.steps.end('connectMs')
      if (!this.isAllowed(remoteAddress)) return this.end(forbiddenFailure(remoteAddress), null)
      if (!this.place.secure) return this.end(null, socket)
      failureOf = tlsFailure
      this.encrypt(socket)
    })
  }

  private encrypt(socket: Socket): void {
    try {
      const encrypted = this.tools.tls.secure(socket, this.place)
      encrypted.on('error', (error) => this.end(tlsFailure(error), null))
      encrypted.once('secureConnect', () => {
        this.steps.end('tlsMs')
        this.end(null, encrypted)
      })
    } catch (error) {
      this.end(ownCertificateFailure(error), null)
    }
  }

  private isAllowed(address: string): boolean {
    return this.tools.guard.allows(address, this.place.hostname, this.place.port)
  }

  private end(failure: Failure | null, connected: Socket | null): void {
    if (this.hasEnded) return
    this.hasEnded = true
    this.tools.deadlines.remove(this)
    if (failure !== null) this.socket?.destroy()
    this.done(failure, connected)
  }
}

// With several addresses, the next is tried if one has not answered within this time.
const perAddressMs = 500

const connectTo: Connect = ({ port, addresses }) => {
  const options = { port, noDelay: true, keepAlive: true, keepAliveInitialDelay: 60_000 }
  const [first] = addresses
  if (addresses.length === 1 && first !== undefined)
    return systemConnect({ ...options, host: first.address, autoSelectFamily: false })
  return systemConnect({
    ...options,
    // Never a name, which could be resolved a second time with another answer.
    host: 'vetted.invalid',
    lookup: (_name, _options, done) => done(null, [...addresses]),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: perAddressMs,
  })
}
