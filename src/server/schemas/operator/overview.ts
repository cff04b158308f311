import { z } from 'zod'
import type { SeenWorker } from '../../../core/ports/worker.ts'
import { isoTime } from '../../../core/time.ts'
import { dateTime } from '../common.ts'
import { alarmOut } from './alarm.ts'
import { failingEndpointOut } from './endpoint/endpoint-overview.ts'

const count = z.int()
const latencies = { latencyP50Ms: count.nullable(), latencyP95Ms: count.nullable() }
export const workerOut = z
  .object({ id: z.string(), pid: count, host: z.string(), startedAt: dateTime, seenAt: dateTime })
  .meta({ id: 'WorkerOut' })

export const overviewOut = z
  .object({
    at: dateTime,
    windowMs: count,
    attempts: count,
    delivered: count,
    failed: count,
    dead: count,
    deadLetterRate: z.number(),
    alarm: z.enum(['none', 'warning', 'alarm']),
    ...latencies,
    queue: z.object({
      fresh: count,
      retries: count,
      held: count,
      dead: count,
      atLeast: z.boolean(),
      oldestDueAt: dateTime.nullable(),
    }),
    bucketMs: count,
    buckets: z.array(z.object({ at: dateTime, delivered: count, failed: count, dead: count, ...latencies })),
    failing: z.array(failingEndpointOut),
    workers: z.array(workerOut),
    alarms: z.array(alarmOut),
  })
  .meta({ id: 'OverviewOut' })

export function toWorkerOut({ id, pid, host, startedAt, seenAt }: SeenWorker): z.input<typeof workerOut> {
  return { id, pid, host, startedAt: isoTime(startedAt), seenAt: isoTime(seenAt) }
}
