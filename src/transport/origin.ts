import { Connection } from './connection.ts'
import type { ConnectionOwner } from './connection.ts'
import type { Dialer, Place } from './dial.ts'
import type { HttpRequest } from './http-request.ts'

interface OriginOptions {
  /** Its identity: one origin has a separate entry for each of our certificates. */
  readonly key: string
  readonly name: string
  readonly place: Place
  readonly dialer: Dialer
  /** The most idle connections to keep. */
  readonly mostIdle: number
  /** The idle connections of all origins. */
  readonly idle: IdleConnections
  /** Called when its last connection is closed. */
  readonly onEmpty: (origin: Origin) => void
}

/**
 * The connections to one origin. There is no queue, and no limit on connections in use: a request leaves at once, on an idle
 * connection or a new one. The engine decides how much may be in flight, per endpoint and in total: a limit here would let
 * a slow path use up the time of another one on the same host.
 *
 * Undici's own Pool is not used: it drops a client whose connection failed without closing it.
 */
export class Origin implements ConnectionOwner {
  readonly key: string
  private readonly options: OriginOptions
  private readonly connections = new Set<Connection>()
  /** Used as a stack, so that the first one is idle longest, and closed by its keep-alive timeout. */
  private readonly idle: Connection[] = []

  constructor(options: OriginOptions) {
    this.key = options.key
    this.options = options
  }

  send(request: HttpRequest): void {
    this.take().start(request)
  }

  keep(connection: Connection): void {
    this.idle.push(connection)
    this.options.idle.add(connection)
    if (this.idle.length > this.options.mostIdle) this.idle[0]?.close()
  }

  forget(connection: Connection): void {
    this.connections.delete(connection)
    if (this.options.idle.delete(connection)) this.idle.splice(this.idle.indexOf(connection), 1)
    if (this.connections.size === 0) this.options.onEmpty(this)
  }

  /** Ends whatever is open. */
  close(): void {
    for (const connection of this.connections) connection.close()
  }

  private take(): Connection {
    const connection = this.idle.pop()
    if (connection === undefined) return this.open()
    this.options.idle.delete(connection)
    if (connection.isClean()) return connection
    // Closed once there is another: an origin without any is removed.
    const next = this.take()
    connection.close()
    return next
  }

  private open(): Connection {
    const { name, place, dialer } = this.options
    const connection = new Connection(name, place, dialer, this)
    this.connections.add(connection)
    return connection
  }
}

/** The idle connections of all origins; if there are too many, the least recently used one is closed. */
export class IdleConnections {
  private readonly most: number
  // A Set keeps the order in which they became idle.
  private readonly connections = new Set<Connection>()

  constructor(most: number) {
    this.most = most
  }

  add(connection: Connection): void {
    this.connections.add(connection)
    if (this.connections.size > this.most) this.closeOldest()
  }

  delete(connection: Connection): boolean {
    return this.connections.delete(connection)
  }

  private closeOldest(): void {
    for (const connection of this.connections) return connection.close()
  }
}
