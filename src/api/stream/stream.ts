import type { PosthornEvent, StreamEvent, StreamFilter, StreamItem } from '../../core/events.ts'
import { PosthornError } from '../../core/errors.ts'
import { makeId } from '../../core/ids.ts'
import type { Clock } from '../../core/ports.ts'
import { second } from '../../core/time.ts'
import { makeExchange } from './event-relay.ts'
import type { ResourceParts } from '../parts.ts'

export interface StreamReader {
  /** Null once the stream has ended. */
  next(): Promise<StreamItem | null>
  close(): void
}

/** What the bus tells, for whoever watches. Every reader reads from the same ring, so a slow one costs nothing and holds up nobody. */
export interface Stream {
  /** From now on, or from after an event that was read before. */
  open(filter: StreamFilter, after?: string | null): Promise<StreamReader>
  /** Passes on what this process does, wherever somebody watches. */
  start(): void
  /** Ends all readers. */
  close(): void
  /** Ends everything, for good. */
  stop(): Promise<void>
}

export interface StreamParts extends ResourceParts {
  readonly listen: (heard: (event: PosthornEvent) => void) => () => void
  /** The name of this process. */
  readonly owner: string
  /** Whether other processes may do something on this store. */
  readonly isShared: boolean
}

const mostKept = 10_000
const mostReaders = 1_000
const mostUnplaced = 10_000
const quietMs = 15 * second

export function makeStream(parts: StreamParts): Stream {
  const { ready } = parts
  const ring = makeRing(parts.clock)
  const readers = new Set<StreamReader>()
  const exchange = parts.isShared ? makeExchange({ ...parts, wanted: listen, heard: ring.add }) : null
  let stopListening: (() => void) | null = null

  /** Nobody pays for a stream that nobody has ever read. */
  function listen(): void {
    stopListening ??= parts.listen(makePlacer(parts, (event) => {
      ring.add(event)
      exchange?.offer(event)
    }))
  }

  function end(): void {
    stopListening?.()
    stopListening = null
    for (const reader of readers) reader.close()
  }

  return {
    close: end,
    start: () => exchange?.start(),
    async stop() {
      end()
      await exchange?.stop()
    },
    async open(filter, after = null) {
      await ready()
      if (readers.size >= mostReaders) throw new PosthornError('overloaded', `Expected at most ${mostReaders} readers of the stream at once. Close some, or try again later.`)
      listen()
      const reader = ring.read(filter, after)
      const known: StreamReader = {
        next: reader.next,
        close() {
          readers.delete(known)
          exchange?.watch(readers.size > 0)
          reader.close()
        },
      }
      readers.add(known)
      exchange?.watch(true)
      return known
    },
  }
}

function idle(): void {}

interface Ring {
  add(event: StreamEvent): void
  read(filter: StreamFilter, after: string | null): StreamReader
}

/** The last ten thousand events, numbered as they come. */
function makeRing(clock: Clock): Ring {
  const kept: StreamEvent[] = []
  const places = new Map<string, number>()
  const waiting = new Set<() => void>()
  /** The number of the first that is kept. */
  let first = 0

  function add(event: StreamEvent): void {
    places.set(event.id, first + kept.push(event) - 1)
    // A tenth at a time: to move ten thousand for each would be work for nothing.
    if (kept.length > mostKept * 1.1) {
      const forgotten = kept.splice(0, kept.length - mostKept)
      for (const { id } of forgotten) places.delete(id)
      first += forgotten.length
    }
    for (const wake of waiting) wake()
  }

  /** Resolves when something has come, or false when nothing has for a while. */
  function news(): { readonly come: Promise<boolean>; readonly stop: () => void } {
    let stop: () => void = idle
    const come = new Promise<boolean>((resolve) => {
      const wake = (): void => settle(true)
      const disarm = clock.after(quietMs, () => settle(false))
      function settle(came: boolean): void {
        waiting.delete(wake)
        disarm()
        resolve(came)
      }
      waiting.add(wake)
      stop = () => settle(false)
    })
    return { come, stop: () => stop() }
  }

  function read(filter: StreamFilter, after: string | null): StreamReader {
    const known = after === null ? first + kept.length - 1 : places.get(after)
    const isWhole = filter.types === undefined && filter.applicationId === undefined && filter.endpointId === undefined
    let next = known === undefined ? first : known + 1
    let isLost = known === undefined
    let isOver = false
    let stopWaiting: (() => void) | null = null

    /** Skips what the reader does not want. */
    function take(): StreamItem | null {
      if (isLost || next < first) {
        const missed = isLost || !isWhole ? null : first - next
        isLost = false
        next = Math.max(next, first)
        return { kind: 'gap', missed }
      }
      for (; next < first + kept.length; ) {
        const event = kept[next - first]
        next += 1
        if (event !== undefined && wants(filter, event)) return { kind: 'event', event }
      }
      return null
    }

    return {
      async next() {
        while (!isOver) {
          const item = take()
          if (item !== null) return item
          const { come, stop } = news()
          stopWaiting = stop
          const hasCome = await come
          stopWaiting = null
          if (!hasCome && !isOver) return { kind: 'quiet' }
        }
        return null
      },
      close() {
        isOver = true
        stopWaiting?.()
      },
    }
  }

  return { add, read }
}

function wants({ types, applicationId, endpointId }: StreamFilter, event: StreamEvent): boolean {
  return (
    (types === undefined || types.includes(event.type)) &&
    (applicationId === undefined || applicationId === event.applicationId) &&
    (endpointId === undefined || endpointId === event.endpointId)
  )
}

/** Finds out whose event each is, one after the other, so that they keep their order; then passes it on. */
function makePlacer({ directory, clock, random }: StreamParts, add: (event: StreamEvent) => void): (event: PosthornEvent) => void {
  const owners = new Map<string, string | null>()
  let unplaced = 0
  let placing: Promise<void> = Promise.resolve()

  async function ownerOf(endpointId: string): Promise<string | null> {
    const known = owners.get(endpointId)
    if (known !== undefined) return known
    const [endpoint] = await directory.endpointsById([endpointId])
    const owner = endpoint?.applicationId ?? null
    if (owners.size >= mostUnplaced) owners.clear()
    owners.set(endpointId, owner)
    return owner
  }

  async function place(event: PosthornEvent): Promise<void> {
    const endpointId = 'webhook_id' in event ? event.webhook_id : null
    const own = 'application_id' in event ? event.application_id : null
    const applicationId = own ?? (endpointId === null ? null : await ownerOf(endpointId).catch(() => null))
    add({ id: makeId('evt', clock.now(), random), type: event.type, at: event.at, applicationId, endpointId, event })
  }

  return (event) => {
    // A database that does not answer must not fill the memory with what nobody can be told.
    if (unplaced >= mostUnplaced) return
    unplaced += 1
    placing = placing.then(() => place(event)).finally(() => (unplaced -= 1))
  }
}
