/** The request of an attempt, as far as it may be shown. */
export interface SentRequest extends ShownHeaders {
  readonly method: 'POST'
  readonly url: string
  /** The size of the body; null once it is erased. */
  readonly bytes: number | null
  /** True if these headers were sent; false if they were rebuilt from the endpoint's present settings. */
  readonly recorded: boolean
}

export interface ShownHeaders {
  readonly headers: Readonly<Record<string, string>>
  /** Names of further headers whose values are not shown. */
  readonly sensitive: readonly string[]
}

const sensitiveName = /authorization|cookie|token|secret|password|credential|api-?key|signature/i

/** True if the name of a header suggests credentials. */
export function isCredentialName(name: string): boolean {
  return sensitiveName.test(name)
}

/** Headers as they may be shown: without the values of those that carry credentials, or that the caller names. */
export function shownHeaders(all: Readonly<Record<string, string>>, hidden: readonly string[]): ShownHeaders {
  const isSensitive = (name: string): boolean => isCredentialName(name) || hidden.includes(name)
  const entries = Object.entries(all)
  return {
    headers: Object.fromEntries(entries.filter(([name]) => !isSensitive(name))),
    sensitive: entries.map(([name]) => name).filter(isSensitive),
  }
}
