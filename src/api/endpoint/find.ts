import type { Endpoint } from '../../core/endpoint/endpoint.ts'
import { expected } from '../../core/errors.ts'
import type { Directory } from '../../core/ports/directory.ts'
import type { ResourceParts } from '../parts.ts'

/** An endpoint's id, or your own id for it within its application. */
export type EndpointName = string | { readonly application: string; readonly uid: string }

/** Finds an endpoint; a deleted one by its id, if requested. */
export async function findEndpoint(
  { ready, directory }: ResourceParts,
  name: EndpointName,
  { deleted = false }: { readonly deleted?: boolean } = {},
): Promise<Endpoint> {
  await ready()
  if (typeof name === 'string' && deleted) return found(await deletedEndpoint(directory, name), name)
  if (typeof name === 'string') return found(await directory.endpoint(null, name), name)
  const application = await directory.application(name.application)
  return found(application === null ? null : await directory.endpoint(application.id, name.uid), name)
}

/** Nothing of a deleted application is shown. */
async function deletedEndpoint(directory: Directory, id: string): Promise<Endpoint | null> {
  const [endpoint] = await directory.endpointsById([id])
  if (endpoint === undefined) return null
  return (await directory.application(endpoint.applicationId)) === null ? null : endpoint
}

/** Throws if there is no such endpoint. */
export function found(endpoint: Endpoint | null, name: EndpointName): Endpoint {
  if (endpoint !== null) return endpoint
  const given = typeof name === 'string' ? name : `${name.uid} of ${name.application}`
  throw expected('not_found', 'endpoint', 'the id, or application and uid, of an endpoint that exists', given)
}
