import { readFileSync } from 'node:fs'

/** All that happens in one run, as data: the seed decides only what is not listed (latencies, ties, chance within processes). */
export interface Scenario {
  readonly format: typeof scenarioFormat
  readonly title?: string
  /** The invariant that this scenario was kept for. */
  readonly broke?: string
  readonly seed: number
  readonly store: StorePlan
  readonly settings: SettingsPlan
  readonly lengthMs: number
  readonly processes: readonly ProcessPlan[]
  readonly endpoints: readonly EndpointPlan[]
  /** Applications with a rate limit of their own; none if left out. */
  readonly limited?: readonly LimitedPlan[]
  readonly actions: readonly Action[]
}

export interface StorePlan {
  /** `single`, as SQLite: one process, calls in order, its own clock. `shared`, as PostgreSQL: many, and one time for all. */
  readonly kind: 'single' | 'shared'
  readonly lookMs: number | null
  /** Whoever delivers is notified of what others have stored; not if left out. */
  readonly listens?: boolean
  /** The longest way of a call to the store, and back. */
  readonly latencyMs: number
}

/** What `Posthorn` is made with; left out means as shipped. */
export interface SettingsPlan {
  readonly preset: string
  readonly pool?: number
  readonly retriesPerEndpoint?: number
  readonly maxLeased?: number
}

export interface ProcessPlan {
  readonly id: number
  /** A sender stores and never delivers. */
  readonly role: 'worker' | 'sender'
  readonly offsetMs: number
  readonly driftPpm: number
}

export interface EndpointPlan {
  readonly id: number
  readonly application: number
  readonly policy: string
  readonly ratePerSecond: number | null
}

export interface LimitedPlan {
  readonly application: number
  readonly ratePerSecond: number
}

/** Something that is done to the world at a time; each kind is a file or a function in `actions`. */
export interface Action {
  readonly at: number
  readonly do: string
}

export const scenarioFormat = 1

/** A file that cannot be replayed, in words for whoever named it. */
export class BadScenario extends Error {
  override readonly name = 'BadScenario'
}

export function readScenario(path: string, knownActions: ReadonlySet<string>): Scenario {
  return checkScenario(parse(path, textOf(path)), path, knownActions)
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    throw new BadScenario(
      `Expected a scenario in ${path}, found no file that can be read. Name one of test/simulation/scenarios.`,
    )
  }
}

function parse(path: string, text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new BadScenario(
      `Expected ${path} to hold a scenario as JSON, got something else. Shrink a failing seed anew.`,
    )
  }
}

function checkScenario(given: unknown, path: string, knownActions: ReadonlySet<string>): Scenario {
  const scenario = (typeof given === 'object' && given !== null ? given : {}) as Partial<Scenario>
  if (scenario.format !== scenarioFormat) {
    throw new BadScenario(
      `Expected ${path} to have the format ${scenarioFormat}, got ${JSON.stringify(scenario.format) ?? 'none'}. It is of another release: find the failure anew with \`npm run simulate\`.`,
    )
  }
  for (const name of ['actions', 'processes', 'endpoints'] as const) {
    if (!Array.isArray(scenario[name]))
      throw new BadScenario(`Expected \`${name}\` of ${path} to be a list, got ${typeof scenario[name]}.`)
  }
  if (
    !Number.isSafeInteger(scenario.seed) ||
    !Number.isSafeInteger(scenario.lengthMs) ||
    scenario.store === undefined ||
    scenario.settings === undefined
  ) {
    throw new BadScenario(
      `Expected ${path} to have seed, lengthMs, store and settings, got only ${Object.keys(scenario).join(', ')}.`,
    )
  }
  const stranger = scenario.actions?.find((action) => !knownActions.has(action.do))
  if (stranger !== undefined)
    throw new BadScenario(
      `Expected the actions of ${path} to be known, got "${stranger.do}". Known are ${[...knownActions].join(', ')}.`,
    )
  return scenario as Scenario
}
