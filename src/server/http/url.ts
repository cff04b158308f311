import { expected } from '../../core/errors.ts'
import type { ApiRequest } from '../request/api-request.ts'

// A request's URL is absolute, and whoever built the request has checked it: `new URL` would do that again, for every call.

/** Refuses what no link can begin with; answers without a slash at the end. */
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

/** Whether the caller reaches us over TLS, which may end at a proxy before us. Who lies about it only spoils cookies of their own. */
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

/** What follows the path, with its question mark; empty if nothing does. */
export function searchOf(url: string): string {
  return /^[^?#]*(\?[^#]*)/.exec(url)?.[1] ?? ''
}

function startOfPath(url: string): number {
  return url.indexOf('/', url.indexOf('//') + 2)
}
