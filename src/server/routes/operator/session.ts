import { z } from 'zod'
import type { Posthorn } from '../../../posthorn.ts'
import { isOwnPage, sessionCookie, sessionIn } from '../../http/session-cookie.ts'
import { actorOf } from '../../request/actor.ts'
import { refusal } from '../../errors/error-response.ts'
import { answer, operation } from '../../operation.ts'
import type { Operation, ServerParts } from '../../operation.ts'
import type { ApiRequest } from '../../request/api-request.ts'
import type { Caller } from '../../request/caller.ts'
import { httpError } from '../../schemas/common.ts'
import { sessionOut } from '../../schemas/operator/session.ts'
import { isSecure } from '../../http/url.ts'

const path = '/api/v1/session'
const sessionBody = z
  .object({
    key: z.string().min(1).max(512),
    replace: z
      .boolean()
      .optional()
      .meta({ description: 'Ends the session of another key that the browser has; refused (409) without it.' }),
  })
  .meta({ id: 'SessionIn' })

/** A key and the JSON around it: a caller without a key gets no more memory than that. */
const mostSignInBytes = 4 * 1024
/** How a browser signs in: it presents a key once, and uses a cookie from then on. */
export const sessionOperations: readonly Operation[] = [
  operation({
    id: 'v1.session.get',
    method: 'get',
    path,
    summary: 'Shows who calls.',
    realm: 'everyone',
    access: 'read',
    answers: { 200: sessionOut },
    async handle({ caller: { name, applicationId, access }, server }) {
      return answer(200, { caller: { name, applicationId, access }, dev: server.isDev })
    },
  }),
  operation({
    id: 'v1.session.open',
    method: 'post',
    path,
    summary: 'Signs a browser in with a key, for twelve hours; it gets a cookie that no script can read.',
    realm: 'public',
    access: 'read',
    limitedBy: 'address',
    mostBytes: mostSignInBytes,
    idempotency: 'none',
    body: sessionBody,
    answers: { 204: null, 401: httpError, 403: httpError, 409: httpError },
    async handle({ posthorn, body, request, server, by }) {
      if (isForeignPage(request))
        return refusal(
          403,
          'permission_denied',
          'Expected the dashboard itself to sign in, got a page of another site.',
        )
      const caller = (await server.callerOf?.(body.key)) ?? null
      if (caller === null) {
        await posthorn.keys.refuseSignIn(by())
        return refusal(401, 'authentication_failed', 'This key is not known, or it has ended.')
      }
      const actor = actorOf(caller, by().from)
      const present = await presentSession(server, request)
      if (present !== null && present.sessionOf !== caller.id && body.replace !== true) return taken(present, caller)
      if (present !== null) await posthorn.keys.endSession(present.id, actorOf(present, by().from))
      return openSession(posthorn, { caller, actor, server, request })
    },
  }),
  operation({
    id: 'v1.session.end',
    method: 'delete',
    path,
    summary: 'Signs a browser out.',
    realm: 'everyone',
    // A reader can sign out, too.
    access: 'read',
    answers: { 204: null },
    async handle({ posthorn, request, server, by }) {
      const token = sessionIn(request.headers)
      const key = token === null ? null : await posthorn.keys.find(token)
      if (key !== null && key.sessionOf !== null) await posthorn.keys.endSession(key.id, by())
      return withCookie(endedCookie(server, request))
    },
  }),
]

/** Other sites must not sign our user in as somebody else. */
function isForeignPage(request: ApiRequest): boolean {
  return (request.headers.has('sec-fetch-site') || request.headers.has('origin')) && !isOwnPage(request)
}

/** The browser's current session; null if it has no valid one. */
async function presentSession(server: ServerParts, request: ApiRequest): Promise<Caller | null> {
  const token = sessionIn(request.headers)
  return token === null || server.callerInSession === null ? null : server.callerInSession(token)
}

/** A link sent by somebody else must not silently sign the user in as another caller. */
function taken(present: Caller, wanted: Caller): Response {
  return refusal(
    409,
    'session_exists',
    `You are signed in as ${nameOf(present)}. This would sign you in as ${nameOf(wanted)} instead.`,
  )
}

function nameOf({ name, applicationId }: Caller): string {
  return applicationId === null ? `"${name}"` : `"${name}" of ${applicationId}`
}

interface Opening {
  readonly caller: Caller
  readonly actor: ReturnType<typeof actorOf>
  readonly server: ServerParts
  readonly request: ApiRequest
}

async function openSession(posthorn: Posthorn, { caller, actor, server, request }: Opening): Promise<Response> {
  const { key, token } = await posthorn.keys.openSession(caller, actor)
  const lastsMs = (key.expiresAt ?? key.createdAt) - key.createdAt
  return withCookie(sessionCookie(token, { basePath: server.basePath, isTls: isSecure(request), lastsMs }))
}

/** The cookie that makes a browser forget its session. */
function endedCookie({ basePath }: ServerParts, request: ApiRequest): string {
  return sessionCookie(null, { basePath, isTls: isSecure(request), lastsMs: 0 })
}

function withCookie(cookie: string): Response {
  return new Response(null, { status: 204, headers: { 'set-cookie': cookie, 'cache-control': 'no-store' } })
}
