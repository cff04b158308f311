import { isOpen } from '../../../core/delivery/delivery.ts'
import type { Job } from '../../../core/delivery/job.ts'
import type { Actor } from '../../../core/ports/audit.ts'
import type { AdvancedJob, ErasureJob } from '../../../core/ports/directory.ts'
import type { Instant } from '../../../core/time.ts'
import { cancelled, endedOf } from '../queue/queue.ts'
import { compareText } from '../sorted-list.ts'
import { forget, forgetMessage, note, replace, select } from '../state.ts'
import type { State } from '../state.ts'

/** Deletes an application, hides all that it had, and keeps the job that erases it. */
export function eraseApplication(state: State, job: ErasureJob, by?: Actor): Job | null {
  const { applicationId: id, createdAt: at } = job
  const underWay = state.erasures.get(id)
  if (underWay?.erasedAt === null) return state.jobs.get(underWay.jobId) ?? null
  const before = state.applications.get(id)?.application ?? null
  if (before === null && !isAnythingLeft(state, id)) return null
  for (const endpoint of state.endpoints.values()) {
    if (endpoint.applicationId !== id || endpoint.status === 'deleted') continue
    state.endpoints.set(endpoint.id, { ...endpoint, status: 'deleted', statusSince: at, updatedAt: at })
  }
  state.applications.delete(id)
  state.erasures.set(id, { jobId: job.id, erasedAt: null })
  state.jobs.set(job.id, job)
  const action = before === null ? 'application.erase' : 'application.delete'
  if (by !== undefined) note(state, { action, target: id, applicationId: id, at, by, before })
  return job
}

function isAnythingLeft(state: State, id: string): boolean {
  const isOwn = ({ applicationId }: { readonly applicationId: string }): boolean => applicationId === id
  return [...state.endpoints.values(), ...state.messages.values()].some(isOwn)
}

/** One batch: messages with their deliveries; then what is left without a message; then all the rest. */
export function eraseBatch(state: State, job: Job, applicationId: string, limit: number, now: Instant): AdvancedJob {
  const messages = [...state.messages.values()]
    .filter((message) => message.applicationId === applicationId)
    .toSorted((one, other) => compareText(one.id, other.id))
    .slice(0, limit)
  const own = new Set(
    [...state.endpoints.values()].filter((one) => one.applicationId === applicationId).map(({ id }) => id),
  )
  const rows =
    messages.length > 0
      ? messages.flatMap(({ id }) => [...select(state, { messageId: id })])
      : [...state.deliveries.values()].filter(({ endpointId }) => own.has(endpointId)).slice(0, limit)
  const open = rows.filter(isOpen)
  for (const delivery of open) replace(state, delivery, cancelled(delivery, 'gone', now))
  for (const { id } of rows) forget(state, state.deliveries.get(id) ?? missing(id))
  for (const message of messages) {
    state.payloadExpiries.delete(message.id)
    forgetMessage(state, message)
  }
  const isOver = rows.length === 0 && messages.length === 0
  if (isOver) eraseRest(state, applicationId, own, now)
  const progress = { done: job.done + messages.length, cursor: null, updatedAt: now }
  return {
    job: { ...job, ...progress, state: isOver ? 'done' : 'running' },
    cancelled: open.map(endedOf),
    endpointIds: [],
  }
}

function missing(id: string): never {
  throw new Error(`Expected delivery ${id} to be there.`)
}

function eraseRest(state: State, applicationId: string, endpointIds: ReadonlySet<string>, now: Instant): void {
  const isOwn = (one: { readonly applicationId: string | null }): boolean => one.applicationId === applicationId
  for (const name of state.keys.keys()) if (name.startsWith(`${applicationId} `)) state.keys.delete(name)
  for (const [key, reply] of state.replies) if (isOwn(reply)) state.replies.delete(key)
  for (const [id, key] of state.apiKeys) if (isOwn(key)) state.apiKeys.delete(id)
  for (const [id, { event }] of state.events) if (isOwn(event)) state.events.delete(id)
  for (const [id, job] of state.jobs) if (isOwn(job) && job.work.action !== 'erase') state.jobs.delete(id)
  for (const id of [applicationId, ...endpointIds]) {
    state.health.delete(id)
    state.rateLimits.delete(id)
    state.endpoints.delete(id)
    state.rollups.erase(id)
  }
  const { jobId } = state.erasures.get(applicationId) ?? { jobId: '' }
  state.erasures.set(applicationId, { jobId, erasedAt: now })
}
