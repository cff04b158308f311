import type { RecordedOutcome } from '../../core/delivery/attempt.ts'
import type { Status } from '../../core/delivery/delivery.ts'
import type { JobAction } from '../../core/delivery/job.ts'
import type { Access } from '../../core/ports/key.ts'

/** The statuses in the order of a delivery's life, and what people call them. */
export const statuses: readonly { readonly status: Status; readonly word: string }[] = [
  { status: 'pending', word: 'queued' },
  { status: 'failed', word: 'retrying' },
  { status: 'delivered', word: 'delivered' },
  { status: 'dead', word: 'dead' },
]

/** What a key allows. */
export function accessLabel(access: Access): string {
  return access === 'write' ? 'read and write access' : 'read-only access'
}

/** The result of an attempt, for people. */
export function outcomeLabel(outcome: RecordedOutcome, statusCode: number | null): string {
  return outcome === 'answered' ? `HTTP ${statusCode ?? ''}` : failures[outcome]
}

const failures: Readonly<Record<Exclude<RecordedOutcome, 'answered'>, string>> = {
  timeout: 'Timed out',
  dns: 'DNS lookup failed',
  connect: 'Connection failed',
  tls: 'TLS failed',
  reset: 'Connection reset',
  protocol: 'Invalid HTTP response',
  forbidden: 'Forbidden address',
  authentication: 'Authentication failed',
  proxy: 'Proxy failed',
  interrupted: 'Interrupted: the worker stopped',
  started: 'Started',
  crashed: 'The worker crashed while sending it',
}

export const jobActions: Readonly<Record<JobAction, string>> = {
  requeue: 'Retry now',
  cancel: 'Cancel',
  replay: 'Replay',
  erase: 'Erase an application',
}

/** The filter of a job, for people. Its times have the format of the sentences of the API. */
export function filterLabel(filter: Readonly<Record<string, unknown>>): string {
  const conditions = Object.entries(filter)
    .filter(([, value]) => value !== null && value !== undefined)
    // It only protects the job from changes since it was requested.
    .filter(([name]) => name !== 'unchangedSince')
    .map(([name, value]) => conditionLabel(name, value))
  return conditions.length === 0 ? 'everything' : conditions.join(', ')
}

/** The target of an action: an id as it is, a filter in words. */
export function targetLabel(target: string): string {
  try {
    const filter: unknown = JSON.parse(target)
    return typeof filter === 'object' && filter !== null ? filterLabel({ ...filter }) : target
  } catch {
    return target
  }
}

/** The changed fields, one per line: `url: https://a.example → https://b.example`. */
export function changeLabels(
  before: Readonly<Record<string, unknown>> | null,
  after: Readonly<Record<string, unknown>> | null,
): string[] {
  if (before === null || after === null) return []
  return [...new Set([...Object.keys(before), ...Object.keys(after)])].map(
    (name) => `${spaced(name)}: ${valueLabel(before[name])} → ${valueLabel(after[name])}`,
  )
}

function valueLabel(value: unknown): string {
  if (value === undefined || value === null || value === '') return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function conditionLabel(name: string, value: unknown): string {
  if (name === 'ids' && Array.isArray(value)) return `${value.length} selected`
  if ((name === 'since' || name === 'until') && (typeof value === 'string' || typeof value === 'number'))
    return `created ${name === 'since' ? 'after' : 'before'} ${new Date(value).toISOString()}`
  if (name === 'status') return `status ${[value].flat().map(statusWord).join(' or ')}`
  return `${spaced(name)} ${[value].flat().join(' or ')}`
}

function statusWord(given: unknown): string {
  return statuses.find(({ status }) => status === given)?.word ?? String(given)
}

function spaced(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
}
