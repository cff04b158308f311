import { isOpen, laneOf } from '../../core/delivery.ts'
import type { Endpoint } from '../../core/endpoint.ts'
import { expected } from '../../core/errors.ts'
import type { EndpointCounts, EndpointDirectory } from '../../core/ports.ts'
import type { Secret } from '../../core/signature.ts'
import type { Instant } from '../../core/time.ts'
import { changed, inOrder, raiseEndpointsVersion, takenUid } from './applications.ts'
import { select } from './state.ts'
import type { State } from './state.ts'

/** Endpoints: every change of one raises the version of its application's. */
export function endpointDirectory(state: State): EndpointDirectory {
  const living = (): Endpoint[] => [...state.endpoints.values()].filter(({ status }) => status !== 'deleted')

  function save(endpoint: Endpoint): Endpoint {
    const taken = living().some(({ id, uid, applicationId }) => id !== endpoint.id && uid === endpoint.uid && applicationId === endpoint.applicationId)
    if (taken && endpoint.uid !== null) throw takenUid(endpoint.uid)
    state.endpoints.set(endpoint.id, endpoint)
    raiseEndpointsVersion(state, endpoint.applicationId)
    return endpoint
  }

  return {
    createEndpoint: async (endpoint) => {
      if (!state.applications.has(endpoint.applicationId)) {
        throw expected('not_found', 'applicationId', 'that of an application', endpoint.applicationId, 'Create the application first.')
      }
      return save(endpoint)
    },
    endpoint: async (applicationId, idOrUid) => {
      if (applicationId === null) return living().find(({ id }) => id === idOrUid) ?? null
      const own = living().filter((endpoint) => endpoint.applicationId === applicationId)
      return own.find(({ id }) => id === idOrUid) ?? own.find(({ uid }) => uid === idOrUid) ?? null
    },
    listEndpoints: async ({ applicationId }, page) =>
      inOrder(living().filter((endpoint) => applicationId === undefined || endpoint.applicationId === applicationId), page, 'ascending'),
    updateEndpoint: async (id, change, now) => {
      const endpoint = state.endpoints.get(id)
      if (endpoint === undefined || endpoint.status === 'deleted') return null
      const next = changed(endpoint, { ...change, updatedAt: now })
      return save(next.status === endpoint.status ? next : { ...next, statusSince: now })
    },
    rotateSecret: async (endpointId, secret, othersEndAt, now) => {
      const endpoint = state.endpoints.get(endpointId)
      if (endpoint === undefined || endpoint.status === 'deleted') return null
      const others = endpoint.secrets.map((other) => endingBy(other, othersEndAt))
      return save({ ...endpoint, secrets: [secret, ...others], updatedAt: now })
    },
    endpointsById: async (ids) => [...new Set(ids)].flatMap((id) => state.endpoints.get(id) ?? []),
    matching: async (applicationId) => {
      const kept = state.applications.get(applicationId)
      if (kept === undefined) return null
      const endpoints = living().filter((endpoint) => endpoint.applicationId === applicationId)
      return { endpointsVersion: kept.endpointsVersion, endpoints }
    },
    endpointCounts: async (endpointId, since, until) => counts(state, endpointId, since, until),
  }
}

function counts(state: State, endpointId: string, since: Instant, until: Instant): EndpointCounts {
  const made = [...select(state, { endpointId, since, until })]
  const open = made.filter(isOpen)
  const waiting = open.filter((delivery) => laneOf(delivery) === 'fresh' && delivery.leaseOwner === null)
  const uncounted = made.filter(({ status, reason }) => status === 'dead' && reason !== 'exhausted' && reason !== 'crashed')
  return { ...state.rollups.ended(endpointId, since, until), cancelled: uncounted.length, fresh: waiting.length, retrying: open.length - waiting.length }
}

/** A secret that was to end earlier keeps its end: a rotation must not bring one back. */
function endingBy(secret: Secret, end: Instant): Secret {
  return { ...secret, expiresAt: Math.min(secret.expiresAt ?? end, end) }
}
