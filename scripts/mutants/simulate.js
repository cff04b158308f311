import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { inSlots } from './run.js'
import { runNode } from './test-runner.js'

const limitMs = 600_000

/** Lets the simulator search for each mutant, and says in which seed it broke a promise that holds there without the defect. */
export async function simulateMutants({ root, mutants, slots, makeSlot, simulate, say = () => {} }) {
  const opened = Array.from({ length: slots }, () => makeSlot(root))
  const results = []
  try {
    await inSlots(opened, mutants, async (slot, mutant) => {
      const startedAt = performance.now()
      const end = await searchFor(slot, mutant, simulate)
      const result = { mutant, ...end, tookMs: performance.now() - startedAt }
      results.push(result)
      say(result)
    })
    return results
  } finally {
    for (const slot of opened) slot.remove()
  }
}

async function searchFor(slot, mutant, simulate) {
  let heal
  try {
    heal = slot.plant(mutant)
  } catch (error) {
    return { kind: 'loose', why: error.message }
  }
  let found
  try {
    found = await simulate(slot.folder, ['--seeds', String(mutant.simulated.seeds), '--first'])
  } finally {
    heal()
  }
  const [line, seed] = /^seed (\d+) breaks: .*$/m.exec(found.output) ?? []
  if (found.code === 0)
    return { kind: 'survived', why: `the simulator did not find it in ${mutant.simulated.seeds} seeds` }
  if (line === undefined) return { kind: 'broken', why: lastLine(found.output) }
  const { code } = await simulate(slot.folder, ['--seed', seed])
  return code === 0
    ? { kind: 'caught', why: line }
    : { kind: 'untried', why: `seed ${seed} breaks a promise without it, too` }
}

/** Compiles the simulator of a copy, with the planted defect, and runs it. */
export async function simulateIn(folder, args) {
  const program = join(folder, '.test/simulation/test/simulation/main.js')
  rmSync(join(folder, '.test/simulation'), { recursive: true, force: true })
  // A defect may leave a name unused: types are not what is tested here.
  const compiled = await runNode(
    folder,
    ['node_modules/typescript/bin/tsc', '-p', 'test/simulation/tsconfig.json', '--noCheck'],
    {},
    limitMs,
  )
  if (!existsSync(program)) return { code: null, output: `it does not compile: ${compiled.output}` }
  const { code, output, isOver } = await runNode(folder, [program, ...args], {}, limitMs)
  return { code, output: isOver ? output : `it did not end within ${limitMs / 1_000} s` }
}

function lastLine(output) {
  return output.trim().split('\n').at(-1)
}
