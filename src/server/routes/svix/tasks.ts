import type { z } from 'zod'
import { expected } from '../../../core/errors.ts'
import { isId } from '../../../core/ids.ts'
import type { Job } from '../../../core/delivery/job.ts'
import type { Page, Scan } from '../../../core/ports/directory/page.ts'
import { listQuery, scanOf } from '../../request/pagination.ts'
import { answer, operation } from '../../operation.ts'
import type { Operation } from '../../operation.ts'
import { listOf } from '../../schemas/common.ts'
import { taskName, taskOf, taskOut, taskStatus, taskStatusOf, toTaskOut } from '../../schemas/svix/task.ts'
import type { Task } from '../../schemas/svix/task.ts'
import { parameter } from '../lookup.ts'

const tasksQuery = listQuery('job').extend({ status: taskStatus.nullish(), task: taskName.nullish() })

/** Requested bulk work, and its progress. */
export const taskOperations: readonly Operation[] = [
  operation({
    id: 'v1.background-task.list',
    method: 'get',
    path: '/api/v1/background-task',
    summary: 'Lists bulk work, newest first.',
    realm: 'server',
    access: 'read',
    query: tasksQuery,
    answers: { 200: listOf(taskOut) },
    async handle({ posthorn, query }) {
      const { data, ...rest } = await scanOf(
        query,
        'descending',
        async (page) => named(await posthorn.jobs.list({}, page), page, query),
        ({ job }) => job.id,
      )
      return answer(200, { ...rest, data: data.map(({ job, task }) => toTaskOut(job, task)) })
    },
  }),
  operation({
    id: 'v1.background-task.get',
    method: 'get',
    path: '/api/v1/background-task/{task_id}',
    summary: 'Shows the progress of bulk work.',
    realm: 'server',
    access: 'read',
    answers: { 200: taskOut },
    async handle({ posthorn, params }) {
      const id = parameter(params, 'task_id')
      const job = isId('job', id) ? await posthorn.jobs.get(id) : null
      const task = job === null ? null : taskOf(job)
      if (job === null || task === null) throw expected('not_found', 'task', 'the id of a task', id)
      return answer(200, toTaskOut(job, task))
    },
  }),
]

interface NamedJob {
  readonly job: Job
  readonly task: Task
}

/** The requested ones among the jobs read; a page may have fewer than its limit although there are more. */
function named(
  jobs: readonly Job[],
  { limit }: Page,
  { status, task: wanted }: z.output<typeof tasksQuery>,
): Scan<NamedJob> {
  const items = jobs.flatMap((job) => {
    const task = taskOf(job)
    const matches = (wanted ?? task) === task && (status ?? taskStatusOf(job)) === taskStatusOf(job)
    return task !== null && matches ? [{ job, task }] : []
  })
  return { items, next: jobs.length < limit ? null : (jobs.at(-1)?.id ?? null) }
}
