/**
 * Parses a URL; null if it is invalid. Does not use `URL.canParse`: in Node 20 and 22, once compiled after a few thousand calls, it rejects
 * texts with letters such as ü, and a valid endpoint would no longer be called.
 */
export function urlOf(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
