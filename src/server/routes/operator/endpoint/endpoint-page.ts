import { z } from 'zod'
import { day, hour, minute } from '../../../../core/time.ts'
import { answer, operation } from '../../../operation.ts'
import type { Operation } from '../../../operation.ts'
import {
  endpointCheckIn,
  endpointTimelineOut,
  filterTrialIn,
  filterTrialOut,
  toEndpointTimelineOut,
  toFilterTrialOut,
} from '../../../schemas/operator/endpoint/endpoint-trial.ts'
import { endpointIn, endpointInScope, parameter, scopeOf } from '../../lookup.ts'
import { choosesPolicy, policyRefused, settingsIn } from '../../svix/endpoint/endpoints.ts'
import { patched } from '../../svix/endpoint/headers.ts'

const spans = {
  '24h': { windowMs: day, bucketMs: 15 * minute },
  '7d': { windowMs: 7 * day, bucketMs: 2 * hour },
} as const

/** What the page of an endpoint loads besides the endpoint itself. */
export const endpointPageOperations: readonly Operation[] = [
  operation({
    id: 'v1.endpoint-overview.timeline',
    method: 'get',
    path: '/api/v1/endpoint/{endpoint_id}/timeline',
    summary: 'Shows what was sent to an endpoint over the last day or week: counts and latencies, in all and by time.',
    realm: 'everyone',
    access: 'read',
    query: z.object({ window: z.enum(['24h', '7d']).default('24h') }),
    answers: { 200: endpointTimelineOut },
    async handle(call) {
      const { posthorn, params, query } = call
      const { id } = await endpointInScope(posthorn, await scopeOf(call, null), parameter(params, 'endpoint_id'))
      return answer(200, toEndpointTimelineOut(await posthorn.figures.timelineOf(id, spans[query.window])))
    },
  }),
  operation({
    id: 'v1.endpoint.check',
    method: 'post',
    path: '/api/v1/app/{app_id}/endpoint/{endpoint_id}/check',
    summary: 'Says whether settings of an endpoint would be accepted, by the same rules, and changes nothing.',
    realm: 'application',
    // The answer reveals something about an address: only callers that could set it may ask.
    access: 'write',
    body: endpointCheckIn,
    answers: { 204: null },
    // Repeating it does no harm, and the body may contain secrets.
    idempotency: 'none',
    async handle(call) {
      const { posthorn, body, caller } = call
      const before = await endpointIn(call)
      if (choosesPolicy(caller, body, before)) return policyRefused()
      const { headers } = body
      await posthorn.endpoints.check(before.id, {
        ...settingsIn(body),
        ...(headers !== undefined && { headers: patched(before.headers, { headers }) }),
      })
      return answer(204)
    },
  }),
  operation({
    id: 'v1.application.try-filter',
    method: 'post',
    path: '/api/v1/app/{app_id}/try-filter',
    summary: 'Says which of the newest 20 messages of an application a payload filter would let through.',
    realm: 'application',
    access: 'write',
    body: filterTrialIn,
    answers: { 200: filterTrialOut },
    idempotency: 'none',
    async handle({ posthorn, application, body }) {
      return answer(200, toFilterTrialOut(await posthorn.messages.tryFilter(application().id, body.filter)))
    },
  }),
]
