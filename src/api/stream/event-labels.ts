import type { Directory } from '../../core/ports/directory.ts'
import type { EventLabels, StreamEvent } from '../../core/ports/events.ts'
import type { Clock } from '../../core/ports/ports.ts'
import { maskedUrl } from '../../core/endpoint/masked-url.ts'
import { makeShortCache } from '../short-cache.ts'

/** Finds the names for the ids in events as they are read; names that cannot be read are left out, and query values in URLs are masked. */
export function makeEventLabels(
  directory: Directory,
  clock: Clock,
): (event: Pick<StreamEvent, 'applicationId' | 'endpointId'>) => Promise<EventLabels> {
  const names = makeShortCache(clock, async (id) => (await directory.application(id))?.name ?? null)
  const urls = makeShortCache(clock, async (id) => {
    const [endpoint] = await directory.endpointsById([id])
    return endpoint === undefined ? null : maskedUrl(endpoint.url)
  })
  return async ({ applicationId, endpointId }) => {
    const [applicationName, endpointUrl] = await Promise.all([
      applicationId === null ? null : names.get(applicationId).catch(() => null),
      endpointId === null ? null : urls.get(endpointId).catch(() => null),
    ])
    return { applicationName, endpointUrl }
  }
}
