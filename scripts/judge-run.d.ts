/** The parts of vitest's JSON report that are looked at. */
export interface RunReport {
  readonly testResults: readonly {
    /** The absolute path of the file. */
    readonly name: string
    readonly status: string
    readonly assertionResults: readonly {
      readonly title: string
      readonly ancestorTitles: readonly string[]
      readonly status: string
    }[]
  }[]
}

export interface Run {
  readonly report: RunReport
  readonly root: string
  readonly spec: string
  /** The test files that no run may leave out, by their paths from the root. */
  readonly files: readonly { readonly path: string; readonly text: string }[]
  readonly isFast?: boolean
  /** The files that were asked for, if not all: parts of their paths. */
  readonly filters?: readonly string[]
}

export interface Judgement {
  readonly passed: number
  readonly failed: number
  readonly problems: readonly string[]
}

export interface Requirement {
  readonly id: string
  readonly groups: readonly string[]
  readonly isSlow: boolean
}

export function judgeRun(run: Run): Judgement
export function requirementsOf(spec: string): Requirement[]
