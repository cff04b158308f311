import type { CaughtBy, TestEnd } from './run.js'

/** The parts of vitest's JSON report that are looked at. */
export interface TestReport {
  readonly testResults: readonly {
    readonly status: string
    readonly message: string
    readonly assertionResults: readonly {
      readonly title: string
      readonly status: string
      readonly failureMessages: readonly string[]
    }[]
  }[]
}

export function verdict(report: TestReport, title: string): TestEnd

export function testRunner(root: string): {
  run(folder: string, tests: readonly CaughtBy[], limitMs: number): Promise<readonly TestEnd[]>
  close(): Promise<void>
}

export function runNode(
  folder: string,
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
  limitMs: number,
): Promise<{ readonly code: number | null; readonly output: string; readonly isOver: boolean }>
