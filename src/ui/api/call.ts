import { connectionLost } from '../state/connection.ts'
import { session, sessionExpired } from '../state/session.ts'

/** The result of a call: an answer, a refusal with an explanation, or no answer at all. */
export type Answer<Value> =
  | { readonly kind: 'answered'; readonly value: Value }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string; readonly detail: string }
  | { readonly kind: 'unreachable' }

export type Query = Readonly<Record<string, string | number | readonly string[] | null | undefined>>

/** The base address of the dashboard, as the server wrote it into the page; ends with a slash. */
export const basePath = new URL(document.baseURI).pathname

/** The address of an operation below `api/v1/`. */
export function apiUrl(path: string, query: Query = {}): string {
  const url = new URL(`api/v1/${path}`, document.baseURI)
  for (const [name, value] of Object.entries(query)) {
    for (const each of [value ?? []].flat()) if (each !== '') url.searchParams.append(name, String(each))
  }
  return url.href
}

let ownKey: string | null | undefined

/** From now on calls carry this key, or none, and no cookie: for an embedded page, which keeps its key in memory. */
export function callWithKey(key: string | null): void {
  ownKey = key
}

export function get<Value>(path: string, query?: Query, signal?: AbortSignal): Promise<Answer<Value>> {
  return call<Value>({ method: 'GET', url: apiUrl(path, query), signal })
}

/** An answer as text, because a browser would round large numbers while parsing it; null if there was none. */
export async function getText(path: string, signal: AbortSignal): Promise<string | null> {
  const answer = await call<string>({ method: 'GET', url: apiUrl(path), signal }, (text) => text)
  return answer.kind === 'answered' ? answer.value : null
}

export function post<Value>(
  path: string,
  body: unknown = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer<Value>> {
  return call<Value>({ method: 'POST', url: apiUrl(path), body, headers })
}

export function patch<Value>(path: string, body: unknown): Promise<Answer<Value>> {
  return call<Value>({ method: 'PATCH', url: apiUrl(path), body })
}

export function put<Value>(path: string, body: unknown): Promise<Answer<Value>> {
  return call<Value>({ method: 'PUT', url: apiUrl(path), body })
}

export function remove(path: string): Promise<Answer<null>> {
  return call<null>({ method: 'DELETE', url: apiUrl(path) })
}

/** Explains to a person why a call did not succeed. */
export function problemOf(answer: Exclude<Answer<unknown>, { kind: 'answered' }>): string {
  return answer.kind === 'unreachable'
    ? 'The server does not answer. Nothing was changed as far as this page knows.'
    : answer.detail
}

interface Calling {
  readonly method: string
  readonly url: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly signal?: AbortSignal | undefined
}

async function call<Value>(
  calling: Calling,
  read: (text: string) => Value = (text) => JSON.parse(text) as Value,
): Promise<Answer<Value>> {
  const { url, signal } = calling
  try {
    const response = await fetch(url, optionsOf(calling))
    const text = await response.text()
    connectionLost.value = false
    if (response.ok) return { kind: 'answered', value: text === '' ? (null as Value) : read(text) }
    if (response.status === 401) leave()
    return { kind: 'refused', status: response.status, ...refusal(text, response.status) }
  } catch {
    // Leaving a page aborts its requests; that says nothing about the connection.
    if (signal?.aborted !== true) connectionLost.value = true
    return { kind: 'unreachable' }
  }
}

function optionsOf({ method, body, headers: given, signal }: Calling): RequestInit {
  const headers: Record<string, string> = { accept: 'application/json', ...given }
  if (body !== undefined) headers['content-type'] = 'application/json'
  if (typeof ownKey === 'string') headers['authorization'] = `Bearer ${ownKey}`
  return {
    method,
    headers,
    credentials: ownKey === undefined ? 'same-origin' : 'omit',
    cache: 'no-store',
    ...(body !== undefined && { body: JSON.stringify(body) }),
    ...(signal !== undefined && { signal }),
  }
}

/** The sign-in form replaces the page, and tells people who were signed in why. */
function leave(): void {
  if (session.value !== undefined && session.value !== null) sessionExpired.value = true
  session.value = null
}

/** Refusals are `{code, detail}`; those of a schema list the location of each fault. */
function refusal(text: string, status: number): { code: string; detail: string } {
  const unknown = { code: 'unknown', detail: `The server answered ${status} without a reason.` }
  try {
    const { code, detail } = JSON.parse(text) as { code?: string; detail?: string | { loc: string[]; msg: string }[] }
    if (Array.isArray(detail))
      return {
        code: 'validation',
        detail: detail.map(({ loc, msg }) => `${loc.slice(1).join('.')}: ${msg}`).join('; '),
      }
    return { code: code ?? unknown.code, detail: detail ?? unknown.detail }
  } catch {
    return unknown
  }
}
