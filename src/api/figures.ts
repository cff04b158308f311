import type { Application, Endpoint } from '../core/endpoint/endpoint.ts'
import { lastHours, wellnessOf } from '../core/ports/figures.ts'
import type { AttemptCount, DeadLetters, EndpointOverview } from '../core/ports/figures.ts'
import type { Directory } from '../core/ports/directory.ts'
import { shown } from './endpoint/shown.ts'
import { healthy, isFailing } from '../core/endpoint/health.ts'
import { hour } from '../core/time.ts'
import type { ResourceParts } from './parts.ts'

/** Figures for operators, from rollups and indexes: reading them costs the same with ten million rows of history. */
export interface Figures {
  of(endpoints: readonly Endpoint[]): Promise<EndpointOverview[]>
  /** The endpoints that only fail, after enough attempts to say so; worst first. */
  failing(filter: { readonly applicationId?: string | undefined }): Promise<EndpointOverview[]>
  /** How the newest thousand attempts at an endpoint failed, as far as they did. */
  failuresOf(endpointId: string): Promise<AttemptCount[]>
  /** How many dead letters there are, and the newest thousand by endpoint, reason and error. */
  deadLetters(filter?: DeadLetterFilter): Promise<DeadLetters>
}

interface DeadLetterFilter {
  readonly endpointId?: string | undefined
  readonly applicationId?: string | undefined
}

const hoursShown = 24
const mostFailing = 20
const mostAttempts = 1_000
// Each is a page of its own to read, perhaps from a cold disk; a count needs the index only.
const mostGrouped = 1_000
const mostDead = 100_000

export function makeFigures(parts: ResourceParts): Figures {
  const { ready, directory } = parts
  return {
    async of(endpoints) {
      await ready()
      return overviewsOf(parts, endpoints)
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

async function applicationsOf(
  directory: Directory,
  endpoints: readonly Endpoint[],
): Promise<Map<string, Application | null>> {
  const ids = [...new Set(endpoints.map(({ applicationId }) => applicationId))]
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
    // Another may have died between the two readings.
    counted: Math.max(grouped, Math.min(counted, mostDead)),
    atLeast: counted > mostDead,
  }
}
