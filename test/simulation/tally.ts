import { kindOf } from './invariants/invariant.ts'
import type { Violation } from './invariants/invariant.ts'
import type { RunResult } from './run.ts'
import { states } from './states.ts'

/** What many seeds have shown so far. */
export class Tally {
  readonly reached = new Map<string, number>()
  readonly kinds = new Map<string, number[]>()
  readonly events: number[] = []
  readonly deliveries: number[] = []
  timedSeeds = 0
  timedMs = 0

  add(seed: number, { reached, events, deliveries }: RunResult, violations: readonly Violation[]): void {
    for (const [state, times] of reached) this.reached.set(state, (this.reached.get(state) ?? 0) + times)
    for (const kind of new Set(violations.map(kindOf))) this.kinds.set(kind, [...(this.kinds.get(kind) ?? []), seed])
    this.events.push(events)
    this.deliveries.push(deliveries)
  }

  /** What a person watches while it runs. */
  get progress(): string {
    const perMinute = Math.round((this.timedSeeds / this.timedMs) * 60_000)
    return `${this.events.length} seeds, ${perMinute} a minute and core, median ${median(this.events)} events and ${median(this.deliveries)} deliveries, ${this.violations} violations`
  }

  get missingStates(): string[] {
    return states.filter((state) => !this.reached.has(state))
  }

  get violations(): number {
    return [...this.kinds.values()].reduce((sum, seeds) => sum + seeds.length, 0)
  }
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? 0
}
