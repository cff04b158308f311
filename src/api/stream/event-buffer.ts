import type { StreamEvent, StreamFilter, StreamItem } from '../../core/ports/events.ts'
import type { Clock } from '../../core/ports/ports.ts'
import { second } from '../../core/time.ts'

export interface StreamReader {
  /** Null once the stream has ended. */
  next(): Promise<StreamItem | null>
  close(): void
}

const mostKept = 10_000
const quietMs = 15 * second

/** The last ten thousand events, numbered in order. All readers read from it, so a slow one costs nothing and delays nobody. */
export class EventBuffer {
  readonly #clock: Clock
  readonly #kept: (StreamEvent | null)[] = []
  readonly #numbers = new Map<string, number>()
  readonly #waiting = new Set<() => void>()
  #firstNumber = 0

  constructor(clock: Clock) {
    this.#clock = clock
  }

  add(event: StreamEvent): void {
    this.#numbers.set(event.id, this.#firstNumber + this.#kept.push(event) - 1)
    // A tenth at a time: moving ten thousand entries for each new one would be wasted work.
    if (this.#kept.length > mostKept * 1.1) this.#forgetOldest()
    for (const wake of this.#waiting) wake()
  }

  /** The applications that have events in the buffer. */
  applicationIds(): string[] {
    return [...new Set(this.#kept.flatMap((event) => event?.applicationId ?? []))]
  }

  /** Removes the events of applications, without a gap: readers skip what is missing. */
  forget(applicationIds: ReadonlySet<string>): void {
    for (const [place, event] of this.#kept.entries())
      if (event !== null && applicationIds.has(event.applicationId ?? '')) this.#kept[place] = null
  }

  /** Reads from now on, or from after a given event. */
  read(filter: StreamFilter, after: string | null): StreamReader {
    return new BufferReader(this, filter, after === null ? this.end - 1 : this.#numbers.get(after))
  }

  /** The number of the oldest event in the buffer. */
  get start(): number {
    return this.#firstNumber
  }

  /** The number that the next event will have. */
  get end(): number {
    return this.#firstNumber + this.#kept.length
  }

  at(number: number): StreamEvent | undefined {
    return this.#kept[number - this.#firstNumber] ?? undefined
  }

  /** Resolves when an event has come, or to false when none has for a while. */
  nextEvent(): { readonly come: Promise<boolean>; readonly stop: () => void } {
    let stop: () => void = idle
    const come = new Promise<boolean>((resolve) => {
      const wake = (): void => settle(true)
      const disarm = this.#clock.after(quietMs, () => settle(false))
      const settle = (hasCome: boolean): void => {
        this.#waiting.delete(wake)
        disarm()
        resolve(hasCome)
      }
      this.#waiting.add(wake)
      stop = () => settle(false)
    })
    return { come, stop }
  }

  #forgetOldest(): void {
    const forgotten = this.#kept.splice(0, this.#kept.length - mostKept)
    for (const event of forgotten) if (event !== null) this.#numbers.delete(event.id)
    this.#firstNumber += forgotten.length
  }
}

function idle(): void {}

/** One reader's position in the buffer. */
class BufferReader implements StreamReader {
  readonly #buffer: EventBuffer
  readonly #filter: StreamFilter
  #next: number
  #isLost: boolean
  #isOver = false
  #stopWaiting: (() => void) | null = null

  constructor(buffer: EventBuffer, filter: StreamFilter, last: number | undefined) {
    this.#buffer = buffer
    this.#filter = filter
    this.#next = last === undefined ? buffer.start : last + 1
    this.#isLost = last === undefined
  }

  async next(): Promise<StreamItem | null> {
    while (!this.#isOver) {
      const item = this.#take()
      if (item !== null) return item
      const { come, stop } = this.#buffer.nextEvent()
      this.#stopWaiting = stop
      const hasCome = await come
      this.#stopWaiting = null
      if (!hasCome && !this.#isOver) return { kind: 'quiet' }
    }
    return null
  }

  close(): void {
    this.#isOver = true
    this.#stopWaiting?.()
  }

  /** Skips events that the reader does not want. */
  #take(): StreamItem | null {
    if (this.#isLost || this.#next < this.#buffer.start) return this.#skipGap()
    while (this.#next < this.#buffer.end) {
      const event = this.#buffer.at(this.#next)
      this.#next += 1
      if (event !== undefined && matches(this.#filter, event)) return { kind: 'event', event }
    }
    return null
  }

  /** The number of missed events is known only for a reader that wants all of them and was connected before. */
  #skipGap(): StreamItem {
    const missed = this.#isLost || !wantsAll(this.#filter) ? null : this.#buffer.start - this.#next
    this.#isLost = false
    this.#next = Math.max(this.#next, this.#buffer.start)
    return { kind: 'gap', missed }
  }
}

function wantsAll({ types, applicationId, endpointId }: StreamFilter): boolean {
  return types === undefined && applicationId === undefined && endpointId === undefined
}

function matches({ types, applicationId, endpointId }: StreamFilter, event: StreamEvent): boolean {
  return (
    (types === undefined || types.includes(event.type)) &&
    (applicationId === undefined || applicationId === event.applicationId) &&
    (endpointId === undefined || endpointId === event.endpointId)
  )
}
