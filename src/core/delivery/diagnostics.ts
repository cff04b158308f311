import { isCredentialName } from '../signing/sent-request.ts'
import type { ShownHeaders } from '../signing/sent-request.ts'
import { masked } from '../endpoint/masked-url.ts'

/** How long the steps of one request took. Null for a step that it did not need, and for the one that it did not get past. */
export interface Timing {
  readonly dnsMs: number | null
  readonly connectMs: number | null
  readonly tlsMs: number | null
  /** From the moment the connection was ready to the head of the response. */
  readonly firstByteMs: number | null
  readonly totalMs: number
  /** The connection was open already: nothing was looked up, connected or encrypted for this request. */
  readonly reused: boolean
}

/** What a transport knows of a request that did not succeed, beside its outcome. */
export interface Wire {
  readonly timing: Timing
  /** The address that was reached, or the only one that was tried; null if neither is known, as behind a proxy. */
  readonly address: string | null
  /** Of the response; null if there was none. */
  readonly headers: Readonly<Record<string, string>> | null
}

/** What is kept of a failed attempt for whoever looks for the cause. Credentials are left out before anything is stored. */
export interface Diagnostics {
  readonly timing: Timing | null
  /** For operators only: it may be an address inside. */
  readonly address: string | null
  readonly requestHeaders: ShownHeaders
  readonly responseHeaders: ShownHeaders | null
  /** How many headers are left out, because all of them would be too much. */
  readonly omittedHeaders: number
}

/** What was sent, and what of it must not be kept. */
export interface Sent {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Names of headers whose values are the endpoint's own: any of them may be a credential. */
  readonly hidden: readonly string[]
}

/** Headers of request and response together take at most this much. */
export const mostHeaderBytes = 4 * 1024
/** Shorter values are no secrets, and would hide too much. */
const shortestSecret = 4

export function diagnosticsOf(sent: Sent, wire: Wire | null): Diagnostics {
  const hidden = new Set(sent.hidden.map((name) => name.toLowerCase()))
  // What we sign with stays secret; what we signed is for everybody.
  const isHidden = (name: string): boolean =>
    hidden.has(name.toLowerCase()) || (isCredentialName(name) && !/signature/i.test(name))
  const request = new HeaderBudget(mostHeaderBytes / 2)
  const requestHeaders = request.kept({ ...sent.headers, ...missing(sent) }, isHidden)
  const response = new HeaderBudget(mostHeaderBytes - request.usedBytes)
  const secrets = secretsOf(sent, isHidden)
  const responseHeaders =
    wire === null || wire.headers === null
      ? null
      : response.kept(
          withoutQueries(wire.headers),
          (name, value) => isCredentialName(name) || secrets.some((secret) => value.includes(secret)),
        )
  return {
    timing: wire?.timing ?? null,
    address: wire?.address ?? null,
    requestHeaders,
    responseHeaders,
    omittedHeaders: request.omitted + response.omitted,
  }
}

/** Takes headers until there is no more room; what is too long is left out, and what is shorter may still fit. */
class HeaderBudget {
  readonly #mostBytes: number
  usedBytes = 0
  omitted = 0

  constructor(mostBytes: number) {
    this.#mostBytes = mostBytes
  }

  kept(all: Readonly<Record<string, string>>, isSensitive: (name: string, value: string) => boolean): ShownHeaders {
    const headers: Record<string, string> = {}
    const sensitive: string[] = []
    for (const [name, value] of Object.entries(all)) {
      const isHidden = isSensitive(name, value)
      if (!this.#takes(isHidden ? name : `${name}: ${value}`)) continue
      if (isHidden) sensitive.push(name)
      else headers[name] = value
    }
    return { headers, sensitive }
  }

  #takes(text: string): boolean {
    const bytes = Buffer.byteLength(text) + 2
    const fits = this.usedBytes + bytes <= this.#mostBytes
    if (fits) this.usedBytes += bytes
    else this.omitted += 1
    return fits
  }
}

/** A header that only the transport adds, such as one with a fetched token, is named, too. */
function missing({ headers, hidden }: Sent): Record<string, string> {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  return Object.fromEntries(hidden.filter((name) => !names.has(name.toLowerCase())).map((name) => [name, masked]))
}

/** What a response must not repeat: values of hidden headers, bare or behind their scheme, and of the query. */
function secretsOf({ url, headers }: Sent, isHidden: (name: string) => boolean): string[] {
  const hidden = Object.entries(headers).filter(([name]) => isHidden(name))
  const values = hidden.flatMap(([, value]) => [value, ...value.split(' ')])
  const query = URL.parse(url)?.search.slice(1) ?? ''
  const pairs = query.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1))
  const decoded = [...new URLSearchParams(query).values()]
  return [...values, ...pairs, ...decoded].filter((each) => each.length >= shortestSecret)
}

const urlHeaders: ReadonlySet<string> = new Set(['location', 'content-location', 'refresh', 'link', 'referer'])

/** A redirect often repeats the query, which may hold credentials. */
function withoutQueries(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      urlHeaders.has(name.toLowerCase()) ? value.replaceAll(/\?[^\s>;,]*/g, `?${masked}`) : value,
    ]),
  )
}
