import { expected } from '../../core/errors.ts'
import { searchKinds, searchWords } from '../../core/ports/search.ts'
import type { Found, SearchKind } from '../../core/ports/search.ts'
import type { ResourceParts } from '../parts.ts'

interface SearchOptions {
  /** All kinds, if not given. */
  readonly kinds?: readonly SearchKind[] | undefined
  /** Only what belongs to it; event types belong to all. */
  readonly applicationId?: string | undefined
  /** Of each kind, 8 if not given. */
  readonly limit?: number | undefined
}

/** Finds applications, endpoints and event types by any part of their name, uid, URL or description; messages and deliveries by the beginning of their id. */
export type Search = (text: string, options?: SearchOptions) => Promise<Found[]>

const usualLimit = 8
const mostOfAKind = 50

export function makeSearch({ ready, directory }: ResourceParts): Search {
  return async (text, { kinds = searchKinds, applicationId, limit = usualLimit } = {}) => {
    if (!Number.isInteger(limit) || limit < 1 || limit > mostOfAKind)
      throw expected('invalid_argument', 'limit', `a whole number from 1 to ${mostOfAKind}`, limit)
    await ready()
    const words = searchWords(text)
    const wanted = searchKinds.filter((kind) => kinds.includes(kind))
    const found = await Promise.all(wanted.map((kind) => directory.search({ kind, words, applicationId, limit })))
    return found.flat()
  }
}
