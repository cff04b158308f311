import type { JobWork } from '../../../../core/delivery/job.ts'
import { answer, operation } from '../../../operation.ts'
import type { Answer, Call, Operation } from '../../../operation.ts'
import { bulkReplayIn, recoverIn, recoverOut, replayIn, toRecoverOut } from '../../../schemas/svix/task.ts'
import type { Task } from '../../../schemas/svix/task.ts'
import { endpointIn, instantOf } from '../../lookup.ts'

const one = '/api/v1/app/{app_id}/endpoint/{endpoint_id}'

/** After an outage: sends again what failed, died or never reached an endpoint. */
export const endpointRecoveryOperations: readonly Operation[] = [
  operation({
    id: 'v1.endpoint.recover',
    method: 'post',
    path: `${one}/recover`,
    summary: 'Sends deliveries that failed or died since a time again, as a task.',
    realm: 'application',
    access: 'write',
    body: recoverIn,
    answers: { 202: recoverOut },
    handle: (call) =>
      startTask(call, 'endpoint.recover', (endpointId) => ({
        action: 'requeue',
        filter: {
          endpointId,
          status: ['dead', 'failed'],
          since: instantOf(call.body.since),
          until: instantOf(call.body.until),
        },
      })),
  }),
  operation({
    id: 'v1.endpoint.replay-missing',
    method: 'post',
    path: `${one}/replay-missing`,
    summary: 'Sends messages of a time range that the endpoint never got, as a task.',
    realm: 'application',
    access: 'write',
    body: replayIn,
    answers: { 202: recoverOut },
    handle: (call) =>
      startTask(call, 'endpoint.replay', (endpointId) => ({
        action: 'replay',
        filter: {
          endpointId,
          since: Date.parse(call.body.since),
          until: instantOf(call.body.until) ?? call.posthorn.now(),
        },
      })),
  }),
  operation({
    id: 'v1.endpoint.bulk-replay',
    method: 'post',
    path: `${one}/bulk-replay`,
    summary: 'Sends dead (or failed) deliveries of a time range again, optionally of one event type, as a task.',
    realm: 'application',
    access: 'write',
    body: bulkReplayIn,
    answers: { 202: recoverOut },
    handle: (call) =>
      startTask(call, 'endpoint.bulk-replay', (endpointId) => ({
        action: 'requeue',
        filter: {
          endpointId,
          status: call.body.status === 3 ? 'failed' : 'dead',
          type: call.body.eventTypes?.[0],
          since: Date.parse(call.body.since),
          until: instantOf(call.body.until),
        },
      })),
  }),
]

/** Starts a job on the endpoint in the path; clients know it as a task of that name. */
async function startTask(
  call: Call,
  name: Task,
  workOn: (endpointId: string) => Exclude<JobWork, { action: 'erase' }>,
): Promise<Answer> {
  const { id } = await endpointIn(call)
  const job = await call.posthorn.jobs.create(workOn(id), call.by(name))
  return answer(202, toRecoverOut(job, name))
}
