import { z } from 'zod'
import { day } from '../../../../core/time.ts'
import { answer, operation } from '../../../operation.ts'
import type { Operation } from '../../../operation.ts'
import { dateTime } from '../../../schemas/common.ts'
import { endpointStats } from '../../../schemas/svix/endpoint.ts'
import { endpointIn, instantOf } from '../../lookup.ts'

const statsMs = 28 * day

/** What became of an endpoint's deliveries. */
export const endpointStatsOperations: readonly Operation[] = [
  operation({
    id: 'v1.endpoint.get-stats',
    method: 'get',
    path: '/api/v1/app/{app_id}/endpoint/{endpoint_id}/stats',
    summary: "Counts an endpoint's deliveries by status, in the last 28 days by default.",
    realm: 'application',
    access: 'read',
    query: z.object({ since: dateTime.nullish(), until: dateTime.nullish() }),
    answers: { 200: endpointStats },
    async handle(call) {
      const { posthorn, query } = call
      const until = instantOf(query.until) ?? posthorn.now()
      const { id } = await endpointIn(call)
      const { delivered, dead, cancelled, fresh, retrying } = await posthorn.endpoints.counts(id, {
        since: instantOf(query.since) ?? until - statsMs,
        until,
      })
      return answer(200, { success: delivered, fail: dead, canceled: cancelled, pending: fresh, sending: retrying })
    },
  }),
]
