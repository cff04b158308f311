import { isOpen } from '../../../core/delivery/delivery.ts'
import type { Delivery } from '../../../core/delivery/delivery.ts'
import type { Job, JobWork } from '../../../core/delivery/job.ts'
import type { AdvancedJob, JobChange, JobDirectory, ReplayBatch } from '../../../core/ports/directory/jobs.ts'
import type { Instant } from '../../../core/time.ts'
import { inOrder } from './applications.ts'
import { eraseBatch, isErasure } from './erasure.ts'
import { newDelivery } from '../queue/enqueue.ts'
import { cancelled, endedOf, mayRequeue, requeued } from '../queue/queue.ts'
import { compareText } from '../sorted-list.ts'
import { insert, note, replace, select } from '../state.ts'
import type { State } from '../state.ts'

type DeliveryWork = Extract<JobWork, { readonly action: 'requeue' | 'cancel' }>

/** Bulk work with its progress. */
export function jobDirectory(state: State): JobDirectory {
  return {
    createJob: async (job, by = { name: job.actor, reason: job.reason ?? undefined }) => {
      const { id, applicationId, matching: count, createdAt: at } = job
      const { action, filter } = job.work
      const noted = action === 'erase' ? 'application.erase' : action
      note(state, { action: noted, target: JSON.stringify(filter), applicationId, count, at, by, after: { job: id } })
      return save(state, job)
    },
    job: async (id) => state.jobs.get(id) ?? null,
    listJobs: async ({ applicationId }, page) =>
      inOrder(
        [...state.jobs.values()].filter((job) => applicationId === undefined || job.applicationId === applicationId),
        page,
        'descending',
      ),
    runningJob: async (after) =>
      [...state.jobs.values()]
        .toSorted((left, right) => compareText(left.id, right.id))
        .find((job) => job.state === 'running' && compareText(job.id, after) > 0) ?? null,
    changeJob: async (asked) => change(state, asked),
    advanceJob: async (id, limit, now) => {
      const job = running(state, id)
      const batch = job === null ? null : batchOf(state, job, limit, now)
      if (batch !== null) save(state, batch.job)
      return batch
    },
    advanceReplay: async (batch, now) => replay(state, batch, now),
  }
}

function save(state: State, job: Job): Job {
  state.jobs.set(job.id, job)
  return job
}

function change(state: State, { id, from, to, now, audited }: JobChange): Job | null {
  const job = state.jobs.get(id)
  if (job?.state !== from) return null
  const about = { target: id, applicationId: job.applicationId, before: { state: from }, after: { state: to } }
  if (audited !== undefined) note(state, { ...audited, ...about, at: now })
  return save(state, { ...job, state: to, updatedAt: now })
}

function running(state: State, id: string): Job | null {
  const job = state.jobs.get(id)
  return job?.state === 'running' ? job : null
}

function batchOf(state: State, job: Job, limit: number, now: Instant): AdvancedJob | null {
  return isErasure(job) ? eraseBatch(state, job, limit, now) : takeBatch(state, job, limit, now)
}

function takeBatch(state: State, job: Job, limit: number, now: Instant): AdvancedJob | null {
  const { work, cursor } = job
  if (work.action === 'replay' || work.action === 'erase') return null
  const left = [...select(state, work.filter)].filter(
    (delivery) => isPossible(work, delivery) && delivery.id > (cursor ?? ''),
  )
  const picked = left.toSorted((one, other) => compareText(one.id, other.id)).slice(0, limit)
  const changed = picked.filter((delivery) => work.action === 'cancel' || mayRequeue(state, delivery, now))
  for (const delivery of changed)
    replace(state, delivery, work.action === 'cancel' ? cancelled(delivery, 'cancelled', now) : requeued(delivery, now))
  return {
    job: {
      ...job,
      state: picked.length < limit ? 'done' : 'running',
      done: job.done + changed.length,
      skipped: job.skipped + picked.length - changed.length,
      cursor: picked.at(-1)?.id ?? cursor,
      updatedAt: now,
    },
    cancelled: work.action === 'cancel' ? changed.filter(isOpen).map(endedOf) : [],
    endpointIds: work.action === 'cancel' ? [] : [...new Set(changed.map(({ endpointId }) => endpointId))],
  }
}

/** A dead letter is discarded for good only if that is requested. */
function isPossible({ action, filter }: DeliveryWork, delivery: Delivery): boolean {
  const isDiscard = [filter.status].flat().includes('dead')
  return action === 'cancel' && !isDiscard ? isOpen(delivery) : delivery.status !== 'delivered'
}

function replay(state: State, batch: ReplayBatch, now: Instant): Job | null {
  const job = running(state, batch.jobId)
  if (job === null || job.cursor !== batch.from) return null
  const made = addDeliveries(state, batch, now)
  const { cursor, deliveries } = batch
  return save(state, {
    ...job,
    state: cursor === null ? 'done' : 'running',
    done: job.done + made,
    skipped: job.skipped + deliveries.length - made,
    cursor: cursor ?? job.cursor,
    updatedAt: now,
  })
}

/** How many were created: none for a message that no longer exists. */
function addDeliveries(state: State, { deliveries }: ReplayBatch, now: Instant): number {
  let made = 0
  for (const delivery of deliveries) {
    const message = state.messages.get(delivery.messageId)
    if (message === undefined || message.erasedAt !== null) continue
    insert(state, { ...newDelivery(delivery, message, now), requeuedAt: now })
    made += 1
  }
  return made
}
