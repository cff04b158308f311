// A request's URL is absolute, and whoever built the request has checked it: `new URL` would do that again, for every call.

/** Scheme, host and port as the caller sees them. */
export function publicOrigin(request: Pick<Request, 'headers' | 'url'>): string {
  const origin = originOf(request.url)
  return isSecure(request) ? origin.replace(/^http:/, 'https:') : origin
}

/** Whether the caller reaches us over TLS, which may end at a proxy before us. Who lies about it only spoils links and cookies of their own. */
export function isSecure({ headers, url }: Pick<Request, 'headers' | 'url'>): boolean {
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
