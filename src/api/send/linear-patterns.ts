import { RE2JS } from 're2js'
import type { Pattern } from '../../core/json-schema/compile.ts'
import { messageOf } from '../../core/errors.ts'

const mostPatternLength = 1_000
// Measured: for each character, about eight instructions take as long as one step of the validator.
const instructionsPerStep = 8

/** A JSON Schema pattern, run by an engine that takes time linear in the text, for any pattern. */
export function linearPattern(source: string): Pattern {
  if (source.length > mostPatternLength)
    throw new Error(`a pattern of ${source.length} characters, more than ${mostPatternLength}`)
  // An invalid pattern is reported with the message that people know.
  RegExp(source, 'u')
  const compiled = compile(source)
  return {
    cost: Math.ceil(compiled.programSize() / instructionsPerStep),
    test: (text) => compiled.test(text),
  }
}

function compile(source: string): RE2JS {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(translated(source)))
  } catch (cause) {
    const advice = 'Look-arounds and back-references cannot be, and repeats only up to 1,000.'
    throw new Error(`the pattern ${source} cannot be run in linear time (${messageOf(cause)}). ${advice}`, { cause })
  }
}

/** White space as ECMAScript defines it, as ranges of a character class; and everything else. */
const space = String.raw`\t-\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`
const noSpace = String.raw`\x00-\x08\x0e-\x1f!-\x{9f}\x{a1}-\x{167f}\x{1681}-\x{1fff}\x{200b}-\x{2027}\x{202a}-\x{202e}\x{2030}-\x{205e}\x{2060}-\x{2fff}\x{3001}-\x{fefe}\x{ff00}-\x{10ffff}`
const anyButLineEnd = String.raw`[^\n\r\x{2028}\x{2029}]`

// An escape (a surrogate pair counts as one), a property with its braces, or one character.
const token = /\\u[dD][89abAB]\p{AHex}{2}\\u[dD][c-fC-F]\p{AHex}{2}|\\[pP]\{[^}]*\}|\\[^]|[^]/gu

/** Translates a pattern where the engine's notation differs from ECMAScript's. */
function translated(source: string): string {
  let isInClass = false
  return source.replaceAll(token, (text) => {
    const table = isInClass ? inClass : outside
    if (text === '[' || text === ']') isInClass = text === '['
    return table[text] ?? longer(text)
  })
}

/** A surrogate pair is one character, and a script is written by its name alone. */
function longer(text: string): string {
  if (/^\\u.{4}\\u/.test(text)) return `\\x{${codePoint(text.slice(2, 6), text.slice(8)).toString(16)}}`
  return text.replace(/^(\\[pP]\{)(?:Script|sc)=/, '$1')
}

const inClass: Readonly<Record<string, string>> = {
  [String.raw`\s`]: space,
  [String.raw`\S`]: noSpace,
  [String.raw`\b`]: String.raw`\x08`,
  '[': String.raw`\[`,
}
const outside: Readonly<Record<string, string>> = {
  [String.raw`\s`]: `[${space}]`,
  [String.raw`\S`]: `[${noSpace}]`,
  '.': anyButLineEnd,
}

function codePoint(high: string, low: string): number {
  return 0x1_00_00 + ((Number.parseInt(high, 16) - 0xd8_00) << 10) + (Number.parseInt(low, 16) - 0xdc_00)
}
