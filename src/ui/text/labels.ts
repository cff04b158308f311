import type { RecordedOutcome } from '../../core/attempt.ts'
import type { Status } from '../../core/delivery.ts'
import type { JobAction } from '../../core/job.ts'
import { instant } from './format.ts'

/** The statuses in the order of a delivery's life, and what people call them. */
export const statuses: readonly { readonly status: Status; readonly word: string }[] = [
  { status: 'pending', word: 'pending' },
  { status: 'failed', word: 'retrying' },
  { status: 'delivered', word: 'delivered' },
  { status: 'dead', word: 'dead' },
]

/** What an attempt came to, for people. */
export function outcomeLabel(outcome: RecordedOutcome, statusCode: number | null): string {
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
    case 'interrupted':
      return 'Interrupted: its worker ended'
    case 'started':
      return 'Started'
    case 'crashed':
      return 'Its worker ended while sending it'
  }
}

export const jobActions: Readonly<Record<JobAction, string>> = { requeue: 'Retry now', cancel: 'Cancel', replay: 'Replay' }

/** What a job works on, in words. */
export function filterLabel(filter: Readonly<Record<string, unknown>>): string {
  const words = Object.entries(filter)
    .filter(([, value]) => value !== null && value !== undefined)
    // The job's own guard against what has changed since it was asked for.
    .filter(([name]) => name !== 'unchangedSince')
    .map(([name, value]) => conditionLabel(name, value))
  return words.length === 0 ? 'everything' : words.join(', ')
}

/** What somebody did something to: an id as it is, a filter in words. */
export function targetLabel(target: string): string {
  try {
    const filter: unknown = JSON.parse(target)
    return typeof filter === 'object' && filter !== null ? filterLabel({ ...filter }) : target
  } catch {
    return target
  }
}

function conditionLabel(name: string, value: unknown): string {
  if (name === 'ids' && Array.isArray(value)) return `${value.length} selected`
  if ((name === 'since' || name === 'until') && (typeof value === 'string' || typeof value === 'number')) return `made ${name} ${instant(value)}`
  return `${spaced(name)} ${[value].flat().join(' or ')}`
}

function spaced(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
