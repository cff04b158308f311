import type { Job, JobState } from '../../delivery/job.ts'
import type { Instant } from '../../time.ts'
import type { Actor, AuditNote } from '../audit.ts'
import type { Cancelled, NewDelivery } from '../queue.ts'
import type { Page } from './page.ts'

export interface JobDirectory {
  createJob(job: Job, by?: Actor): Promise<Job>
  job(id: string): Promise<Job | null>
  /** Newest first. */
  listJobs(filter: { applicationId?: string | undefined }, page: Page): Promise<Job[]>
  /** The oldest running job created after the given one (any, if empty); null if there is none. */
  runningJob(after: string): Promise<Job | null>
  /** Only if its state is still the given one, so that nobody resumes what another has cancelled. */
  changeJob(change: JobChange): Promise<Job | null>
  /** One batch of a requeue, cancel or erasure with its progress, in one transaction; `done` once nothing is left. Null if the job no longer runs. */
  advanceJob(id: string, limit: number, now: Instant): Promise<AdvancedJob | null>
  /** One batch of a replay: new deliveries of messages up to `cursor`, and their count, in one transaction. Null if the job no longer runs, or has moved on. */
  advanceReplay(batch: ReplayBatch, now: Instant): Promise<Job | null>
}

export interface JobChange {
  readonly id: string
  readonly from: JobState
  readonly to: JobState
  readonly now: Instant
  readonly audited?: AuditNote | undefined
}

export interface AdvancedJob {
  readonly job: Job
  /** The deliveries that this batch ended, for the bus. */
  readonly cancelled: readonly Cancelled[]
  /** Endpoints with rows that are now due. */
  readonly endpointIds: readonly string[]
}

export interface ReplayBatch {
  readonly jobId: string
  /** The job's cursor when the batch was read: if it has changed since, another worker was first, and nothing is written. */
  readonly from: string | null
  /** Stored like requeued ones: they leave among the retries, so that a long replay never delays fresh deliveries. */
  readonly deliveries: readonly (NewDelivery & { readonly messageId: string })[]
  /** The last message that was read; null once there are no more. */
  readonly cursor: string | null
}
