/** What can be searched, in the order in which it is shown. */
export const searchKinds = ['application', 'endpoint', 'event-type', 'message', 'delivery'] as const
export type SearchKind = (typeof searchKinds)[number]

/**
 * Applications, endpoints and event types are found by any part of their text: there are thousands at most. Messages and
 * deliveries, of which there are millions, are found only by the beginning of their id.
 */
export interface SearchRequest {
  readonly kind: SearchKind
  /** Words that must all occur; without any, the first of a kind are returned. */
  readonly words: readonly string[]
  /** Restricts the search to one application; event types belong to all. */
  readonly applicationId?: string | undefined
  readonly limit: number
}

/** A search result, with as much as people need to choose. */
export interface Found {
  readonly kind: SearchKind
  /** For an event type, its name. */
  readonly id: string
  readonly uid: string | null
  /** The name of an application; the event type of an event type, message or delivery; the description of an endpoint. */
  readonly name: string
  /** The URL of an endpoint or a delivery. */
  readonly url: string | null
  readonly applicationId: string | null
  readonly applicationName: string | null
  /** For an endpoint or a delivery. */
  readonly status: string | null
}

export interface SearchDirectory {
  /** Exact matches first, then oldest first; messages and deliveries newest first. */
  search(request: SearchRequest): Promise<Found[]>
}

const mostWords = 5
const idStart = /^(msg|dlv)_[0-9a-z]*$/

/** The words to look for, in lower case. */
export function searchWords(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, mostWords)
}

/** The beginning of an id, if the words are one: messages and deliveries are found by nothing else. */
export function idPrefix(kind: 'message' | 'delivery', words: readonly string[]): string | null {
  const [word = '', ...others] = words
  const isOfKind = word.startsWith(kind === 'message' ? 'msg_' : 'dlv_')
  return isOfKind && others.length === 0 && idStart.test(word) ? word : null
}

/** The last id with this beginning: ids contain no character after z. */
export function lastIdFrom(prefix: string): string {
  return `${prefix}${'z'.repeat(25)}`
}
