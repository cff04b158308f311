import { z } from 'zod'
import type { Delivery, Status } from '../../../core/delivery/delivery.ts'
import type { Endpoint } from '../../../core/endpoint/endpoint.ts'
import { expected } from '../../../core/errors.ts'
import type { Message } from '../../../core/message/message.ts'
import type { Page, Scan } from '../../../core/ports/directory/page.ts'
import type { Posthorn } from '../../../posthorn.ts'
import { listQuery, pageOf, pageText, scanOf } from '../../request/pagination.ts'
import { orNull } from '../../errors/not-found.ts'
import { answer, operation } from '../../operation.ts'
import type { Operation } from '../../operation.ts'
import {
  endpointMessageOut,
  messageEndpointOut,
  progressOf,
  statusNumbers,
  toMessageEndpointOut,
} from '../../schemas/svix/attempt.ts'
import { listOf } from '../../schemas/common.ts'
import { messageText } from '../../schemas/svix/message.ts'
import { narrowing } from './attempts.ts'
import { endpointIn, instantOf, messageIn } from '../lookup.ts'

const application = '/api/v1/app/{app_id}'
const messagesQuery = listQuery('dlv').extend(narrowing)
// A message goes to the endpoints of one application: more deliveries than this are resends.
const mostPages = 10
const pageRows = 1_000

/** Where messages went, and their delivery status. */
export const destinationOperations: readonly Operation[] = [
  operation({
    id: 'v1.message-attempt.list-attempted-messages',
    method: 'get',
    path: `${application}/endpoint/{endpoint_id}/msg`,
    summary: 'Lists the messages for an endpoint with their delivery status, newest first.',
    realm: 'application',
    access: 'read',
    query: messagesQuery,
    answers: { 200: listOf(endpointMessageOut) },
    async handle(call) {
      const { posthorn, query } = call
      const endpoint = await endpointIn(call)
      const { data, ...rest } = await scanOf(
        query,
        'descending',
        (page) => messagesFor(posthorn, endpoint, query, page),
        ({ delivery }) => delivery.id,
      )
      const texts = data.map(({ message, delivery }) =>
        messageText(message, query.with_content ?? true, progressOf(delivery)),
      )
      return answer(200, pageText({ ...rest, data: texts }))
    },
  }),
  operation({
    id: 'v1.message-attempt.list-attempted-destinations',
    method: 'get',
    path: `${application}/msg/{msg_id}/endpoint`,
    summary: 'Lists the endpoints of a message with its delivery status, including endpoints deleted since.',
    realm: 'application',
    access: 'read',
    query: listQuery('ep'),
    answers: { 200: listOf(messageEndpointOut) },
    async handle(call) {
      const { posthorn, query } = call
      const { id: messageId } = await messageIn(call)
      const newest = await newestDeliveries(posthorn, messageId)
      const { data, ...rest } = await pageOf(
        query,
        'ascending',
        (page) => knownEndpoints(posthorn, newest, page),
        ({ endpoint }) => endpoint.id,
      )
      return answer(200, {
        ...rest,
        data: data.map(({ endpoint, delivery }) => toMessageEndpointOut(endpoint, delivery)),
      })
    },
  }),
  operation({
    id: 'v1.message-attempt.resend',
    method: 'post',
    path: `${application}/msg/{msg_id}/endpoint/{endpoint_id}/resend`,
    summary: 'Sends a message to an endpoint again, now.',
    realm: 'application',
    access: 'write',
    answers: { 202: z.object({}).meta({ id: 'EmptyResponse' }) },
    async handle(call) {
      const { posthorn } = call
      const [{ id: messageId }, { id: endpointId }] = [await messageIn(call), await endpointIn(call)]
      const [last] = await posthorn.deliveries.list({ messageId, endpointId }, { limit: 1 })
      if (last === undefined) {
        throw expected(
          'not_found',
          'endpoint',
          'one that the message was for',
          endpointId,
          'Use replay-missing to send an endpoint what it never got.',
        )
      }
      await posthorn.requeue(last.id, call.by('resend'))
      return answer(202, {})
    },
  }),
]

interface Attempted {
  readonly message: Message
  readonly delivery: Delivery
}

/** The matching ones of a batch of an endpoint's deliveries; a resent message is shown once, with its newest delivery. */
async function messagesFor(
  posthorn: Posthorn,
  endpoint: Endpoint,
  query: MessagesQuery,
  page: Page,
): Promise<Scan<Attempted>> {
  const filter = {
    endpointId: endpoint.id,
    status: storedStatuses.get(query.status ?? -1),
    since: instantOf(query.after),
    until: instantOf(query.before),
  }
  const read = await posthorn.deliveries.list(filter, page)
  const items: Attempted[] = []
  for (const delivery of read) {
    const message = isAskedFor(delivery, query) ? await messageIfNewest(posthorn, endpoint, delivery) : null
    if (message !== null && (typeof query.channel !== 'string' || message.channels.includes(query.channel)))
      items.push({ message, delivery })
  }
  return { items, next: read.length < page.limit ? null : (read.at(-1)?.id ?? null) }
}

type MessagesQuery = z.output<typeof messagesQuery>

function isAskedFor(delivery: Delivery, { event_types: types, status }: MessagesQuery): boolean {
  if (types?.includes(delivery.eventType) === false) return false
  return typeof status !== 'number' || progressOf(delivery).status === status
}

async function messageIfNewest(
  posthorn: Posthorn,
  { id: endpointId, applicationId }: Endpoint,
  { id, messageId }: Delivery,
): Promise<Message | null> {
  const [newest] = await posthorn.deliveries.list({ messageId, endpointId }, { limit: 1 })
  return newest?.id === id ? orNull(posthorn.messages.get(applicationId, messageId)) : null
}

const storedStatuses: ReadonlyMap<number, readonly Status[]> = new Map([
  [statusNumbers.success, ['delivered']],
  [statusNumbers.fail, ['dead']],
  [statusNumbers.pending, ['pending']],
  [statusNumbers.sending, ['pending', 'failed']],
])

/** A message's newest delivery to each endpoint, by the endpoint's id. */
async function newestDeliveries(posthorn: Posthorn, messageId: string): Promise<Map<string, Delivery>> {
  const newest = new Map<string, Delivery>()
  let after: string | null = null
  for (let pages = 0; pages < mostPages; pages += 1) {
    const read: Delivery[] = await posthorn.deliveries.list({ messageId }, { limit: pageRows, after })
    for (const delivery of read) if (!newest.has(delivery.endpointId)) newest.set(delivery.endpointId, delivery)
    after = read.at(-1)?.id ?? null
    if (read.length < pageRows) break
  }
  return newest
}

/** A page of them in the order of the endpoints, including those deleted since. */
async function knownEndpoints(
  posthorn: Posthorn,
  deliveries: ReadonlyMap<string, Delivery>,
  { limit, after, order }: Page,
) {
  const sorted = [...deliveries].toSorted(([one], [other]) => (one < other ? -1 : 1))
  const ordered = order === 'descending' ? sorted.toReversed() : sorted
  const found: { endpoint: Endpoint; delivery: Delivery }[] = []
  for (const [endpointId, delivery] of ordered) {
    if (found.length >= limit) break
    if (after !== null && (order === 'descending' ? endpointId >= after : endpointId <= after)) continue
    const endpoint = await orNull(posthorn.endpoints.get(endpointId, { deleted: true }))
    if (endpoint !== null) found.push({ endpoint, delivery })
  }
  return found
}
