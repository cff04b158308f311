import type { DeliveryFilter } from '../ports/queue.ts'
import { second } from '../time.ts'
import type { Instant } from '../time.ts'

/** Bulk work: requeue or cancel all deliveries that match, replay messages that an endpoint never got, or erase all that an application had. */
export type JobAction = 'requeue' | 'cancel' | 'replay' | 'erase'

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
  | { readonly action: 'erase'; readonly filter: { readonly applicationId: string } }

/** Bulk work that was asked for, stored with its progress, so that any worker can go on with it after a crash. */
export interface Job {
  readonly id: string
  /** Set if it concerns one application only. */
  readonly applicationId: string | null
  readonly work: JobWork
  readonly state: JobState
  /** How many matched when it was asked for; of a replay, how many deliveries were to be made. */
  readonly matching: number
  /** How many of them were dealt with; of a replay, how many deliveries were made. */
  readonly done: number
  /** How many could not be: their endpoint was deleted, their body erased, or somebody was sending them. */
  readonly skipped: number
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
export function refusedChange(job: Pick<Job, 'state' | 'work'>, to: 'running' | 'paused' | 'cancelled'): string | null {
  if (isOver(job)) return `it is ${job.state}`
  if (job.work.action === 'erase' && to === 'cancelled') return 'an erasure cannot be undone, only paused'
  return job.state === to ? `it is ${to} already` : null
}
