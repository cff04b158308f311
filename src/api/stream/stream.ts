import type { EventLabels, PosthornEvent, StreamEvent, StreamFilter } from '../../core/ports/events.ts'
import { PosthornError } from '../../core/errors.ts'
import { SharedLimit } from '../../core/limits/shared-limit.ts'
import type { ResourceParts } from '../parts.ts'
import { EventBuffer } from './event-buffer.ts'
import type { StreamReader } from './event-buffer.ts'
import { makeEventLabels } from './event-labels.ts'
import { withOwner } from './event-owner.ts'
import { EventRelay } from './event-relay.ts'

/** The events of all processes on the store, for live readers. */
export interface Stream {
  /**
   * From now on, or from after a given event. A `reader` (such as the id of a key) has at most as many streams as are
   * still free; without it only all of them together are limited.
   */
  open(filter: StreamFilter, after?: string | null, reader?: string | null): Promise<StreamReader>
  /** The names for the ids in an event. */
  labelsOf(event: Pick<StreamEvent, 'applicationId' | 'endpointId'>): Promise<EventLabels>
  /** How many are reading now. */
  readonly readers: number
  /** Relays the events of this process to readers elsewhere. */
  start(): void
  /** Ends all readers. */
  close(): void
  /** Ends everything for good. */
  stop(): Promise<void>
}

interface StreamParts extends ResourceParts {
  /** Calls back with every event of this process, until the returned function is called. */
  readonly subscribe: (listener: (event: PosthornEvent) => void) => () => void
  /** The name of this process. */
  readonly owner: string
  /** Whether other processes can use the store. */
  readonly isShared: boolean
}

const mostReaders = 1_000

export function makeStream(parts: StreamParts, limit = new SharedLimit(mostReaders)): Stream {
  const buffer = new EventBuffer(parts.clock)
  const readers = new Set<StreamReader>()
  const relay = parts.isShared
    ? new EventRelay({ ...parts, onWanted: subscribe, onEvent: (event) => buffer.add(event) })
    : null
  let unsubscribe: (() => void) | null = null

  /** A stream that nobody has ever read costs nothing. */
  function subscribe(): void {
    unsubscribe ??= parts.subscribe(
      withOwner(parts, (event) => {
        buffer.add(event)
        relay?.publish(event)
      }),
    )
  }

  function close(): void {
    unsubscribe?.()
    unsubscribe = null
    for (const reader of readers) reader.close()
  }

  return {
    close,
    labelsOf: makeEventLabels(parts.directory, parts.clock),
    get readers() {
      return readers.size
    },
    start: () => relay?.start(),
    async stop() {
      close()
      await relay?.stop()
    },
    async open(filter, after = null, holder = null) {
      await forgetDeleted(parts, buffer, after)
      if (!limit.take(holder)) throw crowded(limit.heldBy(holder))
      subscribe()
      const reader = buffer.read(filter, after)
      const known: StreamReader = {
        next: () => reader.next(),
        close() {
          if (readers.delete(known)) limit.release(holder)
          relay?.setWatched(readers.size > 0)
          reader.close()
        },
      }
      readers.add(known)
      relay?.setWatched(true)
      return known
    },
  }
}

function crowded(held: number): PosthornError {
  return held === 0
    ? new PosthornError(
        'overloaded',
        `Expected at most ${mostReaders} readers of the stream at once. Close some, or try again later.`,
      )
    : new PosthornError(
        'share_exceeded',
        `This caller has ${held} readers of the stream, and may have no more than are still free for others. Close some first.`,
      )
}

/** What was deleted in the meantime, here or elsewhere, is not read again by readers who return. */
async function forgetDeleted(
  { ready, directory }: ResourceParts,
  buffer: EventBuffer,
  after: string | null,
): Promise<void> {
  await ready()
  if (after === null) return
  const kept = buffer.applicationIds()
  const living = new Set(await directory.applicationsAmong(kept))
  buffer.forget(new Set(kept.filter((id) => !living.has(id))))
}
