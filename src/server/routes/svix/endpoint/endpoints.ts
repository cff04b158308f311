import type { z } from 'zod'
import type { Endpoint, EndpointSettings } from '../../../../core/endpoint/endpoint.ts'
import { given } from '../../../../core/given.ts'
import { isId } from '../../../../core/ids.ts'
import type { Posthorn } from '../../../../posthorn.ts'
import type { By } from '../../../request/actor.ts'
import { forbidden, isCustomer } from '../../../request/authorization.ts'
import { listQuery, pageOf } from '../../../request/pagination.ts'
import { orNull } from '../../../errors/not-found.ts'
import { answer, operation } from '../../../operation.ts'
import type { Operation } from '../../../operation.ts'
import type { Caller } from '../../../request/caller.ts'
import { listOf } from '../../../schemas/common.ts'
import {
  endpointIn as endpointGiven,
  endpointOut,
  endpointPatch,
  endpointUpdate,
  toEndpointOut,
  withPrefix,
} from '../../../schemas/svix/endpoint.ts'
import { authenticationIn } from '../../../schemas/svix/endpoint-authentication.ts'
import { endpointIn, parameter } from '../../lookup.ts'

const all = '/api/v1/app/{app_id}/endpoint'
const one = `${all}/{endpoint_id}`

/** The URLs of an application that get its webhooks. */
export const endpointOperations: readonly Operation[] = [
  operation({
    id: 'v1.endpoint.list',
    method: 'get',
    path: all,
    summary: "Lists an application's endpoints, newest first.",
    realm: 'application',
    access: 'read',
    query: listQuery('ep'),
    answers: { 200: listOf(endpointOut) },
    async handle({ posthorn, query, application }) {
      const owner = { application: application().id }
      const { data, ...rest } = await pageOf(
        query,
        'descending',
        (page) => posthorn.endpoints.list(owner, page),
        ({ id }) => id,
      )
      return answer(200, { ...rest, data: data.map(toEndpointOut) })
    },
  }),
  operation({
    id: 'v1.endpoint.create',
    method: 'post',
    path: all,
    summary: 'Creates an endpoint, with a new secret unless one is given.',
    realm: 'application',
    access: 'write',
    body: endpointGiven,
    answers: { 201: endpointOut },
    async handle({ posthorn, body, application, caller, by }) {
      if (choosesPolicy(caller, body, null)) return policyRefused()
      const { secret, headers } = body
      const endpoint = await posthorn.endpoints.create(
        {
          application: application().id,
          url: body.url,
          status: firstStatus(body),
          ...settingsIn(body),
          ...(isGiven(headers) && { headers }),
          ...(isGiven(secret) && { secret: withPrefix(secret) }),
        },
        by(),
      )
      return answer(201, toEndpointOut(endpoint))
    },
  }),
  operation({
    id: 'v1.endpoint.get',
    method: 'get',
    path: one,
    summary: 'Shows an endpoint.',
    realm: 'application',
    access: 'read',
    answers: { 200: endpointOut },
    handle: async (call) => answer(200, toEndpointOut(await endpointIn(call))),
  }),
  operation({
    id: 'v1.endpoint.update',
    method: 'put',
    path: one,
    summary: 'Sets an endpoint, or creates it under the uid in the path.',
    realm: 'application',
    access: 'write',
    body: endpointUpdate,
    answers: { 200: endpointOut, 201: endpointOut },
    async handle(call) {
      const { posthorn, body, caller } = call
      const name = parameter(call.params, 'endpoint_id')
      const before = isId('ep', name) ? await endpointIn(call) : await orNull(endpointIn(call))
      if (choosesPolicy(caller, body, before)) return policyRefused()
      // A uid in the path is not removed because it is missing in the body: the same request must find the endpoint again.
      const settings = {
        ...settingsIn({ ...body, ...cleared(body) }),
        uid: body.uid ?? (isId('ep', name) ? null : name),
      }
      if (before === null) {
        const input = { application: call.application().id, url: body.url, status: firstStatus(body), ...settings }
        return answer(201, toEndpointOut(await posthorn.endpoints.create(input, call.by())))
      }
      return answer(
        200,
        toEndpointOut(
          await withStatus(posthorn, await posthorn.endpoints.update(before.id, settings, call.by()), body, call.by()),
        ),
      )
    },
  }),
  operation({
    id: 'v1.endpoint.patch',
    method: 'patch',
    path: one,
    summary: 'Changes the given fields of an endpoint.',
    realm: 'application',
    access: 'write',
    body: endpointPatch,
    answers: { 200: endpointOut },
    async handle(call) {
      const { posthorn, body, caller } = call
      const before = await endpointIn(call)
      if (choosesPolicy(caller, body, before)) return policyRefused()
      const { id } = before
      const after = await posthorn.endpoints.update(id, settingsIn(body), call.by())
      if (isGiven(body.secret))
        await posthorn.endpoints.rotateSecret(id, { secret: withPrefix(body.secret), overlapMs: 0 }, call.by())
      return answer(200, toEndpointOut(await withStatus(posthorn, after, body, call.by())))
    },
  }),
  operation({
    id: 'v1.endpoint.delete',
    method: 'delete',
    path: one,
    summary: 'Deletes an endpoint. Its open deliveries end dead.',
    realm: 'application',
    access: 'write',
    answers: { 204: null },
    async handle(call) {
      const { id } = await endpointIn(call)
      await call.posthorn.endpoints.delete(id, call.by())
      return answer(204)
    },
  }),
]

/** The retry policy is the provider's choice, not the customer's. */
export function choosesPolicy(
  caller: Caller,
  { policy }: { policy?: string | null | undefined },
  before: Endpoint | null,
): boolean {
  return isCustomer(caller) && isGiven(policy) && policy !== before?.policy
}

export function policyRefused(): Response {
  return forbidden('Expected `policy` to be left out: a link to the portal does not allow to choose it.')
}

/** The given settings; null removes one. */
export function settingsIn(body: z.output<typeof endpointPatch>): Partial<EndpointSettings> {
  const types = body.eventTypes === undefined ? body.filterTypes : body.eventTypes
  const ratePerSecond = body.throttleRate === undefined ? body.rateLimit : body.throttleRate
  const { url, description, uid, channels, metadata, filter, authentication, policy } = body
  return given({
    url,
    description,
    uid,
    types: unique(types),
    channels: unique(channels),
    metadata,
    filter,
    authentication: authenticationIn(authentication),
    ratePerSecond,
    policy: policy ?? undefined,
  })
}

/** Without duplicates; none for null. */
function unique(names: readonly string[] | null | undefined): string[] | undefined {
  return names === undefined ? undefined : [...new Set(names ?? [])]
}

/** The settings that a PUT removes by leaving them out. Not Posthorn's own: clients that do not know them must not reset them. */
function cleared({ eventTypes, filterTypes, channels, throttleRate, rateLimit }: z.output<typeof endpointUpdate>) {
  return {
    eventTypes: eventTypes ?? filterTypes ?? null,
    channels: channels ?? null,
    throttleRate: throttleRate ?? rateLimit ?? null,
  }
}

/** The initial status of an endpoint: it is never active even for a moment. */
function firstStatus({
  disabled,
  paused,
}: {
  disabled?: boolean | undefined
  paused?: boolean | null | undefined
}): 'active' | 'paused' | 'disabled' {
  if (disabled === true) return 'disabled'
  return paused === true ? 'paused' : 'active'
}

/** The endpoint, disabled, enabled, paused or resumed as requested; unchanged if nothing was. */
async function withStatus(
  posthorn: Posthorn,
  endpoint: Endpoint,
  asked: { disabled?: boolean | undefined; paused?: boolean | null | undefined },
  by: By,
): Promise<Endpoint> {
  const { id, status } = endpoint
  const { endpoints } = posthorn
  if (asked.disabled === true) return status === 'disabled' ? endpoint : endpoints.disable(id, by)
  if (asked.paused === true) return status === 'paused' ? endpoint : endpoints.pause(id, by)
  if (asked.disabled === false && status === 'disabled') return endpoints.enable(id, by)
  return asked.paused === false && status === 'paused' ? endpoints.resume(id, by) : endpoint
}

function isGiven<Value>(value: Value | null | undefined): value is Value {
  return value !== null && value !== undefined
}
