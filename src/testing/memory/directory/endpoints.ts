import { isProvisional } from '../../../core/delivery/attempt.ts'
import type { OutcomeKind, RecordedOutcome } from '../../../core/delivery/attempt.ts'
import { isOpen, laneOf } from '../../../core/delivery/delivery.ts'
import type { Endpoint } from '../../../core/endpoint/endpoint.ts'
import { expected } from '../../../core/errors.ts'
import type { AttemptCount, EndpointFigures } from '../../../core/ports/figures.ts'
import { healthy, nextGeneration } from '../../../core/endpoint/health.ts'
import type { EndpointCounts, EndpointDirectory } from '../../../core/ports/directory.ts'
import type { Secret } from '../../../core/signing/signature.ts'
import type { Subscriber } from '../../../core/endpoint/subscribers.ts'
import type { Instant } from '../../../core/time.ts'
import { changed, inOrder, raiseEndpointsVersion, takenUid } from './applications.ts'
import { compareText } from '../sorted-list.ts'
import { note, select } from '../state.ts'
import type { State } from '../state.ts'

/** Endpoints: every change of one raises the version of its application's. */
export function endpointDirectory(state: State): EndpointDirectory {
  const living = (): Endpoint[] => [...state.endpoints.values()].filter(({ status }) => status !== 'deleted')

  function save(endpoint: Endpoint): Endpoint {
    const taken = living().some(
      ({ id, uid, applicationId }) =>
        id !== endpoint.id && uid === endpoint.uid && applicationId === endpoint.applicationId,
    )
    if (taken && endpoint.uid !== null) throw takenUid(endpoint.uid)
    state.endpoints.set(endpoint.id, endpoint)
    raiseEndpointsVersion(state, endpoint.applicationId)
    return endpoint
  }

  return {
    createEndpoint: async (endpoint) => {
      if (!state.applications.has(endpoint.applicationId)) {
        throw expected(
          'not_found',
          'applicationId',
          'that of an application',
          endpoint.applicationId,
          'Create the application first.',
        )
      }
      return save(endpoint)
    },
    endpoint: async (applicationId, idOrUid) => {
      if (applicationId === null) return living().find(({ id }) => id === idOrUid) ?? null
      const own = living().filter((endpoint) => endpoint.applicationId === applicationId)
      return own.find(({ id }) => id === idOrUid) ?? own.find(({ uid }) => uid === idOrUid) ?? null
    },
    listEndpoints: async ({ applicationId, text }, page) => {
      const own = living().filter((endpoint) => applicationId === undefined || endpoint.applicationId === applicationId)
      return inOrder(
        own.filter((endpoint) => text === undefined || textOf(endpoint).includes(text.toLowerCase())),
        page,
        'ascending',
      )
    },
    updateEndpoint: async (id, change, now, audited) => {
      const endpoint = state.endpoints.get(id)
      if (endpoint === undefined || endpoint.status === 'deleted') return null
      const next = changed(endpoint, { ...change, updatedAt: now })
      const saved = save(next.status === endpoint.status ? next : { ...next, statusSince: now })
      renewHealth(state, endpoint, saved, change.status === 'active', now)
      if (audited !== undefined) note(state, audited.action, id, 1, now, audited.by)
      return saved
    },
    rotateSecret: async (endpointId, secret, othersEndAt, now, by) => {
      const endpoint = state.endpoints.get(endpointId)
      if (endpoint === undefined || endpoint.status === 'deleted') return null
      if (by !== undefined) note(state, 'rotate', endpointId, 1, now, by)
      const others = endpoint.secrets.map((other) => endingBy(other, othersEndAt))
      return save({ ...endpoint, secrets: [secret, ...others], updatedAt: now })
    },
    endpointsById: async (ids) =>
      [...new Set(ids)].flatMap((id) => {
        const endpoint = state.endpoints.get(id)
        if (endpoint === undefined) return []
        return {
          ...endpoint,
          applicationRatePerSecond: state.applications.get(endpoint.applicationId)?.application.ratePerSecond ?? null,
        }
      }),
    matching: async (applicationId) => {
      const kept = state.applications.get(applicationId)
      if (kept === undefined) return null
      const endpoints = living().filter((endpoint) => endpoint.applicationId === applicationId)
      return { endpointsVersion: kept.endpointsVersion, endpoints: endpoints.map(subscriberOf) }
    },
    endpointCounts: async (endpointId, since, until) => counts(state, endpointId, since, until),
    endpointFigures: async (ids, since) =>
      ids.flatMap((id) => (state.endpoints.has(id) ? [figures(state, id, since)] : [])),
    failingEndpoints: async ({ applicationId }, limit) =>
      living()
        .filter(({ id, applicationId: owner }) => (applicationId ?? owner) === owner && failedAttempts(state, id) > 0)
        .toSorted(
          (one, other) =>
            failedAttempts(state, other.id) - failedAttempts(state, one.id) || compareText(one.id, other.id),
        )
        .slice(0, limit),
    failuresOf: async (endpointId, most) => failures(state, endpointId, most),
  }
}

/** With another URL, or enabled by a person, an endpoint has nothing against it. */
function renewHealth(state: State, before: Endpoint, after: Endpoint, isEnabled: boolean, now: Instant): void {
  if (before.url === after.url && !isEnabled) return
  const next = nextGeneration(state.health.get(after.id) ?? healthy, before.status !== 'active', now)
  state.health.set(after.id, { ...next, version: next.version + 1 })
}

function counts(state: State, endpointId: string, since: Instant, until: Instant): EndpointCounts {
  const made = [...select(state, { endpointId, since, until })]
  const open = made.filter(isOpen)
  const waiting = open.filter((delivery) => laneOf(delivery) === 'fresh' && delivery.leaseOwner === null)
  const uncounted = made.filter(
    ({ status, reason }) => status === 'dead' && reason !== 'exhausted' && reason !== 'crashed',
  )
  return {
    ...state.rollups.ended(endpointId, since, until),
    cancelled: uncounted.length,
    fresh: waiting.length,
    retrying: open.length - waiting.length,
  }
}

function textOf({ url, description, uid }: Endpoint): string {
  return `${url} ${description} ${uid ?? ''}`.toLowerCase()
}

function figures(state: State, endpointId: string, since: Instant): EndpointFigures {
  const open = [...select(state, { endpointId, status: ['pending', 'failed'] })]
  return { backlog: open.length, backlogAtLeast: false, ...state.rollups.history(endpointId, since) }
}

function failedAttempts(state: State, endpointId: string): number {
  const health = state.health.get(endpointId)
  return health === undefined || health.failingSince === null ? 0 : health.failedAttempts
}

function failures(state: State, endpointId: string, most: number): AttemptCount[] {
  const newest = [...select(state, { endpointId })].toSorted((one, other) => compareText(other.id, one.id))
  const made = newest.flatMap(({ id }) => (state.attempts.get(id) ?? []).toReversed()).slice(0, most)
  const counted = new Map<string, AttemptCount>()
  for (const { outcome, statusCode } of made) {
    if (!isReal(outcome) || (statusCode !== null && statusCode >= 200 && statusCode <= 299)) continue
    const name = `${outcome} ${statusCode}`
    counted.set(name, { outcome, statusCode, count: (counted.get(name)?.count ?? 0) + 1 })
  }
  return [...counted.values()].toSorted(
    (one, other) =>
      other.count - one.count ||
      compareText(one.outcome, other.outcome) ||
      (one.statusCode ?? 0) - (other.statusCode ?? 0),
  )
}

/** True of what came of an attempt, and not only that it began. */
function isReal(outcome: RecordedOutcome): outcome is OutcomeKind {
  return !isProvisional(outcome)
}

/** A secret that was to end earlier keeps its end: a rotation must not bring one back. */
function endingBy(secret: Secret, end: Instant): Secret {
  return { ...secret, expiresAt: Math.min(secret.expiresAt ?? end, end) }
}

function subscriberOf({ id, url, status, types, channels, filter, policy }: Endpoint): Subscriber {
  return { id, url, status, types, channels, filter, policy }
}
