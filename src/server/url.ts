// A request's URL is absolute, and whoever made the request has checked it: `new URL` would do that again, for every call.

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
