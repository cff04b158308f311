import { patterns } from './actions/all.ts'
import type { Plan } from './actions/kind.ts'
import { Draw } from './draw.ts'
import { scenarioFormat } from './scenario.ts'
import type { EndpointPlan, ProcessPlan, Scenario, SettingsPlan, StorePlan } from './scenario.ts'

const hour = 3_600_000
/** In some worlds nothing happens but that an endpoint comes back: how fast that goes is judged only where nothing else can be the reason. */
const inCalm = new Set(['start', 'comeback'])

/** Draws a whole scenario from a seed: first what kind of world it is, then which troubles are on, then when each happens. */
export function scenarioOf(seed: number): Scenario {
  const draw = new Draw(seed, 'plan')
  const isLong = draw.chance(0.1)
  const lengthMs = isLong ? draw.between(2 * hour, 3 * hour) : draw.between(60_000, 240_000)
  const store = drawStore(draw, isLong, new Draw(seed, 'listens').chance(0.5))
  const endpoints = drawEndpoints(draw)
  const inOrderCount = draw.between(0, endpoints.length - 1)
  const plan: Plan = {
    format: scenarioFormat,
    seed,
    store,
    settings: drawSettings(draw),
    lengthMs,
    isLong,
    processes: drawProcesses(draw, store, isLong),
    endpoints,
    limited: draw.chance(0.1) ? [{ application: 0, ratePerSecond: draw.pick([1, 5, 20]) }] : [],
    applications: [...new Set(endpoints.map(({ application }) => application))],
    troubled: endpoints.slice(inOrderCount),
  }
  const isCalm = !isLong && new Draw(seed, 'calm').chance(0.04)
  const actions = patterns.flatMap((pattern) => {
    // A stream for each: another pattern shifts nobody's draws.
    const own = new Draw(seed, `pattern ${pattern.name}`)
    const isOn = own.chance(pattern.share)
    return (isCalm ? inCalm.has(pattern.name) : isOn) ? pattern.draw(own, plan) : []
  })
  const { troubled: _troubled, applications: _applications, isLong: _isLong, ...rest } = plan
  return { ...rest, actions: actions.filter(({ at }) => at <= lengthMs).toSorted((one, other) => one.at - other.at) }
}

function drawStore(draw: Draw, isLong: boolean, listens: boolean): StorePlan {
  const kind = draw.chance(0.3) ? 'single' : 'shared'
  // Looks for what others have committed are most of the work of an idle world: long ones do with few.
  const lookMs = kind === 'single' ? null : isLong ? 30_000 : draw.pick([250, 1_000, 1_000, 5_000])
  return { kind, lookMs, latencyMs: draw.pick([2, 4, 10, 40]), listens: kind === 'shared' && listens }
}

/** As shipped in half of the seeds; small limits in the others, so that few deliveries reach them. */
function drawSettings(draw: Draw): SettingsPlan {
  const kind = draw.next()
  if (kind < 0.5) return { preset: 'standard' }
  if (kind < 0.6) return { preset: draw.pick(['gateway', 'gateway-6']) }
  return {
    preset: 'standard',
    pool: draw.pick([2, 4, 8, 20]),
    retriesPerEndpoint: draw.pick([2, 5, 10]),
    maxLeased: draw.pick([20, 100, 5_000]),
  }
}

function drawProcesses(draw: Draw, { kind }: StorePlan, isLong: boolean): ProcessPlan[] {
  const workers = kind === 'single' ? 1 : isLong ? draw.between(1, 2) : draw.pick([1, 2, 2, 3, 3, 4, 6, 8])
  const senders = kind === 'single' ? 0 : draw.between(0, 1)
  return Array.from({ length: workers + senders }, (_, id) => ({
    id,
    role: id < workers ? 'worker' : 'sender',
    offsetMs: kind === 'single' ? 0 : draw.pick([0, 0, 300, -5_000, 3_600_000, -3_600_000]),
    // Without a shared time there is none that it could drift from.
    driftPpm: kind === 'single' ? 0 : draw.pick([0, 0, 50, -50]),
  }))
}

/** Tenants of uneven size: the first has most of the endpoints. */
function drawEndpoints(draw: Draw): EndpointPlan[] {
  const applications = draw.between(1, 4)
  const count = Math.max(applications, draw.between(1, 6))
  return Array.from({ length: count }, (_, id) => ({
    id,
    application: id < applications ? id : draw.chance(0.6) ? 0 : draw.between(0, applications - 1),
    policy: draw.pick(['brisk', 'brisk', 'standard']),
    ratePerSecond: draw.chance(0.1) ? draw.pick([1, 5]) : null,
  }))
}
