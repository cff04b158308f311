import type { Application, Endpoint } from '../core/endpoint/endpoint.ts'
import type { Delivery } from '../core/delivery/delivery.ts'
import { lastHours, summedFigures, wellnessOf } from '../core/ports/figures.ts'
import type {
  ApplicationOverview,
  AttemptCount,
  DeadLetters,
  EndpointFigures,
  EndpointOverview,
  EndpointTimeline,
  HealthState,
  LastFailure,
  ListedDelivery,
  NextRetry,
} from '../core/ports/figures.ts'
import { bucketOf, bucketsOf } from '../core/ports/overview.ts'
import type { Directory } from '../core/ports/directory.ts'
import type { OwnedEndpoint } from '../core/ports/directory/endpoints.ts'
import { shown } from './endpoint/shown.ts'
import { healthy, isFailing } from '../core/endpoint/health.ts'
import { hour } from '../core/time.ts'
import type { Instant } from '../core/time.ts'
import type { ResourceParts } from './parts.ts'

/** Figures for operators, from rollups and indexes: reading them costs the same with ten million rows of history. */
export interface Figures {
  of(endpoints: readonly Endpoint[]): Promise<EndpointOverview[]>
  /** The state of applications, from a bounded number of endpoints each. */
  ofApplications(applications: readonly Application[], mostEndpoints: number): Promise<ApplicationOverview[]>
  /** The endpoints that only fail, after enough attempts to say so; worst first. */
  failing(filter: { readonly applicationId?: string | undefined }): Promise<EndpointOverview[]>
  /** How the failed ones among the newest thousand attempts at an endpoint failed. */
  failuresOf(endpointId: string): Promise<AttemptCount[]>
  /** The last failure among the newest thousand attempts at an endpoint. */
  lastFailureOf(endpointId: string): Promise<LastFailure | null>
  /** The retry of an endpoint that is due first. */
  nextRetryOf(endpointId: string): Promise<NextRetry | null>
  /** What was sent to an endpoint over a window that ends now, in intervals of equal length. */
  timelineOf(endpointId: string, span: TimelineSpan): Promise<EndpointTimeline>
  /** Deliveries with their owners and last attempts, in the given order. */
  listed(deliveries: readonly Delivery[]): Promise<ListedDelivery[]>
  /** How many dead letters there are, and the newest thousand by endpoint, reason and error. */
  deadLetters(filter?: DeadLetterFilter): Promise<DeadLetters>
}

/** Both in milliseconds; the window is a multiple of the bucket. */
interface TimelineSpan {
  readonly windowMs: number
  readonly bucketMs: number
}

interface DeadLetterFilter {
  readonly endpointId?: string | undefined
  readonly applicationId?: string | undefined
}

const hoursShown = 24
const mostFailing = 20
const mostAttempts = 1_000
// Each is a separate page to read, perhaps from a cold disk; a count needs only the index.
const mostGrouped = 1_000
const mostDead = 100_000
const endpointsPerRead = 1_000

export function makeFigures(parts: ResourceParts): Figures {
  const { ready, directory } = parts
  return {
    async of(endpoints) {
      await ready()
      return overviewsOf(parts, endpoints)
    },
    async ofApplications(applications, mostEndpoints) {
      await ready()
      return applicationOverviewsOf(parts, applications, mostEndpoints)
    },
    async failing(filter) {
      await ready()
      const overviews = await overviewsOf(parts, await directory.failingEndpoints(filter, mostFailing))
      return overviews.filter(({ health }) => isFailing(health))
    },
    async failuresOf(endpointId) {
      await ready()
      return directory.failuresOf(endpointId, mostAttempts)
    },
    async lastFailureOf(endpointId) {
      await ready()
      return directory.lastFailureOf(endpointId, mostAttempts)
    },
    async nextRetryOf(endpointId) {
      await ready()
      return directory.nextRetryOf(endpointId)
    },
    async timelineOf(endpointId, span) {
      await ready()
      return timelineOf(parts, endpointId, span)
    },
    async listed(deliveries) {
      await ready()
      return listedDeliveries(directory, deliveries)
    },
    async deadLetters(filter = {}) {
      await ready()
      return deadLettersOf(directory, filter)
    },
  }
}

async function overviewsOf(
  { directory, queue, clock }: ResourceParts,
  endpoints: readonly Endpoint[],
): Promise<EndpointOverview[]> {
  const now = clock.now()
  const ids = endpoints.map(({ id }) => id)
  const [figures, healths, applications] = await Promise.all([
    directory.endpointFigures(ids, now - (now % hour) - (hoursShown - 1) * hour),
    queue.health(ids),
    applicationsOf(directory, endpoints),
  ])
  return endpoints.flatMap((endpoint, index) => {
    const own = figures[index]
    if (own === undefined) return []
    const health = healths.get(endpoint.id) ?? healthy
    return [
      {
        endpoint: shown(endpoint),
        application: applications.get(endpoint.applicationId) ?? null,
        health,
        wellness: wellnessOf(endpoint, health, now),
        figures: { ...own, hours: lastHours(own.hours, now, hoursShown) },
      },
    ]
  })
}

async function applicationOverviewsOf(
  { directory, queue, clock }: ResourceParts,
  applications: readonly Application[],
  mostEndpoints: number,
): Promise<ApplicationOverview[]> {
  const now = clock.now()
  const ids = applications.map(({ id }) => id)
  const seen = new Map<string, SeenEndpoint[]>(ids.map((id) => [id, []]))
  for (const owned of inBatches(await directory.endpointsOf(ids, mostEndpoints))) {
    const endpointIds = owned.map(({ id }) => id)
    const [figures, healths] = await Promise.all([
      directory.endpointFigures(endpointIds, now - (now % hour) - (hoursShown - 1) * hour),
      queue.health(endpointIds),
    ])
    for (const [index, endpoint] of owned.entries()) {
      const own = figures[index]
      const { state } = wellnessOf(endpoint, healths.get(endpoint.id) ?? healthy, now)
      if (own !== undefined) seen.get(endpoint.applicationId)?.push({ endpoint, figures: own, state })
    }
  }
  return applications.map((application) => summaryOf(application, seen.get(application.id) ?? [], now))
}

interface SeenEndpoint {
  readonly endpoint: OwnedEndpoint
  readonly figures: EndpointFigures
  readonly state: HealthState
}

function summaryOf(application: Application, seen: readonly SeenEndpoint[], now: Instant): ApplicationOverview {
  const health = { healthy: 0, degraded: 0, breaker_open: 0, paused: 0, disabled: 0 }
  for (const { state } of seen) health[state] += 1
  const endpointCount = seen[0]?.endpoint.among ?? 0
  const figures = summedFigures(
    seen.map((each) => each.figures),
    now,
    hoursShown,
  )
  return { application, endpointCount, health, figures, isPartial: endpointCount > seen.length }
}

function inBatches<Item>(items: readonly Item[]): Item[][] {
  const batches: Item[][] = []
  for (let start = 0; start < items.length; start += endpointsPerRead)
    batches.push(items.slice(start, start + endpointsPerRead))
  return batches
}

async function timelineOf(
  { directory, clock }: ResourceParts,
  endpointId: string,
  { windowMs, bucketMs }: TimelineSpan,
): Promise<EndpointTimeline> {
  const at = clock.now()
  const since = at - (at % bucketMs) - windowMs + bucketMs
  const minutes = await directory.endpointBuckets(endpointId, since, bucketMs)
  return {
    at,
    windowMs,
    bucketMs,
    total: bucketOf(since, minutes),
    buckets: bucketsOf({ at, windowMs, minutes }, bucketMs),
  }
}

async function listedDeliveries(directory: Directory, deliveries: readonly Delivery[]): Promise<ListedDelivery[]> {
  const [attempts, applications] = await Promise.all([
    directory.lastAttempts(deliveries.map(({ id }) => id)),
    applicationsOf(directory, deliveries),
  ])
  const lastOf = new Map(attempts.map((attempt) => [attempt.deliveryId, attempt]))
  return deliveries.map((delivery) => ({
    delivery,
    application: applications.get(delivery.applicationId) ?? null,
    lastAttempt: lastOf.get(delivery.id) ?? null,
  }))
}

async function applicationsOf(
  directory: Directory,
  owned: readonly { readonly applicationId: string }[],
): Promise<Map<string, Application | null>> {
  const ids = [...new Set(owned.map(({ applicationId }) => applicationId))]
  return new Map(await Promise.all(ids.map(async (id) => [id, await directory.application(id)] as const)))
}

async function deadLettersOf(directory: Directory, filter: DeadLetterFilter): Promise<DeadLetters> {
  const [groups, counted] = await Promise.all([
    directory.deadLetters(filter, mostGrouped),
    directory.countDeliveries({ ...filter, status: 'dead' }, mostDead + 1),
  ])
  const grouped = groups.reduce((sum, { count }) => sum + count, 0)
  const endpoints = await directory.endpointsById([...new Set(groups.map(({ endpointId }) => endpointId))])
  const urls = new Map(endpoints.map(({ id, url }) => [id, url]))
  return {
    groups: groups.map((group) => ({ ...group, url: urls.get(group.endpointId) ?? '' })),
    grouped,
    // Another may have died between the two reads.
    counted: Math.max(grouped, Math.min(counted, mostDead)),
    atLeast: counted > mostDead,
  }
}
