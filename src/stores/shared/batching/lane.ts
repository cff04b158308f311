import type { Line } from './line.ts'

type AnyLine = Pick<Line<never, never>, 'size' | 'commitNext'>

const enoughCalls = 128
const mostTurns = 8
const mostGatherMs = 2

/** Turns of the event loop, and how long they take. */
export interface Turns {
  next(): Promise<void>
  nowMs(): number
}

export const loopTurns: Turns = {
  next: () => new Promise((resolve) => setImmediate(resolve)),
  nowMs: () => performance.now(),
}

/** Lines that take turns, one statement at a time, one per line and round, so that none of them starves. */
export class Lane {
  readonly #lines: readonly AnyLine[]
  readonly #turns: Turns
  readonly #idle: () => void
  #running = false

  /** Calls `idle` whenever no request is waiting any more. */
  constructor(lines: readonly AnyLine[], turns: Turns, idle: () => void = () => undefined) {
    this.#lines = lines
    this.#turns = turns
    this.#idle = idle
  }

  add<Request, Answer>(line: Line<Request, Answer>, request: Request): Promise<Answer> {
    const answer = line.add(request)
    if (!this.#running) void this.#run()
    return answer
  }

  async #run(): Promise<void> {
    this.#running = true
    while (this.#size() > 0) {
      await this.#gather()
      for (const line of this.#lines) await line.commitNext()
    }
    this.#running = false
    this.#idle()
  }

  /** A commit costs the same for one request as for a hundred: wait another turn while each turn adds requests, unless turns are slow. */
  async #gather(): Promise<void> {
    const endsAt = this.#turns.nowMs() + mostGatherMs
    for (let seen = 0, turns = 0; this.#size() > seen && this.#size() < enoughCalls && turns < mostTurns; turns += 1) {
      seen = this.#size()
      await this.#turns.next()
      if (this.#turns.nowMs() > endsAt) return
    }
  }

  #size(): number {
    return this.#lines.reduce((sum, { size }) => sum + size, 0)
  }
}
