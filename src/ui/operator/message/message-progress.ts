import type { MessageOverview } from '../../api/answers.ts'
import { count, counted } from '../../text/format.ts'

type Deliveries = MessageOverview['deliveries']

/** How a state is displayed. */
interface Word {
  readonly tone: 'good' | 'warning' | 'bad' | 'idle'
  readonly icon: 'check' | 'retry' | 'cross' | 'dots'
  readonly word: string
}

const kinds = [
  ['dead', 'bad', 'cross', 'dead'],
  ['failed', 'warning', 'retry', 'retrying'],
  ['pending', 'idle', 'dots', 'queued'],
] as const

/** The status of a message in a word or two; the worst counts. */
export function progressState(deliveries: Deliveries): Word {
  const all = total(deliveries)
  if (all === 0) return { tone: 'idle', icon: 'dots', word: 'no deliveries' }
  for (const [status, tone, icon, word] of kinds) {
    const number = deliveries[status]
    if (number > 0) return { tone, icon, word: number === all ? word : `${count(number)} of ${count(all)} ${word}` }
  }
  return { tone: 'good', icon: 'check', word: 'delivered' }
}

/** The same in a sentence. */
export function progressSentence(deliveries: Deliveries): string {
  const all = total(deliveries)
  if (all === 0) return 'No endpoint of the application wanted it when it was sent.'
  if (deliveries.delivered === all) return all === 1 ? 'It was delivered.' : `All ${counted(all, 'delivery')} arrived.`
  if (all === 1) return `Its only delivery is ${progressState(deliveries).word}.`
  const arrived = deliveries.delivered === 0 ? 'None' : count(deliveries.delivered)
  const others = kinds
    .filter(([status]) => deliveries[status] > 0)
    .map(([status, , , word]) => `${count(deliveries[status])} ${deliveries[status] === 1 ? 'is' : 'are'} ${word}`)
  return `${arrived} of ${counted(all, 'delivery')} arrived; ${others.join(', ')}.`
}

export function total({ pending, failed, delivered, dead }: Deliveries): number {
  return pending + failed + delivered + dead
}
