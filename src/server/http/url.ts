import { expected } from '../../core/errors.ts'
import type { ApiRequest } from '../request/api-request.ts'

// A request's URL is absolute and was checked when the request was built: `new URL` would check it again, for every call.

/** Refuses what cannot be the beginning of a link; returns it without a trailing slash. */
export function checkPublicUrl(given: string | null, name = 'publicUrl'): string | null {
  if (given === null) return null
  const url = URL.parse(given)
  const isPlain = url !== null && /^https?:$/.test(url.protocol) && url.search + url.hash + url.username === ''
  if (isPlain) return (url.origin + url.pathname).replace(/\/+$/, '')
  throw expected(
    'invalid_argument',
    name,
    'an http(s) URL without user, query and fragment, such as https://hooks.example',
    url === null ? given : url.origin,
  )
}

/** Whether the caller uses TLS, which may end at a proxy in front of us. Lying about it only breaks the caller's own cookies. */
export function isSecure({ headers, url }: Pick<ApiRequest, 'headers' | 'url'>): boolean {
  return (
    url.startsWith('https:') ||
    (headers.get('origin') ?? '').startsWith('https:') ||
    /^https\b/i.test(headers.get('x-forwarded-proto') ?? '')
  )
}

/** Scheme, host and port. */
export function originOf(url: string): string {
  return url.slice(0, startOfPath(url))
}

export function pathOf(url: string): string {
  return /[^?#]*/.exec(url.slice(startOfPath(url)))?.[0] ?? ''
}

/** The query with its question mark; empty if there is none. */
export function searchOf(url: string): string {
  return /^[^?#]*(\?[^#]*)/.exec(url)?.[1] ?? ''
}

function startOfPath(url: string): number {
  return url.indexOf('/', url.indexOf('//') + 2)
}
