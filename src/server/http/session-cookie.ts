import { parse } from 'hono/utils/cookie'
import { second } from '../../core/time.ts'
import { urlOf } from '../../core/url.ts'
import type { ApiRequest } from '../request/api-request.ts'

const name = 'posthorn-session'
const mostTokenLength = 256

/** A browser's session; null if there is none. */
export function sessionIn(headers: Pick<Headers, 'get'>): string | null {
  const token = parse(headers.get('cookie') ?? '', name)[name]
  return token === undefined || token === '' || token.length > mostTokenLength ? null : token
}

/** Sets the session, or ends it (null). No script can read the cookie, and no other site's page can send it. */
export function sessionCookie(
  token: string | null,
  { basePath, isTls, lastsMs }: { readonly basePath: string; readonly isTls: boolean; readonly lastsMs: number },
): string {
  const age = token === null ? 0 : Math.floor(lastsMs / second)
  const parts = [
    `${name}=${token ?? ''}`,
    `Path=${basePath === '' ? '/' : basePath}`,
    `Max-Age=${age}`,
    'HttpOnly',
    'SameSite=Strict',
  ]
  return [...parts, ...(isTls ? ['Secure'] : [])].join('; ')
}

/**
 * Whether a request that changes something comes from our own page. Browsers say so themselves; a request without an origin is
 * not trusted with a cookie. Reading is safe: no other page can see the response.
 */
export function isOwnPage({ method, headers, url }: ApiRequest): boolean {
  if (method === 'GET' || method === 'HEAD') return true
  const site = headers.get('sec-fetch-site')
  if (site !== null) return site === 'same-origin'
  return hostOf(headers.get('origin')) === (headers.get('host') ?? new URL(url).host)
}

function hostOf(origin: string | null): string | null {
  return origin === null ? null : (urlOf(origin)?.host ?? null)
}
