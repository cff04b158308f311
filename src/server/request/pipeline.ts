import type { Application } from '../../core/endpoint/endpoint.ts'
import { expected } from '../../core/errors.ts'
import type { Posthorn } from '../../posthorn.ts'
import { actorOf, addressOf } from './actor.ts'
import type { Connection } from './actor.ts'
import { unauthenticated } from './authentication.ts'
import { authorize } from './authorization.ts'
import type { Authorize } from './authentication.ts'
import { answerTo } from '../errors/error-response.ts'
import type { Report } from '../errors/error-response.ts'
import { idempotencyKey, once, repeatable } from './idempotency.ts'
import type { Reply } from './idempotency.ts'
import { ignoredHeader } from './ignored-fields.ts'
import type { Ignored } from './ignored-fields.ts'
import { readInput } from './input.ts'
import { overloaded } from '../http/concurrency-limit.ts'
import type { RateLimit } from '../http/rate-limit.ts'
import type { ConcurrencyLimit } from '../http/concurrency-limit.ts'
import { RawJson } from '../operation.ts'
import type { Answer, Call, Operation, ServerParts } from '../operation.ts'
import type { Caller } from './caller.ts'
import { jsonFor } from './tenant-view.ts'

export interface PipelineParts extends ServerParts {
  readonly posthorn: Posthorn
  readonly authorize: Authorize
  readonly rateLimit: RateLimit
  readonly concurrency: ConcurrencyLimit
  readonly report: Report
  /** Refuses also what only clients of Svix give. */
  readonly isStrict: boolean
  readonly logIgnored: (operation: string, ignored: readonly Ignored[]) => void
  /** Null if nobody asks. */
  readonly answered: ((request: AnsweredRequest) => void) | null
}

/** A request that an operation has answered, without anything that was in it. */
export interface AnsweredRequest {
  readonly operation: string
  readonly status: number
  readonly tookMs: number
}

type Params = Readonly<Record<string, string>>

/** What the router knows of a request. */
interface Route {
  readonly params: Params
  readonly connection: Connection | undefined
}

/** Leads one request through everything that lies before and after its operation. It never throws. */
export async function serve(
  parts: PipelineParts,
  operation: Operation,
  request: Request,
  route: Route,
): Promise<Response> {
  const { answered, posthorn } = parts
  if (answered === null) return respond(parts, operation, request, route)
  const startedAt = posthorn.now()
  const response = await respond(parts, operation, request, route)
  answered({ operation: operation.id, status: response.status, tookMs: posthorn.now() - startedAt })
  return response
}

async function respond(parts: PipelineParts, operation: Operation, request: Request, route: Route): Promise<Response> {
  // Whoever asks whether the server is well must be answered under any load.
  const isCounted = operation.realm !== 'public'
  if (isCounted && !parts.concurrency.enter()) return overloaded()
  try {
    return await runOperation(parts, operation, request, route)
  } catch (thrown) {
    return answerTo(thrown, operation.id, parts.report)
  } finally {
    if (isCounted) parts.concurrency.leave()
  }
}

async function runOperation(
  parts: PipelineParts,
  operation: Operation,
  request: Request,
  { params, connection }: Route,
): Promise<Response> {
  const allowed =
    operation.realm === 'public'
      ? { caller: anonymous, application: null }
      : await identify(parts, operation, request, params)
  if (allowed instanceof Response) return allowed
  const { caller } = allowed
  const input = await readInput(operation, request, parts.isStrict)
  if (input instanceof Response) return input
  const key = operation.method === 'post' ? idempotencyKey(request) : null
  if (key instanceof Response) return key

  const { posthorn } = parts
  const application = allowed.application ?? (await applicationIn(posthorn, operation, params))
  // Written out: to spread the input here took a twentieth of the whole request.
  const call: Call = {
    query: input.query,
    body: input.body,
    bytes: input.bytes,
    posthorn,
    caller,
    params,
    idempotencyKey: key,
    request,
    by: (reason) => ({ ...actorOf(caller, addressOf(request, connection)), ...(reason !== undefined && { reason }) }),
    server: parts,
    application: () => application ?? missing(operation),
    applicationId: application?.id ?? null,
  }
  return withIgnored(parts, operation, toResponse(await handleOnce(operation, call)), input.ignored)
}

/** A repeat under the same key gets the first answer again, unless the operation sees to that itself. */
function handleOnce(operation: Operation, call: Call): Promise<Reply | Response> {
  const handle = async (): Promise<Reply | Response> => toReply(await operation.handle(call), call.caller)
  const { idempotencyKey: key, posthorn } = call
  return key === null || operation.idempotency !== undefined ? handle() : once(posthorn, repeatable(call, key), handle)
}

/** What had no effect is said to whoever gave it, and to whoever runs the server. */
function withIgnored(
  { logIgnored }: PipelineParts,
  { id, realm }: Operation,
  response: Response,
  ignored: readonly Ignored[],
): Response {
  if (ignored.length === 0) return response
  // Whoever shows no key must not be able to write into the log.
  if (realm !== 'public') logIgnored(id, ignored)
  response.headers.set('x-posthorn-ignored', ignoredHeader(ignored))
  return response
}

const anonymous: Caller = { id: 'nobody', name: 'nobody', applicationId: null, access: 'read' }

/** The caller, if it has access and calls no more often than its key is allowed to; otherwise the answer that refuses it. */
async function identify(
  { posthorn, authorize: authenticate, rateLimit }: PipelineParts,
  operation: Operation,
  request: Request,
  params: Params,
) {
  const caller = await authenticate(request)
  if (caller === null) return unauthenticated()
  const allowed = await authorize(posthorn, operation, caller, params)
  return allowed instanceof Response ? allowed : (rateLimit.check(allowed.caller.id) ?? allowed)
}

async function applicationIn(posthorn: Posthorn, operation: Operation, params: Params): Promise<Application | null> {
  const name = params['app_id']
  return name === undefined || operation.findsApplication === true ? null : posthorn.applications.get(name)
}

function missing({ id }: Operation): never {
  throw expected('not_found', 'application', 'looked up by the operation itself', id)
}

function toReply(answered: Answer | Response, caller: Caller): Reply | Response {
  if (answered instanceof Response) return answered
  const { status, body } = answered
  return { status, text: body === null ? null : body instanceof RawJson ? body.text : jsonFor(caller, body) }
}

function toResponse(reply: Reply | Response): Response {
  if (reply instanceof Response) return reply
  const { status, text } = reply
  return text === null ? new Response(null, { status }) : new Response(text, { status, headers: jsonHeaders })
}

const jsonHeaders = { 'content-type': 'application/json' }
