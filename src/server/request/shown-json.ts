import { noPublicAddress, proxyFailed, withoutDetails } from '../../core/delivery/attempt.ts'
import { maskedUrl } from '../../core/endpoint/masked-url.ts'
import type { Caller } from './caller.ts'

type Mask = (name: string, value: unknown) => unknown

const urlFields: ReadonlySet<string> = new Set(['url', 'targetUrl', 'endpointUrl'])
/** Fields that describe how an attempt went. */
const sentences: ReadonlySet<string> = new Set(['errorDetail', 'error_detail', 'response', 'sentence'])
/** Marks in a response that contains something to hide from tenants. */
const details = [noPublicAddress, proxyFailed, '"outcome":"dns"']

/** A response as JSON, as its caller may see it. */
export function shownJson(value: unknown, caller: Pick<Caller, 'access' | 'applicationId'>): string {
  const text = JSON.stringify(value)
  const masks = masksFor(caller, text)
  if (masks.length === 0) return text
  return JSON.stringify(value, (name, each: unknown) => masks.reduce((shown, mask) => mask(name, shown), each))
}

function masksFor({ access, applicationId }: Pick<Caller, 'access' | 'applicationId'>, text: string): Mask[] {
  return [
    ...(access === 'read' && text.includes('?') ? [withoutQueryValues] : []),
    ...(applicationId !== null && details.some((each) => text.includes(each)) ? [asTenant] : []),
  ]
}

/** Read-only callers do not see the query values of URLs in any response: they are often credentials. */
function withoutQueryValues(name: string, value: unknown): unknown {
  return urlFields.has(name) && typeof value === 'string' && value.includes('?') ? maskedUrl(value) : value
}

/**
 * A tenant chooses where requests go, and must not learn from their failures which names exist inside: an unknown name and one that
 * resolves to a private address read the same. Operators see the difference.
 */
function asTenant(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (name === 'outcome') return value === 'dns' ? 'forbidden' : value
  return sentences.has(name) ? withoutDetails(value) : value
}
