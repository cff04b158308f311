/** What an attempt sent, as far as it may be shown. */
export interface SentRequest extends ShownHeaders {
  readonly method: 'POST'
  readonly url: string
  /** The size of the body; null once it is erased. */
  readonly bytes: number | null
  /** True if the headers are those that were sent; false if they are built again, with what the endpoint has now. */
  readonly recorded: boolean
}

export interface ShownHeaders {
  readonly headers: Readonly<Record<string, string>>
  /** Names of headers that are there too, but whose values are not shown. */
  readonly sensitive: readonly string[]
}

const sensitiveName = /authorization|cookie|token|secret|password|credential|api-?key|signature/i

/** True of a header that is for credentials, by its name. */
export function isCredentialName(name: string): boolean {
  return sensitiveName.test(name)
}

/** Headers as they may be shown: the values of those that carry credentials, or that the caller names, are not. */
export function shownHeaders(all: Readonly<Record<string, string>>, hidden: readonly string[]): ShownHeaders {
  const isSensitive = (name: string): boolean => isCredentialName(name) || hidden.includes(name)
  const entries = Object.entries(all)
  return {
    headers: Object.fromEntries(entries.filter(([name]) => !isSensitive(name))),
    sensitive: entries.map(([name]) => name).filter(isSensitive),
  }
}
