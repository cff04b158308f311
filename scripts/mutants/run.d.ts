/** A planted defect: what it is, where it goes, and the test that must find it. */
export interface Mutant {
  readonly name: string
  /** What is wrong with it, in one sentence. */
  readonly says: string
  /** The two rules that it joins; null if it breaks one by itself. */
  readonly joins: string | null
  readonly file: string
  /** Text that stands in the file exactly once, and what takes its place. */
  readonly find: string
  readonly replace: string
  readonly caughtBy: CaughtBy
  /** The simulator finds it, too: within so many seeds, and in a scenario that was kept for it. */
  readonly simulated?: { readonly seeds: number; readonly scenario: string }
}

export type CaughtBy =
  /**
   * A test by its file and the beginning of its title; of a table, with `row` in the place of its first `%s`. Without `postgres` it runs
   * as in a fast run.
   */
  | { readonly file: string; readonly title: string; readonly row?: string; readonly postgres?: boolean }
  /** A command of node that must fail, and say so. */
  | { readonly command: readonly string[]; readonly says: string; readonly postgres?: boolean }

/** How a test ended: `failed` for an assertion, `broken` for anything else. */
export interface TestEnd {
  readonly kind: 'passed' | 'failed' | 'broken'
  readonly why: string
}

export interface Slot {
  readonly folder: string
  plant(mutant: Mutant): () => void
  remove(): void
}

export interface MutantResult {
  readonly mutant: Mutant
  /** `loose`: its patch does not apply. `untried`: its test does not pass without it. `broken`: its test fails for no assertion. */
  readonly kind: 'caught' | 'survived' | 'broken' | 'loose' | 'untried'
  readonly why: string
  readonly tookMs: number
}

export function runMutants(run: {
  readonly root: string
  readonly mutants: readonly Mutant[]
  readonly slots: number
  readonly makeSlot: (root: string) => Slot
  /** Runs tests of one file, or one command. */
  readonly runTests: (folder: string, tests: readonly CaughtBy[], limitMs: number) => Promise<readonly TestEnd[]>
  readonly say?: (result: MutantResult) => void
}): Promise<MutantResult[]>

export function inSlots<Work>(
  opened: readonly Slot[],
  work: Iterable<Work>,
  handle: (slot: Slot, one: Work) => Promise<void>,
): Promise<void>
