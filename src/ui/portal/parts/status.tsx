import type { Endpoint, MessageDestination, PortalAttempt } from '../../api/answers.ts'
import { Icon } from '../../parts/icons.tsx'
import type { IconName } from '../../parts/icons.tsx'
import { codeText } from '../format.ts'
import { say } from '../settings.ts'

type Tone = 'good' | 'warning' | 'bad' | 'idle' | 'held'
type Standing = 'active' | 'failing' | 'paused' | 'disabled'

/** How an endpoint stands, as far as its owner needs to know. */
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

/** What an attempt came to: its code, or that there was none. */
export function AttemptCode({ attempt }: { attempt: Pick<PortalAttempt, 'statusText' | 'responseStatusCode'> }) {
  const word = codeText(attempt.responseStatusCode)
  return attempt.statusText === 'success' ? (
    <State tone="good" icon="check" word={word} />
  ) : (
    <State tone="bad" icon="cross" word={word} />
  )
}

/** How far a message came on its way to an endpoint. */
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
