import { isOpen } from '../../../core/delivery/delivery.ts'
import type { Delivery } from '../../../core/delivery/delivery.ts'
import type { Job } from '../../../core/delivery/job.ts'
import type { AdvancedJob } from '../../../core/ports/directory/jobs.ts'
import type { Message } from '../../../core/message/message.ts'
import type { Instant } from '../../../core/time.ts'
import { cancelled, endedOf } from '../queue/queue.ts'
import { compareText } from '../sorted-list.ts'
import { forget, forgetMessage, replace, select } from '../state.ts'
import type { State } from '../state.ts'

type Erasure = Job & { readonly work: { readonly action: 'erase' } }

export function isErasure(job: Job): job is Erasure {
  return job.work.action === 'erase'
}

/** One batch: messages with their deliveries; then deliveries without a message; then the rest. */
export function eraseBatch(state: State, job: Erasure, limit: number, now: Instant): AdvancedJob {
  const { applicationId } = job.work.filter
  const own = [...state.endpoints.values()].filter((one) => one.applicationId === applicationId).map(({ id }) => id)
  const messages = oldestOf(state, applicationId, limit)
  const rows = messages.length > 0 ? ofMessages(state, messages) : ofEndpoints(state, own, limit)
  const open = rows.filter(isOpen)
  for (const delivery of rows) endAndForget(state, delivery, now)
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

function oldestOf(state: State, applicationId: string, limit: number): Message[] {
  return [...state.messages.values()]
    .filter((message) => message.applicationId === applicationId)
    .toSorted((one, other) => compareText(one.id, other.id))
    .slice(0, limit)
}

function ofMessages(state: State, messages: readonly Message[]): Delivery[] {
  return messages.flatMap(({ id }) => [...select(state, { messageId: id })])
}

function ofEndpoints(state: State, endpointIds: readonly string[], limit: number): Delivery[] {
  return endpointIds.flatMap((endpointId) => [...select(state, { endpointId })]).slice(0, limit)
}

function endAndForget(state: State, delivery: Delivery, now: Instant): void {
  const ended = isOpen(delivery) ? cancelled(delivery, 'gone', now) : delivery
  replace(state, delivery, ended)
  forget(state, ended)
}

function eraseRest(state: State, applicationId: string, endpointIds: readonly string[], now: Instant): void {
  const isOwn = (one: { readonly applicationId: string | null }): boolean => one.applicationId === applicationId
  removeWhere(state.keys, (_, name) => name.startsWith(`${applicationId} `))
  removeWhere(state.replies, isOwn)
  removeWhere(state.apiKeys, isOwn)
  removeWhere(state.events, ({ event }) => isOwn(event))
  removeWhere(state.jobs, (job) => isOwn(job) && !isErasure(job))
  for (const id of [applicationId, ...endpointIds]) {
    state.health.delete(id)
    state.rateLimits.delete(id)
    state.endpoints.delete(id)
    state.rollups.erase(id)
  }
  const { jobId } = state.erasures.get(applicationId) ?? { jobId: '' }
  state.erasures.set(applicationId, { jobId, erasedAt: now })
}

function removeWhere<Value>(rows: Map<string, Value>, isWanted: (value: Value, key: string) => boolean): void {
  for (const [key, value] of rows) if (isWanted(value, key)) rows.delete(key)
}
