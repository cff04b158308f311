import { isCredentialName } from '../signing/sent-request.ts'
import type { ShownHeaders } from '../signing/sent-request.ts'
import { masked } from '../endpoint/masked-url.ts'

/** How long each step of one request took. Null for steps that it did not need, and for the one that it did not finish. */
export interface Timing {
  readonly dnsMs: number | null
  readonly connectMs: number | null
  readonly tlsMs: number | null
  /** From the moment the connection was ready to the head of the response. */
  readonly firstByteMs: number | null
  readonly totalMs: number
  /** The connection was already open: this request needed no lookup, connection or TLS handshake. */
  readonly reused: boolean
}

/** What a transport knows about an unsuccessful request besides its outcome. */
export interface Wire {
  readonly timing: Timing
  /** The address that was reached, or the only one that was tried; null if unknown, for example behind a proxy. */
  readonly address: string | null
  /** Of the response; null if there was none. */
  readonly headers: Readonly<Record<string, string>> | null
}

/** What is stored about a failed attempt to find the cause. Credentials are removed before anything is stored. */
export interface Diagnostics {
  readonly timing: Timing | null
  /** For operators only: it may be an internal address. */
  readonly address: string | null
  readonly requestHeaders: ShownHeaders
  readonly responseHeaders: ShownHeaders | null
  /** How many headers were left out because of the size limit. */
  readonly omittedHeaders: number
}

/** What was sent, and which parts of it must not be stored. */
export interface Sent {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Names of the endpoint's own headers: any of their values may be a credential. */
  readonly hidden: readonly string[]
}

/** Headers of request and response together take at most this much. */
export const mostHeaderBytes = 4 * 1024
/** Shorter values are not secrets, and masking them would hide too much. */
const shortestSecret = 4

export function diagnosticsOf(sent: Sent, wire: Wire | null): Diagnostics {
  const hidden = new Set(sent.hidden.map((name) => name.toLowerCase()))
  // The signing secret stays secret; signatures may be seen by everybody.
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

/** Takes headers up to the size limit; one that is too long is left out, and a shorter one may still fit. */
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

/** A header that only the transport adds, such as a fetched token, is also named. */
function missing({ headers, hidden }: Sent): Record<string, string> {
  const names = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  return Object.fromEntries(hidden.filter((name) => !names.has(name.toLowerCase())).map((name) => [name, masked]))
}

/** Values that a response must not repeat: those of hidden headers, with or without their scheme, and of the query. */
function secretsOf({ url, headers }: Sent, isHidden: (name: string) => boolean): string[] {
  const hidden = Object.entries(headers).filter(([name]) => isHidden(name))
  const values = hidden.flatMap(([, value]) => [value, ...value.split(' ')])
  const query = URL.parse(url)?.search.slice(1) ?? ''
  const pairs = query.split('&').map((pair) => pair.slice(pair.indexOf('=') + 1))
  const decoded = [...new URLSearchParams(query).values()]
  return [...values, ...pairs, ...decoded].filter((each) => each.length >= shortestSecret)
}

const urlHeaders: ReadonlySet<string> = new Set(['location', 'content-location', 'refresh', 'link', 'referer'])

/** A redirect often repeats the query, which may contain credentials. */
function withoutQueries(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [
      name,
      urlHeaders.has(name.toLowerCase()) ? value.replaceAll(/\?[^\s>;,]*/g, `?${masked}`) : value,
    ]),
  )
}
