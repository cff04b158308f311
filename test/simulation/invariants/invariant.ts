import type { World } from '../world/world.ts'

/** Something that happened and must not. */
export interface Finding {
  /** What tells it from another way to break the same invariant; a shrunk scenario keeps it. */
  readonly kind?: string
  readonly detail: string
}

export interface Violation extends Finding {
  readonly invariant: string
}

/** A promise, as a pure function of what was seen. To add one: write a function, and put it into the list of its file. */
export interface Invariant {
  /** The promise itself, as a sentence. */
  readonly name: string
  readonly check: (world: World) => Iterable<Finding>
}

/** Two violations of one kind have one cause, as a rule. */
export function kindOf({ invariant, kind }: Violation): string {
  return kind === undefined ? invariant : `${invariant} (${kind})`
}

/** A time of the world, in seconds since it began. */
export function secondsAt(world: World, at: number): string {
  return `${((at - world.scheduler.now + world.scheduler.sinceMs) / 1_000).toFixed(3)} s`
}
