import type { TestCase, TestProject } from 'vitest/node'

declare module 'vitest' {
  interface TaskMeta {
    /** Set on the test of a defence. */
    defence?: true
  }
}

/** Says, once the run is over, how many defences were tried. Counted here because the files of a run share no process. */
export function setup(project: TestProject): (() => void) | undefined {
  // Every project of the configuration comes here, and the root comes once.
  if (!project.isRootProject()) return undefined
  return () => {
    const line = defencesLine(defencesIn(project))
    if (line !== null) console.log(line)
  }
}

/** The closing line; null if no defence was part of the run. */
export function defencesLine(passed: readonly boolean[]): string | null {
  if (passed.length === 0) return null
  const failed = passed.filter((isPassed) => !isPassed).length
  return `defences ${passed.length}, ${failed === 0 ? 'each seen to fail when off' : `${failed} not seen to hold when on and to fail when off`}`
}

function defencesIn({ vitest }: TestProject): boolean[] {
  const tests: TestCase[] = vitest.state.getTestModules().flatMap((module) => [...module.children.allTests()])
  return tests.filter((each) => each.meta().defence === true).map((each) => each.ok())
}
