import type { StreamEvent } from '../../core/ports/events.ts'
import type { Directory } from '../../core/ports/directory.ts'
import type { Clock } from '../../core/ports/ports.ts'
import { firstIdAt } from '../../core/ids.ts'
import { minute, second } from '../../core/time.ts'

interface EventRelayParts {
  readonly directory: Directory
  readonly clock: Clock
  /** The name of this process beside the events that it stores. */
  readonly owner: string
  /** Somebody is watching elsewhere: from now on events are needed. */
  readonly onWanted: () => void
  /** Another process has emitted an event. */
  readonly onEvent: (event: StreamEvent) => void
}

const lookMs = 5 * second
const readMs = second / 2
const writeMs = second / 4
const watchedMs = 30 * second
// Other processes do not commit in the order of their ids: anything this old was read, or never will be.
const overlapMs = 10 * second
const keptMs = minute
const mostWaiting = 10_000
const mostRead = 10_000

type Step = 'look' | 'read' | 'write'

/**
 * Brings the events of other processes on the same store to readers here, and those of this process to readers there.
 * While nobody is watching it costs one query every five seconds, and nothing per event.
 */
export class EventRelay {
  readonly #parts: EventRelayParts
  readonly #timers = new Map<Step, () => void>()
  readonly #running = new Set<Promise<void>>()
  readonly #known = new Set<string>()
  #waiting: StreamEvent[] = []
  #isWantedElsewhere = false
  #isWatchedHere = false
  #isStopped = false
  #renewAt = 0

  constructor(parts: EventRelayParts) {
    this.#parts = parts
  }

  /** Starts checking whether anybody is watching elsewhere. */
  start(): void {
    this.#later('look', 0)
  }

  /** Relays an event, if somebody is watching elsewhere. */
  publish(event: StreamEvent): void {
    if (!this.#isWantedElsewhere || this.#waiting.length >= mostWaiting) return
    this.#waiting.push(event)
    this.#later('write', writeMs)
  }

  /** Somebody is watching here, or nobody is any more. */
  setWatched(isWatched: boolean): void {
    this.#isWatchedHere = isWatched
    if (isWatched) this.#later('read', 0)
  }

  /** Ends what is under way, and leaves no timer. */
  async stop(): Promise<void> {
    this.#isStopped = true
    for (const disarm of this.#timers.values()) disarm()
    this.#timers.clear()
    await Promise.all(this.#running)
  }

  #later(step: Step, ms: number): void {
    if (this.#isStopped || this.#timers.has(step)) return
    this.#timers.set(
      step,
      this.#parts.clock.after(ms, () => {
        this.#timers.delete(step)
        // If the store does not answer, only events of the stream are lost: the next round asks again.
        const running: Promise<void> = this.#run(step)
          .catch(() => undefined)
          .finally(() => this.#running.delete(running))
        this.#running.add(running)
      }),
    )
  }

  #run(step: Step): Promise<void> {
    switch (step) {
      case 'look':
        return this.#look()
      case 'read':
        return this.#read()
      case 'write':
        return this.#write()
    }
  }

  async #look(): Promise<void> {
    this.#later('look', lookMs)
    this.#isWantedElsewhere = await this.#parts.directory.areEventsWatched(this.#parts.clock.now())
    if (this.#isWantedElsewhere) this.#parts.onWanted()
  }

  async #read(): Promise<void> {
    if (!this.#isWatchedHere) return
    this.#later('read', readMs)
    const { directory, owner, onEvent } = this.#parts
    const now = this.#parts.clock.now()
    if (now >= this.#renewAt) await this.#renewWatch(now)
    const from = firstIdAt('evt', now - overlapMs)
    for (const event of await directory.eventsFrom(from, owner, mostRead)) {
      if (this.#known.has(event.id)) continue
      this.#known.add(event.id)
      onEvent(event)
    }
    for (const id of this.#known) if (id < from) this.#known.delete(id)
  }

  async #renewWatch(now: number): Promise<void> {
    await this.#parts.directory.watchEvents(now + watchedMs)
    this.#renewAt = now + watchedMs / 3
  }

  async #write(): Promise<void> {
    const batch = this.#waiting
    this.#waiting = []
    await this.#parts.directory.addEvents(this.#parts.owner, batch, this.#parts.clock.now() - keptMs)
  }
}
