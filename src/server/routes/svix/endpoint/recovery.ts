import { z } from 'zod'
import type { JobWork } from '../../../../core/job.ts'
import { verificationKey } from '../../../../core/signature.ts'
import { day } from '../../../../core/time.ts'
import { once, repeatable } from '../../../request/idempotency.ts'
import type { Reply } from '../../../request/idempotency.ts'
import { answer, operation, RawJson } from '../../../operation.ts'
import type { Answer, Call, Operation } from '../../../operation.ts'
import { dateTime } from '../../../schemas/common.ts'
import {
  endpointHeadersIn, endpointHeadersOut, endpointHeadersPatchIn, endpointSecretOut, endpointSecretRotateIn, endpointStats, eventExampleIn, toHeadersOut, withPrefix,
} from '../../../schemas/svix/endpoint.ts'
import { messageOut, messageText } from '../../../schemas/svix/message.ts'
import { bulkReplayIn, recoverIn, recoverOut, replayIn, toRecoverOut } from '../../../schemas/svix/task.ts'
import type { Task } from '../../../schemas/svix/task.ts'
import { hiddenType, isVisible } from '../event-types.ts'
import { endpointIn, instantOf, orNull } from '../../lookup.ts'

const one = '/api/v1/app/{app_id}/endpoint/{endpoint_id}'
const statsMs = 28 * day
// How official clients of Svix before 2.0 call themselves.
const firstGeneration = /^svix-libs\/[01]\./

/** What an endpoint needs during its life: headers, secrets, a test, figures, and another try. */
export const endpointCareOperations: readonly Operation[] = [
  operation({
    id: 'v1.endpoint.get-headers',
    method: 'get',
    path: `${one}/headers`,
    summary: 'Shows the headers that are sent along; of those with credentials only the names.',
    realm: 'application',
    access: 'read',
    answers: { 200: endpointHeadersOut },
    handle: async (call) => answer(200, toHeadersOut((await endpointIn(call)).headers)),
  }),
  operation({
    id: 'v1.endpoint.update-headers',
    method: 'put',
    path: `${one}/headers`,
    summary: 'Sets the headers that are sent along.',
    realm: 'application',
    access: 'write',
    body: endpointHeadersIn,
    answers: { 204: null },
    async handle(call) {
      const { id } = await endpointIn(call)
      await call.posthorn.endpoints.update(id, { headers: call.body.headers })
      return answer(204)
    },
  }),
  operation({
    id: 'v1.endpoint.patch-headers',
    method: 'patch',
    path: `${one}/headers`,
    summary: 'Sets the headers that are given, and takes away those that are null.',
    realm: 'application',
    access: 'write',
    body: endpointHeadersPatchIn,
    answers: { 204: null },
    async handle(call) {
      const { id, headers } = await endpointIn(call)
      await call.posthorn.endpoints.update(id, { headers: patched(headers, call.body) })
      return answer(204)
    },
  }),
  operation({
    id: 'v1.endpoint.get-secret',
    method: 'get',
    path: `${one}/secret`,
    summary: 'Shows the secret by which receivers verify what they get; of an ed25519 one the public key.',
    realm: 'application',
    // Whoever has the secret can sign in our name.
    access: 'write',
    answers: { 200: endpointSecretOut },
    handle: async (call) => answer(200, { key: await call.posthorn.endpoints.revealSecret((await endpointIn(call)).id, { by: call.caller.name }) }),
  }),
  operation({
    id: 'v1.endpoint.rotate-secret',
    method: 'post',
    path: `${one}/secret/rotate`,
    summary: 'Gives an endpoint a new secret; the old one stays valid for a while.',
    realm: 'application',
    access: 'write',
    body: endpointSecretRotateIn,
    // The first generation of clients expects no content, and some of them fail at any; later ones expect the key.
    answers: { 200: endpointSecretOut, 204: null },
    // The answer holds a secret: it is not kept, but read again for a repeat.
    idempotency: 'own',
    async handle(call) {
      const { id } = await endpointIn(call)
      const rotated = await rotateOnce(call, id)
      if (rotated instanceof Response) return rotated
      if (firstGeneration.test(call.request.headers.get('user-agent') ?? '')) return answer(204)
      const { secrets } = await call.posthorn.endpoints.get(id)
      return answer(200, { key: verificationKey(secrets[0]?.value ?? '') })
    },
  }),
  operation({
    id: 'v1.endpoint.send-example',
    method: 'post',
    path: `${one}/send-example`,
    summary: 'Sends an endpoint an example of an event type.',
    realm: 'application',
    access: 'write',
    body: eventExampleIn,
    answers: { 200: messageOut },
    async handle(call) {
      const { id } = await endpointIn(call)
      const { eventType } = call.body
      const definition = await orNull(call.posthorn.eventTypes.get(eventType))
      if (definition !== null && !isVisible(definition, call.caller)) throw hiddenType(eventType)
      return answer(200, new RawJson(messageText(await call.posthorn.endpoints.sendExample(id, eventType), true)))
    },
  }),
  operation({
    id: 'v1.endpoint.get-stats',
    method: 'get',
    path: `${one}/stats`,
    summary: "Counts what came of an endpoint's deliveries, in the last 28 days unless a time is given.",
    realm: 'application',
    access: 'read',
    query: z.object({ since: dateTime.nullish(), until: dateTime.nullish() }),
    answers: { 200: endpointStats },
    async handle(call) {
      const { posthorn, query } = call
      const until = instantOf(query.until) ?? posthorn.now()
      const { id } = await endpointIn(call)
      const { delivered, dead, cancelled, fresh, retrying } = await posthorn.endpoints.counts(id, { since: instantOf(query.since) ?? until - statsMs, until })
      return answer(200, { success: delivered, fail: dead, canceled: cancelled, pending: fresh, sending: retrying })
    },
  }),
  operation({
    id: 'v1.endpoint.recover',
    method: 'post',
    path: `${one}/recover`,
    summary: 'Sends again what failed or died since a time, as a task.',
    realm: 'application',
    access: 'write',
    body: recoverIn,
    answers: { 202: recoverOut },
    handle: (call) =>
      startTask(call, 'endpoint.recover', (endpointId) => ({
        action: 'requeue',
        filter: { endpointId, status: ['dead', 'failed'], since: instantOf(call.body.since), until: instantOf(call.body.until) },
      })),
  }),
  operation({
    id: 'v1.endpoint.replay-missing',
    method: 'post',
    path: `${one}/replay-missing`,
    summary: 'Sends messages of a time that the endpoint never got, as a task.',
    realm: 'application',
    access: 'write',
    body: replayIn,
    answers: { 202: recoverOut },
    handle: (call) =>
      startTask(call, 'endpoint.replay', (endpointId) => ({
        action: 'replay',
        filter: { endpointId, since: Date.parse(call.body.since), until: instantOf(call.body.until) ?? call.posthorn.now() },
      })),
  }),
  operation({
    id: 'v1.endpoint.bulk-replay',
    method: 'post',
    path: `${one}/bulk-replay`,
    summary: 'Sends again what died (or failed) in a time, of one event type if given, as a task.',
    realm: 'application',
    access: 'write',
    body: bulkReplayIn,
    answers: { 202: recoverOut },
    handle: (call) =>
      startTask(call, 'endpoint.bulk-replay', (endpointId) => ({
        action: 'requeue',
        filter: { endpointId, status: call.body.status === 3 ? 'failed' : 'dead', type: call.body.eventTypes?.[0], since: Date.parse(call.body.since), until: instantOf(call.body.until) },
      })),
  }),
]

async function rotateOnce(call: Call<unknown, z.output<typeof endpointSecretRotateIn>>, id: string): Promise<Reply | Response> {
  const { posthorn, caller, body: { key, gracePeriodSeconds }, idempotencyKey } = call
  const rotate = async (): Promise<Reply> => {
    await posthorn.endpoints.rotateSecret(id, {
      ...(typeof key === 'string' && { secret: withPrefix(key) }),
      ...(typeof gracePeriodSeconds === 'number' && { overlapMs: gracePeriodSeconds * 1_000 }),
    }, { by: caller.name })
    return { status: 200, text: null }
  }
  return idempotencyKey === null ? rotate() : once(posthorn, repeatable(call, idempotencyKey), rotate)
}

/** Starts a job on the endpoint in the path; clients know it as a task of that name. */
async function startTask(call: Call, name: Task, workOn: (endpointId: string) => JobWork): Promise<Answer> {
  const { id } = await endpointIn(call)
  const job = await call.posthorn.jobs.create(workOn(id), { by: call.caller.name, reason: name })
  return answer(202, toRecoverOut(job, name))
}

/** Names of headers are the same in upper and lower case. */
function patched(before: Readonly<Record<string, string>>, { headers, deleteHeaders = [] }: z.output<typeof endpointHeadersPatchIn>): Record<string, string> {
  const touched = new Set([...Object.keys(headers), ...deleteHeaders].map((name) => name.toLowerCase()))
  const kept = Object.entries(before).filter(([name]) => !touched.has(name.toLowerCase()))
  const set = Object.entries(headers).filter((entry): entry is [string, string] => entry[1] !== null)
  return Object.fromEntries([...kept, ...set])
}
