import { maskedAuthentication } from '../endpoint/authentication.ts'
import type { Authentication } from '../endpoint/authentication.ts'
import { masked, maskedUrl } from '../endpoint/masked-url.ts'
import type { AuditedFields, AuditEntry } from './audit.ts'

/** Longer values, such as a schema, are truncated: the log is for people. */
const mostCharacters = 2_000
/** Fields that nobody changes, and secrets, which never appear in a log. */
const leftOut = new Set([
  'id',
  'secrets',
  'hash',
  'hint',
  'createdAt',
  'createdFrom',
  'updatedAt',
  'statusSince',
  'revokedAt',
])

/** The changed fields for the audit log, with credentials masked. Null if the thing did not exist before, or no longer does. */
export function changedFields(before: object | null, after: object | null): Pick<AuditEntry, 'before' | 'after'> {
  const [old, now]: [AuditedFields, AuditedFields] = [{ ...before }, { ...after }]
  const names = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (name) => !leftOut.has(name) && JSON.stringify(old[name]) !== JSON.stringify(now[name]),
  )
  return {
    before: before === null ? null : shown(names, old, now),
    after: after === null ? null : shown(names, now, old),
  }
}

/** False if no row changed, or an update set every field to the value it had. */
export function hasEffect({
  action,
  count,
  before,
  after,
}: Pick<AuditEntry, 'action' | 'count' | 'before' | 'after'>): boolean {
  const isUnchanged = action.endsWith('.update') && Object.keys({ ...before, ...after }).length === 0
  return count > 0 && !isUnchanged
}

function shown(names: readonly string[], own: AuditedFields, other: AuditedFields): AuditedFields {
  return Object.fromEntries(
    names.flatMap((name) => (name in own ? [[name, shownValue(name, own[name], other[name])]] : [])),
  )
}

function shownValue(name: string, value: unknown, other: unknown): unknown {
  if (name === 'url' && typeof value === 'string') return maskedUrl(value)
  if (name === 'headers') return maskedHeaders({ ...(value as object) }, { ...(other as object) })
  const safe = name === 'authentication' && value !== null ? maskedAuthentication(value as Authentication) : value
  const text = JSON.stringify(safe) ?? ''
  return text.length <= mostCharacters ? safe : `${text.slice(0, mostCharacters)}… (${text.length} characters)`
}

/** The fields that differ: a changed credential is masked on both sides. */
function maskedHeaders(own: AuditedFields, other: AuditedFields): AuditedFields {
  return Object.fromEntries(Object.keys(own).flatMap((name) => (own[name] === other[name] ? [] : [[name, masked]])))
}
