/** What can be found by a few letters, in the order in which it is shown. */
export const searchKinds = ['application', 'endpoint', 'event-type', 'message', 'delivery'] as const
export type SearchKind = (typeof searchKinds)[number]

/**
 * Applications, endpoints and event types are found by any part of their texts: there are thousands of them at most. Messages and
 * deliveries, of which there are millions, only by the beginning of their id.
 */
export interface SearchRequest {
  readonly kind: SearchKind
  /** Words of which each must occur; none finds the first of a kind, whatever they are called. */
  readonly words: readonly string[]
  /** Of one application; event types belong to all. */
  readonly applicationId?: string | undefined
  readonly limit: number
}

/** One thing that was found, as far as somebody must see of it to choose. */
export interface Found {
  readonly kind: SearchKind
  /** Of an event type its name. */
  readonly id: string
  readonly uid: string | null
  /** Of an application its name, of an event type, message or delivery the name of the type; of an endpoint its description. */
  readonly name: string
  /** Where an endpoint is, or a delivery goes. */
  readonly url: string | null
  readonly applicationId: string | null
  readonly applicationName: string | null
  /** Of an endpoint or a delivery. */
  readonly status: string | null
}

export interface SearchDirectory {
  /** What is called exactly so comes first, then the oldest; of messages and deliveries the newest. */
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

/** The beginning of an id, if that is what is looked for: nothing else finds messages and deliveries. */
export function idPrefix(kind: 'message' | 'delivery', words: readonly string[]): string | null {
  const [word = '', ...others] = words
  const isOfKind = word.startsWith(kind === 'message' ? 'msg_' : 'dlv_')
  return isOfKind && others.length === 0 && idStart.test(word) ? word : null
}

/** The last id that can begin so: ids have no letter after z. */
export function lastIdFrom(prefix: string): string {
  return `${prefix}${'z'.repeat(25)}`
}
