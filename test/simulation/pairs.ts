import { succeeded } from '../../src/core/delivery/attempt.ts'
import type { Violation } from './invariants/invariant.ts'
import { runWorld } from './run.ts'
import type { Action, Scenario } from './scenario.ts'
import type { World } from './world/world.ts'

/** The same tenant in order, once beside others in trouble and once by itself. */
export interface Pair {
  readonly application: number
  readonly together: Scenario
  readonly alone: Scenario
}

/** What may happen in a paired run: endpoints of others in any trouble. What is done to processes and the store would hit both. */
const neighbourly = new Set(['start', 'send', 'behave', 'edit', 'status'])
/** Below this nobody speaks of slow. */
const unnoticedMs = 1_000

/** Null if nobody in this scenario stays in order, or nobody else is there. */
export function pairOf(scenario: Scenario): Pair | null {
  const { endpoints, settings } = scenario
  if (settings.preset.startsWith('gateway')) return null
  const actions = scenario.actions
    .filter((action) => neighbourly.has(action.do) && Reflect.get(action, 'poison') !== true)
    .map(plain)
  const touched = new Set(actions.flatMap((action) => (action.do === 'send' ? [] : [numberIn(action, 'endpoint')])))
  const troubled = new Set(
    endpoints
      .filter(({ id, ratePerSecond }) => touched.has(id) || ratePerSecond !== null)
      .map(({ application }) => application),
  )
  for (const { application } of scenario.limited ?? []) troubled.add(application)
  const inOrder = endpoints.find(({ application }) => !troubled.has(application))
  if (inOrder === undefined || troubled.size === 0) return null
  const { application } = inOrder
  const together = { ...scenario, actions }
  const alone = {
    ...together,
    endpoints: endpoints.filter((each) => each.application === application),
    actions: actions.filter((action) => action.do === 'start' || numberIn(action, 'application') === application),
  }
  return { application, together, alone }
}

/** What a scenario breaks when it is run as a pair; nothing if it is none. */
export async function judgePair(scenario: Scenario): Promise<Violation[]> {
  const pair = pairOf(scenario)
  return pair === null ? [] : comparePair(pair)
}

/** A tenant in order is never slower than twice its time alone. */
async function comparePair({ application, together, alone }: Pair): Promise<Violation[]> {
  const [slowest, usual] = [
    slowestMs(await runWorld(together), application),
    slowestMs(await runWorld(alone), application),
  ]
  // What another process has stored is found by a look, which comes at any moment of its interval.
  if (slowest <= Math.max(2 * usual, unnoticedMs + (together.store.lookMs ?? 0))) return []
  return [
    {
      invariant: 'a tenant in order is not slowed down by others',
      detail: `tenant ${application} waited up to ${slowest} ms beside the others, and ${usual} ms alone`,
    },
  ]
}

/** Messages of one tenant, without names and transactions: those would differ between the two. */
function plain(action: Action): Action {
  if (action.do !== 'send') return action
  const application: unknown = Reflect.get(action, 'application')
  return Object.assign({}, action, { name: null, tx: null, delayMs: 0, application: application ?? 0 })
}

/** The longest time from a send of the tenant to its first receipt. */
function slowestMs({ history }: World, application: number): number {
  const sentAt = new Map(
    history.sends.filter((send) => send.application === application).map(({ body, at }) => [body, at]),
  )
  const waits = new Map<string, number>()
  for (const { body, endpointId, at, answered } of history.calls) {
    const from = sentAt.get(body)
    const key = `${body} ${endpointId}`
    if (from !== undefined && succeeded(answered) && !waits.has(key)) waits.set(key, at - from)
  }
  return Math.max(0, ...waits.values())
}

function numberIn(action: Action, name: string): number {
  const value: unknown = Reflect.get(action, name)
  return typeof value === 'number' ? value : -1
}
