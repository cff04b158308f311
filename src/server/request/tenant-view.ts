import { noPublicAddress, proxyFailed, withoutDetails } from '../../core/delivery/attempt.ts'
import type { Caller } from './caller.ts'

/** Fields in which it is said how an attempt went. */
const sentences = new Set(['errorDetail', 'error_detail', 'response', 'sentence'])

/**
 * An answer as JSON, for who asks. A tenant chooses where requests go, and must not learn from how they fail which names there are
 * inside: whether one is unknown or leads to a private address reads the same. Whoever runs the server sees both.
 */
export function jsonFor({ applicationId }: Pick<Caller, 'applicationId'>, value: unknown): string {
  const text = JSON.stringify(value)
  const hasDetails = [noPublicAddress, proxyFailed, '"outcome":"dns"'].some((each) => text.includes(each))
  return applicationId === null || !hasDetails ? text : JSON.stringify(value, asTenant)
}

function asTenant(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (name === 'outcome') return value === 'dns' ? 'forbidden' : value
  return sentences.has(name) ? withoutDetails(value) : value
}
