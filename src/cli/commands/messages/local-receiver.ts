import { once } from 'node:events'
import { createServer } from 'node:http'
import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { systemClock } from '../../../clock.ts'
import { expected, messageOf, PosthornError } from '../../../core/errors.ts'
import { isoTime } from '../../../core/time.ts'
import { verifySignature } from '../../../core/signing/verify.ts'

export interface ReceiverOptions {
  readonly port: number
  /** Null: signatures are not checked. */
  readonly secret: string | null
  readonly forward: string | null
  readonly status: number
  readonly delayMs: number
  readonly drop: boolean
}

/** A received request, whether its signature is valid, and the response. */
export interface Receipt {
  readonly at: string
  readonly id: string | null
  readonly type: string | null
  readonly path: string
  readonly bytes: number
  readonly signature: 'valid' | 'invalid' | 'missing' | 'unchecked'
  readonly answer: string
  readonly body: string
}

const mostBytes = 5 * 1024 * 1024
// Hop-by-hop headers, which the next connection sets itself.
const ownToConnection = new Set([
  'connection',
  'host',
  'content-length',
  'transfer-encoding',
  'keep-alive',
  'expect',
  'te',
  'upgrade',
])

/** A receiver on this machine that answers, or misbehaves, as the options say. */
export async function startReceiver(
  options: ReceiverOptions,
  received: (receipt: Receipt) => void,
): Promise<{ readonly url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    answer(request, response, options, received).catch((thrown: unknown) => {
      // The sender may have disconnected in the middle; the next request is still served.
      if (!response.headersSent) response.writeHead(500)
      response.end(messageOf(thrown))
    })
  })
  const port = await bind(server, options.port)
  return {
    url: `http://127.0.0.1:${port}`,
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

async function answer(
  request: IncomingMessage,
  response: ServerResponse,
  options: ReceiverOptions,
  received: (receipt: Receipt) => void,
): Promise<void> {
  const body = await bodyOf(request)
  const { headers } = request
  if (options.delayMs > 0) await new Promise<void>((resolve) => systemClock.after(options.delayMs, resolve))
  const answered = options.drop
    ? 'connection broken'
    : options.forward === null
      ? `HTTP ${options.status}`
      : await forward(options.forward, request, body, response)
  const id = textOf(headers['webhook-id'] ?? headers['svix-id'])
  received({
    at: isoTime(systemClock.now()),
    id,
    type: typeIn(body),
    path: request.url ?? '/',
    bytes: body.length,
    signature: checkSignature(body, headers, options.secret),
    answer: answered,
    body: body.toString(),
  })
  if (options.drop) request.socket.resetAndDestroy()
  else if (options.forward === null) response.writeHead(options.status, { 'content-length': '0' }).end()
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    bytes += (chunk as Buffer).length
    if (bytes > mostBytes)
      throw new PosthornError('body_too_large', `Expected a body of at most ${mostBytes} bytes, got more.`)
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

function checkSignature(body: Buffer, headers: IncomingHttpHeaders, secret: string | null): Receipt['signature'] {
  if (secret === null) return 'unchecked'
  if (!Object.keys(headers).some((name) => name.endsWith('-signature'))) return 'missing'
  try {
    verifySignature(body, headers, secret, { now: systemClock.now() })
    return 'valid'
  } catch {
    return 'invalid'
  }
}

/** Forwards the request byte for byte, and returns its response. */
async function forward(
  url: string,
  { method = 'POST', headers }: IncomingMessage,
  body: Buffer,
  response: ServerResponse,
): Promise<string> {
  const passed = Object.entries(headers)
    .filter(([name]) => !ownToConnection.has(name))
    .map(([name, value]) => [name, String(value)] as const)
  try {
    const reply = await fetch(url, {
      method,
      headers: Object.fromEntries(passed),
      redirect: 'manual',
      ...(body.length > 0 && { body: new Uint8Array(body) }),
    })
    const text = Buffer.from(await reply.arrayBuffer())
    response
      .writeHead(reply.status, {
        'content-type': reply.headers.get('content-type') ?? 'text/plain',
        'content-length': text.length,
      })
      .end(text)
    return `HTTP ${reply.status} from ${url}`
  } catch (thrown) {
    const reason = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown
    response.writeHead(502).end(messageOf(reason))
    return `HTTP 502, because ${url} does not answer: ${messageOf(reason)}`
  }
}

/** The type in the envelope, if the body is one. */
function typeIn(body: Buffer): string | null {
  try {
    const parsed: unknown = JSON.parse(body.toString())
    return typeof parsed === 'object' && parsed !== null && 'type' in parsed && typeof parsed.type === 'string'
      ? parsed.type
      : null
  } catch {
    return null
  }
}

function textOf(value: string | readonly string[] | undefined): string | null {
  return typeof value === 'string' ? value : (value?.[0] ?? null)
}

async function bind(server: Server, port: number): Promise<number> {
  try {
    server.listen({ host: '127.0.0.1', port })
    await once(server, 'listening')
  } catch (cause) {
    throw expected(
      'invalid_argument',
      'port',
      'a free port of this machine',
      port,
      `${messageOf(cause)}. Choose another with --port, or 0 for any.`,
    )
  }
  return (server.address() as AddressInfo).port
}
