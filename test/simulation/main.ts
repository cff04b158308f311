import { mkdirSync, writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { actionNames } from './actions/all.ts'
import { kindOf } from './invariants/invariant.ts'
import type { Violation } from './invariants/invariant.ts'
import { scenarioOf } from './plan.ts'
import { runScenario } from './run.ts'
import type { RunResult } from './run.ts'
import { BadScenario, readScenario } from './scenario.ts'
import type { Scenario } from './scenario.ts'
import { shrink } from './shrink.ts'
import { states } from './states.ts'

// The deterministic simulator:
//   npm run simulate -- --seeds N [--from S] [--only TEXT]   many worlds; what breaks a promise is shrunk to a scenario
//   npm run simulate -- --seed S [--trace]                   one of them again
//   npm run simulate -- --scenario FILE [--trace]            one that was kept

const foundIn = '.test/scenarios'
/** In fewer seeds than this, a state that was not reached says little. */
const seedsForAllStates = 2_000
const mostShrinkRuns = 400
const longMs = 2 * 3_600_000

process.exitCode = await main()

async function main(): Promise<number> {
  try {
    const given = options()
    if (given.scenario !== undefined) return await replay(readScenario(given.scenario, actionNames), given.trace)
    if (given.seed !== undefined) return await replay(scenarioOf(given.seed), given.trace)
    return await search(given.from, given.seeds, given.only)
  } catch (error) {
    if (!(error instanceof BadScenario)) throw error
    console.error(error.message)
    return 2
  }
}

function options() {
  const { values } = parse()
  return {
    seeds: count('seeds', values.seeds, 1) ?? 100,
    from: count('from', values.from, 0) ?? 1,
    seed: count('seed', values.seed, 0),
    scenario: values.scenario,
    trace: values.trace ?? false,
    only: values.only ?? '',
  }
}

function parse() {
  const text = { type: 'string' } as const
  try {
    return parseArgs({ options: { seeds: text, from: text, seed: text, scenario: text, only: text, trace: { type: 'boolean' } } })
  } catch (error) {
    throw new BadScenario(`${error instanceof Error ? error.message : String(error)} Known are --seeds, --from, --only, --seed, --scenario and --trace.`)
  }
}

function count(name: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text)
  throw new BadScenario(`Expected --${name} to be a whole number from ${least} to 999999999, got "${text}".`)
}

/** Runs one scenario and says what it broke. */
async function replay(scenario: Scenario, isTraced: boolean): Promise<number> {
  const result = await runScenario(scenario, isTraced ? (line) => console.log(line) : null)
  for (const violation of result.violations.slice(0, 20)) console.log(`broken: ${kindOf(violation)}\n  ${violation.detail}`)
  console.log(`trace ${result.traceHash}, ${result.events} events, ${result.deliveries} deliveries, ${Math.round(result.virtualMs / 1_000)} virtual seconds, ${result.violations.length} violations`)
  return result.violations.length === 0 ? 0 : 1
}

/** What many seeds have shown so far. */
class Tally {
  readonly reached = new Map<string, number>()
  readonly kinds = new Map<string, number[]>()
  readonly events: number[] = []
  readonly deliveries: number[] = []
  timedSeeds = 0
  timedMs = 0

  add(seed: number, { reached, events, deliveries }: RunResult, violations: readonly Violation[]): void {
    for (const [state, times] of reached) this.reached.set(state, (this.reached.get(state) ?? 0) + times)
    for (const kind of new Set(violations.map(kindOf))) this.kinds.set(kind, [...(this.kinds.get(kind) ?? []), seed])
    this.events.push(events)
    this.deliveries.push(deliveries)
  }

  get violations(): number {
    return [...this.kinds.values()].reduce((sum, seeds) => sum + seeds.length, 0)
  }
}

async function search(from: number, seeds: number, only: string): Promise<number> {
  const tally = new Tally()
  for (let seed = from; seed < from + seeds; seed += 1) {
    const scenario = scenarioOf(seed)
    const startedMs = cpuMs()
    const result = await runScenario(scenario)
    if (scenario.lengthMs < longMs) {
      tally.timedSeeds += 1
      tally.timedMs += cpuMs() - startedMs
    }
    const violations = result.violations.filter((violation) => kindOf(violation).includes(only))
    const isNew = violations.filter((violation) => !tally.kinds.has(kindOf(violation)))
    tally.add(seed, result, violations)
    for (const violation of uniqueKinds(isNew)) await keep(scenario, violation)
    if ((seed - from + 1) % 500 === 0) console.log(progress(tally, seed - from + 1))
  }
  return report(tally, seeds)
}

function uniqueKinds(violations: readonly Violation[]): Violation[] {
  return [...new Map(violations.map((violation) => [kindOf(violation), violation])).values()]
}

/** Shrinks what broke a promise for the first time, and says how to see it again. */
async function keep(scenario: Scenario, violation: Violation): Promise<void> {
  const kind = kindOf(violation)
  console.log(`seed ${scenario.seed} breaks: ${kind}\n  ${violation.detail}`)
  const shrunk = await shrink(scenario, kind, { mostRuns: mostShrinkRuns })
  const path = `${foundIn}/seed-${scenario.seed}-${kind.replaceAll(/[^a-z0-9]+/gi, '-').slice(0, 50)}.json`
  mkdirSync(foundIn, { recursive: true })
  writeFileSync(path, `${JSON.stringify(shrunk, null, 2)}\n`)
  console.log(`  ${shrunk.actions.length} of ${scenario.actions.length} actions are needed; see it with: npm run simulate -- --scenario ${path}`)
}

function progress({ timedSeeds, timedMs, violations, events, deliveries }: Tally, done: number): string {
  return `${done} seeds, ${Math.round((timedSeeds / timedMs) * 60_000)} a minute and core, median ${median(events)} events and ${median(deliveries)} deliveries, ${violations} violations`
}

function report(tally: Tally, seeds: number): number {
  console.log('\nstates reached')
  for (const state of states) console.log(`${String(tally.reached.get(state) ?? 0).padStart(9)}  ${state}`)
  const missing = states.filter((state) => !tally.reached.has(state))
  if (tally.kinds.size > 0) console.log('\npromises broken (seeds, first)')
  for (const [kind, broken] of tally.kinds) console.log(`${String(broken.length).padStart(9)}  ${kind}, first by ${broken[0]}`)
  console.log(`\n${progress(tally, seeds)}`)
  console.log(`${seeds} seeds, ${tally.violations} violations, ${states.length - missing.length} of ${states.length} states reached`)
  return tally.violations > 0 || (missing.length > 0 && seeds >= seedsForAllStates) ? 1 : 0
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((one, other) => one - other)[numbers.length >> 1] ?? 0
}

function cpuMs(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1_000
}
