import { Lru } from '../../core/lru.ts'
import type { Directory } from '../../core/ports/directory.ts'
import type { Labels } from './view.ts'

const mostLabels = 1_000

/** The user's name for an endpoint, or its URL. */
export function labelsFrom(directory: Pick<Directory, 'endpointsById'>): Labels {
  const known = new Lru<string, string>(mostLabels)
  return {
    async learn(endpointIds) {
      const unknown = endpointIds.filter((id) => known.get(id) === undefined)
      if (unknown.length === 0) return
      for (const { id, uid, url } of await directory.endpointsById(unknown))
        known.set(id, uid ?? url.replace(/^https?:\/\//, ''))
    },
    of: (endpointId) => known.get(endpointId) ?? endpointId,
  }
}
