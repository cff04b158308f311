import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { systemClock } from '../clock.ts'
import { expected, PosthornError } from '../core/errors.ts'
import type { Clock } from '../core/ports/ports.ts'

/** One way to answer, or not to. */
export type Behaviour =
  | number
  | {
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string | Uint8Array
    }
  /** Exactly these bytes, and then the end of the connection. */
  | { readonly raw: string | Uint8Array }
  /** Never answers. */
  | 'hang'
  /** Destroys the socket instead of answering. */
  | 'reset'
  | Misbehaviour['kind']
  | Misbehaviour
  /** Answers in another way after a while; 200 unless said otherwise. */
  | { readonly kind: 'slow'; readonly afterMs: number; readonly clock?: Clock; readonly answer?: Behaviour }
  | ((receipt: Receipt) => Behaviour)
  /** One after the other; the last is repeated. */
  | readonly Behaviour[]

/** A head, 200 unless said otherwise, with a body that goes wrong: a byte now and then, no end, an end too soon, 8 MiB. */
export type Misbehaviour =
  | { readonly kind: 'drip'; readonly status?: number; readonly everyMs?: number; readonly clock?: Clock }
  | { readonly kind: 'endless' | 'cut' | 'huge'; readonly status?: number }

/** A request that has come in whole. */
export interface Receipt {
  /** Counted from 1 in the order of arrival. */
  readonly order: number
  /** The `webhook-id` header; empty if there is none. */
  readonly id: string
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

export interface ReceiverOptions {
  /** How every path behaves that was not given its own; 200 unless said otherwise. */
  readonly behaviour?: Behaviour
  /** False for a benchmark: requests are only counted, in all. */
  readonly keepReceipts?: boolean
  /** Makes it an https server. */
  readonly tls?: { readonly key: string; readonly cert: string }
}

/** A real server on 127.0.0.1 that misbehaves on request and keeps receipts. */
export interface Receiver {
  readonly port: number
  url(path?: string): string
  readonly receipts: readonly Receipt[]
  /** Requests that have come in whole. */
  readonly count: number
  /** The most requests that were open at once. */
  readonly mostOpen: number
  /** Connections that were ever opened, and the most that were open at once. */
  readonly connections: number
  readonly mostConnections: number
  /** Sets how a path behaves, or with `*` every path without its own; requests that are already open keep theirs. */
  behave(path: string, behaviour: Behaviour): void
  /** Resolves with the receipts once there are so many, of one path or in all; rejects if the receiver is closed first. */
  waitFor(count: number, path?: string): Promise<readonly Receipt[]>
  /** Ends, politely, every connection that has no request open, as a server does with idle ones. */
  endIdle(): void
  /** Ends every connection at once. */
  close(): Promise<void>
}

export async function receiver(options: ReceiverOptions = {}): Promise<Receiver> {
  const receipts: Receipt[] = []
  const keepReceipts = options.keepReceipts ?? true
  const behaviours = new Map<string, () => Behaviour>([['*', inTurn(options.behaviour ?? 200)]])
  const counts = new Map<string, number>()
  const sockets = new Set<Socket>()
  let waiters: Waiter[] = []
  let count = 0
  let open = 0
  let mostOpen = 0
  let connections = 0
  let mostConnections = 0

  const server = makeServer(options, (request, response) => {
    open++
    if (open > mostOpen) mostOpen = open
    response.once('close', () => open--)
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => void chunks.push(chunk))
    request.on('end', () => accept(request, response, chunks))
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    connections++
    mostConnections = Math.max(mostConnections, sockets.size)
    socket.once('close', () => sockets.delete(socket))
    socket.on('error', ignore)
  })

  function accept(request: IncomingMessage, response: ServerResponse, chunks: readonly Buffer[]): void {
    count++
    const receipt = receiptOf(count, request, chunks)
    if (keepReceipts) {
      receipts.push(receipt)
      counts.set(receipt.path, countOf(receipt.path) + 1)
    }
    const behaviour = behaviours.get(receipt.path) ?? behaviours.get('*')
    if (behaviour !== undefined) answer(behaviour(), receipt, response)
    if (waiters.length > 0) waiters = waiters.filter((waiter) => !isServed(waiter))
  }

  function isServed(waiter: Waiter): boolean {
    const { path } = waiter
    if (countOf(path) < waiter.count) return false
    waiter.resolve(path === undefined ? receipts : receipts.filter((receipt) => receipt.path === path))
    return true
  }

  function countOf(path: string | undefined): number {
    return path === undefined ? count : (counts.get(path) ?? 0)
  }

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const port = portOf(server.address())
  const base = `${options.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`

  return {
    port,
    url: (path = '/') => base + path,
    receipts,
    get count() {
      return count
    },
    get mostOpen() {
      return mostOpen
    },
    get connections() {
      return connections
    },
    get mostConnections() {
      return mostConnections
    },
    behave(path, behaviour) {
      behaviours.set(path, inTurn(behaviour))
    },
    waitFor(wanted, path) {
      return new Promise((resolve, reject) => {
        const waiter = { count: wanted, path, resolve, reject }
        if (!isServed(waiter)) waiters.push(waiter)
      })
    },
    endIdle: () => server.closeIdleConnections(),
    async close() {
      for (const waiter of waiters.splice(0)) {
        const came = `${countOf(waiter.path)} of ${waiter.count} requests${waiter.path === undefined ? '' : ` for ${waiter.path}`}`
        waiter.reject(new PosthornError('stopped', `The receiver was closed when it had got ${came}.`))
      }
      // A server says that it is closed before its sockets are, and it is they that stop what still drips.
      const gone = [...sockets].map((socket) => new Promise((resolve) => void socket.once('close', resolve)))
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      for (const socket of sockets) socket.destroy()
      await Promise.all([closed, ...gone])
    },
  }
}

interface Waiter {
  readonly count: number
  readonly path: string | undefined
  resolve(receipts: readonly Receipt[]): void
  reject(error: Error): void
}

function makeServer(options: ReceiverOptions, listener: RequestListener): ReturnType<typeof createServer> {
  // Idle connections stay open: a test decides when one is closed.
  const settings = { keepAliveTimeout: 0, requestTimeout: 0, noDelay: true }
  if (options.tls === undefined) return createServer(settings, listener)
  return createSecureServer({ ...settings, ...options.tls }, listener).on('tlsClientError', ignore)
}

function portOf(address: AddressInfo | string | null): number {
  if (typeof address === 'object' && address !== null) return address.port
  throw expected('invalid_argument', 'address', 'one with a port', address)
}

function receiptOf(order: number, request: IncomingMessage, chunks: readonly Buffer[]): Receipt {
  const [first] = chunks
  const id = request.headers['webhook-id']
  return {
    order,
    id: typeof id === 'string' ? id : '',
    method: request.method ?? '',
    path: request.url ?? '/',
    headers: request.headers,
    body: chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks),
  }
}

/** A list is used up from the front; everything else is the same every time. */
function inTurn(behaviour: Behaviour): () => Behaviour {
  if (!isList(behaviour)) return () => behaviour
  let turn = 0
  return () => behaviour[Math.min(turn++, behaviour.length - 1)] ?? 200
}

function answer(behaviour: Behaviour, receipt: Receipt, response: ServerResponse): void {
  if (typeof behaviour === 'number') return void response.writeHead(behaviour, { 'content-length': '0' }).end()
  if (typeof behaviour === 'function') return answer(behaviour(receipt), receipt, response)
  if (typeof behaviour === 'string') {
    if (behaviour === 'hang') return
    if (behaviour === 'reset') return reset(response)
    return misbehave({ kind: behaviour }, response)
  }
  if (isList(behaviour)) return answer(behaviour[0] ?? 200, receipt, response)
  if ('raw' in behaviour) return void response.socket?.end(behaviour.raw)
  if (!('kind' in behaviour)) return void response.writeHead(behaviour.status, behaviour.headers).end(behaviour.body)
  if (behaviour.kind !== 'slow') return misbehave(behaviour, response)

  const { afterMs, clock = systemClock, answer: late = 200 } = behaviour
  const stop = clock.after(afterMs, () => answer(late, receipt, response))
  response.once('close', stop)
}

const hugeBytes = 8 * 1024 * 1024
const chunk = Buffer.alloc(64 * 1024, 'x')

function misbehave(behaviour: Misbehaviour, response: ServerResponse): void {
  const status = behaviour.status ?? 200
  switch (behaviour.kind) {
    case 'cut':
      // It breaks off only when the head and a part of the body are out.
      response.writeHead(status, { 'content-length': '1000' }).write('cut short', () => response.socket?.destroy())
      return
    case 'huge':
      response.writeHead(status, { 'content-length': String(hugeBytes) }).end(Buffer.alloc(hugeBytes, 'x'))
      return
    case 'endless':
      response.writeHead(status)
      pour(response)
      return
    case 'drip':
      response.writeHead(status)
      drip(response, behaviour.everyMs ?? 20, behaviour.clock ?? systemClock)
  }
}

function pour(response: ServerResponse): void {
  if (response.destroyed) return
  if (response.write(chunk)) setImmediate(pour, response)
  else response.once('drain', () => pour(response))
}

function drip(response: ServerResponse, everyMs: number, clock: Clock): void {
  response.write('.')
  const stop = clock.after(everyMs, () => {
    response.off('close', stop)
    drip(response, everyMs, clock)
  })
  response.once('close', stop)
}

/** Not the polite end: the other side sees ECONNRESET. Only a plain connection can do that. */
function reset({ socket }: ServerResponse): void {
  if (socket instanceof TLSSocket) socket.destroy()
  else socket?.resetAndDestroy()
}

function isList(behaviour: Behaviour): behaviour is readonly Behaviour[] {
  return Array.isArray(behaviour)
}

function ignore(): void {
  // The other side may break off whenever it likes.
}
