import type { DeliveryFilter } from '../ports/queue.ts'
import { second } from '../time.ts'
import type { Instant } from '../time.ts'

/** Bulk work on deliveries: requeue or cancel all that match, or replay messages that an endpoint never got. */
export type JobAction = 'requeue' | 'cancel' | 'replay'

export type JobState = 'running' | 'paused' | 'done' | 'cancelled'

/** Which messages a replay sends again: those of the endpoint's application, made within a time. */
export interface ReplayFilter {
  readonly endpointId: string
  readonly since: Instant
  readonly until: Instant
}

export type JobWork =
  | { readonly action: 'requeue' | 'cancel'; readonly filter: DeliveryFilter }
  | { readonly action: 'replay'; readonly filter: ReplayFilter }

/** Bulk work that was asked for, stored with its progress, so that any worker can go on with it after a crash. */
export interface Job {
  readonly id: string
  /** Set if it concerns one application only. */
  readonly applicationId: string | null
  readonly work: JobWork
  readonly state: JobState
  /** How many matched when it was asked for. */
  readonly matching: number
  /** How many of them were dealt with. */
  readonly done: number
  /** The id that the last batch ended with; null before the first. */
  readonly cursor: string | null
  readonly actor: string
  readonly reason: string | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** How fast a job goes, over its whole life; null before anything is done and once it is over. */
export function progressOf({ state, matching, done, createdAt, updatedAt }: Job): {
  readonly ratePerSecond: number | null
  readonly etaSeconds: number | null
} {
  const seconds = (updatedAt - createdAt) / second
  if (state !== 'running' || done === 0 || seconds <= 0) return { ratePerSecond: null, etaSeconds: null }
  const ratePerSecond = done / seconds
  return { ratePerSecond, etaSeconds: Math.ceil(Math.max(0, matching - done) / ratePerSecond) }
}

export function isOver({ state }: Pick<Job, 'state'>): boolean {
  return state === 'done' || state === 'cancelled'
}

/** What a person may do with a job now; null if it may become what is asked. */
export function refusedChange(job: Pick<Job, 'state'>, to: 'running' | 'paused' | 'cancelled'): string | null {
  if (isOver(job)) return `it is ${job.state}`
  return job.state === to ? `it is ${to} already` : null
}
