import { z } from 'zod'
import { expected } from '../../../core/errors.ts'
import { forbidden } from '../../request/authorization.ts'
import type { Caller } from '../../request/caller.ts'
import { listQuery, pageOf } from '../../request/pagination.ts'
import { answer, operation } from '../../operation.ts'
import type { Operation } from '../../operation.ts'
import { listOf } from '../../schemas/common.ts'
import { openSessionOut, signedOut, toOpenSession } from '../../schemas/operator/session.ts'
import { parameter } from '../lookup.ts'

const path = '/api/v1/session'

/** Browser sessions, and how to end them from elsewhere. */
export const openSessionOperations: readonly Operation[] = [
  operation({
    id: 'v1.session.list',
    method: 'get',
    path: `${path}/list`,
    summary:
      'Lists the sessions that are open, newest first: those of the key that calls, or all for a key that may do everything.',
    realm: 'everyone',
    access: 'read',
    query: listQuery('key'),
    answers: { 200: listOf(openSessionOut) },
    async handle({ posthorn, query, caller }) {
      const of = seesAll(caller) ? undefined : ownerOf(caller)
      const page = await pageOf(
        query,
        'descending',
        (wanted) => posthorn.keys.sessions({ of }, wanted),
        ({ id }) => id,
      )
      return answer(200, { ...page, data: page.data.map((session) => toOpenSession(session, caller.id)) })
    },
  }),
  operation({
    id: 'v1.session.end-one',
    method: 'delete',
    path: `${path}/{session_id}`,
    summary: 'Ends one session.',
    realm: 'everyone',
    // A reader can end its own sessions, too.
    access: 'read',
    answers: { 204: null },
    async handle({ posthorn, params, caller, by }) {
      const id = parameter(params, 'session_id')
      const session = await posthorn.keys.session(id)
      if (session === null || !(seesAll(caller) || session.sessionOf === ownerOf(caller)))
        throw expected('not_found', 'session', 'the id of a session that is open', id)
      await posthorn.keys.endSession(id, by())
      return answer(204)
    },
  }),
  operation({
    id: 'v1.session.sign-out-everywhere',
    method: 'post',
    path: `${path}/sign-out-everywhere`,
    summary:
      'Ends all sessions of the key that calls, this one included. The key itself stays valid: revoke it if others know it.',
    realm: 'everyone',
    access: 'read',
    idempotency: 'none',
    body: z
      .object({
        keyId: z
          .string()
          .min(1)
          .max(256)
          .optional()
          .meta({ description: 'Of this key instead; only for a key that may do everything.' }),
      })
      .meta({ id: 'SignOutEverywhereIn' }),
    answers: { 200: signedOut },
    async handle({ posthorn, body, caller, by }) {
      const of = body.keyId ?? ownerOf(caller)
      if (of !== ownerOf(caller) && !seesAll(caller))
        return forbidden('Only a key that may do everything ends the sessions of another.')
      return answer(200, { ended: await posthorn.keys.endSessions(of, by()) })
    },
  }),
]

/** The id of the caller's key, also if the caller uses a session that was opened with it. */
function ownerOf({ id, sessionOf }: Caller): string {
  return sessionOf ?? id
}

function seesAll({ applicationId, access }: Caller): boolean {
  return applicationId === null && access === 'write'
}
