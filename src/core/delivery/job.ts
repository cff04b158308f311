import type { DeliveryFilter } from '../ports/queue.ts'
import { second } from '../time.ts'
import type { Instant } from '../time.ts'

/** Bulk work: requeue or cancel all matching deliveries, replay messages that an endpoint never got, or erase an application's data. */
export type JobAction = 'requeue' | 'cancel' | 'replay' | 'erase'

export type JobState = 'running' | 'paused' | 'done' | 'cancelled'

/** Which messages a replay sends again: those of the endpoint's application, created within a time range. */
export interface ReplayFilter {
  readonly endpointId: string
  readonly since: Instant
  readonly until: Instant
}

export type JobWork =
  | { readonly action: 'requeue' | 'cancel'; readonly filter: DeliveryFilter }
  | { readonly action: 'replay'; readonly filter: ReplayFilter }
  | { readonly action: 'erase'; readonly filter: { readonly applicationId: string } }

/** Requested bulk work, stored with its progress so that any worker can continue it after a crash. */
export interface Job {
  readonly id: string
  /** Set if it concerns one application only. */
  readonly applicationId: string | null
  readonly work: JobWork
  readonly state: JobState
  /** How many matched when it was requested; for a replay, how many deliveries were to be created. */
  readonly matching: number
  /** How many of them are done; for a replay, how many deliveries were created. */
  readonly done: number
  /** How many failed: their endpoint was deleted, their body erased, or they were in flight. */
  readonly skipped: number
  /** The last id of the last batch; null before the first. */
  readonly cursor: string | null
  readonly actor: string
  readonly reason: string | null
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** The speed of a job over its whole life; null before anything is done and once it has ended. */
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

/** Why a job cannot be changed to the requested state; null if it can. */
export function refusedChange(job: Pick<Job, 'state' | 'work'>, to: 'running' | 'paused' | 'cancelled'): string | null {
  if (isOver(job)) return `it is ${job.state}`
  if (job.work.action === 'erase' && to === 'cancelled') return 'an erasure cannot be undone, only paused'
  return job.state === to ? `it is ${to} already` : null
}
