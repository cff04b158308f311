import type { Instant } from '../../time.ts'
import type { StreamEvent } from '../events.ts'

/** What the processes on one store relay to each other while somebody watches the stream. */
export interface EventDirectory {
  /** Says that somebody is watching, until a time. */
  watchEvents(until: Instant): Promise<void>
  areEventsWatched(now: Instant): Promise<boolean>
  /** Adds what one process has emitted, and deletes what was emitted before a time. */
  addEvents(origin: string, events: readonly StreamEvent[], before: Instant): Promise<void>
  /** Events of other processes from an id on, in the order of the ids. */
  eventsFrom(id: string, notOf: string, limit: number): Promise<StreamEvent[]>
}
