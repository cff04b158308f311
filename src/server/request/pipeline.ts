import type { Application } from '../../core/endpoint/endpoint.ts'
import { expected } from '../../core/errors.ts'
import type { Posthorn } from '../../posthorn.ts'
import { actorOf, addressOf, networkOf } from './actor.ts'
import type { Connection } from './actor.ts'
import type { ApiRequest } from './api-request.ts'
import { unauthenticated } from './authentication.ts'
import { authorize } from './authorization.ts'
import type { Authenticate } from './authentication.ts'
import { answerTo } from '../errors/error-response.ts'
import type { Report } from '../errors/error-response.ts'
import { idempotencyKey, once, repeatable } from './idempotency.ts'
import type { Reply } from './idempotency.ts'
import { ignoredHeader } from './ignored-fields.ts'
import type { Ignored } from './ignored-fields.ts'
import { readInput } from './input.ts'
import { shownJson } from './shown-json.ts'
import { abortedResponse, RequestAborted } from '../errors/request-aborted.ts'
import { Holding } from '../http/api-limits.ts'
import type { ApiLimits } from '../http/api-limits.ts'
import type { ReserveBytes } from '../http/request-body.ts'
import { overloaded } from '../http/concurrency-limit.ts'
import { RawJson } from '../operation.ts'
import type { Answer, Call, Operation, ServerParts } from '../operation.ts'
import { ownerOf } from './caller.ts'
import type { Caller } from './caller.ts'

export interface PipelineParts extends ServerParts {
  readonly posthorn: Posthorn
  readonly authorize: Authenticate
  readonly limits: ApiLimits
  readonly report: Report
  /** Refuses even fields that only Svix clients send. */
  readonly isStrict: boolean
  readonly logIgnored: (operation: string, ignored: readonly Ignored[]) => void
  /** Null if nobody listens. */
  readonly answered: ((request: AnsweredRequest) => void) | null
}

/** A request that an operation has answered, without its content. */
export interface AnsweredRequest {
  readonly operation: string
  readonly status: number
  readonly tookMs: number
}

type Params = Readonly<Record<string, string>>

/** What the router knows about a request. */
interface Route {
  readonly params: Params
  readonly connection: Connection | undefined
}

/** One request, and what it holds of the limits until it is answered. */
interface Asked extends Route {
  readonly operation: Operation
  readonly request: ApiRequest
  readonly holding: Holding
}

/** Leads one request through everything before and after its operation. It never throws. */
export async function serve(
  parts: PipelineParts,
  operation: Operation,
  request: Request,
  route: Route,
): Promise<Response> {
  return toResponse(await replyTo(parts, operation, request, route))
}

/** The same for servers that write replies without a `Response`. */
export async function replyTo(
  parts: PipelineParts,
  operation: Operation,
  request: ApiRequest,
  { params, connection }: Route,
): Promise<Reply | Response> {
  const { answered, posthorn } = parts
  const asked = { operation, request, holding: new Holding(), params, connection }
  if (answered === null) return respond(parts, asked)
  const startedAt = posthorn.now()
  const reply = await respond(parts, asked)
  answered({ operation: operation.id, status: reply.status, tookMs: posthorn.now() - startedAt })
  return reply
}

async function respond(parts: PipelineParts, asked: Asked): Promise<Reply | Response> {
  const { operation, holding } = asked
  try {
    // Before a byte of the body is read.
    const admitted = await admit(parts, asked)
    return admitted instanceof Response ? admitted : await runOperation(parts, asked, admitted)
  } catch (thrown) {
    return thrown instanceof RequestAborted ? abortedResponse() : answerTo(thrown, operation.id, parts.report)
  } finally {
    holding.release()
  }
}

async function runOperation(
  parts: PipelineParts,
  { operation, request, params, connection }: Asked,
  { caller, application: own, reserve }: Admitted,
): Promise<Reply | Response> {
  const input = await readInput(operation, request, parts.isStrict, reserve)
  if (input instanceof Response) return input
  const key = operation.method === 'post' ? idempotencyKey(request) : null
  if (key instanceof Response) return key

  const { posthorn } = parts
  const application = own ?? (await applicationIn(posthorn, operation, params))
  // Written out: spreading the input here took a twentieth of the whole request.
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
  return withIgnored(parts, operation, await handleOnce(operation, call), input.ignored)
}

/** A repeat under the same key gets the first response again, unless the operation handles that itself. */
function handleOnce(operation: Operation, call: Call): Promise<Reply | Response> {
  const handle = async (): Promise<Reply | Response> => toReply(await operation.handle(call), call.caller)
  const { idempotencyKey: key, posthorn } = call
  return key === null || operation.idempotency !== undefined ? handle() : once(posthorn, repeatable(call, key), handle)
}

/** Fields without effect are reported to the caller, and to the operator of the server. */
function withIgnored(
  { logIgnored }: PipelineParts,
  { id, realm }: Operation,
  reply: Reply | Response,
  ignored: readonly Ignored[],
): Reply | Response {
  if (ignored.length === 0) return reply
  // Callers without a key must not be able to write to the log.
  if (realm !== 'public') logIgnored(id, ignored)
  const response = toResponse(reply)
  response.headers.set('x-posthorn-ignored', ignoredHeader(ignored))
  return response
}

const anonymous: Caller = { id: 'nobody', name: 'nobody', applicationId: null, access: 'read' }

/** A caller whose request may be read and executed. */
interface Admitted {
  readonly caller: Caller
  readonly application: Application | null
  readonly reserve: ReserveBytes
}

/** The caller, if it is known, has access, and is within its limits; otherwise the response that refuses it. */
async function admit(parts: PipelineParts, asked: Asked): Promise<Admitted | Response> {
  const { operation, holding } = asked
  if (operation.realm === 'public') return admitAnyone(parts, asked)
  const allowed = await identify(parts, asked)
  if (allowed instanceof Response) return allowed
  const { requests, bodyBytes, messageRate } = parts.limits
  const owner = ownerOf(allowed.caller)
  const application = allowed.application?.id ?? asked.params['app_id'] ?? owner
  const refused = operation.limitedBy === 'application' ? messageRate.check(application) : null
  if (refused !== null) return refused
  const reserve: ReserveBytes = (bytes) => holding.take(bodyBytes, owner, bytes, 'bytes of requests')
  return holding.take(requests, owner, 1, 'requests') ?? { ...allowed, reserve }
}

/** Health checks are answered under any load; public calls that cost more are limited by the caller's address. */
function admitAnyone({ limits }: PipelineParts, { operation, connection, holding }: Asked): Admitted | Response {
  const admitted = { caller: anonymous, application: null, reserve: () => null }
  if (operation.limitedBy === undefined) return admitted
  const network = networkOf(connection)
  return limits.signInRate.check(network) ?? holding.take(limits.signIns, network, 1, 'sign-ins') ?? admitted
}

/** The caller, if it has access and stays within its key's rate limit; otherwise the response that refuses it. */
async function identify({ posthorn, authorize: authenticate, limits }: PipelineParts, asked: Asked) {
  const { operation, request, params } = asked
  if (!limits.unidentified.enter()) return overloaded()
  try {
    const caller = await authenticate(request)
    if (caller === null) return unauthenticated()
    const allowed = await authorize(posthorn, operation, caller, params)
    return allowed instanceof Response ? allowed : (limits.rate.check(ownerOf(allowed.caller)) ?? allowed)
  } finally {
    limits.unidentified.leave()
  }
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
  return { status, text: body === null ? null : body instanceof RawJson ? body.text : shownJson(body, caller) }
}

/** A reply as a platform `Response`. */
function toResponse(reply: Reply | Response): Response {
  return reply instanceof Response
    ? reply
    : new Response(reply.text, { status: reply.status, headers: headersOf(reply) })
}

/** No response of the API may be cached: much of it is secret, and all of it belongs to somebody. */
export function headersOf({ text }: Reply): Readonly<Record<string, string>> {
  return text === null ? emptyHeaders : jsonHeaders
}

const emptyHeaders = { 'cache-control': 'no-store' }
const jsonHeaders = { 'content-type': 'application/json', 'cache-control': 'no-store' }
