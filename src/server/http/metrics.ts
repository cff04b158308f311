import { allows } from '../../core/ports/key.ts'
import { refusal } from '../errors/error-response.ts'
import type { Handler } from '../handler.ts'
import { unauthenticated } from '../request/authentication.ts'
import type { Authorize } from '../request/authentication.ts'
import { forbidden } from '../request/authorization.ts'
import { pathOf } from './url.ts'

/** The metrics for Prometheus, in any form. */
export interface MetricsRegistry {
  readonly contentType: string
  metrics(): Promise<string>
}

interface ScrapeOptions {
  readonly registry: MetricsRegistry
  /** Returns who is calling; null if everybody has access. */
  readonly authorize: Authorize | null
}

/** Answers /metrics, and leaves everything else to the handler. Null if nothing is counted: then /metrics is an ordinary path. */
export function withMetrics(handler: Handler, options: ScrapeOptions | null): Handler {
  if (options === null) return handler
  const answerAll: Handler = (request, connection) =>
    pathOf(request.url) === '/metrics' ? answer(request, options) : handler(request, connection)
  return Object.assign(answerAll, { straight: handler.straight ?? null })
}

/** For a separate port: it serves nothing but /metrics. */
export async function nothingElse(request: Request): Promise<Response> {
  return refusal(404, 'not_found', `Expected /metrics, /livez or /readyz, got ${pathOf(request.url)}.`)
}

async function answer(request: Request, { registry, authorize }: ScrapeOptions): Promise<Response> {
  if (!['GET', 'HEAD'].includes(request.method))
    return refusal(405, 'method_not_allowed', `Expected GET, got ${request.method}.`, { allow: 'GET' })
  const refused = authorize === null ? null : await refusedBy(authorize, request)
  if (refused !== null) return refused
  return new Response(await registry.metrics(), { headers: { 'content-type': registry.contentType } })
}

/** The numbers cover all applications: a key of one application is not enough. */
async function refusedBy(authorize: Authorize, request: Request): Promise<Response | null> {
  try {
    const caller = await authorize(request)
    if (caller === null) return unauthenticated()
    return allows(caller, { applicationId: null, access: 'read' }) ? null : forbidden()
  } catch {
    return refusal(503, 'store_failed', 'Expected the database to know this key, but it does not answer.')
  }
}
