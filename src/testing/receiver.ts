import { createServer } from 'node:http'
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { expected } from '../core/errors.ts'
import { answer, inTurn } from './receiver/behaviour.ts'
import type { Behaviour } from './receiver/behaviour.ts'
import { Receipts } from './receiver/receipts.ts'
import type { Receipt } from './receiver/receipts.ts'

export type { Behaviour, Misbehaviour } from './receiver/behaviour.ts'
export type { Receipt } from './receiver/receipts.ts'

export interface ReceiverOptions {
  /** The behaviour of every path without its own; 200 by default. */
  readonly behaviour?: Behaviour
  /** False for a benchmark: requests are only counted in total. */
  readonly keepReceipts?: boolean
  /** Makes it an https server. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

/** A real server on 127.0.0.1 that misbehaves on request and keeps receipts. */
export interface Receiver {
  readonly port: number
  url(path?: string): string
  readonly receipts: readonly Receipt[]
  /** Complete requests received. */
  readonly count: number
  /** The most requests that were open at once. */
  readonly mostOpen: number
  /** Connections ever opened, and the most that were open at once. */
  readonly connections: number
  readonly mostConnections: number
  /** Sets the behaviour of a path, or with `*` of every path without its own; open requests keep theirs. */
  behave(path: string, behaviour: Behaviour): void
  /** Resolves with the receipts once there are this many, for one path or in total; rejects if the receiver is closed first. */
  waitFor(count: number, path?: string): Promise<readonly Receipt[]>
  /** Gracefully ends every connection without an open request, as a server does with idle ones. */
  endIdle(): void
  /** Ends every connection at once. */
  close(): Promise<void>
}

export async function receiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const receipts = new Receipts(options.keepReceipts ?? true)
  const responses = new OpenResponses()
  const sockets = new Sockets()
  const behaviours = new Map<string, () => Behaviour>([['*', inTurn(options.behaviour ?? 200)]])

  const server = makeServer(options, (request, response) => {
    responses.add(response)
    whenWhole(request, (chunks) => {
      const receipt = receipts.add(request, chunks)
      const behaviour = behaviours.get(receipt.path) ?? behaviours.get('*')
      if (behaviour !== undefined) answer(behaviour(), receipt, response)
      receipts.serve()
    })
  })
  server.on('connection', (socket: Socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = portOf(server.address())
  const base = `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`

  return {
    port,
    url: (path = '/') => base + path,
    receipts: receipts.kept,
    get count() {
      return receipts.count
    },
    get mostOpen() {
      return responses.most
    },
    get connections() {
      return sockets.count
    },
    get mostConnections() {
      return sockets.most
    },
    behave: (path, behaviour) => void behaviours.set(path, inTurn(behaviour)),
    waitFor: (count, path) => receipts.waitFor(count, path),
    endIdle: () => server.closeIdleConnections(),
    async close() {
      receipts.refuseWaiters()
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      // A server reports that it is closed before its sockets are, and only closing those stops a slow response.
      await Promise.all([closed, sockets.destroy()])
    },
  }
}

class OpenResponses {
  #open = 0
  #most = 0

  /** The most that were open at once. */
  get most(): number {
    return this.#most
  }

  add(response: ServerResponse): void {
    this.#open++
    if (this.#open > this.#most) this.#most = this.#open
    response.once('close', () => this.#open--)
  }
}

class Sockets {
  readonly #open = new Set<Socket>()
  #count = 0
  #most = 0

  /** All that were ever open. */
  get count(): number {
    return this.#count
  }

  /** The most that were open at once. */
  get most(): number {
    return this.#most
  }

  add(socket: Socket): void {
    this.#open.add(socket)
    this.#count++
    this.#most = Math.max(this.#most, this.#open.size)
    socket.once('close', () => this.#open.delete(socket))
    socket.on('error', ignore)
  }

  /** Resolves once all of them are closed. */
  async destroy(): Promise<void> {
    const gone = [...this.#open].map((socket) => new Promise((resolve) => void socket.once('close', resolve)))
    for (const socket of this.#open) socket.destroy()
    await Promise.all(gone)
  }
}

function makeServer(options: ReceiverOptions, listener: RequestListener): ReturnType<typeof createServer> {
  // Idle connections stay open: a test decides when one is closed.
  const settings = { keepAliveTimeout: 0, requestTimeout: 0, noDelay: true }
  if (options.tls === undefined) return createServer(settings, listener)
  return createSecureServer({ ...settings, ...options.tls }, listener).on('tlsClientError', ignore)
}

function whenWhole(request: IncomingMessage, accept: (chunks: readonly Buffer[]) => void): void {
  const chunks: Buffer[] = []
  request.on('data', (part: Buffer) => void chunks.push(part))
  request.on('end', () => accept(chunks))
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === 'object' && address !== null) return address.port
  throw expected('invalid_argument', 'address', 'one with a port', address)
}

function ignore(): void {
  // The other side may disconnect at any time.
}
