import type { Overview } from '../../api/answers.ts'
import { count, counted } from '../../text/format.ts'

/** How things stand, in words: what is wrong first, then what waits, then what a person must decide. */
export interface Verdict {
  readonly tone: 'good' | 'warning' | 'bad'
  readonly sentence: string
}

type Known = Pick<Overview, 'attempts' | 'failing' | 'queue' | 'alarm' | 'workers'>

/** The portal does not see workers, and must not take that for their absence. */
export function verdict({ attempts, failing, queue, alarm, workers }: Known, sees: { workers: boolean }): Verdict {
  const idle = sees.workers && workers.length === 0
  const waits = queue.fresh + queue.retries + queue.held
  const parts = [
    idle ? `No worker is alive${waits > 0 ? `, so ${counted(waits, 'delivery', queue.atLeast)} cannot leave` : ''}` : null,
    failing.length > 0 ? `${failing.length === 20 ? 'at least ' : ''}${counted(failing.length, 'endpoint')} ${failing.length === 1 ? 'is' : 'are'} failing` : null,
    queue.retries > 0 ? `${counted(queue.retries, 'delivery', queue.atLeast)} ${queue.retries === 1 ? 'waits' : 'wait'} for a retry` : null,
    queue.held > 0 ? `${count(queue.held, queue.atLeast)} ${queue.held === 1 ? 'is' : 'are'} held` : null,
    queue.dead > 0 ? `${counted(queue.dead, 'dead letter', queue.atLeast)} ${queue.dead === 1 ? 'waits' : 'wait'} for your decision` : null,
  ].filter((part) => part !== null)

  const tone = idle || alarm === 'alarm' ? 'bad' : parts.length > 0 ? 'warning' : 'good'
  if (parts.length === 0) return { tone, sentence: calm(queue, attempts) }
  return { tone, sentence: `${capital(parts.join('; '))}; nothing is lost.` }
}

function calm({ fresh, atLeast }: Overview['queue'], attempts: number): string {
  if (fresh > 0) return `Everything is on its way: ${counted(fresh, 'delivery', atLeast)} in line.`
  return attempts > 0 ? 'Everything was delivered.' : 'All is quiet: nothing was sent, and nothing waits.'
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
