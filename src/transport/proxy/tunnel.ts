import type { LookupAddress } from 'node:dns'
import { isIP } from 'node:net'
import type { Socket } from 'node:net'
import type { Connect, Place } from '../place.ts'
import { connectFailure, lookupFailure, tlsFailure } from '../failure.ts'
import type { Failure } from '../failure.ts'
import type { Lookup } from '../lookup/lookup.ts'
import type { Tls } from '../tls.ts'
import { connectRefusal, proxyFailure, readConnectAnswer } from './connect-answer.ts'
import type { Proxy } from './proxy.ts'

interface TunnelTools {
  readonly lookup: Lookup
  readonly connect: Connect
  readonly tls: Tls
}

const mostHeadBytes = 16 * 1024

/**
 * A connection through a forward proxy to one place, by CONNECT. The proxy is the operator's own: the guard does not check its address.
 * Calls back once, unless it is closed before.
 */
export class Tunnel {
  private readonly tools: TunnelTools
  private readonly proxy: Proxy
  private readonly to: Place
  private readonly done: (failure: Failure | null, socket: Socket | null) => void
  private cancelLookup: (() => void) | null = null
  private socket: Socket | null = null
  private head = Buffer.alloc(0)
  private isReached = false
  private hasEnded = false

  constructor(
    tools: TunnelTools,
    proxy: Proxy,
    to: Place,
    done: (failure: Failure | null, socket: Socket | null) => void,
  ) {
    this.tools = tools
    this.proxy = proxy
    this.to = to
    this.done = done
  }

  start(): void {
    const { hostname } = this.proxy.place
    const family = isIP(hostname)
    if (family !== 0) return this.open([{ address: hostname, family }])
    this.cancelLookup = this.tools.lookup(hostname, (error, addresses) => {
      this.cancelLookup = null
      if (this.hasEnded) return
      if (error !== null) return this.fail(lookupFailure(error))
      if (addresses.length === 0) return this.fail({ kind: 'dns', reason: 'its name has no address' })
      this.open(addresses)
    })
  }

  /** What a time limit that ends now means about the proxy; null if it has done its part. */
  stalled(): Failure | null {
    return this.isReached ? null : proxyFailure('no connection to it in time')
  }

  close(): void {
    this.hasEnded = true
    this.cancelLookup?.()
    this.socket?.destroy()
  }

  private open(addresses: readonly LookupAddress[]): void {
    const { port, secure } = this.proxy.place
    const socket = this.tools.connect({ port, addresses })
    this.socket = socket
    socket.on('error', (error) => this.fail(connectFailure(error)))
    socket.once('close', () => this.fail({ kind: 'connect', reason: 'it closed the connection' }))
    socket.once('connect', () => {
      if (!secure) return this.ask(socket)
      const encrypted = this.tools.tls.secure(socket, this.proxy.place)
      encrypted.on('error', (error) => this.fail(tlsFailure(error)))
      encrypted.once('secureConnect', () => this.ask(encrypted))
    })
  }

  private ask(socket: Socket): void {
    if (this.hasEnded) return
    this.isReached = true
    const { hostname, port } = this.to
    const target = `${isIP(hostname) === 6 ? `[${hostname}]` : hostname}:${port}`
    const { authorization } = this.proxy
    const credentials = authorization === null ? '' : `proxy-authorization: ${authorization}\r\n`
    const read = (): void => this.read(socket, read)
    socket.on('readable', read)
    socket.write(`CONNECT ${target} HTTP/1.1\r\nhost: ${target}\r\n${credentials}\r\n`)
  }

  private read(socket: Socket, listener: () => void): void {
    const chunk: Buffer | null = socket.read()
    if (chunk === null || this.hasEnded) return
    this.head = Buffer.concat([this.head, chunk])
    const end = this.head.indexOf('\r\n\r\n')
    if (end === -1 && this.head.length <= mostHeadBytes) return
    socket.removeListener('readable', listener)
    const answer = end === -1 ? null : readConnectAnswer(this.head.toString('latin1', 0, end))
    const refusal = answer === null ? proxyFailure('it does not answer in HTTP') : connectRefusal(answer)
    if (refusal !== null) return this.end(refusal, null)
    // Nothing may follow the head yet: it would be taken for the endpoint's.
    if (this.head.length > end + 4) return this.end(proxyFailure('it sent more than an answer to CONNECT'), null)
    this.end(null, socket)
  }

  private fail({ reason }: Failure): void {
    this.end(proxyFailure(reason), null)
  }

  private end(failure: Failure | null, socket: Socket | null): void {
    if (this.hasEnded) return
    this.hasEnded = true
    if (failure !== null) this.socket?.destroy()
    this.done(failure, socket)
  }
}
