import type { Application } from '../../core/endpoint/endpoint.ts'
import { allows } from '../../core/ports/key.ts'
import type { Posthorn } from '../../posthorn.ts'
import { refusal } from '../errors/error-response.ts'
import { orNull } from '../errors/not-found.ts'
import type { Operation } from '../operation.ts'
import type { Caller } from './caller.ts'

/** A caller with access, with the application of its key if it has one; or the response that refuses it. */
type Authorization = { readonly caller: Caller; readonly application: Application | null } | Response

/** Decides whether a caller has access to an operation. Whatever is not explicitly allowed is refused. */
export async function authorize(
  posthorn: Posthorn,
  operation: Operation,
  caller: Caller,
  params: Readonly<Record<string, string>>,
): Promise<Authorization> {
  if (caller.applicationId === null) {
    return allows(caller, { applicationId: null, access: operation.access })
      ? { caller, application: null }
      : forbidden()
  }
  if (operation.realm === 'server' || (operation.portal === 'refused' && isCustomer(caller))) return forbidden()
  // Only the key's own application is ever looked up: a foreign and a missing application are refused alike, and equally fast.
  const application = await orNull(posthorn.applications.get(caller.applicationId))
  if (application === null) return forbidden()
  const owner: Caller = { ...caller, applicationId: application.id }
  if (operation.realm === 'application' && !isNamed(application, params['app_id'])) return forbidden()
  return allows(owner, { applicationId: application.id, access: operation.access })
    ? { caller: owner, application }
    : forbidden()
}

/** True for a customer with a link to the portal. */
export function isCustomer({ portal }: Caller): boolean {
  return portal !== null && portal !== undefined
}

function isNamed({ id, uid }: Application, name: string | undefined): boolean {
  return name !== undefined && (name === id || name === uid)
}

export function forbidden(detail = 'This key does not allow that.'): Response {
  return refusal(403, 'permission_denied', detail)
}
