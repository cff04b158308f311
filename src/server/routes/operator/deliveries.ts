import { z } from 'zod'
import { expected } from '../../../core/errors.ts'
import type { Delivery } from '../../../core/delivery/delivery.ts'
import type { DeliveryFilter } from '../../../core/ports/queue.ts'
import { listQuery, pageOf, scanOf } from '../../request/pagination.ts'
import { answer, operation } from '../../operation.ts'
import type { Call, Operation } from '../../operation.ts'
import { dateTime, eventTypeName, listOf, names, uid, freeText } from '../../schemas/common.ts'
import {
  deadReason,
  deliveryDetailOut,
  deliveryOut,
  deliveryStatus,
  listedDeliveryOut,
  toDeliveryDetailOut,
  toDeliveryOut,
  toListedDeliveryOut,
} from '../../schemas/operator/delivery/delivery.ts'
import { signatureIn, signatureOut, toSignatureOut } from '../../schemas/operator/delivery/signature.ts'
import { endpointInScope, instantOf, parameter, scopeOf } from '../lookup.ts'

const path = '/api/v1/delivery'
const one = `${path}/{delivery_id}`

export const deliveryQuery = listQuery('dlv').extend({
  status: z.union([deliveryStatus, z.array(deliveryStatus)]).optional(),
  endpoint: uid.optional(),
  application: uid.optional(),
  event_type: eventTypeName.optional(),
  message: uid.optional(),
  id: names.optional(),
  reason: deadReason.optional(),
  since: dateTime.optional(),
  until: dateTime.optional(),
  text: freeText(200)
    .min(1)
    .optional()
    .meta({ description: 'Looked for in the payloads of the newest 1,000 that match.' }),
})
export const reasonIn = z.object({ reason: freeText(1000).optional() }).meta({ id: 'ReasonIn' })

/** Single deliveries: messages on their way to endpoints. */
export const deliveryOperations: readonly Operation[] = [
  operation({
    id: 'v1.delivery.list',
    method: 'get',
    path,
    summary: 'Lists deliveries, newest first.',
    realm: 'everyone',
    access: 'read',
    query: deliveryQuery,
    answers: { 200: listOf(listedDeliveryOut).extend({ searched: z.int().optional() }) },
    async handle(call) {
      const { posthorn, query } = call
      const filter = await filterOf(call)
      const { text } = query
      if (text === undefined) {
        const page = await pageOf(
          query,
          'descending',
          (wanted) => posthorn.deliveries.list(filter, wanted),
          ({ id }) => id,
        )
        return answer(200, { ...page, data: await shown(call, page.data) })
      }
      let searched = 0
      const page = await scanOf(
        query,
        'descending',
        async (wanted) => {
          const found = await posthorn.deliveries.search(filter, text, wanted)
          searched = found.searched
          return found
        },
        ({ id }) => id,
      )
      return answer(200, { ...page, data: await shown(call, page.data), searched })
    },
  }),
  operation({
    id: 'v1.delivery.get',
    method: 'get',
    path: one,
    summary: 'Shows a delivery with its attempts, its message, and why it is where it is.',
    realm: 'everyone',
    access: 'read',
    answers: { 200: deliveryDetailOut },
    async handle(call) {
      const { id } = await deliveryIn(call)
      const detail = await call.posthorn.deliveries.detail(id)
      return answer(200, toDeliveryDetailOut(detail, call.posthorn.now(), call.caller.applicationId === null))
    },
  }),
  operation({
    id: 'v1.delivery.curl',
    method: 'get',
    path: `${one}/curl`,
    summary: 'Shows a command that sends it by hand, with a fresh signature. Who asked is noted.',
    realm: 'everyone',
    // The command contains a signature, and headers with credentials.
    access: 'write',
    answers: { 200: z.object({ command: z.string() }).meta({ id: 'CurlOut' }) },
    async handle(call) {
      const { id } = await deliveryIn(call)
      return answer(200, { command: await call.posthorn.deliveries.curl(id, call.by()) })
    },
  }),
  operation({
    id: 'v1.delivery.check-signature',
    method: 'post',
    path: `${one}/check-signature`,
    summary: 'Says what differs between a signature that somebody has and what was sent. Shows no secret.',
    realm: 'server',
    // Nothing is changed, but read-only callers are limited to GET.
    access: 'write',
    body: signatureIn,
    answers: { 200: signatureOut },
    async handle(call) {
      const { id } = await deliveryIn(call)
      return answer(200, toSignatureOut(await call.posthorn.deliveries.checkSignature(id, call.body)))
    },
  }),
  operation({
    id: 'v1.delivery.requeue',
    method: 'post',
    path: `${one}/requeue`,
    summary: 'Sends it again at once, with its full schedule; of a delivered one, creates a new delivery.',
    realm: 'everyone',
    access: 'write',
    body: reasonIn,
    answers: { 200: deliveryOut, 201: deliveryOut },
    async handle(call) {
      const { id } = await deliveryIn(call)
      const after = await call.posthorn.requeue(id, call.by(call.body.reason))
      return answer(after.id === id ? 200 : 201, toDeliveryOut(after, call.posthorn.now()))
    },
  }),
  operation({
    id: 'v1.delivery.cancel',
    method: 'post',
    path: `${one}/cancel`,
    summary: 'Ends an open delivery as dead: cancelled.',
    realm: 'everyone',
    access: 'write',
    body: reasonIn,
    answers: { 200: deliveryOut },
    async handle(call) {
      const { id } = await deliveryIn(call)
      return answer(200, toDeliveryOut(await call.posthorn.cancel(id, call.by(call.body.reason)), call.posthorn.now()))
    },
  }),
]

async function shown({ posthorn }: Pick<Call, 'posthorn'>, deliveries: readonly Delivery[]) {
  const now = posthorn.now()
  return (await posthorn.figures.listed(deliveries)).map((listed) => toListedDeliveryOut(listed, now))
}

export async function filterOf(
  call: Pick<Call<Partial<z.output<typeof deliveryQuery>>>, 'query' | 'posthorn' | 'caller' | 'application'>,
): Promise<DeliveryFilter> {
  const { query, posthorn } = call
  const applicationId = await scopeOf(call, query.application)
  return {
    status: query.status,
    endpointId:
      query.endpoint === undefined ? undefined : (await endpointInScope(posthorn, applicationId, query.endpoint)).id,
    applicationId,
    type: query.event_type,
    messageId: query.message,
    ids: query.id,
    reason: query.reason,
    since: instantOf(query.since),
    until: instantOf(query.until),
  }
}

/** The delivery in the path. A delivery of another application gets the same "not found" as a missing one. */
async function deliveryIn(call: Pick<Call, 'posthorn' | 'caller' | 'application' | 'params'>): Promise<Delivery> {
  const id = parameter(call.params, 'delivery_id')
  const [scope, delivery] = [await scopeOf(call, null), await call.posthorn.deliveries.get(id)]
  if (scope === undefined || scope === delivery.applicationId) return delivery
  throw expected('not_found', 'delivery', 'the id of a delivery that exists', id, 'It may have been pruned.')
}
