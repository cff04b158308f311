import { z } from 'zod'
import { isoTime } from '../../../core/time.ts'
import { answer, operation } from '../../operation.ts'
import type { Operation } from '../../operation.ts'
import { uid } from '../../schemas/common.ts'
import { deadLettersOut } from '../../schemas/operator/delivery/dead-letters.ts'
import { endpointInScope, scopeOf } from '../lookup.ts'

export const deadLetterOperations: readonly Operation[] = [
  operation({
    id: 'v1.dead-letter.list',
    method: 'get',
    path: '/api/v1/dead-letter',
    summary: 'Counts dead letters, and groups the newest 1,000 by endpoint, reason and error.',
    realm: 'everyone',
    access: 'read',
    query: z.object({ application: uid.optional(), endpoint: uid.optional() }),
    answers: { 200: deadLettersOut },
    async handle(call) {
      const { posthorn, query } = call
      const applicationId = await scopeOf(call, query.application)
      const endpointId =
        query.endpoint === undefined ? undefined : (await endpointInScope(posthorn, applicationId, query.endpoint)).id
      const { groups, grouped, counted, atLeast } = await posthorn.figures.deadLetters({ applicationId, endpointId })
      const data = groups.map((group) => ({ ...group, newestAt: isoTime(group.newestAt) }))
      return answer(200, { data, grouped, counted, atLeast })
    },
  }),
]
