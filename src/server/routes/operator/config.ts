import { plannedDelays } from '../../../core/delivery/retry-policy.ts'
import { version } from '../../../posthorn.ts'
import { answer, operation } from '../../operation.ts'
import type { Operation } from '../../operation.ts'
import { configOut } from '../../schemas/operator/config.ts'

export const configOperations: readonly Operation[] = [
  operation({
    id: 'v1.config.get',
    method: 'get',
    path: '/api/v1/config',
    summary: 'Shows every setting with its value and where that comes from, and the retry policies.',
    realm: 'server',
    access: 'read',
    answers: { 200: configOut },
    async handle({ posthorn, server }) {
      const policies = posthorn.policies.map((policy) => ({
        name: policy.name,
        delaysMs: plannedDelays(policy),
        jitter: policy.jitterShare,
        maxAttempts: policy.maxAttempts,
      }))
      return answer(200, { settings: server.settings, policies, version, database: posthorn.database })
    },
  }),
]
