import type { StreamEvent } from '../../core/events.ts'
import type { Directory } from '../../core/directory.ts'
import type { Clock } from '../../core/ports.ts'
import { firstIdAt } from '../../core/ids.ts'
import { minute, second } from '../../core/time.ts'

/** Brings what other processes on the same store do to whoever watches here, and what this one does to those who watch there. */
export interface Exchange {
  /** From now on it looks whether anybody watches elsewhere. */
  start(): void
  /** Passes an event on, if somebody watches elsewhere. */
  offer(event: StreamEvent): void
  /** Somebody watches here, or nobody does any more. */
  watch(isWatched: boolean): void
  /** Ends what is under way, and leaves no timer. */
  stop(): Promise<void>
}

export interface ExchangeParts {
  readonly directory: Directory
  readonly clock: Clock
  /** The name of this process in what it tells. */
  readonly owner: string
  /** Somebody watches elsewhere: from now on events are wanted. */
  readonly wanted: () => void
  readonly heard: (event: StreamEvent) => void
}

const lookMs = 5 * second
const readMs = second / 2
const writeMs = second / 4
const watchedMs = 30 * second
// Others commit in another order than that of their ids: what is that old was read, or never will be.
const overlapMs = 10 * second
const keptMs = minute
const mostWaiting = 10_000
const mostRead = 10_000

/** While nobody watches it costs one question every five seconds, and nothing for an event. */
export function makeExchange({ directory, clock, owner, wanted, heard }: ExchangeParts): Exchange {
  const timers = new Map<'look' | 'read' | 'write', () => void>()
  const busy = new Set<Promise<void>>()
  const known = new Set<string>()
  let waiting: StreamEvent[] = []
  let isWantedElsewhere = false
  let isWatchedHere = false
  let isStopped = false
  let renewAt = 0

  function later(name: 'look' | 'read' | 'write', ms: number, work: () => Promise<void>): void {
    if (isStopped || timers.has(name)) return
    timers.set(name, clock.after(ms, () => {
      timers.delete(name)
      // A store that does not answer loses events of the stream, and nothing else: the next round asks again.
      const doing: Promise<void> = work().catch(() => undefined).finally(() => busy.delete(doing))
      busy.add(doing)
    }))
  }

  async function look(): Promise<void> {
    later('look', lookMs, look)
    isWantedElsewhere = await directory.areEventsWatched(clock.now())
    if (isWantedElsewhere) wanted()
  }

  async function read(): Promise<void> {
    if (!isWatchedHere) return
    later('read', readMs, read)
    const now = clock.now()
    if (now >= renewAt) {
      await directory.watchEvents(now + watchedMs)
      renewAt = now + watchedMs / 3
    }
    const from = firstIdAt('evt', now - overlapMs)
    for (const event of await directory.eventsFrom(from, owner, mostRead)) {
      if (known.has(event.id)) continue
      known.add(event.id)
      heard(event)
    }
    for (const id of known) if (id < from) known.delete(id)
  }

  async function write(): Promise<void> {
    const batch = waiting
    waiting = []
    await directory.addEvents(owner, batch, clock.now() - keptMs)
  }

  return {
    start: () => later('look', 0, look),
    offer(event) {
      if (!isWantedElsewhere || waiting.length >= mostWaiting) return
      waiting.push(event)
      later('write', writeMs, write)
    },
    watch(isWatched) {
      isWatchedHere = isWatched
      if (isWatched) later('read', 0, read)
    },
    async stop() {
      isStopped = true
      for (const disarm of timers.values()) disarm()
      timers.clear()
      await Promise.all(busy)
    },
  }
}
