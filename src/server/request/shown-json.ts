import { maskedUrl } from '../../core/endpoint/masked-url.ts'
import type { Caller } from './caller.ts'

const urlFields: ReadonlySet<string> = new Set(['url', 'targetUrl'])

/** An answer as its caller may see it. Who only reads does not see the query values of URLs, in no answer: they are often credentials. */
export function shownJson(value: unknown, { access }: Pick<Caller, 'access'>): string {
  return access === 'read' ? JSON.stringify(value, withoutQueryValues) : JSON.stringify(value)
}

function withoutQueryValues(name: string, value: unknown): unknown {
  return urlFields.has(name) && typeof value === 'string' && value.includes('?') ? maskedUrl(value) : value
}
