import { Lru } from '../../core/lru.ts'
import type { Directory } from '../../core/ports/directory.ts'
import type { PosthornEvent, StreamEvent } from '../../core/ports/events.ts'
import { makeId } from '../../core/ids.ts'
import type { ResourceParts } from '../parts.ts'

const mostWaiting = 10_000
const mostOwners = 10_000

/** Finds the owner of each event, one after the other to keep their order; then passes it on. */
export function withOwner(
  { directory, clock, random }: ResourceParts,
  pass: (event: StreamEvent) => void,
): (event: PosthornEvent) => void {
  const ownerOf = makeOwners(directory)
  let waiting = 0
  let last: Promise<void> = Promise.resolve()

  async function attribute(event: PosthornEvent): Promise<void> {
    const endpointId = 'webhook_id' in event ? event.webhook_id : null
    const own = 'application_id' in event ? event.application_id : null
    const applicationId = own ?? (endpointId === null ? null : await ownerOf(endpointId).catch(() => null))
    pass({ id: makeId('evt', clock.now(), random), type: event.type, at: event.at, applicationId, endpointId, event })
  }

  return (event) => {
    // A database that does not answer must not fill the memory with events whose owner is unknown.
    if (waiting >= mostWaiting) return
    waiting += 1
    last = last.then(() => attribute(event)).finally(() => (waiting -= 1))
  }
}

function makeOwners(directory: Directory): (endpointId: string) => Promise<string | null> {
  const owners = new Lru<string, string | null>(mostOwners)
  return async (endpointId) => {
    const known = owners.get(endpointId)
    if (known !== undefined) return known
    const [endpoint] = await directory.endpointsById([endpointId])
    const owner = endpoint?.applicationId ?? null
    owners.set(endpointId, owner)
    return owner
  }
}
