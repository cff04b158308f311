import { listQuery, pageOf } from '../../request/pagination.ts'
import { answer, operation } from '../../operation.ts'
import type { Operation } from '../../operation.ts'
import { listOf, uid } from '../../schemas/common.ts'
import { keyIn, keyOut, newKeyOut, toKeyOut } from '../../schemas/operator/key.ts'

export const keyOperations: readonly Operation[] = [
  operation({
    id: 'v1.key.create',
    method: 'post',
    path: '/api/v1/key',
    summary: 'Creates an API key. Its token is in this answer and nowhere else.',
    realm: 'server',
    access: 'write',
    idempotency: 'none',
    body: keyIn,
    answers: { 201: newKeyOut },
    async handle({ posthorn, body, by }) {
      const expiresAt = typeof body.expiresAt === 'string' ? new Date(body.expiresAt) : undefined
      const { key, token } = await posthorn.keys.create(
        { name: body.name, application: body.appId ?? undefined, access: body.access, expiresAt },
        by(),
      )
      return answer(201, { ...toKeyOut(key), token })
    },
  }),
  operation({
    id: 'v1.key.list',
    method: 'get',
    path: '/api/v1/key',
    summary: 'The keys that are valid now, newest first, without their tokens.',
    realm: 'server',
    access: 'read',
    query: listQuery('key').extend({ app_id: uid.optional() }),
    answers: { 200: listOf(keyOut).meta({ id: 'ListResponse_KeyOut_' }) },
    async handle({ posthorn, query }) {
      const page = await pageOf(
        query,
        'descending',
        (wanted) => posthorn.keys.list({ application: query.app_id }, wanted),
        ({ id }) => id,
      )
      return answer(200, { ...page, data: page.data.map(toKeyOut) })
    },
  }),
  operation({
    id: 'v1.key.revoke',
    method: 'delete',
    path: '/api/v1/key/{key_id}',
    summary: 'Revokes a key: it is refused within five seconds, everywhere.',
    realm: 'server',
    access: 'write',
    answers: { 204: null },
    async handle({ posthorn, params, by }) {
      await posthorn.keys.revoke(params['key_id'] ?? '', by())
      return answer(204)
    },
  }),
]
