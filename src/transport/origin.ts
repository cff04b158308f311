import { Client } from 'undici'
import type { buildConnector } from 'undici'
import type { Dialer, Place } from './dial.ts'
import type { Carrier, Exchange } from './exchange.ts'
import { closedFailure } from './failure.ts'
import type { Failure } from './failure.ts'

export interface OriginOptions {
  readonly origin: string
  /** Connections at once, at most. */
  readonly most: number
  readonly dialer: Dialer
  /** Told when the last open exchange has ended. */
  readonly onIdle: (origin: Origin) => void
}

/**
 * The connections to one origin, one request on each at a time, and those that wait for one.
 *
 * Undici's own Pool is not used: it forgets a client whose connection failed and may then open more connections than it
 * should, which it does not close; and what waits in its queue cannot be taken out when its deadline has passed.
 */
export class Origin {
  readonly name: string
  closed = false
  private readonly options: OriginOptions
  private readonly place: Place
  private readonly slots: Slot[] = []
  /** Used as a stack, so that what is used least is closed by its keep-alive timeout. */
  private readonly free: Slot[] = []
  private firstWaiting: Exchange | null = null
  private lastWaiting: Exchange | null = null
  private isServing = false

  constructor(options: OriginOptions) {
    this.name = options.origin
    this.options = options
    this.place = placeOf(options.origin)
  }

  take(exchange: Exchange): void {
    const slot = this.free.pop() ?? this.newSlot()
    if (slot !== null) slot.start(exchange)
    else this.wait(exchange)
  }

  freed(slot: Slot): void {
    this.free.push(slot)
    // A request that fails as it starts frees its slot at once: a loop, because a recursion could become as deep as the queue.
    if (this.isServing) return
    this.isServing = true
    for (let next = this.nextWaiting(); next !== null; next = this.nextWaiting()) this.free.pop()?.start(next)
    this.isServing = false
    if (this.free.length === this.slots.length) this.options.onIdle(this)
  }

  /** Ends whatever is open. */
  close(): void {
    this.closed = true
    for (let waiting = this.firstWaiting; waiting !== null; waiting = waiting.nextWaiting) waiting.end(closedFailure)
    this.firstWaiting = null
    for (const slot of this.slots) slot.close()
  }

  private newSlot(): Slot | null {
    if (this.slots.length >= this.options.most) return null
    const slot = new Slot(this, this.place, this.options.dialer)
    this.slots.push(slot)
    return slot
  }

  private wait(exchange: Exchange): void {
    if (this.firstWaiting === null || this.lastWaiting === null) this.firstWaiting = exchange
    else this.lastWaiting.nextWaiting = exchange
    this.lastWaiting = exchange
  }

  /** The first that still waits and can be served now. */
  private nextWaiting(): Exchange | null {
    if (this.free.length === 0) return null
    let next = this.firstWaiting
    while (next !== null && next.done) next = next.nextWaiting
    this.firstWaiting = next?.nextWaiting ?? null
    return next
  }
}

const maxHeaderSize = 16 * 1024

/**
 * One connection. Undici opens it anew when the other side has closed it while idle: a request that was not yet written is
 * not touched by that. One that was written may have been processed, and nobody can tell: it is never repeated here.
 */
class Slot implements Carrier {
  private readonly origin: Origin
  private readonly place: Place
  private readonly dialer: Dialer
  private client: Client | null = null
  private exchange: Exchange | null = null
  private giveUp: (() => void) | null = null
  private failure: Failure | null = null

  constructor(origin: Origin, place: Place, dialer: Dialer) {
    this.origin = origin
    this.place = place
    this.dialer = dialer
  }

  start(exchange: Exchange): void {
    this.exchange = exchange
    this.failure = null
    exchange.carrier = this
    this.client ??= this.newClient()
    this.client.dispatch(exchange.options, exchange)
  }

  release(): void {
    this.exchange = null
    this.origin.freed(this)
  }

  /** After any failure the client goes too: undici would connect again for a request that was aborted. */
  discard(): void {
    this.exchange = null
    this.drop()
    this.origin.freed(this)
  }

  dialFailure(): Failure | null {
    return this.failure
  }

  close(): void {
    if (this.exchange !== null) this.exchange.end(closedFailure)
    this.drop()
  }

  private drop(): void {
    this.giveUp?.()
    this.giveUp = null
    const client = this.client
    this.client = null
    client?.destroy(ignore)
  }

  private newClient(): Client {
    const connect: buildConnector.connector = (_options, done) => {
      this.giveUp = this.dialer.dial(this.place, (failure, socket) => {
        this.giveUp = null
        this.failure = failure
        if (socket === null) done(new Error('no connection'), null)
        else done(null, socket)
      })
    }
    // Time limits are the wheel's: undici's own are per step, and one timer each.
    return new Client(this.origin.name, { connect, pipelining: 1, maxHeaderSize, headersTimeout: 0, bodyTimeout: 0 })
  }
}

function ignore(): void {
  // Nobody waits for the end of a client that is no longer used.
}

function placeOf(origin: string): Place {
  const { hostname, port, protocol } = new URL(origin)
  const secure = protocol === 'https:'
  return {
    hostname: hostname.startsWith('[') ? hostname.slice(1, -1) : hostname,
    port: port === '' ? (secure ? 443 : 80) : Number(port),
    secure,
    session: undefined,
  }
}
