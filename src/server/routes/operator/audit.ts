import { z } from 'zod'
import { auditActions } from '../../../core/audit.ts'
import { isoTime } from '../../../core/time.ts'
import { listQuery, pageOf } from '../../request/pagination.ts'
import { answer, operation } from '../../operation.ts'
import type { Operation } from '../../operation.ts'
import { dateTime, listOf } from '../../schemas/common.ts'

const auditOut = z.object({
  id: z.string(),
  at: dateTime,
  actor: z.string().meta({ description: 'The name of the key.' }),
  action: z.enum(auditActions),
  target: z.string(),
  count: z.int(),
  reason: z.string().nullable(),
}).meta({ id: 'AuditOut' })

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
      const page = await pageOf(query, 'descending', (wanted) => posthorn.audit(wanted), ({ id }) => id)
      return answer(200, { ...page, data: page.data.map((entry) => ({ ...entry, at: isoTime(entry.at) })) })
    },
  }),
]
