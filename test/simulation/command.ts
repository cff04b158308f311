import { parseArgs } from 'node:util'
import { actionNames } from './actions/all.ts'
import { kindOf } from './invariants/invariant.ts'
import { judgePair } from './pairs.ts'
import { scenarioOf } from './plan.ts'
import { runScenario } from './run.ts'
import { BadScenario, readScenario } from './scenario.ts'
import type { Scenario } from './scenario.ts'
import { findFirst, search } from './search.ts'

export interface Output {
  readonly line: (text: string) => void
  readonly error: (text: string) => void
}

/** Does what the command line asks for; answers with the exit code. */
export async function simulate(args: readonly string[], output: Output): Promise<number> {
  try {
    const given = options(args)
    if (given.scenario !== undefined)
      return await replay(readScenario(given.scenario, actionNames), given.trace, output)
    if (given.seed !== undefined) return await replay(scenarioOf(given.seed), given.trace, output)
    return given.first
      ? await findFirst(given.from, given.seeds, output.line)
      : await search(given.from, given.seeds, given.only, output.line)
  } catch (error) {
    if (!(error instanceof BadScenario)) throw error
    output.error(error.message)
    return 2
  }
}

function options(args: readonly string[]) {
  const { values } = parse(args)
  return {
    seeds: count('seeds', values.seeds, 1) ?? 100,
    from: count('from', values.from, 0) ?? 1,
    seed: count('seed', values.seed, 0),
    scenario: values.scenario,
    trace: values.trace ?? false,
    only: values.only ?? '',
    first: values.first ?? false,
  }
}

function parse(args: readonly string[]) {
  const text = { type: 'string' } as const
  try {
    return parseArgs({
      args: [...args],
      options: {
        seeds: text,
        from: text,
        seed: text,
        scenario: text,
        only: text,
        trace: { type: 'boolean' },
        first: { type: 'boolean' },
      },
    })
  } catch (error) {
    throw new BadScenario(
      `${error instanceof Error ? error.message : String(error)} Known are --seeds, --from, --only, --first, --seed, --scenario and --trace.`,
    )
  }
}

function count(name: string, text: string | undefined, least: number): number | undefined {
  if (text === undefined) return undefined
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text)
  throw new BadScenario(`Expected --${name} to be a whole number from ${least} to 999999999, got "${text}".`)
}

/** Runs one scenario and says what it broke. */
async function replay(scenario: Scenario, isTraced: boolean, { line }: Output): Promise<number> {
  const result = await runScenario(scenario, { trace: isTraced ? line : null })
  const violations = [...result.violations, ...(await judgePair(scenario))]
  for (const violation of violations.slice(0, 20)) line(`broken: ${kindOf(violation)}\n  ${violation.detail}`)
  line(
    `trace ${result.traceHash}, ${result.events} events, ${result.deliveries} deliveries, ${Math.round(result.virtualMs / 1_000)} virtual seconds, ${violations.length} violations`,
  )
  return violations.length === 0 ? 0 : 1
}
