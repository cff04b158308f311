// Plants one defect after the other into copies of the project, and expects the test that is named with it to fail.
//   npm run mutants                      all of them
//   npm run mutants -- --only NAME       one, or several if given more often
//   npm run mutants -- --list            what there is
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { conclusion, lineOf } from './lines.js'
import { loadMutants } from './load.js'
import { runMutants } from './run.js'
import { makeSlot } from './slot.js'
import { testRunner } from './test-runner.js'

const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '')
const mostSlots = 4

process.exitCode = await main()

async function main() {
  const chosen = await choose()
  if (chosen === null) return 2
  if (chosen.list) {
    for (const { name, says, joins } of chosen.mutants)
      console.log(`${name}  ${says}${joins === null ? '' : ` (${joins})`}`)
    return 0
  }
  const tests = testRunner(root)
  try {
    const slots = Math.max(1, Math.min(chosen.mutants.length, mostSlots, availableParallelism()))
    const results = await runMutants({
      root,
      mutants: chosen.mutants,
      slots,
      makeSlot,
      runTests: tests.run,
      say: (result) => console.log(lineOf(result)),
    })
    console.log(conclusion(results))
    return results.every(({ kind }) => kind === 'caught') ? 0 : 1
  } finally {
    await tests.close()
  }
}

/** The mutants that were asked for; null, after a line that says why, if that makes no sense. */
async function choose() {
  try {
    const { values } = parseArgs({
      options: { only: { type: 'string', multiple: true, default: [] }, list: { type: 'boolean', default: false } },
    })
    const all = await loadMutants(`${root}/test/mutants`)
    const unknown = values.only.find((name) => !all.some((mutant) => mutant.name === name))
    if (unknown !== undefined) throw new Error(`Expected \`--only\` to name a mutant, got "${unknown}". See --list.`)
    const mutants = values.only.length === 0 ? all : all.filter(({ name }) => values.only.includes(name))
    return { mutants, list: values.list }
  } catch (error) {
    console.error(error.message)
    return null
  }
}
