import type { z } from 'zod'
import { expected } from '../../../../core/errors.ts'
import type { Message } from '../../../../core/message/message.ts'
import type { MessageFilter } from '../../../../core/ports/directory/messages.ts'
import type { Posthorn } from '../../../../posthorn.ts'
import { orNull } from '../../../errors/not-found.ts'
import { answer, operation } from '../../../operation.ts'
import type { Call, Operation } from '../../../operation.ts'
import { listQuery, scanOf } from '../../../request/pagination.ts'
import type { ListPage } from '../../../request/pagination.ts'
import { dateTime, eventTypeName, freeText, listOf, uid } from '../../../schemas/common.ts'
import {
  messageDetailOut,
  messageOverviewOut,
  payloadCheckIn,
  payloadCheckOut,
  toMessageDetail,
  toMessageOverview,
} from '../../../schemas/operator/message-overview.ts'
import type { MessageInContext } from '../../../schemas/operator/message-overview.ts'
import { instantOf, parameter, scopeOf } from '../../lookup.ts'

const path = '/api/v1/message'
const messageQuery = listQuery('msg').extend({
  application: uid.optional(),
  event_type: eventTypeName.optional(),
  since: dateTime.optional(),
  until: dateTime.optional(),
  text: freeText(256).min(1).optional().meta({
    description:
      'A whole id, event id or idempotency key is found wherever it is; else part of an id or event id, 1,000 messages at a time.',
  }),
})

/** Messages of all applications, with the state of their deliveries. */
export const messageOverviewOperations: readonly Operation[] = [
  operation({
    id: 'v1.message-overview.list',
    method: 'get',
    path,
    summary: 'Lists messages with how many of their deliveries have each status, newest first.',
    realm: 'everyone',
    access: 'read',
    query: messageQuery,
    answers: { 200: listOf(messageOverviewOut) },
    async handle(call) {
      const page = await messagesOf(call)
      return answer(200, { ...page, data: (await inContext(call.posthorn, page.data)).map(toMessageOverview) })
    },
  }),
  operation({
    id: 'v1.message-overview.get',
    method: 'get',
    path: `${path}/{msg_id}`,
    summary: 'Shows a message with its payload, by its id.',
    realm: 'everyone',
    access: 'read',
    answers: { 200: messageDetailOut },
    async handle(call) {
      const [found] = await inContext(call.posthorn, [await messageInScope(call)])
      if (found === undefined) throw missing(parameter(call.params, 'msg_id'))
      return answer(200, toMessageDetail(found))
    },
  }),
  operation({
    id: 'v1.message-overview.check',
    method: 'post',
    path: `${path}/check`,
    summary: 'Checks a payload against the newest schema of its event type. Nothing is stored or sent.',
    // Event types hidden from customers may have a schema, too.
    realm: 'server',
    access: 'write',
    body: payloadCheckIn,
    answers: { 200: payloadCheckOut },
    handle: async ({ posthorn, body }) =>
      answer(200, { problem: await posthorn.eventTypes.problemWith(body.eventType, body.payload) }),
  }),
]

/** A complete name is looked up directly; part of one is searched for while the list is read. */
async function messagesOf(call: Call<z.output<typeof messageQuery>>): Promise<ListPage<Message>> {
  const { posthorn, query } = call
  const { text, event_type: type } = query
  const filter: MessageFilter = {
    applicationId: await scopeOf(call, query.application),
    types: type === undefined ? undefined : [type],
    since: instantOf(query.since),
    until: instantOf(query.until),
  }
  if (text !== undefined && typeof query.iterator !== 'string') {
    const named = (await posthorn.messages.named(text, filter)).filter((message) => picks(filter, message))
    if (named.length > 0) return { data: named, done: true, iterator: null, prevIterator: null }
  }
  return scanOf(
    query,
    'descending',
    (page) => posthorn.messages.list({ ...filter, text }, page),
    ({ id }) => id,
  )
}

function picks({ types, since, until }: MessageFilter, { type, createdAt }: Message): boolean {
  if (types?.includes(type) === false) return false
  return (since === undefined || createdAt >= since) && (until === undefined || createdAt < until)
}

/** The message in the path. A message of another application gets the same "not found" as a missing one. */
async function messageInScope(call: Pick<Call, 'posthorn' | 'caller' | 'application' | 'params'>): Promise<Message> {
  const id = parameter(call.params, 'msg_id')
  const [scope, message] = [await scopeOf(call, null), await call.posthorn.messages.withId(id)]
  if (scope === undefined || scope === message.applicationId) return message
  throw missing(id)
}

function missing(id: string) {
  return expected('not_found', 'message', 'the id of a message that exists', id, 'It may have been pruned.')
}

/** Reads each application once, however many of its messages are on the page. */
async function inContext(posthorn: Posthorn, messages: readonly Message[]): Promise<MessageInContext[]> {
  const ids = [...new Set(messages.map(({ applicationId }) => applicationId))]
  const [progress, applications] = await Promise.all([
    posthorn.messages.progress(messages.map(({ id }) => id)),
    Promise.all(ids.map(async (id) => [id, await orNull(posthorn.applications.get(id))] as const)),
  ])
  const byId = new Map(applications)
  return messages.flatMap((message, index) => {
    const own = progress[index]
    return own === undefined ? [] : [{ message, application: byId.get(message.applicationId) ?? null, progress: own }]
  })
}
