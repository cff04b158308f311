import { expected } from '../../core/errors.ts'
import type { Endpoint } from '../../core/endpoint/endpoint.ts'
import type { Message } from '../../core/message/message.ts'
import type { Instant } from '../../core/time.ts'
import type { Posthorn } from '../../posthorn.ts'
import type { Call } from '../operation.ts'

/** A path parameter; the router guarantees that it exists. */
export function parameter(params: Call['params'], name: string): string {
  const value = params[name]
  if (value !== undefined) return value
  throw expected('not_found', name, 'in the path', value)
}

/** The endpoint in the path, within its application: a foreign one is not found. */
export function endpointIn(call: Pick<Call, 'posthorn' | 'params' | 'application'>): Promise<Endpoint> {
  return call.posthorn.endpoints.get({ application: call.application().id, uid: parameter(call.params, 'endpoint_id') })
}

/** The message in the path, by id or event id, within its application. */
export function messageIn(call: Pick<Call, 'posthorn' | 'params' | 'application'>): Promise<Message> {
  return call.posthorn.messages.get(call.application().id, parameter(call.params, 'msg_id'))
}

/** The application that a query is limited to: that of the caller's key, whatever the query says; undefined for all. */
export async function scopeOf(
  { posthorn, caller, application }: Pick<Call, 'posthorn' | 'caller' | 'application'>,
  name: string | null | undefined,
): Promise<string | undefined> {
  const asked = name ?? null
  if (caller.applicationId === null) return asked === null ? undefined : (await posthorn.applications.get(asked)).id
  const { id, uid: own } = application()
  if (asked === null || asked === id || asked === own) return id
  throw expected('not_found', 'application', 'the id or uid of an application that exists', asked)
}

/** The requested endpoint, by id, or by uid within an application: one out of scope is not found. */
export async function endpointInScope(posthorn: Posthorn, scope: string | undefined, name: string): Promise<Endpoint> {
  return posthorn.endpoints.get(scope === undefined ? name : { application: scope, uid: name })
}

/** A time as clients write it; undefined if not given. */
export function instantOf(text: string | null | undefined): Instant | undefined {
  return text === null || text === undefined ? undefined : Date.parse(text)
}
