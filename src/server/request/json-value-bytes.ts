const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openBrace, closeBrace, openBracket, closeBracket] = [0x7b, 0x7d, 0x5b, 0x5d]

/**
 * The bytes of one top-level value, as received: parsed and re-serialised, 1.0 would become 1, and a long number would change.
 * The JSON must be a valid object; of repeated keys the last counts, as in `JSON.parse`. Null if there is no such key.
 */
export function cutValue(json: Uint8Array, key: string): Uint8Array | null {
  const wanted = Buffer.from(key)
  let found: Uint8Array | null = null
  let at = json.indexOf(openBrace) + 1
  for (;;) {
    at = skipTo(json, at, quote, closeBrace)
    if (json[at] !== quote) return found
    const keyEnd = endOfString(json, at)
    const isWanted = isKey(json.subarray(at, keyEnd), wanted, key)
    const start = skipSpace(json, skipTo(json, keyEnd, colon, closeBrace) + 1)
    const end = endOfValue(json, start)
    if (isWanted) found = json.subarray(start, end)
    at = end
  }
}

/** Between two tokens of valid JSON there is only white space and the wanted character, or the end. */
function skipTo(json: Uint8Array, from: number, one: number, other: number): number {
  let at = from
  while (at < json.length && json[at] !== one && json[at] !== other) at += 1
  return at
}

function skipSpace(json: Uint8Array, from: number): number {
  let at = from
  while (at < json.length && (json[at] ?? 0) <= 0x20) at += 1
  return at
}

/** Whether a quoted string is the wanted key. */
function isKey(text: Uint8Array, wanted: Uint8Array, key: string): boolean {
  const length = text.length - 2
  if (length < wanted.length) return false
  if (length === wanted.length) return wanted.every((byte, index) => text[index + 1] === byte)
  // Like any string, a key can contain escapes.
  return text.includes(backslash) && JSON.parse(Buffer.from(text).toString()) === key
}

/** The position after a string's closing quote. */
function endOfString(json: Uint8Array, start: number): number {
  let at = start + 1
  while (at < json.length && json[at] !== quote) at += json[at] === backslash ? 2 : 1
  return at + 1
}

/** The position after a value. Brackets are counted without recursion: no depth can exhaust the stack. */
function endOfValue(json: Uint8Array, start: number): number {
  const first = json[start]
  if (first === quote) return endOfString(json, start)
  return first === openBrace || first === openBracket ? endOfBrackets(json, start) : endOfWord(json, start)
}

/** The position after the bracket that closes the one at the start. */
function endOfBrackets(json: Uint8Array, start: number): number {
  let depth = 0
  let at = start
  while (at < json.length) {
    const byte = json[at]
    at = byte === quote ? endOfString(json, at) : at + 1
    if (byte === openBrace || byte === openBracket) depth += 1
    if (byte === closeBrace || byte === closeBracket) depth -= 1
    if (depth === 0) return at
  }
  return at
}

/** The position after a number, true, false or null, which ends where the surrounding value continues or ends. */
function endOfWord(json: Uint8Array, start: number): number {
  let at = start
  while (at < json.length && (json[at] ?? 0) > 0x20 && !afterWord.has(json[at] ?? 0)) at += 1
  return at
}

const afterWord: ReadonlySet<number> = new Set([comma, closeBrace, closeBracket])
