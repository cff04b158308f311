import type { Delivery, Endpoint, HealthState, Job } from '../api/answers.ts'
import { Icon } from './icons.tsx'
import type { IconName } from './icons.tsx'

export type Tone = 'good' | 'warning' | 'bad' | 'idle' | 'held'

/** A state as shape, word and colour together. */
export function State({ tone, icon, word }: { tone: Tone; icon: IconName; word: string }) {
  return (
    <span class={`state ${tone}`}>
      <Icon name={icon} />
      {word}
    </span>
  )
}

export function DeliveryState({ delivery }: { delivery: Pick<Delivery, 'status' | 'inFlight' | 'reason'> }) {
  if (delivery.inFlight) return <State tone="idle" icon="flight" word="in flight" />
  switch (delivery.status) {
    case 'delivered':
      return <State tone="good" icon="check" word="delivered" />
    case 'failed':
      return <State tone="warning" icon="retry" word="retrying" />
    case 'pending':
      return <State tone="idle" icon="dots" word="queued" />
    case 'dead':
      return delivery.reason === 'cancelled' ? (
        <State tone="held" icon="stop" word="cancelled" />
      ) : (
        <State tone="bad" icon="cross" word="dead" />
      )
  }
}

const healthStates: Readonly<Record<HealthState, { tone: Tone; icon: IconName; word: string }>> = {
  healthy: { tone: 'good', icon: 'check', word: 'healthy' },
  degraded: { tone: 'warning', icon: 'retry', word: 'degraded' },
  breaker_open: { tone: 'bad', icon: 'broken', word: 'breaker open' },
  paused: { tone: 'held', icon: 'pause', word: 'paused' },
  disabled: { tone: 'held', icon: 'stop', word: 'disabled' },
}

export function Health({ endpoint }: { endpoint: Pick<Endpoint, 'health'> }) {
  return <State {...healthStates[endpoint.health.state]} />
}

export function JobProgressState({ job }: { job: Job }) {
  switch (job.state) {
    case 'running':
      return <State tone="idle" icon="flight" word="running" />
    case 'paused':
      return <State tone="held" icon="pause" word="paused" />
    case 'done':
      return <State tone="good" icon="check" word="done" />
    case 'cancelled':
      return <State tone="held" icon="stop" word="cancelled" />
  }
}
