import { z } from 'zod'
import { bucketsOf } from '../../../core/ports/overview.ts'
import { day, hour, isoTime, minute } from '../../../core/time.ts'
import { answer, operation } from '../../operation.ts'
import type { Operation } from '../../operation.ts'
import { timeOrNull, uid } from '../../schemas/common.ts'
import { toAlarmOut } from '../../schemas/operator/alarm.ts'
import { toFailingEndpoint } from '../../schemas/operator/endpoint/endpoint-overview.ts'
import { overviewOut, toWorkerOut, workerOut } from '../../schemas/operator/overview.ts'
import { scopeOf } from '../lookup.ts'

const windows = {
  '1h': { windowMs: hour, bucketMs: minute },
  '24h': { windowMs: day, bucketMs: 15 * minute },
  '7d': { windowMs: 7 * day, bucketMs: 2 * hour },
} as const

/** The overview, and the workers. */
export const overviewOperations: readonly Operation[] = [
  operation({
    id: 'v1.overview.get',
    method: 'get',
    path: '/api/v1/overview',
    summary:
      'Shows how things stand: counts and latencies over a window, the queue, the endpoints that fail, the workers, the alarms.',
    realm: 'everyone',
    access: 'read',
    query: z.object({ window: z.enum(['1h', '24h', '7d']).default('1h'), application: uid.optional() }),
    answers: { 200: overviewOut },
    async handle(call) {
      const { posthorn, query, caller } = call
      const { windowMs, bucketMs } = windows[query.window]
      const applicationId = await scopeOf(call, query.application)
      const [overview, failing, workers, alarms] = await Promise.all([
        posthorn.overview({ windowMs, applicationId }),
        posthorn.figures.failing({ applicationId }),
        // Customers must not see machines and processes.
        caller.applicationId === null ? posthorn.workers() : [],
        caller.applicationId === null ? posthorn.alarms.list() : [],
      ])
      const { minutes: _, at, queue, ...same } = overview
      return answer(200, {
        ...same,
        at: isoTime(at),
        queue: { ...queue, oldestDueAt: timeOrNull(queue.oldestDueAt) },
        bucketMs,
        buckets: bucketsOf(overview, bucketMs).map((bucket) => ({ ...bucket, at: isoTime(bucket.at) })),
        failing: failing.map(toFailingEndpoint),
        workers: workers.map(toWorkerOut),
        alarms: alarms.map(toAlarmOut),
      })
    },
  }),
  operation({
    id: 'v1.worker.list',
    method: 'get',
    path: '/api/v1/worker',
    summary: 'Lists the workers that deliver, and when each was last seen.',
    realm: 'server',
    access: 'read',
    answers: { 200: z.object({ data: z.array(workerOut) }) },
    handle: async ({ posthorn }) => answer(200, { data: (await posthorn.workers()).map(toWorkerOut) }),
  }),
]
