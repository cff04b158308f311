import type { z } from 'zod'
import { expected } from '../../../core/errors.ts'
import type { Job, JobWork } from '../../../core/delivery/job.ts'
import { listQuery, pageOf } from '../../request/pagination.ts'
import { answer, operation } from '../../operation.ts'
import type { Call, Operation } from '../../operation.ts'
import { listOf } from '../../schemas/common.ts'
import { replayIn } from '../../schemas/svix/task.ts'
import { erasableOut, erasureIn, jobIn, jobOut, matchingOut, toJobOut } from '../../schemas/operator/job.ts'
import { endpointIn, endpointInScope, instantOf, parameter, scopeOf } from '../lookup.ts'

const path = '/api/v1/job'
const one = `${path}/{job_id}`
const summaries = {
  pause: 'Lets bulk work rest.',
  resume: 'Goes on with bulk work that rests.',
  cancel: 'Ends bulk work; what is done stays done.',
}

/** Work on many deliveries at once: counted first, run in batches, stored with its progress. */
export const jobOperations: readonly Operation[] = [
  operation({
    id: 'v1.job.create',
    method: 'post',
    path,
    summary:
      'Requeues or cancels all deliveries that match, or replays messages to an endpoint; with `dryRun`, only counts.',
    realm: 'everyone',
    access: 'write',
    body: jobIn,
    answers: { 202: jobOut, 200: matchingOut },
    async handle(call) {
      const { posthorn, body } = call
      const work = await workOf(call)
      if (body.dryRun === true) return answer(200, { matching: await posthorn.jobs.preview(work) })
      return answer(202, toJobOut(await posthorn.jobs.create(work, call.by(body.reason))))
    },
  }),
  operation({
    id: 'v1.job.list',
    method: 'get',
    path,
    summary: 'Lists bulk work, newest first.',
    realm: 'everyone',
    access: 'read',
    query: listQuery('job'),
    answers: { 200: listOf(jobOut) },
    async handle(call) {
      const application = await scopeOf(call, null)
      const page = await pageOf(
        call.query,
        'descending',
        (wanted) => call.posthorn.jobs.list({ application }, wanted),
        ({ id }) => id,
      )
      return answer(200, { ...page, data: page.data.map(toJobOut) })
    },
  }),
  operation({
    id: 'v1.job.get',
    method: 'get',
    path: one,
    summary: 'Shows how far bulk work is, how fast it goes, and when it will be done.',
    realm: 'everyone',
    access: 'read',
    answers: { 200: jobOut },
    handle: async (call) => answer(200, toJobOut(await jobInPath(call))),
  }),
  ...(['pause', 'resume', 'cancel'] as const).map((verb) =>
    operation({
      id: `v1.job.${verb}`,
      method: 'post',
      path: `${one}/${verb}`,
      summary: summaries[verb],
      realm: 'everyone',
      access: 'write',
      answers: { 200: jobOut },
      async handle(call) {
        const { id } = await jobInPath(call)
        return answer(200, toJobOut(await call.posthorn.jobs[verb](id, call.by())))
      },
    }),
  ),
  operation({
    id: 'v1.application.erase',
    method: 'post',
    path: '/api/v1/app/{app_id}/erase',
    summary:
      'Deletes an application, and answers with the job that erases all that it had; also for what is left of one that was deleted before, by its id. With `dryRun`, only counts.',
    realm: 'server',
    access: 'write',
    findsApplication: true,
    body: erasureIn,
    answers: { 202: jobOut, 200: erasableOut },
    async handle({ posthorn, params, body, by }) {
      const name = parameter(params, 'app_id')
      if (body.dryRun === true) return answer(200, await posthorn.applications.erasable(name))
      return answer(202, toJobOut(await posthorn.applications.erase(name, by(body.reason))))
    },
  }),
  operation({
    id: 'v1.endpoint.replay',
    method: 'post',
    path: '/api/v1/app/{app_id}/endpoint/{endpoint_id}/replay',
    summary: 'Sends an endpoint the messages of a time that it wants and never got.',
    realm: 'application',
    access: 'write',
    body: replayIn,
    answers: { 202: jobOut },
    async handle(call) {
      const { posthorn, body } = call
      const { id: endpointId } = await endpointIn(call)
      const filter = { endpointId, since: Date.parse(body.since), until: instantOf(body.until) ?? posthorn.now() }
      return answer(202, toJobOut(await posthorn.jobs.create({ action: 'replay', filter }, call.by())))
    },
  }),
]

async function workOf(call: Call<unknown, z.output<typeof jobIn>>): Promise<Exclude<JobWork, { action: 'erase' }>> {
  const {
    posthorn,
    body: { action, filter },
  } = call
  const applicationId = await scopeOf(call, filter.application)
  const endpointId =
    filter.endpoint === undefined ? undefined : (await endpointInScope(posthorn, applicationId, filter.endpoint)).id
  const [since, until] = [instantOf(filter.since), instantOf(filter.until)]
  if (action === 'replay')
    return { action, filter: { endpointId: endpointId ?? '', since: since ?? 0, until: until ?? posthorn.now() } }
  const { ids, status, reason, eventType, message } = filter
  return {
    action,
    filter: { ids, status, reason, endpointId, applicationId, type: eventType, messageId: message, since, until },
  }
}

/** The job in the path. A job of another application gets the same "not found" as a missing one. */
async function jobInPath(call: Pick<Call, 'posthorn' | 'caller' | 'application' | 'params'>): Promise<Job> {
  const id = parameter(call.params, 'job_id')
  const [scope, job] = [await scopeOf(call, null), await call.posthorn.jobs.get(id)]
  if (scope === undefined || scope === job.applicationId) return job
  throw expected('not_found', 'job', 'the id of a job that exists', id)
}
