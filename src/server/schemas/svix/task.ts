import { z } from 'zod'
import type { Job } from '../../../core/delivery/job.ts'
import { isoTime } from '../../../core/time.ts'
import { channel, dateTime, eventTypeName } from '../common.ts'

const tasks = ['endpoint.recover', 'endpoint.replay', 'endpoint.bulk-replay'] as const
export type Task = (typeof tasks)[number]

export const taskStatus = z.enum(['running', 'finished', 'failed']).meta({ id: 'BackgroundTaskStatus' })
export const taskName = z.enum(tasks).meta({ id: 'BackgroundTaskType' })

const shown = { id: z.string(), status: taskStatus, task: taskName, updatedAt: dateTime }
export const recoverOut = z.object(shown).meta({ id: 'RecoverOut' })
export const taskOut = z
  .object({
    ...shown,
    data: z.object({ matching: z.int(), done: z.int(), state: z.string(), endpointId: z.string().nullable() }),
  })
  .meta({ id: 'BackgroundTaskOut' })

export const recoverIn = z.object({ since: dateTime, until: dateTime.nullish() }).meta({ id: 'RecoverIn' })
export const replayIn = z.object({ since: dateTime, until: dateTime.nullish() }).meta({ id: 'ReplayIn' })
export const bulkReplayIn = z
  .object({
    since: dateTime,
    until: dateTime.nullish(),
    status: z
      .literal([2, 3])
      .nullish()
      .meta({ description: '2: those that are dead (the usual); 3: those that failed and wait for a retry.' }),
    eventTypes: z.array(eventTypeName).max(1).nullish().meta({ description: 'At most one.' }),
    // Listed so that they are refused: work on more than was requested would be worse than none.
    channel: channel.and(z.never()).nullish(),
    statusCodeClass: z.never().nullish(),
    tag: z.never().nullish(),
  })
  .meta({ id: 'BulkReplayIn' })

/** Null for work that clients have no name for. */
export function taskOf({ work, reason }: Pick<Job, 'work' | 'reason'>): Task | null {
  switch (work.action) {
    case 'cancel':
    case 'erase':
      return null
    case 'replay':
      return 'endpoint.replay'
    case 'requeue':
      return reason === 'endpoint.bulk-replay' ? 'endpoint.bulk-replay' : 'endpoint.recover'
  }
}

export function taskStatusOf({ state }: Pick<Job, 'state'>): z.input<typeof taskStatus> {
  switch (state) {
    case 'running':
    case 'paused':
      return 'running'
    case 'done':
      return 'finished'
    case 'cancelled':
      return 'failed'
  }
}

export function toRecoverOut(job: Job, task: Task): z.input<typeof recoverOut> {
  return { id: job.id, status: taskStatusOf(job), task, updatedAt: isoTime(job.updatedAt) }
}

export function toTaskOut(job: Job, task: Task): z.input<typeof taskOut> {
  const { matching, done, state, work } = job
  const endpointId = work.action === 'erase' ? null : (work.filter.endpointId ?? null)
  return { ...toRecoverOut(job, task), data: { matching, done, state, endpointId } }
}
