import { Hono } from 'hono'
import { expected } from '../core/errors.ts'
import { hour } from '../core/time.ts'
import type { Posthorn } from '../posthorn.ts'
import { apiPage } from './openapi/reference/page.ts'
import type { Connection } from './request/actor.ts'
import { byKey, keyless } from './request/authentication.ts'
import type { Authenticate, Authorize } from './request/authentication.ts'
import { NodeRequest } from './request/api-request.ts'
import { checkOrigins, withCors } from './http/cors.ts'
import { builtDashboard, guards, htmlAt, isPage, makeDashboard } from './http/dashboard-files.ts'
import { incidentLine, refusal } from './errors/error-response.ts'
import type { Report } from './errors/error-response.ts'
import { serve } from './request/pipeline.ts'
import type { AnsweredRequest, PipelineParts } from './request/pipeline.ts'
import { makeIgnoredLog } from './request/ignored-fields.ts'
import { makeApiLimits } from './http/api-limits.ts'
import type { Operation, ShownSetting } from './operation.ts'
import { straightRoute } from './http/straight-route.ts'
import type { StraightRoute } from './http/straight-route.ts'
import { openApi } from './openapi/document.ts'
import { operations } from './operations.ts'
import { brandOf } from './portal/brand.ts'
import { checkPortal } from './portal/options.ts'
import type { PortalOptions } from './portal/options.ts'
import { isPortalPath, makePortal } from './portal/pages.ts'
import { checkPublicUrl, pathOf } from './http/url.ts'

export interface HandlerOptions {
  /** Where it is mounted, such as `/webhooks`; the API is then at `/webhooks/api/v1`. */
  readonly basePath?: string
  /** Your own authentication: returns who is calling, or null. Replaces API keys. */
  readonly authorize?: Authorize
  /** A key of your choice with access to everything, in addition to the stored ones. */
  readonly adminKey?: string | null
  /** Lets callers on this machine in without a key: for development. */
  readonly keyless?: boolean
  /** The settings and their sources, for the page that shows them. */
  readonly settings?: readonly ShownSetting[]
  /** The public URL of the server that mounts it, such as https://hooks.example: links to the portal begin with it, and are refused without it. */
  readonly publicUrl?: string | null
  /** How long a link to the portal is valid; an hour by default. */
  readonly portalTokenHours?: number
  /** How the customers' portal looks, and where it can be embedded. */
  readonly portal?: PortalOptions
  /** Calls per second and key; 500 by default, 0 for no limit. */
  readonly rateLimitPerSecond?: number
  /** Messages per second that an application may get; 500 by default, 0 for no quota. */
  readonly messagesPerSecondPerApplication?: number
  /** Origins whose pages may call the API with a key, such as https://portal.example; none by default. */
  readonly corsOrigins?: readonly string[]
  /** Refuses fields and parameters that have no effect, also those that Svix clients send. */
  readonly strict?: boolean
  /** How many requests can be under way at once; 1,000 by default. One key may have at most as many as are still free. */
  readonly mostInFlight?: number
  /** Called with errors that originate here; a process warning by default. */
  readonly report?: Report
  /** Called with fields that clients send without effect, once for each; a process warning by default. */
  readonly warn?: (sentence: string) => void
  /** Called with every request that an operation has answered. */
  readonly answered?: (request: AnsweredRequest) => void
}

export interface Handler {
  /** Node's own server knows more about a request than a `Request` does: where it came from. */
  (request: Request, connection?: Connection): Promise<Response>
  /** For Node's own server: a shorter way to the same response, for the most frequent request. */
  readonly straight?: StraightRoute | null
}

/** The HTTP API as a function from request to response, to be mounted anywhere. */
export function handler(posthorn: Posthorn, options: HandlerOptions = {}): Handler {
  return handlerWith(posthorn, options, {})
}

/** The same with given parts, such as limits. */
export function handlerWith(posthorn: Posthorn, options: HandlerOptions, own: Partial<PipelineParts>): Handler {
  const basePath = checkBasePath(options.basePath ?? '')
  const parts = { ...partsOf(posthorn, basePath, options), ...own }
  const app = new Hono<{ Bindings: Connection }>({ getPath: (request) => pathIn(request.url, basePath) })
  for (const operation of operations) {
    app.on(operation.method.toUpperCase(), routeOf(operation), (context) =>
      serve(parts, operation, context.req.raw, { params: context.req.param(), connection: context.env }),
    )
  }
  mountDescription(app, basePath)
  const elsewhere = otherPaths(operations, basePath, options.portal ?? {})
  app.notFound((context) => elsewhere.fetch(context.req.raw))
  const origins = checkOrigins(options.corsOrigins ?? [])
  const answer = withCors(async (request, connection) => app.fetch(request, connection), origins)
  // Anything else that looks at requests or responses needs complete ones.
  const isPlain = basePath === '' && options.authorize === undefined && origins.length === 0
  return Object.assign(answer, { straight: isPlain ? straightRoute(parts) : null })
}

/** The pipeline around every operation, as the options say. */
export function partsOf(posthorn: Posthorn, basePath: string, options: HandlerOptions): PipelineParts {
  return {
    posthorn,
    basePath,
    ...authenticationOf(posthorn, options),
    publicUrl: checkPublicUrl(options.publicUrl ?? null),
    portalTokenMs: (options.portalTokenHours ?? 1) * hour,
    settings: options.settings ?? [],
    limits: makeApiLimits(options, () => posthorn.now()),
    report: options.report ?? ((incident) => warnProcess(incidentLine(incident))),
    isStrict: options.strict ?? false,
    logIgnored: makeIgnoredLog(options.warn ?? warnProcess),
    answered: options.answered ?? null,
  }
}

function authenticationOf(
  posthorn: Posthorn,
  options: HandlerOptions,
): Pick<PipelineParts, 'authorize' | 'callerOf' | 'callerInSession' | 'isDev'> {
  const isDev = options.keyless ?? false
  const { authorize, ...own } = byKey(posthorn, options.adminKey ?? null)
  if (options.authorize !== undefined)
    return { authorize: byHost(options.authorize), callerOf: null, callerInSession: null, isDev }
  return { authorize: isDev ? keyless(authorize) : authorize, ...own, isDev }
}

/** A host's own authentication sees complete requests: with one, no other kind comes here. */
function byHost(authorize: Authorize): Authenticate {
  return (request) => (request instanceof NodeRequest ? null : authorize(request))
}

function warnProcess(sentence: string): void {
  process.emitWarning(sentence, { code: 'POSTHORN_SERVER' })
}

/** Whatever no operation answers: other methods on their paths, pages, and 404s. Separate, so that a request meets only one route. */
function otherPaths(table: readonly Operation[], basePath: string, given: PortalOptions): Hono {
  const app = new Hono({ getPath: (request) => pathIn(request.url, basePath) })
  for (const [route, methods] of methodsByRoute(table)) {
    const allow = methods.join(', ')
    app.all(route, (context) =>
      refusal(405, 'method_not_allowed', `Expected ${allow}, got ${context.req.method}.`, { allow }),
    )
  }
  const dashboard = makeDashboard(builtDashboard, basePath)
  const portal = makePortal(
    builtDashboard,
    basePath,
    brandOf(checkPortal(given), builtDashboard, given.warn ?? warnProcess),
  )
  app.notFound((context) => {
    const pathname = pathOf(context.req.url)
    const path = pathIn(context.req.url, basePath)
    const isRead = ['GET', 'HEAD'].includes(context.req.method)
    return isRead && isBelow(pathname, basePath) && isPage(path)
      ? (isPortalPath(path) ? portal : dashboard)(path)
      : refusal(404, 'not_found', `Expected a path of the API or a page of the dashboard, got ${pathname}.`)
  })
  return app
}

/** Created on first use: most hosts that embed the API never need it. */
function mountDescription(app: Hono<{ Bindings: Connection }>, basePath: string): void {
  let written: { readonly json: string; readonly page: string } | null = null
  function description(): { readonly json: string; readonly page: string } {
    if (written !== null) return written
    const document = openApi(operations, basePath)
    written = { json: JSON.stringify(document), page: apiPage(document) }
    return written
  }

  app.get(
    '/api/v1/openapi.json',
    () => new Response(description().json, { headers: { 'content-type': 'application/json' } }),
  )
  app.get('/api', () =>
    htmlAt(builtDashboard, '/reference.html', basePath, {
      guards,
      // A function, because `$&` in an example is not a pattern.
      fill: (html) => html.replace('<!-- the operations -->', () => description().page),
    }),
  )
}

function routeOf({ path }: Operation): string {
  return path.replaceAll(/\{(\w+)\}/g, ':$1')
}

function methodsByRoute(table: readonly Operation[]): Map<string, string[]> {
  const methods = new Map<string, string[]>()
  for (const operation of table) {
    const route = routeOf(operation)
    methods.set(route, [...(methods.get(route) ?? []), operation.method.toUpperCase()])
  }
  return methods
}

/** The path below the mount. Clients configured with a trailing slash request `//api/v1`. */
function pathIn(url: string, basePath: string): string {
  const pathname = pathOf(url)
  if (!isBelow(pathname, basePath)) return '/'
  const below = pathname.slice(basePath.length).replace(/^\/+/, '/')
  return below.length > 1 && below.endsWith('/') ? below.slice(0, -1) : below
}

function isBelow(path: string, above: string): boolean {
  return `${path}/`.startsWith(`${above}/`)
}

function checkBasePath(basePath: string): string {
  if (/^(\/[\w.~-]+)*$/.test(basePath)) return basePath
  throw expected('invalid_argument', 'basePath', 'a path such as /webhooks, without a slash at its end', basePath)
}
