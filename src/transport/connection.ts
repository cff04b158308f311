import type { Socket } from 'node:net'
import { Client } from 'undici'
import type { buildConnector } from 'undici'
import type { Dialer, Dialling, Place } from './dial.ts'
import { closedFailure, requestFailure } from './failure.ts'
import type { Failure } from './failure.ts'
import type { Carrier, HttpRequest } from './http-request.ts'
import type { Steps } from './steps.ts'
import { mostAnswerBytes, mostHeadBytes as maxHeaderSize } from './response-body.ts'

/** The owner of a connection. */
export interface ConnectionOwner {
  /** It can take another request. */
  keep(connection: Connection): void
  /** It is closed for good. */
  forget(connection: Connection): void
}

/**
 * One connection, with one request at a time. If the other side has closed it while idle and that has not been noticed yet, undici
 * reconnects: a request that was not yet written is unaffected. One that was written may have been processed, and nobody can
 * tell: it is never repeated here.
 */
export class Connection implements Carrier {
  private readonly owner: ConnectionOwner
  private readonly client: Client
  private request: HttpRequest | null = null
  private dialling: Dialling | null = null
  private dialled: Steps | null = null
  private isReused = false
  private socket: Socket | null = null
  /** How many bytes the socket had received when the last request began, or ended. */
  private bytesBefore = 0
  private failure: Failure | null = null
  private isClosed = false

  constructor(origin: string, place: Place, dialer: Dialer, owner: ConnectionOwner) {
    this.owner = owner
    const connect: buildConnector.connector = (_options, done) => {
      this.dialling = dialer.dial(place, (failure, socket) => {
        this.dialling = null
        this.failure = failure
        this.socket = socket
        if (socket === null) done(new Error('no connection'), null)
        else done(null, socket)
      })
      this.dialled = this.dialling.steps
      this.isReused = false
    }
    // Time limits are ours: undici's are per step, with one timer each. Only idle connections are left to it.
    this.client = new Client(origin, { connect, pipelining: 1, maxHeaderSize, headersTimeout: 0, bodyTimeout: 0 })
    this.client.on('connect', () => this.watch())
    this.client.on('disconnect', () => {
      if (this.request === null) this.drop()
    })
  }

  start(request: HttpRequest): void {
    this.request = request
    this.failure = null
    this.isReused = this.dialled !== null
    this.bytesBefore = this.socket?.bytesRead ?? 0
    request.carrier = this
    this.client.dispatch(request.options, request)
  }

  release(): void {
    this.request = null
    this.bytesBefore = this.socket?.bytesRead ?? 0
    this.owner.keep(this)
  }

  /** False once unexpected bytes have come in: they must not be taken for the response to the next request. */
  isClean(): boolean {
    return this.socket === null || this.socket.bytesRead === this.bytesBefore
  }

  /** After any failure the client is discarded, too: undici would reconnect for a request that was aborted. */
  discard(): void {
    this.request = null
    this.drop()
  }

  failureOf(): Failure | null {
    return this.failure
  }

  steps(): Steps | null {
    return this.dialled
  }

  wasOpen(): boolean {
    return this.isReused
  }

  stalled(): Failure | null {
    return this.dialling?.stalled() ?? null
  }

  /** Ends whatever is open. */
  close(): void {
    this.request?.end(closedFailure)
    this.drop()
  }

  /** Called after undici has begun to listen, and before it reads: its callbacks do not report heads, chunk extensions and line ends. */
  private watch(): void {
    const { socket } = this
    if (socket === null) return
    this.bytesBefore = socket.bytesRead
    // The first error is the cause, such as a TLS alert; undici reports the end that follows.
    socket.once('error', (error) => (this.failure ??= requestFailure(error)))
    socket.prependListener('readable', () => {
      if (this.request === null) this.drop()
      else if (socket.bytesRead - this.bytesBefore > mostAnswerBytes) this.request.overflow()
    })
  }

  private drop(): void {
    if (this.isClosed) return
    this.isClosed = true
    this.owner.forget(this)
    this.dialling?.giveUp()
    this.dialling = null
    this.client.destroy(ignore)
  }
}

function ignore(): void {
  // Nobody waits for the end of a client that is no longer used.
}
