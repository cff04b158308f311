import type { Instant, Random } from '../../../src/core/time.ts'

/** Whose events these are: a dead owner's never run, a frozen one's run in a burst when it wakes up. */
export interface Owner {
  readonly name: string
  state: 'running' | 'frozen' | 'dead'
  readonly kept: ScheduledEvent[]
}

export interface ScheduledEvent {
  at: Instant
  tie: number
  readonly owner: Owner | null
  readonly what: string
  readonly run: () => void
  isOff: boolean
}

export const worldStartsAt = Date.UTC(2026, 0, 1)

/** One heap of events for the whole world. Those of one instant run in an order that the seed draws; between two of them all promises settle. */
export class Scheduler {
  now: Instant = worldStartsAt
  steps = 0
  readonly #heap: ScheduledEvent[] = []
  readonly #random: Random
  readonly #trace: ((line: string) => void) | null
  readonly #elsewhere: (() => Promise<void>) | null
  #hashHigh = 0x811c9dc5
  #hashLow = 0x1b873593

  /** `elsewhere` resolves when nothing is under way outside of this world: time waits for it. */
  constructor(random: Random, trace: ((line: string) => void) | null, elsewhere: (() => Promise<void>) | null) {
    this.#random = random
    this.#trace = trace
    this.#elsewhere = elsewhere
  }

  /** Since the world began. */
  get sinceMs(): number {
    return this.now - worldStartsAt
  }

  at(afterMs: number, owner: Owner | null, what: string, run: () => void): ScheduledEvent {
    const event = {
      at: this.now + Math.max(0, Math.ceil(afterMs)),
      tie: this.#random(),
      owner,
      what,
      run,
      isOff: false,
    }
    push(this.#heap, event)
    return event
  }

  /** Runs until an instant, or until nothing is left to do or wanted. */
  async run(until: Instant, isDone: () => boolean = () => false): Promise<void> {
    await this.#settle()
    for (let event = this.#heap[0]; event !== undefined && event.at <= until && !isDone(); event = this.#heap[0]) {
      pop(this.#heap)
      if (event.isOff || event.owner?.state === 'dead') continue
      this.now = event.at
      if (event.owner?.state === 'frozen') {
        event.owner.kept.push(event)
        continue
      }
      this.steps += 1
      this.note(event.what, event.owner)
      event.run()
      await settled()
      // Asked here, not in a function of its own: another promise for each event would cost a tenth of the seeds.
      if (this.#elsewhere !== null) await this.#elsewhere()
    }
    if (!isDone()) this.now = Math.max(this.now, until)
  }

  async #settle(): Promise<void> {
    await settled()
    await this.#elsewhere?.()
  }

  /** What an owner could not do while it was frozen comes back at once, in any order. */
  wake(owner: Owner): void {
    owner.state = 'running'
    for (const event of owner.kept.splice(0))
      push(this.#heap, Object.assign(event, { at: this.now, tie: this.#random() }))
  }

  /** Enters what happened into the trace. */
  note(what: string, owner: Owner | null = null): void {
    const line = `${this.sinceMs} ${owner?.name ?? '-'} ${what}`
    for (let index = 0; index < line.length; index += 1) {
      const code = line.charCodeAt(index)
      this.#hashHigh = Math.imul(this.#hashHigh ^ code, 0x01000193)
      this.#hashLow = (Math.imul(this.#hashLow, 31) + code) | 0
    }
    this.#trace?.(line)
  }

  get traceHash(): string {
    return [this.#hashHigh, this.#hashLow].map((part) => (part >>> 0).toString(16).padStart(8, '0')).join('')
  }
}

/** Resolves when every promise that can settle has settled: Node runs a tick only then. A turn of the loop would do, too, and costs ten times as much. */
function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve))
}

function isBefore(one: ScheduledEvent, other: ScheduledEvent): boolean {
  return one.at < other.at || (one.at === other.at && one.tie < other.tie)
}

function push(heap: ScheduledEvent[], event: ScheduledEvent): void {
  let index = heap.push(event) - 1
  while (index > 0) {
    const parentIndex = (index - 1) >> 1
    const parent = heap[parentIndex] as ScheduledEvent
    if (!isBefore(event, parent)) break
    heap[index] = parent
    index = parentIndex
  }
  heap[index] = event
}

function pop(heap: ScheduledEvent[]): void {
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return
  let index = 0
  for (;;) {
    let child = 2 * index + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && isBefore(heap[child + 1] as ScheduledEvent, heap[child] as ScheduledEvent))
      child += 1
    if (!isBefore(heap[child] as ScheduledEvent, last)) break
    heap[index] = heap[child] as ScheduledEvent
    index = child
  }
  heap[index] = last
}
