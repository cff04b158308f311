import { noPublicAddress, proxyFailed, withoutDetails } from '../../core/delivery/attempt.ts'
import { maskedUrl } from '../../core/endpoint/masked-url.ts'
import type { Caller } from './caller.ts'

type Mask = (name: string, value: unknown) => unknown

const urlFields: ReadonlySet<string> = new Set(['url', 'targetUrl', 'endpointUrl'])
/** Fields in which it is said how an attempt went. */
const sentences: ReadonlySet<string> = new Set(['errorDetail', 'error_detail', 'response', 'sentence'])
/** What an answer with something to hide from tenants has in it. */
const details = [noPublicAddress, proxyFailed, '"outcome":"dns"']

/** An answer as JSON, as its caller may see it. */
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

/** Who only reads does not see the query values of URLs, in no answer: they are often credentials. */
function withoutQueryValues(name: string, value: unknown): unknown {
  return urlFields.has(name) && typeof value === 'string' && value.includes('?') ? maskedUrl(value) : value
}

/**
 * A tenant chooses where requests go, and must not learn from how they fail which names there are inside: whether one is unknown or
 * leads to a private address reads the same. Whoever runs the server sees both.
 */
function asTenant(name: string, value: unknown): unknown {
  if (typeof value !== 'string') return value
  if (name === 'outcome') return value === 'dns' ? 'forbidden' : value
  return sentences.has(name) ? withoutDetails(value) : value
}
