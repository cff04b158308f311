import { isoTime } from '../../../core/time.ts'
import { listQuery, pageOf } from '../../request/pagination.ts'
import { answer, operation } from '../../operation.ts'
import type { Operation } from '../../operation.ts'
import { listOf } from '../../schemas/common.ts'
import { auditOut } from '../../schemas/operator/audit.ts'

export const auditOperations: readonly Operation[] = [
  operation({
    id: 'v1.audit.list',
    method: 'get',
    path: '/api/v1/audit',
    summary: 'Lists who did what, newest first.',
    realm: 'server',
    access: 'read',
    query: listQuery('aud'),
    answers: { 200: listOf(auditOut) },
    async handle({ posthorn, query }) {
      const page = await pageOf(
        query,
        'descending',
        (wanted) => posthorn.audit(wanted),
        ({ id }) => id,
      )
      return answer(200, { ...page, data: page.data.map((entry) => ({ ...entry, at: isoTime(entry.at) })) })
    },
  }),
]
