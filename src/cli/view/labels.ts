import type { Directory } from '../../core/ports/directory.ts'
import type { Labels } from './view.ts'

const mostLabels = 1_000

/** The name that the user gave an endpoint, or else where it leads to. */
export function labelsFrom(directory: Pick<Directory, 'endpointsById'>): Labels {
  const known = new Map<string, string>()
  return {
    async learn(endpointIds) {
      if (known.size > mostLabels) known.clear()
      const unknown = endpointIds.filter((id) => !known.has(id))
      if (unknown.length === 0) return
      for (const { id, uid, url } of await directory.endpointsById(unknown))
        known.set(id, uid ?? url.replace(/^https?:\/\//, ''))
    },
    of: (endpointId) => known.get(endpointId) ?? endpointId,
  }
}
