import { answer, operation } from '../../operation.ts'
import type { Operation } from '../../operation.ts'

export const healthOperations: readonly Operation[] = [
  operation({
    id: 'v1.health.get',
    method: 'get',
    path: '/api/v1/health',
    summary: 'Whether the server and its database are well.',
    realm: 'public',
    access: 'read',
    answers: { 204: null },
    async handle({ posthorn }) {
      // The cheapest query that only the database can answer.
      await posthorn.audit({ limit: 1 })
      return answer(204)
    },
  }),
  operation({
    id: 'v1.health.ping',
    method: 'get',
    path: '/api/v1/health/ping',
    summary: 'Whether the server answers.',
    realm: 'public',
    access: 'read',
    answers: { 204: null },
    handle: async () => answer(204),
  }),
]
