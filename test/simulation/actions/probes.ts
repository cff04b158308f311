import { inOrder } from '../world/receivers.ts'
import type { Behave } from './endpoints.ts'
import { pattern } from './kind.ts'
import type { Pattern } from './kind.ts'
import type { Kill } from './processes.ts'
import type { Send } from './senders.ts'

/** A hold of the breaker lasts for about a minute, and its probe for half of one if the endpoint hangs: by then all workers are killed. */
const killedAfterMs = 79_000

const probeDeathPattern = pattern<Behave | Send | Kill>('probe death', 0.03, (draw, plan) => {
  const broken = plan.troubled.find(({ ratePerSecond }) => ratePerSecond === null)
  const workers = plan.processes.filter(({ role }) => role === 'worker')
  if (broken === undefined || plan.isLong) return []
  const at = draw.between(1_000, 10_000)
  return [
    { at, do: 'behave', endpoint: broken.id, as: { ...inOrder, answer: 'refused' } },
    {
      at: at + 500,
      do: 'send',
      process: draw.pick(workers).id,
      application: broken.application,
      count: draw.between(12, 30),
      name: null,
      delayMs: 0,
      tx: null,
    },
    { at: at + 40_000, do: 'behave', endpoint: broken.id, as: { ...inOrder, answer: 'hung' } },
    ...workers.map(({ id }): Kill => ({
      at: at + killedAfterMs,
      do: 'kill',
      process: id,
      startsAfterMs: draw.between(100, 5_000),
    })),
    { at: at + killedAfterMs + draw.pick([0, 20_000]), do: 'behave', endpoint: broken.id, as: inOrder },
  ]
})

export const probePatterns: readonly Pattern[] = [probeDeathPattern]
