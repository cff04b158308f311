/** Why a text is not a JSON object, for somebody who is typing it; null if it is one. */
export function jsonProblem(text: string): string | null {
  if (text.trim() === '') return 'Nothing is here yet. The payload is a JSON object; the least is {}.'
  const position = jsonFault(text)
  if (position !== null) return notJson(text, position)
  const value: unknown = JSON.parse(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return null
  return 'This is JSON, but no object: a payload begins with { and ends with }.'
}

/** Where a text stops being JSON; null if it is JSON. */
export function jsonFault(text: string): number | null {
  try {
    JSON.parse(text)
    return null
  } catch {
    return faultAt(text)
  }
}

export function notJson(text: string, position: number): string {
  const place = position >= text.length ? 'its end is missing' : `look at ${lineOf(text, position)}`
  return `This is not JSON yet: ${place}.`
}

/** A position as people count it. */
export function lineOf(text: string, position: number): string {
  const before = text.slice(0, position).split('\n')
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}`
}

export const space = /[ \t\n\r]*/y
export const token =
  /("(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*")|(-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null)|[{}[\],:]/uy

type Expected = 'value' | 'value or end' | 'key' | 'key or end' | 'colon' | 'comma or end'

/** The position of the first character that JSON does not allow: not all browsers say so. */
function faultAt(text: string): number {
  const ends: string[] = []
  let expected: Expected | null = 'value'
  let position = 0
  for (;;) {
    position = endOf(space, text, position) ?? position
    const end = endOf(token, text, position)
    if (end === null) return position
    expected = after(expected, text.slice(position, end), ends)
    if (expected === null) return position
    position = end
  }
}

export function endOf(pattern: RegExp, text: string, from: number): number | null {
  pattern.lastIndex = from
  return pattern.test(text) ? pattern.lastIndex : null
}

/** What may follow a token; null if the token is not allowed here. `ends` are those of the enclosing objects and lists. */
function after(expected: Expected, seen: string, ends: string[]): Expected | null {
  if (expected === 'colon') return seen === ':' ? 'value' : null
  if (expected.endsWith('or end') && seen === ends.at(-1)) {
    ends.pop()
    return 'comma or end'
  }
  if (expected === 'comma or end') return seen === ',' ? nextIn(ends) : null
  if (expected.startsWith('key')) return seen.startsWith('"') ? 'colon' : null
  return afterValue(seen, ends)
}

function nextIn(ends: readonly string[]): Expected | null {
  if (ends.length === 0) return null
  return ends.at(-1) === '}' ? 'key' : 'value'
}

function afterValue(seen: string, ends: string[]): Expected | null {
  if (seen === '{') {
    ends.push('}')
    return 'key or end'
  }
  if (seen === '[') {
    ends.push(']')
    return 'value or end'
  }
  return /^[\]},:]/.test(seen) ? null : 'comma or end'
}
