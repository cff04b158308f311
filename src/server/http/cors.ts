import { expected } from '../../core/errors.ts'
import { urlOf } from '../../core/url.ts'
import type { Connection } from '../request/actor.ts'

type Handler = (request: Request, connection?: Connection) => Promise<Response>

const exposed = 'retry-after, x-posthorn-ignored'
const methods = 'GET, POST, PUT, PATCH, DELETE'
const maxAgeSeconds = 600
const headerNames = /^[\w-]+(, *[\w-]+)*$/
const mostHeaderLength = 1_000

/**
 * Allows pages of other origins to call the API with their own key. Cookies are never sent along: the dashboard's session is for its
 * own pages only.
 */
export function withCors(handler: Handler, origins: readonly string[]): Handler {
  if (origins.length === 0) return handler
  return async (request, connection) => {
    const origin = request.headers.get('origin')
    const isAllowed = origin !== null && (origins.includes('*') || origins.includes(origin))
    const response = isAllowed && isPreflight(request) ? preflight(request) : await handler(request, connection)
    // Whether a page may read the response depends on its origin: no cache may reuse it for another.
    response.headers.append('vary', 'origin')
    if (isAllowed) {
      response.headers.set('access-control-allow-origin', origin)
      response.headers.set('access-control-expose-headers', exposed)
    }
    return response
  }
}

/** Refuses what no browser would ever send as its origin: it would silently match nothing. */
export function checkOrigins(origins: readonly string[], name = 'corsOrigins'): readonly string[] {
  const wrong = origins.find((origin) => origin !== '*' && !isOrigin(origin))
  if (wrong === undefined) return origins
  throw expected(
    'invalid_argument',
    name,
    'a list of origins such as https://portal.example, or *',
    wrong,
    'An origin has a scheme and a host, and no path.',
  )
}

function isOrigin(text: string): boolean {
  return /^https?:/.test(text) && urlOf(text)?.origin === text
}

function isPreflight({ method, headers }: Request): boolean {
  return method === 'OPTIONS' && headers.has('access-control-request-method')
}

function preflight({ headers }: Request): Response {
  const asked = headers.get('access-control-request-headers') ?? ''
  const allowed =
    asked.length <= mostHeaderLength && headerNames.test(asked) ? asked : 'authorization, content-type, idempotency-key'
  return new Response(null, {
    status: 204,
    headers: {
      'access-control-allow-methods': methods,
      'access-control-allow-headers': allowed,
      'access-control-max-age': String(maxAgeSeconds),
    },
  })
}
