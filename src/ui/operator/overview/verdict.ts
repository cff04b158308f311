import type { Overview } from '../../api/answers.ts'
import { count, counted } from '../../text/format.ts'

/** The overall status as a sentence: what is wrong first, then what waits, then what a person must decide. */
export interface Verdict {
  readonly tone: 'good' | 'warning' | 'bad'
  readonly sentence: string
}

type Known = Pick<Overview, 'attempts' | 'failing' | 'queue' | 'alarm' | 'workers'>

export function verdict(known: Known): Verdict {
  const { attempts, queue, alarm } = known
  const isIdle = known.workers.length === 0
  const parts = [isIdle ? noWorker(queue) : null, ...waiting(known)].filter((part) => part !== null)
  const tone = isIdle || alarm === 'alarm' ? 'bad' : parts.length > 0 ? 'warning' : 'good'
  if (parts.length === 0) return { tone, sentence: calm(queue, attempts) }
  return { tone, sentence: `${capital(parts.join('; '))}; nothing is lost.` }
}

function noWorker({ fresh, retries, held, atLeast }: Overview['queue']): string {
  const waits = fresh + retries + held
  return `No worker is alive${waits > 0 ? `, so ${counted(waits, 'delivery', atLeast)} cannot leave` : ''}`
}

function waiting({ failing, queue: { retries, held, dead, atLeast } }: Known): (string | null)[] {
  const endpoints = `${failing.length === 20 ? 'at least ' : ''}${counted(failing.length, 'endpoint')}`
  return [
    failing.length > 0 ? `${endpoints} ${isOrAre(failing.length)} failing` : null,
    retries > 0 ? `${counted(retries, 'delivery', atLeast)} ${waitOrWaits(retries)} for a retry` : null,
    held > 0 ? `${count(held, atLeast)} ${isOrAre(held)} held` : null,
    dead > 0 ? `${counted(dead, 'dead letter', atLeast)} ${waitOrWaits(dead)} for your decision` : null,
  ]
}

function isOrAre(number: number): string {
  return number === 1 ? 'is' : 'are'
}

function waitOrWaits(number: number): string {
  return number === 1 ? 'waits' : 'wait'
}

function calm({ fresh, atLeast }: Overview['queue'], attempts: number): string {
  if (fresh > 0) return `Everything is on its way: ${counted(fresh, 'delivery', atLeast)} queued.`
  return attempts > 0 ? 'Everything was delivered.' : 'All is quiet: nothing was sent, and nothing waits.'
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}
