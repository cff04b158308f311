// Plants defects one at a time into copies of the project, and expects the test that each names to fail.
//   npm run mutants                      all of them
//   npm run mutants -- --only NAME       one, or several if given more often
//   npm run mutants -- --simulate        lets the simulator search for those that it must find, and says in which seed it did
//   npm run mutants -- --list            what there is
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { conclusion, lineOf, seedLineOf } from './lines.js'
import { loadMutants } from './load.js'
import { runMutants } from './run.js'
import { simulateIn, simulateMutants } from './simulate.js'
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
  const slots = Math.max(1, Math.min(chosen.mutants.length, mostSlots, availableParallelism()))
  return chosen.simulate ? search(chosen.mutants, slots) : tryAll(chosen.mutants, slots)
}

async function search(mutants, slots) {
  const results = await simulateMutants({
    root,
    mutants,
    slots,
    makeSlot,
    simulate: simulateIn,
    say: (result) => console.log(seedLineOf(result)),
  })
  return conclude(results)
}

async function tryAll(mutants, slots) {
  const tests = testRunner(root)
  try {
    const results = await runMutants({
      root,
      mutants,
      slots,
      makeSlot,
      runTests: tests.run,
      say: (result) => console.log(lineOf(result)),
    })
    return conclude(results)
  } finally {
    await tests.close()
  }
}

function conclude(results) {
  console.log(conclusion(results))
  return results.every(({ kind }) => kind === 'caught') ? 0 : 1
}

/** The requested mutants; null, after a line that says why, if the request makes no sense. */
async function choose() {
  try {
    const { values } = parseArgs({
      options: {
        only: { type: 'string', multiple: true, default: [] },
        simulate: { type: 'boolean', default: false },
        list: { type: 'boolean', default: false },
      },
    })
    const all = await loadMutants(`${root}/test/mutants`)
    const unknown = values.only.find((name) => !all.some((mutant) => mutant.name === name))
    if (unknown !== undefined) throw new Error(`Expected \`--only\` to name a mutant, got "${unknown}". See --list.`)
    const mutants = all.filter(
      ({ name, simulated }) =>
        (values.only.length === 0 || values.only.includes(name)) && (!values.simulate || simulated !== undefined),
    )
    if (mutants.length === 0)
      throw new Error(
        'Expected `--only` to name a mutant that the simulator must find, got none. Leave out `--simulate`.',
      )
    return { mutants, list: values.list, simulate: values.simulate }
  } catch (error) {
    console.error(error.message)
    return null
  }
}
