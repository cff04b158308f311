import type { Endpoint, MessageDestination, PortalAttempt } from '../../api/answers.ts'
import { Icon } from '../../parts/icons.tsx'
import type { IconName } from '../../parts/icons.tsx'
import { codeText } from '../format.ts'
import { say } from '../settings.ts'

type Tone = 'good' | 'warning' | 'bad' | 'idle' | 'held'
type Standing = 'active' | 'failing' | 'paused' | 'disabled'

/** The status of an endpoint, in the detail that its owner needs. */
export function standingOf({ health }: Pick<Endpoint, 'health'>): Standing {
  const { state } = health
  if (state === 'paused' || state === 'disabled') return state
  return state === 'healthy' ? 'active' : 'failing'
}

const standings: Readonly<Record<Standing, { tone: Tone; icon: IconName }>> = {
  active: { tone: 'good', icon: 'check' },
  failing: { tone: 'bad', icon: 'broken' },
  paused: { tone: 'held', icon: 'pause' },
  disabled: { tone: 'held', icon: 'stop' },
}

export function EndpointStatus({ endpoint }: { endpoint: Pick<Endpoint, 'health'> }) {
  const standing = standingOf(endpoint)
  return <State {...standings[standing]} word={say(`status.${standing}`)} />
}

/** The result of an attempt: its status code, or that there was no response. */
export function AttemptCode({ attempt }: { attempt: Pick<PortalAttempt, 'statusText' | 'responseStatusCode'> }) {
  const word = codeText(attempt.responseStatusCode)
  return attempt.statusText === 'success' ? (
    <State tone="good" icon="check" word={word} />
  ) : (
    <State tone="bad" icon="cross" word={word} />
  )
}

/** The status of a message at an endpoint. */
export function Progress({ to }: { to: Pick<MessageDestination, 'statusText'> }) {
  switch (to.statusText) {
    case 'success':
      return <State tone="good" icon="check" word={say('status.delivered')} />
    case 'fail':
      return <State tone="bad" icon="cross" word={say('status.failed')} />
    case 'sending':
      return <State tone="warning" icon="retry" word={say('status.retrying')} />
    case 'pending':
      return <State tone="idle" icon="dots" word={say('status.queued')} />
  }
}

/** A state as shape, word and colour together. */
function State({ tone, icon, word }: { tone: Tone; icon: IconName; word: string }) {
  return (
    <span class={`state ${tone}`}>
      <Icon name={icon} />
      {word}
    </span>
  )
}
