import type { OutcomeKind } from '../core/attempt.ts'
import type { Status } from '../core/delivery.ts'
import type { JobAction } from '../core/job.ts'

/** The statuses in the order of a delivery's life, and what people call them. */
export const statuses: readonly { readonly status: Status; readonly word: string }[] = [
  { status: 'pending', word: 'pending' },
  { status: 'failed', word: 'retrying' },
  { status: 'delivered', word: 'delivered' },
  { status: 'dead', word: 'dead' },
]

/** What an attempt came to, for people. */
export function outcomeWords(outcome: OutcomeKind, statusCode: number | null): string {
  switch (outcome) {
    case 'answered':
      return `HTTP ${statusCode ?? ''}`
    case 'timeout':
      return 'No answer in time'
    case 'dns':
      return 'Name not found'
    case 'connect':
      return 'No connection'
    case 'tls':
      return 'TLS failed'
    case 'reset':
      return 'Connection reset'
    case 'protocol':
      return 'Not HTTP'
    case 'forbidden':
      return 'Forbidden address'
  }
}

export const jobActions: Readonly<Record<JobAction, string>> = { requeue: 'Retry now', cancel: 'Cancel', replay: 'Replay' }

/** What a job works on, in words. */
export function filterWords(filter: Readonly<Record<string, unknown>>): string {
  const words = Object.entries(filter)
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => (name === 'ids' && Array.isArray(value) ? `${value.length} selected` : `${spaced(name)} ${[value].flat().join(' or ')}`))
  return words.length === 0 ? 'everything' : words.join(', ')
}

function spaced(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
