import { isProvisional } from '../../../core/delivery/attempt.ts'
import type { OutcomeKind, RecordedOutcome } from '../../../core/delivery/attempt.ts'
import { isOpen, laneOf } from '../../../core/delivery/delivery.ts'
import { withoutDeadSecrets } from '../../../core/endpoint/endpoint.ts'
import type { Endpoint, EndpointWithLimits } from '../../../core/endpoint/endpoint.ts'
import { expected } from '../../../core/errors.ts'
import type { Actor } from '../../../core/ports/audit.ts'
import type {
  AttemptCount,
  EndpointFigures,
  EndpointHealthCounts,
  LastFailure,
  NextRetry,
} from '../../../core/ports/figures.ts'
import { healthy, isHeld, nextGeneration } from '../../../core/endpoint/health.ts'
import type {
  EndpointChange,
  EndpointCounts,
  EndpointDirectory,
  OwnedEndpoint,
  SecretRotation,
} from '../../../core/ports/directory/endpoints.ts'
import type { Secret } from '../../../core/signing/signature.ts'
import type { Subscriber } from '../../../core/endpoint/subscribers.ts'
import type { Instant } from '../../../core/time.ts'
import { changed, inOrder, raiseEndpointsVersion, takenUid } from './applications.ts'
import { compareText } from '../sorted-list.ts'
import { note, select } from '../state.ts'
import type { State } from '../state.ts'

/** Endpoints: every change to one increases the version of its application's endpoints. */
export function endpointDirectory(state: State): EndpointDirectory {
  return {
    createEndpoint: async (endpoint, by) => create(state, endpoint, by),
    endpoint: async (applicationId, idOrUid) => find(state, applicationId, idOrUid),
    listEndpoints: async ({ applicationId, text }, page) => {
      const own = living(state).filter(
        (endpoint) => applicationId === undefined || endpoint.applicationId === applicationId,
      )
      return inOrder(
        own.filter((endpoint) => text === undefined || textOf(endpoint).includes(text.toLowerCase())),
        page,
        'ascending',
      )
    },
    endpointsOf: async (applicationIds, mostEach) =>
      [...new Set(applicationIds)].toSorted(compareText).flatMap((id) => ownedBy(state, id).slice(0, mostEach)),
    updateEndpoint: async (id, change, now, audited) => {
      const before = state.endpoints.get(id) ?? null
      const after = update(state, id, change, now)
      if (after !== null && audited !== undefined) {
        const { applicationId } = after
        note(state, { ...audited, target: id, applicationId, at: now, before, after })
      }
      return after
    },
    rotateSecret: async (rotation) => rotate(state, rotation),
    endpointsById: async (ids) => [...new Set(ids)].flatMap((id) => withLimits(state, id) ?? []),
    matching: async (applicationId) => {
      const kept = state.applications.get(applicationId)
      if (kept === undefined) return null
      const endpoints = living(state)
        .filter((endpoint) => endpoint.applicationId === applicationId)
        .toSorted((one, other) => compareText(one.id, other.id))
      return { endpointsVersion: kept.endpointsVersion, endpoints: endpoints.map(subscriberOf) }
    },
    endpointCounts: async (endpointId, since, until) => counts(state, endpointId, since, until),
    endpointFigures: async (ids, since) =>
      ids.flatMap((id) => (state.endpoints.has(id) ? [figures(state, id, since)] : [])),
    failingEndpoints: async ({ applicationId }, limit) => failing(state, applicationId).slice(0, limit),
    endpointHealthCounts: async (now) => healthCounts(state, now),
    failuresOf: async (endpointId, most) => failures(state, endpointId, most),
    lastFailureOf: async (endpointId, most) => lastFailure(state, endpointId, most),
    nextRetryOf: async (endpointId) => nextRetry(state, endpointId),
    endpointBuckets: async (endpointId, since, bucketMs) => state.rollups.buckets(endpointId, since, bucketMs),
  }
}

function living(state: State): Endpoint[] {
  return [...state.endpoints.values()].filter(({ status }) => status !== 'deleted')
}

function ownedBy(state: State, ownerId: string): OwnedEndpoint[] {
  const own = living(state).filter(({ applicationId }) => applicationId === ownerId)
  return own
    .toSorted((left, right) => compareText(left.id, right.id))
    .map(({ id, applicationId, status, statusReason, statusSince }) => ({
      id,
      applicationId,
      status,
      statusReason,
      statusSince,
      among: own.length,
    }))
}

function create(state: State, endpoint: Endpoint, by?: Actor): Endpoint {
  const { id: target, applicationId, createdAt: at } = endpoint
  if (!state.applications.has(applicationId)) {
    const advice = 'Create the application first.'
    throw expected('not_found', 'applicationId', 'that of an application', applicationId, advice)
  }
  save(state, endpoint)
  if (by !== undefined) note(state, { action: 'endpoint.create', target, applicationId, at, by, after: endpoint })
  return endpoint
}

function save(state: State, endpoint: Endpoint): Endpoint {
  const taken = living(state).some(
    ({ id, uid, applicationId }) =>
      id !== endpoint.id && uid === endpoint.uid && applicationId === endpoint.applicationId,
  )
  if (taken && endpoint.uid !== null) throw takenUid(endpoint.uid)
  state.endpoints.set(endpoint.id, endpoint)
  raiseEndpointsVersion(state, endpoint.applicationId)
  return endpoint
}

function find(state: State, applicationId: string | null, idOrUid: string): Endpoint | null {
  if (applicationId === null) return living(state).find(({ id }) => id === idOrUid) ?? null
  const own = living(state).filter((endpoint) => endpoint.applicationId === applicationId)
  return own.find(({ id }) => id === idOrUid) ?? own.find(({ uid }) => uid === idOrUid) ?? null
}

function update(state: State, id: string, change: EndpointChange, now: Instant): Endpoint | null {
  const endpoint = state.endpoints.get(id)
  if (endpoint === undefined || endpoint.status === 'deleted') return null
  const next = changed(endpoint, { ...change, updatedAt: now })
  const stamped = next.status === endpoint.status ? next : { ...next, statusSince: now }
  const saved = save(state, withoutDeadSecrets(stamped))
  // With another URL, or enabled by a person, an endpoint starts without failures.
  if (endpoint.url !== saved.url || change.status === 'active') renewHealth(state, endpoint, now)
  return saved
}

function renewHealth(state: State, { id, status }: Endpoint, now: Instant): void {
  const next = nextGeneration(state.health.get(id) ?? healthy, status !== 'active', now)
  state.health.set(id, { ...next, version: next.version + 1 })
}

function rotate(state: State, { endpointId, secret, othersEndAt, now, by }: SecretRotation): Endpoint | null {
  const endpoint = state.endpoints.get(endpointId)
  if (endpoint === undefined || endpoint.status === 'deleted') return null
  const { applicationId } = endpoint
  if (by !== undefined) note(state, { action: 'rotate', target: endpointId, applicationId, at: now, by })
  const others = endpoint.secrets.map((other) => endingBy(other, othersEndAt))
  return save(state, { ...endpoint, secrets: [secret, ...others], updatedAt: now })
}

/** A secret that expires earlier keeps its expiry: a rotation must not revive it. */
function endingBy(secret: Secret, end: Instant): Secret {
  return { ...secret, expiresAt: Math.min(secret.expiresAt ?? end, end) }
}

function withLimits(state: State, id: string): EndpointWithLimits | null {
  const endpoint = state.endpoints.get(id)
  if (endpoint === undefined) return null
  const kept = state.applications.get(endpoint.applicationId)
  return { ...endpoint, applicationRatePerSecond: kept?.application.ratePerSecond ?? null }
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

function failing(state: State, applicationId: string | undefined): Endpoint[] {
  return living(state)
    .filter(({ id, applicationId: owner }) => (applicationId ?? owner) === owner && failedAttempts(state, id) > 0)
    .toSorted(
      (one, other) => failedAttempts(state, other.id) - failedAttempts(state, one.id) || compareText(one.id, other.id),
    )
}

function healthCounts(state: State, now: Instant): EndpointHealthCounts {
  const byHealth = { active: 0, failing: 0, held: 0, paused: 0, disabled: 0 }
  for (const { id, status } of living(state)) byHealth[healthOf(state, id, status, now)] += 1
  return byHealth
}

function healthOf(state: State, id: string, status: Endpoint['status'], now: Instant): keyof EndpointHealthCounts {
  if (status === 'paused' || status === 'disabled') return status
  const health = state.health.get(id) ?? healthy
  if (isHeld(health, now)) return 'held'
  return health.failingSince === null ? 'active' : 'failing'
}

function failedAttempts(state: State, endpointId: string): number {
  const health = state.health.get(endpointId)
  return health === undefined || health.failingSince === null ? 0 : health.failedAttempts
}

function lastFailure(state: State, endpointId: string, most: number): LastFailure | null {
  const [last] = newestAttempts(state, endpointId, most)
    .filter(({ outcome, statusCode }) => isReal(outcome) && !isSuccess(statusCode))
    .toSorted((one, other) => other.startedAt - one.startedAt || compareText(other.deliveryId, one.deliveryId))
  const delivery = last === undefined ? undefined : state.deliveries.get(last.deliveryId)
  if (last === undefined || delivery === undefined) return null
  const { deliveryId, startedAt, tookMs, outcome, statusCode } = last
  const { eventType, errorDetail } = delivery
  return { deliveryId, startedAt, tookMs, outcome, statusCode, eventType, errorDetail }
}

function nextRetry(state: State, endpointId: string): NextRetry | null {
  const [first] = [...select(state, { endpointId, status: ['pending', 'failed'] })]
    .filter((delivery) => laneOf(delivery) === 'retries')
    .flatMap(({ id: deliveryId, nextRetryAt: at }) => (at === null ? [] : [{ deliveryId, at }]))
    .toSorted((one, other) => one.at - other.at || compareText(one.deliveryId, other.deliveryId))
  return first ?? null
}

function newestAttempts(state: State, endpointId: string, most: number) {
  const newest = [...select(state, { endpointId })].toSorted((one, other) => compareText(other.id, one.id))
  return newest
    .flatMap(({ id: deliveryId }) =>
      (state.attempts.get(deliveryId) ?? []).toReversed().map((attempt) => ({ ...attempt, deliveryId })),
    )
    .slice(0, most)
}

function isSuccess(statusCode: number | null): boolean {
  return statusCode !== null && statusCode >= 200 && statusCode <= 299
}

function failures(state: State, endpointId: string, most: number): AttemptCount[] {
  const made = newestAttempts(state, endpointId, most)
  const counted = new Map<string, AttemptCount>()
  for (const { outcome, statusCode } of made) {
    if (!isReal(outcome) || isSuccess(statusCode)) continue
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

/** True if an attempt has an outcome, and did not only begin. */
function isReal(outcome: RecordedOutcome): outcome is OutcomeKind {
  return !isProvisional(outcome)
}

function subscriberOf({ id, url, status, types, channels, filter, policy }: Endpoint): Subscriber {
  return { id, url, status, types, channels, filter, policy }
}
