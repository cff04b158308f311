import type { z } from 'zod'
import { withSecrets } from '../../../../core/endpoint/endpoint.ts'
import { answer, operation } from '../../../operation.ts'
import type { Operation } from '../../../operation.ts'
import {
  endpointHeadersIn,
  endpointHeadersOut,
  endpointHeadersPatchIn,
  toHeadersOut,
} from '../../../schemas/svix/endpoint.ts'
import { endpointIn } from '../../lookup.ts'

const path = '/api/v1/app/{app_id}/endpoint/{endpoint_id}/headers'

/** The headers that every attempt at an endpoint carries. */
export const endpointHeaderOperations: readonly Operation[] = [
  operation({
    id: 'v1.endpoint.get-headers',
    method: 'get',
    path,
    summary: "Shows the names of an endpoint's headers.",
    realm: 'application',
    access: 'read',
    answers: { 200: endpointHeadersOut },
    handle: async (call) => answer(200, toHeadersOut(withSecrets(await endpointIn(call)).headers)),
  }),
  operation({
    id: 'v1.endpoint.update-headers',
    method: 'put',
    path,
    summary: "Sets an endpoint's headers.",
    realm: 'application',
    access: 'write',
    body: endpointHeadersIn,
    answers: { 204: null },
    async handle(call) {
      const { id } = await endpointIn(call)
      await call.posthorn.endpoints.update(id, { headers: call.body.headers }, call.by())
      return answer(204)
    },
  }),
  operation({
    id: 'v1.endpoint.patch-headers',
    method: 'patch',
    path,
    summary: 'Sets the given headers, and removes those that are null.',
    realm: 'application',
    access: 'write',
    body: endpointHeadersPatchIn,
    answers: { 204: null },
    async handle(call) {
      const { id, headers } = withSecrets(await endpointIn(call))
      await call.posthorn.endpoints.update(id, { headers: patched(headers, call.body) }, call.by())
      return answer(204)
    },
  }),
]

/** Header names are case-insensitive. */
export function patched(
  before: Readonly<Record<string, string>>,
  { headers, deleteHeaders = [] }: z.output<typeof endpointHeadersPatchIn>,
): Record<string, string> {
  const touched = new Set([...Object.keys(headers), ...deleteHeaders].map((name) => name.toLowerCase()))
  const kept = Object.entries(before).filter(([name]) => !touched.has(name.toLowerCase()))
  const set = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null)
  return Object.fromEntries([...kept, ...set])
}
