import { z } from 'zod'
import { answer, operation } from '../../operation.ts'
import type { Operation } from '../../operation.ts'
import { alarmOut, alarmTargetIn, alarmTargetOut, toAlarmOut, toAlarmTarget } from '../../schemas/operator/alarm.ts'
import { parameter } from '../lookup.ts'

const path = '/api/v1/alarm'

/** Current alarms, and who is notified. */
export const alarmOperations: readonly Operation[] = [
  operation({
    id: 'v1.alarm.list',
    method: 'get',
    path,
    summary: 'Lists the alarms that are raised now, pages first.',
    realm: 'server',
    access: 'read',
    answers: { 200: z.object({ data: z.array(alarmOut) }) },
    handle: async ({ posthorn }) => answer(200, { data: (await posthorn.alarms.list()).map(toAlarmOut) }),
  }),
  operation({
    id: 'v1.alarm.acknowledge',
    method: 'post',
    path: `${path}/{alarm_id}/acknowledge`,
    summary: 'Says that somebody has seen an alarm. It stays raised; if it is raised anew, nobody has seen it.',
    realm: 'server',
    access: 'write',
    answers: { 200: alarmOut },
    async handle({ posthorn, params, by }) {
      return answer(200, toAlarmOut(await posthorn.alarms.acknowledge(parameter(params, 'alarm_id'), by())))
    },
  }),
  operation({
    id: 'v1.alarm.test',
    method: 'post',
    path: `${path}/test`,
    summary: 'Sends a test to everyone who gets operational webhooks, and says how many do.',
    realm: 'server',
    access: 'write',
    answers: { 202: z.object({ targets: z.int() }).meta({ id: 'AlarmTestOut' }) },
    handle: async ({ posthorn }) => answer(202, { targets: await posthorn.alarms.test() }),
  }),
  operation({
    id: 'v1.alarm-target.list',
    method: 'get',
    path: `${path}/target`,
    summary: 'Lists the endpoints that get operational webhooks.',
    realm: 'server',
    access: 'read',
    answers: { 200: z.object({ data: z.array(alarmTargetOut) }) },
    handle: async ({ posthorn }) => answer(200, { data: (await posthorn.alarms.targets()).map(toAlarmTarget) }),
  }),
  operation({
    id: 'v1.alarm-target.create',
    method: 'post',
    path: `${path}/target`,
    summary: 'Adds an endpoint that gets operational webhooks: alarms, and what becomes of messages and endpoints.',
    realm: 'server',
    access: 'write',
    body: alarmTargetIn,
    answers: { 201: alarmTargetOut },
    handle: async ({ posthorn, body, by }) => answer(201, toAlarmTarget(await posthorn.alarms.addTarget(body, by()))),
  }),
  operation({
    id: 'v1.alarm-target.delete',
    method: 'delete',
    path: `${path}/target/{endpoint_id}`,
    summary: 'Removes an endpoint that gets operational webhooks.',
    realm: 'server',
    access: 'write',
    answers: { 204: null },
    async handle({ posthorn, params, by }) {
      await posthorn.alarms.removeTarget(parameter(params, 'endpoint_id'), by())
      return answer(204)
    },
  }),
]
