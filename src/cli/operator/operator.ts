import { expected, messageOf, PosthornError } from '../../core/errors.ts'
import type { ErrorCode } from '../../core/errors.ts'
import { readEvents } from './event-stream.ts'
import type { StreamEvent } from './event-stream.ts'

/** What the operator's commands talk to: the HTTP API, of a server elsewhere or of this process on a database. */
export interface Operator {
  /** Whom it talks to, as people may see it. */
  readonly where: string
  /** Calls the API; answers with the parsed body, null if there is none. What it refuses is thrown. */
  ask<Answer>(method: Method, path: string, more?: Question): Promise<Answer>
  /** What happens from now on, until the signal; once it resolves, nothing is missed. */
  events(query: Query, signal: AbortSignal): Promise<AsyncIterable<StreamEvent>>
  /** Sees to it that a stored job goes on where nobody else does it. */
  advance(jobId: string): Promise<void>
  close(): Promise<void>
}

export type Method = 'GET' | 'POST' | 'PATCH' | 'DELETE'
export type Query = Readonly<Record<string, string | readonly string[] | undefined>>

export interface Question {
  readonly query?: Query
  /** JSON text as it is, or what is to be written as JSON. */
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
}

export interface OperatorParts {
  readonly where: string
  /** Where the API is, without `/api/v1`. */
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  send(request: Request): Promise<Response>
  advance(jobId: string): Promise<void>
  close(): Promise<void>
}

export function makeOperator(parts: OperatorParts): Operator {
  function request(method: Method, path: string, { query = {}, body, headers = {} }: Question): Request {
    const url = new URL(`${parts.baseUrl}/api/v1${path}`)
    for (const [name, value] of Object.entries(query)) for (const one of value === undefined ? [] : [value].flat()) url.searchParams.append(name, one)
    const text = body === undefined ? null : typeof body === 'string' ? body : JSON.stringify(body)
    return new Request(url, { method, headers: { ...parts.headers, ...(text !== null && { 'content-type': 'application/json' }), ...headers }, body: text })
  }

  return {
    where: parts.where,
    async ask<Answer>(method: Method, path: string, more: Question = {}) {
      const response = await parts.send(request(method, path, more))
      const body = await bodyOf(response, parts.where)
      if (!response.ok) throw refused(response.status, body, parts.where)
      return body as Answer
    },
    async events(query, signal) {
      const response = await parts.send(request('GET', '/stream', { query, headers: { accept: 'text/event-stream' } }))
      if (!response.ok || response.body === null) throw refused(response.status, await bodyOf(response, parts.where), parts.where)
      return readEvents(response.body, signal)
    },
    advance: parts.advance,
    close: parts.close,
  }
}

/** A part of a path that a person gave. */
export function segment(text: string): string {
  return encodeURIComponent(text)
}

async function bodyOf(response: Response, where: string): Promise<unknown> {
  let text: string
  try {
    text = await response.text()
  } catch (cause) {
    throw new PosthornError('unreachable', `Expected ${where} to answer, but it broke off: ${messageOf(cause)}. Ask again.`, { cause })
  }
  if (text === '') return null
  try {
    return JSON.parse(text)
  } catch {
    throw expected('invalid_argument', 'server', 'one that answers as Posthorn does', `status ${response.status} and no JSON from ${where}`, 'Check --server or POSTHORN_SERVER.')
  }
}

const codes: Readonly<Record<number, ErrorCode>> = { 404: 'not_found', 409: 'in_flight', 502: 'unreachable', 503: 'unreachable', 504: 'unreachable' }

function refused(status: number, body: unknown, where: string): PosthornError {
  const { code, detail } = (typeof body === 'object' && body !== null ? body : {}) as { code?: unknown; detail?: unknown }
  if (status === 401) return new PosthornError('invalid_argument', `Expected a key that ${where} knows. Give it by POSTHORN_KEY, POSTHORN_KEY_FILE or --key-file.`)
  const said = Array.isArray(detail) ? detail.map(problem).join(' ') : typeof detail === 'string' ? detail : `status ${status}`
  const isNamed = typeof code === 'string' && !said.includes(code) && status !== 404
  return new PosthornError(codes[status] ?? 'invalid_argument', isNamed ? `${said} (${code})` : said)
}

/** A sentence of ours names its field; one of the schema's does not. */
function problem(given: unknown): string {
  const { loc, msg } = given as { loc?: readonly unknown[]; msg?: string }
  const field = (loc ?? []).slice(1).join('.')
  const sentence = msg ?? 'It was refused.'
  return field === '' || sentence.startsWith('Expected `') ? sentence : `${field}: ${sentence}`
}
