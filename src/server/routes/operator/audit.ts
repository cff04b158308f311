import { orNull } from '../../errors/not-found.ts'
import { listQuery, pageOf } from '../../request/pagination.ts'
import { answer, operation } from '../../operation.ts'
import type { Operation } from '../../operation.ts'
import { dateTime, freeText, listOf, uid } from '../../schemas/common.ts'
import { auditAction, auditOut, toAuditOut } from '../../schemas/operator/audit.ts'
import { instantOf } from '../lookup.ts'

const auditQuery = listQuery('aud').extend({
  actor: freeText(256).min(1).optional().meta({ description: 'A name, or the id of a key.' }),
  action: auditAction.optional(),
  target: freeText(1_000).min(1).optional(),
  application: uid.optional().meta({ description: 'Its id, or its uid while it exists.' }),
  since: dateTime.optional(),
  until: dateTime.optional(),
})

export const auditOperations: readonly Operation[] = [
  operation({
    id: 'v1.audit.list',
    method: 'get',
    path: '/api/v1/audit',
    summary: 'Lists who did what, from where, and what it changed; newest first.',
    realm: 'server',
    access: 'read',
    query: auditQuery,
    answers: { 200: listOf(auditOut) },
    async handle({ posthorn, query }) {
      const { actor, action, target, application } = query
      // An application may be deleted; its audit entries remain.
      const named = application === undefined ? null : await orNull(posthorn.applications.get(application))
      const times = { since: instantOf(query.since), until: instantOf(query.until) }
      const filter = { actor, action, target, applicationId: named?.id ?? application, ...times }
      const page = await pageOf(
        query,
        'descending',
        (wanted) => posthorn.audit({ ...filter, ...wanted }),
        ({ id }) => id,
      )
      return answer(200, { ...page, data: page.data.map(toAuditOut) })
    },
  }),
]
