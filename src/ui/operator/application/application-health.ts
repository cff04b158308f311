import type { ApplicationOverview } from '../../api/answers.ts'
import { count, counted } from '../../text/format.ts'

type Healthy = Pick<ApplicationOverview, 'endpoints' | 'health' | 'partial'>

/** How a state is displayed. */
interface Word {
  readonly tone: 'good' | 'warning' | 'bad' | 'idle' | 'held'
  readonly icon: 'check' | 'retry' | 'broken' | 'dots' | 'pause' | 'stop'
  readonly word: string
}

/** How a customer's endpoints are doing, in a word or two. */
export function healthState({ endpoints, health }: Healthy): Word {
  const unhealthy = health.breaker_open + health.degraded
  const stopped = health.paused + health.disabled
  if (endpoints === 0) return { tone: 'idle', icon: 'dots', word: 'no endpoints' }
  if (unhealthy === endpoints) return { tone: 'bad', icon: 'broken', word: 'unhealthy' }
  if (unhealthy > 0)
    return { tone: 'warning', icon: 'retry', word: `${count(unhealthy)} of ${count(endpoints)} unhealthy` }
  if (stopped < endpoints) return { tone: 'good', icon: 'check', word: 'healthy' }
  return health.paused > 0
    ? { tone: 'held', icon: 'pause', word: 'paused' }
    : { tone: 'held', icon: 'stop', word: 'disabled' }
}

/** The same as a sentence, with more detail. */
export function healthSentence(application: Healthy): string {
  const { endpoints, health, partial } = application
  if (endpoints === 0) return 'It has no endpoints yet, so messages for it go nowhere.'
  const known = Object.values(health).reduce((sum, each) => sum + each, 0)
  const kinds: Kinds = [
    [health.breaker_open, 'on hold'],
    [health.degraded, 'degraded'],
    [health.paused, 'paused'],
    [health.disabled, 'disabled'],
    [health.healthy, 'healthy'],
  ]
  const present = kinds.filter(([number]) => number > 0)
  const whole = present.length === 1 ? alike(known, present) : `Of ${counted(known, 'endpoint')}, ${listed(present)}.`
  return partial ? `${whole} These are the first of ${count(endpoints)}.` : whole
}

type Kinds = readonly (readonly [number: number, word: string])[]

function alike(known: number, [only]: Kinds): string {
  const word = only?.[1] ?? ''
  return known === 1 ? `Its only endpoint is ${word}.` : `All ${count(known)} endpoints are ${word}.`
}

/** "2 are degraded, 1 is paused and 1 is healthy" */
function listed(kinds: Kinds): string {
  const said = kinds.map(([number, word]) => `${count(number)} ${number === 1 ? 'is' : 'are'} ${word}`)
  return `${said.slice(0, -1).join(', ')} and ${said.at(-1) ?? ''}`
}

/** The name of a customer for people: its name, else its uid or id. */
export function customerName({ name, uid, id }: { name: string; uid: string | null; id: string }): string {
  return name === '' ? (uid ?? id) : name
}

/** The totals of the last 24 hours. */
export function lastDay({ hours }: Pick<ApplicationOverview, 'hours'>): {
  delivered: number
  failed: number
  dead: number
} {
  const sum = { delivered: 0, failed: 0, dead: 0 }
  for (const { delivered, failed, dead } of hours) {
    sum.delivered += delivered
    sum.failed += failed
    sum.dead += dead
  }
  return sum
}
