import { createHash, timingSafeEqual } from 'node:crypto'
import type { Application } from '../core/endpoint.ts'
import { PosthornError } from '../core/errors.ts'
import { allows } from '../core/key.ts'
import type { Posthorn } from '../posthorn.ts'
import { refusal } from './errors.ts'
import type { Caller, Operation } from './operation.ts'

/** Says who calls, or null for somebody unknown. */
export type Authorize = (request: Request) => Promise<Caller | null> | Caller | null

const mostTokenLength = 512

/** Callers by their API key, or by the one key that the server was started with. */
export function byKey(posthorn: Posthorn, adminKey: string | null): Authorize {
  const admin: Caller = { id: 'admin', name: 'admin', applicationId: null, access: 'write' }
  const adminHash = adminKey === null ? null : digest(adminKey)
  return (request) => {
    const token = bearerToken(request.headers.get('authorization'))
    if (token === null) return null
    // Hashes have one length and nothing in common with their neighbours: how long the comparison takes tells nothing.
    if (adminHash !== null && timingSafeEqual(adminHash, digest(token))) return admin
    return posthorn.keys.find(token)
  }
}

/** A caller that may do what is asked, with the application of its key if it has one; or the answer that refuses it. */
export type Admission = { readonly caller: Caller; readonly application: Application | null } | Response

/** Decides whether a caller may call an operation. Whatever is not allowed in so many words is refused. */
export async function admit(posthorn: Posthorn, operation: Operation, caller: Caller, params: Readonly<Record<string, string>>): Promise<Admission> {
  if (caller.applicationId === null) {
    return allows(caller, { applicationId: null, access: operation.access }) ? { caller, application: null } : forbidden()
  }
  if (operation.realm === 'server') return forbidden()
  const application = await ownApplication(posthorn, caller.applicationId)
  if (application === null) return forbidden()
  const owner: Caller = { ...caller, applicationId: application.id }
  if (operation.realm === 'application' && !isNamed(application, params['app_id'])) return forbidden()
  return allows(owner, { applicationId: application.id, access: operation.access }) ? { caller: owner, application } : forbidden()
}

export function unauthenticated(): Response {
  return refusal(401, 'authentication_failed', 'Expected `Authorization: Bearer <key>` with a key that is valid now.', { 'www-authenticate': 'Bearer' })
}

/** Only the key's own application is ever looked up: a foreign one and one that does not exist are refused alike, and as fast. */
async function ownApplication(posthorn: Posthorn, idOrUid: string): Promise<Application | null> {
  try {
    return await posthorn.applications.get(idOrUid)
  } catch (thrown) {
    if (thrown instanceof PosthornError && thrown.code === 'not_found') return null
    throw thrown
  }
}

function isNamed({ id, uid }: Application, name: string | undefined): boolean {
  return name !== undefined && (name === id || name === uid)
}

function forbidden(): Response {
  return refusal(403, 'permission_denied', 'This key does not allow that.')
}

function bearerToken(header: string | null): string | null {
  const token = /^Bearer +(\S+)$/i.exec(header ?? '')?.[1]
  return token === undefined || token.length > mostTokenLength ? null : token
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
