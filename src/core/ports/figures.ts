import type { Attempt, RecordedOutcome } from '../delivery/attempt.ts'
import type { DeadReason, Delivery } from '../delivery/delivery.ts'
import type { Application, Endpoint } from '../endpoint/endpoint.ts'
import type { Message } from '../message/message.ts'
import { isHeld, willBeDisabledAt } from '../endpoint/health.ts'
import type { Health } from '../endpoint/health.ts'
import type { SentRequest } from '../signing/sent-request.ts'
import type { Bucket } from './overview.ts'
import { hour, isoTime } from '../time.ts'
import type { Instant } from '../time.ts'
import type { Why } from '../delivery/why.ts'

/** How one endpoint is doing, from rollups and partial indexes. */
export interface EndpointFigures {
  /** Open deliveries, counted up to a bound; `backlogAtLeast` means that there are more. */
  readonly backlog: number
  readonly backlogAtLeast: boolean
  /** The minute of its last success; null if there is none on record. */
  readonly lastSuccessAt: Instant | null
  readonly hours: readonly HourCounts[]
}

/** How many endpoints are in each state, counted up to a bound. Active ones are healthy, failing or on hold. */
export interface EndpointHealthCounts {
  readonly active: number
  readonly failing: number
  readonly held: number
  readonly paused: number
  readonly disabled: number
}

export interface HourCounts {
  readonly at: Instant
  readonly delivered: number
  readonly failed: number
  readonly dead: number
}

export interface AttemptCount {
  readonly outcome: RecordedOutcome
  readonly statusCode: number | null
  readonly count: number
}

/** The last attempt of a delivery. */
export type LastAttempt = Pick<Attempt, 'deliveryId' | 'startedAt' | 'tookMs' | 'outcome' | 'statusCode'>

/** The last failed attempt at an endpoint, with its delivery. */
export interface LastFailure extends LastAttempt {
  readonly eventType: string
  readonly errorDetail: string | null
}

/** The retry of an endpoint that is due first. */
export interface NextRetry {
  readonly deliveryId: string
  readonly at: Instant
}

/** A delivery as a list shows it. */
export interface ListedDelivery {
  readonly delivery: Delivery
  readonly application: Application | null
  /** Null before the first attempt. */
  readonly lastAttempt: LastAttempt | null
}

/** What was sent to one endpoint over a window, in intervals of equal length. */
export interface EndpointTimeline {
  readonly at: Instant
  readonly windowMs: number
  readonly bucketMs: number
  readonly total: Bucket
  readonly buckets: readonly Bucket[]
}

/** A message, and whether a filter matches it. */
export interface TriedMessage {
  readonly message: Pick<Message, 'id' | 'eventId' | 'type' | 'createdAt'>
  readonly matches: boolean
}

/** Dead letters that ended alike: the same endpoint, reason and first line of the error. */
export interface DeadLetterGroup {
  readonly endpointId: string
  readonly applicationId: string
  readonly reason: DeadReason
  readonly errorDetail: string | null
  readonly count: number
  readonly newestAt: Instant
}

/** A delivery with everything that belongs to it. */
export interface DeliveryDetail {
  readonly delivery: Delivery
  readonly why: Why
  readonly maxAttempts: number
  readonly attempts: readonly DetailedAttempt[]
  /** Also if it was deleted. */
  readonly endpoint: Endpoint | null
  readonly application: Application | null
  readonly message: Message | null
}

/** An attempt with the request that it sent; null where that is no longer known. */
export interface DetailedAttempt extends Attempt {
  readonly request: SentRequest | null
}

/** An endpoint with everything that people want to see at a glance. */
export interface EndpointOverview {
  readonly endpoint: Endpoint
  readonly application: Application | null
  readonly health: Health
  readonly wellness: Wellness
  /** The hours are the last 24, including empty ones. */
  readonly figures: EndpointFigures
}

/** An application with everything that people want to see at a glance. */
export interface ApplicationOverview {
  readonly application: Application
  readonly endpointCount: number
  /** How many endpoints are in each state. */
  readonly health: Readonly<Record<HealthState, number>>
  /** All its endpoints together; the hours are the last 24, including empty ones. */
  readonly figures: EndpointFigures
  /** It has more endpoints than `health` and `figures` cover. */
  readonly isPartial: boolean
}

export interface DeadLetters {
  readonly groups: readonly (DeadLetterGroup & { readonly url: string })[]
  /** `groups` covers this many of the newest dead letters. */
  readonly grouped: number
  readonly counted: number
  /** There are more than were counted. */
  readonly atLeast: boolean
}

export type HealthState = 'healthy' | 'degraded' | 'breaker_open' | 'paused' | 'disabled'

/** The state of an endpoint, in a word and a sentence. */
interface Wellness {
  readonly state: HealthState
  readonly sentence: string
}

export function wellnessOf(
  { status, statusReason, statusSince }: Pick<Endpoint, 'status' | 'statusReason' | 'statusSince'>,
  health: Health,
  now: Instant,
): Wellness {
  const since = `since ${said(statusSince)}${statusReason === null ? '' : ` (${statusReason})`}`
  switch (status) {
    case 'paused':
      return { state: 'paused', sentence: `Paused ${since}: it collects its deliveries.` }
    case 'disabled':
    case 'deleted':
      return { state: 'disabled', sentence: `Disabled ${since}: it gets nothing new.` }
    case 'active':
      return activeWellness(health, now)
  }
}

function activeWellness(health: Health, now: Instant): Wellness {
  // Without the number of failures: it is stored only at every tenth.
  const since = health.failingSince === null ? null : `failures since ${said(health.failingSince)}.${ending(health)}`
  if (isHeld(health, now) && health.heldUntil !== null) {
    return {
      state: 'breaker_open',
      sentence: `Held until ${said(health.heldUntil)}: ${since === null ? 'it asked for a pause.' : `only ${since}`}`,
    }
  }
  return since === null
    ? { state: 'healthy', sentence: 'No recent failures.' }
    : { state: 'degraded', sentence: `Only ${since}` }
}

function ending(health: Health): string {
  const disabledAt = willBeDisabledAt(health)
  return disabledAt === null
    ? ''
    : ` It will be disabled on ${said(disabledAt)}, unless a delivery succeeds before then.`
}

/** The given number of whole hours up to now, including empty ones, oldest first. */
export function lastHours(counts: readonly HourCounts[], now: Instant, most: number): HourCounts[] {
  const newest = now - (now % hour)
  const byHour = new Map(counts.map((one) => [one.at, one]))
  return Array.from({ length: most }, (_, index) => newest - (most - 1 - index) * hour).map(
    (at) => byHour.get(at) ?? { at, delivered: 0, failed: 0, dead: 0 },
  )
}

/** Adds up the figures of several endpoints. */
export function summedFigures(all: readonly EndpointFigures[], now: Instant, mostHours: number): EndpointFigures {
  const hours = new Map<Instant, HourCounts>()
  for (const { at, ...counts } of all.flatMap((each) => each.hours)) {
    const known = hours.get(at) ?? { delivered: 0, failed: 0, dead: 0 }
    hours.set(at, {
      at,
      delivered: known.delivered + counts.delivered,
      failed: known.failed + counts.failed,
      dead: known.dead + counts.dead,
    })
  }
  const successes = all.flatMap(({ lastSuccessAt }) => lastSuccessAt ?? [])
  return {
    backlog: all.reduce((sum, { backlog }) => sum + backlog, 0),
    backlogAtLeast: all.some(({ backlogAtLeast }) => backlogAtLeast),
    lastSuccessAt: successes.length === 0 ? null : Math.max(...successes),
    hours: lastHours([...hours.values()], now, mostHours),
  }
}

/** Merges groups that differ only below the first line of their error. Largest first. */
export function mergedGroups(groups: readonly DeadLetterGroup[]): DeadLetterGroup[] {
  const merged = new Map<string, DeadLetterGroup>()
  for (const group of groups) {
    const errorDetail = group.errorDetail?.split('\n', 1)[0] ?? null
    const name = JSON.stringify([group.endpointId, group.reason, errorDetail])
    const known = merged.get(name)
    merged.set(name, {
      ...group,
      errorDetail,
      count: group.count + (known?.count ?? 0),
      newestAt: Math.max(group.newestAt, known?.newestAt ?? 0),
    })
  }
  return [...merged.values()].toSorted((one, other) => other.count - one.count || other.newestAt - one.newestAt)
}

function said(at: Instant): string {
  return `${isoTime(at).slice(0, 19).replace('T', ' ')} UTC`
}
