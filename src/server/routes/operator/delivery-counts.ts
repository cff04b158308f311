import { z } from 'zod'
import { answer, operation } from '../../operation.ts'
import type { Operation } from '../../operation.ts'
import { deliveryStatus } from '../../schemas/operator/delivery/delivery.ts'
import { deliveryQuery, filterOf } from './deliveries.ts'

// Delivered ones have no separate index: counting the few that match a filter would read them all.
const countedStatuses = ['pending', 'failed', 'dead'] as const
const mostCounted = 1_000

const countsOut = z
  .object({
    data: z.array(
      z
        .object({
          status: deliveryStatus,
          count: z.int(),
          atLeast: z.boolean().meta({ description: 'There are more than were counted.' }),
        })
        .meta({ id: 'DeliveryCountOut' }),
    ),
  })
  .meta({ id: 'DeliveryCountsOut' })

export const deliveryCountOperations: readonly Operation[] = [
  operation({
    id: 'v1.delivery.count',
    method: 'get',
    path: '/api/v1/delivery-count',
    summary: 'Counts the deliveries that are queued, retrying or dead, each up to 1,000.',
    realm: 'everyone',
    access: 'read',
    query: deliveryQuery.omit({ limit: true, iterator: true, order: true, status: true, text: true }),
    answers: { 200: countsOut },
    async handle(call) {
      const filter = await filterOf(call)
      const counts = await Promise.all(
        countedStatuses.map((status) => call.posthorn.deliveries.count({ ...filter, status }, mostCounted + 1)),
      )
      const data = countedStatuses.map((status, index) => {
        const count = counts[index] ?? 0
        return { status, count: Math.min(count, mostCounted), atLeast: count > mostCounted }
      })
      return answer(200, { data })
    },
  }),
]
