import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener } from '@hono/node-server'
import { expected, messageOf, PosthornError } from '../../core/errors.ts'
import type { Clock } from '../../core/ports/ports.ts'
import { second } from '../../core/time.ts'
import { refusal } from '../errors/error-response.ts'
import type { Handler } from '../handler.ts'
import type { Connection } from '../request/actor.ts'
import type { Reply } from '../request/idempotency.ts'
import { headersOf } from '../request/pipeline.ts'
import type { StraightRoute } from './straight-route.ts'
import { pathOf } from './url.ts'

export interface HttpServerOptions {
  readonly host: string
  /** 0 picks a free port. */
  readonly port: number
  readonly clock: Clock
  /** The setting that the port comes from, for the error if it is taken. */
  readonly portSetting?: string
  /** How long the head of a request can take to arrive. */
  readonly headersMs?: number
  /** How long a whole request can take to arrive. */
  readonly requestMs?: number
}

/** A server that owns its port, and answers once it is given a handler. */
export interface HttpServer {
  readonly url: string
  readonly port: number
  /** Makes it ready; `isWell` rejects while it should get no requests. */
  serve(handler: Handler, isWell: () => Promise<unknown>): void
  /** Readiness fails from now on; everything else continues. */
  retire(): void
  /** First readiness fails; then connections are refused, and requests under way may finish within the grace period. */
  drain(graceMs: number): Promise<void>
  /** Ends everything at once. */
  close(): Promise<void>
}

// Longer than load balancers keep an idle connection, usually a minute: if we closed it first, a request could already be on its way.
const keepAliveMs = 75 * second
// Load balancers ask about every second; until the next time, they keep sending requests.
const noticeMs = second

export async function startHttpServer(options: HttpServerOptions): Promise<HttpServer> {
  const { host, clock } = options
  let state: 'starting' | 'ready' | 'stopping' = 'starting'
  let handle: Handler | null = null
  let isWell: (() => Promise<unknown>) | null = null

  async function answer(request: Request, connection?: Connection): Promise<Response> {
    switch (pathOf(request.url)) {
      case '/livez':
        return plainText(200, 'alive')
      case '/readyz':
        return state === 'ready' && isWell !== null ? readiness(isWell) : plainText(503, state)
      default: {
        if (handle === null)
          return refusal(503, 'starting', 'This server is starting. Repeat the request.', { 'retry-after': '1' })
        const response = await handle(request, connection)
        // A kept-alive connection would delay the shutdown.
        if (state === 'stopping') response.headers.set('connection', 'close')
        return response
      }
    }
  }

  const server = nodeServer(options, answer, {
    route: (incoming) => handle?.straight?.(incoming) ?? null,
    isStopping: () => state === 'stopping',
  })
  const port = await bind(server, options)

  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${port}`,
    port,
    serve(given, check) {
      handle = given
      isWell = check
      state = 'ready'
    },
    retire() {
      state = 'stopping'
    },
    async drain(graceMs) {
      state = 'stopping'
      await new Promise<void>((resolve) => clock.after(Math.min(noticeMs, graceMs), resolve))
      const giveUp = clock.after(Math.max(0, graceMs - noticeMs), () => server.closeAllConnections())
      await closed(server)
      giveUp()
    },
    async close() {
      if (!server.listening) return
      server.closeAllConnections()
      await closed(server)
    },
  }
}

/** Bypasses the adapter for requests that the handler can answer without it. */
interface Straight {
  readonly route: StraightRoute
  readonly isStopping: () => boolean
}

function nodeServer(
  { headersMs = 10 * second, requestMs = 30 * second }: HttpServerOptions,
  answer: Handler,
  straight: Straight,
): Server {
  // This process is ours: the adapter may replace the global `Response` by its own, whose text is written without a stream.
  const general = getRequestListener(answer)
  const timeouts = {
    headersTimeout: headersMs,
    requestTimeout: requestMs,
    keepAliveTimeout: keepAliveMs,
    connectionsCheckingInterval: Math.ceil(headersMs / 10),
  }
  return createServer(timeouts, (incoming, outgoing) => {
    const answering = straight.route(incoming)
    if (answering === null) void general(incoming, outgoing)
    else void answering.then((reply) => writeStraight(reply, incoming, outgoing, straight.isStopping()))
  })
}

/** Writes a reply directly; a `Response` is written the general way. */
function writeStraight(
  reply: Reply | Response,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  isLast: boolean,
): void {
  // A kept-alive connection would delay the shutdown.
  if (isLast) outgoing.setHeader('connection', 'close')
  if (reply instanceof Response) return void getRequestListener(() => reply)(incoming, outgoing)
  outgoing.statusCode = reply.status
  for (const [name, value] of Object.entries(headersOf(reply))) outgoing.setHeader(name, value)
  outgoing.end(reply.text)
}

async function bind(server: Server, options: HttpServerOptions): Promise<number> {
  const { host, port, portSetting = 'POSTHORN_PORT' } = options
  try {
    server.listen({ host, port })
    await once(server, 'listening')
  } catch (cause) {
    const isTaken = cause instanceof Error && 'code' in cause && cause.code === 'EADDRINUSE'
    if (isTaken)
      throw expected(
        'invalid_argument',
        portSetting,
        'a port that is free',
        port,
        'Choose another, or 0 for any that is free.',
      )
    throw new PosthornError(
      'invalid_argument',
      `Expected to listen on ${host}, port ${port}: ${messageOf(cause)}. Change POSTHORN_HOST or ${portSetting}.`,
      { cause },
    )
  }
  return (server.address() as AddressInfo).port
}

async function readiness(isWell: () => Promise<unknown>): Promise<Response> {
  try {
    await isWell()
    return plainText(200, 'ready')
  } catch {
    return plainText(503, 'the database does not answer')
  }
}

function plainText(status: number, text: string): Response {
  return new Response(`${text}\n`, { status, headers: { 'content-type': 'text/plain; charset=utf-8' } })
}

function closed(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve())
    server.closeIdleConnections()
  })
}
