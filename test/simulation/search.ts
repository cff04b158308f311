import { mkdirSync, writeFileSync } from 'node:fs'
import { kindOf } from './invariants/invariant.ts'
import type { Violation } from './invariants/invariant.ts'
import { judgePair } from './pairs.ts'
import { scenarioOf } from './plan.ts'
import { runScenario } from './run.ts'
import type { Scenario } from './scenario.ts'
import { shrink } from './shrink.ts'
import { states } from './states.ts'
import { Tally } from './tally.ts'

const foundIn = '.test/scenarios'
/** In fewer seeds than this, a state that was not reached says little. */
const seedsForAllStates = 2_000
/** Two worlds more for every tenth. */
const pairEvery = 10
const mostShrinkRuns = 400
/** Long worlds are not timed. */
const longMs = 2 * 3_600_000

/** Runs many seeds, keeps what breaks a promise, and reports; answers with the exit code. */
export async function search(from: number, seeds: number, only: string, line: (text: string) => void): Promise<number> {
  const tally = new Tally()
  for (let seed = from; seed < from + seeds; seed += 1) {
    const scenario = scenarioOf(seed)
    const startedMs = cpuMs()
    const result = await runScenario(scenario)
    if (scenario.lengthMs < longMs) {
      tally.timedSeeds += 1
      tally.timedMs += cpuMs() - startedMs
    }
    const ofPair = seed % pairEvery === 0 ? await judgePair(scenario) : []
    const [own, paired] = [result.violations, ofPair].map((found) =>
      found.filter((violation) => kindOf(violation).includes(only)),
    )
    const isNew = (violation: Violation): boolean => !tally.kinds.has(kindOf(violation))
    const [newOwn, newPaired] = [uniqueKinds(own?.filter(isNew)), uniqueKinds(paired?.filter(isNew))]
    tally.add(seed, result, [...(own ?? []), ...(paired ?? [])])
    for (const violation of newOwn) await keep(scenario, violation, judge, line)
    for (const violation of newPaired) await keep(scenario, violation, judgePair, line)
    if ((seed - from + 1) % 500 === 0) line(tally.progress)
  }
  return report(tally, seeds, only, line)
}

/** Runs seeds until one breaks a promise, and says which; nothing is shrunk. */
export async function findFirst(from: number, seeds: number, line: (text: string) => void): Promise<number> {
  for (let seed = from; seed < from + seeds; seed += 1) {
    const scenario = scenarioOf(seed)
    const [violation] = [...(await judge(scenario)), ...(seed % pairEvery === 0 ? await judgePair(scenario) : [])]
    if (violation === undefined) continue
    line(`seed ${seed} breaks: ${kindOf(violation)}`)
    return 1
  }
  line(`${seeds} seeds, 0 violations`)
  return 0
}

async function judge(scenario: Scenario): Promise<readonly Violation[]> {
  return (await runScenario(scenario)).violations
}

function uniqueKinds(violations: readonly Violation[] = []): Violation[] {
  return [...new Map(violations.map((violation) => [kindOf(violation), violation])).values()]
}

/** Shrinks what broke a promise for the first time, and says how to see it again. */
async function keep(
  scenario: Scenario,
  violation: Violation,
  judgeOf: typeof judge,
  line: (text: string) => void,
): Promise<void> {
  const kind = kindOf(violation)
  line(`seed ${scenario.seed} breaks: ${kind}\n  ${violation.detail}`)
  const shrunk = await shrink(scenario, kind, { judge: judgeOf, mostRuns: mostShrinkRuns })
  const path = `${foundIn}/seed-${scenario.seed}-${kind.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 50)}.json`
  mkdirSync(foundIn, { recursive: true })
  writeFileSync(path, `${JSON.stringify(shrunk, null, 2)}\n`)
  line(
    `  ${shrunk.actions.length} of ${scenario.actions.length} actions are needed; see it with: npm run simulate -- --scenario ${path}`,
  )
}

function report(tally: Tally, seeds: number, only: string, line: (text: string) => void): number {
  line('\nstates reached')
  for (const state of states) line(`${String(tally.reached.get(state) ?? 0).padStart(9)}  ${state}`)
  const missing = tally.missingStates
  if (tally.kinds.size > 0) line('\npromises broken (seeds, first)')
  for (const [kind, broken] of tally.kinds) line(`${String(broken.length).padStart(9)}  ${kind}, first by ${broken[0]}`)
  line(`\n${tally.progress}`)
  // Whoever looks for one promise has not checked the others.
  const scope = only === '' ? '' : ` of "${only}"`
  line(
    `${seeds} seeds, ${tally.violations} violations${scope}, ${states.length - missing.length} of ${states.length} states reached`,
  )
  return tally.violations > 0 || (missing.length > 0 && seeds >= seedsForAllStates) ? 1 : 0
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
