import { z } from 'zod'
import { maskedUrl } from '../../../core/endpoint/masked-url.ts'
import { searchWords } from '../../../core/ports/search.ts'
import type { Found } from '../../../core/ports/search.ts'
import type { Posthorn } from '../../../posthorn.ts'
import { orNull } from '../../errors/not-found.ts'
import { answer, operation } from '../../operation.ts'
import type { Operation } from '../../operation.ts'
import { freeText, uid } from '../../schemas/common.ts'
import { searchKind, searchOut } from '../../schemas/operator/search.ts'
import { scopeOf } from '../lookup.ts'

export const searchOperations: readonly Operation[] = [
  operation({
    id: 'v1.search',
    method: 'get',
    path: '/api/v1/search',
    summary:
      'Finds applications, endpoints and event types by part of their name, uid, URL or description, messages and deliveries by the beginning of their id; if nothing is called so, messages by their whole event id or idempotency key.',
    realm: 'server',
    access: 'read',
    query: z.object({
      text: freeText(200)
        .optional()
        .meta({ description: 'Words that must all occur. Without any, the first of each kind.' }),
      kind: z.union([searchKind, z.array(searchKind)]).optional(),
      application: uid.optional(),
      limit: z.coerce.number().int().min(1).max(50).default(8).meta({ description: 'Of each kind.' }),
    }),
    answers: { 200: searchOut },
    async handle(call) {
      const { posthorn, query, caller } = call
      const text = query.text ?? ''
      const kinds = query.kind === undefined ? undefined : [query.kind].flat()
      const applicationId = await scopeOf(call, query.application)
      const found = await posthorn.search(text, { kinds, applicationId, limit: query.limit })
      // Last, because it searches the index of each application: a text that finds something else should not cost more.
      if (found.length === 0 && (kinds === undefined || kinds.includes('message')))
        return answer(200, { data: await messagesNamed(posthorn, text, applicationId, query.limit) })
      return answer(200, { data: found.filter((each) => caller.access === 'write' || showsText(each, text)) })
    },
  }),
]

/** Messages by the name their sender gave them: the complete event id or idempotency key, exactly as written. */
async function messagesNamed(
  posthorn: Posthorn,
  text: string,
  applicationId: string | undefined,
  limit: number,
): Promise<Found[]> {
  const name = text.trim()
  if (name === '') return []
  const messages = (await posthorn.messages.named(name, { applicationId })).slice(0, limit)
  return Promise.all(
    messages.map(async ({ id, type, eventId, applicationId: owner }) => ({
      kind: 'message' as const,
      id,
      uid: eventId,
      name: type,
      url: null,
      applicationId: owner,
      applicationName: (await orNull(posthorn.applications.get(owner)))?.name ?? null,
      status: null,
    })),
  )
}

/** Whether the words occur in what a reader can see. Otherwise a search would reveal masked text, letter by letter. */
function showsText({ kind, id, uid: own, name, url }: Found, text: string): boolean {
  if (kind !== 'endpoint') return true
  const seen = `${id} ${maskedUrl(url ?? '')} ${name} ${own ?? ''}`.toLowerCase()
  return searchWords(text).every((word) => seen.includes(word))
}
