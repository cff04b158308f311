import { z } from 'zod'
import { expected, PosthornError } from '../../../core/errors.ts'
import { given } from '../../../core/given.ts'
import { timeOfId } from '../../../core/ids.ts'
import { textOf } from '../../../core/message/message.ts'
import { listQuery, pageText, scanOf } from '../../request/pagination.ts'
import { mostRequestBytes } from '../../http/request-body.ts'
import type { ApiRequest } from '../../request/api-request.ts'
import { bodyOf } from './message-body.ts'
import { orNull } from '../../errors/not-found.ts'
import { answer, operation, RawJson } from '../../operation.ts'
import type { Answer, Call, Operation } from '../../operation.ts'
import { applicationSettings } from '../../schemas/svix/application.ts'
import type { applicationIn } from '../../schemas/svix/application.ts'
import { channel, dateTime, flag, listOf, names } from '../../schemas/common.ts'
import {
  messageIn as messageGiven,
  messageOut,
  messageText,
  objectText,
  withPayload,
} from '../../schemas/svix/message.ts'
import { instantOf, messageIn, parameter } from '../lookup.ts'

const all = '/api/v1/app/{app_id}/msg'
const contentQuery = z.object({ with_content: flag.optional() })
const messagesQuery = listQuery('msg').extend({
  channel: channel.nullish(),
  event_types: names.optional(),
  before: dateTime.nullish(),
  after: dateTime.nullish(),
  with_content: flag.optional(),
})

/** Events to be sent to an application's endpoints. */
export const messageOperations: readonly Operation[] = [
  operation({
    id: 'v1.message.list',
    method: 'get',
    path: all,
    summary: "Lists an application's messages, newest first.",
    realm: 'application',
    access: 'read',
    query: messagesQuery,
    answers: { 200: listOf(messageOut) },
    async handle({ posthorn, query, application }) {
      const { channel: wanted, event_types: types, before, after, with_content: withContent = true } = query
      const filter = {
        applicationId: application().id,
        types,
        channel: wanted ?? undefined,
        since: instantOf(after),
        until: instantOf(before),
      }
      const { data, ...rest } = await scanOf(
        query,
        'descending',
        (page) => posthorn.messages.list(filter, page),
        ({ id }) => id,
      )
      return answer(200, pageText({ ...rest, data: data.map((message) => messageText(message, withContent)) }))
    },
  }),
  operation({
    id: 'v1.message.create',
    method: 'post',
    path: all,
    summary:
      'Accepts a message and delivers it to every endpoint that subscribes to it. Once the call has returned, the message is stored and will not be lost.',
    realm: 'application',
    access: 'write',
    portal: 'refused',
    query: contentQuery,
    body: messageGiven,
    // A raw body comes as a JSON string, in which every quotation mark is escaped.
    mostBytes: 2 * mostRequestBytes,
    answers: { 202: messageOut },
    // The key is stored together with the message: there is no moment at which only one of them exists.
    idempotency: 'own',
    findsApplication: true,
    limitedBy: 'application',
    handle: createMessage,
  }),
  operation({
    id: 'v1.message.get',
    method: 'get',
    path: `${all}/{msg_id}`,
    summary: 'Shows a message, by its id or event id.',
    realm: 'application',
    access: 'read',
    query: contentQuery,
    answers: { 200: messageOut },
    handle: async (call) =>
      answer(200, new RawJson(messageText(await messageIn(call), call.query.with_content ?? true))),
  }),
  operation({
    id: 'v1.message.expunge-content',
    method: 'delete',
    path: `${all}/{msg_id}/content`,
    summary: "Erases a message's payload and the responses to it for good, and cancels its open deliveries.",
    realm: 'application',
    access: 'write',
    portal: 'refused',
    answers: { 204: null },
    async handle(call) {
      const { id, applicationId } = await messageIn(call)
      await call.posthorn.messages.erase(applicationId, id, call.by())
      return answer(204)
    },
  }),
]

type CreateCall = Call<z.output<typeof contentQuery>, z.output<typeof messageGiven>>

async function createMessage(call: CreateCall): Promise<Answer> {
  const { posthorn, params, query, body, bytes } = call
  const application = parameter(params, 'app_id')
  const { payload, contentType, isObject } = bodyOf(body, bytes)
  if (body.application !== null && body.application !== undefined)
    await ensureApplication(call, application, body.application)
  const { id } = await posthorn.send(
    { application, type: body.eventType, payload, ...given({ contentType }), ...optionsOf(call) },
    { mustExist: true, ...traceOf(call.request) },
  )
  const head = {
    id,
    type: body.eventType,
    eventId: body.eventId ?? null,
    channels: body.channels ?? [],
    createdAt: timeOfId(id),
  }
  return answer(202, new RawJson(withPayload(head, query.with_content === false ? '{}' : shownText(payload, isObject))))
}

/** A body that is known to be a JSON object is not parsed again. */
function shownText(payload: Uint8Array, isObject: boolean): string {
  const text = textOf(payload)
  return isObject ? text : objectText(text)
}

/** The trace of the caller's request, if it has one. */
function traceOf({ headers }: ApiRequest) {
  return given({
    traceparent: headers.get('traceparent') ?? undefined,
    tracestate: headers.get('tracestate') ?? undefined,
  })
}

/** The optional fields of a message: null counts as not given. */
function optionsOf({ body, idempotencyKey }: CreateCall) {
  return given({
    eventId: body.eventId ?? undefined,
    sessionId: body.sessionId ?? undefined,
    channels: body.channels ?? undefined,
    deliverAt: instantOf(body.deliverAt),
    payloadRetentionDays: body.payloadRetentionPeriod ?? undefined,
    idempotencyKey: idempotencyKey ?? undefined,
  })
}

/** Creates the application in the path if it does not exist, as the body says, under the name in the path. */
async function ensureApplication(
  { posthorn, by }: Pick<CreateCall, 'posthorn' | 'by'>,
  name: string,
  input: z.output<typeof applicationIn>,
): Promise<void> {
  if ((await orNull(posthorn.applications.get(name))) !== null) return
  const settings = applicationSettings(input)
  if (settings.uid !== null && settings.uid !== name)
    throw expected('invalid_argument', 'application.uid', `the one in the path, "${name}"`, settings.uid)
  try {
    await posthorn.applications.create({ ...settings, uid: name }, by())
  } catch (thrown) {
    // Another request has just created it.
    if (!(thrown instanceof PosthornError && thrown.code === 'already_exists')) throw thrown
  }
}
