import { relative } from 'node:path'
import { BaseSequencer } from 'vitest/node'
import type { TestSpecification } from 'vitest/node'

/** The files that take longest, in that order. */
const longest = [
  'test/simulation/simulation.test.ts',
  'test/acceptance/retry-simulation.test.ts',
  'test/crash/postgres.test.ts',
  'test/ui/pages.test.ts',
  'test/stores/differential.test.ts',
  'test/ui/bad-days.test.ts',
  'test/simulation/databases.test.ts',
  'test/crash/sqlite.test.ts',
  'test/acceptance/build.test.ts',
  'test/ui/portal.test.ts',
  'test/stores/sqlite.test.ts',
  'test/acceptance/lease-lost.test.ts',
  'test/engine/faults.test.ts',
]

/** Starts the longest files first: started last, they would run alone for minutes. By default Vitest orders new files by size. */
export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    // oxlint-disable-next-line unicorn/no-array-sort -- A sequencer is no array.
    const sorted = await super.sort(files)
    const { root } = this.ctx.config
    const rank = ({ moduleId }: TestSpecification): number => {
      const index = longest.indexOf(relative(root, moduleId).replaceAll('\\', '/'))
      return index === -1 ? longest.length : index
    }
    return sorted.toSorted((one, other) => rank(one) - rank(other))
  }
}
