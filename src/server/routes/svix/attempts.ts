import { z } from 'zod'
import { expected } from '../../../core/errors.ts'
import { attemptOf } from '../../../core/ids.ts'
import type { AttemptFilter, AttemptOfDelivery } from '../../../core/ports/directory/deliveries.ts'
import type { Posthorn } from '../../../posthorn.ts'
import { listQuery, pageText, scanOf } from '../../request/pagination.ts'
import { orNull } from '../../errors/not-found.ts'
import { answer, operation } from '../../operation.ts'
import type { Answer, Call, Operation } from '../../operation.ts'
import { attemptOut, statusNumbers, toAttemptOut } from '../../schemas/svix/attempt.ts'
import { channel, dateTime, flag, listOf, names, uid } from '../../schemas/common.ts'
import { messageText } from '../../schemas/svix/message.ts'
import { shownJson } from '../../request/shown-json.ts'
import { endpointIn, instantOf, messageIn, parameter } from '../lookup.ts'

const application = '/api/v1/app/{app_id}'
const one = `${application}/msg/{msg_id}/attempt/{attempt_id}`
const numbers = z.enum(['0', '1', '2', '3']).transform(Number)
const classes = z.enum(['0', '100', '200', '300', '400', '500']).transform(Number)

/** The filters for lists of attempts, and of attempted messages. */
export const narrowing = {
  status: numbers.nullish(),
  channel: channel.nullish(),
  event_types: names.optional(),
  before: dateTime.nullish(),
  after: dateTime.nullish(),
  with_content: flag.optional(),
  expanded_statuses: flag
    .optional()
    .meta({ description: 'Makes no difference: an attempt is a success or a failure.' }),
}
const attemptsQuery = listQuery('atmpt').extend({
  ...narrowing,
  status_code_class: classes.nullish(),
  with_msg: flag.optional(),
})
const attemptsOfMessageQuery = attemptsQuery.extend({ endpoint_id: uid.nullish() })

const listsByMessage = [
  ['list-by-msg', `${application}/attempt/msg/{msg_id}`, "Lists a message's attempts, newest first."],
  ['list', `${application}/msg/{msg_id}/attempt`, 'The older path of list-by-msg.'],
] as const

/** Every single send, with its outcome. */
export const attemptOperations: readonly Operation[] = [
  operation({
    id: 'v1.message-attempt.list-by-endpoint',
    method: 'get',
    path: `${application}/attempt/endpoint/{endpoint_id}`,
    summary: "Lists an endpoint's attempts, newest first.",
    realm: 'application',
    access: 'read',
    query: attemptsQuery,
    answers: { 200: listOf(attemptOut) },
    handle: async (call) => listed(call, { endpointId: (await endpointIn(call)).id }),
  }),
  ...listsByMessage.map(([name, path, summary]) =>
    operation({
      id: `v1.message-attempt.${name}`,
      method: 'get',
      path,
      summary,
      realm: 'application',
      access: 'read',
      query: attemptsOfMessageQuery,
      answers: { 200: listOf(attemptOut) },
      handle: listedByMessage,
    }),
  ),
  operation({
    id: 'v1.message-attempt.list-for-endpoint',
    method: 'get',
    path: `${application}/msg/{msg_id}/endpoint/{endpoint_id}/attempt`,
    summary: "The older way to list a message's attempts at one endpoint.",
    realm: 'application',
    access: 'read',
    query: attemptsQuery,
    answers: { 200: listOf(attemptOut) },
    async handle(call) {
      const [{ id: messageId }, { id: endpointId }] = [await messageIn(call), await endpointIn(call)]
      return listed(call, { messageId, endpointId })
    },
  }),
  operation({
    id: 'v1.message-attempt.get',
    method: 'get',
    path: one,
    summary: 'Shows an attempt.',
    realm: 'application',
    access: 'read',
    query: z.object({ expanded_statuses: narrowing.expanded_statuses }),
    answers: { 200: attemptOut },
    handle: async (call) => answer(200, toAttemptOut(await attemptIn(call), true)),
  }),
  operation({
    id: 'v1.message-attempt.expunge-content',
    method: 'delete',
    path: `${one}/content`,
    summary: 'Erases the stored response of an attempt for good.',
    realm: 'application',
    access: 'write',
    portal: 'refused',
    answers: { 204: null },
    async handle(call) {
      const { attempt } = await attemptIn(call)
      await call.posthorn.deliveries.eraseAttempt(attempt.id, call.by())
      return answer(204)
    },
  }),
]

type AttemptsQuery = z.output<typeof attemptsQuery>

async function listedByMessage(call: Call<z.output<typeof attemptsOfMessageQuery>>): Promise<Answer> {
  const { id: messageId } = await messageIn(call)
  const name = call.query.endpoint_id ?? null
  const endpointId =
    name === null
      ? undefined
      : (await call.posthorn.endpoints.get({ application: call.application().id, uid: name })).id
  return listed(call, { messageId, endpointId })
}

async function listed(
  { posthorn, query, caller, application: owner }: Call<AttemptsQuery>,
  whose: Pick<AttemptFilter, 'endpointId' | 'messageId'>,
): Promise<Answer> {
  const {
    status,
    status_code_class: statusCodeClass,
    channel: wanted,
    event_types: types,
    before,
    after,
    with_content: withContent = true,
  } = query
  // An attempt is over when it is recorded: none is pending or being sent.
  if (status === statusNumbers.pending || status === statusNumbers.sending)
    return answer(200, pageText({ data: [], done: true, iterator: null, prevIterator: null }))
  const filter = {
    ...whose,
    succeeded: typeof status === 'number' ? status === statusNumbers.success : undefined,
    statusCodeClass: statusCodeClass ?? undefined,
    types,
    channel: wanted ?? undefined,
    since: instantOf(after),
    until: instantOf(before),
  }
  const { data, ...rest } = await scanOf(
    query,
    'descending',
    (page) => posthorn.deliveries.listAttempts(filter, page),
    ({ attempt }) => attempt.id,
  )
  const messages =
    query.with_msg === true ? await messageTexts(posthorn, owner().id, data, withContent) : new Map<string, string>()
  return answer(
    200,
    pageText({
      ...rest,
      data: data.map((each) =>
        withMessage(shownJson(toAttemptOut(each, withContent), caller), messages.get(each.delivery.messageId)),
      ),
    }),
  )
}

/** Each message once, however many attempts are on the page. */
async function messageTexts(
  posthorn: Posthorn,
  applicationId: string,
  attempts: readonly AttemptOfDelivery[],
  withContent: boolean,
): Promise<Map<string, string>> {
  const texts = new Map<string, string>()
  for (const id of new Set(attempts.map(({ delivery }) => delivery.messageId))) {
    const message = await orNull(posthorn.messages.get(applicationId, id))
    if (message !== null) texts.set(id, messageText(message, withContent))
  }
  return texts
}

function withMessage(text: string, message: string | undefined): string {
  return message === undefined ? text : `${text.slice(0, -1)},"msg":${message}}`
}

/** The attempt in the path; one of another message is not found. */
async function attemptIn(call: Pick<Call, 'posthorn' | 'params' | 'application'>): Promise<AttemptOfDelivery> {
  const { id: messageId } = await messageIn(call)
  const id = parameter(call.params, 'attempt_id')
  const found = attemptOf(id) === null ? null : await orNull(call.posthorn.deliveries.attempt(id))
  if (found !== null && found.delivery.messageId === messageId) return found
  throw expected('not_found', 'attempt', 'the id of an attempt of this message', id, 'It may have been pruned.')
}
