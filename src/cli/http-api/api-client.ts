import { expected, messageOf, PosthornError } from '../../core/errors.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { readEvents } from './event-stream.ts'
import type { StreamEvent } from './event-stream.ts'

/** How commands call the HTTP API: that of a server, or one in this process on a database. */
export interface ApiClient {
  /** The server or database, as people may see it. */
  readonly where: string
  /** Calls the API; returns the parsed body, null if there is none. Throws refusals. */
  request<Body>(method: Method, path: string, parts?: RequestParts): Promise<Body>
  /** The body as received, for what parsing would round. */
  text(path: string): Promise<string>
  /** Events from now on, until the signal; once it resolves, nothing is missed. */
  events(query: Query, signal: AbortSignal): Promise<AsyncIterable<StreamEvent>>
  /** Does the next batch of a stored job, where no worker does. */
  advance(jobId: string): Promise<void>
  close(): Promise<void>
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>

interface RequestParts {
  readonly query?: Query
  /** JSON text as it is, or a value to be written as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

interface ClientParts {
  readonly where: string
  /** The URL of the API, without `/api/v1`. */
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  send(request: Request): Promise<Response>
  advance(jobId: string): Promise<void>
  close(): Promise<void>
}

export function makeClient(client: ClientParts): ApiClient {
  const { where, advance, close } = client
  return {
    where,
    advance,
    close,
    async request<Body>(method: Method, path: string, parts: RequestParts = {}) {
      const response = await client.send(requestTo(client, method, path, parts))
      const body = await bodyOf(response, where)
      if (!response.ok) throw refusal(response.status, body, where)
      return body as Body
    },
    async text(path) {
      const response = await client.send(requestTo(client, 'GET', path, {}))
      const text = await textOf(response, where)
      if (!response.ok) throw refusal(response.status, parsed(text, response.status, where), where)
      return text
    },
    async events(query, signal) {
      const response = await client.send(
        requestTo(client, 'GET', '/stream', { query, headers: { accept: 'text/event-stream' } }),
      )
      if (!response.ok || response.body === null) throw refusal(response.status, await bodyOf(response, where), where)
      return readEvents(response.body, signal)
    },
  }
}

/** A part of a path given by a person. */
export function pathSegment(text: string): string {
  return encodeURIComponent(text)
}

function requestTo(
  client: ClientParts,
  method: Method,
  path: string,
  { query = {}, body, headers = {} }: RequestParts,
): Request {
  const url = new URL(`${client.baseUrl}/api/v1${path}`)
  for (const [name, value] of Object.entries(query)) {
    for (const one of value === undefined ? [] : [value].flat()) url.searchParams.append(name, one)
  }
  const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body)
  const contentType = text === null ? {} : { 'content-type': 'application/json' }
  return new Request(url, { method, headers: { ...client.headers, ...contentType, ...headers }, body: text })
}

async function bodyOf(response: Response, where: string): Promise<unknown> {
  return parsed(await textOf(response, where), response.status, where)
}

async function textOf(response: Response, where: string): Promise<string> {
  try {
    return await response.text()
  } catch (cause) {
    throw new PosthornError(
      'unreachable',
      `Expected ${where} to answer, but it broke off: ${messageOf(cause)}. Ask again.`,
      { cause },
    )
  }
}

function parsed(text: string, status: number, where: string): unknown {
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    const got = `status ${status} and no JSON from ${where}`
    throw expected(
      'invalid_argument',
      'server',
      'one that answers as Posthorn does',
      got,
      'Check --server or POSTHORN_SERVER.',
    )
  }
}

const codes: Readonly<Record<number, ErrorCode>> = {
  401: 'access_denied',
  403: 'access_denied',
  404: 'not_found',
  409: 'in_flight',
  413: 'body_too_large',
  429: 'overloaded',
  502: 'unreachable',
  503: 'unreachable',
  504: 'unreachable',
}

function refusal(status: number, body: unknown, where: string): PosthornError {
  const { code, detail } = (typeof body === 'object' && body !== null ? body : {}) as {
    code?: unknown
    detail?: unknown
  }
  if (status === 401) {
    return new PosthornError(
      'access_denied',
      `Expected a key that ${where} knows. Give it by POSTHORN_KEY, POSTHORN_KEY_FILE or --key-file.`,
    )
  }
  const sentence = Array.isArray(detail)
    ? detail.map(problemSentence).join(' ')
    : typeof detail === 'string'
      ? detail
      : `status ${status}`
  const isNamed = typeof code === 'string' && !sentence.includes(code) && status !== 404
  return new PosthornError(kindOf(status), isNamed ? `${sentence} (${code})` : sentence)
}

/** What a status means for the person running the command: only an error in the request is theirs to fix. */
function kindOf(status: number): ErrorCode {
  return codes[status] ?? (status >= 500 ? 'store_failed' : 'invalid_argument')
}

/** Our own sentences name the field; the schema's do not. */
function problemSentence(problem: unknown): string {
  const { loc, msg } = problem as { loc?: readonly unknown[]; msg?: string }
  const field = (loc ?? []).slice(1).join('.')
  const sentence = msg ?? 'It was refused.'
  return field === '' || sentence.startsWith('Expected `') ? sentence : `${field}: ${sentence}`
}
