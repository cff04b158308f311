import { operationsUid } from '../../../core/alarms/operational.ts'
import { idPrefix } from '../../../core/ports/search.ts'
import type { Found, SearchDirectory, SearchRequest } from '../../../core/ports/search.ts'
import { compareText } from '../sorted-list.ts'
import { isVisible } from '../state.ts'
import type { State } from '../state.ts'

/** Finds things by a few letters. */
export function searchDirectory(state: State): SearchDirectory {
  return { search: async (request) => matching(state, request).slice(0, request.limit) }
}

function matching(state: State, request: SearchRequest): Found[] {
  switch (request.kind) {
    case 'application':
      return named(applications(state), request)
    case 'endpoint':
      return named(endpoints(state), request)
    case 'event-type':
      return named(eventTypes(state), { ...request, applicationId: undefined })
    case 'message':
    case 'delivery':
      return startingWith(request.kind === 'message' ? messages(state) : deliveries(state), request, request.kind)
  }
}

interface Candidate {
  readonly thing: Found
  readonly text: string
}

/** Exact matches first. */
function named(candidates: readonly Candidate[], { words, applicationId }: SearchRequest): Found[] {
  const rank = ({ id, uid }: Found): number =>
    words.length === 1 && [id, uid].some((name) => name?.toLowerCase() === words[0]) ? 0 : 1
  return candidates
    .filter((each) => holds(each, words))
    .map(({ thing }) => thing)
    .filter((thing) => applicationId === undefined || thing.applicationId === applicationId)
    .toSorted((one, other) => rank(one) - rank(other) || compareText(one.id, other.id))
}

function holds({ text }: Candidate, words: readonly string[]): boolean {
  return words.every((word) => text.toLowerCase().includes(word))
}

/** Newest first. */
function startingWith(
  all: readonly Found[],
  { words, applicationId }: SearchRequest,
  kind: 'message' | 'delivery',
): Found[] {
  const prefix = idPrefix(kind, words)
  if (prefix === null) return []
  return all
    .filter((each) => each.id.startsWith(prefix) && (applicationId ?? each.applicationId) === each.applicationId)
    .toSorted((one, other) => compareText(other.id, one.id))
}

function applications(state: State): Candidate[] {
  return [...state.applications.values()]
    .map(({ application }) => application)
    .filter(({ uid }) => uid !== operationsUid)
    .map(({ id, uid, name }) => ({
      thing: found(state, 'application', { id, uid, name, applicationId: id }),
      text: [id, name, uid ?? ''].join(' '),
    }))
}

function endpoints(state: State): Candidate[] {
  return [...state.endpoints.values()]
    .filter(({ status }) => status !== 'deleted')
    .map(({ id, uid, description, url, applicationId, status }) => ({
      thing: found(state, 'endpoint', { id, uid, name: description, url, applicationId, status }),
      text: [id, url, description, uid ?? ''].join(' '),
    }))
}

function eventTypes(state: State): Candidate[] {
  return [...state.eventTypes.values()]
    .filter(({ archived }) => !archived)
    .map(({ name, description }) => ({
      thing: found(state, 'event-type', { id: name, name }),
      text: [name, description].join(' '),
    }))
}

function messages(state: State): Found[] {
  return [...state.messages.values()]
    .filter((message) => isVisible(state, message))
    .map(({ id, type, applicationId }) => found(state, 'message', { id, name: type, applicationId }))
}

function deliveries(state: State): Found[] {
  return [...state.deliveries.values()]
    .filter((delivery) => isVisible(state, delivery))
    .map(({ id, eventType, endpointId, applicationId, status }) =>
      found(state, 'delivery', {
        id,
        name: eventType,
        url: state.endpoints.get(endpointId)?.url ?? null,
        applicationId,
        status,
      }),
    )
}

function found(state: State, kind: Found['kind'], known: Pick<Found, 'id' | 'name'> & Partial<Found>): Found {
  const applicationId = known.applicationId ?? null
  return {
    uid: null,
    url: null,
    status: null,
    ...known,
    kind,
    applicationId,
    applicationName: applicationId === null ? null : (state.applications.get(applicationId)?.application.name ?? null),
  }
}
