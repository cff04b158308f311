/**
 * The URL that a text is, or null. Not by `URL.canParse`: in Node 20 and 22, once it is compiled after a few thousand calls, it says no to
 * texts with letters such as ü, and an endpoint that was fine would not be called any more.
 */
export function urlOf(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
